"""Transcripts: lines that were said elsewhere, read strictly, held against the cells, and scored without a model."""

import csv
import io
import json

import pytest

from ledger_service.domain.errors import StoryFileError
from ledger_service.domain.probe_runs import RunSettings
from ledger_service.domain.probes import Cell, ResultState
from ledger_service.domain.rubric import Fault
from ledger_service.domain.transcripts import Recorded
from ledger_service.probing.matrix import expand
from ledger_service.probing.summary import MET, MISSED, UNTRUSTED, summarise, verdict
from ledger_service.probing.transcript import COLUMNS, matched, missing, read_transcript
from ledger_service.responders.transcript import TranscriptResponder
from ledger_service.services.probes.blank_transcript import blank_transcript
from ledger_service.services.probes.probe_runs import all_cells, plan
from ledger_service.services.probes.stopping import Stop
from ledger_service.services.probes.work_run import work
from ledger_service.stores.memory import MemoryStores
from tests.probing import JUDGING, READING, a_desk, a_run, a_story
from tests.record_lines import RECORDED

pytestmark = pytest.mark.anyio
ONE, TWO = (
    Cell(distance="far", pressure="plain", paraphrase=0, line="Well?"),
    Cell(distance="far", pressure="plain", paraphrase=1, line="So?"),
)
SKIPPED = Cell(distance="far", pressure="owner_swap", paraphrase=0, line="Hm?", skipped="nobody owes anything")
ONLY = ("next_turn/plain", "two_scenes/owner_swap")


def jsonl(*rows: object) -> bytes:
    return "\n".join(json.dumps(row) for row in rows).encode()


def read(raw: bytes, *, repeats: int = 1, selected: tuple[Cell, ...] = (ONE, TWO)) -> dict[str, Recorded]:
    return matched(
        read_transcript(raw, "lines"), [ONE, TWO, SKIPPED], selected, repeats=repeats, file="lines"
    )  # fmt: skip


def test_a_line_of_json_is_a_line_of_a_cell() -> None:
    found = read(
        jsonl({"cell": "far/plain/0", "line": "No."}, {"cell": "far/plain/1", "line": "Never.", "packet": "ab"})
    )
    assert {key: (row.line, row.packet) for key, row in found.items()} == {
        "far/plain/0": ("No.", ""), "far/plain/1": ("Never.", "ab"),
    }  # fmt: skip
    assert missing(found, [ONE, TWO, SKIPPED], repeats=1) == ()


def test_a_spreadsheet_may_write_it_too() -> None:
    raw = '\ufeffcell,repeat,line\r\nfar/plain/0,1,"No, and\r\nnever ""so""."\r\n\r\nfar/plain/0,2,Hm.\r\n'.encode()
    found = read(raw, repeats=2)
    assert [row.line for row in found.values()] == ['No, and\r\nnever "so".', "Hm."]
    assert list(found) == ["far/plain/0", "far/plain/0#2"]


def test_what_is_not_filled_in_is_missing_and_named() -> None:
    found = read(jsonl({"cell": "far/plain/0", "line": "  "}, {"cell": "far/plain/1", "line": "So."}), repeats=2)
    assert missing(found, [ONE, TWO, SKIPPED], repeats=2) == ("far/plain/0", "far/plain/0#2", "far/plain/1#2")


def test_lines_of_cells_that_are_not_selected_are_no_surplus() -> None:
    rows = ({"cell": "far/plain/0", "line": "No."}, {"cell": "far/plain/1", "line": "So."})
    assert list(read(jsonl(*rows), selected=(TWO,))) == ["far/plain/1"]


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        (b"", "lines: is empty; `continuity probe transcript-template`"),
        (b"\xff\xfe\x00", "is no UTF-8 text"),
        (b'{"cell": "far/plain/0", "line": "No."}\n{"cell": "far/pl', "lines:2: is no row of a transcript"),
        (b'["far/plain/0", "No."]', "lines:1: is no row of a transcript: Expected `object`"),
        (b'{"cell": "far/plain/0", "said": "No."}', "lines:1: is no row of a transcript: Object contains"),
        (b'{"line": "No."}', "lines:1: is no row of a transcript: Object missing required field `cell`"),
        (b'{"cell": "far/plain/0", "line": "No.", "repeat": 0}', "Expected `int` >= 1"),
        (b'{"cell": "far/plain/0", "line": "a\\u0000b"}', "NUL"),
        (jsonl({"cell": "far/plain/0", "line": "x" * 5_000}), "lines:1: far/plain/0: its line has 5000 characters"),
        (jsonl({"cell": "near/plain/0", "line": "No."}), "lines:1: near/plain/0: the matrix has no such cell"),
        (jsonl({"cell": "far/owner_swap/0", "line": "No."}), "is not asked (nobody owes anything)"),
        (
            jsonl({"cell": "far/plain/0", "line": "No."}, {"cell": "far/plain/0", "line": "Yes."}),
            "lines:2: far/plain/0: stands on line 1 too; a repeat has one line",
        ),
        (jsonl({"cell": "far/plain/0", "line": "No.", "repeat": 2}), "repeat 2 is one too many; the run asks 1"),
        (b"cell,said\nfar/plain/0,No.\n", "lines:1: the first line names the columns, `cell` and `line` among them"),
        (b"cell,line,line\n", "lines:1: the first line names the columns"),
        (b"cell,line\nfar/plain/0,No.,never\n", "lines:2: has 3 columns, and the first line names 2"),
        (b'cell,line\nfar/plain/0,"No.\n', "is no CSV: unexpected end of data"),
        (b"cell,line,repeat\nfar/plain/0,No.,often\n", "lines:2: is no row of a transcript"),
    ],
)  # fmt: skip
def test_a_transcript_that_cannot_be_used_says_where_and_why(raw: bytes, why: str) -> None:
    with pytest.raises(StoryFileError) as refused:
        read(raw)
    assert why in str(refused.value)


