"""What an event must satisfy before anything is written: known names, whole scopes, endings that can come."""

from collections.abc import Iterable, Iterator

from ledger_service.domain.entries import KINDS, Status
from ledger_service.domain.errors import ContentError, EmptyScopeError, UndeclaredError
from ledger_service.domain.events import (
    Access,
    CommitmentMade,
    Corrected,
    Deed,
    Died,
    DocumentRead,
    Eased,
    EntriesPosted,
    EntryDraft,
    EventsWithSlots,
    FellUnconscious,
    Felt,
    GameEvent,
    GroupJoined,
    GroupLeft,
    Happened,
    HourPassed,
    Inferred,
    Moved,
    RegionsCaughtUp,
    RelationshipChanged,
    Reviewed,
    SceneChanged,
    Seen,
    StateSet,
    TimePassed,
    Told,
    Utterance,
    Woke,
)
from ledger_service.domain.ids import GROUP_PREFIX, PUBLIC
from ledger_service.domain.playthroughs import StoryState
from ledger_service.domain.visibility import Knower
from ledger_service.domain.vocabulary import as_declared, check_in_world, kind_in_words
from ledger_service.domain.worlds import World
from ledger_service.recording.names import (
    LAST_TICK,
    check_declared,
    check_expiry,
    check_gate,
    check_group,
    check_ladder,
    check_name,
    check_person,
    check_place,
    check_scope,
    check_shift,
    check_slot,
)

_REVIEWS = frozenset({Status.RETRACTED, Status.SUSPENDED, Status.ACTIVE})
_NEEDED = {
    "commitment": ("owner", "to"), "relationship_delta": ("from_whom", "to", "scope"), "contradiction": ("members",),
    "emotional_residue": ("holder", "emotion"),
}  # fmt: skip


def check_event(event: GameEvent, state: StoryState, world: World) -> None:
    """Refuse an event that names what does not exist, or could never mean anything.

    Raises:
        UnknownCharacterError, UndeclaredError, EmptyScopeError, ContentError, ConditionError: naming the field.
    """
    for role, who in _people(event):
        check_person(who, role, world)
    if isinstance(event, Seen | SceneChanged) and event.place is not None:
        check_place(event.place, world)
    if isinstance(event, Died | FellUnconscious | Woke):
        _check_alive(event, state)
    if isinstance(event, Moved):
        check_place(event.to, world)
    if isinstance(event, EventsWithSlots) and event.slot is not None:
        check_slot(event.slot, "slot")
    if isinstance(event, Corrected) and event.access is not None:
        _check_access(event, event.access, state, world)
    _check_kind(event, state, world)


def _check_alive(event: Died | FellUnconscious | Woke, state: StoryState) -> None:
    """Refuse what comes over the dead; to fall or wake twice is no more than to say again how it stands."""
    if event.who in state.dead:
        raise ContentError("who", f"{event.who} is dead{' already' if isinstance(event, Died) else ''}")


def _people(event: GameEvent) -> Iterator[tuple[str, str]]:
    if isinstance(event, Seen):
        yield from (("witness", who) for who in event.witnesses or ())
    match event:
        case Moved() | GroupJoined() | GroupLeft() | FellUnconscious() | Died() | Woke():
            yield "who", event.who
        case Inferred() | Felt() | Eased():
            yield "who", event.who
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
        case GroupJoined(group=group) | GroupLeft(group=group):
            check_group(group, world)
        case StateSet():
            _check_setting(event, world)
        case TimePassed() | HourPassed() | RegionsCaughtUp():
            _check_passing(event, _now(event, state), world)
        case Happened(name=name):
            check_declared(name, world)
        case Deed():
            _check_deed(event, state, world)
        case Told():
            _check_told(event, state, world)
        case Felt() | RelationshipChanged():
            _check_stance(event, _now(event, state), world)
        case CommitmentMade():
            _check_commitment(event, "", now=_now(event, state), world=world)
        case Reviewed(outcome=outcome) if outcome not in _REVIEWS:
            raise ContentError("outcome", f"a person may set {', '.join(sorted(_REVIEWS))}")
        case EntriesPosted(entries=entries):
            for i, draft in enumerate(entries):
                _check_draft(draft, f"entries[{i}].", _now(event, state), state, world)
        case _:
            return


def _check_setting(event: StateSet, world: World) -> None:
    """Hold a value against the sort that the world declared its key with, so that conditions on it can hold."""
    declared = world.state.get(event.state_key)
    if declared is None:
        raise UndeclaredError("state key", event.state_key)
    if as_declared(event.value, declared) is None:
        raise ContentError("value", f"{event.state_key} is {kind_in_words(declared)}, and {event.value!r} is not")


def _check_stance(event: Felt | RelationshipChanged, now: int, world: World) -> None:
    if isinstance(event, RelationshipChanged):
        check_shift(event.amount, event.cap, "")
    check_expiry(event.expires, now=now, world=world)


