"""Hypothesis strategies: slots, endings, entries of every kind, and histories that a story could really have."""

from collections.abc import Callable, Sequence
from typing import Any

import msgspec
from hypothesis import strategies as st

from ledger_service.domain.entries import (
    Channel,
    Contradiction,
    Intensity,
    LedgerEntry,
    Source,
    SourceKind,
)
from ledger_service.domain.events import (
    Act,
    ActKind,
    CommitmentBroken,
    CommitmentFulfilled,
    CommitmentMade,
    Confirmed,
    ContradictionResolved,
    Corrected,
    Deed,
    DocumentRead,
    Eased,
    EntriesPosted,
    EntryDraft,
    FellUnconscious,
    Felt,
    GameEvent,
    GroupJoined,
    GroupLeft,
    Happened,
    Inferred,
    Moved,
    RelationshipChanged,
    SceneChanged,
    StateSet,
    TimePassed,
    Told,
    Utterance,
    Woke,
)
from ledger_service.domain.expiry import NEVER, AfterScenes, AfterTurns, AllOf, AnyOf, AtTick, Expiry, OnEvent
from ledger_service.domain.slots import Slot
from ledger_service.domain.story_time import StoryTime
from ledger_service.domain.visibility import SECRET, Knower
from tests.builders import (
    a_commitment,
    a_contradiction,
    a_hearsay,
    a_relationship_delta,
    a_residue,
    a_world,
    an_observation,
)

WORLD = a_world()
people = st.sampled_from(["player", "maelin", "orla", "tovi", "brun"])
places = st.sampled_from([p.id for p in WORLD.places])
event_names = st.sampled_from([e.name for e in WORLD.events])
channels = st.sampled_from([Channel.OPEN, Channel.PRIVATE, Channel.MUFFLED, Channel.BROADCAST])
scopes = st.one_of(people, st.sampled_from(["group:crew", "public"]))
statements = st.sampled_from(
    ["the relay is broken", "tovi took an apple", "the lamp went out", "a ship came in", "orla sold the boat"]
)
some_people = st.lists(people, max_size=3, unique=True).map(tuple)

slots = st.builds(
    Slot,
    subject=st.sampled_from(["apple", "apple", "apple", "tovi"]),
    predicate=st.sampled_from(
        ["killed_by", "killed_by", "is", "is", "married_to", "owns", "sold", "goes_as", "shines"]
    ),
    object=st.sampled_from(["tovi", "brun", "apple"]),
    polarity=st.sampled_from([True, True, True, False]),
    from_tick=st.sampled_from([None, None, None, 3]),
    until_tick=st.sampled_from([None, None, None, 9]),
)
maybe_slots = st.none() | slots

simple_endings: st.SearchStrategy[Expiry] = st.one_of(
    st.just(NEVER),
    st.builds(AtTick, st.integers(1, 12)),
    st.builds(AfterScenes, st.integers(1, 3)),
    st.builds(AfterTurns, st.integers(1, 3)),
    st.builds(OnEvent, event_names, st.just({}) | st.just({"force": 1})),
)
endings: st.SearchStrategy[Expiry] = simple_endings | st.builds(
    lambda kind, of: kind(tuple(of)), st.sampled_from([AnyOf, AllOf]), st.lists(simple_endings, min_size=1, max_size=2)
)

story_times = st.builds(StoryTime, tick=st.integers(0, 40), scene=st.integers(0, 5), turn=st.integers(0, 9))


def _fields(seq: int, who: list[str], **more: Any) -> dict[str, Any]:
    knowers = tuple(Knower(who=w, since_seq=seq) for w in who)
    return {"seq": seq, "knowers": knowers, **more}


@st.composite
def entries(draw: st.DrawFn, *, seqs: st.SearchStrategy[int] = st.integers(1, 30)) -> LedgerEntry:  # noqa: B008
    """An entry of any kind, with an id that no other is likely to have."""
    make: Callable[..., LedgerEntry] = draw(
        st.sampled_from([an_observation, a_hearsay, a_commitment, a_relationship_delta, a_residue, a_contradiction])
    )
    seq = draw(seqs)
    return make(
        **_fields(seq, draw(st.lists(scopes, min_size=1, max_size=3, unique=True))),
        entry_id=f"e{draw(st.integers(0, 10**12)):020x}",
        statement=draw(statements),
        at=draw(story_times),
        slot=draw(maybe_slots),
        expires=draw(endings),
        quarantined=draw(st.booleans()),
    )


