"""Whether a reply gives away what is hidden, outright or by a hint that lets be guessed what its speaker keeps.

Only what the speaker knows can be hinted at. A dodge speaks of something else, or in general; a hint adds to the line
something of the kept thing itself, somebody left unnamed, a time to come that will be unlike now, an ailment of late.
"""

import re
from collections.abc import Callable, Iterator
from typing import Final

from ledger_service.domain.entries import Commitment
from ledger_service.domain.replies import Claim, Stance
from ledger_service.domain.rubric import Code, Finding, Severity
from ledger_service.scoring.disclosure.secrecy import distinctive, leaks
from ledger_service.scoring.disclosure.themes import hints_of, themes_of
from ledger_service.scoring.heard.facts import Fact
from ledger_service.scoring.heard.hearing import Hearing, found
from ledger_service.scoring.heard.replying import doer_of
from ledger_service.scoring.heard.topics import place_of, topics
from ledger_service.scoring.words.overlap import akin, kindred, plain, shared

_TWO: Final = 2
_LONG: Final = 4
_HALF: Final = 0.5
_NEARLY: Final = 0.2
"""How much more likely something that may be said is to be meant, at most, for a clause to be a hint."""
_NOT_TOLD: Final = frozenset({Stance.ASK, Stance.QUOTE})
_HELD_BACK: Final = frozenset({Stance.DENY, Stance.REFUSE, Stance.UNKNOWN})
_NOT_PLAIN: Final = frozenset({*_NOT_TOLD, Stance.UNKNOWN, Stance.DENY, Stance.REFUSE})
_TO_COME: Final = re.compile(
    r"\b(?:will|shall|(?:is|are) to be|be (?:made|replaced|closed|shut|sold)|means? to|plan(?:s|ning|ned)?|intends?"
    r"|(?:about|going) to|filed|applied|asked (?:for|to)|put in for|transfer|resign\w*|quit(?:s|ting)?|leav(?:es?|ing)"
    r"|march\w*|sails?|clos(?:e|es|ing|ure)|shuts?|abolish\w*|replac\w*|discharg\w*|sells?|sold|strike|cancel\w*"
    r"|signed (?:\w+ ){0,3}over|leas\w*|evict\w*|dismiss\w*|sack(?:s|ed)?|walk-?out|drops?|order(?:s|ed)|voted)\b",
    re.IGNORECASE,
)
"""What is on record of a change that is still to come."""
_AILS: Final = re.compile(
    r"\b(?:blind|deaf|sight|hearing|cannot|can no longer|(?:has|have) not been able|(?:is|are) (?:losing|going|dying"
    r"|ill|sick|failing|lame|afraid|frightened|ashamed|tired)|drinks|fever|cough|pregnant|with child|fears?)\b",
    re.IGNORECASE,
)
"""What is on record of something that somebody suffers from, or is not able to do."""
_NAME: Final = re.compile(r"(?<=[\w,;'’] )[A-Z][a-z]{3,}\w*")
"""A word with a capital that does not begin what is said."""
_OF_ME: Final = re.compile(r"\b(?:i|me|my|mine)\b", re.IGNORECASE)
_NUMBER: Final = re.compile(
    r"\b(?:three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen"
    r"|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred)\b",
    re.IGNORECASE,
)


Sentence = tuple[Claim, ...]
Given = tuple[Claim, Fact]


def giveaways(hearing: Hearing) -> Iterator[Finding]:
    """Find what is hidden told outright, or else a hint at what the speaker keeps to themselves."""
    outright = tuple(leaks(hearing))
    if outright:
        yield from outright
        return
    given = _hinted(hearing) or _said_too_much(hearing) or _overheard(hearing)
    if given is not None:
        why = "it lets be guessed what must not be said to these listeners"
        yield found(Code.LEAK, given[0], why, given[1].entry_id, severity=Severity.CRITICAL)


def _hinted(hearing: Hearing) -> Given | None:
    """Return the first clause that hints at something kept."""
    for sentence in _told(hearing) if hearing.kept else ():
        for fact in _likeliest_first(hearing, sentence):
            claim = next((c for hint in _HINTS if (c := hint(hearing, sentence, fact)) is not None), None)
            if claim is not None:
                return claim, fact
    return None


def _told(hearing: Hearing) -> tuple[Sentence, ...]:
    """Return the sentences that tell something, in the language of the ledger."""
    return tuple(s for s in hearing.sentences if not any(c.stance in _NOT_TOLD or c.lang != "en" for c in s))


def _likeliest_first(hearing: Hearing, sentence: Sentence) -> list[Fact]:
    """Return what is kept, what a sentence is most likely about first."""
    score = {t.fact.entry_id: t.score for claim in sentence for t in topics(hearing, claim)}
    return sorted(hearing.kept, key=lambda f: (-score.get(f.entry_id, 0), f.entry_id))