async def blank(**settings) -> list[Recorded]:
    story = a_story()
    _, cells = plan(story.world, story.history, story.matrix, RunSettings(**settings))
    rows = blank_transcript(
        story.world, story.history, story.matrix, cells, repeats=settings.get("repeats", 1),
        open_uow=MemoryStores().open_uow, reading=READING, judging=JUDGING,
    )  # fmt: skip
    return [row async for row in rows]


async def scored(recorded: dict[str, Recorded], **settings):
    stores = MemoryStores()
    run = await a_run(stores, subject="transcript", transcript=recorded, **settings)
    await work(run, a_desk(stores, TranscriptResponder(run.settings.transcript)), Stop())
    cells = await all_cells(run.run_id, stores.probe_runs)
    return cells, verdict(summarise(run.planned, cells))


async def the_templates_own_lines(**settings) -> dict[str, Recorded]:
    """What the template speaker says to each cell, as if it had been said elsewhere."""
    stores = MemoryStores()
    run = await a_run(stores, **settings)
    await work(run, a_desk(stores), Stop())
    return {
        c.cell.name: Recorded(cell=c.cell.name, line=c.attempts[0].line, packet=c.packet_hash, responder="studio")
        for c in await all_cells(run.run_id, stores.probe_runs)
    }


async def test_the_template_has_a_row_for_every_repeat_of_every_cell_with_its_prompt() -> None:
    rows = await blank(only=ONLY, repeats=2)
    assert len(rows) == 12
    assert all(row.prompt and row.asked and row.packet and row.listener == "player" and not row.line for row in rows)
    assert {row.cell: row.packet for row in rows} == {
        key: row.packet for key, row in (await the_templates_own_lines(only=ONLY)).items()
    }


async def test_lines_said_elsewhere_come_to_what_they_would_have_come_to_here() -> None:
    cells, came = await scored(await the_templates_own_lines(only=ONLY), only=ONLY)
    assert came.code == MET, came.reason
    assert {a.responder for c in cells for a in c.attempts} == {"studio"}


async def test_a_missing_line_is_an_error_of_its_cell_once_and_the_run_is_not_to_be_trusted() -> None:
    recorded = await the_templates_own_lines(only=ONLY)
    gone = recorded.pop("two_scenes/owner_swap/1")
    cells, came = await scored(recorded, only=ONLY)
    assert (came.code, came.reason) == (UNTRUSTED, "1 of 6 cells broke, so the rest says too little")
    (broke,) = [c for c in cells if c.state is ResultState.ERROR]
    (tried,) = broke.attempts
    assert broke.cell.name == gone.cell
    assert tried.why == "two_scenes/owner_swap/1: the transcript has no line for its repeat 1"


async def test_a_line_that_was_said_on_another_packet_is_not_scored_on_this_one() -> None:
    recorded = await the_templates_own_lines(only=ONLY)
    recorded["next_turn/plain/0"] = Recorded(cell="next_turn/plain/0", line="No.", packet="0" * 40)
    cells, came = await scored(recorded, only=ONLY)
    assert came.code == UNTRUSTED
    (tried,) = cells[0].attempts
    assert f"its line was said on packet {'0' * 40}, and its packet is {cells[0].packet_hash} now" in tried.why


async def test_each_repeat_has_its_own_line_and_may_come_to_something_else() -> None:
    recorded = await the_templates_own_lines(only=("next_turn/plain/0",))
    again = {
        "next_turn/plain/0#2": Recorded(cell="next_turn/plain/0", repeat=2, line="Take the transmitter, it is yours.")
    }
    cells, _ = await scored(recorded | again, only=("next_turn/plain/0",), repeats=2)
    assert [a.state for a in cells[0].attempts] == [ResultState.PASS, ResultState.FAIL]


def test_every_column_of_the_csv_is_a_field_of_a_row() -> None:
    text = io.StringIO(newline="")
    csv.writer(text).writerow(COLUMNS)
    assert read_transcript(text.getvalue().encode(), "lines") == ()


async def test_what_a_real_small_model_said_is_scored_without_it_and_mostly_fails() -> None:
    file = RECORDED.parent / "maelin.demo.smollm2-135m.jsonl"
    cells = expand(a_story().matrix)
    recorded = matched(read_transcript(file.read_bytes(), file.name), cells, cells, repeats=1, file=file.name)
    assert missing(recorded, cells, repeats=1) == ()
    scored_cells, came = await scored(recorded)
    states = [c.state for c in scored_cells]
    assert (came.code, len(states)) == (MISSED, 36)
    assert states.count(ResultState.ERROR) == 0
    assert states.count(ResultState.FAIL) >= 20
    faults = {a.fault for c in scored_cells for a in c.attempts if a.state is ResultState.FAIL}
    assert faults <= {Fault.GENERATION, Fault.GAMEPLAY, Fault.VOICE}
