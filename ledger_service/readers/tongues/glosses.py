"""What the words of other languages mean in the ledger's: read left to right, the longest word that fits first.

`words.tsv` has a row a meaning: English, then German, Spanish, Persian, Korean and Chinese words that have it. A word
stands for every word that it begins; with `=` at its end it is the whole word, whatever particle is written on to it.
Letters in brackets stand for each other. A row without a meaning holds words that would else be taken for others.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.resources import files
from itertools import product
from typing import Final

_COLUMNS: Final = ("de", "es", "fa", "ko", "zh")
_NOTHING: Final = "-"
_EITHER: Final = re.compile(r"\[([^\]]+)\]")
_IN_COMPOUND: Final = 5
"""Letters of a German word that may stand anywhere in another one: `Ersatzschlüssel`."""
_AFTER_COMPOUND: Final = 3
_FIRST_SYLLABLE: Final = ord("가")
_FINALS: Final = 28
"""What a Korean syllable may end with; the first of them is nothing."""
_SYLLABLES: Final = 2
"""Of a Korean word that may be written on to another one."""
_APART: Final = re.compile(
    r"(?:zurück|herein|heraus|hinaus|hinein|vorbei|wieder|ab|an|auf|aus|bei|ein|fest|fort|her|hin|los|mit|nach|um|vor"
    r"|weg|zu)(?:zu|ge)?(?=\w{3})"
)
"""What a German verb is written with, and what may stand between."""
_VERB_SIGN: Final = re.compile(r"ن?می|[نب](?=\w{3})")
"""What a Persian verb begins with."""
_WRITTEN_ON: Final = {
    "ko": re.compile(
        r"(?:들)?(?:은|는|이|가|을|를|의|에|에서|에게서?|한테서?|로|으로|와|과|도|만|까지|부터|처럼|보다|이나|나|이랑|랑|라도|께서"
        r"|[이]?(?:요|야|라|라서|라고|라면|에요|예요|었.*|다)|입니.*|인|인데.*)?"
    ),
    "fa": re.compile(r"(?:ها|های|هایی|هایم|هایت|هایش|ی|ای|م|ام|ت|ات|ش|اش|مان|تان|شان|را|ان|ست|است)?"),
}
_VERB_END: Final = re.compile(r"[어아여고지면네니는은을던자게기려며러도서요죠다나었았였겠시세십라줘봐]+")
"""Syllables that a Korean verb ends with."""
_LETTERS: Final = str.maketrans({"ي": "ی", "ك": "ک", "\u200c": "", "ۀ": "ه", "ة": "ه", "أ": "ا", "إ": "ا", "ؤ": "و"})
_ACCENTED: Final = str.maketrans("áéíóúü", "aeiouu")


class Glossary:
    """The words of one language."""

    def __init__(self, code: str, rows: Iterable[tuple[str, str]]) -> None:
        self._code = code
        self._part: dict[str, str] = {}
        self._whole: dict[str, str] = {}
        for said, meaning in rows:
            whole = said.endswith(("=", " "))
            kept = self._whole if whole else self._part
            word = self._plain(said.removesuffix("=").strip())
            kept[word] = f"{kept[word]} {meaning}" if word in kept and meaning != _NOTHING else meaning
        self._lengths = _lengths((*self._part, *self._whole))

    def __len__(self) -> int:
        return len(self._part) + len(self._whole)

    def meanings(self, text: str) -> list[str]:
        """Return what the words of a text mean, in order.

        >>> Glossary("de", [("schlüssel", "key"), ("ersatz", "spare")]).meanings("Der Ersatzschlüssel?")
        ['spare', 'key']
        """
        plain, found, at = self._plain(text), list[str](), 0
        joined = False
        while at < len(plain):
            hit = self._at(plain, at, joined=joined) if plain[at].isalnum() else None
            if hit is None:
                joined = False
                at += 1
                continue
            meaning, length = hit
            found += [] if _NOTHING in meaning else [meaning]
            at = self._after(plain, at + length)
            joined = True
        return found

    def knows(self, word: str) -> bool:
        """Say whether a word is one of the language's own, but for its particle."""
        plain = self._plain(word)
        lengths = self._lengths.get(plain[:1], ())
        return any(
            (plain[:n] in self._whole or plain[:n] in self._part) and (self._ends(plain, n) or self._bends(plain, n))
            for n in lengths if n <= len(plain)
        )  # fmt: skip

    def _bends(self, word: str, at: int) -> bool:
        """Say whether a Korean word is a verb, of which these first syllables do not change."""
        closed = (ord(word[at - 1]) - _FIRST_SYLLABLE) % _FINALS != 0
        return self._code == "ko" and closed and _VERB_END.fullmatch(word, at) is not None

    def _plain(self, text: str) -> str:
        lowered = unicodedata.normalize("NFC", text).lower()
        return lowered.translate(_LETTERS) if self._code == "fa" else lowered

    def _after(self, text: str, end: int) -> int:
        """Return where the next word may begin: after the rest of this one where words do not run together."""
        if self._code in {"zh", "ko", "de"}:
            return end
        while end < len(text) and text[end].isalnum():
            end += 1
        return end

    def _at(self, text: str, at: int, *, joined: bool) -> tuple[str, int] | None:
        """Return the meaning and length of the longest word that begins here, if one may."""
        least = self._least(text, at, joined=joined)
        if not least:
            return None
        hit = self._longest(text, at, least)
        sign = _VERB_SIGN.match(text, at) if hit is None and self._code == "fa" else None
        if sign is not None:
            hit = self._longest(text, sign.end(), 2)
            return (hit[0], hit[1] + sign.end() - at) if hit is not None else None
        return hit

    def _least(self, text: str, at: int, *, joined: bool) -> int:
        """Return of how many letters a word must be to begin here; 0 where none may."""
        if self._code == "zh" or at == 0 or not text[at - 1].isalnum():
            return 1
        if self._code == "ko":
            return _SYLLABLES if joined else 0
        if self._code == "de":
            return self._least_of_german(text, at, joined=joined)
        return 0

    def _least_of_german(self, text: str, at: int, *, joined: bool) -> int:
        start = at
        while start and text[start - 1].isalnum():
            start -= 1
        apart = _APART.match(text, start)
        if apart is not None and at in {apart.end(), apart.end() - 2}:
            return _AFTER_COMPOUND
        return _AFTER_COMPOUND if joined else _IN_COMPOUND

    def _longest(self, text: str, at: int, least: int) -> tuple[str, int] | None:
        for length in self._lengths.get(text[at : at + 1], ()):
            if length < least:
                return None
            for word in self._forms(text[at : at + length]):
                whole = self._whole.get(word, "") if self._ends(text, at + length) else ""
                meaning = f"{whole} {self._part.get(word, '')}".strip()
                if meaning:
                    return meaning, length
        return None

    def _forms(self, word: str) -> tuple[str, ...]:
        """Return a word as it is written, and in Spanish as it would be without what is written on to it."""
        bare = word.translate(_ACCENTED) if self._code == "es" else word
        return (word,) if bare == word else (word, bare)

    def _ends(self, text: str, at: int) -> bool:
        """Say whether a word ends here, but for a particle."""
        end = at
        while end < len(text) and text[end].isalnum():
            end += 1
        rest, particle = text[at:end], _WRITTEN_ON.get(self._code)
        return not rest or (particle is not None and particle.fullmatch(rest) is not None)


