"""What an event must satisfy before anything is written: known names, whole scopes, endings that can come."""

from collections.abc import Iterator

import msgspec

from ledger_service.domain.conditions import check_condition
from ledger_service.domain.entries import KINDS, Status
from ledger_service.domain.errors import ContentError, EmptyScopeError, UndeclaredError, UnknownCharacterError
from ledger_service.domain.events import (
    CommitmentMade,
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
    Reviewed,
    Seen,
    StateSet,
    Told,
    Utterance,
    Woke,
)
from ledger_service.domain.expiry import AtTick, Expiry, OnEvent, leaves
from ledger_service.domain.ids import ENGINE, GROUP_PREFIX, NARRATOR, PUBLIC
from ledger_service.domain.playthroughs import StoryState
from ledger_service.domain.visibility import Disclosure
from ledger_service.domain.worlds import World

_REVIEWS = frozenset({Status.RETRACTED, Status.SUSPENDED, Status.ACTIVE})


def check_event(event: GameEvent, state: StoryState, world: World) -> None:
    """Refuse an event that names what does not exist, or could never mean anything.

    Raises:
        UnknownCharacterError, UndeclaredError, EmptyScopeError, ContentError, ConditionError: naming the field.
    """
    _check_text(msgspec.to_builtins(event), "event")
    for role, who in _people(event):
        _check_person(who, role, world)
    if isinstance(event, Seen) and event.place is not None:
        _check_place(event.place, world)
    _check_kind(event, state, world)


def _check_text(value: object, path: str) -> None:
    """Refuse what no store can keep: NUL, and halves of surrogate pairs."""
    match value:
        case str():
            if "\x00" in value:
                raise ContentError(path, "holds a NUL character")
            try:
                value.encode("utf-8")
            except UnicodeEncodeError:
                raise ContentError(path, "holds half of a surrogate pair") from None
        case dict():
            for key, inner in value.items():
                _check_text(key, path)
                _check_text(inner, f"{path}.{key}")
        case list() | tuple():
            for i, inner in enumerate(value):
                _check_text(inner, f"{path}[{i}]")
        case _:
            return


def _check_person(who: str, role: str, world: World) -> None:
    if not who:
        raise EmptyScopeError(role)
    if who != NARRATOR and world.find_character(who) is None:
        raise UnknownCharacterError(who, role, allowed=tuple(c.id for c in world.cast))


def _check_scope(who: str, world: World) -> None:
    if who in {PUBLIC, ENGINE}:
        return
    if who.startswith(GROUP_PREFIX):
        _check_group(who.removeprefix(GROUP_PREFIX), world)
    else:
        _check_person(who, "knower", world)


def _check_group(group: str, world: World) -> None:
    if not any(g.id == group for g in world.groups):
        raise UndeclaredError("group", group)


def _check_place(place: str, world: World) -> None:
    if not any(p.id == place for p in world.places):
        raise UndeclaredError("place", place)


def _people(event: GameEvent) -> Iterator[tuple[str, str]]:
    if isinstance(event, Seen):
        yield from (("witness", who) for who in event.witnesses or ())
    match event:
        case Moved(who=who) | FellUnconscious(who=who) | Woke(who=who) | GroupJoined(who=who) | GroupLeft(who=who):
            yield "who", who
        case Inferred(who=who) | Felt(who=who) | Eased(who=who):
            yield "who", who
        case Deed(actor=actor, target=target, unaware=unaware):
            yield "actor", actor
            yield from (("target", who) for who in (target,) if who)
            yield from (("unaware", who) for who in unaware)
        case Utterance(speaker=speaker, to=to):
            if not to:
                raise EmptyScopeError("to")
            yield "speaker", speaker
            yield from (("listener", who) for who in to)
        case Told(teller=teller, listener=listener):
            yield "teller", teller
            yield "listener", listener
        case DocumentRead(reader=reader):
            yield "reader", reader
        case Happened(actor=actor, target=target):
            yield from (("actor", who) for who in (actor, target) if who)
        case CommitmentMade(owner=owner, to=owed):
            yield "owner", owner
            yield "to", owed
        case RelationshipChanged(who=who, towards=towards):
            yield "who", who
            yield "towards", towards
        case _:
            return


def _check_kind(event: GameEvent, state: StoryState, world: World) -> None:
    match event:
        case Moved(to=place):
            _check_place(place, world)
        case GroupJoined(group=group) | GroupLeft(group=group):
            _check_group(group, world)
        case StateSet(state_key=key) if key not in world.state:
            raise UndeclaredError("state key", key)
        case Happened(name=name):
            _check_declared(name, world)
        case Deed() | Told() | Felt() | RelationshipChanged():
            check_expiry(event.expires, state, world)
            if isinstance(event, Deed):
                _check_gate(event.disclosure)
            if isinstance(event, Told) and event.teller == event.listener:
                raise ContentError("listener", "nobody tells themselves")
        case CommitmentMade():
            _check_commitment(event, state, world)
        case Reviewed(outcome=outcome) if outcome not in _REVIEWS:
            raise ContentError("outcome", f"a person may set {', '.join(sorted(_REVIEWS))}")
        case EntriesPosted(entries=entries):
            for i, draft in enumerate(entries):
                _check_draft(draft, f"entries[{i}]", state, world)
        case _:
            return


def _check_commitment(event: CommitmentMade | EntryDraft, state: StoryState, world: World) -> None:
    for condition in (event.fulfilled_when, event.broken_when):
        if condition:
            check_condition(condition)
    if event.trigger is not None:
        _check_declared(event.trigger, world)
    if event.due is not None and event.due <= state.at.tick:
        raise ContentError("due", f"tick {event.due} is already past")
    check_expiry(event.expires, state, world)
    _check_gate(event.disclosure)


def _check_gate(gate: Disclosure) -> None:
    if gate.when:
        check_condition(gate.when)


def _check_declared(name: str, world: World) -> None:
    if not any(e.name == name for e in world.events):
        raise UndeclaredError("event", name)


def check_expiry(expiry: Expiry, state: StoryState, world: World) -> None:
    """Refuse an ending that can never come: a tick already past, or an event that no world declares."""
    for leaf in leaves(expiry):
        if isinstance(leaf, AtTick) and leaf.tick <= state.at.tick:
            raise ContentError("expires", f"tick {leaf.tick} is already past")
        if isinstance(leaf, OnEvent):
            _check_declared(leaf.name, world)


def _check_draft(draft: EntryDraft, path: str, state: StoryState, world: World) -> None:
    if draft.kind not in KINDS:
        raise ContentError(f"{path}.kind", f"{draft.kind!r} is no kind; there are {', '.join(KINDS)}")
    for knower in draft.knowers:
        _check_scope(knower if isinstance(knower, str) else knower.who, world)
    for who in draft.unaware:
        _check_person(who, "unaware", world)
    _check_commitment(draft, state, world)
    needed = {"commitment": ("owner", "to"), "relationship_delta": ("from_whom", "to", "scope"),
              "contradiction": ("members",), "emotional_residue": ("holder", "emotion")}  # fmt: skip
    for field in needed.get(draft.kind, ()):
        if not getattr(draft, field):
            raise ContentError(f"{path}.{field}", f"a {draft.kind} needs it")
    for role in ("owner", "to", "from_whom", "holder", "teller", "said_by"):
        who = getattr(draft, role)
        if who is not None:
            _check_person(who, role, world)
