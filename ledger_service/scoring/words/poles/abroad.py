"""Which of two states people tell of in other languages than English: `abroad.toml` has a table a language and pair."""

import re
from collections.abc import Iterable
from functools import cache, lru_cache
from typing import Final

from msgspec import Struct

from ledger_service.scoring.words.lists import read_lists
from ledger_service.scoring.words.poles import Said

_LETTERS: Final = str.maketrans({"ي": "ی", "ك": "ک", "\u200c": None})
_BY_WORDS: Final = frozenset({"de", "es", "fa"})
"""Languages in which a state begins where a word does."""


class Tables(Struct, frozen=True):
    """What tells of either state in one language, by pair, and the noes that a state may hold itself."""

    pairs: dict[str, tuple[re.Pattern[str], re.Pattern[str]]]
    own_no: re.Pattern[str]


@cache
def _tables() -> dict[str, Tables]:
    """Read the file, once a process."""
    return {
        lang: Tables(
            {
                kind: (_any(row["yes"], lang), _any(row["no"], lang))
                for kind, row in rows.items()
                if isinstance(row, dict)
            },
            _any(rows["own_no"], ""),
        )
        for lang, rows in read_lists(__package__, "abroad.toml").items()
    }


def _any(patterns: Iterable[str], lang: str) -> re.Pattern[str]:
    listed = "|".join(patterns).translate(_LETTERS)
    return re.compile(rf"(?<!\w)(?:{listed})" if lang in _BY_WORDS else f"(?:{listed})", re.IGNORECASE)


@lru_cache(maxsize=4_096)
def said_abroad(text: str, lang: str, kind: str, *, negative: bool) -> Said | None:
    """Return which state of a pair a clause tells of; none where it tells of neither or of both.

    >>> said_abroad("das Tor ist offen", "de", "open", negative=False).yes
    True
    >>> said_abroad("das Tor ist nicht offen", "de", "open", negative=True).yes
    False
    """
    tables = _tables().get(lang)
    if tables is None or kind not in tables.pairs:
        return None
    spoken = text.translate(_LETTERS)
    found = [
        (yes, match.group())
        for yes, pattern in zip((True, False), tables.pairs[kind], strict=True)
        if (match := _longest(pattern, spoken)) is not None
    ]
    if len(found) > 1:
        found = [row for row in found if tables.own_no.search(row[1])]
    if len(found) != 1:
        return None
    yes, words = found[0]
    denied = negative and tables.own_no.search(words) is None
    return Said(yes != denied, words, denied)


def _longest(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    return max(pattern.finditer(text), key=lambda m: m.end() - m.start(), default=None)
