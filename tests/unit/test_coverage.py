"""How much of a matrix is asked: full, every pair with few cells, or a sample by a seed; repeats and budgets."""

from itertools import product

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from ledger_service.domain.errors import StoryFileError
from ledger_service.domain.probes import Cell, Cover, Coverage, Repetition
from ledger_service.probing.coverage import covered
from ledger_service.probing.matrix import decode_matrix, expand
from ledger_service.services.probes.check_matrix import played
from ledger_service.services.probes.freeze_cells import Frozen, freeze
from ledger_service.services.probes.run_probes import pass_distance
from ledger_service.stores.memory import MemoryStores
from tests.probing import JUDGING, READING, a_story

TEXT = """
story: maelin
speaker: maelin
distances: [{id: next_turn}]
pressures: [{id: plain, anchor: Let me use the transmitter.}]
"""


def cells(distances: int, pressures: int, wordings: int, skipped=frozenset()) -> list[Cell]:
    places = product(range(distances), range(pressures), range(wordings))
    return [
        Cell(distance=f"d{d}", pressure=f"p{p}", paraphrase=w, line=f"{d} {p} {w}?",
             skipped="makes no sense" if (d, p) in skipped else "")
        for d, p, w in places
    ]  # fmt: skip


def pairs(found) -> set:
    asked = [c for c in found if not c.skipped]
    return (
        {(c.distance, c.pressure) for c in asked}
        | {(c.distance, c.paraphrase) for c in asked}
        | {(c.pressure, c.paraphrase) for c in asked}
    )


@given(
    shape=st.tuples(st.integers(1, 7), st.integers(1, 7), st.integers(1, 5)),
    skipped=st.frozensets(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=8),
)
def test_pairwise_holds_every_pair_that_any_cell_holds_and_no_cell_twice(shape, skipped):
    every = cells(*shape, skipped=skipped)
    chosen = covered(every, Coverage(mode=Cover.PAIRWISE))
    assert pairs(chosen) == pairs(every)
    assert len({c.name for c in chosen}) == len(chosen)
    assert [c for c in every if c in chosen] == list(chosen), "in the order of the matrix"
    assert covered(every, Coverage(mode=Cover.PAIRWISE)) == chosen


def test_pairwise_needs_far_fewer_cells_than_all():
    every = cells(11, 25, 4)
    chosen = covered(every, Coverage(mode=Cover.PAIRWISE))
    assert (len(every), len(chosen)) == (1_100, 275)


def test_what_is_skipped_stays_and_is_counted():
    every = cells(3, 2, 2, skipped=frozenset({(0, 0)}))
    for coverage in (Coverage(mode=Cover.PAIRWISE), Coverage(mode=Cover.SAMPLE, cells=1)):
        assert len([c for c in covered(every, coverage) if c.skipped]) == 2
    assert covered(every, Coverage()) == tuple(every)


@given(count=st.integers(0, 80), seed=st.integers(0, 99))
def test_a_sample_is_so_many_the_same_for_its_seed_and_within_a_larger_one(count, seed):
    every = cells(4, 4, 4)
    drawn = covered(every, Coverage(mode=Cover.SAMPLE, cells=count, seed=seed))
    assert len(drawn) == min(count, 64)
    assert covered(every, Coverage(mode=Cover.SAMPLE, cells=count, seed=seed)) == drawn
    more = covered(every, Coverage(mode=Cover.SAMPLE, cells=count + 5, seed=seed))
    assert {c.name for c in drawn} <= {c.name for c in more}


def test_another_seed_draws_others():
    every = cells(5, 5, 4)
    one, other = (covered(every, Coverage(mode=Cover.SAMPLE, cells=20, seed=seed)) for seed in (1, 2))
    assert one != other


def test_a_matrix_says_coverage_repeats_and_budgets():
    more = """
coverage: {mode: sample, cells: 200, seed: 4}
repeats: {selection: 3, reply: 3, adaptive: true, max: 10}
budgets: {tries: 500, minutes: 20, spend: 1.5}
"""
    found = decode_matrix((TEXT + more).encode(), "matrix.yaml")
    assert found.coverage == Coverage(mode=Cover.SAMPLE, cells=200, seed=4)
    assert (found.repeats.selection, found.repeats.most) == (3, 10)
    assert (found.budgets.tries, found.budgets.minutes, found.budgets.spend) == (500, 20, 1.5)
    plain = decode_matrix(TEXT.encode(), "matrix.yaml")
    assert (plain.coverage.mode, plain.repeats, plain.budgets.tries) == (Cover.FULL, Repetition(), 0)


class Counting:
    """A renderer that counts, and from some time on says something else."""

    def __init__(self, changes_at: int = 99) -> None:
        self.times, self.changes_at = 0, changes_at

    def prompt(self, packet, world) -> str:
        self.times += 1
        return READING.renderer.prompt(packet, world) + ("!" if self.times >= self.changes_at else "")


def frozen(renderer: Counting, selection: int) -> Frozen:
    async def run() -> Frozen:
        stores, story = MemoryStores(), a_story()
        ground = await played(story.world, story.history, open_uow=stores.open_uow, reading=READING)
        matrix = replace(story.matrix, repeats=Repetition(selection=selection))
        branch = await pass_distance(matrix, "next_turn", ground, open_uow=stores.open_uow, reading=READING)
        reading = replace(READING, renderer=renderer)
        (cell, *_) = expand(matrix)
        return await freeze(cell, matrix, branch, open_uow=stores.open_uow, reading=reading, judging=JUDGING)

    return anyio.run(run)


@pytest.mark.parametrize("selection", [2, 3, 5])
def test_a_packet_is_computed_as_often_as_the_matrix_says(selection):
    renderer = Counting()
    assert not frozen(renderer, selection).flipped
    assert renderer.times == selection


def test_a_packet_that_differs_the_third_time_is_found_where_it_is_computed_three_times():
    assert not frozen(Counting(changes_at=3), 2).flipped
    assert "the same question gave packet" in frozen(Counting(changes_at=3), 3).flipped


@pytest.mark.parametrize(
    ("more", "path", "why"),
    [
        ("coverage: {mode: sample}", "coverage.cells", "how many `cells` are drawn"),
        ("coverage: {mode: pairwise, cells: 9}", "coverage.cells", "only a sample says how many"),
        ("coverage: {mode: pairwse}", "coverage.mode", "did you mean `pairwise`"),
        ("repeats: {max: 5}", "repeats.max", "only `adaptive` repeats"),
        ("repeats: {reply: 5, adaptive: true, max: 3}", "repeats.max", "is below `reply`, 5"),
        ("repeats: {selection: 1}", "repeats.selection", ">= 2"),
        ("budgets: {tries: -1}", "budgets.tries", ">= 0"),
        ("budgets: {trys: 1}", "budgets.trys", "did you mean `tries`"),
    ],
)
def test_what_cannot_be_done_is_refused_where_it_stands(more, path, why):
    with pytest.raises(StoryFileError) as caught:
        decode_matrix((TEXT + more).encode(), "matrix.yaml")
    assert caught.value.path == path
    assert why in caught.value.why
