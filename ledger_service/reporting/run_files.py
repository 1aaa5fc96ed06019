"""Reports of a run of probes as files: JUnit XML, JSON, NDJSON, CSV and Markdown; each written whole or not at all."""

import csv
import io
import os
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

import msgspec

from ledger_service.domain.probe_runs import Attempt, KeptCell, RunPlan
from ledger_service.domain.probes import ResultState
from ledger_service.probing.summary import Group, Summary
from ledger_service.reporting.run_pages import pages

_ALLOWED = (range(0x20, 0xD800), range(0xE000, 0xFFFE), range(0x10000, 0x110000))
_COLUMNS = (
    "run story subject distance pressure wording cell state repeat attempt outcome fault subtype entry stands "
    "milliseconds cost packet asked said"
).split()


def write_reports(folder: Path, run: RunPlan, cells: Sequence[KeptCell], summary: Summary) -> dict[str, str]:
    """Write every report of a run, one after another and in pieces, and return where each is."""
    folder.mkdir(parents=True, exist_ok=True)
    files: dict[str, Iterable[str]] = {
        "junit.xml": junit(run, cells),
        "run.json": [_json(run, summary)],
        "tries.ndjson": (f"{row}\n" for row in _records(run, cells)),
        "tries.csv": table(run, cells),
        "summary.md": [markdown(run, summary)],
    }
    for name, pieces in files.items():
        write_whole(folder / name, pieces)
    for name, page in pages(run, cells, summary):
        write_whole(folder / name, [page])
    return {name: str(folder / name) for name in (*files, "index.html")}


def write_whole(target: Path, pieces: Iterable[str], *, errors: str = "replace") -> None:
    """Write a file whole or not at all; `errors` says what becomes of what is no letter, as `open` has it."""
    handle, name = tempfile.mkstemp(dir=target.parent, suffix=".partial")
    partial = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", errors=errors) as file:
            file.writelines(pieces)
        partial.chmod(0o644)
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)


def legal(text: str) -> str:
    r"""Leave out what XML 1.0 does not allow.

    >>> legal("a\x00b\x1bc\ud800\ufffed\n")
    'abcd\n'
    """
    return "".join(c for c in text if c in "\t\n\r" or any(ord(c) in allowed for allowed in _ALLOWED))


def junit(run: RunPlan, cells: Sequence[KeptCell]) -> Iterator[str]:
    """Yield JUnit XML: a suite a distance, a case a cell, named alike in every run."""
    yield f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="{run.story}">\n'
    for distance in dict.fromkeys(c.cell.distance for c in cells):
        there = [c for c in cells if c.cell.distance == distance]
        states = [c.state for c in there]
        skipped = sum(s in {ResultState.SKIPPED, ResultState.PENDING, ResultState.UNSCORED} for s in states)
        yield (
            f'<testsuite name="{run.story}.{distance}" tests="{len(there)}" failures="{states.count(ResultState.FAIL)}"'
            f' errors="{states.count(ResultState.ERROR)}" skipped="{skipped}">\n'
        )
        yield from (_case(run, c) for c in there)
        yield "</testsuite>\n"
    yield "</testsuites>\n"


def _case(run: RunPlan, cell: KeptCell) -> str:
    seconds = sum(a.milliseconds for a in cell.attempts) / 1000
    where = f"{run.story}.{run.settings.subject}.{cell.cell.distance}"
    name = f"{cell.cell.pressure}/{cell.cell.paraphrase}"
    head = f'<testcase classname={quoteattr(legal(where))} name={quoteattr(name)} time="{seconds:.3f}"'
    inner = _inner(cell)
    return f"{head}>{inner}</testcase>\n" if inner else f"{head}/>\n"


def _inner(cell: KeptCell) -> str:
    match cell.state:
        case ResultState.FAIL | ResultState.ERROR:
            shown = _worst(cell)
            tag = "failure" if cell.state is ResultState.FAIL else "error"
            message = quoteattr(legal(f"{shown.fault}: {shown.why}"))
            beside = "".join(f"\n{name}: {what}" for name, what in shown.beside.told())
            text = escape(legal(f"asked: {cell.cell.line}\nsaid: {shown.line}\npacket: {cell.packet_hash}{beside}"))
            return f"<{tag} type={quoteattr(legal(shown.subtype))} message={message}>{text}</{tag}>"
        case ResultState.SKIPPED | ResultState.PENDING | ResultState.UNSCORED:
            return f"<skipped message={quoteattr(legal(cell.cell.skipped or str(cell.state)))}/>"
        case _:
            return ""


