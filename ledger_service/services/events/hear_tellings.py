"""Decide the tellings of an event against the record: find who holds what, load it, let `rumours` decide."""

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence

import msgspec
from msgspec import Struct

from ledger_service.domain.amendments import Amendment
from ledger_service.domain.entries import Hearsay, LedgerEntry
from ledger_service.domain.errors import ContentError, UnknownEntryError
from ledger_service.domain.events import HourPassed, RegionsCaughtUp, Told
from ledger_service.domain.ids import CharacterId, EntryId, PlaceId
from ledger_service.domain.ledger import Ledger
from ledger_service.domain.playthroughs import StoryState
from ledger_service.domain.rumours import HEARD, NEW, Heard, Holding, Refusal, Telling, told_in
from ledger_service.domain.visibility import Knower
from ledger_service.domain.worlds import World
from ledger_service.ports import UnitOfWork
from ledger_service.recording.facts import Facts
from ledger_service.recording.presence import rooms_of
from ledger_service.recording.scribe import Scribe
from ledger_service.recording.telling import believed
from ledger_service.rumours.gossip import Chances, Opportunity, Talk, find_chances
from ledger_service.rumours.stories import Stories, versions_of
from ledger_service.services.events.recent import Recent

Find = Callable[[Sequence[CharacterId]], Awaitable[tuple[Holding, ...]]]
"""Finds what people hold, in the graph or in the record."""


class Talked(Struct, frozen=True, kw_only=True):
    """What an event's tellings came to, and what they are to be written down against."""

    facts: Facts
    refusals: tuple[Refusal, ...] = ()


class _Known(Struct, frozen=True, kw_only=True):
    """The entries and tellings that tellings are decided against."""

    entries: dict[EntryId, LedgerEntry]
    ledger: Ledger
    tellings: tuple[Telling, ...]


async def talk_of_hour(event: HourPassed, scribe: Scribe, find: Find, recent: Recent) -> Talked:
    """Decide an hour: everybody who is somewhere with somebody may pass on what they held when it began."""
    tick = scribe.after.at.tick
    return await _talk_in(
        {tick: rooms_of(scribe.before, scribe.world, tick=tick, regions=event.regions)}, scribe, find, recent
    )


async def talk_of_regions(event: RegionsCaughtUp, scribe: Scribe, find: Find, recent: Recent) -> Talked:
    """Decide the hours since people talked last in these regions, one after another, all from one look at the record.

    A traveller brings what they had learned by each hour, and takes along what they hear.
    """
    before, now = scribe.before, scribe.after.at.tick
    rooms: dict[int, dict[PlaceId, list[CharacterId]]] = {}
    for region in event.regions:
        for tick in range(before.talked.get(region, now) + 1, now + 1):
            together = rooms_of(before, scribe.world, tick=tick, regions=(region,))
            rooms.setdefault(tick, {}).update(together)
    return await _talk_in(rooms, scribe, find, recent)


async def _talk_in(
    rooms: Mapping[int, Mapping[PlaceId, Sequence[CharacterId]]],
    scribe: Scribe,
    find: Find,
    recent: Recent,
) -> Talked:
    """Decide hours in their order; what one of them tells, the later ones know."""
    people = sorted({who for places in rooms.values() for room in places.values() for who in room})
    held = await find(people) if people else ()
    told = told_in(await recent.tellings(sorted({h.origin for h in held})))
    chances = find_chances(rooms[min(rooms)], held, told, scribe.world) if rooms else Chances()
    if len(rooms) == 1 and not chances.open:
        return Talked(facts=Facts(ledger=_ledger((), (), scribe.before)), refusals=chances.refusals)
    origins = {c.origin for c in chances.open} if len(rooms) == 1 else {h.origin for h in held}
    known = await _in_play(held, origins, scribe.before, recent)
    talk = _talk(known, scribe)
    heard: list[Heard] = []
    refusals: list[Refusal] = []
    for tick in sorted(rooms):
        if tick > min(rooms):
            chances = find_chances(rooms[tick], held, told, scribe.world)
        hour = talk.hour(chances.open, tick=tick)
        heard += hour.heard
        refusals += (*chances.refusals, *hour.refusals)
        held += tuple(_new_holdings(hour.heard))
        told |= {(h.listener, h.teller, h.origin) for h in hour.heard if h.outcome in HEARD}
    return _talked(known, tuple(heard), tuple(refusals))


async def _in_play(held: Sequence[Holding], origins: set[EntryId], before: StoryState, recent: Recent) -> _Known:
    """Load what people hold of these stories, of what they put right, and of what puts them right."""
    wrong = {h.corrects for h in held if h.corrects is not None and h.origin in origins}
    right = {h.origin for h in held if h.corrects in origins}
    about = origins | wrong | right
    versions = [h.entry_id for h in held if h.origin in about]
    return await _known(versions, sorted(origins | wrong), before, recent)


def _new_holdings(heard: Iterable[Heard]) -> Iterator[Holding]:
    """Yield what would be found beside after these tellings."""
    for h in heard:
        if h.held is not None and h.outcome in NEW:
            yield Holding(who=h.listener, entry_id=h.held, origin=h.origin, corrects=h.corrects)


