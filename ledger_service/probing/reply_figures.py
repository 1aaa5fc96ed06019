"""Figures over checked replies: how often a verdict or a code is right, with intervals, and what was confused."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from msgspec import Struct

from ledger_service.domain.rubric import Aligned, State
from ledger_service.probing.labelled import AXES, Labelled
from ledger_service.probing.tally import wilson

ENOUGH: Final = 20
"""Below so many items of a code, its figures are shown and claim nothing."""


class Share(Struct, frozen=True, kw_only=True):
    """A share with the number it is of and its Wilson interval at 95 %; no number, no share."""

    rate: float | None
    n: int
    low: float
    high: float


def share(passed: int, judged: int) -> Share:
    """Return a share with its interval.

    >>> share(9, 10).rate
    0.9
    """
    of = wilson(passed, judged)
    rate = round(passed / judged, 4) if judged else None
    return Share(rate=rate, n=judged, low=round(of.low, 4), high=round(of.high, 4))


def f1_of(tp: int, fp: int, fn: int) -> Share:
    """Return F1, with an interval as of a share of as many items as it weighs: the right ones and half of the wrong.

    >>> f1_of(6, 2, 2).rate
    0.75
    """
    of = share(tp, tp + (fp + fn + 1) // 2)
    rate = round(2 * tp / (2 * tp + fp + fn), 4) if tp + fp + fn else None
    return Share(rate=rate, n=of.n, low=of.low, high=of.high)


class FoundLine(Struct, frozen=True, kw_only=True):
    """A finding as it is printed."""

    code: str
    span: str
    entries: tuple[str, ...]
    why: str
    severity: str = ""
    aligned: tuple[Aligned, ...] = ()
    """Entries that its words speak of, each with its score and the reason."""


class CheckedReply(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the checker makes of one reply."""

    id: str
    verdicts: dict[str, str]
    findings: tuple[FoundLine, ...]
    ms: float
    why: dict[str, str] = {}
    """Why an axis is unscored."""


class Figures(Struct, frozen=True, kw_only=True):
    """Precision, recall and F1, with 95 % intervals, and what they are counted from."""

    n: int
    right: int
    false_alarms: int
    missed: int
    unscored: int
    precision: Share
    recall: Share
    f1: Share


Pair = tuple[Labelled, CheckedReply]


def summarise(pairs: Sequence[Pair]) -> dict[str, Any]:
    """Return the summary of a run: by axis, code, difficulty, language and half; confusions; spans; time."""
    return {
        "items": len(pairs),
        "axes": {axis: axis_figures(pairs, axis) for axis in AXES},
        "codes": {code: {"enough": f.n >= ENOUGH, "figures": f} for code, f in _codes(pairs)},
        "by_difficulty": _by(pairs, lambda item: item.difficulty),
        "by_language": _by(pairs, lambda item: item.lang),
        "by_half": _by(pairs, lambda item: item.half),
        "spans_overlap": _spans(pairs),
        "confusion": [
            {"expected": a, "found": b, "count": n}
            for (a, b), n in sorted(_confusion(pairs).items(), key=lambda row: (-row[1], row[0]))
        ],
        "wrong": _wrong(pairs),
        "ms": _times([checked.ms for _, checked in pairs]),
    }


def axis_figures(pairs: Iterable[Pair], axis: str) -> Figures:
    """Return the figures of one axis: a failed line is what is looked for. `na` is not judged."""
    judged = [(i.expected[axis] == "fail", c.verdicts[axis]) for i, c in pairs if i.expected[axis] != "na"]
    return _figures(
        tp=sum(bad and state == State.FAIL for bad, state in judged),
        fp=sum(not bad and state == State.FAIL for bad, state in judged),
        fn=sum(bad and state != State.FAIL for bad, state in judged),
        n=len(judged),
        unscored=sum(state == State.UNSCORED for _, state in judged),
    )


def _figures(*, tp: int, fp: int, fn: int, n: int, unscored: int = 0) -> Figures:
    return Figures(
        n=n, right=tp, false_alarms=fp, missed=fn, unscored=unscored,
        precision=share(tp, tp + fp), recall=share(tp, tp + fn), f1=f1_of(tp, fp, fn),
    )  # fmt: skip


def _codes(pairs: Sequence[Pair]) -> Iterable[tuple[str, Figures]]:
    """Yield each code's figures: an item counts for a code that it holds, aims at, or is given."""
    codes = sorted(
        {label.code for i, _ in pairs for label in i.labels} | {f.code for _, c in pairs for f in c.findings}
    )
    for code in codes:
        tp = fp = fn = n = 0
        for item, checked in pairs:
            given = [f.code for f in checked.findings if f.severity != "minor"]
            labelled = any(label.code == code for label in item.labels)
            right = any(label.code == code and any(label.allows(g) for g in given) for label in item.labels)
            allowed = any(label.allows(code) for label in item.labels)
            tp += right
            fn += labelled and not right
            fp += code in given and not allowed
            n += labelled or item.aims_at == code
        yield code, _figures(tp=tp, fp=fp, fn=fn, n=n)


def _by(pairs: Sequence[Pair], of: Callable[[Labelled], str]) -> dict[str, Figures]:
    names = sorted({of(item) for item, _ in pairs})
    return {name: axis_figures([p for p in pairs if of(p[0]) == name], "response") for name in names}


def _spans(pairs: Sequence[Pair]) -> Share:
    """Return how many true findings quote words that overlap those of the label."""
    hits = total = 0
    for item, checked in pairs:
        for label in item.labels:
            same = [f for f in checked.findings if label.allows(f.code) and f.severity != "minor"]
            if same and label.span:
                total += 1
                hits += any(_overlap(item.reply, label.span, f.span) for f in same)
    return share(hits, total)


def _overlap(reply: str, a: str, b: str) -> bool:
    if not b:
        return False
    at, to = reply.find(a), reply.find(b)
    return at >= 0 and to >= 0 and at < to + len(b) and to < at + len(a)


def _confusion(pairs: Sequence[Pair]) -> Counter[tuple[str, str]]:
    found: Counter[tuple[str, str]] = Counter()
    for item, checked in pairs:
        given = [f.code for f in checked.findings if f.severity != "minor"]
        left = list(given)
        for label in item.labels:
            right = next((g for g in left if label.allows(g)), None)
            if right is not None:
                left.remove(right)
            else:
                found[label.code, "nothing" if not given else given[0]] += 1
        if not item.labels:
            found.update(("nothing", code) for code in given)
    return found


def _wrong(pairs: Sequence[Pair]) -> list[dict[str, str]]:
    return [
        {"id": item.id, "axis": axis, "expected": item.expected[axis], "got": checked.verdicts[axis]}
        for item, checked in pairs
        for axis in AXES
        if (item.expected[axis] == "fail") != (checked.verdicts[axis] == State.FAIL)
    ]


def _times(ms: list[float]) -> dict[str, float]:
    ordered = sorted(ms) or [0.0]

    def at(part: float) -> float:
        return round(ordered[min(len(ordered) - 1, int(part * len(ordered)))], 3)

    return {"median": at(0.5), "p95": at(0.95), "max": round(ordered[-1], 3)}
