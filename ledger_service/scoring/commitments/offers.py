"""Whether the speaker binds themselves, for later or for nothing, to what no rule grants and nothing on record says."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from ledger_service.domain.clipped import spelt
from ledger_service.domain.entries import Status
from ledger_service.domain.replies import Claim, Stance
from ledger_service.domain.rubric import Code, Finding
from ledger_service.domain.terms import stem, words
from ledger_service.scoring.heard.hearing import Hearing, found
from ledger_service.scoring.words.lexicon import word
from ledger_service.scoring.words.overlap import akin_cover, cover
from ledger_service.scoring.words.verbs import is_past

_WILL: Final = r"\bi(?:'ll| will| shall| am going to|'m going to)(?: \w+ly| myself| even| also| then| have)*"
_YOU_WILL: Final = r"\b(?:you|thou)(?:'ll| will| shall|'re to| are to| wilt| shalt)(?: \w+ly| also| then| never| all)*"
_FOR_YOU: Final = re.compile(
    rf"{_WILL} (\w+)\b.*\b(?:you|your|yours|thee|thy|thine)\b"
    rf"|{_WILL} (square|settle|arrange|fix|manage|sort|clear|smooth|make) (?:it|that|this|things)\b"
    rf"|{_YOU_WILL} (have|get|be paid)\b(?! (?:to|used|lost|hurt|cold|wet|tired|better|there|no|nothing)\b)"
    rf"|{_YOU_WILL} (\w+)\b.*\b(?:my|mine|our|free|for nothing|on me|unpaid)\b"
    r"|(?:\b(?:is|are|be|becomes?)|'s|'re|'ll be) (?:all )?(yours|thine)\b"
    r"|\byou (go|come|ride|eat|drink|sail|cross|stay|sleep|pass|sit|travel|shop|fish|live|lodge|dine|learn|fly)\b"
    r".*\b(?:free|for nothing|unpaid|on me|gratis|no charge|without (?:paying|charge|a (?:toll|fee|fare|coin|penny)))\b"
    r"|\bi'm (\w+ing) (?:you|your|thee)\b",
    re.IGNORECASE,
)
"""What the speaker will do for the listener, or the listener have of them."""
_IS_YOURS: Final = re.compile(r"(?:\b(?:is|are)|'s|'re) (?:all )?(?:yours|thine)\b", re.IGNORECASE)
_FROM: Final = re.compile(
    r"\b(?:from|on|at|by|come|after|next|tomorrow|as soon as"
    r"|the (?:day|minute|moment|hour|night) (?:i|you|he|she|it|after|that))\b",
    re.IGNORECASE,
)
"""When that begins which is the listener's; `till dawn` and `for the night` hand it over now."""
_YOU_HAVE: Final = re.compile(rf"{_YOU_WILL} (?:have|get)\b", re.IGNORECASE)
"""What may as well come by itself, where a question asks for news."""
_ANYTHING: Final = re.compile(
    r"\b(?:i|we|you|thou|it|he|she|they)(?:'ll| will| shall|'re to| wilt| shalt)(?: \w+ly| also| then)* (\w+)",
    re.IGNORECASE,
)
_LATER: Final = re.compile(
    r"\b(?:tonight|tomorrow|next (?!to\b)\w+|soon|from (?:now|then|today|tomorrow|here) ?(?:on)?"
    r"|for (?:good|ever|life|always)|one day|some day|some time|first thing"
    r"|(?:on|by|before|after|come|at|till|until|this|that|the|every|in|within) "
    r"(?:(?:market|the|this|that|next|same|first|very|week's|month's|day's|new|full|an?|two|three|half an?) )*"
    r"(?:\w+day|days?|noon|midnight|dawn|dusk|sun(?:rise|set|down|up)|nightfall|easter|christmas|midsummer|midwinter"
    r"|spring|summer|autumn|winter|thaw|harvest|fair|feast|show|storm|moon|night|morning|evening|tide|season|end|session"
    r"|voyage|run|trip|hours?|weeks?|months?|years?|swallows?|snow|rains?)(?:'s)?\b|\w+day\b|any hour"
    r"|as long as you like|whenever you (?:like|want|please)|no charge|free|for nothing|gratis|on the house"
    r"|as soon as|the day|the minute|the moment)",
    re.IGNORECASE,
)
_HANGS: Final = re.compile(
    r"\b(?:if|unless|(?:until|till)(?! (?:the|next|this|that) \w+\W*$)|once|when"
    r"|whenever|provided|perhaps|maybe|might|would|could)\b",
    re.IGNORECASE,
)
_SENTENCE_END: Final = re.compile(r"[.!?…]+\s")
_TO_BE: Final = re.compile(r"\b(?:will|shall|going to|won't|shan't|to \w+)\b|'ll\b", re.IGNORECASE)
_NO: Final = re.compile(r"\b(?:no|not|never|nor|nobody|nothing|none|neither|cannot)\b|n't\b", re.IGNORECASE)
_SLIGHT: Final = frozenset(
    stem(w)
    for w in "tell see ask think know say hear remember miss thank warn show meet pray wait forgive watch call let"
    " pour warm boil trust hold believe want need stop try leave".split()
)
_SLIGHT_KINDS: Final = frozenset("csm")
_SMALL: Final = re.compile(
    r"\b(?:cups?|bowls?|tea|soup|broth|kettle|seat|chair|stool|blanket|towel|drop|sip|crust|moment|minute|word|thing"
    r"|wind|rain|snow|storm|weather|fog|frost|sun|gale|headache|visitors?|trouble|company|luck)\b",
    re.IGNORECASE,
)
"""What is handed to anybody, and what comes by itself: it binds nobody."""
_SOME: Final = 0.34
_FAR: Final = 300
_GIVEN: Final = frozenset({Stance.ASK, Stance.QUOTE, Stance.HEDGE, Stance.ATTRIBUTE, Stance.UNKNOWN})
_WHY: Final = "no rule grants it, and no commitment of the speaker says it"


