"""What holds of notices in every history: read once each, by whoever was there while it hung, however events come."""

from hypothesis import given, settings
from hypothesis import strategies as st

from ledger_service.domain.entries import LedgerEntry, Observation, SourceKind
from ledger_service.domain.events import Deed, GameEvent, Happened, HourPassed, Moved, StateSet, TimePassed
from ledger_service.domain.worlds import DeclaredEvent, Notice, World
from tests.playing import Play
from tests.villages import RUNGS, a_village, somebody

PEOPLE = ("ilsa", "odo", "pip", "mira")
events = st.one_of(
    st.just(HourPassed()),
    st.builds(TimePassed, hours=st.integers(1, 30)),
    st.builds(Moved, who=st.sampled_from((*PEOPLE, "player")), to=st.sampled_from(("gate", "inn"))),
    st.builds(StateSet, state_key=st.just("alarm"), value=st.booleans()),
    st.just(Happened(name="pardon")),
    st.builds(
        Deed, actor=st.just("player"), statement=st.sampled_from(RUNGS), ladder=st.just("theft"),
        subject=st.just("player"), witnesses=st.sampled_from((("ilsa",), ("odo",))),
    ),
)  # fmt: skip
histories = st.lists(events, min_size=1, max_size=9)


def the_world() -> World:
    cast = (
        somebody("ilsa", ("gate", 9)), somebody("odo", ("gate", 3), ("inn", 4)), somebody("pip", ("inn", 4)),
        somebody("mira", ("gate", 5), ("inn", 6)),
    )  # fmt: skip
    return a_village(
        cast,
        {("pip", "odo"): 0.9, ("ilsa", "mira"): 0.8},
        events=(DeclaredEvent(name="pardon"),),
        state={"alarm": False},
        notices=(
            Notice(
                id="wanted", place="gate", by="ilsa", ladder="theft", rung=3, subject="player",
                post_when="opinion('ilsa') <= -0.3", remove_when="event.name == 'pardon'",
            ),
            Notice(id="alarm", place="inn", text="stay in", post_when="state.alarm", remove_when="!state.alarm"),
        ),
    )  # fmt: skip


def played(history: list[GameEvent], *, at_once: bool) -> Play:
    play = Play(the_world(), seed=3)
    for batch in [history] if at_once else [[event] for event in history]:
        play.record(*batch)
    return play


def hung_and_read(entries: tuple[LedgerEntry, ...]) -> tuple[list[Observation], list[LedgerEntry]]:
    hung = [e for e in entries if isinstance(e, Observation) and e.notice is not None]
    return hung, [e for e in entries if e.source.kind is SourceKind.DOCUMENT]


@settings(max_examples=60)
@given(history=histories)
def test_the_same_history_leaves_the_same_at_once_and_one_by_one(history: list[GameEvent]) -> None:
    assert played(history, at_once=True).all() == played(history, at_once=False).all()


@settings(max_examples=60)
@given(history=histories)
def test_a_notice_is_read_once_by_each_while_it_hangs_and_never_by_who_put_it_up(history: list[GameEvent]) -> None:
    play = played(history, at_once=True)
    entries, amendments = play.all()
    hung, read = hung_and_read(entries)
    ended = {a.entry_id: a.cause_seq for a in amendments if a.status == "ended"}
    stood = {e.entry_id: (e.seq, ended.get(e.entry_id)) for e in hung}
    readers = [(e.root, e.knowers[0].who) for e in read]
    assert len(readers) == len(set(readers))
    for entry in read:
        put_up, down = stood[entry.root]
        assert put_up < entry.seq
        assert down is None or entry.seq <= down
        assert (entry.source.by, entry.knowers[0].who) != ("wanted", "ilsa")
    assert all(len([e for e in hung if e.notice == n and e.entry_id not in ended]) <= 1 for n in ("wanted", "alarm"))


@settings(max_examples=60)
@given(history=histories, data=st.data())
def test_a_branch_goes_on_as_the_trunk_did(history: list[GameEvent], data: st.DataObject) -> None:
    trunk = played(history, at_once=True)
    cut = data.draw(st.integers(0, len(history)))
    branch = trunk.fork(at_seq=cut + 1)
    for event in history[cut:]:
        branch.record(event)
    assert branch.all() == trunk.all()
