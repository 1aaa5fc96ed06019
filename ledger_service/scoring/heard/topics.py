"""What a clause is about, of everything on record: by words that mean the same, rare ones more, and by meaning.

It tells where to look. Whether what is said there is so, or may be said, is decided by what the words do.
"""

from collections import Counter
from math import fsum

from ledger_service.domain.replies import Claim
from ledger_service.scoring.heard.facts import Fact, Topic
from ledger_service.scoring.heard.hearing import Hearing
from ledger_service.scoring.words.overlap import akin


def topics(hearing: Hearing, claim: Claim) -> tuple[Topic, ...]:
    """Return every entry considered, to be said or not: the one that a clause is most likely about comes first."""
    found = hearing.topics.get(claim.start)
    if found is None:
        found = hearing.topics[claim.start] = _rated(hearing, claim)
    return found


def place_of(hearing: Hearing, claim: Claim, fact: Fact) -> int:
    """Return how many entries a clause is more likely about than this one."""
    return next(
        (i for i, t in enumerate(topics(hearing, claim)) if t.fact.entry_id == fact.entry_id),
        len(hearing.ledger.entries),
    )


def _rated(hearing: Hearing, claim: Claim) -> tuple[Topic, ...]:
    weight = _weights(hearing)
    everywhere = frozenset(weight)
    said = akin(claim.terms, everywhere)
    together = said | akin(hearing.line_terms, everywhere)
    near = hearing.nearness(claim)
    rated = (
        Topic(
            fact=fact,
            words=_share(said & fact.terms, fact.terms, weight),
            with_line=_share(together & fact.terms, fact.terms, weight),
            meaning=near.get(fact.entry_id, 0) / 1_000,
        )
        for fact in hearing.everything
    )
    return tuple(sorted(rated, key=lambda t: (-t.score, t.fact.entry_id)))


def _weights(hearing: Hearing) -> dict[str, float]:
    """Return every stem on record with what it tells of an entry: less, the more entries have it."""
    if not hearing.weights:
        counted = Counter(term for fact in hearing.everything for term in fact.terms)
        hearing.weights.update({term: 1 / n for term, n in counted.items()})
    return hearing.weights


def _share(said: frozenset[str], terms: frozenset[str], weight: dict[str, float]) -> float:
    """Return how much of what sets an entry apart is said, in whatever order; most entries have no word of it."""
    return fsum([weight[t] for t in said]) / fsum([weight[t] for t in terms]) if said else 0.0
