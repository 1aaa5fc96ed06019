"""Reads a player's line without a model: who and what it names, what it asks, says and takes for granted."""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final

from msgspec import Struct

from ledger_service.domain.ids import PLAYER, CharacterId
from ledger_service.domain.moments import Ask, AskKind, ClaimKind, Intent, LineClaim
from ledger_service.domain.terms import content_terms, content_words, is_stopword, stem, words
from ledger_service.domain.worlds import World
from ledger_service.readers.pieces import pieces
from ledger_service.readers.premises import (
    asks_opinion,
    asks_reason,
    asks_talk,
    asks_when_due,
    asks_words,
    deed_asked,
    exclaims,
    handed_over,
    leave_of,
    lent_to_you,
    own_deed,
    shared_past,
    standing_of,
)

_SENTENCE: Final = re.compile(r"[^.!?;:…]+[.!?;:…]*")

_WH: Final = {
    "who": AskKind.WHO, "whom": AskKind.WHO, "whose": AskKind.WHO, "what": AskKind.WHAT, "which": AskKind.WHAT,
    "when": AskKind.WHEN, "where": AskKind.WHERE, "why": AskKind.WHY, "how": AskKind.HOW,
}  # fmt: skip
_AUXILIARY: Final = frozenset(
    "is are was were am do does did have has had "
    "didn't doesn't don't haven't hasn't isn't aren't wasn't weren't".split()
)
_OF_US: Final = frozenset("you i we it that this there ye thou".split())
_REQUEST: Final = frozenset("will would can could may might shall won't wouldn't can't couldn't".split())

_RECORD: Final = re.compile(
    r"\b(?:(?:in|on|by|from|to|per) (?:your|the|my) (?:own )?(?:notes?|records?|books?|files?|log|ledger"
    r"|papers?|list|lists)"
    r"|(?:do|does|did) (?:your|the) (?:notes?|records?|books?|files?|log|ledger|papers?|lists?)"
    r"|(?:got|have|put|written|set|noted) (?:me )?(?:down|on file)|on record|have on me)\b",
    re.IGNORECASE,
)
_CULPRIT: Final = re.compile(
    r"\b(?:(?:any|no|some|a|your|the|new|other) leads?|leads? on|clues?|suspects?|culprits?"
    r"|who(?:'s| is| was| might be)? (?:behind|responsible|to blame)|whodunn?it"
    r"|(?:do you|who do you|d'you) suspect|name for it)\b",
    re.IGNORECASE,
)
_ABOUT: Final = re.compile(
    r"\b(?:know|hear|heard|tell me|tell us|say|learn(?:ed|t)?|news|word|anything|something) (?:\w+ ){0,3}?"
    r"(?:about|of|regarding|concerning)\b|^(?:what|how) about\b",
    re.IGNORECASE,
)
_TELL: Final = re.compile(
    r"^(?:so |now |well |please |come on,? |go on,? )*"
    r"(?:tell|describe|explain|remind|point|show|(?:talk|walk|take|run) (?:me|us) through|fill (?:me|us) in on)\b",
    re.IGNORECASE,
)
_RECORD_WORDS: Final = frozenset(
    stem(w) for w in "note notes record records book books file files log ledger paper list down".split()
)
_ASK_WORDS: Final = frozenset(
    stem(w)
    for w in "lead leads clue clues suspect culprit news word idea notion point describe explain remind happen "
    "happened tell show square answer question talk walk run fill long often kind sort opinion "
    "view story made reason".split()
)
_OPINION: Final = stem("opinion")
"""Under which what somebody feels towards whoever is asked about answers, whatever its words are."""
_NEGATED: Final = re.compile(
    r"\b(?:can't|cannot|can not|couldn't|mustn't|must not|shouldn't|should not|don't|do not|won't|may not|never|avoid"
    r"|forbidden|not allowed)\b",
    re.IGNORECASE,
)
_RELATIVE_NEGATED: Final = re.compile(
    r"\b(?:what|which|who|where|things?|food|anything|something|places?) (?:\w+ ){0,3}?(?:i|we|he|she|they|you)? ?"
    r"(?:can't|cannot|can not|mustn't|must not|shouldn't|should not|should avoid|may not|don't|won't|avoid)\b",
    re.IGNORECASE,
)
_MINE: Final = frozenset({"i", "me", "my", "mine", "myself", "i'm", "i've", "i'd", "i'll"})
_PRONOUNS: Final = ("him", "he", "her", "she", "his", "they", "them")
_THAT_NOUN: Final = re.compile(r"\b(?:that|this|those|these) (?:[\w'’-]+ )?([\w'’-]+)", re.IGNORECASE)

