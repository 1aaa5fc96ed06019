"""Lettering for drawings: how wide words are in any common font, where they break, and how they become safe XML."""

import html
import unicodedata
from collections.abc import Iterable, Iterator

NARROW, WIDE, WIDEST, CAPITAL, PLAIN, FULL, PICTURE = 0.37, 0.86, 1.0, 0.76, 0.64, 1.02, 1.35
MOST_MARKS = 4
BOLD = 1.13
"""How much wider heavy letters are."""
_SLIM = frozenset("iljtfrI.,:;'`|!()[]{}\"-/\\ ‘’·’“”")
_BROAD = frozenset("mwMW@%—…")
_JOINER, _FIRST_PICTURE = "\u200d", 0x1F000
_SKIN_TONES = frozenset(map(chr, range(0x1F3FB, 0x1F400)))
MOST_JOINED = 12
"""A family of four with skin tones; longer rows of joined pictures are cut, since no font has one picture for them."""
_TURNING = frozenset("\u200e\u200f\u061c\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_ELLIPSIS, _ISOLATE, _END = "…", "\u2068", "\u2069"


def clean(text: str) -> str:
    r"""Make text one line that XML can hold: no control or half characters, and none that turn the reading order.

    >>> clean("a\x00b\u202e c\n d")
    'a\ufffdb c d'
    """
    kept = "".join(" " if c.isspace() else c if _is_xml(c) else "\ufffd" for c in text if c not in _TURNING)
    return " ".join("".join(_without_towers(kept)).split())


def _without_towers(text: str) -> Iterator[str]:
    """Leave out marks that pile up on one letter beyond what any script needs."""
    marks = 0
    for c in text:
        marks = marks + 1 if unicodedata.category(c) in {"Mn", "Me"} else 0
        if marks <= MOST_MARKS:
            yield c


def _is_xml(c: str) -> bool:
    return c >= " " and c not in "\x7f\ufffe\uffff" and not "\ud800" <= c <= "\udfff" and not "\x80" <= c <= "\x9f"


def escape(text: str) -> str:
    """Return cleaned text for an element or a quoted attribute."""
    return encode(clean(text))


def encode(cleaned: str) -> str:
    """Return text that was cleaned before for an element or a quoted attribute."""
    return html.escape(cleaned, quote=True)


def isolated(text: str) -> str:
    """Return cleaned text whose direction does not touch what stands around it."""
    return f"{_ISOLATE}{clean(text)}{_END}"


def reads_right_to_left(text: str) -> bool:
    """Say whether the first letter with a direction runs right to left.

    >>> reads_right_to_left("1. שלום"), reads_right_to_left("so she said שלום")
    (True, False)
    """
    strong = (unicodedata.bidirectional(c) for c in text)
    return next((kind in {"R", "AL"} for kind in strong if kind in {"L", "R", "AL"}), False)


def width_of(text: str, size: float) -> float:
    """Estimate a width, rather too wide than too narrow, since the reader's font is not known here."""
    return sum(_ems(c) for c in text) * size


def _ems(c: str) -> float:
    if unicodedata.category(c) in {"Mn", "Me", "Cf"}:
        return 0.0
    if c in _SLIM:
        return NARROW
    if unicodedata.east_asian_width(c) in {"W", "F"}:
        return PICTURE if ord(c) >= _FIRST_PICTURE else FULL
    if c in _BROAD:
        return WIDEST
    return CAPITAL if c.isupper() else WIDE if ord(c) >= _FIRST_PICTURE else PLAIN


def clip(text: str, size: float, room: float) -> str:
    """Cut text to a room, with an ellipsis where something is gone."""
    if width_of(text, size) <= room:
        return text
    kept = ""
    for cluster in clusters(text):
        if width_of(kept + cluster + _ELLIPSIS, size) > room:
            break
        kept += cluster
    return kept.rstrip() + _ELLIPSIS


def clusters(text: str) -> Iterator[str]:
    r"""Yield what a reader takes for one letter: a base with its marks, pictures with what joins them.

    >>> [len(c) for c in clusters("ae\u0301b")]
    [1, 2, 1]
    """
    held = ""
    for c in text:
        joined = held.endswith(_JOINER) or c == _JOINER or unicodedata.category(c) in {"Mn", "Mc", "Me"}
        joined = (joined or c in _SKIN_TONES) and len(held) < MOST_JOINED
        if held and not joined:
            yield held
            held = ""
        held += c
    if held:
        yield held


def wrap(text: str, size: float, room: float, *, most: int) -> list[str]:
    """Break text into at most so many lines, none wider than the room; a word too long for a line is cut.

    >>> wrap("she robbed the whole stall", 10, 70, most=3)
    ['she robbed', 'the whole', 'stall']
    >>> wrap("one two three four", 10, 40, most=2)
    ['one', 'two…']
    """
    lines = [""]
    for piece in _pieces(text, size, room):
        longer = f"{lines[-1]} {piece}" if lines[-1] else piece
        if width_of(longer, size) <= room:
            lines[-1] = longer
        else:
            lines.append(piece)
        if len(lines) > most:
            break
    if len(lines) <= most:
        return lines
    kept = lines[:most]
    kept[-1] = clip(kept[-1] + _ELLIPSIS, size, room) if kept[-1] else _ELLIPSIS
    return kept


def _pieces(text: str, size: float, room: float) -> Iterable[str]:
    for word in text.split():
        if width_of(word, size) <= room:
            yield word
            continue
        held = ""
        for cluster in clusters(word):
            if held and width_of(held + cluster, size) > room:
                yield held
                held = ""
            held += cluster
        yield held
