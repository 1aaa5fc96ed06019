"""Commands about probes: the group; each family of commands has its own module."""

import click

from ledger_service.cli.probe_files import plan
from ledger_service.cli.probe_lint import lint
from ledger_service.cli.probe_peers import peers
from ledger_service.cli.probe_reload import reload
from ledger_service.cli.probe_replay import replay
from ledger_service.cli.probe_reports import baseline, compare, report
from ledger_service.cli.probe_run import rerun_failed, resume, run_command, work
from ledger_service.cli.probe_status import cancel, pause, status
from ledger_service.cli.probe_transcript import transcript_template
from ledger_service.cli.run import Group
from ledger_service.cli.zoo import zoo


@click.group(cls=Group)
def probe() -> None:
    """Ask matrices of probes, and check the probes themselves."""


for command in (lint, plan, zoo, transcript_template, peers):
    probe.add_command(command)
for command in (run_command, status, pause, resume, cancel, rerun_failed, replay, work):
    probe.add_command(command)
for command in (report, compare, baseline, reload):
    probe.add_command(command)
