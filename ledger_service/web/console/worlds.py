"""Worlds: which there are, how each came to be what it is, any of its revisions, and what differs between two."""

from typing import Annotated

from litestar import Response, get
from litestar.params import FromPath, FromQuery, QueryParameter

from ledger_service.domain.accounts import AccountRole
from ledger_service.domain.errors import UnknownWorldError
from ledger_service.domain.text_diff import count_changes
from ledger_service.domain.worlds import World
from ledger_service.ports import PlaythroughFilter
from ledger_service.services.worlds.revise_world import compare_revisions, show_revision, show_revisions
from ledger_service.web.console.addresses import onward
from ledger_service.web.console.desk import AtDesk, Desk

EDITORS = frozenset({AccountRole.WRITER, AccountRole.ADMIN})
"""Who may edit worlds that they were given; everybody else who was given them may read."""
Number = Annotated[int | None, QueryParameter(ge=1, le=2**53)]
RECENT = 8


@get("/worlds")
async def list_page(desk: AtDesk) -> Response[str]:
    """List the worlds that somebody was given, as they were saved last."""
    found = await desk.catalogue.newest_revisions()
    return desk.page("worlds/list.html.jinja", found=found, may_edit=may_edit(desk))


@get("/worlds/{world_id:str}")
async def world_page(desk: AtDesk, world_id: FromPath[str], before: Number = None) -> Response[str]:
    """Show a world: what is in it, its revisions, and the newest playthroughs of it."""
    found = await show_revisions(world_id, open_uow=desk.reading, before=before)
    played = await desk.catalogue.page(PlaythroughFilter(world_id=world_id), limit=RECENT)
    path = f"/worlds/{world_id}"
    return desk.page(
        "worlds/world.html.jinja", world=found.newest.world, newest=found.newest, revisions=found.revisions,
        contents=contents_of(found.newest.world), played=played, more=onward(path, {}, before=found.next_before),
        first=None if before is None else path, may_edit=may_edit(desk),
    )  # fmt: skip


@get("/worlds/{world_id:str}/revisions/{number:int}")
async def revision_page(desk: AtDesk, world_id: FromPath[str], number: FromPath[int]) -> Response[str]:
    """Show the text of a revision, line by line."""
    found = await show_revision(world_id, _checked(world_id, number), open_uow=desk.reading)
    return desk.page("worlds/revision.html.jinja", found=found, world_id=world_id, may_edit=may_edit(desk))


@get("/worlds/{world_id:str}/revisions/{number:int}/file")
async def revision_file(desk: AtDesk, world_id: FromPath[str], number: FromPath[int]) -> Response[str]:
    """Return the text of a revision as a file."""
    found = await show_revision(world_id, _checked(world_id, number), open_uow=desk.reading)
    name = f"{found.revision.world_id}.{number}.yaml"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(found.text, media_type="application/yaml", headers=headers)


@get("/worlds/{world_id:str}/diff")
async def diff_page(
    desk: AtDesk, world_id: FromPath[str], before: FromQuery[int], after: FromQuery[int]
) -> Response[str]:  # fmt: skip
    """Show what differs between two revisions."""
    old, new = _checked(world_id, before), _checked(world_id, after)
    two = await compare_revisions(world_id, old, new, open_uow=desk.reading)
    return desk.page("worlds/diff.html.jinja", two=two, world_id=world_id, counts=count_changes(two.hunks))


def _checked(world_id: str, number: int) -> int:
    if not 1 <= number <= 2**53:
        raise UnknownWorldError(f"{world_id}, revision {number}")
    return number


def may_edit(desk: Desk) -> bool:
    """Say whether who looks may save worlds."""
    return desk.account.role in EDITORS


def contents_of(world: World) -> list[tuple[str, int]]:
    """Count what a world holds, of each sort that it has."""
    sorts = (
        "cast",
        "places",
        "things",
        "groups",
        "trust",
        "events",
        "actions",
        "rules",
        "customs",
        "notices",
        "ladders",
    )
    return [(sort, len(getattr(world, sort))) for sort in sorts if getattr(world, sort)]


HANDLERS = (list_page, world_page, revision_page, revision_file, diff_page)
