"""Revise a world: its revisions with their texts, what differs between two, and a new one that takes nobody's place."""

import anyio.to_thread
from msgspec import Struct

from ledger_service.domain.errors import ContentError, UnknownWorldError
from ledger_service.domain.ids import WorldId
from ledger_service.domain.revisions import Revision
from ledger_service.domain.text_diff import Hunk, text_diff
from ledger_service.domain.worlds import World
from ledger_service.ports import OpenUnitOfWork, UnitOfWork
from ledger_service.probing.world_text import as_yaml

PAGE = 50


class RevisionText(Struct, frozen=True, kw_only=True):
    """A revision with its text and the world in it."""

    revision: Revision
    text: str
    world: World
    is_written: bool = True
    """The text is as somebody wrote it; else it was made from what was kept."""


class RevisionPage(Struct, frozen=True, kw_only=True):
    """A page of the revisions of a world, newest first."""

    newest: RevisionText
    revisions: tuple[Revision, ...]
    next_before: int | None = None


class TwoRevisions(Struct, frozen=True, kw_only=True):
    """Two revisions beside one another."""

    before: RevisionText
    after: RevisionText
    hunks: tuple[Hunk, ...]


class Saved(Struct, frozen=True, kw_only=True):
    """A revision that was saved."""

    revision: Revision
    is_new_version: bool
    """Something in it is otherwise than in the revision before; else only words around it are."""


class Overtaken(Struct, frozen=True, kw_only=True):
    """Nothing was saved, because somebody else has saved in the meantime."""

    base: RevisionText
    """What the edit began from."""
    newest: RevisionText


async def show_revision(world_id: WorldId, number: int | None = None, *, open_uow: OpenUnitOfWork) -> RevisionText:
    """Return a revision of a world, the newest where none is named.

    Raises:
        UnknownWorldError: there is no such world or revision, or it may not be seen.
    """
    async with open_uow() as uow:
        return await _text_of(world_id, number, uow)


async def _text_of(world_id: WorldId, number: int | None, uow: UnitOfWork) -> RevisionText:
    if number is None:
        newest = await uow.worlds.revisions(world_id, limit=1)
        if not newest:
            raise UnknownWorldError(world_id)
        number = newest[0].number
    revision = await uow.worlds.revision(world_id, number)
    world = await uow.worlds.get(revision.world_version)
    text = revision.source
    if text is None:
        text = await anyio.to_thread.run_sync(as_yaml, world)
    return RevisionText(revision=revision, text=text, world=world, is_written=revision.source is not None)


async def show_revisions(world_id: WorldId, *, open_uow: OpenUnitOfWork, before: int | None = None) -> RevisionPage:
    """Return the revisions of a world, newest first.

    Raises:
        UnknownWorldError: there is no such world, or it may not be seen.
    """
    async with open_uow() as uow:
        newest = await _text_of(world_id, None, uow)
        found = await uow.worlds.revisions(world_id, limit=PAGE + 1, before=before)
    more = found[PAGE - 1].number if len(found) > PAGE else None
    return RevisionPage(newest=newest, revisions=tuple(found[:PAGE]), next_before=more)


async def compare_revisions(world_id: WorldId, before: int, after: int, *, open_uow: OpenUnitOfWork) -> TwoRevisions:
    """Say what differs between the texts of two revisions.

    Raises:
        UnknownWorldError: one of them is not there, or may not be seen.
    """
    async with open_uow() as uow:
        old, new = await _text_of(world_id, before, uow), await _text_of(world_id, after, uow)
    return TwoRevisions(before=old, after=new, hunks=text_diff(old.text, new.text))


async def save_revision(
    world: World, text: str, *, base: int, author: str, open_uow: OpenUnitOfWork
) -> Saved | Overtaken:  # fmt: skip
    """Keep an edit as the next revision of its world, if it began from the newest one; older ones stay as they are.

    Raises:
        UnknownWorldError: there is no such world, or it may not be seen.
        ContentError: it is as the newest revision is.
    """
    async with open_uow() as uow:
        newest = await uow.worlds.hold(world.id)
        if newest == 0:
            raise UnknownWorldError(world.id)
        now = await _text_of(world.id, newest, uow)
        if base != newest:
            return Overtaken(base=await _text_of(world.id, base, uow), newest=now)
        if now.text == text:
            raise ContentError("text", "nothing in it was changed, so there is nothing to save")
        saved = await uow.worlds.revise(world, source=text, author=author)
        await uow.commit()
    return Saved(revision=saved, is_new_version=saved.world_version != now.revision.world_version)