_PRIVATE: Final = re.compile(
    r"\b(?:in private|privately|in confidence|in secret|(?:we were|we are|we're|were both|us|just the two of us) alone"
    r"|when (?:it was )?(?:only|just) (?:us|the two of us|you and i|you and me)|alone together|(?:just )?us two"
    r"|behind closed doors"
    r"|nobody else|no one else|out of earshot)\b",
    re.IGNORECASE,
)
_TALK: Final = re.compile(
    r"\bour (?:own )?(?:little |private |quiet |last |secret |earlier |small )*(?:chat|talk|conversation|word"
    r"|words|meeting|secret"
    r"|understanding|arrangement)\b",
    re.IGNORECASE,
)
_SAID: Final = re.compile(
    r"\b(?:you (?:once |already |yourself |just )?(?:told|said|mentioned|confessed|admitted|whispered|explained"
    r"|confided|revealed)"
    r"|we (?:had |have |once |all )?agreed (?:on|to|that)|(?:as|like|what) you (?:told|said))\b",
    re.IGNORECASE,
)
_MET: Final = re.compile(
    r"\b(?:last time we|when we (?:last )?(?:met|spoke)|since we (?:last )?(?:met|spoke)|remember me\b|we(?:'ve"
    r"| have)? met"
    r"|(?:good|nice|glad) to see you again|meet again)\b",
    re.IGNORECASE,
)
_PROMISED: Final = re.compile(
    r"\b(?:you (?:\w+ )?(?:promised|swore|vowed|agreed|pledged|undertook)|you gave (?:me |us )?your word"
    r"|your (?:promise|word|oath|pledge) (?:to|that)|as (?:you )?promised"
    r"|(?:you were|weren't you|were you not) (?:going|supposed|meant) to)\b",
    re.IGNORECASE,
)
_OWED: Final = re.compile(r"\byou (?:still |do |already )?owe (?:me|us)\b", re.IGNORECASE)
_WITNESSED: Final = re.compile(
    r"\b(?:you were there|you were (?:at|in|on|by) (?:the|my|\w+'s) "
    r"|you were (?:standing|sitting|right) (?:there|by|beside)|you (?:yourself )?(?:saw"
    r"|watched|witnessed|checked|heard"
    r"|tested|inspected|found)|you've (?:yourself )?(?:seen|checked|watched|tested|inspected)|with your own eyes"
    r"|you (?:did )?(?:see|check|watch) (?:it|him|her|them|that|the))\b",
    re.IGNORECASE,
)
_DONE_BY_ME: Final = re.compile(
    r"^(?:and |but |so |well,? |look,? |see,? |now |because |since )*(?:i|we)(?:'ve|’ve| have| did)?(?: already"
    r"| just| finally| now)? "
    r"(?:(?:brought|returned|gave|paid|fixed|repaired|mended|finished|completed|delivered|did|done|killed"
    r"|cleared|kept|found|"
    r"handed|put|took|made|sent|settled|built|cleaned|carried|fetched|slew|slain|dealt|recovered|replaced"
    r"|collected|taken|given|"
    r"bring|return|pay|fix|finish|deliver)\b)",
    re.IGNORECASE,
)
_IS_DONE: Final = re.compile(
    r"(?:\b(?:it|that|this|they|(?:the |your |my )?[\w'’-]+(?: [\w'’-]+)?)(?:'s|’s| is| are| was| were|'re"
    r"| has been| have been)"
    r"(?: all| already| now| as good as)* (?:done(?: for)?|finished|over|handled|dead|fixed|sorted|settled|back"
    r"|returned|"
    r"repaired|mended|paid|delivered|dealt with|taken care of|complete|completed|cleared|clear)\b"
    r"|^consider (?:\w+ ){1,4}(?:done|handled|dead|sorted|settled|fixed)\b"
    r"|^(?:and |but |so )*you(?:'ve| have| had| got)+ (?:your|the|my|that|those) (?:[\w'-]+ ){1,3}back\b)",
    re.IGNORECASE,
)
_PLACED: Final = re.compile(
    r"^(?:and |but |so )?(?:the|your|my|that|those) (?:[\w'-]+ ){1,3}?(?:is|are) (?:now |already |safely |all )*"
    r"(?:at|with|in|on|aboard|under) ",
    re.IGNORECASE,
)
_NO_MORE: Final = re.compile(
    r"^(?:all |already |safely )*(?:done|delivered|returned|repaired|mended|paid|fetched|handed over|finished|fixed)\b",
    re.IGNORECASE,
)
"""Said of what the sentence before names: "The box? Delivered to the abbey."."""
_LATELY: Final = re.compile(
    r"\b(?:last (?:night|week|month|year|time)|the other (?:day|night|evening)|these days|nowadays|lately)\b",
    re.IGNORECASE,
)
_SINCE: Final = re.compile(r"\b(?:now that|seeing (?:as|that)|given that)\s+(.+)$", re.IGNORECASE)
_HOW_YOU_FEEL: Final = re.compile(
    r"\bwhat(?:'s| is)? (?:for|next|up|new|now|wrong|do i owe)\b"
    r"|\bwhat(?:'s| is| has|'re| are)?(?: been)? (?:the matter|on your mind|troubling you|bothering you|eating you"
    r"|worrying you|you thinking|ails you|your name|your price)\b",
    re.IGNORECASE,
)
_YOU_DID: Final = re.compile(r"^(?:but |and |so )?you (?:did|have|had|'ve) (?!to\b|it\b)(.+)$", re.IGNORECASE)
_GREETING: Final = re.compile(
    r"^(?:oh |well |ah )?(?:good (?:morning|day|evening|afternoon|night)|morning|evening|hello|hi|hey|greetings"
    r"|well met|welcome"
    r"|a fine (?:morning|evening|day|night)|up already|you're up early)\b",
    re.IGNORECASE,
)
_TAG: Final = re.compile(
    r",?\s*(?:remember|right|yes|no|eh|(?:is|are|was|were|do|does|did|have|has|had|will|would|can|could)n't"
    r" (?:i|you|he|she|it|we|they)|do you reckon|would you say|i hear|then)\s*\?*$",
    re.IGNORECASE,
)