drafts = st.builds(
    EntryDraft,
    kind=st.sampled_from(["observation", "hearsay"]),
    statement=statements,
    knowers=st.lists(scopes, min_size=1, max_size=2, unique=True).map(tuple),
    source=st.none() | st.just(Source(kind=SourceKind.WITNESSED, by="maelin")),
    slot=maybe_slots,
    unaware=st.just(()) | st.tuples(people),
    quarantined=st.booleans(),
    expires=endings,
)
acts = st.builds(Act, kind=st.sampled_from(list(ActKind)), statement=statements, slot=maybe_slots)
seen: dict[str, Any] = {"place": st.none() | places, "witnesses": st.none() | some_people, "channel": channels}
references = st.integers(0, 50).map(lambda n: f"#{n}")
"""Stand for an entry that is there when the event is posted; see `resolved`."""

_FULFILLED_WHEN = (
    "", "state.alarm == 1", "happened('storm')", "felt('maelin', 'joy')", "tick >= 4 && scene >= 1", "turn >= 2",
    "standing('maelin', 'player', 'honesty') >= 1.0", "event.name == 'storm' && event.force == 1", "!open('two')",
)  # fmt: skip
_BROKEN_WHEN = (
    "", "state.alarm == 2", "fulfilled('one')", "broken('two')", "knows('orla', 'one')", "event.name == 'moved'",
    "standing('orla', 'player', 'honesty') < 0.0", "hour == 6",
)  # fmt: skip

_promises: st.SearchStrategy[GameEvent] = st.builds(
    CommitmentMade, owner=people, to=people, name=st.sampled_from(["one", "two"]), statement=statements,
    fulfilled_when=st.sampled_from(_FULFILLED_WHEN), broken_when=st.sampled_from(_BROKEN_WHEN), expires=endings,
    **seen,
)  # fmt: skip
_claims: st.SearchStrategy[GameEvent] = st.one_of(
    st.builds(DocumentRead, reader=people, document=st.just("log"), statement=statements, slot=slots),
    st.builds(EntriesPosted, entries=st.lists(drafts, min_size=1, max_size=2).map(tuple)),
    st.builds(Told, teller=people, listener=people, entry_id=references, statement=statements),
)
_kinds: list[st.SearchStrategy[GameEvent]] = [
    st.builds(SceneChanged, place=st.none() | places),
    st.builds(TimePassed, hours=st.integers(1, 3)),
    st.builds(Moved, who=people, to=places),
    st.builds(
        Deed, actor=people, statement=statements, slot=maybe_slots, unaware=st.just(()) | st.tuples(people),
        expires=endings, disclosure=st.sampled_from([SECRET]) | st.just(Deed(actor="x", statement="x").disclosure),
        **seen,
    ),
    st.builds(Utterance, speaker=people, to=st.tuples(people), text=statements, acts=st.tuples(acts), **seen),
    st.builds(Told, teller=people, listener=people, entry_id=references, statement=statements, slot=maybe_slots),
    st.builds(Told, teller=people, listener=people, entry_id=references, statement=statements),
    st.builds(Told, teller=people, listener=people, statement=statements, slot=maybe_slots, expires=endings),
    st.builds(Inferred, who=people, statement=statements, slot=maybe_slots, derived_from=st.tuples(references)),
    st.builds(DocumentRead, reader=people, document=st.just("log"), statement=statements, slot=slots),
    st.builds(Happened, name=event_names, fields=st.just({}) | st.just({"force": 1}), **seen),
    st.builds(StateSet, state_key=st.just("alarm"), value=st.integers(0, 2)),
    _promises,
    st.builds(CommitmentFulfilled, commitment=st.sampled_from(["one", "two"]), **seen),
    st.builds(CommitmentBroken, commitment=st.sampled_from(["one", "two"]), **seen),
    st.builds(
        RelationshipChanged, who=people, towards=people, statement=statements, scope=st.just("honesty"),
        amount=st.sampled_from([-1.0, 1.0]), expires=endings,
    ),
    st.builds(
        Felt, who=people, emotion=st.sampled_from(["joy", "shame"]), statement=statements, expires=endings,
        intensity=st.sampled_from(list(Intensity)),
    ),
    st.builds(Eased, who=people, emotion=st.sampled_from(["", "joy"])),
    st.builds(Corrected, entry_id=references, statement=st.none() | statements, reason=st.just("wrong"), **seen),
    st.builds(
        ContradictionResolved, contradiction=references, winner=st.none() | references, reason=st.just("checked")
    ),
    st.builds(Confirmed, entry_id=references),
    st.builds(EntriesPosted, entries=st.lists(drafts, min_size=1, max_size=2).map(tuple)),
    st.builds(GroupJoined, who=people, group=st.just("crew")),
    st.builds(GroupLeft, who=people, group=st.just("crew")),
    st.builds(FellUnconscious, who=people),
    st.builds(Woke, who=people),
]  # fmt: skip
events: st.SearchStrategy[GameEvent] = st.one_of(*_kinds)
histories = st.lists(st.one_of(_claims, events, events), min_size=6, max_size=24)


