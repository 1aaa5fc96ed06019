"""What an outside memory returned, as a packet: which entries it is, what it adds and what it leaves out."""

import pytest

from ledger_service.domain.amendments import Amendment
from ledger_service.domain.candidates import Candidates
from ledger_service.domain.entries import Status
from ledger_service.domain.memory_contract import MemoryItem, ended, told
from ledger_service.domain.packets import Reason
from ledger_service.domain.rubric import Code, Finding
from ledger_service.domain.story_time import StoryTime
from ledger_service.domain.visibility import SECRET, Disclosure, DisclosureMode, Knower
from ledger_service.probing.recall_figures import RecalledCell, codes_of, figures_of
from ledger_service.reconcile.recalled import identified, recalled
from tests.builders import a_commitment, a_hearsay, a_moment, a_residue, a_state, an_observation
from tests.speaking import a_stage

MAST = an_observation(entry_id="e1", statement="the mast is iced over", seq=1)
SENSOR = a_hearsay(entry_id="e2", statement="the sensor lies under the bridge", teller="teo", seq=2)
CODE = an_observation(entry_id="e3", statement="the code of the vault is seven", disclosure=SECRET, seq=3)
OTHERS = an_observation(entry_id="e4", statement="teo owes the supervisor money", knowers=(Knower(who="teo"),), seq=4)
ALL = (MAST, SENSOR, CODE, OTHERS)


def item(text: str = "", name: str = "") -> MemoryItem:
    return MemoryItem(id=name, text=text)


@pytest.mark.parametrize(
    ("returned", "entries"),
    [
        ([item(name="e2"), item(name="e1")], ["e2", "e1"]),
        ([item("The mast is iced over!")], ["e1"]),
        ([item("the mast is iced over again")], ["e1"]),
        ([item("the mast is iced over", name="unknown id")], ["e1"]),
        ([item(name="e1"), item("the mast is iced over"), item(name="e1")], ["e1"]),
        ([], []),
    ],
)
def test_an_item_is_the_entry_of_its_id_else_of_its_words(returned: list[MemoryItem], entries: list[str]) -> None:
    assert identified(returned, ALL) == (entries, [])


def test_what_is_in_no_entry_is_strange() -> None:
    returned = [item("the player likes tea"), item(name="e99"), item("the"), item(name="e1")]
    assert identified(returned, ALL) == (["e1"], ["the player likes tea", "e99", "the"])


def test_of_two_entries_with_the_same_words_the_newest_is_meant() -> None:
    again = an_observation(entry_id="e9", statement="the mast is iced over now", seq=9)
    older = an_observation(entry_id="e8", statement="now the mast is iced over", seq=8)
    assert identified([item("is the mast iced over?")], (older, again, SENSOR)) == (["e9"], [])


def packet(*returned: str):
    candidates = Candidates(entries=ALL, amendments=(), world=a_stage(), state=a_state())
    return recalled(candidates, a_moment(speaker="maelin", audience=("player",), line="Is the mast iced?"), returned)


def test_the_packet_holds_what_was_returned_in_its_order_and_nothing_else() -> None:
    built = packet("e2", "e1", "gone long ago")
    assert [(s.entry_id, s.rank) for s in built.selected] == [("e2", 1), ("e1", 2)]
    assert built.selected[0].teller == "teo"
    assert built.flags == ()


def test_what_it_returned_though_it_may_not_be_said_is_in_the_packet_for_all_to_see() -> None:
    built = packet("e3", "e4")
    assert [s.entry_id for s in built.selected] == ["e3", "e4"]
    assert (built.act_only, {w.entry_id for w in built.withheld}) == ((), {"e1", "e2"})


def test_what_it_did_not_return_is_withheld_for_the_ledgers_reason_or_as_not_returned() -> None:
    built = packet()
    assert [a.entry_id for a in built.act_only] == ["e3"]
    reasons = {w.entry_id: (w.reason, w.detail) for w in built.withheld}
    assert reasons["e1"] == (Reason.OFF_TOPIC, "the memory did not return it")
    assert reasons["e4"][0] is Reason.NOT_VISIBLE


def test_an_entry_is_told_with_who_knows_it_and_whom_it_may_be_said_to() -> None:
    gate = Disclosure(mode=DisclosureMode.GUARDED, to=("teo",))
    said = told(a_commitment(entry_id="e5", owner="player", to="maelin", disclosure=gate, unaware=("supervisor",)))
    assert (said.id, said.kind, said.owner, said.disclosure, said.to, said.unaware) == (
        "e5", "commitment", "player", "guarded", ("teo",), ("supervisor",),
    )  # fmt: skip
    assert told(SENSOR).by == "teo"
    assert told(MAST).owner is None
    assert [k.who for k in told(OTHERS).knowers] == ["teo"]


@pytest.mark.parametrize(
    ("status", "entry", "gone"),
    [
        (Status.SUPERSEDED, MAST, True),
        (Status.EXPIRED, MAST, True),
        (Status.FULFILLED, a_commitment(), False),
        (Status.LAPSED, a_commitment(), False),
        (Status.LAPSED, a_residue(), True),
        (Status.LAPSED, None, False),
    ],
)
def test_an_ending_says_whether_anybody_may_still_draw_on_it(status: Status, entry, gone: bool) -> None:
    became = Amendment(entry_id="e1", status=status, cause_seq=7, at=StoryTime(tick=3), reason="its time came")
    said = ended(became, entry)
    assert (said.gone, said.status, said.seq, said.tick, said.why) == (gone, str(status), 7, 3, "its time came")


def test_figures_add_up_what_each_cell_lacks_and_shows() -> None:
    def cell(name: str, *found: Code, **more) -> RecalledCell:
        return RecalledCell(cell=name, **({"wanted": 2, "held": 2, "returned": 4} | more), found=found)

    shown = figures_of(
        "other",
        [
            cell("a"),
            cell("b", Code.MISSING_FLAG, milliseconds=8.0),
            cell("c", Code.MISSING_ENTRY, Code.SECRET_SELECTED, held=1, returned=0),
            cell("d", Code.STALE_SELECTED, Code.NOISE_SELECTED, Code.MISSING_FLAG, strange=3),
        ],
    )
    assert (shown.cells, shown.held, shown.wanted, shown.recall) == (4, 7, 8, 0.875)
    assert (shown.hidden, shown.over, shown.unwanted, shown.flagless) == (1, 1, 1, 2)
    assert (shown.right, shown.passed, shown.items, shown.strange, shown.milliseconds) == (2, 1, 3.0, 3, 2.0)


def test_a_memory_that_was_asked_nothing_lacks_nothing() -> None:
    assert (figures_of("other", []).recall, figures_of("other", []).items) == (1.0, 0.0)
    twice = [Finding(code=Code.LEAK, explanation="it leaks")] * 2
    assert codes_of(twice) == (Code.LEAK,)
