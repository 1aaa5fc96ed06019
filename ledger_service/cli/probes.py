"""Commands about probes: the group; each family of commands has its own module."""

import click

from ledger_service.cli.run import Group
from ledger_service.cli.zoo import zoo


@click.group(cls=Group)
def probe() -> None:
    """Ask matrices of probes, and check the probes themselves."""


probe.add_command(zoo)
