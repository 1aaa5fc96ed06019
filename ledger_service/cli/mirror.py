"""Commands about the graph, which mirrors the record."""

from typing import Any

import click

from ledger_service.bootstrap import Application
from ledger_service.cli import show
from ledger_service.cli.run import (
    STORE_AWAY,
    Group,
    console,
    emit,
    in_application,
    json_option,
)
from ledger_service.services.gossip import mirror_rumours


@click.group(cls=Group)
def mirror() -> None:
    """Look after the graph, which mirrors the record and can always be rebuilt."""


@mirror.command("status")
@json_option
def mirror_status(as_json: bool) -> None:
    """Say whether the graph answers, and how many batches wait for it; exits with 3 where it is away.

    Example: continuity mirror status
    """

    async def use(app: Application) -> Any:  # noqa: ANN401
        return await mirror_rumours.mirror_status(app.mirror_queue, app.graph)

    found = in_application(use)
    if as_json:
        emit(found)
    else:
        console.print(f"graph: {'answers' if found.is_up else 'is away'}; {found.waiting} batches wait")
    raise SystemExit(0 if found.is_up else STORE_AWAY)


@mirror.command("verify")
@click.argument("playthrough_id")
@json_option
def mirror_verify(playthrough_id: str, as_json: bool) -> None:
    """Compare record and graph, and name every difference; exits with 1 where there is one.

    Example: continuity mirror verify p12ab
    """

    async def use(app: Application) -> Any:  # noqa: ANN401
        while await mirror_rumours.mirror_once(app.mirror_queue, app.graph, open_uow=app.open_uow):
            pass
        return await mirror_rumours.verify_mirror(playthrough_id, open_uow=app.open_uow, graph=app.graph)

    found = in_application(use)
    if as_json:
        emit(found)
    else:
        rows = ((d.what, d.name, str(d.record), str(d.graph)) for d in found)
        console.print(show.rows("Differences", ("what", "name", "record", "graph"), rows) if found else "no difference")
    raise SystemExit(1 if found else 0)


@mirror.command("rebuild")
@click.argument("playthrough_id")
@json_option
def mirror_rebuild(playthrough_id: str, as_json: bool) -> None:
    """Throw a playthrough's graph away and project it anew from the record.

    Example: continuity mirror rebuild p12ab
    """

    async def use(app: Application) -> int:
        return await mirror_rumours.rebuild_mirror(playthrough_id, open_uow=app.open_uow, graph=app.graph)

    count = in_application(use)
    emit({"entries": count}) if as_json else console.print(f"{count} entries projected")


async def project(playthrough_id: str, app: Application) -> None:
    """Bring the graph up to date, before something is asked of it; an embedded one begins empty."""
    while await mirror_rumours.mirror_once(app.mirror_queue, app.graph, open_uow=app.open_uow, only=playthrough_id):
        pass
    if not await app.graph.is_whole(playthrough_id):
        await mirror_rumours.rebuild_mirror(playthrough_id, open_uow=app.open_uow, graph=app.graph)
