"""Bad input is a named error, and nothing of it is written."""

from typing import Any

import pytest

from ledger_service.domain.entries import Source, SourceKind, Status
from ledger_service.domain.errors import (
    ConditionError,
    ContentError,
    EmptyScopeError,
    LedgerError,
    OutOfOrderError,
    ProvenanceCycleError,
    UndeclaredError,
    UnknownCharacterError,
    UnknownEntryError,
    UnknownWorldError,
)
from ledger_service.domain.events import (
    CommitmentFulfilled,
    CommitmentMade,
    Deed,
    Eased,
    EntriesPosted,
    EntryDraft,
    Felt,
    GameEvent,
    GroupJoined,
    Happened,
    Inferred,
    Moved,
    RelationshipChanged,
    Reviewed,
    SceneChanged,
    StateSet,
    TimePassed,
    Told,
    Utterance,
    WorldChanged,
)
from ledger_service.domain.expiry import (
    NEVER,
    AfterScenes,
    AfterTurns,
    AllOf,
    AnyOf,
    AtTick,
    Expiry,
    OnEvent,
)
from ledger_service.domain.ids import entry_id_of
from ledger_service.domain.ledger import standing
from ledger_service.domain.slots import Slot
from ledger_service.domain.visibility import Disclosure, DisclosureMode
from ledger_service.services.playthroughs.open_playthrough import add_world
from tests.builders import a_relationship_delta, a_slot, a_world
from tests.playing import Play


def a_deed(**overrides: Any) -> Deed:
    return Deed(**{"actor": "maelin", "statement": "maelin waves", **overrides})


def a_promise(**overrides: Any) -> CommitmentMade:
    return CommitmentMade(**{"owner": "player", "to": "maelin", "statement": "player will pay", **overrides})


def a_post(**overrides: Any) -> EntriesPosted:
    given = {"kind": "observation", "statement": "the mast fell", "knowers": ("maelin",)}
    return EntriesPosted(entries=(EntryDraft(**{**given, **overrides}),))


def refused(event: GameEvent, *, play: Play | None = None) -> LedgerError:
    """Post an event behind a good one, and see that neither was written."""
    play = play or Play()
    before = play.state()
    with pytest.raises(LedgerError) as caught:
        play.record(a_deed(), event)
    assert play.state() == before
    assert all(e.seq <= before.seq for e in play.all()[0])
    return caught.value


@pytest.mark.parametrize(
    "event",
    [
        a_deed(actor="nobody"),
        a_deed(target="nobody"),
        a_deed(witnesses=("nobody",)),
        a_deed(unaware=("nobody",)),
        a_deed(disclosure=Disclosure(mode=DisclosureMode.GUARDED, to=("nobody",))),
        Utterance(speaker="nobody", to=("maelin",), text="boo"),
        Utterance(speaker="maelin", to=("nobody",), text="boo"),
        Told(teller="maelin", listener="nobody", statement="boo"),
        Moved(who="nobody", to="mast"),
        a_promise(to="nobody"),
        RelationshipChanged(who="maelin", towards="nobody", statement="x", scope="s", amount=1),
        a_post(knowers=("nobody",)),
        a_post(said_to=("nobody",)),
        a_post(kind="commitment", owner="nobody", to="maelin"),
    ],
)
def test_a_character_whom_the_world_does_not_have(event: GameEvent) -> None:
    error = refused(event)
    assert isinstance(error, UnknownCharacterError)
    assert "the cast is player, maelin" in str(error)


@pytest.mark.parametrize(
    ("event", "what"),
    [
        (Moved(who="maelin", to="nowhere"), "place"),
        (a_deed(place="nowhere"), "place"),
        (SceneChanged(place="nowhere"), "place"),
        (a_post(place="nowhere"), "place"),
        (GroupJoined(who="brun", group="nobodies"), "group"),
        (a_post(knowers=("group:nobodies",)), "group"),
        (StateSet(state_key="nonsense", value=1), "state key"),
        (Happened(name="never_declared"), "event"),
        (a_promise(trigger="never_declared"), "event"),
        (a_deed(expires=OnEvent("never_declared")), "event"),
        (Felt(who="maelin", emotion="joy", statement="joy", expires=AllOf((OnEvent("never_declared"),))), "event"),
    ],
)
def test_a_name_that_is_declared_nowhere(event: GameEvent, what: str) -> None:
    error = refused(event)
    assert isinstance(error, UndeclaredError)
    assert error.what == what


