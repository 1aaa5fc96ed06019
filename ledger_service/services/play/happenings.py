"""What came of the last events: who saw what, who told whom, what hangs where, and who thinks otherwise since."""

from collections.abc import Iterable, Sequence
from typing import Final

from msgspec import Struct, structs

from ledger_service.domain.entries import Hearsay, LedgerEntry, Observation
from ledger_service.domain.events import EventReceipt, Moved, RecordedEvent, Utterance
from ledger_service.domain.ids import PLAYER, CharacterId, EntryId
from ledger_service.domain.playthroughs import StoryState
from ledger_service.domain.rumours import Telling
from ledger_service.domain.story_time import StoryTime
from ledger_service.ports import UnitOfWork
from ledger_service.rumours.provenance import Naming
from ledger_service.services.events.event_words import in_words
from ledger_service.services.gossip.explain_opinion import opinion_within
from ledger_service.services.packets.build_packet import PacketRequest, Reading, compute_packet
from ledger_service.services.play.player_place import actions_of
from ledger_service.services.reviewing.standpoint import Standpoint

MOST_EVENTS: Final = 72
"""So many of the last events are told: three days of waiting."""
MOST_PEOPLE: Final = 40
"""So many of those whom the last events touched are asked what they think now."""
MOST_TURNED: Final = 8
MOST_REFOLDED: Final = 1_000
"""A longer history is not folded anew to say what somebody would have granted then."""
NOTICED: Final = 0.005
"""Smaller changes of an opinion vanish in two decimals."""


class Happening(Struct, frozen=True, kw_only=True):
    """An event, in words, and what it left."""

    recorded: RecordedEvent
    receipt: EventReceipt
    said: str
    seen_by: tuple[str, ...] | None = None
    """By name, who knows it at first hand besides who did it; None where that is no question."""
    heard: tuple[LedgerEntry, ...] = ()
    """What a listener has of a whisper."""
    notices: tuple[str, ...] = ()
    """What went up, or came down."""

    @property
    def is_hour(self) -> bool:
        """Whether it is an hour that went by, which the page tells together with others."""
        return self.receipt.kind == "hour_passed"


class Change(Struct, frozen=True, kw_only=True):
    """What somebody thought of the player before, and thinks now."""

    who: CharacterId
    before: float
    now: float
    said: str


class Turned(Struct, frozen=True, kw_only=True):
    """Something that would have been refused and would be granted now, or the other way round."""

    who: CharacterId
    action: str
    is_granted: bool
    said: str


class Since(Struct, frozen=True, kw_only=True):
    """Everything since an event, oldest first."""

    seq: int
    happenings: tuple[Happening, ...] = ()
    changes: tuple[Change, ...] = ()
    turned: tuple[Turned, ...] = ()
    skipped: int = 0
    """How many events before these are not told."""

    @property
    def tellings(self) -> tuple[Telling, ...]:
        """All that was passed on in these hours."""
        return tuple(t for one in self.happenings for t in one.receipt.tellings)

    @property
    def refused(self) -> dict[str, int]:
        """How often something was not passed on, by reason, the commonest first."""
        found: dict[str, int] = {}
        for one in self.happenings:
            for reason, count in one.receipt.refused.items():
                found[reason] = found.get(reason, 0) + count
        return dict(sorted(found.items(), key=lambda pair: (-pair[1], pair[0])))


async def since(here: Standpoint, seq: int, uow: UnitOfWork, reading: Reading) -> Since:
    """Tell what happened after an event, up to now, and what it changed."""
    first = max(seq, here.seq - MOST_EVENTS)
    then, found = await _history(first, here, uow)
    entries = await _left_by([receipt for _, receipt in found], uow)
    happenings = tuple(_happening(recorded, receipt, entries, here) for recorded, receipt in found)
    touched = _touched([receipt for _, receipt in found], entries, here, then.at.tick)
    changes = [change for who in touched if (change := await _changed(who, then, here, uow)) is not None]
    return Since(
        seq=first, happenings=happenings, skipped=first - seq,
        changes=tuple(sorted(changes, key=lambda c: (-abs(c.now - c.before), c.who))),
        turned=await _turned([c.who for c in changes], first, here, uow, reading),
    )  # fmt: skip


async def _history(
    seq: int, here: Standpoint, uow: UnitOfWork
) -> tuple[StoryState, list[tuple[RecordedEvent, EventReceipt]]]:
    """Return as much of the state after an event as an opinion asks for, and the events since."""
    found = await uow.events.load_receipts(after_seq=max(0, seq - 1), until_seq=here.seq, limit=MOST_EVENTS + 1)
    at = found.pop(0)[0].at if seq else StoryTime()
    return structs.replace(here.state, seq=seq, at=at), found


