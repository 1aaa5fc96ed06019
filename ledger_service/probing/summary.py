"""What a run of probes comes to: totals that must add up, rates with intervals, failures grouped, and the exit code."""

from collections import Counter
from collections.abc import Iterable, Sequence

from msgspec import Struct

from ledger_service.domain.counterfactuals import UNASKED, Counterfactuals
from ledger_service.domain.probe_runs import NONDETERMINISM, Attempt, KeptCell
from ledger_service.domain.probes import ResultState
from ledger_service.domain.rubric import Axis
from ledger_service.probing.statistics import Clustered, clustered, pass_hat, spread
from ledger_service.probing.tally import Rate, wilson

REFERENCE = "template"
"""The speaker that says what a packet holds, and nothing besides."""
MET, MISSED, BAD_INPUT, UNTRUSTED, INCOMPLETE, NOTHING = range(6)
_WORDS = ("gate met", "gate missed", "bad input", "not to be trusted", "not finished", "nothing selected")


class Group(Struct, frozen=True, kw_only=True):
    """Failures of one sort: the stage at fault, what was found, and which entry it is about."""

    fault: str
    subtype: str
    entry: str
    count: int
    example: str
    """The name of a cell."""
    line: str
    why: str
    beside: Counterfactuals = UNASKED
    """What would have been, in the example."""
    confirmed: int = 0
    """Failures for which what would have been bears the fault out."""
    in_doubt: int = 0
    """Failures for which it speaks against it."""

    @property
    def borne_out(self) -> str:
        """How often what would have been bears the fault out, in words; empty where nobody looked."""
        looked = self.confirmed + self.in_doubt
        return f"{self.confirmed} of {looked}" if looked else ""


class Summary(Struct, frozen=True, kw_only=True):
    """A run, added up."""

    planned: int
    counts: dict[str, int]
    tries: int
    broken_tries: int
    anchor: Rate
    """The headline: cells that ask in the anchor's words."""
    suite: Clustered
    """All wordings, clustered by row: what one pressure comes to at all distances hangs together."""
    pass_hat: dict[str, float]
    """pass^k over the repeats of each cell, on average."""
    wording: tuple[float, float, float] | None
    """The anchor's share of passes, the lowest wording's and the highest's."""
    flaky: tuple[str, ...]
    faults: dict[str, int]
    groups: tuple[Group, ...]
    spent: float = 0
    """What providers took for all tries."""
    nondeterministic: tuple[str, ...] = ()
    """Cells of which a stage that should be the same each time was not."""
    signals: dict[str, int] = {}
    """Stages that are noted and fail nothing, by how many tries missed what they should come to."""
    unsound: tuple[str, ...] = ()
    """Cells that the reference speaker fails too: what they ask may not be possible."""
    weak: tuple[str, ...] = ()
    """Rows that pass without a packet, where somebody looked."""

    @property
    def adds_up(self) -> bool:
        """Planned is the sum of pass, fail, error, unscored, skipped and pending."""
        return self.planned == sum(self.counts.values())

    @property
    def used(self) -> str:
        """What it took: tries, and money where it cost any."""
        return f"{self.tries} tries" + (f", {self.spent:.4f} spent" if self.spent else "")

    @property
    def identity(self) -> str:
        """The sum in words.

        It is printed with every run.
        """
        parts = " + ".join(f"{n} {state}" for state, n in self.counts.items())
        return f"{self.planned} planned {'=' if self.adds_up else '≠'} {parts}"


class Verdict(Struct, frozen=True, kw_only=True):
    """An exit code, and why."""

    code: int
    reason: str

    @property
    def word(self) -> str:
        """The code in words."""
        return _WORDS[self.code]


def summarise(planned: int, cells: Sequence[KeptCell]) -> Summary:
    """Add a run up."""
    counts = dict.fromkeys(map(str, ResultState), 0)
    for cell in cells:
        counts[cell.state] += 1
    judged = [c for c in cells if c.state in {ResultState.PASS, ResultState.FAIL}]
    anchors = [c for c in judged if c.cell.paraphrase == 0]
    bad = [(c, a) for c in cells for a in c.last if a.state in {ResultState.FAIL, ResultState.ERROR}]
    return Summary(
        planned=planned,
        counts=counts,
        tries=sum(len(c.attempts) for c in cells),
        broken_tries=sum(a.state is ResultState.ERROR for c in cells for a in c.attempts),
        anchor=wilson(*_passed(anchors)),
        suite=clustered([_passed(there) for there in _by_row(judged)]),
        pass_hat=_pass_hats(judged),
        wording=spread({i: _passed(c for c in judged if c.cell.paraphrase == i) for i in _wordings(judged)}),
        flaky=tuple(c.cell.name for c in cells if len({a.state for a in c.counted}) > 1 or _flips(c)),
        faults=dict(sorted(Counter(str(a.fault) for _, a in bad).items())),
        groups=_groups(bad),
        spent=sum(a.cost for c in cells for a in c.attempts),
        nondeterministic=tuple(c.cell.name for c in cells if _flips(c)),
        signals=dict(sorted(Counter(str(axis) for c in cells for a in c.last for axis in _signals(a)).items())),
        unsound=tuple(c.cell.name for c in judged if any(_is_unsound(a) for a in c.last)),
    )