class _Sentence(Struct, frozen=True, kw_only=True):
    """One sentence: its text, whether it asks, its content stems and words."""

    text: str
    asks: bool
    terms: tuple[str, ...]
    label: str


class PatternLineReader:
    """The first reader: English patterns over the world's names. Later readers come in behind the same port."""

    version = "patterns-en-3"

    def read(self, text: str, *, world: World, speaker: CharacterId, audience: Sequence[CharacterId]) -> Intent:
        """Read a line into an intent."""
        names = _names(world)
        addressed = frozenset(part for part in names.get(speaker, ()))
        sentences = [s for s in _sentences(text, addressed) if s.text]
        terms = tuple(dict.fromkeys(term for s in sentences for term in s.terms))
        greeting = bool(_GREETING.search(text.strip())) and not any(s.asks and s.terms for s in sentences)
        return Intent(
            terms=terms,
            mentions=_mentions(text, names, skip=speaker),
            actions=_actions(text, world, speaker),
            asserts=() if greeting else tuple(_asserts(sentences)),
            presupposes=() if greeting else tuple(_presupposes(sentences)),
            asks=() if greeting else tuple(_asks(sentences, audience)),
            anaphora=tuple(_anaphora(text)),
            greeting=greeting,
            reader=self.version,
        )


@lru_cache(maxsize=256)
def _names_of(world_names: tuple[tuple[str, tuple[str, ...]], ...]) -> dict[str, tuple[str, ...]]:
    return {who: tuple(dict.fromkeys(t for name in names for t in words(name))) for who, names in world_names}


