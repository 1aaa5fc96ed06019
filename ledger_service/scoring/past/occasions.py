"""Whether a reply tells of what passed between two people on some occasion that nothing on record comes near."""

import re
from collections.abc import Iterator
from typing import Final

from ledger_service.domain.replies import Claim, Stance
from ledger_service.domain.rubric import Code, Finding
from ledger_service.domain.terms import content_terms, stem, words
from ledger_service.scoring.heard.facts import Topic
from ledger_service.scoring.heard.hearing import Hearing, found
from ledger_service.scoring.heard.topics import topics
from ledger_service.scoring.words.lexicon import is_person
from ledger_service.scoring.words.overlap import akin, plain

_ONE: Final = (
    r"(?:me|you|thee|us|him|her|them|my|your|thy|his|our|their|(?-i:(?!I\b)[A-Z]\w+)|the \w+|each other|one another)"
)
_BETWEEN: Final = re.compile(
    rf"\b(?:told|asked|thanked|begged|promised|called|blessed|praised|warned|kissed|hugged|embraced|held|pressed|wrung"
    rf"|shook|clasped|patted|stroked|slapped|taught|gave|lent|showed|handed|fed|nursed|poured|carried|helped|saved|let"
    rf"|left|walked|drove|bought|brought|joined|visited|met|wished|confided in|cursed|named|hid|pulled|took|caught"
    rf"|woke"
    rf"|followed|kept|sent|trusted|forgave|comforted|greeted|toasted|cheered|chose|picked|hired|invited|introduced"
    rf"|covered for|rescued|dragged|lifted|tucked|bandaged|stitched|steadied|guided|led|offered|scolded|teased|mocked"
    rf"|loved|hated|missed|recommended|vouched for|defended|spared|served|beat|pushed|shoved|kicked|swore|made|bit"
    rf"|stood|dealt|cornered|stopped|beckoned|waved|winked|nodded|smiled|sold|cut|offered|spilt|spilled|threw|passed"
    rf"|tipped|struck|steered|drew|cooked|sewed|mended) {_ONE}\b"
    rf"|\b(?:told|said|spoke|spoken|talked|sang|read|wrote|whispered|confessed|swore|apologi[sz]ed|knelt|bowed"
    rf"|wept|cried"
    rf"|sobbed|leaned|clung|laughed|drank|ate|dined|supped|danced|sat|stood|walked|rode|slept|played|watched"
    rf"|waited|came"
    rf"|crept|ran|went on|begged|asked|joked|prayed|sheltered|shared|worked|quarrell?ed|fought|raved|boasted"
    rf"|bragged|confided"
    rf"|grinned|nodded|smiled|waved|winked|stayed|lied|turned|opened up|sailed|climbed|hunted|fished|marched|grumbled"
    rf"|complained|murmured|muttered|shouted|yelled|screamed|vowed|admitted|explained|gossiped|haggled|argued"
    rf"|rowed|sitting|sitting up|sat up|staying|staying up|walking|watching|waiting|stopping|bedding down)"
    rf"(?: (?!not\b)\w+){{0,3}}? (?:to|with|beside|by|for|at|of|about|on|upon|against|from|after|over) {_ONE}\b"
    rf"|\b(?:threw|flung|hurled|tossed|lobbed|gave|passed|handed|brought|sent|read|sang|told|poured|cooked|carved"
    rf"|sewed|knitted)"
    rf" (?:\w+ ){{1,4}}?(?:to|at|for) (?:me|you|thee|us|him|her|them)\b"
    rf"|\b(?:wept|cried|slept|sat|fell|ran|stood|lay|waited|knelt|shouted|whispered|hid|came|walked|stormed|burst"
    rf"|danced|dozed|snored|sprawled|bled|collapsed|fainted|sheltered)"
    rf" (?:in|into|on|at|over|before|behind|under|beneath|outside|through) (?:my|your|thy|his|her|our|their)\b"
    rf"|\b(?:put|laid|raised|had|broke|took|drank|gave|sent|threw|lent|held|kept) (?:an? |his |her |my |your |the )?"
    rf"(?:hand|arms?|word|words|glass|toast|bread|company|aside|drink|ear|shoulder|health|head) "
    rf"(?:on|round|around|about|to|with|for|in|into|against|towards?|of) {_ONE}\b|\btook {_ONE} aside\b"
    rf"|\b(?:the two of us|both of us|just us|only us|you and (?:i|me)|(?:i|me) and you)\b"
    r"|\bwe (?:both |once |all |even )?(?:had|sat|drank|ate|talked|spoke|met|shared|danced|sang|walked|rode|laughed"
    r"|wept|cried|kissed|swore|shook|quarrell?ed|fought|slept|sheltered|prayed|dined|supped|played|watched|waited"
    r"|stayed)\b",
    re.IGNORECASE,
)
"""What passes between two people: words, thanks, gifts, help, tears, a visit, time together."""
_WHEN: Final = re.compile(
    r"\b(?:last (?:night|week|month|year|summer|winter|spring|autumn|time|trip|voyage|season|harvest|\w+day|evening)"
    r"|(?:only|just|this very|early) (?:this|yester\w+)|yesterday|the other (?:day|night|time|evening|morning|week)"
    r"|(?:that|the|one|this same|the same|that same|that first|the first|the second|the next) "
    r"(?:same |very |first |last |second |whole |late |wet |cold )*(?:night|day|evening|morning|noon|afternoon|time"
    r"|summer|winter|spring|autumn|frost|snow|week|(?:sun|mon|tues|wednes|thurs|fri|satur)day|watch|feast|storm)"
    r"|(?:a|two|three|four|some|many|\w+) (?:nights?|days?|weeks?|months?|years?|winters?|summers?) (?:ago|back|since)"
    r"|^once\b|for (?:a|two|three|the whole|half a) (?:fortnight|week|month|night|day|season|year)s?\b"
    r"|this morning|past midnight|at (?:midnight|dawn|dusk)|before (?:dawn|breakfast|supper)"
    r"|(?:after|during|in the middle of|at the end of) (?:the|my|your|our|his|her|their) \w+|the second|twice"
    r"|when (?:you|i|we|he|she) (?!could|would|might|should|can|will|get|are|were to)\w+)\b",
    re.IGNORECASE,
)
_WHERE: Final = re.compile(
    r"\b(?:in|on|at|behind|under|by|beside|from|into|down|up|upon|near|outside|below|above|against|across|through)"
    r" (?:the|my|your|thy|our|her|his|that|this|those|\w+'s) ((?:\w+ ){0,2}?\w+)",
    re.IGNORECASE,
)
_REGARD: Final = re.compile(
    r"\b(?:called|blessed|praised|toasted|cheered|named|wished|asked after|went on about) (?:you|thee)\b"
    r"|\b(?:spoke|speaks?) (?:well|kindly|highly|warmly|ill) of (?:you|thee)\b"
    r"|\bthanked (?:me|us|god|heaven) for (?:you|sending|bringing)\b"
    r"|\b(?:said|told (?:me|us)) (?:that )?(?:you|thou)(?:'d| had|'re| are| were| was| wast)(?: got)? "
    r"(?:the|a|my|one of|worth)\b",
    re.IGNORECASE,
)
"""What somebody is said to have said of the listener."""
_HABIT: Final = re.compile(
    r"\b(?:always|every|used to|usually|often|whenever|would|could|might|may|if|should|as if|as though|unless)\b"
    r"|'d (?:have|sooner|rather|like|not)\b",
    re.IGNORECASE,
)
_AS_SAID: Final = re.compile(
    r"\b(?:as|like) (?:i|we) (?:told|said|promised)\b(?:(?! when| that| in| on| at).)*$", re.IGNORECASE
)
"""What only says again what was said."""
_MEETING: Final = re.compile(
    r"\b(?:met|meet|talk(?:ed|s)?|spoke|spoken|speak|alone|together|private(?:ly)?|by ourselves|just (?:us|the two)"
    r"|between (?:us|you and me)|you and (?:i|me))\b",
    re.IGNORECASE,
)
_COUNTED: Final = re.compile(r"\b(?:once|twice|times|only|never|always|a single)\b", re.IGNORECASE)
_UNDONE: Final = re.compile(r"(?:\b(?:never|not|nor|nobody|no one|hardly)|n't)\b", re.IGNORECASE)
_THAT_NIGHT: Final = re.compile(
    r"(?:and |or |but |oh,? |remember |you remember )*(?:that|the|what about that"
    r"|what about the) (?:\w+ )?(?:night|day|time|evening|morning|noon"
    r"|afternoon|summer|winter|spring|autumn|week) (?:when |that )?(?:you|i|we)\b",
    re.IGNORECASE,
)
_PRIVATE: Final = re.compile(
    r"\b(?:not a soul|nobody(?: else)?|no one(?: else)?|none) (?:by|about|near|there|around|within|to (?:hear"
    r"|overhear|see|listen|know))\b"
    r"|\bout of (?:earshot|hearing)\b|\bbehind (?:closed|shut|locked) doors\b|\bwith the door (?:shut|closed"
    r"|locked|barred|bolted)\b"
    r"|\bin (?:private|confidence|secret)\b|\b(?:just|only) (?:the two of us|you and (?:i|me)|us two"
    r"|between us)\b|\bwhen we were alone\b",
    re.IGNORECASE,
)
"""That nobody else was by."""
_THING: Final = re.compile(r"\bthe (\w+)$", re.IGNORECASE)
_ALONE: Final = frozenset("alone private privately".split())
_BESIDES: Final = re.compile(r"\b(?:and|then|while|without)\b", re.IGNORECASE)
"""What adds something of its own: a no in that takes nothing back of what was told before it."""
_NOT_FORGOTTEN: Final = re.compile(
    r"\b(?:not|never|n't|don't|haven't|hardly) (?:\w+ )?(?:forget|forgot|forgotten|mind|know)\b"
    r"|\bno (?:harm|less|doubt|trouble|bother|hardship|great matter|matter)\b|\bnobody else\b",
    re.IGNORECASE,
)
"""A no that takes nothing back."""
_DISOWNED: Final = re.compile(
    r"^(?:no|nay|never|nonsense)\b(?! (?:doubt|wonder|less|matter|one|body|harm))"
    r"|^(?:but |and |well,? )?(?:you|i|we|they|he|she|it|that)(?:'ve| have)? ?(?:did not|didn't|never|not|haven't"
    r"|was not|wasn't|were not|weren't)\b(?! (?:\w+ )?(?:forg[eo]t|forgotten|mind))"
    r"|\b(?:do not|don't|cannot|can't) (?:remember|recall|place)\b",
    re.IGNORECASE,
)
"""A no to what the line takes for shared."""
_FIRST: Final = frozenset("i me my mine myself we us our i'd i've".split())
_SECOND: Final = frozenset("you your yours thou thee thy you'd you've".split())
_THIRD: Final = frozenset("he she him her his they them their he'd she'd".split())
_BODY: Final = frozenset(
    stem(w)
    for w in "hand hands eye eyes face voice head mouth heart foot feet back arm arms mind ear ears lip lips knee"
    " word words way time breath side own name teeth".split()
)
"""What is no place, wherever it is."""
_TOLD_ME: Final = frozenset({"told me", "said to me", "asked me", "told us", "warned me"})
"""How a teller is named: no more than whose word something is."""
_SKIPPED: Final = frozenset({Stance.ASK, Stance.QUOTE, Stance.UNKNOWN})
_NEAR: Final = 0.5
_MEANT: Final = 0.35
_SAME: Final = 0.55
_FEW: Final = 0.15
_REMOTE: Final = 0.1
_TOLD: Final = 0.6