async def _turned(
    people: Sequence[CharacterId], seq: int, here: Standpoint, uow: UnitOfWork, reading: Reading
) -> tuple[Turned, ...]:
    """Return what those who think otherwise now would grant or refuse and would not have, by two packets of each."""
    able = [who for who in people if actions_of(who, here.world)][:MOST_TURNED]
    if here.seq > MOST_REFOLDED:
        return ()
    found: list[Turned] = []
    for who in able:
        then, _, _ = await compute_packet(PacketRequest(speaker=who, at_seq=seq), uow, reading)
        now, _, _ = await compute_packet(PacketRequest(speaker=who), uow, reading, now=here.state)
        before = {c.rule: c.outcome for c in then.consequences}
        names = {action.id: action.name for action in actions_of(who, here.world)}
        found += [
            _turn(who, here.naming.person(who), names[c.action], is_granted=c.outcome == "granted")
            for c in now.consequences
            if before.get(c.rule, c.outcome) != c.outcome
        ]
    return tuple(found)


def _turn(who: CharacterId, name: str, action: str, *, is_granted: bool) -> Turned:
    would = "would now" if is_granted else "would no longer"
    return Turned(who=who, action=action, is_granted=is_granted, said=f"{name} {would} let you {action}")


async def _left_by(receipts: Iterable[EventReceipt], uow: UnitOfWork) -> dict[EntryId, LedgerEntry]:
    ids = dict.fromkeys(i for r in receipts for i in (*(e.entry_id for e in r.entries), *r.ended))
    entries, _ = await uow.ledger.get(tuple(ids))
    return {e.entry_id: e for e in entries}


def _happening(
    recorded: RecordedEvent, receipt: EventReceipt, entries: dict[EntryId, LedgerEntry], here: Standpoint
) -> Happening:
    left = [entries[e.entry_id] for e in receipt.entries if e.entry_id in entries]
    ended = [entries[i] for i in receipt.ended if i in entries]
    up = [e.statement for e in left if isinstance(e, Observation) and e.notice]
    down = [f"no longer so: {e.statement}" for e in ended if isinstance(e, Observation) and e.notice]
    is_seen = receipt.kind in {"deed", "happened"}
    return Happening(
        recorded=recorded,
        receipt=receipt,
        said=_in_words(recorded, here.naming),
        seen_by=_witnesses(left, here.naming) if is_seen else None,
        heard=tuple(e for e in left if isinstance(e, Hearsay)) if receipt.kind == "told" else (),
        notices=(*up, *down),
    )


def _in_words(recorded: RecordedEvent, naming: Naming) -> str:
    match recorded.event:
        case Moved(who=who, to=to):
            return f"{naming.person(who)} went to {naming.place(to)}"
        case Utterance(speaker=speaker, to=to, text=text):
            return f"{naming.person(speaker)} to {', '.join(map(naming.person, to))}: “{text}”"
        case event:
            return in_words(event)


def _witnesses(left: Iterable[LedgerEntry], naming: Naming) -> tuple[str, ...]:
    saw = dict.fromkeys(
        k.who for e in left if isinstance(e, Observation) and not e.notice for k in e.knowers if k.who != PLAYER
    )
    return tuple(naming.person(who) for who in saw)


def _touched(
    receipts: Sequence[EventReceipt], entries: dict[EntryId, LedgerEntry], here: Standpoint, tick: int
) -> tuple[CharacterId, ...]:
    """Return who may think otherwise since: whoever saw, heard or read something; with time, anybody may forget."""
    told = (t.listener for r in receipts for t in r.tellings)
    knew = (k.who for e in entries.values() for k in e.knowers)
    others = here.world.people if here.at.tick > tick else ()
    return tuple(dict.fromkeys(who for who in (*knew, *told, *others) if who != PLAYER))[:MOST_PEOPLE]


async def _changed(who: CharacterId, then: StoryState, here: Standpoint, uow: UnitOfWork) -> Change | None:
    if who not in here.world.people:
        return None
    states = (then, here.state)
    before, now = [(await opinion_within(uow, who, PLAYER, world=here.world, state=s)).opinion.value for s in states]
    if abs(now - before) < NOTICED:
        return None
    return Change(who=who, before=before, now=now, said=change_in_words(here.naming.person(who), before, now))


def change_in_words(who: str, before: float, now: float) -> str:
    """Say to the player how an opinion of them changed.

    >>> change_in_words("Ilsa", -0.36, 0.0)
    'Ilsa thought ill of you (-0.36), and now neither well nor ill (+0.00)'
    >>> change_in_words("Ilsa", -0.36, -0.12)
    'Ilsa thinks less ill of you than before: -0.36 then, -0.12 now'
    >>> change_in_words("Odo", 0.2, 0.3)
    'Odo thinks better of you than before: +0.20 then, +0.30 now'
    """
    was, is_now = leaning(before), leaning(now)
    if was != is_now:
        return f"{who} thought {was} of you ({_figure(before)}), and now {is_now} ({_figure(now)})"
    return f"{who} thinks {_by_how(before, now)} of you than before: {_figure(before)} then, {_figure(now)} now"


def _by_how(before: float, now: float) -> str:
    if now > before:
        return "less ill" if now < 0 else "better"
    return "worse" if now < 0 else "less well"


def leaning(value: float) -> str:
    """Say which way an opinion leans, as far as two decimals show.

    >>> leaning(-0.2), leaning(0.001), leaning(0.4)
    ('ill', 'neither well nor ill', 'well')
    """
    if abs(value) < NOTICED:
        return "neither well nor ill"
    return "ill" if value < 0 else "well"


def _figure(value: float) -> str:
    return f"{value if abs(value) >= NOTICED else 0.0:+.2f}"