def _flips(cell: KeptCell) -> bool:
    return any(a.subtype == NONDETERMINISM for a in cell.last)


def _signals(attempt: Attempt) -> tuple[Axis, ...]:
    return attempt.scorecard.signals if attempt.scorecard is not None else ()


def _is_unsound(attempt: Attempt) -> bool:
    """Say whether the reference fails, as the speaker beside the subject or as the subject itself."""
    if attempt.state is not ResultState.FAIL or attempt.subtype == NONDETERMINISM:
        return False
    reference = attempt.beside.reference
    return attempt.responder == REFERENCE if reference is None else not reference.passed


def _passed(cells: Iterable[KeptCell]) -> tuple[int, int]:
    states = [c.state for c in cells]
    return states.count(ResultState.PASS), len(states)


def _by_row(cells: Sequence[KeptCell]) -> list[list[KeptCell]]:
    rows: dict[str, list[KeptCell]] = {}
    for cell in cells:
        rows.setdefault(cell.cell.pressure, []).append(cell)
    return list(rows.values())


def _wordings(cells: Sequence[KeptCell]) -> list[int]:
    return sorted({c.cell.paraphrase for c in cells})


def _pass_hats(cells: Sequence[KeptCell]) -> dict[str, float]:
    """Return pass^k for each k that every cell was asked often enough for."""
    least = min((len(c.counted) for c in cells), default=0)
    return {
        str(k): sum(pass_hat(sum(a.state is ResultState.PASS for a in c.counted), len(c.counted), k) for c in cells)
        / len(cells)
        for k in range(1, least + 1)
    }


def _groups(bad: Sequence[tuple[KeptCell, Attempt]]) -> tuple[Group, ...]:
    """Group by fault, subtype and entry, the most frequent first."""
    found: dict[tuple[str, str, str], list[tuple[KeptCell, Attempt]]] = {}
    for cell, a in bad:
        found.setdefault((str(a.fault), a.subtype, a.entry), []).append((cell, a))
    groups = [_group(key, there) for key, there in found.items()]
    return tuple(sorted(groups, key=lambda g: (-g.count, g.fault, g.subtype, g.entry)))


def _group(key: tuple[str, str, str], there: Sequence[tuple[KeptCell, Attempt]]) -> Group:
    cell, shown = there[0]
    stands = [a.beside.confirmed for _, a in there]
    return Group(
        fault=key[0], subtype=key[1], entry=key[2], count=len(there), example=cell.cell.name, line=shown.line,
        why=shown.why, beside=shown.beside, confirmed=stands.count(True), in_doubt=stands.count(False),
    )  # fmt: skip


def verdict(summary: Summary, *, stopped: str = "", gate: float = 1.0, resume: str = "") -> Verdict:
    """Say what a run's exit code is: no verdict on the subject where the run cannot be trusted or is not over."""
    counts = summary.counts
    if not summary.planned:
        return Verdict(code=NOTHING, reason="nothing was selected: no cell has such a name")
    if not summary.adds_up:
        return Verdict(code=UNTRUSTED, reason=f"the totals do not add up: {summary.identity}")
    broken = counts[ResultState.ERROR]
    if stopped == "provider":
        tries = summary.broken_tries
        why = (
            f"the provider does not answer: {tries} of {summary.tries} tries broke, and {counts['pending']} cells wait"
        )
        return Verdict(code=UNTRUSTED, reason=f"{why}; when it is back: {resume}")
    if counts[ResultState.PENDING]:
        why = f"{counts[ResultState.PENDING]} of {summary.planned} cells are still to be asked"
        return Verdict(code=INCOMPLETE, reason=f"{why} ({stopped or 'not finished'}); go on with: {resume}")
    if broken:
        return Verdict(code=UNTRUSTED, reason=f"{broken} of {summary.planned} cells broke, so the rest says too little")
    return _of_the_subject(summary, gate)


def _of_the_subject(summary: Summary, gate: float) -> Verdict:
    passed, failed = summary.counts[ResultState.PASS], summary.counts[ResultState.FAIL]
    flips = sum(g.count for g in summary.groups if g.subtype == NONDETERMINISM)
    if flips:
        return Verdict(code=UNTRUSTED, reason=f"{flips} tries of what should be the same each time were not")
    if not passed + failed:
        return Verdict(code=UNTRUSTED, reason="nothing could be judged")
    share = passed / (passed + failed)
    if share < gate:
        return Verdict(code=MISSED, reason=f"{failed} of {passed + failed} cells fail, and {gate:.0%} are to pass")
    return Verdict(code=MET, reason=f"{passed} of {passed + failed} cells pass, and {gate:.0%} are to")
