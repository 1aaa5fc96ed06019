"""Whether something only heard is told as fact, or as seen with one's own eyes."""

import re
from collections.abc import Iterator
from typing import Final

from ledger_service.domain.entries import Contradiction
from ledger_service.domain.packets import FlagKind
from ledger_service.domain.replies import Claim, Stance
from ledger_service.domain.rubric import Code, Finding
from ledger_service.domain.terms import stem, words
from ledger_service.scoring.heard.facts import Fact, Topic
from ledger_service.scoring.heard.hearing import SAID_PLAINLY, Hearing, found, once
from ledger_service.scoring.heard.openness import around, is_open, left_open, on_no_ones_word, teller_near
from ledger_service.scoring.heard.replying import doer_of
from ledger_service.scoring.heard.topics import topics
from ledger_service.scoring.sureness.rivals import is_rivalled
from ledger_service.scoring.words.overlap import akin, shared

_HALF: Final = 0.5
_MOST: Final = 0.6
_VOUCHED: Final = ((0.3, 0.6), (0.15, 0.9))
"""The same where the speaker swears to it."""
_SAID: Final = ((0.5, 0.7), (0.3, 0.95))
"""How much of what sets the hearsay apart a clause says, and how surely it is about that: either is enough."""
_ANSWERS: Final = 0.6
_ALL_BUT: Final = 0.65
_SOME_OF_IT: Final = 0.4
_SEEN: Final = 0.55
_PLAINLY: Final = SAID_PLAINLY | {Stance.REFUSE}
_SHORT: Final = 4
_FEW: Final = 3
_EQUAL: Final = 0.005
_POINTS: Final = re.compile(r"\b(?:the very \w+|it|them|him|her|that|this|he|she|they)\b", re.IGNORECASE)
_POINTS_BACK: Final = frozenset("it that this so which".split())
_SOMEBODY: Final = re.compile(r"\b(?:he|she|they|his|her|their|him|them)\b", re.IGNORECASE)
_TALE: Final = re.compile(
    r"\b(?:here|there)(?:['’]s| is| was|['’]ll be) (?:what|how|the|an?|some|one|this|only|just) (?:\w+ ){0,3}?"
    r"(?:tale|story|word|rumou?r|talk|whisper|gossip|report|saying|version|theory|said|tell|told|heard|have it)\b"
    r"|\b(?:it|this|that|the (?:tale|story|word|talk)) (?:goes|runs)\b",
    re.IGNORECASE,
)
_MYSELF: Final = re.compile(r"\b(?:myself|these|own|there|it|looked|checked)\b", re.IGNORECASE)
_LIGHT: Final = frozenset(stem(w) for w in "lie stand sit stay remain keep be have get go come put take make".split())
_NEARLY: Final = 0.15
_RATHER: Final = 0.3
_HE_OR_SHE: Final = re.compile(r"\W*(?:(?:and|but|so|then|well|for|because),? )*(?:he|she)\b(?!.*\byou)", re.IGNORECASE)
_SUPPOSED: Final = re.compile(
    r"\W*(?:(?:and|but|so|then|well),? )*"
    r"(?:should|if|unless|until|once|were|had|whether|when|whichever|whoever(?! says| thinks| claims| tells))\b",
    re.IGNORECASE,
)


def hearsay(hearing: Hearing) -> Iterator[Finding]:
    """Find something heard told as fact, or as seen with one's own eyes."""
    for position, claim in enumerate(hearing.claims):
        seen = _claims_to_have_seen(hearing, claim)
        if seen is not None:
            why = "the speaker only heard it, and claims to have seen it"
            yield found(Code.HEARSAY_PROMOTED, claim, why, seen.entry_id)
            continue
        fact = _told_plainly(hearing, claim, position)
        if fact is not None:
            yield found(Code.HEARSAY_PROMOTED, claim, "the speaker only heard it, and tells it as fact", fact.entry_id)


def _told_plainly(hearing: Hearing, claim: Claim, position: int) -> Fact | None:
    """Return the hearsay that a clause tells with no doubt and no teller, in its sentence or right after it."""
    plainly = claim.stance in _PLAINLY or (
        claim.stance is Stance.ATTRIBUTE and not claim.negative and on_no_ones_word(claim)
    )
    if not plainly or _hedged_after(hearing, position):
        return None
    fact = _hearsay_in(hearing, claim) or _topic_told(hearing, claim)
    if fact is not None and not _is_of(hearing, claim, fact):
        fact = None
    if fact is None or _of_another(hearing, claim, fact) or is_rivalled(hearing, fact):
        return None
    if claim.says("leaves_open") or _SUPPOSED.match(claim.text) or teller_near(hearing, claim, fact):
        return None
    return None if left_open(hearing, claim, fact) or _led_in(hearing, claim, fact) else fact


