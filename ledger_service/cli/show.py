"""How things look on a terminal: packets, scorecards, chains, cases, heat maps."""

from collections.abc import Iterable, Mapping, Sequence

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.panel import Panel
from rich.text import Text

from ledger_service.cli.listing import Listing
from ledger_service.domain.packets import ContextPacket, Selected, Withheld
from ledger_service.domain.rubric import Scorecard, State, Verdict
from ledger_service.domain.rumours import ProvenanceChain
from ledger_service.probing.case_verdicts import CaseResult
from ledger_service.rumours.provenance import Naming, in_words
from ledger_service.services.gossip.survey_gossip import Reach, Spread, Survey

_SIGNS = {State.PASS: ("✔ pass", "green"), State.FAIL: ("✘ fail", "red"), State.MASKED: ("◌ masked", "yellow"),
          State.UNSCORED: ("· unscored", "dim")}  # fmt: skip


def packet(found: ContextPacket, withheld: Sequence[Withheld], statements: Mapping[str, str]) -> RenderableType:
    """Show what the speaker may draw on, what was withheld and why, flags and consequences."""
    who = f"{found.speaker} speaks to {', '.join(found.audience)}, tick {found.at.tick}, scene {found.at.scene}"
    line = Text.assemble(("They say: ", "bold"), found.line or "(nothing)")
    parts: list[RenderableType] = [Text(who, style="dim"), line, _selected(found)]
    if found.act_only:
        parts.append(
            Listing("Acts on, never says", ("statement", "why"), ((a.statement, a.why) for a in found.act_only))
        )
    if withheld:
        held = ((statements.get(w.entry_id, w.entry_id), w.reason, w.detail) for w in withheld)
        parts.append(Listing("Withheld", ("statement", "reason", "detail"), held))
    if found.flags:
        flags = ((f.kind, f.topic, f.detail) for f in found.flags)
        parts.append(Listing("What the record says of the line", ("flag", "topic", "detail"), flags))
    if found.standings:
        stood = ((s.scope, "absent" if s.absent else f"{s.amount:+g}", "; ".join(s.reasons)) for s in found.standings)
        parts.append(Listing("Standing", ("scope", "amount", "because"), stood))
    for c in found.consequences:
        sign, colour = ("✔", "green") if c.outcome == "granted" else ("✘", "red")
        change = f" It would change if {c.would_change}." if c.would_change else ""
        price = f" at {c.price}" if c.price else ""
        parts.append(
            Text(f"{sign} {c.action.replace('_', ' ')} is {c.outcome}{price}: {c.because}.{change}", style=colour)
        )
        parts += [Text(f"    {o.who} thinks {o.value:+.2f} of {o.about}", style="dim") for o in c.opinions]
    return Panel(Group(*parts), title="Context packet", subtitle=f"{found.tokens} tokens · {found.hash[:12]}")


def _selected(found: ContextPacket) -> Listing:
    columns = ("#", "statement", "how sure", "how known", "when", "notes")
    return Listing("May draw on and say", columns, map(_selected_row, found.selected))


def _selected_row(item: Selected) -> tuple[str, ...]:
    by = f" by {item.teller}" if item.teller else ""
    known = f"{item.how.removesuffix('_by')}{by}".replace("_", " ")
    notes = _notes(item.status, item.notes)
    return (str(item.rank), item.statement, item.band, known, item.fields.get("when", ""), notes)


def _notes(status: str, notes: Iterable[str]) -> str:
    return ", ".join((*(() if status == "active" else (status,)), *notes))


def scorecard(card: Scorecard) -> RenderableType:
    """Show five verdicts with their findings, and the stage at fault."""
    table = Listing("Scorecard", ("axis", "verdict", "findings"), map(_verdict, card.verdicts))
    fault = "No stage is at fault." if card.passed else f"At fault: {card.fault}. {card.evidence}"
    parts: list[RenderableType] = [table, Text(fault, style="green" if card.passed else "red")]
    if card.judged is not None:
        said = card.judged
        words = f" «{said.span}»" if said.span else f" ({said.why})" if said.why else ""
        cost = f"{said.milliseconds:g} ms, {said.tokens} tokens"
        parts.append(Text(f"{said.judge} says of what rules leave open: {said.label}{words}, {cost}", style="dim"))
    return Group(*parts)


def _verdict(verdict: Verdict) -> tuple[str | Text, ...]:
    sign, colour = _SIGNS[verdict.state]
    found = "\n".join(f"{f.code}: {f.explanation}{f' «{f.span}»' if f.span else ''}" for f in verdict.findings)
    return (verdict.axis.replace("_", " "), Text(sign, style=colour), found or verdict.why)


def chain(found: ProvenanceChain, naming: Naming) -> RenderableType:
    """Show a belief's chain in words, each branch a step in from where it begins."""
    told: list[RenderableType] = []
    depth = 0
    for line in in_words(found, naming=naming):
        depth = 0 if line.startswith("branch ") else depth
        told.append(Padding(Text(f"↳ {line}" if depth else line), (0, 0, 0, 2 * min(depth, 6))))
        depth += 1
    return Panel(Group(*told), title=f"Why · answered by {found.store}", title_align="left")


def cases(results: Iterable[CaseResult]) -> Listing:
    """Show cases as a table a person can read."""
    return Listing("Cases", ("", "case", "selected", "withheld", "flags", "missing or leaked"), map(_case, results))


def _case(r: CaseResult) -> tuple[str | Text, ...]:
    sign = Text("✔", style="green") if r.passed else Text("✘", style="red")
    withheld = ", ".join(f"{key}: {reason}" for key, reason in r.withheld.items())
    wrong = ", ".join((*(f"missing {m}" for m in r.missing), *(f"leaked {x}" for x in r.leaked)))
    return (sign, r.id, ", ".join(r.included), withheld, ", ".join(r.flags), wrong)


def rows(title: str, columns: Sequence[str], found: Iterable[Iterable[str]]) -> Listing:
    """Show plain rows."""
    return Listing(title, columns, found)


def survey(found: Survey) -> Listing:
    """Show when each story came to whom, on which rung and how surely, with the spread over all seeds."""
    title = f"{found.world_id}: {found.asked.seeds} seeds, {found.asked.hours} hours each"
    columns = ("story", "to", "reached", "hours", "rung", "rungs", "sure", "by")
    return Listing(title, columns, map(_reach, found.reaches))


def _reach(r: Reach) -> tuple[str, ...]:
    rungs = " ".join(f"{rung}:{n}" for rung, n in r.severities.items())
    by = ", ".join(f"{teller} {n}" for teller, n in r.tellers.items())
    sure = "" if r.confidence is None else f"{r.confidence.mean:.2f}"
    return (r.story, r.to, f"{r.reached} of {r.of}", _spread(r.hours), _spread(r.severity), rungs, sure, by)


def _spread(found: Spread | None) -> str:
    return "" if found is None else f"{found.mean:.1f} ± {found.deviation:.1f} ({found.least:g}-{found.most:g})"
