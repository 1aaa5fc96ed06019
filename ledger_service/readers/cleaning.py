"""Text as it is read: what hides letters is taken out, and letters that only look like others become those."""

import re
import unicodedata
from typing import Final

_INVISIBLE: Final = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]"
)
_ALIKE: Final = str.maketrans(
    "аеорухсіѕјԁһԛԝАВЕКМНОРСТХІЅЈαοριυνκτΑΒΕΖΗΙΚΜΝΟΡΤΥΧ",
    "aeopyxcisjdhqwABEKMHOPCTXISJaopiuvktABEZHIKMNOPTYX",
)
"""Cyrillic and Greek letters that a Latin word may be written with."""
_LATIN_WORD: Final = re.compile(r"\w*[A-Za-z]\w*")
_OTHER: Final = re.compile(r"[\u0370-\u03ff\u0400-\u04ff\u0500-\u052f]")
_TAG: Final = re.compile(r"</?[A-Za-z][^<>]{0,200}>")


def cleaned(text: str) -> str:
    """Return a text without invisible marks and markup, with straight quotes and each letter what it looks like.

    >>> cleaned("the v\u0430\u200bult") == "the vault"
    True
    """
    folded = unicodedata.normalize("NFKC", text) if not text.isascii() else text
    folded = _INVISIBLE.sub(_joined, folded).replace("’", "'").replace("‘", "'")
    if _OTHER.search(folded):
        folded = _LATIN_WORD.sub(lambda m: m.group().translate(_ALIKE), folded)
    return _TAG.sub(" ", folded) if "<" in folded else folded


def _joined(match: re.Match[str]) -> str:
    """Leave the mark by which Persian holds the parts of a word apart."""
    return "\u200c" if match.group() == "\u200c" else ""