async def talk_of_telling(event: Told, scribe: Scribe, uow: UnitOfWork, recent: Recent) -> Talked:
    """Decide one telling that the game reports.

    Raises:
        UnknownEntryError: the entry being passed on is not there.
        ContentError: the teller does not know it, or the listener must not learn it.
    """
    before = scribe.before
    if event.entry_id is None:
        return Talked(facts=Facts(ledger=_ledger((), (), before)))
    found, _ = await recent.entries((event.entry_id,))
    if not found:
        raise UnknownEntryError(event.entry_id)
    told = found[0]
    known = await _known_to(event.listener, told, before, uow, recent)
    _check(event, told, known.ledger)
    stories = _stories(_named(known, (event.teller, event.listener)), scribe.world)
    version = stories.versions[event.teller, told.root]
    chance = Opportunity(
        teller=event.teller, listener=event.listener, entry_id=told.entry_id, origin=told.root, place=event.place,
        wording=event.statement, at_most=1.0 if event.confidence is None else event.confidence,
    )  # fmt: skip
    talk = Talk(stories, scribe.world, seed=before.seed, new_id=scribe.entry_id)
    return _talked(known, (talk.decide(chance, version, tick=scribe.after.at.tick),), ())


async def lowered_by(
    entries: Iterable[LedgerEntry], scribe: Scribe, uow: UnitOfWork, recent: Recent
) -> tuple[Amendment, ...]:
    """Return how much less sure those are who now know at first hand that a story they had heard is wrong."""
    amendments: list[Amendment] = []
    for entry in entries:
        if entry.corrects is None or isinstance(entry, Hearsay):
            continue
        for knower in _people_among(entry, scribe):
            held = await uow.ledger.find_by_origin(entry.corrects, knower=knower.who)
            if not held:
                continue
            own = msgspec.structs.replace(entry, knowers=(knower,))
            known = await _known([e.entry_id for e in held], [entry.corrects], scribe.before, recent)
            known = msgspec.structs.replace(known, entries={**known.entries, entry.entry_id: own})
            stories = _stories(known, scribe.world)
            talk = Talk(stories, scribe.world, seed=scribe.before.seed, new_id=scribe.entry_id)
            lowered = talk.lowered_by(stories.versions[knower.who, entry.root])
            amendments += [believed(entry_id, belief, scribe) for entry_id, belief in lowered]
    return tuple(amendments)


def _people_among(entry: LedgerEntry, scribe: Scribe) -> list[Knower]:
    """Return everybody who knows an entry just written, by name: through a group and as part of the public too."""
    roster, found = scribe.after.roster, []
    for who in scribe.world.people:
        knower = None if who in entry.unaware else roster.find_knower(entry.knowers, who, at_seq=scribe.seq)
        if knower is not None:
            found.append(msgspec.structs.replace(knower, who=who))
    return found


def _talked(known: _Known, heard: tuple[Heard, ...], refusals: tuple[Refusal, ...]) -> Talked:
    return Talked(facts=Facts(ledger=known.ledger, heard=heard), refusals=refusals)


def _talk(known: _Known, scribe: Scribe) -> Talk:
    stories = _stories(known, scribe.world)
    return Talk(stories, scribe.world, seed=scribe.before.seed, new_id=scribe.entry_id)


def _stories(known: _Known, world: World) -> Stories:
    versions = versions_of(known.entries, known.ledger, known.tellings, world.forgetting)
    return Stories(versions, known.tellings)


def _ledger(entries: Iterable[LedgerEntry], amendments: Iterable[Amendment], before: StoryState) -> Ledger:
    return Ledger(entries, amendments, roster=before.roster, at_seq=before.seq)


async def _known(versions: Sequence[EntryId], origins: Sequence[EntryId], before: StoryState, recent: Recent) -> _Known:
    entries, amendments = await recent.entries(versions)
    took_their_place, _ = await recent.entries(i for a in amendments for i in a.by)
    return _Known(
        entries={e.entry_id: e for e in entries},
        ledger=_ledger((*entries, *took_their_place), amendments, before),
        tellings=await recent.tellings(origins),
    )


async def _known_to(
    listener: CharacterId, told: LedgerEntry, before: StoryState, uow: UnitOfWork, recent: Recent
) -> _Known:
    """Return what a listener holds of a story, of what it puts right, and of what puts it right."""
    about = [told.root, *([told.corrects] if told.corrects else [])]
    found = await uow.tellings.find_holdings((listener,))
    mine = [h for h in found if h.origin in about or h.corrects == told.root]
    return await _known([told.entry_id, told.root, *(h.entry_id for h in mine)], about, before, recent)


def _check(event: Told, told: LedgerEntry, ledger: Ledger) -> None:
    if ledger.knower_of(told, event.teller) is None:
        raise ContentError("entry_id", f"{event.teller} does not know it, so cannot pass it on")
    if event.listener in told.unaware:
        raise ContentError("listener", f"{event.listener} must not learn it")


def _named(known: _Known, people: Iterable[CharacterId]) -> _Known:
    """Put people among the knowers by name of what they know through a group, or as everybody does."""
    entries = dict(known.entries)
    for who in people:
        for entry_id, entry in entries.items():
            knower = known.ledger.knower_of(entry, who)
            if knower is not None and knower.who != who:
                own = msgspec.structs.replace(knower, who=who)
                entries[entry_id] = msgspec.structs.replace(entry, knowers=(*entry.knowers, own))
    return msgspec.structs.replace(known, entries=entries)
