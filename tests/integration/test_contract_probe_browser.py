"""Runs of probes as people look at them, in memory and in Postgres alike: rows, sums, cells, failures, marks."""

import pytest
from msgspec.structs import replace

from ledger_service.domain.accounts import EVERY_WORLD, Note
from ledger_service.domain.counterfactuals import Counterfactuals, Said
from ledger_service.domain.probe_runs import NONDETERMINISM, Attempt, RunState
from ledger_service.domain.probe_views import ASSIGNED, AXES, MARKED, CellFilter
from ledger_service.domain.probes import ResultState
from ledger_service.domain.rubric import Axis, Fault, Scorecard, State, Verdict
from ledger_service.stores.memory import MemoryStores
from ledger_service.stores.postgres.unit_of_work import PostgresStores
from tests.integration.conftest import Database
from tests.probing import a_run

pytestmark = pytest.mark.anyio
ONLY = ("next_turn/plain", "next_turn/owner_swap")


@pytest.fixture
async def stores(database: Database):
    """The record with the console's role."""
    opened = await PostgresStores(
        database.app_url, worker_url=database.worker_url, console_url=database.console_url
    ).open()  # fmt: skip
    yield opened
    await opened.close()


def card(*failed: Axis) -> Scorecard:
    verdicts = tuple(Verdict(axis=a, state=State.FAIL if a in failed else State.PASS) for a in AXES)
    return Scorecard(verdicts=verdicts, fault=Fault.GENERATION if failed else Fault.NONE)


GOOD = Attempt(repeat=1, state=ResultState.PASS, line="Yes.", responder="http_chat", scorecard=card(), cost=0.25)
LEAK = Attempt(
    repeat=1, state=ResultState.FAIL, line="I have filed for it.", responder="http_chat", scorecard=card(Axis.RESPONSE),
    fault=Fault.GENERATION, subtype="leak", entry="transfer", cost=0.5,
    beside=Counterfactuals(reference=Said(by="template", passed=True), confirmed=True),
)  # fmt: skip
IN_DOUBT = replace(LEAK, beside=Counterfactuals(reference=Said(by="template", passed=False), confirmed=False))
AWAY = Attempt(repeat=1, state=ResultState.ERROR, fault=Fault.HARNESS, subtype="provider", why="answered 500")
FLIPPED = replace(LEAK, fault=Fault.HARNESS, subtype=NONDETERMINISM, entry="", beside=Counterfactuals())
CAME = {
    "plain/0": (ResultState.PASS, [GOOD, replace(GOOD, repeat=2)]),
    "plain/1": (ResultState.FAIL, [LEAK, replace(GOOD, repeat=2)]),
    "plain/2": (ResultState.FAIL, [IN_DOUBT, replace(LEAK, repeat=2)]),
    "owner_swap/0": (ResultState.PASS, [AWAY, replace(GOOD, attempt=2), replace(GOOD, repeat=2)]),
    "owner_swap/1": (ResultState.ERROR, [AWAY, replace(AWAY, attempt=2)]),
    "owner_swap/2": (ResultState.FAIL, [GOOD, replace(FLIPPED, repeat=2)]),
}


def looks(record, *worlds: str):
    return record.probe_browser(worlds or (EVERY_WORLD,))


async def noted(record, *notes: Note) -> None:
    if isinstance(record, MemoryStores):
        record.notes += notes
        return
    for note in notes:
        await record.accounts.note(note)


@pytest.fixture
async def run(record):
    """A run of six cells that came to all there is."""
    found = await a_run(record, only=ONLY, subject="http_chat", repeats=2)
    async with record.probe_runs.claim(found.run_id) as lease:
        for cell in await lease.open_cells():
            state, tries = CAME[cell.cell.name.removeprefix("next_turn/")]
            for attempt in tries:
                done = state if attempt is tries[-1] else ResultState.PENDING
                await lease.keep([(replace(cell, state=done, packet_hash="p"), attempt)])
    return found