@pytest.mark.parametrize(
    "event",
    [
        Utterance(speaker="maelin", to=(), text="to nobody"),
        Utterance(speaker="maelin", to=("",), text="to nobody"),
        a_deed(witnesses=("",)),
        a_post(knowers=("",)),
    ],
)
def test_an_empty_scope_never_means_everybody(event: GameEvent) -> None:
    assert isinstance(refused(event), EmptyScopeError)


def test_an_event_that_claims_an_earlier_time() -> None:
    play = Play()
    play.record(TimePassed(hours=10))
    assert isinstance(refused(a_deed(tick=9), play=play), OutOfOrderError)
    assert play.record(a_deed(tick=10))[0].at.tick == 10


@pytest.mark.parametrize("owner", ["", None])
def test_a_commitment_without_an_owner(owner: str | None) -> None:
    error = refused(a_post(kind="commitment", owner=owner, to="maelin"))
    assert isinstance(error, ContentError)
    assert error.path == "entries[0].owner"
    assert isinstance(refused(a_promise(owner="")), ContentError)


@pytest.mark.parametrize("confidence", [1.2, -0.1, float("nan"), float("inf")])
def test_a_confidence_that_is_none(confidence: float) -> None:
    events = (
        a_post(confidence=confidence),
        Told(teller="orla", listener="tovi", statement="a ship", confidence=confidence),
        Inferred(who="orla", statement="a ship", confidence=confidence),
    )
    for event in events:
        error = refused(event)
        assert isinstance(error, ContentError)
        assert error.path.endswith("confidence")


@pytest.mark.parametrize("text", ["a\x00b", "half \ud800 a pair", "\udfff"])
def test_text_that_no_store_can_keep(text: str) -> None:
    events = {
        "event.statement": a_deed(statement=text),
        "event.about[1]": a_deed(about=("fine", text)),
        "event.slot.object": a_deed(slot=a_slot(object_=text)),
        "event.entries[0].reason": a_post(reason=text),
        "event.value": StateSet(state_key="alarm", value=text),
        "event.key": a_deed(key=text),
        "event.fields": Happened(name="storm", fields={text: 1}),
    }
    for path, event in events.items():
        error = refused(event)
        assert isinstance(error, ContentError)
        assert error.path == path


@pytest.mark.parametrize("text", ["   ", "\u200b\u202e", "\u2060", "\u3164", "\ufe0f\u0301", "\u00ad \u2800"])
def test_text_of_which_nothing_is_to_be_seen_is_blank(text: str) -> None:
    for event in (
        a_deed(statement=text),
        Told(teller="maelin", listener="orla", statement=text),
        a_post(statement=text),
    ):
        error = refused(event)
        assert isinstance(error, ContentError)
        assert "is blank" in str(error)


def test_text_with_marks_and_joiners_in_it_is_text() -> None:
    play = Play()
    for text in ("cafe\u0301", "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645", "\u2764\ufe0f", "-"):
        (entry,) = play.left_by(a_deed(statement=text))
        assert entry.statement == text


@pytest.mark.parametrize("value", [float("nan"), float("-inf"), 2**53 + 1])
def test_a_number_that_no_store_can_keep(value: float) -> None:
    assert isinstance(refused(StateSet(state_key="alarm", value=value)), ContentError)
    assert isinstance(refused(Happened(name="storm", fields={"force": value})), ContentError)


@pytest.mark.parametrize(
    "condition", ["nonsense('x')", "x.all(y, true)", "[1,2].map(i, i * 2) == []", "standing(", "unknown_name > 1"]
)
def test_a_condition_that_cannot_be_judged(condition: str) -> None:
    gate = Disclosure(mode=DisclosureMode.GUARDED, when=condition)
    events = (
        a_promise(fulfilled_when=condition),
        a_promise(broken_when=condition),
        a_deed(disclosure=gate),
        a_post(disclosure=gate),
    )
    for event in events:
        assert isinstance(refused(event), ConditionError)


