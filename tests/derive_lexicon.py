"""Derives the reader's lexicon from the database files of WordNet 3.0: python -m tests.derive_lexicon DIR."""

import gzip
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from msgspec import Struct

from ledger_service.domain.terms import stem

OUT: Final = Path("ledger_service/scoring/words/lexicon/words.tsv.gz")
_FILES: Final = {"n": "noun", "v": "verb", "a": "adj"}
_OF_SENSE: Final = {"1": "n", "2": "v", "3": "a", "5": "a"}
_SENSES: Final = {"n": 2, "v": 3, "a": 2}
"""So many of a common word's meanings are kept, by how often they are meant."""
_GENERIC: Final = 60
"""What more things than these are kinds of says nothing."""
_PERSON: Final = 18
_KINDS: Final = {32: "c", 39: "s", 31: "m", 37: "e", 38: "g", 40: "o"}
_LONGEST: Final = 14


class Meaning(Struct, frozen=True):
    """One set of synonyms."""

    field: int
    words: tuple[str, ...]
    links: tuple[tuple[str, str, int, int], ...]


def meanings(folder: Path) -> dict[str, Meaning]:
    """Read every set of synonyms, by part of speech and place in the file."""
    found: dict[str, Meaning] = {}
    for part, name in _FILES.items():
        for line in (folder / f"data.{name}").read_text("latin-1").splitlines():
            if line.startswith(" "):
                continue
            row = line.split("|")[0].split()
            count = int(row[3], 16)
            said = tuple(re.sub(r"\(.*\)", "", row[4 + 2 * i]).lower() for i in range(count))
            at = 4 + 2 * count
            found[part + row[0]] = Meaning(int(row[1]), said, tuple(_links(row[at + 1 :], int(row[at]))))
    return found


def _links(row: list[str], count: int) -> Iterator[tuple[str, str, int, int]]:
    for i in range(count):
        sign, place, part, ends = row[4 * i : 4 * i + 4]
        yield sign, ("a" if part == "s" else part) + place, int(ends[:2], 16), int(ends[2:], 16)


def senses(folder: Path) -> dict[tuple[str, str], list[str]]:
    """Read which words have which meanings; of rare words only what they share with common ones is kept."""
    counted: Counter[tuple[str, str]] = Counter()
    for line in (folder / "cntlist.rev").read_text("latin-1").splitlines():
        key, _, count = line.split()
        word, rest = key.split("%")
        counted[word, _OF_SENSE.get(rest[0], "r")] += int(count)
    listed: dict[tuple[str, str], list[str]] = {}
    for part, name in _FILES.items():
        for line in (folder / f"index.{name}").read_text("latin-1").splitlines():
            row = line.split()
            if line.startswith(" ") or not _is_word(row[0]):
                continue
            places = [part + place for place in row[-int(row[2]) :]]
            if counted[row[0], part]:
                listed[row[0], part] = places[: _SENSES[part]]
            elif len(places) <= 2:
                listed[row[0], part] = places[:1]
    common = {place for (word, part), places in listed.items() if counted[word, part] for place in places}
    return {key: places for key, places in listed.items() if counted[key] or not common.isdisjoint(places)}


def _is_word(word: str) -> bool:
    return word.isalpha() and word.isascii() and 3 <= len(word) <= _LONGEST


def rows(folder: Path) -> Iterator[str]:
    """Yield a line a stem, as the lexicon reads it."""
    every = meanings(folder)
    kinds_of = Counter(place for m in every.values() for sign, place, _, _ in m.links if sign == "@")
    same, wider, against = (defaultdict[str, set[str]](set) for _ in range(3))
    persons: set[str] = set()
    verbs = defaultdict[str, set[int]](set)
    for (word, part), places in senses(folder).items():
        root = stem(word)
        for rank, place in enumerate(places):
            meaning = every[place]
            same[root].add(place)
            for sign, other, end, far in meaning.links:
                own = end and meaning.words[end - 1] == word
                if sign == "&" or (sign == "@" and kinds_of[other] <= _GENERIC):
                    wider[root].add(other)
                if sign == "!" and own:
                    against[root].add(stem(every[other].words[far - 1]))
                if sign == "+" and own and rank < 2:
                    same[root].add(other)
            if rank == 0 and part == "n" and meaning.field == _PERSON:
                persons.add(root)
            if rank == 0 and part == "v":
                verbs[root].add(meaning.field)
    persons |= _people(folder, every)
    yield from _lines(same, wider, against, persons, verbs)


def _people(folder: Path, every: dict[str, Meaning]) -> set[str]:
    """Return the stems of nouns, rare ones too, that name first of all what somebody is; names of people are none."""
    listed = [line.split() for line in (folder / "index.noun").read_text("latin-1").splitlines() if line[0] != " "]
    found: set[str] = set()
    for row in listed:
        meant = (every["n" + place] for place in row[-int(row[2]) :]) if _is_word(row[0]) else iter(())
        first = next((m for m in meant if all(sign != "@i" for sign, *_ in m.links)), None)
        if first is not None and first.field == _PERSON:
            found.add(stem(row[0]))
    return found


def _lines(
    same: dict[str, set[str]], wider: dict[str, set[str]], against: dict[str, set[str]], persons: set[str],
    verbs: dict[str, set[int]],
) -> Iterator[str]:  # fmt: skip
    used = Counter(place for root in same for place in same[root] | wider.get(root, set()))
    numbers: dict[str, str] = {}
    for root in sorted(same.keys() | persons):
        kept = {p for p in same.get(root, ()) if used[p] > 1}
        above = {p for p in wider.get(root, ()) if used[p] > 1} - kept
        fields = verbs.get(root, set())
        kinds = ("p" if root in persons else "") + (_KINDS.get(min(fields), "") if len(fields) == 1 else "")
        if kept or above or kinds or root in against:
            shown = (
                " ".join(sorted(numbers.setdefault(p, format(len(numbers), "x")) for p in sorted(g)))
                for g in (kept, above)
            )
            yield "\t".join((root, kinds, *shown, " ".join(sorted(against.get(root, ())))))


if __name__ == "__main__":
    OUT.write_bytes(gzip.compress("".join(f"{row}\n" for row in rows(Path(sys.argv[1]))).encode(), mtime=0))
