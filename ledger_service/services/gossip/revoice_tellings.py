"""Re-voice tellings: let a model put in other words what was told, and keep what changes nothing; hours never wait."""

import logging
from typing import Final

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream
from msgspec import Struct

from ledger_service.domain.errors import LedgerError
from ledger_service.domain.ids import PlaythroughId
from ledger_service.domain.rumours import Telling
from ledger_service.domain.voicings import Voicing
from ledger_service.domain.worlds import Ladder, World
from ledger_service.ports import Embedder, OpenUnitOfWork, Voice
from ledger_service.rumours.revoicing import order_for, unfit
from ledger_service.services.events.story_state import world_of

_log = logging.getLogger(__name__)
AT_ONCE: Final = 50
WAITING: Final = 1_000
"""So many playthroughs may wait for the model; of more, an hour's tellings stay as they were told."""


class Revoiced(Struct, frozen=True, kw_only=True):
    """What came of asking."""

    kept: int = 0
    dropped: int = 0
    silent: int = 0
    """Tellings for which the model said nothing; they are asked for again another time."""


async def revoice_tellings(
    playthrough_id: PlaythroughId, *, voice: Voice, open_uow: OpenUnitOfWork, embedder: Embedder, most: int = AT_ONCE
) -> Revoiced:
    """Put the newest tellings that nobody put otherwise yet; each is kept, or dropped with its reason, on its own.

    Nothing of it is evidence: entries, tellings and packets stay as they are.

    Raises:
        UnknownPlaythroughError: there is no such playthrough.
    """
    async with open_uow(playthrough_id) as uow:
        await uow.playthroughs.get(playthrough_id)
        world = await world_of(uow, (await uow.playthroughs.state()).world_version)
        waiting = await uow.tellings.newest(limit=most, unvoiced=True)
    found = Revoiced()
    for told in waiting:
        order = order_for(told.telling, world)
        text = " ".join((await voice.say(order.system, order.told)).split())
        if not text:
            found = Revoiced(kept=found.kept, dropped=found.dropped, silent=found.silent + 1)
            continue
        why = _unfit(text, told.telling, world, embedder)
        await _keep(playthrough_id, told.telling, text, why, voice=voice, open_uow=open_uow)
        found = Revoiced(kept=found.kept + (not why), dropped=found.dropped + bool(why), silent=found.silent)
    return found


def _unfit(text: str, telling: Telling, world: World, embedder: Embedder) -> str:
    ladder = next((one for one in world.ladders if telling.statement in one.rungs), None)
    return unfit(text, telling, world=world, ladder=ladder, nearness=_nearness(text, ladder, embedder))


def _nearness(text: str, ladder: Ladder | None, embedder: Embedder) -> dict[int, int]:
    if ladder is None:
        return {}
    meanings = {str(n): m for n, m in enumerate(embedder.embed(ladder.rungs), start=1) if m}
    return {int(rung): near for rung, near in embedder.similarity(text, meanings).items()}


async def _keep(
    playthrough_id: PlaythroughId, telling: Telling, text: str, why: str, *, voice: Voice, open_uow: OpenUnitOfWork
) -> None:
    voicing = Voicing(telling_id=telling.telling_id, voice=voice.name, text="" if why else text, dropped=why)
    async with open_uow(playthrough_id) as uow:
        await uow.tellings.voice(voicing)
        await uow.commit()


async def run_revoicing(
    told: MemoryObjectReceiveStream[PlaythroughId], *, voice: Voice, open_uow: OpenUnitOfWork, embedder: Embedder
) -> None:
    """Re-voice playthroughs as their hours go by, one after another, until cancelled; an hour only leaves its name."""
    async for playthrough_id in told:
        try:
            await revoice_tellings(playthrough_id, voice=voice, open_uow=open_uow, embedder=embedder)
        except LedgerError as error:
            _log.warning("the tellings of %s stay as they were told: %s", playthrough_id, error)
        await anyio.lowlevel.checkpoint()