def _worst(cell: KeptCell) -> Attempt:
    bad = [a for a in cell.last if a.state == cell.state]
    return bad[0] if bad else Attempt(repeat=1, state=cell.state)


def _json(run: RunPlan, summary: Summary) -> str:
    value = {"run": _head(run), "summary": summary, "adds_up": summary.adds_up}
    return msgspec.json.format(msgspec.json.encode(value, order="deterministic"), indent=2).decode() + "\n"


def _head(run: RunPlan) -> dict[str, object]:
    return {
        "run_id": run.run_id, "story": run.story, "world_version": run.world_version, "matrix_hash": run.matrix_hash,
        "settings": run.settings, "state": run.state,
    }  # fmt: skip


def _records(run: RunPlan, cells: Sequence[KeptCell]) -> Iterator[str]:
    for cell in cells:
        for attempt in cell.attempts or (None,):
            row = {"run": run.run_id, "cell": cell.cell.name, "state": cell.state, "attempt": attempt}
            yield msgspec.json.encode(row, order="deterministic").decode()


def table(run: RunPlan, cells: Iterable[KeptCell]) -> Iterator[str]:
    """Yield CSV in long form: a row for each try, and one for a cell without any."""
    yield _row(_COLUMNS)
    for c in cells:
        for a in c.attempts or (None,):
            asked = [run.run_id, run.story, run.settings.subject, c.cell.distance, c.cell.pressure, c.cell.paraphrase]
            came = [a.repeat, a.attempt, a.state, a.fault, a.subtype, a.entry, _stands(a)] if a else [""] * 7
            took = [a.milliseconds, a.cost] if a else [""] * 2
            said = [_plain(c.cell.line), _plain(a.line if a else "")]
            yield _row([*asked, c.cell.name, c.state, *came, *took, c.packet_hash, *said])


def _row(values: Iterable[object]) -> str:
    out = io.StringIO()
    csv.writer(out).writerow(values)
    return out.getvalue()


def _stands(attempt: Attempt) -> str:
    """Say whether what would have been bears the fault out; empty where nobody looked."""
    return {True: "yes", False: "in doubt", None: ""}[attempt.beside.confirmed]


def _plain(text: str) -> str:
    """Keep a spreadsheet from taking a line for a formula."""
    return f"'{text}" if text[:1] in {"=", "+", "-", "@", "\t", "\r"} else text


def markdown(run: RunPlan, summary: Summary) -> str:
    """Return a summary for a pull request."""
    a, s = summary.anchor, summary.suite.rate
    lines = [
        f"### {run.story} × {run.settings.subject}",
        "",
        f"`{run.run_id}` · {summary.identity} · {summary.used}",
        "",
        "| | pass | of | 95 % |",
        "|---|---:|---:|---|",
        f"| anchor | {a.passed} | {a.judged} | {a.low:.3f} to {a.high:.3f} |",
        f"| every wording, by row | {s.passed} | {s.judged} | {s.low:.3f} to {s.high:.3f} |",
    ]
    if summary.wording:
        lines.append(
            f"\nThe anchor {summary.wording[0]:.3f}, the wordings {summary.wording[1]:.3f} to {summary.wording[2]:.3f}."
        )
    if summary.groups:
        lines += ["", "| failures | at fault | what | entry | stands | one of them |", "|---:|---|---|---|---|---|"]
        lines += [
            f"| {g.count} | {g.fault} | {g.subtype} | {_cell(g.entry)} | {g.borne_out} | {_example(g)} |"
            for g in summary.groups[:20]
        ]
    for what, names in (
        ("Flaky", summary.flaky),
        ("Not the same each time", summary.nondeterministic),
        ("Unsound (the reference fails too)", summary.unsound),
        ("Weak (pass without a packet)", summary.weak),
    ):
        if names:
            lines += ["", f"{what}: {', '.join(f'`{name}`' for name in names[:20])}"]
    if summary.signals:
        lines += ["", f"Signals: {', '.join(f'{axis} {n}' for axis, n in summary.signals.items())}"]
    return "\n".join(lines) + "\n"


def _example(group: Group) -> str:
    return f"`{group.example}` {_cell(group.line)}"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")