def _names(world: World) -> dict[str, tuple[str, ...]]:
    """Return, for each character, place and thing, the words of its names."""
    people = [(c.id, (c.id, c.name, *c.aliases)) for c in world.cast]
    places = [(p.id, (p.id, p.name, *p.aliases)) for p in world.places]
    things = [(t.id, (t.id, t.name, *t.aliases)) for t in world.things]
    return _names_of((*people, *places, *things))


def _sentences(text: str, addressed: frozenset[str]) -> Iterator[_Sentence]:
    plain = text.replace("’", "'")
    for start, end in (piece for m in _SENTENCE.finditer(plain) for piece in pieces(plain, m.start(), m.end())):
        raw = plain[start:end].strip()
        bare = _without_vocative(raw.rstrip(".!?;:… ").strip(), addressed)
        asks = raw.endswith("?") or _opens_question(bare)
        shown = tuple(w for w in words(_LATELY.sub(" ", bare)) if not is_stopword(w) and w not in addressed)
        yield _Sentence(text=bare, asks=asks, terms=tuple(dict.fromkeys(stem(w) for w in shown)), label=" ".join(shown))


def _without_vocative(sentence: str, addressed: frozenset[str]) -> str:
    """Drop a name or title set off by commas: whom one speaks to is not what one speaks about."""
    pieces = [piece.strip() for piece in sentence.split(",")]
    if len(pieces) == 1:
        return sentence
    first, last = pieces[0], pieces[-1]
    if _is_vocative(first, addressed):
        pieces = pieces[1:]
    if len(pieces) > 1 and _is_vocative(last, addressed):
        pieces = pieces[:-1]
    return ", ".join(pieces)


def _is_vocative(piece: str, addressed: frozenset[str]) -> bool:
    said = words(piece)
    return len(said) == 1 and (said[0] in addressed or not is_stopword(said[0]))


def _opens_question(bare: str) -> bool:
    said = words(bare)
    while said and said[0] in {"so", "and", "but", "well", "now", "then", "go", "on", "please", "come"}:
        said = said[1:]
    return bool(said) and (said[0] in _WH or bool(_TELL.search(bare)))


def _mentions(text: str, names: dict[str, tuple[str, ...]], *, skip: str) -> tuple[str, ...]:
    stems = {stem(word) for word in words(text)}
    found = [
        who
        for who, parts in names.items()
        if who != skip and any(stem(p) in stems and not is_stopword(p) for p in parts)
    ]
    return tuple(sorted(found))


def _actions(text: str, world: World, speaker: CharacterId) -> tuple[str, ...]:
    stems = [stem(word) for word in words(text)]
    joined = f" {' '.join(stems)} "
    found = []
    for action in world.actions:
        phrases = (" ".join(stem(w) for w in words(phrase)) for phrase in action.words or (action.name,))
        if action.is_granted_by(speaker) and any(f" {phrase} " in joined for phrase in phrases if phrase):
            found.append(action.id)
    return tuple(found)


def _anaphora(text: str) -> Iterator[str]:
    said = words(text)
    yield from dict.fromkeys(p for p in _PRONOUNS if p in said)
    for noun in _THAT_NOUN.findall(text):
        if not is_stopword(noun.casefold()):
            yield stem(noun.casefold())


def _asks(sentences: list[_Sentence], audience: Sequence[CharacterId]) -> Iterator[Ask]:
    for i, sentence in enumerate(sentences):
        kind = _ask_kind(sentence)
        if kind is None:
            continue
        before = sentences[:i]
        terms, label = sentence.terms, sentence.label
        if _needs_topic(sentence):
            topics = [s for s in before if not s.asks or not s.terms] or before
            terms = tuple(dict.fromkeys(t for s in (*topics, sentence) for t in s.terms))
            label = " ".join(dict.fromkeys(w for s in (*topics, sentence) for w in s.label.split()))
        drop = _ASK_WORDS | (_RECORD_WORDS if kind is AskKind.RECORD else frozenset())
        kept = tuple(t for t in terms if t not in drop)
        label = " ".join(w for w in label.split() if stem(w) not in drop)
        mine = not _MINE.isdisjoint(words(sentence.text))
        if mine and kind is not AskKind.RECORD and asks_talk(sentence.text):
            kind, kept = AskKind.ABOUT, (*kept, *(stem(part) for part in words(audience[0] if audience else PLAYER)))
        if asks_opinion(sentence.text):
            kept = (*kept, _OPINION)
        yield Ask(
            kind=kind,
            topic=kept,
            label=label,
            subject=(audience[0] if audience else PLAYER) if mine and kind is AskKind.RECORD else None,
            negative=_is_negative(sentence, kind),
            deed=deed_asked(sentence.text) if kind is AskKind.WHO else "",
            words=asks_words(sentence.text),
        )