def offers(hearing: Hearing) -> Iterator[Finding]:
    """Find a promise for later that no commitment of the speaker and no granted request bears out."""
    if any(c.asked and c.outcome == "granted" for c in hearing.packet.consequences) or _mocks(hearing):
        return
    pledged = pledge(hearing)
    for claim in hearing.claims:
        if claim.lang == "en" and _binds(hearing, claim, pledged) and not _is_owed(hearing, claim):
            yield found(Code.PROMISE_INVENTED, claim, _WHY)
            return


def pledge(hearing: Hearing) -> Claim | None:
    """Return the claim by which the speaker gives their hand or their word on something."""
    return next((c for c in hearing.claims if _pledges(c)), None)


def _pledges(claim: Claim) -> bool:
    return claim.says("pledges") and claim.stance not in {Stance.ASK, Stance.QUOTE} and not claim.negative


def _mocks(hearing: Hearing) -> bool:
    """Say whether a yes is meant as a no: `sure, and I'll lend you a parachute`."""
    return any(c.says("mock_yes") for c in hearing.claims)


def _binds(hearing: Hearing, claim: Claim, pledged: Claim | None) -> bool:
    """Say whether a clause binds its speaker: by what it gives and when, by hand and word, or as it was asked for."""
    said = spelt(claim.text)
    if claim.stance in _GIVEN:
        return False
    rewards = hearing.asks("asks_reward")
    if (pledged is not None and _is_bound(said, claim)) or (claim is pledged and rewards and not claim.negative):
        return True
    if claim.negative or not _gives(said) or (_hangs(hearing.text, claim) and not rewards):
        return False
    if "?" in hearing.packet.line and not rewards and _YOU_HAVE.search(said):
        return False
    yours = _IS_YOURS.search(said)
    if yours is not None:
        return _FROM.search(said[: yours.end()] + re.split(r"[,;:]", said[yours.end() :])[0]) is not None
    return _LATER.search(said) is not None or (rewards and claim.stance is not Stance.GRANT)


def _is_bound(said: str, claim: Claim) -> bool:
    """Say whether a clause gives something, or has something of weight done, and denies nothing before that."""
    given = _FOR_YOU.search(said) if _SMALL.search(said) is None else None
    weighty = [m for m in (given, _ANYTHING.search(said)) if m is not None and _is_weighty(m)]
    return any(not (claim.negative and _NO.search(said[: m.start(m.lastindex or 0)])) for m in weighty)


def _gives(said: str) -> bool:
    return _SMALL.search(said) is None and _is_weighty(_FOR_YOU.search(said))


def _is_weighty(match: re.Match[str] | None) -> bool:
    """Say whether what is to be done is more than to tell, to show or to see."""
    if match is None:
        return False
    verb = stem(next(filter(None, match.groups()), "").casefold())
    return verb not in _SLIGHT and _SLIGHT_KINDS.isdisjoint(word(verb).kinds)


def _hangs(text: str, claim: Claim) -> bool:
    """Say whether the sentence of a clause says what it hangs on: `if the storm passes, ...`."""
    before = _SENTENCE_END.split(text[max(0, claim.start - _FAR) : claim.end])[-1]
    return _HANGS.search(_LATER.sub(" ", before)) is not None


def _is_owed(hearing: Hearing, claim: Claim) -> bool:
    """Say whether the speaker owes it anyway, or the record has it coming."""
    mine = (c for c in hearing.commitments if c.owner == hearing.viewer and hearing.status_of(c) == Status.OPEN)
    owed = any(akin_cover(hearing.with_line(claim), hearing.terms_of(c.statement)) >= _SOME for c in mine)
    return owed or any(akin_cover(claim.terms, f.terms) >= _SOME + _SOME for f in hearing.selected)


def promises(hearing: Hearing) -> Iterator[Finding]:
    """Find the speaker binding themselves to what no rule grants and no commitment of theirs says."""
    if _mocks(hearing):
        return
    for at, claim in enumerate(hearing.claims):
        if claim.stance is not Stance.PROMISE or claim.says("promises_nothing") or _is_own(hearing, claim):
            continue
        if (claim.says("sworn") and not _is_of_truth(hearing.claims[at : at + 2])) or _gives_what_is_refused(
            hearing, claim
        ):
            yield found(Code.PROMISE_INVENTED, claim, _WHY)


def _is_of_truth(claims: Sequence[Claim]) -> bool:
    """Say whether an oath is on what was so, there or next, and not on what is to be done: `on my word, I saw it`."""
    first, *following = claims
    said = spelt(" ".join(c.text for c in (first, *(following if len(first.terms) <= 1 else ()))))
    tells = (is_past(w) for w in words(said))
    return _TO_BE.search(said) is None and any(tells)


def _is_own(hearing: Hearing, claim: Claim) -> bool:
    mine = [c for c in hearing.commitments if c.owner == hearing.viewer and hearing.status_of(c) == Status.OPEN]
    granted = any(c.asked and c.outcome == "granted" for c in hearing.packet.consequences)
    return granted or any(cover(hearing.with_line(claim), hearing.terms_of(c.statement)) >= _SOME for c in mine)


def _gives_what_is_refused(hearing: Hearing, claim: Claim) -> bool:
    refused = any(c.asked and c.outcome == "refused" for c in hearing.packet.consequences)
    to_you = re.search(r"\b(?:you|your|yours|it)\b", spelt(claim.text), re.IGNORECASE) is not None
    return refused and (to_you or claim.lang != "en")