_kept: st.SearchStrategy[GameEvent] = st.builds(
    CommitmentMade, owner=people, to=people, name=st.sampled_from(["one", "two"]), statement=statements,
    fulfilled_when=st.sampled_from(_FULFILLED_WHEN), broken_when=st.sampled_from(_BROKEN_WHEN),
)  # fmt: skip
_settling: st.SearchStrategy[GameEvent] = st.one_of(
    st.builds(StateSet, state_key=st.just("alarm"), value=st.integers(1, 2)),
    st.builds(Happened, name=st.just("storm"), fields=st.just({}) | st.just({"force": 1})),
    st.builds(Felt, who=st.just("maelin"), emotion=st.just("joy"), statement=statements),
    st.builds(
        RelationshipChanged, who=st.sampled_from(["maelin", "orla"]), towards=st.just("player"), statement=statements,
        scope=st.just("honesty"), amount=st.sampled_from([-1.0, 1.0]),
    ),
    st.builds(TimePassed, hours=st.integers(1, 3)),
    st.builds(Moved, who=people, to=places),
    st.builds(Utterance, speaker=people, to=st.tuples(people), text=statements),
    st.builds(SceneChanged),
)  # fmt: skip
promising = st.lists(st.one_of(_kept, _kept, _settling, _settling, _settling, events), min_size=8, max_size=18)
"""Histories of promises, and of what keeps and breaks them."""
_changing = st.builds(
    Slot, subject=st.just("apple"), predicate=st.sampled_from(["is", "is", "killed_by"]),
    object=st.sampled_from(["tovi", "brun"]),
)  # fmt: skip
_said = st.builds(Act, kind=st.sampled_from(list(ActKind)), statement=statements, slot=_changing)
disputing = st.lists(
    st.one_of(
        st.builds(DocumentRead, reader=people, document=st.just("log"), statement=statements, slot=_changing),
        st.builds(Deed, actor=people, statement=statements, slot=_changing),
        st.builds(Told, teller=people, listener=people, statement=statements, slot=_changing),
        st.builds(Utterance, speaker=people, to=st.tuples(people), text=statements, acts=st.tuples(_said)),
        _claims,
    ),
    min_size=4, max_size=12,
)  # fmt: skip
"""Histories in which what was seen, read, told and said is about the same few things."""


def resolved(event: GameEvent, there: Sequence[LedgerEntry]) -> GameEvent | None:
    """Let references stand for entries that are there and that the event can be about; None where there are none."""
    match event:
        case Told(entry_id=str(name)):
            told = _pick(there, name)
            teller = (
                next((k.who for k in told.knowers if ":" not in k.who and k.who != "public"), None) if told else None
            )
            return msgspec.structs.replace(event, entry_id=told.entry_id, teller=teller) if told and teller else None
        case Inferred(derived_from=(name,)):
            known = _pick([e for e in there if event.who in {k.who for k in e.knowers}], name)
            return msgspec.structs.replace(event, derived_from=(known.entry_id,) if known else ())
        case ContradictionResolved(contradiction=name, winner=side):
            open_ = _pick([e for e in there if isinstance(e, Contradiction)], name)
            if not isinstance(open_, Contradiction):
                return None
            winner = None if side is None else open_.members[int(side[1:]) % len(open_.members)]
            return msgspec.structs.replace(event, contradiction=open_.entry_id, winner=winner)
        case Corrected(entry_id=name):
            old = _pick(there, name)
            return msgspec.structs.replace(event, entry_id=old.entry_id) if old else None
        case Confirmed(entry_id=name):
            draft = _pick([e for e in there if e.quarantined], name)
            return msgspec.structs.replace(event, entry_id=draft.entry_id) if draft else None
        case _:
            return event


def _pick(there: Sequence[LedgerEntry], reference: str) -> LedgerEntry | None:
    return there[int(reference[1:]) % len(there)] if there else None
