"""Which language a text is in: its script says it for most, its commonest words for English, a library for the rest."""

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Final

from ledger_service.domain.terms import STOPWORDS

if TYPE_CHECKING:
    from lingua import LanguageDetector

UNKNOWN: Final = "und"
_SCRIPTS: Final = (
    ("ja", re.compile(r"[\u3040-\u30ff]")),
    ("ko", re.compile(r"[\uac00-\ud7af\u1100-\u11ff]")),
    ("zh", re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")),
    ("fa", re.compile(r"[\u0600-\u06ff\ufb50-\ufdff\ufe70-\ufeff]")),
)
_LATIN: Final = re.compile(r"[A-Za-z\u00c0-\u024f]+(?:['’][A-Za-z]+)*")
_LETTER: Final = re.compile(r"[^\W\d_]")
_NOT_PERSIAN: Final = re.compile(r"[\u0629\u0643\u064a\u0649\u0623\u0625]")
_ENGLISH_SHARE: Final = 0.2
_MIN_WORDS: Final = 4
_SURE: Final = 0.5
_TELLING: Final = 8
"""Words from which a text that is in no language the library knows well is said to be in none."""
_NOT_ENGLISH: Final = re.compile(r"[\u00bf\u00a1\u00e0-\u00ff\u0100-\u024f]")
_READ: Final = frozenset({"en", "es", "de"})
_NEAR: Final = 0.15
"""How likely a language that is read has to be, to be preferred to a close relative that is not."""
_NOT_SPANISH: Final = re.compile(
    r"[ãõçàèìòùâêîôûœ]|\b(?:não|você|uma?|il|gli|che|sono|je|est|et|het|een|och|jag)\b", re.IGNORECASE
)
_SPANISH: Final = frozenset(
    "ya te lo la los las el es yo que de del al en mi tu su un una unos me se con por para este esta está muy sí y si"
    " pero cuando más hay le les nos sus antes porque como todo nada aquí".split()
)
_GERMAN: Final = frozenset(
    "der das den dem ist ich du wir sie er es am um uhr nicht und ein eine einen mir dir von vom zu zum im hat habe"
    " hast sind wurde wird auch noch schon kein keine mit bei nach auf für uns euch wer wann wo".split()
)
_SPANISH_SHARE: Final = 0.4
"""So many of the commonest words make a short line Spanish, where the library takes it for a relative."""
_CODES: Final = "EN ES DE FR IT PT NL SV DA NB FI PL CS HU RO TR VI ID LA".split()


@lru_cache(maxsize=2_048)
def language_of(text: str, default: str = "en") -> str:
    """Return the language of a sentence or a reply; `default` for what is too short to tell, or no words at all.

    >>> [language_of(t) for t in ("Ich habe das Buch nicht verbrannt.", "The book is burnt.", "문은 닫혀 있어요.")]
    ['de', 'en', 'ko']
    """
    letters = len(_LETTER.findall(text))
    latin = _LATIN.findall(text)
    if letters > 2 * sum(map(len, latin)):
        return _by_script(text)
    words = [w.casefold() for w in latin]
    if not words:
        return default
    english = sum(w in STOPWORDS for w in words) / len(words)
    german = sum(w in _GERMAN for w in words) / len(words)
    if german >= _SPANISH_SHARE and german > english and _MIN_WORDS <= len(words) < _TELLING:
        return "de"
    spanish = sum(w in _SPANISH for w in words) / len(words)
    own = {"de": german, "es": spanish}.get(default, 0.0)
    if own and own >= english:
        return default
    if english >= _ENGLISH_SHARE and not _NOT_ENGLISH.search(text):
        return "en"
    if len(words) < _MIN_WORDS and not _NOT_ENGLISH.search(text):
        return default
    if spanish >= _SPANISH_SHARE and len(words) < _TELLING and not _NOT_SPANISH.search(text):
        return "es"
    found = _by_library(text, english=english)
    return default if found == UNKNOWN and len(words) < _TELLING else found


def _by_script(text: str) -> str:
    found = next((code for code, letters in _SCRIPTS if letters.search(text)), UNKNOWN)
    return "ar" if found == "fa" and _NOT_PERSIAN.search(text) else found


def _by_library(text: str, *, english: float) -> str:
    ranked = _detector().compute_language_confidence_values(text)
    best = ranked[0]
    near = next((r for r in ranked if r.language.iso_code_639_1.name.lower() in _READ and r.value >= _NEAR), None)
    if near is not None and not _NOT_SPANISH.search(text):
        best = near
    elif best.value < _SURE:
        return "en" if english else UNKNOWN
    return str(best.language.iso_code_639_1.name.lower())


@cache
def _detector() -> "LanguageDetector":
    """Load the detector, once, and only where it is asked."""
    from lingua import IsoCode639_1, LanguageDetectorBuilder  # noqa: PLC0415  (not needed for most replies)

    codes = [getattr(IsoCode639_1, code) for code in _CODES]
    return LanguageDetectorBuilder.from_iso_codes_639_1(*codes).with_low_accuracy_mode().build()
