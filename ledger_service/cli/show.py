"""How things look on a terminal: packets, scorecards, chains, cases, heat maps."""

from collections.abc import Iterable, Mapping, Sequence

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from ledger_service.domain.packets import ContextPacket, Withheld
from ledger_service.domain.rubric import Scorecard, State
from ledger_service.domain.rumours import ProvenanceChain
from ledger_service.probing.case_verdicts import CaseResult
from ledger_service.rumours.provenance import Naming, in_words
from ledger_service.services.survey_gossip import Spread, Survey

_SIGNS = {State.PASS: ("✔ pass", "green"), State.FAIL: ("✘ fail", "red"), State.MASKED: ("◌ masked", "yellow"),
          State.UNSCORED: ("· unscored", "dim")}  # fmt: skip


def packet(found: ContextPacket, withheld: Sequence[Withheld], statements: Mapping[str, str]) -> RenderableType:
    """Show what the speaker may draw on, what was withheld and why, flags and consequences."""
    who = f"{found.speaker} speaks to {', '.join(found.audience)}, tick {found.at.tick}, scene {found.at.scene}"
    line = Text.assemble(("They say: ", "bold"), found.line or "(nothing)")
    parts: list[RenderableType] = [line, _selected(found)]
    if found.act_only:
        parts.append(
            _table("Acts on, never says", ("statement", "why"), ((a.statement, a.why) for a in found.act_only))
        )
    if withheld:
        held = ((statements.get(w.entry_id, w.entry_id), w.reason, w.detail) for w in withheld)
        parts.append(_table("Withheld", ("statement", "reason", "detail"), held))
    if found.flags:
        flags = ((f.kind, f.topic, f.detail) for f in found.flags)
        parts.append(_table("What the record says of the line", ("flag", "topic", "detail"), flags))
    if found.standings:
        stood = ((s.scope, "absent" if s.absent else f"{s.amount:+g}", "; ".join(s.reasons)) for s in found.standings)
        parts.append(_table("Standing", ("scope", "amount", "because"), stood))
    for c in found.consequences:
        sign, colour = ("✔", "green") if c.outcome == "granted" else ("✘", "red")
        change = f" It would change if {c.would_change}." if c.would_change else ""
        price = f" at {c.price}" if c.price else ""
        parts.append(
            Text(f"{sign} {c.action.replace('_', ' ')} is {c.outcome}{price}: {c.because}.{change}", style=colour)
        )
        parts += [Text(f"    {o.who} thinks {o.value:+.2f} of {o.about}", style="dim") for o in c.opinions]
    return Panel(Group(*parts), title=f"Context packet · {who}", subtitle=f"{found.tokens} tokens · {found.hash[:12]}")


def _selected(found: ContextPacket) -> Table:
    table = Table(title="May draw on and say", title_justify="left", expand=True, show_lines=False)
    for name in ("#", "statement", "how sure", "how known", "when", "notes"):
        table.add_column(name, overflow="fold", ratio=4 if name == "statement" else None)
    for item in found.selected:
        by = f" by {item.teller}" if item.teller else ""
        known = f"{item.how.removesuffix('_by')}{by}".replace("_", " ")
        table.add_row(
            str(item.rank),
            item.statement,
            item.band,
            known,
            item.fields.get("when", ""),
            _notes(item.status, item.notes),
        )
    return table


def _notes(status: str, notes: Iterable[str]) -> str:
    return ", ".join((*(() if status == "active" else (status,)), *notes))


def _table(title: str, columns: Iterable[str], rows: Iterable[Iterable[str]]) -> Table:
    table = Table(title=title, title_justify="left", expand=True)
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*(str(cell) for cell in row))
    return table


def scorecard(card: Scorecard) -> RenderableType:
    """Show five verdicts with their findings, and the stage at fault."""
    table = Table(title="Scorecard", title_justify="left", expand=True)
    for column in ("axis", "verdict", "findings"):
        table.add_column(column, overflow="fold")
    for verdict in card.verdicts:
        sign, colour = _SIGNS[verdict.state]
        found = "\n".join(f"{f.code}: {f.explanation}{f' «{f.span}»' if f.span else ''}" for f in verdict.findings)
        table.add_row(verdict.axis.replace("_", " "), Text(sign, style=colour), found or verdict.why)
    fault = "No stage is at fault." if card.passed else f"At fault: {card.fault}. {card.evidence}"
    return Group(table, Text(fault, style="green" if card.passed else "red"))


def chain(found: ProvenanceChain, naming: Naming) -> RenderableType:
    """Show a belief's chain in words, each branch a step in from where it begins."""
    told: list[RenderableType] = []
    depth = 0
    for line in in_words(found, naming=naming):
        depth = 0 if line.startswith("branch ") else depth
        told.append(Padding(Text(f"↳ {line}" if depth else line), (0, 0, 0, 2 * min(depth, 6))))
        depth += 1
    return Panel(Group(*told), title=f"Why · answered by {found.store}", title_align="left")


def cases(results: Iterable[CaseResult]) -> Table:
    """Show cases as a table a person can read."""
    table = Table(expand=True)
    for column in ("case", "", "selected", "withheld", "flags", "missing or leaked"):
        table.add_column(column, overflow="fold")
    for r in results:
        sign = Text("✔", style="green") if r.passed else Text("✘", style="red")
        withheld = ", ".join(f"{key}: {reason}" for key, reason in r.withheld.items())
        wrong = ", ".join((*(f"missing {m}" for m in r.missing), *(f"leaked {x}" for x in r.leaked)))
        table.add_row(r.id, sign, ", ".join(r.included), withheld, ", ".join(r.flags), wrong)
    return table


def rows(title: str, columns: Iterable[str], found: Iterable[Iterable[str]]) -> Table:
    """Show plain rows."""
    return _table(title, columns, found)


def survey(found: Survey) -> Table:
    """Show when each story came to whom, on which rung and how surely, with the spread over all seeds."""
    table = Table(title=f"{found.world_id}: {found.asked.seeds} seeds, {found.asked.hours} hours each", expand=True)
    for name in ("story", "to", "reached", "hours", "rung", "rungs", "sure", "by"):
        table.add_column(name, overflow="fold")
    for r in found.reaches:
        rungs = " ".join(f"{rung}:{n}" for rung, n in r.severities.items())
        by = ", ".join(f"{teller} {n}" for teller, n in r.tellers.items())
        sure = "" if r.confidence is None else f"{r.confidence.mean:.2f}"
        figures = (_spread(r.hours), _spread(r.severity), rungs, sure)
        table.add_row(r.story, r.to, f"{r.reached} of {r.of}", *figures, by)
    return table


def _spread(found: Spread | None) -> str:
    return "" if found is None else f"{found.mean:.1f} ± {found.deviation:.1f} ({found.least:g}-{found.most:g})"
