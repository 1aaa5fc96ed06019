"""What an English question asks of deeds and words, and what it takes for granted about the speaker's own past."""

import re
from typing import Final

from ledger_service.domain.terms import IRREGULAR, stem

_WHO_DID: Final = re.compile(
    r"\bwho(?:'s|'d|ever)?(?: it was that| was it that| exactly| actually| really| then)?"
    r"(?: (?:has|had|have|could have|might have|may have|must have|would have))?(?: just| already| secretly| first)? "
    r"(?P<verb>[a-z]+)\b",
    re.IGNORECASE,
)
_FORMS: Final = frozenset(IRREGULAR) - {"dead", "death", "lives", "leaves", "men", "women", "people", "feet", "found"}
_UNCHANGED: Final = frozenset("cut hit set shut let hurt burst burned split spread shed cast beat bit did".split())
_NO_DEED: Final = frozenset("told said heard met left need agreed owned used lived called named supposed".split())

_SAYING: Final = (
    r"(?:sa(?:y|id)|tell|told|whisper(?:ed|ing)?|talk(?:ed|ing)?|discuss(?:ed|ing)?|spoken?|speak(?:ing)?|agreed?"
    r"|mention(?:ed)?|argu(?:e|ed|ing)|quarrel\w*|confide[ds]?|reveal(?:ed)?|let (?:\w+ )?slip|on about)"
)
_ASKED_OF_YOU: Final = re.compile(r"\b(?:did|have|had|were|has) you\b|\byou (?:" + _SAYING + r"|were)\b", re.IGNORECASE)
_WHAT: Final = re.compile(r"\bwhat\b", re.IGNORECASE)
_WAS: Final = re.compile(r"\b(?:did|has|have|had|was|were|said|told|agreed|discussed)\b", re.IGNORECASE)
_SAID: Final = re.compile(r"\b" + _SAYING + r"\b", re.IGNORECASE)
_ASKS_WORDS: Final = re.compile(
    r"^(?:\w+ )?(?:did|has|have|had)(?:n't)? (?!you\b|i\b|we\b)(?:\w+ ){1,3}?(?:ever |also )?" + _SAYING + r"\b"
    r"|\b(?:what|which) (?:kind of |sort of )?(?:deal|bargain|pact|agreement|arrangement|terms)\b"
    r"|\babout (?:our|their|the|his|her|my) (?:deal|bargain|pact|agreement|arrangement)\b",
    re.IGNORECASE,
)
_HIS_DEED: Final = re.compile(
    r"\b(?:why|when|where|how(?: (?:much|many|long|often|come|could|dare))?|who|whom|what)\b[^,?]*?"
    r"\b(?:did|have|had|could|dare)(?:n't)? you (?:ever |really |just |go and )?(?P<deed>[a-z]+\b.*)$",
    re.IGNORECASE,
)
_WHEN_YOU: Final = re.compile(
    r"\b(?:when|after|since|before|because) you (?P<deed>(?P<verb>[a-z]+)\b.*)$", re.IGNORECASE
)
_YOU_DID: Final = re.compile(
    r"^(?:and |but |so |well,? |yet )?you (?:once |already |even |just |also |really )?(?P<deed>(?P<verb>[a-z]+)\b.*)$",
    re.IGNORECASE,
)
_UNDONE: Final = frozenset("not never n't".split())
_TALKERS: Final = frozenset("i we you they he she it nobody someone somebody who what that which as".split())
_NOT_A_DEED: Final = frozenset(
    "told said promised swore vowed agreed pledged undertook mentioned confessed admitted whispered explained confided "
    "revealed saw heard watched witnessed checked tested inspected found seemed looked needed used wanted knew "
    "thought felt meant got gave had met left seen been".split()
)
_TOGETHER: Final = re.compile(
    r"\b(?:remember|recall|forget|forgotten)\b.*\b(?:when|how|the (?:time|night|day|way)|that (?:time|night|day)) "
    r"(?:you and i|we|us|you)\b(?P<deed>.*)$"
    r"|\b(?:old times|the old days|like we used to|as we used to|like we did|as we did|like last time"
    r"|(?:you and i|we) go(?: a long way)? back to)\b(?P<then>.*)$",
    re.IGNORECASE,
)
_WE_DID: Final = re.compile(
    r"^(?:and |but |so |well,? )?(?:we|you and i|the two of us) (?:once |both |all |even |never )?"
    r"(?P<deed>(?P<verb>[a-z]+)\b.*)$",
    re.IGNORECASE,
)
_HANDED_OVER: Final = re.compile(
    r"\b(?:the|that|this|my|your|those|these) (?P<thing>(?:[\w'-]+ ){1,3}?)(?:that |which )?(?:i|you) "
    r"(?:had |have |just |once |already |so kindly )*"
    r"(?:gave|given|lent|loaned|sold|sent|brought|handed|entrusted|borrowed|returned) (?:to |from |over to )?"
    r"(?:you|me|us)\b",
    re.IGNORECASE,
)
_MY_GIFT: Final = re.compile(
    r"\bmy (?:gift|present),? (?:to you,? )?(?:the|that|of an?|of the) (?P<thing>[\w'-]+(?: [\w'-]+)?)$"
    r"|^(?:the|that|those|your) (?P<given>(?:[\w'-]+ ){1,3}?)(?:of yours )?(?:was|were|is|are) (?:\w+ ){0,3}"
    r"(?:gift|present)s?\b"
    r"|^(?:and |but |so |look,? )?i (?:have |had |already |once |just )*gave you (?:the|an?|my|that|those|some) "
    r"(?P<mine>[\w'-]+(?: [\w'-]+)?)",
    re.IGNORECASE,
)
_LENT: Final = re.compile(
    r"^(?:and |but |so |look,? )?i(?:'ve| have| had)?(?: already| once| only)? (?:lent|loaned) you "
    r"(?P<thing>[\w'-]+(?: [\w'-]+){0,3})",
    re.IGNORECASE,
)
_STANDING: Final = re.compile(
    r"^(?:as you know,? )?(?:i'm|i am) (?:really |truly |in truth )?(?P<mine>(?:the|your|[\w-]+'s) [\w' -]+)$"
    r"|^(?P<his>(?:the |our |your )?[\w-]+(?: [\w-]+)?) (?:is|was) my (?P<kin>[\w' -]+)$"
    r"|\byou(?:'re| are) (?:speaking|talking) to (?P<you>(?:the|an?|your|[\w-]+'s) [\w' -]+)$",
    re.IGNORECASE,
)
_NO_STANDING: Final = re.compile(
    r"\b(?:one|same|only|first|last|best|worst|kind|sort|friend|friends|fault|turn|guest)\b"
)
_OPINION: Final = re.compile(
    r"\bwhat do you (?:make|think|reckon|say) (?:of|about|to)\b|\bhow do you (?:feel|find|like|rate)\b"
    r"|\byour (?:opinion|view|feelings?) (?:of|on|about|towards?)\b|\bdo you (?:trust|like|rate)\b",
    re.IGNORECASE,
)
_TALK: Final = re.compile(
    r"\bwhat (?:do|are|have|did) (?:they|people|folk|folks|you|the \w+) (?:say|saying|said|tell|telling|been saying"
    r"|heard|hear|got)\b|\bwhat am i (?:supposed|meant|said)\b|\bwhat's (?:said|being said|going round)\b"
    r"|\bword (?:of|about) me\b",
    re.IGNORECASE,
)
_ON_WHOSE_WORD: Final = re.compile(
    r"^(?:but |and |look,? |well,? )?(?P<who>(?:the |my |your |our |old )?[\w'-]+(?: [\w'-]+)?) "
    r"(?:has |had )?(?:already )?(?:said|says|promised|agreed|swore|lets? me"
    r"|(?:told|sent|allowed) (?:me|us)|gave (?:me|us) leave)\b"
    r"|\b(?:leave|permission|orders|authority|word|a warrant|a pass) from (?P<giver>.+)$"
    r"|\b(?:have|with|by|on) (?P<whose>(?:the )?[\w-]+)'s (?:leave|permission|blessing|consent|authority)\b"
    r"|\b(?:on|by) (?P<order>.+?)(?:'s)? (?:orders|command|authority|say-so)\b",
    re.IGNORECASE,
)
_WHY: Final = re.compile(
    r"\bwhat (?:made|makes|drove|drives|moved|possessed|brought|caused)\b|\bhow come\b"
    r"|\bhow did .{1,40}?\b(?:come by|get (?:that|this|his|her|those)|end up|come to)\b"
    r"|\b(?:what(?:'s| is| was)|for what) (?:the )?reasons?\b|\bwhat for$",
    re.IGNORECASE,
)
_DUE: Final = re.compile(
    r"\bwhen (?:will|are|do|shall|would|were) you (?:\w+ to |finally |ever )?\w+"
    r"|\bwhen (?:do|will|can|shall|am|are) (?:i|we) (?:going to )?(?:get|have|see|receive|be paid)\b",
    re.IGNORECASE,
)
_EXCLAIMS: Final = re.compile(
    r"^(?:oh |ah |my,? )?(?:what an? |how (?!did|do|does|is|are|was|were|many|much|long|often|old)\w+\b)", re.IGNORECASE
)