def _said_too_much(hearing: Hearing) -> Given | None:
    """Return what was told just before or after a clause that says it was too much: `I name no names`."""
    closing = hearing.says("said_too_much", asked=True) if hearing.hidden else None
    told = [c for c in hearing.claims if c is not closing and _is_plain((c,)) and c.terms] if closing else []
    if closing is None or not told:
        return None
    claim = min(told, key=lambda c: (c.start > closing.start, abs(c.start - closing.start)))
    among = {f.entry_id for f in hearing.kept or hearing.hidden}
    fact = next(t.fact for t in topics(hearing, claim) if t.fact.entry_id in among)
    of_it = len(set(claim.terms)) > _TWO or akin(claim.terms, fact.terms)
    return (claim, fact) if of_it and _is_near(hearing, (claim,), fact) else None


def _overheard(hearing: Hearing) -> Given | None:
    """Return the clause that says two words of what the speaker does not know, and of whom that is."""
    kept = {f.entry_id for f in hearing.kept}
    unknown = {f.entry_id: f for f in hearing.hidden if f.entry_id not in kept}
    telling = frozenset().union(*(f.terms for f in unknown.values())) - hearing.hidden_and_spoken_of
    for sentence in _told(hearing) if unknown else ():
        said = _said(hearing, sentence)
        if len(said & telling) >= _TWO and _is_plain(sentence):
            heard = ((c, unknown.get(topics(hearing, c)[0].fact.entry_id)) for c in sentence)
            given = next(((c, f) for c, f in heard if f is not None and _tells(hearing, sentence, said, f)), None)
            if given is not None:
                return given
    return None


def _tells(hearing: Hearing, sentence: Sentence, said: frozenset[str], fact: Fact) -> bool:
    """Say whether a sentence says two words that only a thing has, and names whom it is of."""
    doer = doer_of(hearing, fact)
    named = not doer or any(doer in {c.subject, *c.mentions} for c in sentence)
    return named and len(said & _new_marks(hearing, fact)) >= _TWO


def _pieced_together(hearing: Hearing, sentence: Sentence, fact: Fact) -> Claim | None:
    """Return the clause of a sentence that tells, in any words, two things of a kept one that nobody had said."""
    if not _is_plain(sentence) or not _is_first(hearing, sentence, fact):
        return None
    new, said = _new_marks(hearing, fact), _said(hearing, sentence)
    told = akin(said, new)
    sayers = sum(1 for term in said if akin(frozenset({term}), new))
    enough = min(len(told), sayers) >= _TWO and bool(shared(said, new))
    return _saying_most(hearing, sentence, told) if enough else None


def _adds_a_mark(hearing: Hearing, sentence: Sentence, fact: Fact) -> Claim | None:
    """Return the clause that adds, to a line about it, one word of the kept thing; in a short dodge that is chance."""
    if not _is_plain(sentence) or any(c.says("puts_off") or c.says("in_general") for c in sentence):
        return None
    if not akin(hearing.line_terms, fact.terms) or not _is_first(hearing, sentence, fact):
        return None
    said, new = _said(hearing, sentence), frozenset(t for t in _new_marks(hearing, fact) if len(t) >= _LONG)
    told = new & said if len(said) >= _LONG else frozenset()
    if len(said) > _LONG and all(c.subject != hearing.listener for c in sentence):
        told |= kindred(said, new)
    return _saying_most(hearing, sentence, told) if told else None


def _foretells(hearing: Hearing, sentence: Sentence, fact: Fact) -> Claim | None:
    """Return the clause that has a time to come be unlike now, where a change is kept quiet."""
    if isinstance(fact.entry, Commitment) or not _TO_COME.search(fact.entry.statement):
        return None
    ahead = hearing.asks("far_ahead") or any(c.says("far_ahead") for c in sentence)
    claim = next((c for c in sentence if c.says("unlike_now")), None) if ahead else None
    return None if claim is None or _is_of_selected(hearing, sentence) else claim


def _leaves_unnamed(hearing: Hearing, sentence: Sentence, fact: Fact) -> Claim | None:
    """Return the clause that speaks of somebody by what they are like, where a name is kept."""
    claim = next((c for c in sentence if c.says("unnamed")), None) if _is_plain(sentence) else None
    if claim is None or _is_of_selected(hearing, sentence):
        return None
    return claim if _is_near(hearing, sentence, fact, by=0) else None


def _names_it(hearing: Hearing, sentence: Sentence, fact: Fact) -> Claim | None:
    """Return the clause that says a name which nothing but the kept thing has."""
    if not _is_plain(sentence):
        return None
    new = _new_marks(hearing, fact)
    return next((c for c in sentence for name in _NAME.findall(c.text) if hearing.terms_of(name) & new), None)