def _lengths(known: Iterable[str]) -> Mapping[str, tuple[int, ...]]:
    """Return the lengths of the words that begin with each letter, longest first."""
    found: dict[str, set[int]] = {}
    for word in known:
        found.setdefault(word[0], set()).add(len(word))
        found.setdefault(word[0].translate(_ACCENTED), set()).add(len(word))
        found.setdefault(word[0].translate(_UNACCENTED), set()).add(len(word))
    return {head: tuple(sorted(sizes, reverse=True)) for head, sizes in found.items()}


_UNACCENTED: Final = str.maketrans("aeiou", "áéíóú")


@cache
def _rows() -> tuple[tuple[str, ...], ...]:
    text = files(__name__.rpartition(".")[0]).joinpath("words.tsv").read_text("utf-8")
    return tuple(tuple(line.split("\t")) for line in text.splitlines() if line and not line.startswith("#"))


def glossary(code: str, own: Mapping[str, str]) -> Glossary:
    """Return the words of a language: those of the table, and its own file's."""
    at = _COLUMNS.index(code) + 1 if code in _COLUMNS else 0
    shared = ((word, row[0]) for row in _rows() for cell in row[at : at + 1] for word in _words(cell)) if at else ()
    return Glossary(code, (*shared, *own.items()))


def _words(cell: str) -> Iterator[str]:
    """Yield the words of a cell, each with every letter that stands in brackets.

    >>> list(_words("seco,sec[ao]="))
    ['seco', 'seca=', 'seco=']
    """
    for said in filter(None, cell.split(",")):
        parts = _EITHER.split(said)
        choices = [list(dict.fromkeys(p)) if i % 2 else [p] for i, p in enumerate(parts)]
        yield from ("".join(made) for made in product(*choices))
