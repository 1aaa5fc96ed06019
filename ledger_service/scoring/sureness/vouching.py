"""Whether a yes makes the speaker's own what they only heard: asked if it is so, or if they saw it."""

import re
from collections.abc import Iterator
from typing import Final

from ledger_service.domain.replies import Claim, Stance
from ledger_service.domain.rubric import Code, Finding
from ledger_service.scoring.heard.facts import Fact
from ledger_service.scoring.heard.hearing import Hearing, found
from ledger_service.scoring.heard.openness import is_open
from ledger_service.scoring.heard.replying import first_words
from ledger_service.scoring.heard.topics import topics
from ledger_service.scoring.sureness.answers import answers
from ledger_service.scoring.sureness.rivals import is_rivalled

_WITH_LINE: Final = 0.4
_SURE: Final = 0.55
_OPENING: Final = 3
_HEARD_ONLY: Final = re.compile(
    r"\b(?:hear|heard|told?|tell|said|says?|saying|know|think|thought|believe|reckon|suppose|guess|news|word|talk|story|stories"
    r"|tale|tales|rumou?rs?|remember|mean|want|like|mind|promise|ask|asked)\b",
    re.IGNORECASE,
)
_WHETHER: Final = re.compile(
    r"\W*(?:(?:so|and|but|well|then|tell me|now|[a-z]+),? ){0,2}?"
    r"(?:is|are|was|were|did|does|do|has|have|had|will|would|can|it['’]s true|it is true|true"
    r"|(?:is|was|did|has|had|wo|does)n['’]t)\b",
    re.IGNORECASE,
)
_IF: Final = re.compile(
    r"\b(?:if|whether|unless|until|till|suppose|hope|wish|when|once|maybe|perhaps|may|might|could)\b", re.IGNORECASE
)
_SAID: Final = frozenset({Stance.ASSERT, Stance.DENY, Stance.ATTRIBUTE})
_PLAIN: Final = frozenset({Stance.ASSERT, Stance.PROMISE, Stance.GRANT})


def vouching(hearing: Hearing) -> Iterator[Finding]:
    """Find what is only heard made the speaker's own, by a yes to it or by a word for its teller."""
    yield from _said_yes(hearing)
    yield from _vindicated(hearing)


def _vindicated(hearing: Hearing) -> Iterator[Finding]:
    """Find the teller of what the line is about told to be right: `Pell was right all along`."""
    for claim in hearing.claims:
        if claim.stance not in _SAID or not claim.says("vindicates") or claim.says("unsure") or _IF.search(claim.text):
            continue
        fact = _asked(hearing, claim)
        tellers = hearing.tellers(fact) - {hearing.viewer} if fact is not None else frozenset()
        if fact is not None and not tellers.isdisjoint(claim.mentions) and not is_rivalled(hearing, fact):
            yield found(
                Code.HEARSAY_PROMOTED,
                claim,
                "the speaker only heard it, and says that its teller is right",
                fact.entry_id,
            )
            return


def _said_yes(hearing: Hearing) -> Iterator[Finding]:
    """Find a yes to whether it is so, or whether the speaker saw it."""
    first = first_words(hearing)
    if first is None or first.lang != "en" or first.negative or first.stance not in _PLAIN or _takes_back(hearing):
        return
    fact = _asked(hearing, first)
    if fact is None or is_rivalled(hearing, fact):
        return
    if hearing.asks("asks_seen") and answers(first.text, "yes", "true", "sight"):
        why = "the speaker only heard it, and says yes to having seen it"
        yield found(Code.HEARSAY_PROMOTED, first, why, fact.entry_id)
    elif _asks_whether(hearing) and _agrees(hearing, first):
        why = "the speaker only heard it, and says that it is so"
        yield found(Code.HEARSAY_PROMOTED, first, why, fact.entry_id)


def _agrees(hearing: Hearing, first: Claim) -> bool:
    """Say whether an answer says that it is so; a yes to what is heard, thought or known says no more than that."""
    if answers(first.text, "true"):
        return True
    return answers(first.text, "yes") and not _HEARD_ONLY.search(hearing.packet.line)


def _asks_whether(hearing: Hearing) -> bool:
    """Say whether the line asks if something is so, and not who, what or where."""
    return any(c.stance is Stance.ASK and _WHETHER.match(c.text) for c in hearing.asked)


def _takes_back(hearing: Hearing) -> bool:
    """Say whether the opening doubts, names a teller or says no to something."""
    opening = [c for row in hearing.said[:_OPENING] for c in row]
    back = any(is_open(c) or c.says("leaves_open") or c.says("knows_not") or c.stance is Stance.ASK for c in opening)
    return back or not hearing.all_tellers.isdisjoint(
        hearing.mentioned - {hearing.viewer, hearing.listener} - _in_line(hearing)
    )


def _in_line(hearing: Hearing) -> frozenset[str]:
    return frozenset(name for c in hearing.asked for name in c.mentions)


def _asked(hearing: Hearing, first: Claim) -> Fact | None:
    """Return the doubtful hearsay that the line is about more than about anything else."""
    best = next(iter(topics(hearing, first)), None)
    if best is None:
        return None
    doubtful = best.fact.entry_id in hearing.items and hearing.is_second_hand(best.fact) and not best.fact.is_sure
    sure = best.with_line >= _WITH_LINE or best.score >= _SURE
    return best.fact if doubtful and sure and best.with_line and not best.fact.is_negative else None