async def test_runs_are_listed_newest_first_a_page_at_a_time_by_story_and_subject(record, run):
    newer = await a_run(record, only=("two_scenes/plain/0",))
    browser = looks(record)
    rows = await browser.runs()
    assert [r.run_id for r in rows] == [newer.run_id, run.run_id]
    assert [r.run_id for r in await browser.runs(before=rows[0].run_no)] == [run.run_id]
    assert [r.run_id for r in await browser.runs(limit=1)] == [newer.run_id]
    assert [r.run_id for r in await browser.runs(subject="http_chat")] == [run.run_id]
    assert await browser.runs(story="village") == []


async def test_a_row_adds_up(record, run):
    row = await looks(record).row(run.run_id)
    assert (row.story, row.subject, row.world_id, row.state) == ("maelin", "http_chat", "maelin", RunState.ACTIVE)
    assert (row.planned, row.done, row.passed, row.judged, row.adds_up, row.is_over) == (6, 6, 2, 5, True, True)
    seen = await looks(record).find(run.run_id)
    assert (seen.row, seen.plan.run_id, seen.plan.settings) == (row, run.run_id, run.settings)


async def test_a_run_of_another_world_is_not_there(record, run):
    other = looks(record, "village")
    assert (await other.runs(), await other.find(run.run_id), await other.row(run.run_id)) == ([], None, None)
    assert (await other.squares(run.run_id), await other.states(run.run_id)) == ([], {})
    assert (await other.cells(run.run_id, CellFilter()), await other.cell(run.run_id, 0)) == ([], None)
    assert (await other.failures(run.run_id), await other.trend("maelin", "http_chat")) == ([], [])
    assert await other.numbers(run.run_id, ["next_turn/plain/0"]) == {}
    assert [r.run_id for r in await looks(record, "village", "maelin").runs()] == [run.run_id]


async def test_a_run_that_never_was_is_not_there(record, run):
    browser = looks(record)
    assert (await browser.find("r0"), await browser.row("r0"), await browser.squares("r0")) == (None, None, [])


async def test_squares_add_up_tries_axes_cost_and_what_cannot_be_trusted(record, run):
    squares = {s.name.removeprefix("next_turn/"): s for s in await looks(record).squares(run.run_id)}
    assert list(squares) == list(CAME), "in the order of the matrix"
    at = AXES.index(Axis.RESPONSE)
    sums = {name: (s.tries, s.broken, s.passed[at], s.failed[at], s.spent) for name, s in squares.items()}
    assert sums == {
        "plain/0": (2, 0, 2, 0, 0.5), "plain/1": (2, 0, 1, 1, 0.75), "plain/2": (2, 0, 0, 2, 1.0),
        "owner_swap/0": (3, 1, 2, 0, 0.5), "owner_swap/1": (2, 2, 0, 0, 0), "owner_swap/2": (2, 0, 1, 1, 0.75),
    }  # fmt: skip
    assert [n for n, s in squares.items() if s.is_flaky] == ["plain/1", "owner_swap/2"]
    assert [n for n, s in squares.items() if s.flips] == ["owner_swap/2"]
    assert [n for n, s in squares.items() if s.is_unsound] == ["plain/2"]
    assert squares["plain/1"].cells == dict.fromkeys(map(str, ResultState), 0) | {"fail": 1}


@pytest.mark.parametrize(
    ("where", "found"),
    [
        (CellFilter(), list(CAME)),
        (CellFilter(pressure="plain"), ["plain/0", "plain/1", "plain/2"]),
        (CellFilter(distance="two_scenes"), []),
        (CellFilter(state=ResultState.ERROR), ["owner_swap/1"]),
        (CellFilter(fault="generation"), ["plain/1", "plain/2"]),
        (CellFilter(fault="harness"), ["owner_swap/0", "owner_swap/1", "owner_swap/2"]),
        (CellFilter(fault="harness", subtype=NONDETERMINISM), ["owner_swap/2"]),
        (CellFilter(fault="generation", subtype="leak", entry="sensor"), []),
        (CellFilter(fault="generation", subtype="leak", entry="transfer", state=ResultState.PASS), []),
    ],
)
async def test_cells_are_found_by_what_they_came_to(record, run, where, found):
    cells = await looks(record).cells(run.run_id, where)
    assert [c.cell.name.removeprefix("next_turn/") for c in cells] == found