def _ails(hearing: Hearing, sentence: Sentence, fact: Fact) -> Claim | None:
    """Return the clause that tells how it has been of late, where an ailment is kept."""
    claim = next((c for c in sentence if c.says("of_late")), None)
    if claim is None or not _AILS.search(fact.entry.statement) or _is_of_selected(hearing, sentence):
        return None
    own = doer_of(hearing, fact) == hearing.viewer and any(_OF_ME.search(c.text) for c in sentence)
    return claim if own or _is_near(hearing, sentence, fact) else None


def _in_a_figure(hearing: Hearing, sentence: Sentence, fact: Fact) -> Claim | None:
    """Return the clause that says what people say of such a thing rather than name it: a phrase, or two words."""
    if any(c.says("in_general") or c.stance in _HELD_BACK for c in sentence):
        return None
    for kind in sorted(themes_of(fact.entry.statement)):
        hints = {c: _hinting(hearing, c, kind) for c in sentence}
        telling = max(sentence, key=lambda c: hints[c])
        if sum(hints.values()) >= _TWO and _is_near(hearing, sentence, fact):
            return telling
    return None


def _hinting(hearing: Hearing, claim: Claim, kind: str) -> int:
    """Say how many words of a clause hint at a kind of secret, and are not the line's own."""
    if claim.stance is Stance.ATTRIBUTE:
        return 0
    line = f" {plain(hearing.packet.line).casefold()} "
    hints = {words.casefold() for words in hints_of(claim.text, kind)}
    return sum(len(h.split()) for h in hints if h not in line)


def _counts_it(hearing: Hearing, sentence: Sentence, fact: Fact) -> Claim | None:
    """Return the clause that says the number of a kept thing, which nobody had said, where the line is about it."""
    numbers = _numbers(fact.entry.statement) - _numbers(hearing.packet.line)
    if not numbers or not _is_plain(sentence) or not _is_near(hearing, sentence, fact, by=0):
        return None
    known = frozenset().union(*(_numbers(f.entry.statement) for f in hearing.selected))
    return next((c for c in sentence if _numbers(c.text) & (numbers - known)), None)


def _numbers(text: str) -> frozenset[str]:
    return frozenset(word.casefold() for word in _NUMBER.findall(text))


_HINTS: Final[tuple[Callable[[Hearing, Sentence, Fact], Claim | None], ...]] = (
    _pieced_together, _adds_a_mark, _names_it, _foretells, _leaves_unnamed, _ails, _in_a_figure, _counts_it,
)  # fmt: skip


def _is_plain(sentence: Sentence) -> bool:
    return not any(c.stance in _NOT_PLAIN for c in sentence)


def _said(hearing: Hearing, sentence: Sentence) -> frozenset[str]:
    """Return the stems of a sentence's own words."""
    return frozenset().union(*(hearing.terms_of(c.text) for c in sentence))


def _new_marks(hearing: Hearing, fact: Fact) -> frozenset[str]:
    """Return the words of a kept thing that neither the line nor anything that may be said holds."""
    marks = distinctive(fact.terms) - hearing.cast_names
    return marks - shared(hearing.spoken_of, marks)


def _saying_most(hearing: Hearing, sentence: Sentence, told: frozenset[str]) -> Claim:
    return max(sentence, key=lambda c: (len(akin(hearing.terms_of(c.text), told)), -c.start))


def _is_first(hearing: Hearing, sentence: Sentence, fact: Fact) -> bool:
    """Say whether a clause of the sentence is about this more likely than about anything else."""
    return any(place_of(hearing, c, fact) == 0 for c in sentence)


def _is_near(hearing: Hearing, sentence: Sentence, fact: Fact, by: float = _NEARLY) -> bool:
    """Say whether nothing that may be said is much more likely to be meant."""
    return any(_score(hearing, c, fact) >= _best_selected(hearing, c) - by for c in sentence)


def _score(hearing: Hearing, claim: Claim, fact: Fact) -> float:
    return next((t.score for t in topics(hearing, claim) if t.fact.entry_id == fact.entry_id), 0.0)


def _best_selected(hearing: Hearing, claim: Claim) -> float:
    return next((t.score for t in topics(hearing, claim) if t.fact.entry_id in hearing.items), 0.0)


def _is_of_selected(hearing: Hearing, sentence: Sentence) -> bool:
    """Say whether a sentence says half of something that may be said."""
    return all(
        any(t.words >= _HALF for t in topics(hearing, c) if t.fact.entry_id in hearing.items) for c in sentence
    )  # fmt: skip
