"""`continuity probe lint`: what could not be asked or passed, what lacks a control, and what is merely weak."""

from functools import partial
from pathlib import Path
from typing import Any

import anyio
import click
from msgspec import Struct

from ledger_service.bootstrap import (
    honest_speaker,
    language_of,
    new_record,
    open_judging,
    open_reading,
    reload_process,
)
from ledger_service.cli.probe_files import Read, read_matrix
from ledger_service.cli.run import BAD_INPUT, FILE, console, emit, json_option, printable
from ledger_service.domain.probes import Matrix
from ledger_service.domain.worlds import World
from ledger_service.probing.documents import History
from ledger_service.probing.lint import Concern, concerns_of, demands_of, wrong_language
from ledger_service.probing.matrix import problems_of_matrix
from ledger_service.services.probes.audit_matrix import Audit, Tools, audit_matrix
from ledger_service.services.probes.check_matrix import Checked, Impossible, check_matrix

SHOWN = 20


class Found(Struct, kw_only=True):
    """Everything that lint has to say of a file."""

    problems: list[str] = []
    """By which it cannot be asked."""
    impossible: tuple[Impossible, ...] = ()
    """What the story contradicts."""
    demands: list[Concern] = []
    """Controls that are missing, and rewordings in another language."""
    weak: list[Concern] = []
    """What could be better."""
    audit: Audit | None = None

    @property
    def is_wrong(self) -> bool:
        """It must not be asked as it is."""
        unsound = self.audit is not None and bool(self.audit.unsound)
        return bool(self.problems or self.impossible or self.demands or unsound)

    def record(self, file: Path) -> dict[str, Any]:
        """Return it for programs."""
        whole = {"file": str(file), "ok": not self.is_wrong, "problems": self.problems, "impossible": self.impossible,
                 "demands": self.demands, "weak": self.weak}  # fmt: skip
        return whole if self.audit is None else whole | {"audit": self.audit}


@click.command()
@click.argument("file", type=FILE)
@click.option("--deep", is_flag=True, help="Also ask the reference speaker every anchor, with its packet and without.")
@json_option
def lint(file: Path, deep: bool, as_json: bool) -> None:
    """Check a matrix against the world and history beside it; exits with 2 where it should not be asked as it is.

    Wrong is what could not be asked, what the story contradicts, a secret or a speaker without a control, a rewording
    in another language and, with --deep, what the reference speaker itself does not pass (unsound). Near copies, and
    what passes without a packet (weak), are said and do not fail.

    Example: continuity probe lint probes/maelin/matrix.yaml --deep
    """
    read = read_matrix(file)
    found = _find(read, deep=deep)
    emit(found.record(file)) if as_json else _print(file, found)
    raise SystemExit(BAD_INPUT if found.is_wrong else 0)


def _find(read: Read, *, deep: bool) -> Found:
    matrix, source = read.matrix, read.source
    found = Found(problems=[str(p) for p in problems_of_matrix(matrix, source, world=read.world, history=read.history)])
    if found.problems:
        return found
    found.weak = list(concerns_of(matrix, source))
    found.demands = list(wrong_language(matrix, source, language_of))
    if read.world is not None and read.history is not None:
        checked = anyio.run(partial(_check, matrix, read.world, read.history))
        found.impossible = checked.impossible
        found.demands += demands_of(matrix, source, secrets=checked.secrets)
        if deep and not found.impossible:
            found.audit = anyio.run(partial(_audit, matrix, read.world, read.history))
    return found


async def _check(matrix: Matrix, world: World, history: History) -> Checked:
    return await check_matrix(
        matrix, world, history, open_uow=new_record(), reading=open_reading(),
        afresh=reload_process(shares_record=False),
    )  # fmt: skip


async def _audit(matrix: Matrix, world: World, history: History) -> Audit:
    return await audit_matrix(matrix, world, history, tools_in_memory())


def tools_in_memory() -> Tools:
    """Return what a matrix is audited with, in a record of its own."""
    reading = open_reading()
    return Tools(
        open_uow=new_record(),
        reading=reading,
        judging=open_judging(reading),
        reference=honest_speaker(),
        afresh=reload_process(shares_record=False),
    )


def _print(file: Path, found: Found) -> None:
    for problem in found.problems:
        console.print(f"[red]✘[/] {printable(problem)}", soft_wrap=True)
    for one in found.impossible:
        console.print(f"[red]✘[/] {printable(f'{one.distance}/{one.pressure}: {one.why}')}", soft_wrap=True)
    for sign, concerns in (("[red]✘[/]", found.demands), ("[yellow]◐[/]", found.weak)):
        for concern in concerns:
            where = f"{file}:{concern.line}: {concern.path}"
            console.print(f"{sign} {printable(f'{where}: {concern.why}')}", soft_wrap=True)
    if found.audit is not None:
        print_audit(found.audit)
    if not found.is_wrong:
        more = f"; {len(found.weak)} to look at" if found.weak else ""
        console.print(f"✔ {printable(str(file))} can be asked{more}")


def print_audit(audit: Audit) -> None:
    """Say what is unsound and what is weak."""
    for bad in audit.unsound[:SHOWN]:
        said = f" [{bad.line}]" if bad.line else ""
        console.print(f"[red]✘[/] {printable(f'unsound: {bad.cell}: {bad.why}{said}')}", soft_wrap=True)
    for row in audit.weak:
        where = "everywhere" if row.is_everywhere else f"at {len(row.cells)} of {row.asked}"
        says = f"weak: {row.pressure} passes without a packet {where}: “{row.line}”"
        console.print(f"[yellow]◐[/] {printable(says)}", soft_wrap=True)
    console.print(f"{audit.asked} cells asked of the reference: {len(audit.unsound)} unsound, "
                  f"{len(audit.weak)} rows weak")  # fmt: skip