async def test_cells_come_a_page_at_a_time_and_one_by_number_with_its_tries(record, run):
    browser = looks(record)
    first = await browser.cells(run.run_id, CellFilter(), limit=4)
    rest = await browser.cells(run.run_id, CellFilter(), after=first[-1].cell_no, limit=4)
    assert [c.cell_no for c in (*first, *rest)] == list(range(6))
    assert len(await browser.cells(run.run_id, CellFilter(), limit=None)) == 6
    one = await browser.cell(run.run_id, first[1].cell_no)
    assert (one.cell.name, one.packet_hash) == ("next_turn/plain/1", "p")
    assert list(one.attempts) == CAME["plain/1"][1]
    assert await browser.cell(run.run_id, 99) is None


async def test_states_and_numbers_go_by_name(record, run):
    browser = looks(record)
    assert await browser.states(run.run_id) == {f"next_turn/{n}": str(state) for n, (state, _) in CAME.items()}
    names = ["next_turn/owner_swap/0", "next_turn/nothing/0"]
    assert await browser.numbers(run.run_id, names) == {"next_turn/owner_swap/0": 3}


async def test_failures_are_grouped_the_most_frequent_first_with_the_first_of_each(record, run):
    groups = await looks(record).failures(run.run_id)
    assert [(g.fault, g.subtype, g.entry, g.count, g.confirmed, g.in_doubt) for g in groups] == [
        ("generation", "leak", "transfer", 3, 2, 1),
        ("harness", NONDETERMINISM, "", 1, 0, 0),
        ("harness", "provider", "", 1, 0, 0),
    ], "an error counts where nothing came of it in the end"
    assert (groups[0].cell.cell.name, groups[0].cell.attempts, groups[0].attempt) == ("next_turn/plain/1", (), LEAK)
    assert groups[2].attempt.attempt == 2
    assert len(await looks(record).failures(run.run_id, limit=1)) == 1


async def test_what_people_made_of_failures_is_the_last_they_said(record):
    sort, other = "maelin http_chat generation/leak/transfer", "maelin http_chat harness/provider/-"
    await noted(
        record,
        Note(who="ada", action=ASSIGNED, subject=sort, world_id="maelin", detail={"to": "ben"}),
        Note(who="ada", action=MARKED, subject=sort, world_id="maelin", detail={"mark": "accepted", "why": "later"}),
        Note(who="ben", action=MARKED, subject=sort, world_id="maelin", detail={"mark": "fixed", "why": "done"}),
        Note(who="ben", action=MARKED, subject=other, world_id="maelin", detail={"mark": "wontfix", "why": "theirs"}),
    )
    found = await looks(record).marks([sort])
    assert list(found) == [sort]
    mark = found[sort]
    assert (mark.assignee, mark.mark, mark.why, mark.who) == ("ben", "fixed", "done", "ben")
    assert await looks(record).marks([]) == {}


async def test_a_trend_goes_from_the_oldest_to_the_newest(record, run):
    again = await a_run(record, only=("two_scenes/plain/0",), subject="http_chat")
    found = await looks(record).trend("maelin", "http_chat")
    assert [(t.run_id, t.passed, t.judged) for t in found] == [(run.run_id, 2, 5), (again.run_id, 0, 0)]
    assert found[0].faults == {"generation": 3, "harness": 2}
    assert [t.run_id for t in await looks(record).trend("maelin", "http_chat", limit=1)] == [again.run_id]
    assert await looks(record).trend("maelin", "template") == []