def occasions(hearing: Hearing) -> Iterator[Finding]:
    """Find a talk, a gift, a visit or a feeling between two people, at a time or a place, that nothing is near to."""
    for claim in hearing.claims:
        if _DISOWNED.search(plain(claim.text)) or claim.says("dreamt"):
            return
        told = claim.lang == "en" and (_tells_of_one(hearing, claim) or _adds_a_meeting(hearing, claim))
        if told and not _is_on_record(hearing, claim):
            why = "no record of it, and the line tells of it as something that passed between them"
            yield found(Code.INVENTED_MEMORY, claim, why)
            return


def _tells_of_one(hearing: Hearing, claim: Claim) -> bool:
    """Say whether a clause tells of two people, of what passes between people, and of when or where it did."""
    said = plain(claim.text)
    if (claim.stance in _SKIPPED and not _calls_to_mind(claim)) or _people(hearing, claim) < 2:  # noqa: PLR2004
        return False
    if _REGARD.search(said) and not _is_undone(said):
        return True
    passed = _passed(said) or (_BETWEEN.search(said) if _is_of_both(said) else None)
    if passed is None or _HABIT.search(said[: passed.end()]) or _AS_SAID.search(said):
        return False
    if _is_undone(_BESIDES.split(said[passed.end() :], maxsplit=1)[0]) or _is_undone(said[: passed.end()]):
        return False
    if claim.stance is Stance.ATTRIBUTE and _SECOND.isdisjoint(words(said)) and passed[0].casefold() in _TOLD_ME:
        return False
    around = plain(hearing.around(claim))
    return (
        _WHEN.search(around) is not None
        or _is_placed(hearing, said)
        or (_PRIVATE.search(around) is not None and not _were_alone(hearing))
    )


