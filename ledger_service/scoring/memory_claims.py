"""Whether a reply remembers what was not, uses what no longer holds, or says the opposite of the record."""

from collections.abc import Iterator
from typing import Final

from ledger_service.domain.entries import Commitment, Contradiction, EmotionalResidue, RelationshipDelta
from ledger_service.domain.ids import PLAYER
from ledger_service.domain.moments import ClaimKind
from ledger_service.domain.packets import FlagKind
from ledger_service.domain.replies import Claim, Stance
from ledger_service.domain.rubric import Code, Finding
from ledger_service.domain.terms import stem, words
from ledger_service.scoring.hearing import SAID_PLAINLY, Fact, Hearing, cover, found, shared

_MOST: Final = 0.6
_NEARLY_ALL: Final = 0.75
_HALF: Final = 0.5
_OPPOSITES: Final = tuple(
    (frozenset(stem(w) for w in a.split()), frozenset(stem(w) for w in b.split()))
    for a, b in (
        ("open unlocked reopened unsealed", "closed shut locked sealed barred"),
        ("dead killed drowned", "alive living"),
        ("lit bright", "dark unlit"),
        ("empty", "full"),
        ("first", "last"),
        ("found", "lost"),
        ("kept", "broke"),
        ("before", "after"),
        ("early", "late"),
        ("guilty", "innocent"),
        ("true", "false"),
        ("won", "lost"),
        ("arrived", "left"),
        ("north", "south"),
        ("east", "west"),
        ("borrowed bought", "stole"),
        ("repaired", "broken"),
    )
)
"""Words of which one says what the other denies."""
_NEGATIONS: Final = frozenset("no not never none nobody nothing without cannot".split())
_NOT_RECALLED: Final = frozenset({Stance.ASK, Stance.QUOTE, Stance.DENY, Stance.REFUSE})
_MEMORIES: Final = frozenset({ClaimKind.SAID, ClaimKind.ALONE, ClaimKind.MET})


def inventions(hearing: Hearing) -> Iterator[Finding]:
    """Find a shared past that no record bears out."""
    put = [c for c in hearing.packet.intent.presupposes if c.kind in _MEMORIES]
    absent = bool(hearing.flags(FlagKind.FALSE_PREMISE) or hearing.flags(FlagKind.NO_RECORD))
    pressed = hearing.asks("shared_past") and not _on_record(hearing)
    if hearing.denies or not (put or absent or pressed):
        return
    everything = frozenset().union(*(f.terms for f in hearing.selected), hearing.line_terms if not absent else ())
    for claim in hearing.claims:
        if claim.stance in _NOT_RECALLED or claim.negative:
            continue
        own = frozenset(claim.terms) - hearing.names
        recalled = claim.says("recalls") and len(own) > 1 and not shared(everything, own)
        if recalled or (pressed and claim.says("together") and not claim.says("past_unlike")):
            yield found(Code.INVENTED_MEMORY, claim, "no record of it, and the line takes it as shared memory")
            return


def _on_record(hearing: Hearing) -> bool:
    """Say whether what the line recalls is something that the speaker has on record."""
    return any(len(shared(hearing.line_terms, f.terms)) > 1 for f in hearing.selected)


def stale(hearing: Hearing) -> Iterator[Finding]:
    """Find something that no longer holds used as if it did."""
    for fact in hearing.stale:
        if isinstance(fact.entry, EmotionalResidue | Commitment):
            continue
        claim = next((c for c in hearing.claims if _uses(hearing, c, fact)), None)
        if claim is not None:
            why = "it no longer holds, and the line uses it as if it did"
            yield found(Code.STALE_FACT, claim, why, fact.entry_id)


