"""Open a playthrough of a world, or branch one at a point of its history."""

import contextlib
import secrets

import msgspec

from ledger_service.domain.errors import ContentError, GraphUnavailableError, UnfitWorldError, UnknownWorldError
from ledger_service.domain.events import EventReceipt, Outcome, Seeded, event_kind
from ledger_service.domain.ids import PlaythroughId
from ledger_service.domain.mirror import MirrorBatch
from ledger_service.domain.playthroughs import Playthrough, Save
from ledger_service.domain.texts import is_blank
from ledger_service.domain.worlds import World, version_of
from ledger_service.ports import OpenUnitOfWork, RumourGraph, UnitOfWork
from ledger_service.probing.references import problems_of
from ledger_service.probing.source import Source
from ledger_service.recording.chain import link
from ledger_service.recording.plain import check_world, read_event
from ledger_service.recording.story import advance, opening_state
from ledger_service.services.events.story_state import story_state

MOST_OF_A_NAME = 128


def new_id() -> PlaythroughId:
    """Return an id that says nothing of player or world."""
    return "p" + secrets.token_hex(8)


async def add_world(world: World, *, open_uow: OpenUnitOfWork, source: str | None = None) -> str:
    """Keep a version of a world and return it, with its text where there is one; the same content is the same version.

    Raises:
        UnfitWorldError: something in it leads nowhere or cannot be; names all of it.
        ContentError: text or numbers in it that no store can keep.
    """
    async with open_uow() as uow:
        version = await keep_world(world, uow, source=source)
        await uow.commit()
    return version


async def keep_world(world: World, uow: UnitOfWork, *, source: str | None = None) -> str:
    """Keep a version of a world within a transaction, once it is seen that it can be played.

    Raises:
        UnfitWorldError: see `add_world`.
    """
    check_world(world)
    problems = tuple(problems_of(world, Source(file=world.id, values=None, lines={})))
    if problems:
        raise UnfitWorldError(world.id, tuple(f"{p.path}: {p.why}" for p in problems))
    return await uow.worlds.add(world, source=source)


async def find_world(name: str, uow: UnitOfWork) -> World:
    """Return a world by its version, or by its plain id: then as it was saved last.

    Raises:
        UnknownWorldError: there is no such world, or it may not be seen.
    """
    found = await (uow.worlds.get(name) if "@" in name else uow.worlds.find_latest(name))
    if found is None:
        raise UnknownWorldError(name)
    return found


async def open_playthrough(
    world: str,
    *,
    open_uow: OpenUnitOfWork,
    title: str = "",
    playthrough_id: PlaythroughId | None = None,
    seed: int | None = None,
) -> Playthrough:
    """Open a playthrough of a world, by its version or by its plain id (then the version added last).

    With a seed, its first event says by what chance is drawn; without one, chance is drawn by 0.

    Raises:
        UnknownWorldError: there is no such world.
    """
    async with open_uow(playthrough_id or new_id()) as uow:
        found = await find_world(world, uow)
        version = version_of(found)
        opened = Playthrough(
            playthrough_id=playthrough_id or new_id(),
            world_id=found.id,
            world_version=version,
            opening_world=version,
            title=title or found.title,
        )
        await uow.playthroughs.open(opened, opening_state(found, version))
        if seed is not None:
            await _sow(seed, found, uow)
        await uow.commit()
    return opened


async def _sow(seed: int, world: World, uow: UnitOfWork) -> None:
    """Write the first event, by which chance is drawn."""
    before = await uow.playthroughs.state()
    event = read_event(Seeded(seed=seed))
    after = advance(before, event, world, seq=1)
    recorded = link(event, seq=1, at=after.at, head=before.head)
    receipt = EventReceipt(seq=1, kind=event_kind(event), at=after.at, outcome=Outcome.CREATED)
    await uow.events.append([recorded], [receipt])
    await uow.playthroughs.put_state(msgspec.structs.replace(after, head=recorded.hash))


async def fork_playthrough(
    playthrough_id: PlaythroughId, *, open_uow: OpenUnitOfWork, at_seq: int | None = None, title: str = ""
) -> Playthrough:
    """Branch a playthrough after an event (default: now). Nothing is copied; the branch reads the shared history."""
    async with open_uow(playthrough_id) as uow:
        parent = await uow.playthroughs.get(playthrough_id)
        state = await story_state(uow, at_seq=at_seq)
        branch = msgspec.structs.replace(
            parent,
            playthrough_id=new_id(),
            parent_id=playthrough_id,
            forked_at_seq=state.seq,
            title=title or f"{parent.title} (from {state.seq})",
            world_version=state.world_version,
        )
        await uow.playthroughs.open(branch, state)
        await uow.outbox.put(MirrorBatch(anew=True))
        await uow.commit()
    return branch


async def save_point(
    playthrough_id: PlaythroughId, name: str, *, open_uow: OpenUnitOfWork, at_seq: int | None = None
) -> Save:
    """Name a point (default: now).

    Raises:
        DuplicateNameError: the name stands for another point.
        ContentError: a name that cannot be one, or a point outside the history.
    """
    _check_name(name)
    async with open_uow(playthrough_id) as uow:
        seq = await _checked(uow, at_seq)
        save = Save(name=name, playthrough_id=playthrough_id, seq=seq)
        await uow.playthroughs.put_save(save)
        await uow.commit()
    return save


def _check_name(name: str) -> None:
    """Refuse names that no path, screen or list could show again."""
    if is_blank(name):
        raise ContentError("name", "a save needs a name")
    if len(name) > MOST_OF_A_NAME:
        raise ContentError("name", f"holds {len(name)} characters, and at most {MOST_OF_A_NAME} are kept")
    if "/" in name or not name.isprintable():
        raise ContentError("name", "a save's name is on one line, and holds no slash")


async def _checked(uow: UnitOfWork, at_seq: int | None) -> int:
    now = await uow.playthroughs.state()
    if at_seq is None:
        return now.seq
    if not 0 <= at_seq <= now.seq:
        raise ContentError("at_seq", f"{at_seq} is outside the history, which ends at {now.seq}")
    return at_seq


async def erase_playthrough(playthrough_id: PlaythroughId, *, open_uow: OpenUnitOfWork, graph: RumourGraph) -> int:
    """Erase a playthrough whole, its graph too, and return how many rows that were.

    Raises:
        PlaythroughHasForksError: branches still read its history.
    """
    async with open_uow(playthrough_id) as uow:
        rows = await uow.playthroughs.erase()
        await uow.commit()
    with contextlib.suppress(GraphUnavailableError):
        await graph.drop(playthrough_id)
    return rows


async def load_save(playthrough_id: PlaythroughId, name: str, *, open_uow: OpenUnitOfWork) -> Playthrough:
    """Go on from a named point: the playthrough itself where nothing came after, a branch from there where it did.

    Raises:
        UnknownSaveError: there is none of that name.
    """
    async with open_uow(playthrough_id) as uow:
        save = await uow.playthroughs.get_save(name)
        now = await uow.playthroughs.state()
        if now.seq == save.seq:
            return await uow.playthroughs.get(playthrough_id)
    return await fork_playthrough(playthrough_id, open_uow=open_uow, at_seq=save.seq, title=name)
