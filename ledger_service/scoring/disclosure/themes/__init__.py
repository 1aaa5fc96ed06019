"""What people keep to themselves, by kinds: how a record tells of it, and how it is let be guessed without being named.

`en.toml` has a table a kind: failing eyes, a guest in hiding, a post applied for, a purse helped oneself from.
"""

import re
from functools import cache, lru_cache

from msgspec import Struct

from ledger_service.scoring.words.lists import any_word_of, read_lists
from ledger_service.scoring.words.overlap import plain


class Theme(Struct, frozen=True):
    """One kind of secret: what tells of it on record, and what hints at it in speech."""

    record: re.Pattern[str]
    said: re.Pattern[str]


@cache
def themes() -> dict[str, Theme]:
    """Read the file, once a process."""
    rows = read_lists(__name__, "en.toml")
    return {name: Theme(any_word_of(row["record"]), any_word_of(row["said"])) for name, row in rows.items()}


@lru_cache(maxsize=4_096)
def themes_of(statement: str) -> frozenset[str]:
    """Return the kinds of secrets that a sentence on record may be of.

    >>> sorted(themes_of("ruth is going blind and has told nobody"))
    ['sight']
    """
    return frozenset(name for name, theme in themes().items() if theme.record.search(statement))


@lru_cache(maxsize=4_096)
def hints_of(text: str, name: str) -> tuple[str, ...]:
    """Return the words of a clause that let be guessed a kind of secret.

    >>> hints_of("It all blurs by lamplight.", "sight")
    ('blurs',)
    """
    return tuple(m.group() for m in themes()[name].said.finditer(plain(text)))
