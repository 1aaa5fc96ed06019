"""What a line comes to: whether it hands over what was asked for, keeps it back, or speaks no outcome.

A stage direction that hands it over or opens the way is a grant, whatever is said beside it. A bare no is a refusal,
whatever is joked before it, unless what was asked for is granted by name after it. A grant for later, or in mockery, is
none now.
"""

from collections.abc import Sequence

from msgspec import Struct

from ledger_service.domain.replies import Claim, Stance
from ledger_service.domain.terms import stem, words
from ledger_service.scoring.words.overlap import akin

_MEANT = frozenset({"it", "them", "her", "him", "these", "those", "both"})
_TOKENS = frozenset(stem(w) for w in "key keys pass permit ticket chit token badge ring".split())
"""What lets in, ride or take when it is handed over."""


class Outcome(Struct, frozen=True, kw_only=True):
    """The clause that grants, and the one that refuses; neither where no outcome is spoken."""

    granted: Claim | None = None
    refused: Claim | None = None


def outcome_of(claims: Sequence[Claim], asked: frozenset[str]) -> Outcome:
    """Return what a line comes to, of what was asked for in these stems."""
    bare = next((c for c in claims if _is_spoken(c) and c.says("no_way")), None)
    bare = None if bare is not None and _granted_after(bare, claims, asked) else bare
    refused = bare or next((c for c in claims if refuses(c)), None)
    kept = refused or next((c for c in claims if c.is_stage and c.says("keeps_back")), None)
    mocked = any(c.says("mocks") for c in claims)
    if bare is not None or (mocked and kept is not None):
        return Outcome(refused=bare or kept)
    negative = any(c.negative if _is_spoken(c) else c.says("keeps_back") for c in claims)
    granted = next((c for c in claims if _grants(c, asked, negative=negative, mocked=mocked)), None)
    return Outcome(granted=granted, refused=refused)


def _granted_after(bare: Claim, claims: Sequence[Claim], asked: frozenset[str]) -> bool:
    """Say whether a no was to something else: what was asked for is granted by name after it."""
    later = (c for c in claims if c.start > bare.start and c.stance is Stance.GRANT and not c.is_stage)
    return any(not c.negative and akin(c.terms, asked) for c in later)


def refuses(claim: Claim) -> bool:
    """Say whether a clause says no to what was asked."""
    return claim.stance is Stance.REFUSE or claim.says("withholds")


def _is_spoken(claim: Claim) -> bool:
    return not claim.is_stage and claim.stance not in {Stance.ASK, Stance.QUOTE}


def _grants(claim: Claim, asked: frozenset[str], *, negative: bool, mocked: bool) -> bool:
    if claim.is_stage:
        return _gives(claim, asked, negative=negative)
    spoken = claim.stance is Stance.GRANT or (claim.stance is Stance.ASSERT and claim.says("lets_go"))
    return spoken and not (mocked or claim.negative or claim.says("later_on"))


def _gives(claim: Claim, asked: frozenset[str], *, negative: bool) -> bool:
    """Say whether a stage direction gives what was asked: by name, or where nothing in the line says no."""
    if claim.says("keeps_back"):
        return False
    if claim.stance is Stance.GRANT or claim.says("hands_over"):
        named = bool(akin(claim.terms, asked)) or not _TOKENS.isdisjoint(claim.terms)
        return named or not negative or not _MEANT.isdisjoint(words(claim.text))
    return claim.says("opens_up")
