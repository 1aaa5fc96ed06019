"""Reads a reply without a model: sentence by sentence, who holds what, how, and of whom."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from msgspec.structs import replace

from ledger_service.domain.clipped import spelt
from ledger_service.domain.ids import PLAYER, CharacterId
from ledger_service.domain.replies import MOST_READ, Claim, Stance
from ledger_service.domain.terms import content_terms, is_stopword, stem, words
from ledger_service.domain.worlds import World
from ledger_service.readers.cleaning import cleaned
from ledger_service.readers.languages import language_of
from ledger_service.readers.names import Names, heard, mentions, names_of
from ledger_service.readers.pieces import LONGEST
from ledger_service.readers.sentences import Span, spans_of
from ledger_service.readers.stances import only_qualifies, stance_of
from ledger_service.readers.tongues import KNOWN, Tongue, tongue

_BY: Final = re.compile(r"\b(?:was|were|been|is|are|got|be)\b[\w' -]*\bby (?:the )?(\w+)", re.IGNORECASE)
_IT_WAS: Final = re.compile(
    r"^(?:it|that) (?:was|is|were)(?: not|n't)? (?:the )?(\w+)(?: \w+)? (?:who|that)\b", re.IGNORECASE
)
_THIRD: Final = frozenset({"he", "she", "they", "it", "nobody", "somebody", "everybody"})
_SUBJECT_WITHIN: Final = 5


class PatternClaimReader:
    """Cues and names over sentences and clauses, from one data file a language."""

    version = "claims-2"

    def warm(self) -> None:
        """Load what reading needs, so that the first reply does not wait for it."""
        for code in KNOWN:
            tongue(code)
        language_of("Es ist nur ein Versuch, damit das Werkzeug geladen ist.")

    def read(
        self, text: str, *, world: World, speaker: CharacterId, audience: Sequence[CharacterId]
    ) -> tuple[Claim, ...]:
        """Read a reply into one claim for each clause that holds something; the same text and world give the same."""
        listener = PLAYER if PLAYER in audience or not audience else audience[0]
        turn = _Turn(names_of(world), speaker=speaker, listener=listener)
        text = text[:MOST_READ]
        main = language_of(cleaned(text))
        found: list[Claim] = []
        for span in spans_of(text):
            claim = turn.claim(text, span, main)
            if found and span.follows and span.end - found[-1].start <= LONGEST and only_qualifies(claim):
                found[-1] = _qualified(found[-1], claim, text)
            else:
                found.append(claim)
        return tuple(found)


class _Turn:
    """Whose turn it is to speak, to whom, and what the names are."""

    def __init__(self, names: Names, *, speaker: CharacterId, listener: CharacterId) -> None:
        self.names = names
        self.speaker = speaker
        self.listener = listener

    def claim(self, text: str, span: Span, main: str) -> Claim:
        """Read one clause."""
        shown = text[span.start : span.end]
        plain = cleaned(shown).strip()
        code = language_of(plain, main)
        code = main if code not in KNOWN and main in KNOWN else code
        if code not in KNOWN:
            return Claim(stance=Stance.UNKNOWN, text=shown, start=span.start, end=span.end, lang=code)
        spoken = tongue(code)
        plain = spoken.without_idle(spelt(plain) if code == "en" else plain)
        named = mentions(plain, self.names) if code == "en" else _all_named(plain, self.names, spoken)
        terms = content_terms(plain) if code == "en" else _glossed(plain, spoken, named)
        named = named if code == "en" else _meant_too(named, terms, self.names)
        teller = self.teller(plain, spoken, named)
        stance = stance_of(plain, span, spoken)
        if teller is not None and stance in {Stance.ASSERT, Stance.HEDGE, Stance.DENY}:
            stance = Stance.ATTRIBUTE
        return Claim(
            stance=stance,
            text=shown,
            start=span.start,
            end=span.end,
            terms=terms,
            mentions=named,
            person=_person(plain, spoken, named),
            attributed_to=teller,
            negative=spoken.says("negative", plain),
            cues=_cues(plain, code),
            subject=self.subject(plain, spoken, named),
            lang=code,
        )

    def teller(self, plain: str, spoken: Tongue, named: tuple[str, ...]) -> CharacterId | None:
        """Return whom a clause names as its source: before a verb of saying, after `from`, as the owner of a word."""
        if spoken.says("you_say", plain):
            return self.listener
        if spoken.code != "en":
            return self._foreign_teller(plain, spoken, named) if spoken.says("attribute", plain) else None
        for match in spoken.cues["source"].finditer(plain):
            said = {stem(w) for w in words(match.group()) if not is_stopword(w)}
            found = [w for w, parts in self.names.items() if parts & said and w not in {self.speaker, PLAYER}]
            if found:
                return found[0]
        return None

    def _foreign_teller(self, plain: str, spoken: Tongue, named: tuple[str, ...]) -> CharacterId | None:
        """Return who is named before the word of saying, or else anywhere."""
        others = [who for who in named if who not in {self.speaker, PLAYER}]
        if len(others) > 1:
            before = _all_named(plain[: spoken.place("attribute", plain)], self.names, spoken)
            others = [who for who in others if who in before] or others
        return others[0] if others else None

    def subject(self, plain: str, spoken: Tongue, named: tuple[str, ...]) -> str:
        """Return who does what a clause says, active or passive."""
        if spoken.code != "en":
            person = _person(plain, spoken, named)
            return {"speaker": self.speaker, "listener": self.listener}.get(person, person)
        doer = _IT_WAS.search(plain) or _BY.search(plain)
        heads = [doer[1]] if doer else words(plain)[:_SUBJECT_WITHIN]
        for word in heads:
            if word in _THIRD:
                return ""
            if word == PLAYER:
                return PLAYER
            if word.casefold() in {"me", *spoken.first} - {"my", "mine", "our"}:
                return self.speaker
            if word.casefold() in spoken.second - {"your", "yours"}:
                return self.listener
            who = next((m for m in named if stem(word.casefold().removesuffix("'s")) in self.names[m]), None)
            if who is not None and not word.endswith("'s"):
                return who
        return ""


def _all_named(plain: str, names: Names, spoken: Tongue) -> tuple[str, ...]:
    return tuple(sorted({*mentions(plain, names), *heard(plain, names, spoken.glosses.knows)}))


def _meant_too(named: tuple[str, ...], terms: tuple[str, ...], names: Names) -> tuple[str, ...]:
    """Add those who are named by what they are, in the ledger's language: `Bäcker` for the baker."""
    said = set(terms)
    return tuple(sorted({*named, *(who for who, parts in names.items() if parts and parts <= said)}))


