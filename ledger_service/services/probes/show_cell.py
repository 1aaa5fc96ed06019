"""A cell of a run as evidence: what its packet was to hold, what it held, and what was said on it."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec import Struct

from ledger_service.domain.counterfactuals import UNASKED
from ledger_service.domain.probe_runs import Attempt, KeptCell, RunPlan
from ledger_service.domain.probes import ResultState
from ledger_service.domain.rubric import Axis, Finding, State
from ledger_service.probing.recipes import held, legs_of
from ledger_service.services.probes.freeze_cells import Frozen

_WORDS = ("statement", "line", "said", "title", "what")


class Item(Struct, frozen=True, kw_only=True):
    """Something that is expected, by its label, in words; and how it stands in the packet that was asked on."""

    label: str
    said: str = ""
    want: str
    """`held`, `kept out` or `acted on`."""
    sign: str = "·"
    stands: str = ""
    is_missed: bool = False


class Evidence(Struct, frozen=True, kw_only=True):
    """One try of a cell, with what was expected of it beside what it was."""

    attempt: Attempt | None
    items: tuple[Item, ...]
    flags: tuple[str, ...]
    flags_out: tuple[str, ...]
    claims: tuple[tuple[str, str], ...]
    """How the line must hold each claim."""
    findings: tuple[tuple[Axis, Finding], ...]
    is_judged: bool


def evidence_of(run: RunPlan, cell: KeptCell, attempt: Attempt | None = None) -> Evidence:
    """Lay out what a cell expects beside what a try came to; without one, the first that failed, else the last."""
    shown = attempt or _shown(cell)
    expect, words = cell.cell.expect, words_of(run)
    card = shown.scorecard if shown is not None else None
    selection = None if card is None else card.verdict(Axis.SELECTION)
    is_judged = selection is not None and selection.state in {State.PASS, State.FAIL}
    missing = {m.entry: m.in_words.partition(": ")[2] for m in (shown.beside if shown else UNASKED).missing}
    named = _named(selection.findings if selection is not None else ())
    wanted = [("held", name) for name in expect.must_include] + [("kept out", name) for name in expect.must_exclude]
    wanted += [("acted on", name) for name in expect.act_only]
    return Evidence(
        attempt=shown,
        items=tuple(_item(name, want, words, missing, named, is_judged=is_judged) for want, name in wanted),
        flags=expect.flags,
        flags_out=expect.flags_must_exclude,
        claims=tuple((stance, text) for stance, texts in held(expect.reply) for text in texts),
        findings=tuple((v.axis, f) for v in card.verdicts for f in v.findings) if card is not None else (),
        is_judged=is_judged,
    )


def _shown(cell: KeptCell) -> Attempt | None:
    bad = [a for a in cell.last if a.state in {ResultState.FAIL, ResultState.ERROR}]
    return next(iter(bad or cell.last[-1:]), None)


def _named(findings: Iterable[Finding]) -> str:
    return "\n".join(f.explanation for f in findings)


def _item(
    name: str, want: str, words: Mapping[str, str], missing: Mapping[str, str], named: str, *, is_judged: bool
) -> Item:
    said = words.get(name) or words.get(name.partition(".")[0], "")
    if not is_judged:
        return Item(label=name, said=said, want=want, stands="not judged")
    if name in missing:
        return Item(label=name, said=said, want=want, sign="✘", stands=missing[name] or "not there", is_missed=True)
    if f"`{name}`" in named or (said and said in named):
        return Item(label=name, said=said, want=want, sign="✘", stands="not so; see the findings", is_missed=True)
    return Item(label=name, said=said, want=want, sign="✔", stands=f"{want}, as it is to be")


def words_of(run: RunPlan) -> dict[str, str]:
    """Return what the labelled events of a run's story and distances say."""
    events = [(s.label, s.raw) for s in run.steps]
    events += [
        (str(raw["label"]), raw)
        for distance in run.matrix.distances
        for leg in legs_of(distance)
        for raw in leg.events
        if "label" in raw
    ]
    return {label: text for label, raw in events if label for text in [next(_texts(raw), "")]}


def _texts(raw: Mapping[str, Any]) -> Iterator[str]:
    for name in _WORDS:
        if isinstance(raw.get(name), str):
            yield raw[name]


class Held(Struct, frozen=True, kw_only=True):
    """An entry of a rebuilt packet."""

    label: str
    statement: str
    band: str = ""
    why: str = ""


def held_by(frozen: Frozen) -> tuple[tuple[str, tuple[Held, ...]], ...]:
    """Return what a packet may say, what it acts on only, and what it withholds that was expected or forbidden."""
    names, packet = frozen.names, frozen.packet
    about = {*frozen.gold.must_include, *frozen.gold.must_exclude, *frozen.gold.act_only}
    selected = tuple(
        Held(label=names.get(s.entry_id, ""), statement=s.statement, band=s.band, why=s.how) for s in packet.selected
    )
    acted = tuple(
        Held(label=names.get(a.entry_id, ""), statement=a.statement, why=a.why) for a in packet.act_only
    )  # fmt: skip
    entries = {e.entry_id: e.statement for e in frozen.ledger.entries.values()}
    out = tuple(
        Held(label=names.get(w.entry_id, w.entry_id), statement=entries.get(w.entry_id, ""), why=str(w.reason))
        for w in packet.withheld
        if w.entry_id in about
    )
    return (("may be said", selected), ("acted on only", acted), ("held back, of what the probe names", out))