def _uses(hearing: Hearing, claim: Claim, fact: Fact) -> bool:
    if claim.stance in {Stance.ASK, Stance.QUOTE} or claim.says("past"):
        return False
    if claim.negative != _negative(fact.entry.statement):
        return False
    retold = claim.attributed_to is not None and claim.attributed_to in {fact.entry.source.by, *fact.entry.source.via}
    told_by_live = {f.entry.source.by for f in hearing.hearsay}
    if retold and claim.attributed_to not in told_by_live and shared(hearing.with_line(claim), fact.terms):
        return True
    if isinstance(fact.entry, RelationshipDelta):
        core = fact.terms - hearing.cast_names
        concerned = claim.subject in {hearing.viewer, hearing.listener} or bool(shared(claim.terms, fact.terms - core))
        return bool(core) and core <= shared(claim.terms, core) and concerned
    better = max((len(shared(claim.terms, f.terms)) for f in hearing.selected), default=0)
    hits = len(shared(claim.terms, fact.terms))
    plainly = hits > 1 and cover(claim.terms, fact.terms) >= _MOST and hits > better
    answers = "?" in hearing.packet.line or bool(hearing.packet.intent.asks)
    new = shared(claim.terms, fact.terms) - shared(hearing.line_terms, fact.terms)
    elsewhere = claim.subject in {hearing.viewer, hearing.listener} and claim.subject not in words(fact.entry.statement)
    whole = cover(hearing.with_line(claim), fact.terms) >= _NEARLY_ALL
    with_line = whole and bool(new) and hits >= better and not elsewhere
    return plainly or (answers and with_line)


def opposites(hearing: Hearing) -> Iterator[Finding]:
    """Find the plain opposite of something the speaker knows for certain, and a deed put on the wrong person."""
    disputed = {i for flag in hearing.flags(FlagKind.CONTRADICTION) for i in flag.entry_ids}
    for claim in hearing.claims:
        if claim.stance not in SAID_PLAINLY:
            continue
        fact, code = _closest_certain(hearing, claim), Code.CONTRADICTS_ENTRY
        why = "the speaker knows for certain that it is otherwise"
        doer = _doer(hearing, fact) if fact is not None else ""
        other = bool(doer and claim.subject and claim.subject != doer)
        if fact is not None and other and claim.negative:
            continue
        if fact is not None and not _is_turned(claim, fact):
            wrong = other and _is_deed(claim, fact)
            code, why = Code.ATTRIBUTION_WRONG, f"it was {doer} who did it"
            fact = fact if wrong else None
        if fact is not None and fact.entry_id not in disputed:
            yield found(code, claim, why, fact.entry_id)


def _is_turned(claim: Claim, fact: Fact) -> bool:
    """Say whether a claim says no where the record says yes, or uses the opposite word."""
    opposite = any(
        (a & said and b & fact.terms and not a & fact.terms) or (b & said and a & fact.terms and not b & fact.terms)
        for said in (set(claim.terms),)
        for a, b in _OPPOSITES
    )
    return (claim.negative != _negative(fact.entry.statement)) != opposite


def _doer(hearing: Hearing, fact: Fact) -> str:
    """Return who the record says did it: the person its sentence begins with."""
    head = next(iter(words(fact.entry.statement)), "")
    return head if head == PLAYER or hearing.world.find_character(head) is not None else ""


def _is_deed(claim: Claim, fact: Fact) -> bool:
    return len(shared(claim.terms, fact.terms)) > 1 and not claim.says("past_unlike")


def _closest_certain(hearing: Hearing, claim: Claim) -> Fact | None:
    kinds = (Commitment, EmotionalResidue, RelationshipDelta, Contradiction)
    said = frozenset(claim.terms) - hearing.names
    certain = [
        f for f in hearing.selected
        if not isinstance(f.entry, kinds) and not hearing.is_second_hand(f) and '"' not in f.entry.statement
        and len(f.terms) > 1 and _is_about(said, f)
    ]  # fmt: skip
    return max(certain, key=lambda f: (cover(said, f.terms), f.entry_id), default=None)


def _is_about(said: frozenset[str], fact: Fact) -> bool:
    """Say whether a claim speaks of a fact: of nearly all that makes it up, or of nothing else."""
    hits = len(shared(said, fact.terms))
    most = cover(said, fact.terms)
    return most >= _NEARLY_ALL or (hits > 1 and most >= _HALF and hits >= _NEARLY_ALL * len(said))


def _negative(statement: str) -> bool:
    return not _NEGATIONS.isdisjoint(words(statement))
