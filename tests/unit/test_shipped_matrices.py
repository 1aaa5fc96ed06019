"""The matrices that ship: every rung, every pressure, a control for each secret, and an honest speaker passes them."""

from functools import partial

import anyio
import pytest
from msgspec.structs import replace

from ledger_service.domain.probes import Matrix, ResultState
from ledger_service.probing.lint import demands_of
from ledger_service.probing.matrix import expand
from ledger_service.probing.recipes import LADDER, PRESSURES
from ledger_service.probing.source import read_source
from ledger_service.readers.claims import PatternClaimReader
from ledger_service.responders.template import TemplateResponder
from ledger_service.services.events.play_story import play_history
from ledger_service.services.playthroughs.open_playthrough import add_world, open_playthrough
from ledger_service.services.probes.audit_matrix import Tools, audit_matrix
from ledger_service.services.probes.check_matrix import check_matrix
from ledger_service.services.probes.run_probes import Ground, run_matrix
from ledger_service.services.replies.score_reply import Judging
from ledger_service.stores.memory import MemoryStores
from ledger_service.stores.probe_files import ProbeFiles, Story
from ledger_service.zoo.memories import MEMORIES
from ledger_service.zoo.speakers import SPEAKERS
from tests.speaking import READING, STORY

FILES = ProbeFiles(STORY.parent)
STORIES = {name: FILES.load(name) for name in ("maelin", "village")}


SECRETS = {"maelin": {"message", "transfer", "transfer.2"}, "village": {"guards", "guards.2"}}
MAY_BE_SILENT = {
    "secret_fishing", "secret_fishing_message", "secret_fishing_desk", "secret_fishing_post_bag", "stale_residue",
    "instruction_injection",
}  # fmt: skip
"""Rows to which nothing to say is an answer; what they are about has other rows, in which something must be said."""


def kinds(matrix: Matrix) -> set[str]:
    return {p.kind or p.id for p in matrix.pressures}


def test_they_hold_fifteen_hundred_cells_and_more():
    assert sum(len(expand(story.matrix)) for story in STORIES.values()) >= 1_500


@pytest.mark.parametrize("name", STORIES)
def test_every_rung_of_the_ladder_is_there_and_every_row_has_an_anchor_and_three_rewordings(name):
    matrix = STORIES[name].matrix
    assert [d.id for d in matrix.distances] == list(LADDER)
    assert {len(p.paraphrases) for p in matrix.pressures} == {3}
    assert kinds(matrix) <= set(PRESSURES)


def test_the_station_is_pressed_in_all_ten_ways():
    assert kinds(STORIES["maelin"].matrix) == set(PRESSURES)


def test_the_message_must_be_told_by_one_who_may_and_never_by_the_others():
    cells = [c for c in expand(STORIES["maelin"].matrix) if not c.skipped]
    tellers = {c.speaker for c in cells if "message" in c.expect.must_include}
    assert tellers == {"supervisor"}
    others = [c for c in cells if c.speaker != "supervisor"]
    assert all("message" in c.expect.must_exclude for c in others)
    assert {c.speaker for c in others} == {"", "teo"}


def test_what_is_skipped_says_why():
    skipped = [c for story in STORIES.values() for c in expand(story.matrix) if c.skipped]
    assert skipped
    assert all("on that branch" in c.skipped for c in skipped)


@pytest.mark.parametrize("name", STORIES)
def test_every_secret_and_every_speaker_has_its_control(name):
    story = STORIES[name]

    async def run():
        return await check_matrix(
            story.matrix, story.world, story.history, open_uow=MemoryStores().open_uow, reading=READING
        )

    checked = anyio.run(run)
    assert checked.impossible == ()
    assert set(checked.secrets) == SECRETS[name]
    source = read_source((STORY.parent / name / "matrix.yaml").read_bytes(), "matrix.yaml")
    assert list(demands_of(story.matrix, source, secrets=checked.secrets)) == []


@pytest.mark.parametrize("name", STORIES)
def test_every_broken_subject_has_its_expected_fault(name):
    expected = {s.name: s.injects for s in (*SPEAKERS, *MEMORIES)}
    assert {subject: want.fault for subject, want in STORIES[name].matrix.zoo.items()} == expected
    asked = sum(not c.skipped for c in expand(STORIES[name].matrix))
    assert all(want.active <= asked for want in STORIES[name].matrix.zoo.values())
    silent = {subject for subject, want in STORIES[name].matrix.zoo.items() if not want.active}
    assert silent == {"maelin": set(), "village": {"accepts_false_completion", "ranks_by_words"}}[name]


@pytest.mark.slow
@pytest.mark.parametrize("name", STORIES)
def test_silence_passes_only_where_silence_is_right(name):
    story = STORIES[name]
    tools = Tools(
        open_uow=MemoryStores().open_uow, reading=READING, reference=TemplateResponder(),
        judging=Judging(claim_reader=PatternClaimReader(), embedder=READING.embedder),
    )  # fmt: skip
    audit = anyio.run(partial(audit_matrix, story.matrix, story.world, story.history, tools))
    assert audit.unsound == ()
    assert {row.pressure for row in audit.weak if row.is_everywhere} <= MAY_BE_SILENT


def asked(story: Story, matrix: Matrix):
    async def run():
        stores = MemoryStores()
        version = await add_world(story.world, open_uow=stores.open_uow)
        mine = (await open_playthrough(version, open_uow=stores.open_uow)).playthrough_id
        labels = await play_history(mine, story.history, open_uow=stores.open_uow, embedder=READING.embedder)
        ground = Ground(playthrough_id=mine, history=story.history, labels=labels)
        judging = Judging(claim_reader=PatternClaimReader(), embedder=READING.embedder)
        return await run_matrix(
            matrix, ground, TemplateResponder(), open_uow=stores.open_uow, reading=READING, judging=judging
        )

    run = anyio.run(run)
    good = {ResultState.PASS, ResultState.SKIPPED}
    return [(r.cell.name, r.line, r.error, r.scorecard and r.scorecard.evidence) for r in run.results
            if r.state not in good]  # fmt: skip


@pytest.mark.parametrize("name", STORIES)
def test_an_honest_speaker_passes_every_anchor(name):
    story = STORIES[name]
    anchors = tuple(replace(p, paraphrases=()) for p in story.matrix.pressures)
    assert asked(story, replace(story.matrix, pressures=anchors)) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", STORIES)
def test_an_honest_speaker_passes_every_cell(name):
    assert asked(STORIES[name], STORIES[name].matrix) == []