def _calls_to_mind(claim: Claim) -> bool:
    """Say whether a question only calls to mind what it tells: `and that night you wept on my bench?`."""
    return claim.stance is Stance.ASK and _THAT_NIGHT.match(plain(claim.text)) is not None


def _were_alone(hearing: Hearing) -> bool:
    """Say whether the record has two people be alone at some time."""
    return any(not f.is_negative and not _ALONE.isdisjoint(words(f.entry.statement)) for f in hearing.selected)


def _is_of_both(said: str) -> bool:
    """Say whether a clause says both I and you: then what is done to a thing may be done to its owner."""
    there = frozenset(words(said))
    return bool(there & _FIRST) and bool(there & _SECOND)


def _passed(said: str) -> re.Match[str] | None:
    """Return what passes between people in a clause: nothing that is done to a door or a wall."""
    return next((m for m in _BETWEEN.finditer(said) if not (t := _THING.search(m[0])) or is_person(stem(t[1]))), None)


def _is_undone(said: str) -> bool:
    """Say whether words say no to what they tell of."""
    return _UNDONE.search(_NOT_FORGOTTEN.sub(" ", said)) is not None


def _adds_a_meeting(hearing: Hearing, claim: Claim) -> bool:
    """Say whether an answer names another place where the two met, who by the record met so often and no more."""
    if not _MEETING.search(hearing.packet.line) or claim.stance is not Stance.ASSERT or claim.negative:
        return False
    counted = any(_MEETING.search(f.entry.statement) and _COUNTED.search(f.entry.statement) for f in hearing.selected)
    return counted and _is_placed(hearing, plain(claim.text))


