"""Commands about API keys."""

import click

from ledger_service.bootstrap import Application
from ledger_service.cli import show
from ledger_service.cli.run import (
    Group,
    console,
    emit,
    in_application,
    json_option,
)
from ledger_service.domain.errors import UnknownKeyError

LONGEST_LABEL = 100


@click.group(cls=Group)
def key() -> None:
    """Make, list and revoke API keys."""


@key.command("add")
@click.argument("label")
@click.option("--role", type=click.Choice(["game", "reviewer", "admin"]), required=True, help="What it may do.")
@json_option
def key_add(label: str, role: str, as_json: bool) -> None:
    """Make a key; its secret is shown once.

    Example: continuity key add my-game --role game
    """
    if not label.strip() or not label.isprintable() or len(label) > LONGEST_LABEL:
        raise click.UsageError(f"a label is 1 to {LONGEST_LABEL} characters on one line, so that it can be named again")

    async def use(app: Application) -> str:
        return await app.api_keys.add(role=role, label=label)

    secret = in_application(use, graph=False)
    emit({"label": label, "role": role, "key": secret}) if as_json else console.print(secret)


@key.command("list")
@json_option
def key_list(as_json: bool) -> None:
    """List keys by label; secrets are not kept.

    Example: continuity key list
    """

    async def use(app: Application) -> list[tuple[str, str, bool]]:
        return await app.api_keys.list_all()

    found = in_application(use, graph=False)
    rows = [{"label": a, "role": b, "revoked": c} for a, b, c in found]
    table = show.rows("Keys", ("label", "role", "revoked"), ((a, b, str(c)) for a, b, c in found))
    emit(rows) if as_json else console.print(table)


@key.command("revoke")
@click.argument("label")
@json_option
def key_revoke(label: str, as_json: bool) -> None:
    """Revoke a key, from the next request on.

    Example: continuity key revoke my-game
    """

    async def use(app: Application) -> bool:
        return await app.api_keys.revoke(label)

    if not in_application(use, graph=False):
        raise UnknownKeyError(label)
    emit({"label": label, "revoked": True}) if as_json else console.print("revoked")
