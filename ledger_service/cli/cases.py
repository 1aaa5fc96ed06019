"""Commands about cases: run a file of them."""

from pathlib import Path

import click

from ledger_service.cli import show
from ledger_service.cli.run import (
    FILE,
    Group,
    console,
    emit_line,
    fail,
    json_option,
)
from ledger_service.domain.errors import LedgerError
from ledger_service.probing.case_verdicts import CaseResult
from ledger_service.probing.cases import decode_case
from ledger_service.probing.source import read_source
from ledger_service.services.probes.run_cases import run_case


@click.group(cls=Group)
def case() -> None:
    """Run self-contained continuity cases."""


@case.command("run")
@click.argument("file", type=FILE)
@click.option("--only", multiple=True, help="Run only this case; repeatable.")
@json_option
def case_run(file: Path, only: tuple[str, ...], as_json: bool) -> None:
    """Run the cases of a file; exits with 0 when all pass and with 1 otherwise.

    A case that cannot be read fails, with its reason among what is missing; the others run, and the exit code is 2.

    Example: continuity case run probes/cases/cases.yaml --json
    """
    from ledger_service.bootstrap import open_reading  # noqa: PLC0415  (loads the word vectors)

    source = read_source(file.read_bytes(), str(file))
    if not isinstance(source.values, list):
        raise source.error("$", "a case file is a list of cases")
    chosen = [
        (i, raw) for i, raw in enumerate(source.values) if not only or (isinstance(raw, dict) and raw.get("id") in only)
    ]
    if only and not chosen:
        raise source.error("$", f"holds no case named {', '.join(only)}")
    reading = open_reading()
    results: list[CaseResult] = []
    unread: list[LedgerError] = []
    for i, raw in chosen:
        try:
            results.append(run_case(decode_case(raw), reading=reading))
        except LedgerError as error:
            unread.append(source.error(f"$[{i}]", str(error)))
            name = str(raw.get("id", i)) if isinstance(raw, dict) else str(i)
            results.append(CaseResult(id=name, passed=False, missing=(f"cannot be read: {error}",)))
        if as_json:
            emit_line(results[-1])
    if not as_json:
        console.print(show.cases(results))
        passed = sum(r.passed for r in results)
        console.print(f"{passed} of {len(results)} cases pass")
    if unread:
        fail(unread[0])
    raise SystemExit(0 if results and all(r.passed for r in results) else 1)