def _people(hearing: Hearing, claim: Claim) -> int:
    """Return how many are spoken of: the speaker, the listener, somebody else."""
    said = words(plain(claim.text))
    there = set(said)
    others = set(claim.mentions) - {hearing.viewer, hearing.listener}
    meant = bool(there & _THIRD) and (bool(there & _SECOND) or _names_another(hearing))
    by_trade = any(is_person(t) for t in claim.terms)
    return bool(there & _FIRST) + bool(there & _SECOND) + bool(meant or others or by_trade)


def _names_another(hearing: Hearing) -> bool:
    """Say whether somebody else is named, in the reply or in the line, whom a `he` or `she` may mean."""
    named = hearing.mentioned.union(*(c.mentions for c in hearing.asked))
    return bool(named - {hearing.viewer, hearing.listener})


def _is_placed(hearing: Hearing, said: str) -> bool:
    """Say whether words name a place or a thing at hand that is nowhere on record and not in the line."""
    known = hearing.told_of | hearing.line_terms
    named = (frozenset(content_terms(m[1])) - hearing.cast_names - _BODY for m in _WHERE.finditer(said))
    return any(terms and not akin(known, terms) for terms in named)


def _is_on_record(hearing: Hearing, claim: Claim) -> bool:
    """Say whether anything on record comes near, in words, or in meaning and a few words."""
    own = frozenset(claim.terms) - hearing.names - hearing.cast_names
    return any(_is_near(hearing, topic, own) for topic in topics(hearing, claim))


def _is_near(hearing: Hearing, topic: Topic, own: frozenset[str]) -> bool:
    if topic.meaning >= _SAME or (topic.meaning >= _MEANT and topic.words >= _FEW):
        return True
    if topic.words >= _TOLD and (hearing.near is None or topic.meaning >= _REMOTE):
        return True
    return bool(own) and len(akin(topic.fact.terms, own)) >= _NEAR * len(own)
