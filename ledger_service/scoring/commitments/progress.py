"""How far a clause says that a commitment has got: done, broken, called off, or still to be done."""

import re
from enum import StrEnum
from typing import Final

from ledger_service.domain.clipped import spelt
from ledger_service.domain.terms import is_stopword, stem
from ledger_service.scoring.commitments.matters import Matter, Spoken, points
from ledger_service.scoring.words.overlap import akin, kindred
from ledger_service.scoring.words.verbs import is_past
from ledger_service.scoring.words.wording import come_to_the_same, cue


class Told(StrEnum):
    """What a clause says has become of a commitment."""

    DONE = "done"
    KEPT = "kept"
    BROKEN = "broken"
    OFF = "off"
    OPEN = "open"
    UNDONE = "not done"
    NOTHING = ""


_SETTLED: Final = cue("settled")
"""Said of what was owed, by any of the ways of saying that nothing is any more."""
_KEPT: Final = cue("kept")
_BROKE: Final = cue("broke")
_OFF: Final = cue("off")
_DISOWNS: Final = cue("disowns")
_DOING: Final = cue("doing")
"""What somebody is at, as something that is not over."""
_OPEN: Final = cue("open")
_TO_DO: Final = cue("to_do")
_UNDONE: Final = cue("undone")
_GETTING: Final = frozenset(
    stem(w) for w in "arrive come turn see get show touch start begin finish do receive appear reach".split()
)
"""What is denied of a thing that was to be brought or done, where it was not."""
_PLACED: Final = cue("placed")
"""Said of a thing that is to be brought: that it is where it should be."""
_SOMEWHERE: Final = cue("somewhere")
_HELD: Final = cue("held")
"""Said of a thing that is to be brought: that somebody has it."""
_STATE: Final = cue("state")
_THANKS: Final = cue("thanks")
_DID_IT: Final = cue("did_it")
_GOT_SO: Final = cue("got_so")
"""What somebody got a thing to be, that was not so: open, running, home."""
_FINISHED: Final = cue("finished")
"""A whole clause that says no more than that it is done."""
_DID: Final = cue("did")
DONE_FORMS: Final = frozenset(
    "sewn shod mown hewn sawn shorn woven spun strung bent shown drawn grown written ridden ground wound read laid lit "
    "hung spent".split()
)
"""Forms of deeds that are done, besides those in -ed."""
_OF_BRINGING: Final = frozenset(
    stem(w) for w in "bring return give pay deliver fetch hand carry recover lend send get".split()
)
_NOT_SO: Final = cue("not_so")
_DENIED: Final = cue("denied")
"""The same, without the words of time: what is told of a day in the past was so."""

_BECAUSE: Final = cue("because")
"""What begins a clause of its own within a clause: a no before it says nothing of what comes after it."""
_THEN: Final = cue("then")
"""How a sentence begins that tells what comes after what the one before it asks for."""


def told(spoken: Spoken) -> Told:
    """Return what a clause says has become of the commitment that it speaks of."""
    matter, text = spoken.matter, spelt(spoken.claim.text)
    if matter is None:
        return Told.NOTHING
    for pattern, what in ((_BROKE, Told.BROKEN), (_OFF, Told.OFF), (_SETTLED, Told.DONE), (_KEPT, Told.KEPT)):
        match = pattern.search(text)
        if match is not None and not _is_unreal(spoken, text[: match.start()]):
            return what
    if _is_disowned(spoken, matter, text):
        return Told.OFF
    if _is_done(spoken, matter, text):
        return Told.DONE
    if spoken.named and _is_undone(matter, text):
        return Told.UNDONE
    return Told.OPEN if _is_open(spoken, matter, text) else Told.NOTHING


def _is_disowned(spoken: Spoken, matter: Matter, text: str) -> bool:
    """Say whether a clause denies that whoever is to do it ever took it on."""
    match = _DISOWNS.search(text)
    if match is None or not (spoken.named or points(text)) or _is_unreal(spoken, text[: match.start()]):
        return False
    who = (match["who"] or "").casefold()
    return not who or (who in {"i", "we"}) == (matter.owner == spoken.speaker)