def _is_negative(sentence: _Sentence, kind: AskKind) -> bool:
    if kind is AskKind.WHETHER:
        return bool(_RELATIVE_NEGATED.search(sentence.text))
    return bool(_NEGATED.search(sentence.text)) and bool(_RELATIVE_NEGATED.search(sentence.text))


def _needs_topic(sentence: _Sentence) -> bool:
    """A question that hangs in the air takes its topic from what was said before it."""
    said = words(sentence.text)
    pronoun = not {"it", "that", "he", "she", "him", "her", "they", "them", "this"}.isdisjoint(said)
    return pronoun or len(sentence.terms) <= 1


def _ask_kind(sentence: _Sentence) -> AskKind | None:
    """Name the sort of answer wanted; requests, small talk and bare moods want none from the record."""
    text, said = sentence.text, words(sentence.text)
    if not said:
        return None
    wants_telling = bool(_TELL.search(text))
    if exclaims(text):
        return None
    if not sentence.asks and not wants_telling and not _RECORD.search(text):
        return None
    if _CULPRIT.search(text):
        return AskKind.CULPRIT
    if _RECORD.search(text):
        return AskKind.RECORD
    if _ABOUT.search(text):
        return AskKind.ABOUT
    return _plain_kind(text, said, wants_telling=wants_telling)


def _plain_kind(text: str, said: list[str], *, wants_telling: bool) -> AskKind | None:
    if asks_reason(text):
        return AskKind.WHY
    wh = next((w for w in said if w.removesuffix("'s") in _WH), None)
    if wh is not None:
        kind = _WH[wh.removesuffix("'s")]
        return None if not wants_telling and _is_small_talk(kind, text, said) else kind
    if wants_telling:
        return AskKind.ABOUT
    opening = next((w for w in said if w not in {"so", "and", "but", "well", "now", "then"}), "")
    if opening in _REQUEST:
        return AskKind.WHETHER if _asks_what_comes(said, opening) else None
    return AskKind.WHETHER if opening in _AUXILIARY or _asks_of_past(said) else None


def _asks_what_comes(said: list[str], opening: str) -> bool:
    """Say whether it asks what will be, of a third person or thing: "will salt cost more"."""
    subject = next(iter(said[said.index(opening) + 1 :]), "")
    return opening in {"will", "won't"} and subject not in _OF_US


def _asks_of_past(said: list[str]) -> bool:
    return not {"did", "have", "had", "has", "was", "were"}.isdisjoint(said)


def _is_small_talk(kind: AskKind, text: str, said: list[str]) -> bool:
    if kind is AskKind.HOW:
        return "did" not in said and not re.search(r"\bhow (?:many|much|long|often|old)\b", text, re.IGNORECASE)
    if kind is AskKind.WHY:
        return re.search(r"\bwhy (?:are you|do you|so|the)\b", text, re.IGNORECASE) is not None
    if kind is AskKind.WHAT:
        return _HOW_YOU_FEEL.search(text) is not None
    return False


def _claim(
    kind: ClaimKind, sentence: _Sentence, *, drop: Iterable[str] = (), owner: str | None = None, label: str = ""
) -> LineClaim:
    dropped = {stem(w) for w in drop}
    return LineClaim(
        kind=kind,
        topic=tuple(t for t in sentence.terms if t not in dropped),
        label=label or " ".join(w for w in sentence.label.split() if stem(w) not in dropped),
        owner=owner,
        negative=bool(re.search(r"\b(?:not|never|no|n't)\b|n't\b", sentence.text)),
    )


