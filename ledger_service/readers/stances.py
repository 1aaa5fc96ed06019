"""How a clause is meant: our own short grammar over the cues of its language."""

from typing import Final

from ledger_service.domain.replies import Claim, Stance
from ledger_service.domain.terms import stem
from ledger_service.readers.sentences import Span
from ledger_service.readers.tongues import Tongue

_QUOTES: Final = {"'": "'", '"': '"', "‘": "’", "“": "”", "«": "»", "「": "」", "„": "“"}
_BARE: Final = 1
"""A clause with no more content than this says how sure the one before it is, not something of its own."""
_WORD_TERMS: Final = frozenset(stem(w) for w in "swear word sure certain tell say so put build quote there".split())


def stance_of(plain: str, span: Span, spoken: Tongue) -> Stance:
    """Return how a clause is meant: the first that its cues allow."""
    if span.stage:
        return Stance.GRANT if spoken.says("stage_grant", plain) else Stance.UNKNOWN
    if _is_quote(plain):
        return Stance.QUOTE
    if span.asks:
        return Stance.ASK
    return next((stance for stance, holds in _BY_CUE if holds(plain, spoken)), Stance.ASSERT)


def only_qualifies(claim: Claim) -> bool:
    """Say whether a clause only says how sure one is, or who says so, of the clause before it."""
    return claim.stance in {Stance.HEDGE, Stance.ATTRIBUTE} and len(set(claim.terms) - _WORD_TERMS) <= _BARE


def _is_quote(plain: str) -> bool:
    inner = plain.rstrip(".!?…, ")
    return (
        len(inner) > 1
        and _QUOTES.get(inner[0]) == inner[-1]
        and inner[-1] not in inner[1:-1].replace("n't", "").replace("'s", "")
    )


def _thanks(plain: str, spoken: Tongue) -> bool:
    return spoken.says("thank", plain) and not spoken.says("negative", plain)


def _promises(plain: str, spoken: Tongue) -> bool:
    bound = spoken.says("binding", plain) and not spoken.says("negative", plain) and not spoken.says("if_only", plain)
    return spoken.says("oath", plain) or bound


def _grants(plain: str, spoken: Tongue) -> bool:
    return spoken.says("grant", plain) and not spoken.says("conditional", plain)


def _refuses(plain: str, spoken: Tongue) -> bool:
    return spoken.says("refuse", plain)


def _attributes(plain: str, spoken: Tongue) -> bool:
    return spoken.says("attribute", plain)


def _hedges(plain: str, spoken: Tongue) -> bool:
    return spoken.says("hedge", plain)


def _denies(plain: str, spoken: Tongue) -> bool:
    return spoken.says("deny", plain)


_BY_CUE: Final = (
    (Stance.THANK, _thanks),
    (Stance.PROMISE, _promises),
    (Stance.REFUSE, _refuses),
    (Stance.GRANT, _grants),
    (Stance.ATTRIBUTE, _attributes),
    (Stance.HEDGE, _hedges),
    (Stance.DENY, _denies),
)