def _is_unreal(spoken: Spoken, before: str) -> bool:
    """Say whether what comes before in the sentence makes it a wish, a condition or a denial."""
    before = _BECAUSE.split(before)[-1]
    follows = not spoken.first and not spoken.before and _THEN.match(spoken.claim.text) is not None
    return follows or _NOT_SO.search(before) is not None or _NOT_SO.search(spoken.before) is not None


def _is_done(spoken: Spoken, matter: Matter, text: str) -> bool:
    """Say whether a clause tells the deed itself as done, or the thing as being where it was to be brought."""
    if not (spoken.named or points(text) or _FINISHED.match(text)):
        return False
    brings = bool(matter.deed & _OF_BRINGING)
    cues = [
        _DID_IT,
        _GOT_SO,
        *([_STATE, _THANKS] if spoken.named else []),
        *([_PLACED, _HELD] if spoken.named and brings else []),
    ]
    if _FINISHED.match(text) is not None:
        return True
    matches = [m for m in (wording.search(text) for wording in cues) if m is not None]
    return any(not _is_unreal(spoken, text[: m.start()]) for m in matches) or _deed_told(spoken, matter, text)


def placed(text: str) -> bool:
    """Say whether a clause tells where a thing is, or that somebody has it."""
    return _SOMEWHERE.search(text) is not None or _HELD.search(text) is not None


def _deed_told(spoken: Spoken, matter: Matter, text: str) -> bool:
    """Say whether the deed stands in the past, or as what has been done: `rebuilt`, `has taught you`."""
    for match in _A_WORD.finditer(text):
        bare = match[0].casefold().removeprefix("re-")
        past = not is_stopword(bare) and (is_past(bare) or bare in DONE_FORMS)
        if past and _is_the_deed(stem(bare), matter):
            before = text[: match.start()]
            if _DID.search(before) is not None:
                return _DENIED.search(before) is None and _DENIED.search(spoken.before) is None
            return not _is_unreal(spoken, before)
    return False


def _is_the_deed(said: str, matter: Matter) -> bool:
    if kindred({said}, matter.deed):
        return True
    alike = bool(akin({said}, matter.deed)) or any(come_to_the_same(said, deed) for deed in matter.deed)
    return alike and said not in _LIGHT


def _is_undone(matter: Matter, text: str) -> bool:
    """Say whether a clause tells that it was not done: `you never brought`, `nobody has seen`."""
    match = _UNDONE.search(text)
    return match is not None and (
        stem(match[1].casefold()) in _GETTING or _is_the_deed(stem(match[1].casefold()), matter)
    )


def _is_open(spoken: Spoken, matter: Matter, text: str) -> bool:
    """Say whether a clause tells that it is still to be done."""
    match = (_OPEN if spoken.named else _OUTSTANDING).search(text)
    if (
        match is not None
        and _NOT_SO.search(text[: match.start()]) is None
        and _OWNER[matter.owner == spoken.speaker].search(text) is None
    ):
        return True
    doing = _DOING.search(text) if spoken.named or points(text) else None
    if doing is not None and _NOT_SO.search(text[: doing.start()]) is None and _is_the_deed(stem(doing[1]), matter):
        return True
    to_do = _TO_DO.search(text) if spoken.named else None
    if to_do is None or _NOT_SO.search(text[: to_do.start()]) is not None:
        return False
    return _is_the_deed(stem(to_do[1].casefold()), matter)


_OUTSTANDING: Final = cue("outstanding")
_OWNER: Final = {
    True: re.compile(r"\byou(?: still)? owe\b", re.IGNORECASE),
    False: re.compile(r"\b(?:i|we)(?: still)? owe\b", re.IGNORECASE),
}
"""What is owed the other way, by whether the commitment is the speaker's own."""
_A_WORD: Final = cue("a_word")
_LIGHT: Final = frozenset(stem(w) for w in "have make take give get set do go come keep".split())
