"""What came of the zoo: injected fault x diagnosed fault, and how often each subject failed for its own."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from msgspec import Struct

from ledger_service.domain.probes import Broken
from ledger_service.domain.rubric import Code, Fault, Scorecard, State

AIM: Final = 0.95


class Diagnosed(Struct, frozen=True, kw_only=True):
    """One broken subject on one cell where its defect was active."""

    subject: str
    cell: str
    injected: Fault
    found: Fault
    is_own: bool
    """It failed for its own fault, and by a finding of its own."""
    line: str = ""
    evidence: str = ""


class Share(Struct, frozen=True, kw_only=True):
    """How one subject fared."""

    subject: str
    means: str
    injected: Fault
    active: int
    own: int

    @property
    def share(self) -> float:
        """The share of its active cells that failed for its own fault; nothing active is nothing shown."""
        return self.own / self.active if self.active else 0.0


class ZooReport(Struct, frozen=True, kw_only=True):
    """The whole zoo on one matrix."""

    story: str
    asked: int
    reference_failed: tuple[str, ...]
    """Cells that the honest speaker on the honest packet did not pass."""
    shares: tuple[Share, ...]
    confusion: dict[str, dict[str, int]]
    """Injected fault to diagnosed fault to cells."""
    missed: tuple[Diagnosed, ...]
    unmet: tuple[str, ...] = ()
    """Where the matrix expects otherwise of a subject: another fault, more cells, or a subject that there is not."""

    @property
    def diagonal(self) -> float:
        """The share of all active cells that lie on the diagonal."""
        every = sum(n for row in self.confusion.values() for n in row.values())
        return sum(row.get(injected, 0) for injected, row in self.confusion.items()) / every if every else 0.0

    @property
    def passed(self) -> bool:
        """Every subject is caught for its own fault in at least the aim of its cells, and the reference passes all."""
        caught = all(s.share >= AIM for s in self.shares if s.active)
        return not self.reference_failed and not self.unmet and caught


class Subject(Struct, frozen=True, kw_only=True):
    """What a report says of a subject."""

    name: str
    means: str
    injects: Fault
    codes: tuple[Code, ...]


def is_own(card: Scorecard, subject: Subject) -> bool:
    """Say whether a scorecard blames the stage that was broken, and shows it by what was broken."""
    codes = {f.code for v in card.verdicts if v.state is State.FAIL for f in v.findings}
    return card.fault is subject.injects and not codes.isdisjoint(subject.codes)


def _unmet(shares: Sequence[Share], expected: Mapping[str, Broken]) -> Iterator[str]:
    """Yield where subjects do not come to what a matrix expects of them."""
    by_name = {s.subject: s for s in shares}
    for name, want in expected.items():
        share = by_name.get(name)
        if share is None:
            yield f"there is no {name} in the zoo; there are {', '.join(sorted(by_name))}"
        elif share.injected is not want.fault:
            yield f"{name} injects {share.injected}, and the matrix expects {want.fault}"
        elif share.active < want.active:
            yield f"{name} is active in {share.active} cells, and the matrix expects {want.active} at least"
    if expected:
        yield from (f"the matrix says nothing of {name}" for name in by_name if name not in expected)


def report(
    story: str,
    found: Iterable[Diagnosed],
    subjects: Sequence[Subject],
    *,
    asked: int,
    reference_failed: Iterable[str],
    expected: Mapping[str, Broken] | None = None,
) -> ZooReport:
    """Add everything up, and hold it against what the matrix expects of each subject."""
    every = tuple(found)
    confusion: dict[str, Counter[str]] = {}
    for one in every:
        confusion.setdefault(str(one.injected), Counter())[str(one.found)] += 1
    active = Counter(one.subject for one in every)
    own = Counter(one.subject for one in every if one.is_own)
    shares = tuple(
        Share(subject=s.name, means=s.means, injected=s.injects, active=active[s.name], own=own[s.name])
        for s in subjects
    )
    return ZooReport(
        story=story,
        asked=asked,
        reference_failed=tuple(reference_failed),
        shares=shares,
        confusion={row: dict(sorted(columns.items())) for row, columns in confusion.items()},
        missed=tuple(one for one in every if not one.is_own),
        unmet=tuple(_unmet(shares, expected or {})),
    )
