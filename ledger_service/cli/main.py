"""Every command, one use case each: here they are listed, each noun's module has its own."""

import click

from ledger_service.cli.bench import bench
from ledger_service.cli.bench_console import bench_console
from ledger_service.cli.bench_probes import bench_probes
from ledger_service.cli.bench_rumours import bench_rumours
from ledger_service.cli.cases import case
from ledger_service.cli.demo import demo
from ledger_service.cli.events import event
from ledger_service.cli.gossip import gossip
from ledger_service.cli.influence import influence, spymaster
from ledger_service.cli.judge import judge
from ledger_service.cli.keys import key
from ledger_service.cli.mirror import mirror
from ledger_service.cli.opinion import opinion
from ledger_service.cli.packets import diff, packet
from ledger_service.cli.playthroughs import playthrough
from ledger_service.cli.probe_files import schema
from ledger_service.cli.probe_reports import triage
from ledger_service.cli.probes import probe
from ledger_service.cli.reply_check import reply
from ledger_service.cli.report import report
from ledger_service.cli.run import Group
from ledger_service.cli.service import doctor, migrate, serve
from ledger_service.cli.users import user
from ledger_service.cli.why import why
from ledger_service.cli.worker import worker
from ledger_service.cli.worlds import world

COMMANDS = (
    demo, world, playthrough, event, packet, reply, judge, diff, why, gossip, influence, spymaster, opinion, case,
    probe, schema, triage, report, mirror, key, user, bench, serve, worker, migrate, doctor,
)  # fmt: skip


@click.group(cls=Group, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option("--debug", is_flag=True, expose_value=False, help="Show the details of a fault that nobody foresaw.")
@click.version_option(package_name="continuity-ledger", prog_name="continuity")
def main() -> None:
    """Keep AI game characters continuous: a ledger of claims, context packets, and verdicts on their lines.

    Examples:
      continuity demo                                       see it all on one story
      continuity world load probes/maelin/world.yaml
      continuity playthrough open maelin
      continuity packet P --speaker maelin --line "May I use the transmitter?"
      continuity case run probes/cases/cases.yaml
    """


for command in COMMANDS:
    main.add_command(command)
bench.add_command(bench_rumours)
bench.add_command(bench_probes)
bench.add_command(bench_console)
