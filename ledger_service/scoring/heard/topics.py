"""What a clause is about, of everything on record: by words that mean the same, rare ones more, and by meaning.

It tells where to look. Whether what is said there is so, or may be said, is decided by what the words do.
"""

from collections import Counter
from math import fsum
from typing import Final

from ledger_service.domain.ids import EntryId
from ledger_service.domain.replies import Claim
from ledger_service.scoring.heard.facts import Fact, Index, Topic
from ledger_service.scoring.heard.hearing import Hearing, once
from ledger_service.scoring.words.overlap import akin

_OF_LINE: Final = 0.6
"""What a word of the line that is answered weighs against one of the clause itself."""
_OF_MEANING: Final = 1.5
"""What nearness in meaning weighs against all words of an entry said."""


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
    index = _index(hearing)
    said = akin(claim.terms, index.everywhere)
    own, together = dict[EntryId, float](), dict[EntryId, float]()
    for term in sorted(said | index.of_line):
        for entry_id, share in index.places[term]:
            together[entry_id] = together.get(entry_id, 0.0) + share
            if term in said:
                own[entry_id] = own.get(entry_id, 0.0) + share
    near = hearing.nearness(claim)
    rated: list[Topic] = []
    for fact in hearing.everything:
        entry_id = fact.entry.entry_id
        words, with_line = own.get(entry_id, 0.0), together.get(entry_id, 0.0)
        meaning = near.get(entry_id, 0) / 1_000
        score = words + _OF_LINE * (with_line - words) + _OF_MEANING * meaning
        rated.append(Topic(fact=fact, words=words, with_line=with_line, meaning=meaning, score=score))
    return tuple(sorted(rated, key=lambda t: (-t.score, t.fact.entry.entry_id)))


@once
def _index(hearing: Hearing) -> Index:
    """Say of each stem on record which entries have it, and how much of what sets each apart it is."""
    counted = Counter(term for fact in hearing.everything for term in fact.terms)
    places: dict[str, list[tuple[EntryId, float]]] = {term: [] for term in counted}
    for fact in hearing.everything:
        whole = fsum(1 / counted[t] for t in fact.terms)
        for term in fact.terms:
            places[term].append((fact.entry_id, 1 / counted[term] / whole))
    everywhere = frozenset(places)
    return Index(places=places, everywhere=everywhere, of_line=akin(hearing.line_terms, everywhere))