def test_an_ending_that_can_never_come() -> None:
    play = Play()
    play.record(TimePassed(hours=10))
    for event in (
        a_deed(expires=AtTick(10)),
        a_deed(expires=AtTick(3)),
        a_deed(tick=20, expires=AtTick(15)),
        a_promise(due=10),
        a_promise(expires=AtTick(9)),
        a_post(expires=AtTick(10)),
    ):
        error = refused(event, play=play)
        assert isinstance(error, ContentError)
        assert "already past" in str(error)
    play.record(a_deed(expires=AtTick(11)))


def test_nobody_both_knows_it_and_must_not() -> None:
    for event in (
        a_deed(unaware=("maelin",)),
        a_deed(witnesses=("orla",), unaware=("orla",)),
        a_post(unaware=("maelin",)),
        a_post(knowers=("group:crew",), unaware=("orla",)),
        a_post(knowers=("public",), unaware=("orla",)),
    ):
        error = refused(event)
        assert isinstance(error, ContentError)
        assert error.path.endswith("unaware")


@pytest.mark.parametrize(
    ("slot", "path"),
    [
        (a_slot(subject=""), "slot.subject"),
        (a_slot(object_="x" * 201), "slot.object"),
        (a_slot(from_tick=9, until_tick=9), "slot"),
        (a_slot(from_tick=-1), "slot"),
        (a_slot(until_tick=10**12), "slot"),
    ],
)
def test_a_slot_that_claims_nothing(slot: Slot, path: str) -> None:
    for event in (a_deed(slot=slot), a_post(slot=slot)):
        error = refused(event)
        assert isinstance(error, ContentError)
        assert error.path.endswith(path)


@pytest.mark.parametrize("field", ["derived_from", "supersedes", "members", "evidence", "origin"])
def test_an_entry_rests_only_on_what_was_there_before_it(field: str) -> None:
    kind = {"members": "contradiction", "evidence": "relationship_delta"}.get(field, "observation")
    more: dict[str, Any] = {"from_whom": "maelin", "to": "player", "scope": "s"} if field == "evidence" else {}
    holder = "maelin" if field == "evidence" else ""
    unknown, itself = "e" + "0" * 20, entry_id_of(seq=2, ordinal=1, holder=holder)
    for name, raised in ((unknown, UnknownEntryError), (itself, ProvenanceCycleError)):
        value = name if field == "origin" else (name, name)
        error = refused(a_post(kind=kind, **{field: value}, **more))
        expected = UnknownEntryError if field == "supersedes" else raised
        assert isinstance(error, expected), (field, error)


def test_nobody_concludes_from_what_they_do_not_know() -> None:
    play = Play()
    (seen,) = play.left_by(a_deed(witnesses=()))
    error = refused(Inferred(who="brun", statement="aha", derived_from=(seen.entry_id,)), play=play)
    assert isinstance(error, ContentError)
    assert "brun does not know" in str(error)


@pytest.mark.parametrize(
    "event",
    [
        CommitmentFulfilled(commitment="no such promise"),
        Eased(who="maelin", entry_id="e" + "0" * 20),
        Reviewed(entry_id="e" + "0" * 20, outcome=Status.RETRACTED, reason="x"),
    ],
)
def test_an_event_about_what_is_not_there(event: GameEvent) -> None:
    assert isinstance(refused(event), UnknownEntryError)


def test_a_review_that_is_none() -> None:
    play = Play()
    (seen,) = play.left_by(a_deed())
    event = Reviewed(entry_id=seen.entry_id, outcome=Status.FULFILLED, reason="x")
    assert isinstance(refused(event, play=play), ContentError)


@pytest.mark.parametrize(
    ("draft", "path"),
    [
        ({"kind": "rumour"}, "entries[0].kind"),
        ({"kind": "relationship_delta", "from_whom": "maelin", "to": "player"}, "entries[0].scope"),
        ({"kind": "emotional_residue", "holder": "maelin"}, "entries[0].emotion"),
        ({"kind": "contradiction"}, "entries[0].members"),
        ({"about": ("",)}, "entries[0].about"),
        ({"knowers": ()}, "entries[0].knowers"),
        ({"statement": ""}, "entries[0].statement"),
        ({"statement": "x" * 4_001}, "entries[0].statement"),
    ],
)
def test_a_draft_that_is_no_entry(draft: dict[str, Any], path: str) -> None:
    error = refused(a_post(**draft))
    assert isinstance(error, ContentError)
    assert error.path == path