def asks_reason(text: str) -> bool:
    """Say whether a question asks why in other words: "what made him leave", "how come".

    >>> asks_reason("What made the abbot leave"), asks_reason("What did the smith make")
    (True, False)
    """
    return bool(_WHY.search(text))


def deed_asked(text: str) -> str:
    """Return the stem of what somebody is asked to have done, or an empty string.

    >>> deed_asked("So who cut the bell rope"), deed_asked("Who knows the shoals")
    ('cut', '')
    """
    found = _WHO_DID.search(text)
    verb = found["verb"].casefold() if found else ""
    return stem(verb) if _is_past(verb) and verb not in _NO_DEED else ""


def _is_past(verb: str) -> bool:
    return (verb.endswith("ed") and len(verb) > len("need")) or verb in _FORMS or verb in _UNCHANGED


def asks_words(text: str) -> bool:
    """Say whether a question is after what somebody other than the speaker said or agreed.

    >>> asks_words("What did the abbess say to the envoy"), asks_words("What did you say")
    (True, False)
    """
    return bool(_ASKS_WORDS.search(text)) or _asks_what_was_said(text)


def _asks_what_was_said(text: str) -> bool:
    """Say whether, after a `what` that is not asked of "you", something was said (or ends the question with "was")."""
    of_you = max((m.start() for m in _ASKED_OF_YOU.finditer(text)), default=-1)
    what = next((m for m in _WHAT.finditer(text) if m.end() > of_you), None)
    was = list(_WAS.finditer(text, what.end())) if what is not None else []
    if not was:
        return False
    last = was[-1]
    at_the_end = not text[last.end() :].strip() and last.group().casefold() != "did"
    return at_the_end or _SAID.search(text, was[0].end()) is not None


