"""What a line comes to: whether it hands over what was asked for, keeps it back, or speaks no outcome.

A stage direction that hands it over or opens the way is a grant, whatever is said beside it. A bare no is a refusal,
whatever is joked before it, unless what was asked for is granted by name after it. A grant for later, or in mockery, is
none now. Who is told how to use it, or when to be home with it, has it, unless something in the line holds it back.
"""

import re
from collections.abc import Sequence
from functools import cache

from msgspec import Struct

from ledger_service.domain.clipped import spelt
from ledger_service.domain.replies import Claim, Stance
from ledger_service.domain.terms import stem, words
from ledger_service.scoring.words.lists import any_of, read_lists
from ledger_service.scoring.words.overlap import akin

_MEANT = frozenset({"it", "them", "her", "him", "these", "those", "both"})
_TOKENS = frozenset(stem(w) for w in "key keys pass permit ticket chit token badge ring".split())
"""What lets in, ride or take when it is handed over."""


class Outcome(Struct, frozen=True, kw_only=True):
    """The clause that grants, and the one that refuses; neither where no outcome is spoken."""

    granted: Claim | None = None
    refused: Claim | None = None
    held: Claim | None = None
    """The clause that holds it off, by a rule or until something is done: nothing is granted, nothing is refused."""
    in_order: Claim | None = None
    """The clause by which what a grant takes is there: earned, paid, signed; nothing is refused."""


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
    held = next((c for c in claims if _holds_off(c)), None)
    if granted is None and refused is None and held is None and not mocked:
        granted = next((c for c in claims if _sends_off(c)), None)
    in_order = next((c for c in claims if _is_english(c) and _is_spoken(c) and tells(c.text, "in_order")), None)
    return Outcome(
        granted=granted, refused=refused, held=None if _for_later(claims) else held or kept, in_order=in_order
    )


def _granted_after(bare: Claim, claims: Sequence[Claim], asked: frozenset[str]) -> bool:
    """Say whether a no was to something else: what was asked for is granted by name after it."""
    later = (c for c in claims if c.start > bare.start and c.stance is Stance.GRANT and not c.is_stage)
    return any(not c.negative and akin(c.terms, asked) for c in later)


def refuses(claim: Claim) -> bool:
    """Say whether a clause says no to what was asked."""
    turned = _is_english(claim) and _is_spoken(claim) and tells(claim.text, "turns_away")
    return claim.stance is Stance.REFUSE or claim.says("withholds") or turned


def _for_later(claims: Sequence[Claim]) -> bool:
    """Say whether it is promised for later: that is no outcome now."""
    spoken = [c for c in claims if _is_spoken(c)]
    return any(c.stance in {Stance.PROMISE, Stance.GRANT} or c.says("later_on") for c in spoken)


def _holds_off(claim: Claim) -> bool:
    return _is_english(claim) and _is_spoken(claim) and tells(claim.text, "holds_off")


def _sends_off(claim: Claim) -> bool:
    """Say whether a clause tells how to use what was asked for, when to be home with it, or where it is."""
    spoken = _is_english(claim) and _is_spoken(claim) and not claim.says("later_on")
    return spoken and tells(claim.text, "sends_off", "shows_way")


def _is_english(claim: Claim) -> bool:
    return claim.lang == "en"


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
    return claim.says("opens_up") or (_is_english(claim) and tells(claim.text, "gives_way"))


@cache
def _pattern(kind: str) -> re.Pattern[str]:
    """Return a list of `outcomes.toml` as one pattern: any of them."""
    return any_of(read_lists(__package__, "outcomes.toml")[kind])


def tells(text: str, *kinds: str) -> bool:
    """Say whether an English clause tells an outcome in one of some ways.

    >>> tells("Be back by the second bell.", "sends_off"), tells("Coin first.", "holds_off")
    (True, True)
    """
    plain = spelt(text)
    return any(_pattern(kind).search(plain) is not None for kind in kinds)
