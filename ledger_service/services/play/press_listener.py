"""Word the three classic pressures for somebody, from what they hold where the story stands."""

from collections.abc import Callable
from functools import partial
from typing import Final

from msgspec.structs import replace

from ledger_service.domain.candidates import reach_of
from ledger_service.domain.entries import Commitment, Hearsay, LedgerEntry, Observation, SourceKind, Status
from ledger_service.domain.ids import PLAYER, CharacterId
from ledger_service.domain.worlds import World
from ledger_service.ports import BrowseFilter, UnitOfWork
from ledger_service.probing.pressing import Holding, Press, presses
from ledger_service.services.packets.build_packet import PacketRequest, Reading, compute_packet
from ledger_service.services.reviewing.standpoint import Standpoint

LOOKED_AT: Final = 80
"""The newest entries that somebody knows, among which something to press on is looked for."""
PutInWords = Callable[[str, World, CharacterId, CharacterId, int], str]
"""Puts a statement as one says it to another, at a tick."""


async def press_listener(
    listener: CharacterId, here: Standpoint, uow: UnitOfWork, *, reading: Reading, in_words: PutInWords
) -> tuple[Press, ...]:
    """Return the three pressures as they are put to somebody."""
    owed = await _owed(listener, here, uow, reading)
    held = await _newest(replace(here, seen_by=listener), uow)
    seen = await _newest(replace(here, seen_by=PLAYER), uow)
    holding = Holding(
        listener=listener,
        world=here.world,
        owed=owed,
        heard=tuple(e for e in held if isinstance(e, Hearsay) and e.teller != PLAYER),
        unknown=tuple(e for e in seen if _is_news(e, listener, here)),
    )
    said = partial(_said, in_words=in_words, here=here)
    return presses(holding, as_player=said(by=PLAYER, to=listener), as_listener=said(by=listener, to=PLAYER))


def _said(*, by: CharacterId, to: CharacterId, in_words: PutInWords, here: Standpoint) -> Callable[[str], str]:
    return lambda statement: in_words(statement, here.world, by, to, here.at.tick)


async def _owed(
    listener: CharacterId, here: Standpoint, uow: UnitOfWork, reading: Reading
) -> tuple[Commitment, ...]:  # fmt: skip
    """Return the open commitments between the two that the listener knows of, however old, as a packet has them."""
    packet, _, _ = await compute_packet(PacketRequest(speaker=listener), uow, reading, now=here.state)
    still_open = [c.entry_id for c in packet.commitments if c.status == Status.OPEN]
    entries, _ = await uow.ledger.get(still_open) if still_open else ((), ())
    found = (e for e in entries if isinstance(e, Commitment))
    return tuple(sorted(found, key=lambda e: (-e.seq, e.entry_id)))


async def _newest(eyes: Standpoint, uow: UnitOfWork) -> list[LedgerEntry]:
    """Return what is live of the newest entries that somebody knows."""
    reach = reach_of(eyes.seen_by or PLAYER, eyes.state.roster, at_seq=eyes.seq)
    page = await uow.browser.page(BrowseFilter(reach=reach, at_seq=eyes.seq), limit=LOOKED_AT)
    ledger = eyes.fold(page.entries, page.amendments)
    rows = (eyes.row(entry, ledger) for entry in page.entries)
    return [row.entry for row in rows if row is not None and row.status is Status.ACTIVE]


def _is_news(entry: LedgerEntry, listener: CharacterId, here: Standpoint) -> bool:
    """Say whether something that the player saw is nothing that a listener can know."""
    known = {listener, *here.scopes}
    was_seen = isinstance(entry, Observation) and entry.source.kind is SourceKind.WITNESSED and entry.said_by is None
    return was_seen and not any(knower.who in known for knower in entry.knowers)
