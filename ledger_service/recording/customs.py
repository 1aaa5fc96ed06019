"""Customs: what some witnesses take an event for, by a rule, where others record it as it was."""

from collections.abc import Iterable, Mapping

from ledger_service.domain.entries import LedgerEntry, Observation, SourceKind
from ledger_service.domain.events import Deed, GameEvent, Happened, event_kind
from ledger_service.domain.expiry import NEVER
from ledger_service.domain.ids import CharacterId, EntryId
from ledger_service.domain.visibility import OPEN
from ledger_service.domain.worlds import Custom, World
from ledger_service.recording.scribe import Scribe


def customs_for(event: GameEvent, world: World) -> tuple[Custom, ...]:
    """Return the customs that an event may fall under."""
    match event:
        case Deed():
            return tuple(c for c in world.customs if c.event == event_kind(event))
        case Happened(name=name):
            return tuple(c for c in world.customs if c.event == name)
        case _:
            return ()


def taken_otherwise(
    event: Deed | Happened,
    witnesses: Iterable[CharacterId],
    customs: Mapping[CharacterId, Custom],
    scribe: Scribe,
    *,
    origin: EntryId | None,
) -> tuple[LedgerEntry, ...]:
    """Return what the event is to those who take it for something else, one entry for each custom.

    It goes back to the plain entry, so that who saw the one is not told the other as news. What the event states in a
    slot, or puts right, it does not say to them.
    """
    by_custom: dict[str, list[CharacterId]] = {}
    for witness in witnesses:
        if witness in customs:
            by_custom.setdefault(customs[witness].id, []).append(witness)
    found = {c.id: c for c in customs.values()}
    return tuple(_taken(event, found[name], people, scribe, origin) for name, people in by_custom.items())


def _taken(
    event: Deed | Happened, custom: Custom, witnesses: list[CharacterId], scribe: Scribe, origin: EntryId | None
) -> LedgerEntry:
    deed = event if isinstance(event, Deed) else None
    about = event.actor if deed is None else (deed.subject or deed.actor)
    return scribe.write(
        Observation,
        statement=in_names(custom.reads_as, event, scribe.world),
        source=scribe.source(SourceKind.WITNESSED, event.actor or witnesses[0], channel=event.channel),
        knowers=scribe.knowers(witnesses, SourceKind.WITNESSED),
        unaware=() if deed is None else deed.unaware,
        disclosure=OPEN if deed is None else deed.disclosure,
        expires=NEVER if deed is None else deed.expires,
        subject=about,
        about=() if deed is None else deed.about,
        place=event.place,
        ladder=custom.ladder,
        origin=origin,
    )


def in_names(text: str, event: Deed | Happened, world: World) -> str:
    """Put names where a custom's text leaves room for them."""
    for role, who in (("{actor}", event.actor), ("{target}", event.target)):
        found = world.find_character(who) if who else None
        text = text.replace(role, found.name if found is not None else "somebody")
    return text
