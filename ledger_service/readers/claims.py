"""Reads a reply without a model: sentence by sentence, what it holds, how, and of whom."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from ledger_service.domain.ids import PLAYER, CharacterId
from ledger_service.domain.replies import Claim, Stance
from ledger_service.domain.terms import content_terms, is_stopword, stem, words
from ledger_service.domain.worlds import World
from ledger_service.readers.pieces import pieces


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{p})" for p in patterns), re.IGNORECASE)


_STAGE: Final = re.compile(r"\*[^*\n]+\*")
_ABBREVIATION: Final = re.compile(
    r"(?:\b(?:mr|mrs|ms|dr|st|sr|jr|vs|etc|capt|sgt|lt|e\.g|i\.e)|(?<!\bI)(?<!\w)[A-Z])\.$", re.IGNORECASE
)
_ABBREVIATED: Final = 12
"""Letters before a full stop that say whether it ends an abbreviation."""
_END: Final = re.compile(r"[.!?…]+[\"'”’)]*(?=\s|$)|[。！？؟]+|\n+")
_BREAK: Final = re.compile(
    r";\s*|\s[—–-]\s|—|,\s+(?=(?:but|yet)\b)"
    r"|,\s+(?=(?:and|so|then)\s+(?!all\b|on\b|forth\b|so\b|then\b|again\b))"
    r"|,\s+(?=(?:i|you|he|she|they|we|thou)(?:'\w+)?\s+\w)|,\s+(?=(?:take|have|keep|hand|give)\s)",
    re.IGNORECASE,
)

_THANK: Final = _any(r"\bthank(?:s| you| thee)\b", r"\b(?:i'm|i am) (?:grateful|obliged)\b", r"^ta\b")
_CONDITIONAL: Final = _any(
    r"\b(?:if|unless|until|till|when|whenever|once|after|the day|as soon as|would)\b",
    r"\bonly (?:if|when)\b",
    r"\bthen (?:we|i)\b",
    r"\bbring\b.*\band\b",
)
_OATH: Final = _any(
    r"\bi (?:promise|swear|vow|give you my word|pledge)\b",
    r"\byou have my (?:word|oath|promise)\b",
    r"\bmy word on it\b",
    r"^(?:up)?on my (?:mother|father|honou?r|oath|life|soul|word|blade)\b",
    r"\bcount on me\b",
    r"\b(?:it|they|that|he|she)(?:'ll| will| shall) be in your hands?\b",
)
_BINDING: Final = _any(
    r"\bi(?:'ll| will| shall| am going to|'m going to) (?:\w+ )?(?:give|hand|bring|fetch|lend|deliver|open|unlock|pay"
    r"|return|repay|send|carry|get you|let you|see you (?:paid|through)|have (?:it|them) (?:ready|done)|find (?:it|you)"
    r"|do it|mend|fix|finish|suit up|set out|go out)\b",
)
_REFUSE: Final = _any(
    r"^no\b(?! (?:one|body|sense|matter|doubt|record|heat|use|more|idea|harm|\w+fish))",
    r"\bnot (?:today|yet|now|until|tonight|for you)\b",
    r"\bi (?:do not|don't|won't|will not|cannot|can't|can not|shan't|shall not|refuse to) (?:\w+ )?(?:give|hand|open"
    r"|let|lend|sell|bargain|unlock|lift|take|accept|grant|pay|join|go|come)\b",
    r"(?:'s|\b(?:stays?|remains?|is|are)) (?:shut|locked|closed|barred)\b",
    r"\bout of the question\b",
    r"\bput (?:it|that|them) away\b",
    r"\byou (?:may|can|shall) ?not\b",
    r"\bi(?:'m| am) stopping where i am\b",
    r"\bthe answer is no\b",
    r"\bit isn't (?:time|forty|ready)\b",
)
_GRANT: Final = _any(
    r"^(?:(?:so|then|and|well|all right|go on|here|fine),? )*(?:take|help yourself|go ahead|have) "
    r"(?!(?:a |your )?(?:seat|care|heart|note|more care|time|coin|nothing|no)\b|(?:it|that) (?:from|as|up with)\b)\w+",
    r"\bhere(?:'s| is) (?:the|your) (?:key|pay|reward|money|wages?)\b",
    r"\bhere you (?:are|go)\b",
    r"\b(?:it|they|that|the [\w-]+(?: [\w-]+)?)(?:'s| is| are) (?:all )?yours\b",
    r"\byou (?:may|can) (?:now )?(?:use|have|take|enter|go|pass|cross|buy|borrow)\b",
    r"\b(?:is|are) (?:now )?(?:unlocked|open to you)\b",
    r"\bi(?:'ll| will) (?:walk|come|go|ride) with you\b",
    r"\bit(?:'s| is) open\b",
    r"^(?:yes|aye|done|agreed)[.,!]? ?(?:you|take|go|it)\b",
    r"^granted\b",
    r"\bpermission granted\b",
)
_STAGE_GRANT: Final = _any(
    r"\b(?:hands?|gives?|passes|slides|pushes|tosses|holds out)\b.*\b(?:to (?:you|the player)|over|across)\b",
    r"\b(?:unlocks?|opens?|unbars?) the\b",
    r"\binto (?:her|his|their|the) (?:belt|pocket|purse|sleeve|coat|apron)\b",
    r"\bpockets (?:it|the)\b",
    r"\bsteps aside\b",
)
_SAY: Final = (
    r"(?:says|said|told|tells|telling|swears|swore|claims|claimed|reckons|reported|reports|wrote|grumbled|grumbles"
    r"|mutters|muttered|has it|had it|have it|heard|puffing|repeats|warned|whispered|has you|has me|believes)"
)
_ATTRIBUTE: Final = _any(
    r"\b(?!i\b|nobody\b|never\b)\w+(?:'s)? " + _SAY + r"\b",
    r"\b(?:according to|by all accounts|if \w+ has it right)\b",
    r"\b(?:word (?:is|has it)|rumour has it|so (?:i'm|i am|i was) told|i (?:was|am|have been) told)\b",
    r"\b(?:i heard|i hear|i've heard)\b",
    r"\b\w+'s word\b|\byour word\b",
    r"\bhad it (?:of|from|off)\b",
    r"\b(?:you|they|people|folk|some) (?:say|told|swear|claim|reckon)\b",
)
_HEDGE: Final = _any(
    r"\b(?:perhaps|maybe|might|may(?! \d)|probably|possibly|likely|supposedly|apparently|allegedly|seems?|could be)\b",
    r"\bi (?:think|suppose|guess|believe(?! you)|reckon|fancy|gather|take it|doubt)\b",
    r"\b(?:as far as i (?:know|can tell)|for all i know)\b",
    r"\b(?:not sure|not certain|unproven|unverified|unconfirmed|a guess|leans?)\b",
    r"\b(?:can't|cannot|would not|wouldn't|could not) swear\b",
    r"\bi(?:'d| would) not (?:put|build|bet|stake)\b",
    r"\bdon't quote me\b",
    r"\bi (?:may|might|could) be wrong\b",
    r"\bonly (?:your|his|her|their) word\b",
    r"\bi(?:'d| would) call it\b",
    r"\bif (?:it|that)(?:'s| is) (?:true|so|right)\b",
    r"\bi (?:wasn't|was not) there\b",
    r"\b(?:not settled|settled on either)\b",
)
_DENY: Final = _any(
    r"\bi (?:did not|didn't|never|do not|don't|have not|haven't|have never|have no|know of no)\b",
    r"\bthat(?:'s| is| was) not\b|\bthat isn't\b|\bnot so\b",
    r"\bwrong (?:way|room|person|man|woman)\b",
    r"\bno such\b|\bthere(?:'s| is) no\b|\bno record\b",
    r"\byou (?:did not|didn't|never|have not|haven't)\b",
    r"\bit (?:isn't|is not|wasn't|was not)\b",
)
_NEGATIVE: Final = re.compile(
    r"\b(?:no|not|never|none|nobody|nothing|neither|nor|without|cannot)\b|n['’]t\b", re.IGNORECASE
)
_FIRST: Final = frozenset("i i'm i've i'd i'll me my mine myself we we've we'll our us".split())
_SECOND: Final = frozenset("you you're you've you'd you'll your yours yourself thou thee thy thine".split())
_OPENERS: Final = frozenset("and but so then well now yes no aye because that oh ah".split())
_QUOTES: Final = {"'": "'", '"': '"', "‘": "’", "“": "”", "«": "»"}
_BARE: Final = 1
"""A clause with no more content than this says how sure the one before it is, not something of its own."""


class _Span(Struct, frozen=True, kw_only=True):
    """A stretch of the reply: a clause, whether its sentence asks, whether it is a stage direction."""

    start: int
    end: int
    asks: bool = False
    stage: bool = False
    follows: bool = False
    """It goes on in the sentence of the clause before it."""


class PatternClaimReader:
    """The first reader of replies: English cues over the world's names. Later readers come in behind the same port."""

    version = "claim-patterns-en-1"

    def read(
        self, text: str, *, world: World, speaker: CharacterId, audience: Sequence[CharacterId]
    ) -> tuple[Claim, ...]:
        """Read a reply into one claim for each clause that holds something; the same text and world give the same."""
        names = _names(world)
        listener = PLAYER if PLAYER in audience or not audience else audience[0]
        found: list[Claim] = []
        for span in _spans(text):
            claim = _claim(text, span, names, speaker=speaker, listener=listener)
            if found and span.follows and _only_qualifies(claim):
                found[-1] = _qualified(found[-1], claim, text)
            else:
                found.append(claim)
        return tuple(found)