_SAYING: Final = tuple(
    "promise promised swore swear vowed agreed pledged owe word oath still loud repeat mention mentioned confessed "
    "admitted admit whispered explained confided revealed private alone chat little talk watched saw witnessed checked "
    "yourself standing sitting".split()
)


def _presupposes(sentences: list[_Sentence]) -> Iterator[LineClaim]:
    for sentence in sentences:
        text = sentence.text
        talk = bool(_TALK.search(text)) or bool(_SAID.search(text))
        if (talk and (_PRIVATE.search(text) or _TALK.search(text))) or re.search(
            r"\bwhen we were alone\b", text, re.IGNORECASE
        ):
            yield _claim(ClaimKind.ALONE, sentence, drop=_SAYING, label="private talk")
        elif _SAID.search(text):
            yield _claim(ClaimKind.SAID, sentence, drop=_SAYING)
        elif _MET.search(text):
            yield _claim(ClaimKind.MET, sentence, label="met before")
        if _OWED.search(text):
            yield _claim(ClaimKind.OWED, sentence, drop=_SAYING)
        elif _PROMISED.search(text):
            yield _claim(ClaimKind.PROMISED, sentence, drop=_SAYING)
        elif asks_when_due(text):
            yield _claim(ClaimKind.DUE, sentence)
        if _WITNESSED.search(text):
            yield _claim(ClaimKind.WITNESSED, sentence, drop=_SAYING)
        yield from _pasts(sentence)


def _pasts(sentence: _Sentence) -> Iterator[LineClaim]:
    """Yield what a sentence takes the speaker, or the two of them, to have done."""
    together = shared_past(sentence.text)
    if together:
        yield _claim(ClaimKind.SHARED, _part(together), drop=("together", "side", "back"))
        return
    thing, lent = handed_over(sentence.text), lent_to_you(sentence.text)
    if thing:
        yield _claim(ClaimKind.SHARED, _part(thing))
        return
    if lent:
        yield _claim(ClaimKind.OWED, _part(lent))
        return
    deed = own_deed(sentence.text, asks=sentence.asks)
    if deed:
        yield _claim(ClaimKind.DEED, _part(deed), drop=_SAYING)


def _part(clause: str) -> _Sentence:
    return _Sentence(text=clause, asks=False, terms=content_terms(clause), label=" ".join(content_words(clause)))


def _asserts(sentences: list[_Sentence]) -> Iterator[LineClaim]:
    for before, sentence in zip((None, *sentences), sentences, strict=False):
        if before is not None and not sentence.asks and _NO_MORE.search(sentence.text):
            yield _claim(ClaimKind.PLACED, before)
        text = _TAG.sub("", sentence.text)
        clauses = [
            clause.strip()
            for clause in re.split(r",\s*(?:and |so |but )?|\bso\b|\band\b(?= (?:hand|give|let|open))", text)
            if clause.strip()
        ]
        plain_question = sentence.asks and text == sentence.text
        since = _SINCE.search(text)
        if since:
            clauses.append(since[1])
        if plain_question and not since:
            continue
        yield from _done_claims(clauses, sentence)


def _done_claims(clauses: list[str], sentence: _Sentence) -> Iterator[LineClaim]:
    for clause in clauses:
        part = _part(clause)
        if len(clauses) > 1 and not {"it", "them", "that"}.isdisjoint(words(clause)):
            part = _Sentence(text=clause, asks=False, terms=sentence.terms, label=sentence.label)
        if _DONE_BY_ME.search(clause):
            yield _claim(ClaimKind.DONE, part, drop=("already", "finally", "just", "done", "did"), owner=PLAYER)
        elif _IS_DONE.search(clause):
            drop = ("done", "finished", "handled", "consider", "sorted", "settled", "fixed", "cleared", "clear", "good")
            yield _claim(ClaimKind.DONE, part, drop=drop)
        elif _PLACED.search(clause):
            yield _claim(ClaimKind.PLACED, part)
        elif _YOU_DID.search(clause) or own_deed(clause, asks=False):
            yield _claim(ClaimKind.STATE, part)
        elif leave_of(clause) or standing_of(clause):
            yield _claim(ClaimKind.STATE, _part(leave_of(clause) or standing_of(clause)))