@lru_cache(maxsize=2_048)
def _cues(plain: str, code: str) -> frozenset[str]:
    return tongue(code).all_cues(plain)


def _glossed(plain: str, spoken: Tongue, named: tuple[str, ...]) -> tuple[str, ...]:
    """Return what the words of a clause mean, as the stems of the ledger's language."""
    return content_terms(" ".join((*named, *spoken.glosses.meanings(plain))))


def _qualified(claim: Claim, qualifier: Claim, text: str) -> Claim:
    stance = qualifier.stance if claim.stance in {Stance.ASSERT, Stance.DENY, Stance.HEDGE} else claim.stance
    return replace(
        claim,
        stance=stance,
        end=qualifier.end,
        text=text[claim.start : qualifier.end],
        attributed_to=claim.attributed_to or qualifier.attributed_to,
        mentions=tuple(sorted({*claim.mentions, *qualifier.mentions})),
        cues=claim.cues | qualifier.cues,
    )


def _person(plain: str, spoken: Tongue, named: tuple[str, ...]) -> str:
    if spoken.code != "en":
        you, i = spoken.place("you", plain), spoken.place("i", plain)
        if min(you, i) == len(plain):
            return next(iter(named), "")
        return "listener" if you < i else "speaker"
    for word in words(plain):
        if word in spoken.openers:
            continue
        if word in spoken.first:
            return "speaker"
        if word in spoken.second:
            return "listener"
        who = next((m for m in named if stem(word) == stem(m)), None)
        if who is not None:
            return who
    return ""