def _spans(text: str) -> Iterator[_Span]:
    """Cut a reply into stage directions, sentences and their clauses."""
    at = 0
    for stage in _STAGE.finditer(text):
        yield from _sentences(text, at, stage.start())
        yield _Span(start=stage.start(), end=stage.end(), stage=True)
        at = stage.end()
    yield from _sentences(text, at, len(text))


def _sentences(text: str, start: int, end: int) -> Iterator[_Span]:
    at = start
    for match in _END.finditer(text, start, end):
        if _ABBREVIATION.search(text[max(at, match.start() - _ABBREVIATED) : match.start() + 1]):
            continue
        yield from _clauses(text, at, match.end())
        at = match.end()
    yield from _clauses(text, at, end)


def _clauses(text: str, start: int, end: int) -> Iterator[_Span]:
    asks = text[start:end].rstrip(" \n\"'”’)").endswith(("?", "？", "؟"))
    first = True
    for a, b in _cut(text, start, end):
        lead = len(text[a:b]) - len(text[a:b].lstrip())
        bare = text[a:b].strip().rstrip(",;—– ")
        if any(c.isalnum() for c in bare):
            yield _Span(start=a + lead, end=a + lead + len(bare), asks=asks, follows=not first)
            first = False


def _cut(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Cut a sentence where one clause ends and another begins, outside of what it quotes."""
    for low, high in pieces(text, start, end):
        breaks = [m.end() for m in _BREAK.finditer(text, low, high) if not _inside_quote(text, low, m.start())]
        yield from pairwise((low, *breaks, high))


def _inside_quote(text: str, start: int, at: int) -> bool:
    before = text[start:at]
    return before.count("“") > before.count("”") or before.count('"') % 2 == 1


def _claim(
    text: str, span: _Span, names: dict[str, frozenset[str]], *, speaker: CharacterId, listener: CharacterId
) -> Claim:  # fmt: skip
    shown = text[span.start : span.end]
    plain = shown.replace("’", "'").strip()
    teller = _attributed_to(plain, names, speaker=speaker, listener=listener)
    stance = _stance(plain, span)
    if teller is not None and stance in {Stance.ASSERT, Stance.HEDGE, Stance.DENY}:
        stance = Stance.ATTRIBUTE
    mentions = _mentions(plain, names)
    return Claim(
        stance=stance,
        text=shown,
        start=span.start,
        end=span.end,
        terms=content_terms(plain),
        mentions=mentions,
        person=_person(plain, mentions),
        attributed_to=teller,
        negative=bool(_NEGATIVE.search(plain)),
    )


def _stance(plain: str, span: _Span) -> Stance:
    if span.stage:
        return Stance.GRANT if _STAGE_GRANT.search(plain) else Stance.UNKNOWN
    if _is_quote(plain):
        return Stance.QUOTE
    if span.asks:
        return Stance.ASK
    return next((stance for stance, holds in _BY_CUE if holds(plain)), Stance.ASSERT)


def _is_quote(plain: str) -> bool:
    inner = plain.rstrip(".!?…, ")
    return (
        len(inner) > 1
        and _QUOTES.get(inner[0]) == inner[-1]
        and inner[-1] not in inner[1:-1].replace("n't", "").replace("'s", "")
    )


def _promises(plain: str) -> bool:
    return bool(_OATH.search(plain)) or (bool(_BINDING.search(plain)) and " not " not in plain)


def _grants(plain: str) -> bool:
    return bool(_GRANT.search(plain)) and not _CONDITIONAL.search(plain)


_BY_CUE: Final = (
    (Stance.THANK, lambda s: bool(_THANK.search(s)) and not _NEGATIVE.search(s)),
    (Stance.PROMISE, _promises),
    (Stance.REFUSE, lambda s: bool(_REFUSE.search(s))),
    (Stance.GRANT, _grants),
    (Stance.ATTRIBUTE, lambda s: bool(_ATTRIBUTE.search(s))),
    (Stance.HEDGE, lambda s: bool(_HEDGE.search(s))),
    (Stance.DENY, lambda s: bool(_DENY.search(s))),
)


def _only_qualifies(claim: Claim) -> bool:
    """Say whether a clause only says how sure one is, or who says so, of the clause before it."""
    return claim.stance in {Stance.HEDGE, Stance.ATTRIBUTE} and len(set(claim.terms) - _WORD_TERMS) <= _BARE


_WORD_TERMS: Final = frozenset(stem(w) for w in "swear word sure certain tell say so put build quote there".split())


def _qualified(claim: Claim, qualifier: Claim, text: str) -> Claim:
    stance = qualifier.stance if claim.stance in {Stance.ASSERT, Stance.DENY, Stance.HEDGE} else claim.stance
    return replace(
        claim,
        stance=stance,
        end=qualifier.end,
        text=text[claim.start : qualifier.end],
        attributed_to=claim.attributed_to or qualifier.attributed_to,
        mentions=tuple(sorted({*claim.mentions, *qualifier.mentions})),
    )


@lru_cache(maxsize=256)
def _name_words(rows: tuple[tuple[str, tuple[str, ...]], ...]) -> dict[str, frozenset[str]]:
    return {who: frozenset(stem(w) for name in names for w in words(name) if not is_stopword(w)) for who, names in rows}


def _names(world: World) -> dict[str, frozenset[str]]:
    """Return, for each character, place and thing, the stems of the words of its names."""
    rows = [(x.id, (x.id, x.name, *x.aliases)) for group in (world.cast, world.places, world.things) for x in group]
    return _name_words(tuple(rows))


def _mentions(plain: str, names: dict[str, frozenset[str]]) -> tuple[str, ...]:
    said = {stem(w) for w in words(plain)}
    return tuple(sorted(who for who, parts in names.items() if parts & said))


def _person(plain: str, mentions: tuple[str, ...]) -> str:
    for word in words(plain):
        if word in _OPENERS:
            continue
        if word in _FIRST:
            return "speaker"
        if word in _SECOND:
            return "listener"
        named = next((m for m in mentions if stem(word) == stem(m)), None)
        if named is not None:
            return named
    return ""


def _attributed_to(
    plain: str, names: dict[str, frozenset[str]], *, speaker: CharacterId, listener: CharacterId
) -> CharacterId | None:
    """Return whom a clause names as its source: before a verb of saying, after `from`, or as the owner of a word."""
    if re.search(r"\byou (?:say|said|told|tell|swear|swore|claim)\b|\byour word\b", plain, re.IGNORECASE):
        return listener
    for match in _SOURCE.finditer(plain):
        said = {stem(w) for w in words(match.group()) if not is_stopword(w)}
        found = [who for who, parts in names.items() if parts & said and who not in {speaker, PLAYER}]
        if found:
            return found[0]
    return None


_SOURCE: Final = _any(
    r"(?:[\w-]+ ){0,3}[\w-]+ (?:\w+ ){0,2}?" + _SAY + r"\b",
    r"\b(?:from|according to) (?:\w+ ){0,2}\w+",
    r"(?:\w+ ){0,2}\w+'s word\b",
)
