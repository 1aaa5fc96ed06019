"""Whether a line knows nothing of what a probe says it must draw on."""

from collections.abc import Iterable
from typing import Final

from msgspec.structs import replace

from ledger_service.domain.packets import ContextPacket, FlagKind, Selected
from ledger_service.domain.replies import Claim, Stance
from ledger_service.domain.rubric import Code, Finding, Gold, State, Verdict
from ledger_service.domain.terms import content_terms, stem, term_set

_ABSENT: Final = frozenset({FlagKind.NO_RECORD, FlagKind.FALSE_PREMISE})
_HOLLOW: Final = frozenset(stem(word) for word in "record memory recall remember know note idea such thing".split())


def with_forgotten(verdict: Verdict, packet: ContextPacket, claims: Iterable[Claim], gold: Gold | None) -> Verdict:
    """Add to the verdict on a line that it forgets: it says that there is no record of what the packet holds."""
    found = None if gold is None else _forgotten(packet, tuple(claims), gold)
    if found is None:
        return verdict
    return replace(verdict, state=State.FAIL, findings=(*verdict.findings, found))


def _forgotten(packet: ContextPacket, claims: tuple[Claim, ...], gold: Gold) -> Finding | None:
    empty = next((c for c in claims if _is_empty(c)), None)
    if empty is None or any(f.kind in _ABSENT for f in packet.flags):
        return None
    line = set(content_terms(packet.line))
    wanted = [s for s in packet.selected if s.entry_id in gold.must_include and term_set(s.statement) & line]
    said = {term for claim in claims for term in claim.terms}
    if not wanted or any(_is_used(item, said) for item in wanted):
        return None
    return Finding(
        code=Code.FORGOTTEN, explanation="the packet holds it, and the line has no record of it", span=empty.text,
        start=empty.start, entry_ids=tuple(s.entry_id for s in wanted),
    )  # fmt: skip


def _is_empty(claim: Claim) -> bool:
    """Say whether a claim says no more than that there is nothing to say."""
    knows_not = claim.stance in {Stance.UNKNOWN, Stance.DENY} or claim.says("forgets")
    return knows_not and not set(claim.terms) - _HOLLOW


def _is_used(item: Selected, said: set[str]) -> bool:
    return bool(term_set(item.statement) & said)