def _now(event: GameEvent, state: StoryState) -> int:
    """Return the tick at which an event happens."""
    return state.at.tick if event.tick is None else max(event.tick, state.at.tick)


def _check_passing(event: TimePassed | HourPassed | RegionsCaughtUp, now: int, world: World) -> None:
    hours = event.hours if isinstance(event, TimePassed) else int(isinstance(event, HourPassed))
    regions = () if isinstance(event, TimePassed) else event.regions or ()
    last = now + hours
    if last > LAST_TICK:
        raise ContentError("hours", f"a story ends at tick {LAST_TICK}")
    known = set(world.region_by_place.values())
    for region in regions:
        if region not in known:
            raise UndeclaredError("region", region)


def _check_deed(event: Deed, state: StoryState, world: World) -> None:
    check_expiry(event.expires, now=_now(event, state), world=world)
    check_gate(event.disclosure, "", world)
    check_ladder(event.ladder, world)
    both = {event.actor, *(event.witnesses or ())} & set(event.unaware)
    if both:
        raise ContentError("unaware", f"{', '.join(sorted(both))} cannot both witness it and be unaware of it")


def _check_told(event: Told, state: StoryState, world: World) -> None:
    check_expiry(event.expires, now=_now(event, state), world=world)
    if event.teller == event.listener:
        raise ContentError("listener", "nobody tells themselves")
    found = world.find_character(event.teller)
    if found is not None and not found.can_testify:
        raise ContentError("teller", f"{event.teller} cannot testify")
    for role, who in (("teller", event.teller), ("listener", event.listener)):
        fate = state.fate_of(who)
        if fate:
            raise ContentError(role, f"{who} is {fate}")
    check_ladder(event.ladder, world)


def _check_commitment(event: CommitmentMade | EntryDraft, path: str, *, now: int, world: World) -> None:
    for condition in (event.fulfilled_when, event.broken_when):
        if condition:
            check_in_world(condition, world)
    if event.name is not None:
        check_name(event.name, f"{path}name")
    if event.trigger is not None:
        check_declared(event.trigger, world)
    if event.due is not None and event.due <= now:
        raise ContentError(f"{path}due", f"tick {event.due} is already past")
    check_expiry(event.expires, now=now, world=world, path=path)
    check_gate(event.disclosure, path, world)


def _check_access(event: Corrected, access: Access, state: StoryState, world: World) -> None:
    if event.witnesses is not None or event.place is not None:
        raise ContentError("access", "says who knows it by itself; leave `witnesses` and `place` out")
    for who in access.knowers:
        check_scope(who, "knower", world)
        _check_unaware(access.unaware, who, "access.", state)
    for who in access.unaware:
        check_person(who, "listener", world)
    check_gate(access.disclosure, "access.", world)


def _check_draft(draft: EntryDraft, path: str, now: int, state: StoryState, world: World) -> None:
    if draft.kind not in KINDS:
        raise ContentError(f"{path}kind", f"{draft.kind!r} is no kind; there are {', '.join(KINDS)}")
    for knower in draft.knowers:
        who = knower.who if isinstance(knower, Knower) else knower
        check_scope(who, "knower", world)
        _check_unaware(draft.unaware, who, path, state)
    _check_commitment(draft, path, now=now, world=world)
    check_shift(draft.amount, draft.cap, path)
    for field in _NEEDED.get(draft.kind, ()):
        if not getattr(draft, field):
            raise ContentError(f"{path}{field}", f"a {draft.kind} needs it")
    for role in ("owner", "to", "from_whom", "holder", "teller", "said_by", "style_of"):
        if getattr(draft, role) is not None:
            check_person(getattr(draft, role), role, world)
    for who in (*draft.unaware, *draft.said_to):
        check_person(who, "listener", world)
    _check_draft_names(draft, path, world)


def _check_unaware(unaware: Iterable[str], knower: str, path: str, state: StoryState) -> None:
    """Nobody may be in both lists, nor through a group that they are in."""
    for who in unaware:
        through = knower in {who, PUBLIC} or (
            knower.startswith(GROUP_PREFIX) and state.roster.is_member(who, knower, at_seq=state.seq)
        )
        if through:
            raise ContentError(f"{path}unaware", f"{who} cannot both know it (as {knower}) and be unaware of it")


def _check_draft_names(draft: EntryDraft, path: str, world: World) -> None:
    if draft.place is not None:
        check_place(draft.place, world)
    if draft.slot is not None:
        check_slot(draft.slot, f"{path}slot")
    for field in ("subject", "scope", "emotion"):
        if getattr(draft, field) is not None:
            check_name(getattr(draft, field), f"{path}{field}")
    for name in draft.about:
        check_name(name, f"{path}about")
