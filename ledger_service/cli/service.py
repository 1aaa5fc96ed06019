"""Commands about the service itself: migrate, look after, serve."""

import click
import msgspec

from ledger_service.bootstrap import Application, examine, open_places, run_migrations
from ledger_service.cli import show
from ledger_service.cli.run import (
    STORE_AWAY,
    console,
    emit,
    in_application,
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
@click.option("--port", type=int, help="Port to listen on.")
def serve(host: str | None, port: int | None) -> None:
    """Serve the HTTP API, and keep the graph up to date.

    Example: continuity serve --port 8321
    """
    from ledger_service.web.serve import serve as serve_http  # noqa: PLC0415  (Litestar is not needed elsewhere)

    chosen = settings()
    serve_http(msgspec.structs.replace(chosen, host=host or chosen.host, port=port or chosen.port))


@click.command()
def worker() -> None:
    """Keep the graph up to date until stopped; `continuity serve` does it too."""
    import anyio  # noqa: PLC0415

    async def use(_: Application) -> None:
        await anyio.sleep_forever()

    try:
        in_application(use, mirror=True)
    except KeyboardInterrupt:
        console.print("stopped")