def own_deed(text: str, *, asks: bool) -> str:
    """Return what a sentence takes the speaker to have done, or an empty string.

    >>> own_deed("Why did you sell my horse", asks=True), own_deed("You saved my life at the ford", asks=False)
    ('sell my horse', 'saved my life at the ford')
    """
    found = _HIS_DEED.search(text) if asks else _YOU_DID.search(text)
    if found is None:
        found = _WHEN_YOU.search(text)
    if found is None:
        return ""
    verb = found["deed"].split()[0].casefold()
    plain = found.re is _HIS_DEED or _is_past(verb)
    return "" if not plain or verb in _NOT_A_DEED or verb in _UNDONE else found["deed"]


def shared_past(text: str) -> str:
    """Return what a sentence recalls the two to have done, or an empty string.

    >>> shared_past("Remember when we held the ford together").strip()
    'held the ford together'
    """
    found = _TOGETHER.search(text)
    if found is not None:
        return found["deed"] or found["then"] or ""
    done = _WE_DID.search(text)
    return done["deed"] if done and _is_past(done["verb"].casefold()) and done["verb"] not in _NOT_A_DEED else ""


def handed_over(text: str) -> str:
    """Return what a sentence takes to have passed between the two, or an empty string.

    >>> handed_over("Where is the ring I gave you").strip()
    'ring'
    """
    found = _HANDED_OVER.search(text)
    if found is not None:
        return found["thing"]
    gift = _MY_GIFT.search(text)
    return (gift["thing"] or gift["given"] or gift["mine"]) if gift else ""


def lent_to_you(text: str) -> str:
    """Return what somebody says they lent the speaker, who then would owe it; or an empty string.

    >>> lent_to_you("I lent you four marks")
    'four marks'
    """
    found = _LENT.search(text)
    return found["thing"] if found else ""


def standing_of(text: str) -> str:
    """Return who somebody says they are, or whose: a rank or kinship that the record must bear out; or nothing.

    >>> standing_of("I am the harbourmaster's son"), standing_of("I am tired")
    ("the harbourmaster's son", '')
    """
    found = _STANDING.search(text)
    said = " ".join(part for part in found.groups() if part) if found else ""
    return "" if _NO_STANDING.search(said.casefold()) else said


def asks_opinion(text: str) -> bool:
    """Say whether a question is after what the speaker holds of somebody: what it feels towards them answers it."""
    return bool(_OPINION.search(text))


def asks_talk(text: str) -> bool:
    """Say whether a question is after what goes round about whoever asks."""
    return bool(_TALK.search(text))


def leave_of(text: str) -> str:
    """Return on whose word somebody says they come or ask, or an empty string.

    >>> leave_of("The harbourmaster said I could pass"), leave_of("You said I could pass")
    ('The harbourmaster', '')
    """
    found = _ON_WHOSE_WORD.search(text)
    who = next((part for part in found.groups() if part), "") if found else ""
    return "" if who.split(" ")[0].casefold() in _TALKERS else who


def asks_when_due(text: str) -> bool:
    """Say whether a question takes it that the speaker still has to pay, bring or mend something."""
    return bool(_DUE.search(text))


def exclaims(text: str) -> bool:
    """Say whether words that look like a question only admire or complain: "what a lovely fair"."""
    return bool(_EXCLAIMS.search(text))
