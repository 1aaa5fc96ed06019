"""What a sentence of the record tells: who did it, what was said, why; by its wording alone."""

import re
from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from typing import Final

from ledger_service.domain.terms import IRREGULAR, is_stopword, stem, term_set, words


def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in text.split())


HARM: Final = _stems(
    "kill murder stab strangle poison drown steal rob break burn cut smash attack strike hurt wound kidnap "
    "take forge betray sabotage damage foul wreck shoot push strip loot ransack hide do cause"
)
GRAVE: Final = HARM - _stems("take do cause hide push hit") | _stems(
    "sell lose pawn abandon drown ruin waste spoil insult cheat slander poach drink eat desert drop squander refuse"
)
"""What nobody wants to be told they did: an entry bears it out only if it tells of such a thing."""
_ANY_DEED: Final = stem("did")
"""`Who did it` names no deed of its own."""
_FINDS: Final = _stems(
    "find see notice discover spot hear smell watch report inspect check mourn bury come mend repair"
)
_MENDS: Final = _stems("mend repair fix patch restore")
_SAYS: Final = _stems("say says claim swear tell told think believe reckon suspect maintain insist")
_SPEECH: Final = _SAYS | _stems(
    "said ask warn promise agree mention confess admit announce beg accuse deny threaten demand explain reveal "
    "propose vow refuse accept complain suggest boast confide"
)
_TALK: Final = re.compile(
    r"\b(?:talk|spoke|speak|chat|whisper|argu|quarrel|confer|murmur|discuss)\w* (?:\w+ ){0,4}?(?:about|of|over|that)\b"
    r"|[\"“]|(?<!\w)'\w[^']*'(?!\w)",
    re.IGNORECASE,
)
_COUNTS: Final = _stems(
    "two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty hundred thousand half double"
)
_BEING: Final = frozenset(
    "is are was were has have had been be stands stood lies lay hangs hung remains remained stays stayed".split()
)
_IS_SOMEBODY: Final = re.compile(r"\b(?:is|are|was|were) (?:(?:the|an?|my|our|his|her|called|named|none)\b|[A-Z])")
_HOLDING: Final = frozenset("by with to".split())
_PLACE: Final = re.compile(
    r"\b(?:at|in|into|on|onto|off|under|behind|by|near|beneath|below|above|beside|between|inside|outside|through|across"
    r"|from|towards?|upstairs|downstairs|home|with|where|past|beyond|over|along|aboard|left|went|here|there|gave|given|handed|took|brought|sold|sent|lent|carried|put|hid|hides|buried|kept|keeps)\b",
    re.IGNORECASE,
)
_REASON: Final = re.compile(
    r"\b(?:because|since|so|for|after|to|due|over|owing|lest|until|unless|want\w*|need\w*|fear\w*|afraid|hop\w+"
    r"|reason|meant|means)\b",
    re.IGNORECASE,
)


def names_doer(statement: str, topic: AbstractSet[str], deed: str) -> bool:
    """Say whether a sentence names who did a deed, and not merely what it was done to, or who came upon it.

    >>> asked = {"cut", "bell", "rope"}
    >>> names_doer("a pedlar named Quill cut the bell rope", asked, "cut")
    True
    >>> names_doer("the sexton found the bell rope cut", asked, "cut")
    False
    """
    return _names_doer(words(statement), topic, deed)


def _names_doer(said: list[str], topic: AbstractSet[str], deed: str) -> bool:
    subject = next((i for i, w in enumerate(said) if not is_stopword(w)), None)
    if subject is None:
        return False
    if _done_by(said, topic):
        return True
    if stem(said[subject]) in topic:
        return False
    frame = next((i for i, w in enumerate(said) if i > subject and stem(w) in _FINDS | _SAYS), None)
    if frame is None or stem(said[frame]) == deed or {stem(said[frame]), deed} <= _MENDS:
        return True
    rest = said[frame + 1 :]
    came_upon = stem(said[frame]) in _FINDS
    deeds = HARM if deed == _ANY_DEED else {deed}
    return (not came_upon or not deeds.isdisjoint(stem(w) for w in rest)) and _names_doer(rest, topic, deed)


def _done_by(said: list[str], topic: AbstractSet[str]) -> bool:
    """Say whether it reads `was cut by somebody`, and not `was found dead by the trough`."""
    for i, word in enumerate(said[:-1]):
        if word == "by" and not _BEING.isdisjoint(said[:i]) and _is_deed(said[i - 1]):
            return any(not is_stopword(w) and stem(w) not in topic for w in said[i + 1 :])
    return False


def _is_deed(word: str) -> bool:
    form = word.endswith(("ed", "en")) or word in IRREGULAR or word in {"cut", "hit", "set", "shut", "hurt", "put"}
    return form and word != "dead" and stem(word) not in _FINDS


def names_somebody(statement: str, topic: AbstractSet[str]) -> bool:
    """Say whether a sentence could answer `who`: it is not merely how a thing stands.

    >>> names_somebody("the cup is gone from the hall", {"cup"})
    False
    >>> names_somebody("the larder key is with the cook", {"larder", "key"})
    True
    >>> names_somebody("the man with the lute is a spy", {"man", "lute"})
    True
    """
    said = words(statement)
    state = next((i for i, w in enumerate(said) if w in _BEING), None)
    if said[:1] not in (["the"], ["a"]) or state is None:
        return True
    before = {stem(w) for w in said[:state]}
    return not _HOLDING.isdisjoint(said[state:]) or not before & topic or bool(_IS_SOMEBODY.search(statement))


def counts_alike(terms: Iterable[str], statement: str) -> bool:
    """Say whether a sentence counts as the words do, where both count.

    >>> asked = "tessel asked twelve marks"
    >>> counts_alike(("five", "mark"), asked), counts_alike(("mark",), asked)
    (False, True)
    """
    mine, its = _COUNTS.intersection(terms), _COUNTS & term_set(statement)
    return not mine or not its or not mine.isdisjoint(its)


def holds_words(statement: str) -> bool:
    """Say whether a sentence tells what somebody said; that they talked is not enough.

    >>> holds_words("the abbess and the envoy talked for an hour"), holds_words("ode asked whether the gate was barred")
    (False, True)
    """
    return not _SPEECH.isdisjoint(stem(w) for w in words(statement)) or bool(_TALK.search(statement))


def holds_place(statement: str) -> bool:
    """Say whether a sentence could answer `where`: it names a place, or at least says how something stands.

    >>> holds_place("the toolbox is under the stairs"), holds_place("jessamy means to ask the smugglers for work")
    (True, False)
    """
    return bool(_PLACE.search(statement)) or not _BEING.isdisjoint(words(statement))


def gives_reason(statement: str, topic: AbstractSet[str]) -> bool:
    """Say whether a sentence could answer `why`: one that says no more than the question does not, unless it adds one.

    >>> gives_reason("marek left on the night boat", {stem("marek"), stem("leave")})
    False
    """
    restates = len(topic) > 1 and topic <= term_set(statement)
    return not restates or bool(_REASON.search(statement))