def test_a_story_has_an_end() -> None:
    play = Play()
    play.record(a_deed(tick=99_999_999))
    assert isinstance(refused(TimePassed(hours=2), play=play), ContentError)


def test_a_world_goes_on_only_as_a_version_of_itself() -> None:
    play = Play()
    assert isinstance(refused(WorldChanged(world_version="station@nothing"), play=play), UnknownWorldError)
    other = play.ask(lambda _: add_world(a_world(id="moon"), open_uow=play.stores.open_uow))
    assert isinstance(refused(WorldChanged(world_version=other), play=play), ContentError)


def test_a_batch_is_neither_empty_nor_endless() -> None:
    play = Play()
    for events in ((), (a_deed(),) * 5_001):
        with pytest.raises(ContentError):
            play.record(*events)


def test_a_source_may_be_given_and_then_names_this_event() -> None:
    play = Play()
    (left,) = play.left_by(a_post(source=Source(kind=SourceKind.DOCUMENT, by="log")))
    assert (left.source.by, left.source.event_seq) == ("log", 1)


@pytest.mark.parametrize(
    ("expires", "said"),
    [
        (AllOf((NEVER, AtTick(9))), "never"),
        (AllOf((AtTick(9), AnyOf((NEVER, NEVER)))), "never"),
        (AnyOf((AllOf((NEVER, OnEvent("storm"))), NEVER)), "never"),
        (AtTick(100_000_001), "a story ends at tick 100000000"),
        (AtTick(2**31), "a story ends"),
        (AfterScenes(2**40), "a story ends"),
        (AfterTurns(100_000_001), "a story ends"),
        (AnyOf((AtTick(9), AfterScenes(2**40))), "a story ends"),
        (AnyOf(tuple(AtTick(9 + n) for n in range(51))), "51 endings"),
    ],
)
def test_an_ending_that_no_story_comes_to(expires: Expiry, said: str) -> None:
    felt = Felt(who="maelin", emotion="joy", statement="joy", expires=expires)
    for event in (a_deed(expires=expires), a_promise(expires=expires), a_post(expires=expires), felt):
        error = refused(event)
        assert isinstance(error, ContentError)
        assert error.path.endswith("expires")
        assert said in error.why


@pytest.mark.parametrize("expires", [NEVER, AnyOf((NEVER, AtTick(9))), AtTick(100_000_000), AllOf((AtTick(9),))])
def test_an_ending_that_can_come_is_kept(expires: Expiry) -> None:
    Play().record(a_deed(expires=expires))


@pytest.mark.parametrize(
    ("fields", "path"),
    [({"amount": n}, "amount") for n in (1e308, -1e308, 100.5, -101.0)]
    + [({"amount": 1.0, "cap": n}, "cap") for n in (-1.0, 1e7, 1e308)],
)
def test_a_shift_larger_than_any_or_a_bound_that_bounds_nothing(fields: dict[str, float], path: str) -> None:
    given = {"kind": "relationship_delta", "from_whom": "maelin", "to": "player", "scope": "reliability"}
    error = refused(a_post(**given, **fields))
    assert isinstance(error, ContentError)
    assert error.path == f"entries[0].{path}"
    posted = RelationshipChanged(who="maelin", towards="player", statement="x", scope="s", **{"amount": 1.0, **fields})
    assert isinstance(refused(posted), ContentError)


def test_a_standing_is_finite_whatever_is_summed() -> None:
    for amounts in ((1e308, -1e308, 1e308, 1e308), (1e308,) * 4, (-1e308,) * 4):
        total = standing([a_relationship_delta(amount=a, scope="s") for a in amounts], "maelin", "player", "s")
        assert abs(total) <= 400
    capped = [a_relationship_delta(amount=90.0, scope="s", cap=c) for c in (None, 1e308, 50.0)]
    assert standing(capped, "maelin", "player", "s") == 50.0


def test_what_puts_a_story_right_names_one_that_is_there() -> None:
    assert isinstance(refused(a_deed(corrects="e" + "0" * 20)), UnknownEntryError)
