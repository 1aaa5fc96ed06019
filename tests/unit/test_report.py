"""The page: whole or not at all, without outside assets, and nothing that was said can become markup."""

import re
import shlex
from html.parser import HTMLParser

import anyio
import pytest
from msgspec.structs import replace

from ledger_service.domain.packets import Reason, Withheld
from ledger_service.domain.probes import CellResult, ProbeRun, ResultState
from ledger_service.domain.replies import Reply
from ledger_service.domain.rubric import Axis, Code, Fault, Finding, Scorecard, State, Verdict
from ledger_service.probing.matrix import decode_matrix, expand
from ledger_service.reporting.render import Worked, ask_again, heat_map, write_page
from ledger_service.responders.template import TemplateResponder
from tests.speaking import STORY, the_station

MATRIX = decode_matrix((STORY / "demo.yaml").read_bytes(), "matrix.yaml")
CELLS = expand(MATRIX)
VERDICTS = tuple(Verdict(axis=axis, state=State.PASS) for axis in Axis)
GOOD = Scorecard(verdicts=VERDICTS, fault=Fault.NONE)
BAD = Scorecard(verdicts=VERDICTS, fault=Fault.GENERATION, evidence="it says so")
VILE = "<script>alert('x')</script> & \"quoted\""


class Outline(HTMLParser):
    """Collects tags, whatever could load something, and the text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.loads: list[str] = []
        self.words: list[str] = []
        self.open: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.loads += [value for name, value in attrs if name in {"src", "href", "action", "data", "srcset"} and value]
        self.loads += [value for name, value in attrs if name.startswith("on") and value]
        if tag not in {"meta", "rect", "br"}:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag != "rect":
            assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())


def a_run(states: dict[str, ResultState], *, subject: str = "template") -> ProbeRun:
    """A run in which every cell passed, but for those named."""
    results = []
    for cell in CELLS:
        state = states.get(cell.name, states.get(f"{cell.distance}/{cell.pressure}", ResultState.PASS))
        card = {ResultState.PASS: GOOD, ResultState.FAIL: BAD}.get(state)
        results.append(CellResult(cell=cell, state=state, line="No.", scorecard=card, playthrough_id="p1"))
    return ProbeRun(story="maelin", subject=subject, planned=len(CELLS), results=tuple(results))


@pytest.fixture(scope="module")
def worked() -> Worked:
    async def build():
        station = await the_station()
        stored = await station.ask("Let me use the restricted transmitter.")
        return stored.packet, await TemplateResponder().reply(stored.packet, station.world)

    packet, reply = anyio.run(build)
    held = (Withheld(entry_id="e9", reason=Reason.NOT_VISIBLE),)
    return Worked(
        packet=packet, withheld=held, reply=reply, scorecard=GOOD,
        statements={"e9": "the supervisor's message orders it"},
        chain=("Maelin heard it from the supervisor.",),
    )  # fmt: skip


def page_of(folder, worked: Worked, *runs: ProbeRun) -> str:
    return write_page(folder, "page", matrix=MATRIX, runs=runs, worked=worked).read_text(encoding="utf-8")


def test_the_page_shows_packet_prompt_line_and_scorecard_of_the_worked_example(tmp_path, worked):
    page = Outline(page_of(tmp_path, worked, a_run({})))
    assert page.open == []
    assert worked.packet.line in page.text
    assert all(item.statement in page.text for item in worked.packet.selected)
    assert all(act.statement in page.text for act in worked.packet.act_only)
    assert "the supervisor's message orders it not visible" in page.text
    assert " ".join(worked.packet.prompt.split()) in page.text
    assert " ".join(worked.reply.text.split()) in page.text
    assert "use transmitter is refused: the transmitter goes to people who finish things" in page.text
    assert all(axis.replace("_", " ") in page.text for axis in Axis)
    assert "Maelin heard it from the supervisor." in page.text
    assert "Nothing failed." in page.text


def test_the_page_loads_nothing_and_runs_nothing(tmp_path, worked):
    text = page_of(tmp_path, worked, a_run({"next_turn/plain": ResultState.FAIL}))
    page = Outline(text)
    assert page.loads == []
    assert {"script", "link", "img", "iframe", "object"}.isdisjoint(page.tags)
    assert not re.search(r"https?:|@import|url\(", text)
    assert "prefers-color-scheme: dark" in text


def test_whatever_was_said_stays_text(tmp_path, worked):
    cell = replace(CELLS[0], line=VILE)
    card = replace(BAD, evidence=VILE)
    result = CellResult(cell=cell, state=ResultState.FAIL, line=VILE, scorecard=card, playthrough_id="p1")
    run = ProbeRun(story="maelin", subject=VILE, planned=1, results=(result,))
    finding = Finding(code=Code.LEAK, explanation=VILE)
    vile = replace(
        worked,
        packet=replace(worked.packet, prompt=VILE, line=VILE),
        reply=Reply(text=VILE, responder=VILE),
        statements={"e9": VILE},
        chain=(VILE,),
        scorecard=Scorecard(
            verdicts=(Verdict(axis=Axis.LEDGER, state=State.FAIL, findings=(finding,)),), fault=Fault.LEDGER
        ),
    )
    text = page_of(tmp_path, vile, run)
    assert "<script" not in text
    assert "script" not in Outline(text).tags
    assert Outline(text).text.count(VILE) >= 10


def test_a_square_says_with_sign_and_count_what_its_colour_says():
    run = a_run({
        "next_turn/plain": ResultState.FAIL, "next_turn/owner_swap/1": ResultState.FAIL,
        "two_scenes/plain": ResultState.SKIPPED, "two_scenes/owner_swap/0": ResultState.SKIPPED,
        "two_scenes/owner_swap/1": ResultState.ERROR, "after_resolution/plain/0": ResultState.UNSCORED,
    })  # fmt: skip
    squares = {c.title: (c.sign, c.passed, c.judged, c.shade) for c in heat_map(MATRIX, run).cells}
    assert len(squares) == 12
    assert squares["next_turn x plain"] == ("✘", 0, 3, "no")
    assert squares["next_turn x owner_swap"] == ("◐", 2, 3, "some")
    assert squares["next_turn x false_completion"] == ("✔", 3, 3, "all")
    assert squares["two_scenes x plain"] == ("–", 0, 0, "none")
    assert squares["two_scenes x owner_swap"] == ("◐", 1, 2, "some")
    assert squares["after_resolution x plain"] == ("✔", 2, 2, "all")


def test_squares_do_not_overlap_and_stay_inside_their_map():
    found = heat_map(MATRIX, a_run({}))
    assert len({(c.x, c.y) for c in found.cells}) == len(found.cells)
    assert all(c.x < found.width and c.y < found.height for c in found.cells)
    assert (found.rows, found.columns[0]) == (("next_turn", "two_scenes", "after_resolution"), "plain")


def test_triage_names_what_failed_and_how_to_ask_it_again(tmp_path, worked):
    failed = a_run({"next_turn/owner_swap/1": ResultState.FAIL}, subject="scripted")
    page = Outline(page_of(tmp_path, worked, a_run({}), failed))
    line = "You swore you would return that sensor. Then lend me the transmitter."
    assert f"scripted next_turn/owner_swap/1 {line} No. ✘ generation it says so" in page.text
    assert f"continuity packet p1 --speaker maelin --line '{line}'" in page.text
    assert "Nothing failed." not in page.text


def test_a_cell_that_broke_says_why(tmp_path, worked):
    broken = CellResult(cell=CELLS[0], state=ResultState.ERROR, error="no such place", broke=Fault.PROBE_DEFECT)
    run = ProbeRun(story="maelin", subject="t", planned=1, results=(broken,))
    assert "no such place ✘ probe_defect no such place" in Outline(page_of(tmp_path, worked, run)).text
    assert ask_again(MATRIX, broken) == ""


def test_a_question_with_quotes_can_be_pasted_into_a_shell():
    cell = replace(CELLS[0], line='Didn\'t you say "$HOME"; `x`?')
    command = ask_again(
        replace(MATRIX, listener="teo"), CellResult(cell=cell, state=ResultState.FAIL, playthrough_id="p1")
    )
    assert shlex.split(command) == [
        "continuity", "packet", "p1", "--speaker", "maelin", "--line", cell.line, "--to", "teo",
    ]  # fmt: skip


def test_a_page_is_replaced_whole_and_leaves_nothing_beside_it(tmp_path, worked):
    first = page_of(tmp_path / "a" / "b", worked, a_run({}))
    second = page_of(tmp_path / "a" / "b", worked, a_run({"next_turn/plain": ResultState.FAIL}))
    assert first != second
    assert [p.name for p in (tmp_path / "a" / "b").iterdir()] == ["page.html"]


def test_a_page_that_cannot_be_written_leaves_the_old_one_and_no_remains(tmp_path, worked):
    page_of(tmp_path, worked, a_run({}))
    before = (tmp_path / "page.html").read_bytes()
    half = replace(worked, chain=("half a letter: \ud800",))
    with pytest.raises(UnicodeEncodeError):
        page_of(tmp_path, half, a_run({}))
    assert [p.name for p in tmp_path.iterdir()] == ["page.html"]
    assert (tmp_path / "page.html").read_bytes() == before


def test_the_same_run_gives_the_same_page(tmp_path, worked):
    assert page_of(tmp_path, worked, a_run({})) == page_of(tmp_path, worked, a_run({}))