def _led_in(hearing: Hearing, claim: Claim, fact: Fact) -> bool:
    """Say whether the sentence before announces it as a tale, or as the word of one whom the speaker has it from."""
    at = next((i for i, row in enumerate(hearing.said) if claim in row), 0)
    before = hearing.said[at - 1] if at else ()
    tellers = hearing.tellers(fact) - {hearing.viewer}
    return any(_TALE.search(c.text) or (is_open(c) and not tellers.isdisjoint(c.mentions)) for c in before)


def _is_of(hearing: Hearing, claim: Claim, fact: Fact) -> bool:
    """Say whether a clause says some of it in its own words, and does not leave out whose doing it is."""
    said = akin(hearing.terms_of(claim.text), fact.terms)
    doer = doer_of(hearing, fact) or next(iter(words(fact.entry.statement)), "")
    head = hearing.terms_of(doer.replace("_", " ")) & fact.terms
    if not said or not head or len(said) >= _MOST * len(fact.terms):
        return bool(said)
    named = doer in {claim.subject, *claim.mentions} or _SOMEBODY.search(claim.text) is not None
    return named or bool(head & (said | hearing.line_terms))


def _of_another(hearing: Hearing, claim: Claim, fact: Fact) -> bool:
    """Say whether a clause is rather of something certain, or of `him` or `her` where the fact is of who listens."""
    rated = topics(hearing, claim)
    heard = next(t.score for t in rated if t.fact.entry_id == fact.entry_id)
    if rated[0].score > heard + _RATHER and not hearing.is_second_hand(rated[0].fact) and rated[0].words >= _HALF / 2:
        return True
    if _says_what_is_certain(hearing, claim, fact):
        return True
    return doer_of(hearing, fact) == hearing.listener and _HE_OR_SHE.match(claim.text) is not None


def _says_what_is_certain(hearing: Hearing, claim: Claim, fact: Fact) -> bool:
    """Say whether a clause says nothing of it that is not certain anyway, but for a verb like `lie` or `stand`."""
    own = fact.terms - _LIGHT - _certain_terms(hearing)
    said = akin(hearing.terms_of(claim.text) - _LIGHT, fact.terms)
    return bool(own) and own.isdisjoint(said) and own.isdisjoint(akin(hearing.line_terms, own))


@once
def _certain_terms(hearing: Hearing) -> frozenset[str]:
    sure = (
        f.terms for f in hearing.selected if not hearing.is_second_hand(f) and not isinstance(f.entry, Contradiction)
    )
    return frozenset().union(*sure)


def _topic_told(hearing: Hearing, claim: Claim) -> Fact | None:
    """Return the doubtful hearsay that a clause is about more than about anything else, and says enough of."""
    best = _heard_topic(hearing, claim)
    if best is None or claim.negative != best.fact.is_negative:
        return None
    return best.fact if _says_enough(hearing, claim, best) else None


def _heard_topic(hearing: Hearing, claim: Claim) -> Topic | None:
    """Return the doubtful hearsay that a clause is most likely about, whoever else holds the same."""
    rated = topics(hearing, claim)
    return _heard_among(hearing, rated) or (_heard_by_its_words(hearing, rated) if vouched(hearing, claim) else None)


def _heard_by_its_words(hearing: Hearing, rated: tuple[Topic, ...]) -> Topic | None:
    """Return what a clause that is sworn to says half of, whatever the line is of."""
    best = max(rated[:_FEW], key=lambda t: t.words, default=None)
    alone = best is not None and [t.words for t in rated if t.fact.entry_id in hearing.items].count(best.words) == 1
    near = best is not None and best.words >= _HALF and best.score >= rated[0].score - _NEARLY
    return best if best is not None and alone and near and _is_doubtful(hearing, best.fact) else None


def _heard_among(hearing: Hearing, rated: tuple[Topic, ...]) -> Topic | None:
    alike = (t for t in rated[:_FEW] if t.score >= rated[0].score - _EQUAL)
    return next((t for t in alike if _is_doubtful(hearing, t.fact)), None)


def _says_enough(hearing: Hearing, claim: Claim, topic: Topic) -> bool:
    if any(
        topic.words >= said and topic.score >= score for said, score in (_VOUCHED if vouched(hearing, claim) else _SAID)
    ):
        return True
    answers = topic.words > 0 and topic.with_line >= _ANSWERS and topic.meaning >= _ALL_BUT
    return answers and claim.subject != hearing.viewer


