"""Commands about the service itself: migrate, look after, serve."""

import click
import msgspec

from ledger_service.bootstrap import examine, open_places, run_migrations
from ledger_service.cli import show
from ledger_service.cli.run import (
    STORE_AWAY,
    console,
    emit,
    emit_line,
    json_option,
    settings,
)


@click.command()
@json_option
def migrate(as_json: bool) -> None:
    """Bring the database up to date.

    Example: CONTINUITY_POSTGRES_ADMIN_URL=postgresql://owner@db/continuity continuity migrate
    """
    with open_places(settings(), graph=False) as places:
        revision = run_migrations(places)
    emit({"revision": revision}) if as_json else console.print(f"the schema is at {revision}")


@click.command()
@json_option
def doctor(as_json: bool) -> None:
    """Check disk and both stores, and say what to do about each fault; exits with 3 where something fails.

    Example: continuity doctor --json
    """
    found = examine(settings())
    if as_json:
        emit(found)
    else:
        signs = {"ok": "✔", "warn": "◐", "fail": "✘"}
        rows = ((f"{signs[f.state]} {f.name}", f.detail, f.cure) for f in found)
        console.print(show.rows("Doctor", ("check", "found", "what to do"), rows))
    raise SystemExit(STORE_AWAY if any(f.state == "fail" for f in found) else 0)


@click.command()
@click.option("--host", help="Address to listen on; anything but loopback needs a key.")
@click.option("--port", type=click.IntRange(0, 65_535), help="Port to listen on; 0 takes a free one and says which.")
@json_option
def serve(host: str | None, port: int | None, as_json: bool) -> None:
    """Serve the HTTP API and the console, and keep the graph up to date; says where once they can be reached.

    On loopback, while nobody has an account, it also prints a link by which the first admin comes in.

    Example: continuity serve --port 8321
    """
    from ledger_service.web.serve import Serving  # noqa: PLC0415
    from ledger_service.web.serve import serve as serve_http  # noqa: PLC0415  (Litestar is not needed elsewhere)

    chosen = settings()
    where = msgspec.structs.replace(chosen, host=host or chosen.host, port=chosen.port if port is None else port)

    def announce(where: Serving) -> None:
        if as_json:
            emit_line(where)
            return
        console.print(f"serving {where.serving}  (Ctrl-C stops)", soft_wrap=True)
        console.print(f"console {where.console}", soft_wrap=True)
        if where.first_run:
            console.print(f"nobody has an account yet; make the first one: {where.first_run}", soft_wrap=True)

    serve_http(where, announce=announce)
