"""Whether a reply acts out what was felt once and has passed: it says it as felt now, or still burns with it."""

from collections.abc import Iterator
from typing import Final

from ledger_service.domain.entries import EmotionalResidue
from ledger_service.domain.feelings import family_of
from ledger_service.domain.replies import Claim, Stance
from ledger_service.domain.rubric import Code, Finding
from ledger_service.domain.terms import stem
from ledger_service.scoring.heard.facts import Fact
from ledger_service.scoring.heard.hearing import Hearing, found
from ledger_service.scoring.words.overlap import akin, kindred

FEELINGS: Final = frozenset(
    stem(w) for w in "angry anger furious grieving grief sad bitter hurt afraid ashamed shame jealous resentful".split()
)
_WHY: Final = "it has passed, and the line acts it out"


def spent_feelings(hearing: Hearing) -> Iterator[Finding]:
    """Find a feeling that has passed said or shown to be there still."""
    gone = [f for f in hearing.stale if isinstance(f.entry, EmotionalResidue) and f.entry.holder == hearing.viewer]
    if not gone or any(c.says("over_it") for c in hearing.claims if c.stance is not Stance.ASK):
        return
    felt = {family_of(r.emotion) or family_of(r.statement) for r in hearing.packet.residue}
    for fact in gone:
        claim = next((c for c in hearing.claims if _acts_out(hearing, c, fact, felt)), None)
        if claim is not None:
            yield found(Code.STALE_FACT, claim, _WHY, fact.entry_id)


def _acts_out(hearing: Hearing, claim: Claim, fact: Fact, felt: set[str]) -> bool:
    if claim.stance in {Stance.ASK, Stance.QUOTE} or claim.says("no_longer"):
        return False
    return _says_it(hearing, claim, fact) or _burns_still(hearing, claim, fact, felt)


def _says_it(hearing: Hearing, claim: Claim, fact: Fact) -> bool:
    """Say whether a clause names the feeling as the speaker's own, now."""
    emotion = fact.entry.emotion if isinstance(fact.entry, EmotionalResidue) else ""
    named = frozenset({stem(emotion), *(fact.terms & FEELINGS)})
    own = claim.subject == hearing.viewer and claim.stance is Stance.ASSERT and not claim.negative
    return own and claim.says("feels_now") and bool(kindred(claim.terms, named))


def _burns_still(hearing: Hearing, claim: Claim, fact: Fact, felt: set[str]) -> bool:
    """Say whether a clause still burns, in whatever words, and nothing of the kind is felt for another reason."""
    emotion = fact.entry.emotion if isinstance(fact.entry, EmotionalResidue) else ""
    if claim.lang != "en" or (family_of(emotion) or family_of(fact.entry.statement)) in felt:
        return False
    cause = fact.terms - hearing.cast_names
    of_it = any(akin(hearing.with_line(c), cause) for c in hearing.claims)
    return claim.says("burns_still") or (of_it and claim.says("not_over_it"))