def vouched(hearing: Hearing, claim: Claim) -> bool:
    """Say whether the speaker swears to a clause, in its sentence or the ones beside it."""
    return claim.start in _sworn_to(hearing)


@once
def _sworn_to(hearing: Hearing) -> frozenset[int]:
    """Return where the clauses begin that an oath stands with."""
    rows = hearing.said
    sworn = [any(c.says("vouches") and not c.negative and not is_open(c) for c in row) for row in rows]
    return frozenset(c.start for i, row in enumerate(rows) if any(sworn[max(0, i - 1) : i + 2]) for c in row)


def _is_doubtful(hearing: Hearing, fact: Fact) -> bool:
    return fact.entry_id in hearing.items and hearing.is_second_hand(fact) and not fact.is_sure


def _hearsay_in(hearing: Hearing, claim: Claim) -> Fact | None:
    """Return the hearsay that a claim is closest to, unless something the speaker knows at first hand is closer."""
    said = shared(claim.terms, hearing.live_terms)
    rated = [(len(said & f.terms), f) for f in hearing.selected]
    near = [(hits, hits / len(f.terms), f) for hits, f in rated if hits > 1 and hits >= _HALF * len(f.terms)]
    if not near:
        return None
    hits, _, best = max(near, key=lambda row: (row[1], row[0], row[2].entry_id))
    first_hand = [row for row in rated if row[0] >= hits and not hearing.is_second_hand(row[1])]
    doubtful = not best.is_sure and hearing.is_second_hand(best)
    return best if doubtful and not first_hand and claim.negative == best.is_negative else None


def _claims_to_have_seen(hearing: Hearing, claim: Claim) -> Fact | None:
    """Return what a clause claims to have seen, heard or counted for oneself, and the speaker has from others alone."""
    if claim.negative or claim.stance not in {Stance.ASSERT, Stance.ATTRIBUTE, Stance.DENY}:
        return None
    seen = None
    if claim.says("saw"):
        seen = _hearsay_in(hearing, claim) or _only_heard(hearing, claim) or _seen_topic(hearing, claim)
    elif claim.says("firsthand"):
        seen = _seen_topic(hearing, claim)
    return seen if seen is not None and _is_what_was_seen(hearing, claim, seen) else None


def _is_what_was_seen(hearing: Hearing, claim: Claim, fact: Fact) -> bool:
    """Say whether it was that which was seen, and not something else of the same person or thing."""
    row = around(hearing, claim)[0]
    said = frozenset(t for c in row for t in hearing.terms_of(c.text)) | hearing.line_terms
    return len(akin(said, fact.terms)) >= _SOME_OF_IT * len(fact.terms) or _MYSELF.search(claim.text) is not None


def _seen_topic(hearing: Hearing, claim: Claim) -> Fact | None:
    """Return the hearsay that a clause, or the sentence that it stands in, is about more than about anything else."""
    own = next(iter(topics(hearing, claim)), None)
    elsewhere = own is not None and own.words >= _SAID[-1][0] and not _is_doubtful(hearing, own.fact)
    for said in (claim, *(() if elsewhere else around(hearing, claim)[0])):
        known = tuple(t for t in topics(hearing, said) if t.fact.entry_id in hearing.items)
        best = _heard_among(hearing, known)
        if best is not None and best.score >= _SEEN and (best.words or _POINTS.search(claim.text)):
            return best.fact
    return None


def _only_heard(hearing: Hearing, claim: Claim) -> Fact | None:
    """Return what the line asks about, where the speaker has it from hearsay alone."""
    own = [f for f in hearing.selected if not hearing.is_second_hand(f) and shared(hearing.with_line(claim), f.terms)]
    heard = [f for f in hearing.hearsay if shared(hearing.with_line(claim), f.terms)]
    asked = hearing.packet.intent.asks or hearing.flags(FlagKind.FALSE_PREMISE)
    untold = [f for f in hearing.hearsay if len(hearing.hearsay) == 1]
    touched = [f for f in heard if akin(hearing.line_terms, f.terms - hearing.cast_names)]
    return None if own or not (asked or touched) else next(iter(touched or heard or untold), None)


def _hedged_after(hearing: Hearing, position: int) -> bool:
    """Say whether the next words take some of it back: `that's a guess`."""
    following = hearing.claims[position + 1 : position + 2]
    return any(
        c.stance in {Stance.HEDGE, Stance.ATTRIBUTE} and len(c.terms) <= _SHORT
        and not _POINTS_BACK.isdisjoint({w.removesuffix("'s") for w in words(c.text)})
        for c in following
    )  # fmt: skip
