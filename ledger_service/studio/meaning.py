"""What the words of a feature mean: whom a name names, and which entries a label or a sentence is about."""

import re
from collections.abc import Mapping
from difflib import get_close_matches

from ledger_service.domain.entries import Commitment, LedgerEntry
from ledger_service.domain.errors import ContentError, UnknownCharacterError
from ledger_service.domain.ids import PLAYER, CharacterId, EntryId
from ledger_service.domain.ledger import Ledger
from ledger_service.domain.worlds import World

Labels = Mapping[str, tuple[EntryId, ...]]
_LABEL = re.compile(r"^@?([a-z][a-z0-9_]*)(?:\.([1-9]\d*))?$")


def someone(name: str, world: World) -> CharacterId:
    """Return whom a name means: an id, a name or its first word, or an alias, in any case.

    Raises:
        UnknownCharacterError: nobody of the cast, with the cast.
    """
    said = name.strip().casefold()
    said = PLAYER if said == "the player" else said
    for who in world.cast:
        if said in {n.casefold() for n in (who.id, who.name, who.name.split()[0], *who.aliases)}:
            return who.id
    if said == PLAYER:
        return PLAYER
    raise UnknownCharacterError(name, "character", allowed=tuple(c.id for c in world.cast))


def people(names: str, world: World) -> tuple[CharacterId, ...]:
    """Return whom a list of names means: `Pip, Bertha and Ilsa`."""
    return tuple(someone(name, world) for name in re.split(r",\s*(?:and\s+)?|\s+and\s+", names.strip()) if name)


def find(words: str, ledger: Ledger, labels: Labels) -> tuple[LedgerEntry, ...]:
    """Return the entries that a label, a whole statement or else a part of one means, oldest first.

    What nothing on record says is an error and not an empty answer: else a feature that forbids something would pass
    once the world words it differently.

    Raises:
        ContentError: nothing on record says so, with what comes nearest.
    """
    entries = ledger.entries
    labelled = _labelled(words, labels)
    if labelled:
        return tuple(entries[i] for i in labelled if i in entries)
    said = words.casefold().strip().rstrip(".")
    whole = tuple(e for e in entries.values() if e.statement.casefold().rstrip(".") == said)
    found = whole or tuple(e for e in entries.values() if said and said in e.statement.casefold())
    if not found:
        near = get_close_matches(words, [*(e.statement for e in entries.values()), *labels], n=3, cutoff=0.5)
        hint = f"; the nearest are: {' | '.join(near)}" if near else ""
        raise ContentError(f'"{words}"', f"nothing on record says so, at any time, to anybody{hint}")
    return found


def _labelled(words: str, labels: Labels) -> tuple[EntryId, ...]:
    found = _LABEL.match(words.strip())
    if found is None or found[1] not in labels:
        return ()
    left = labels[found[1]]
    return left[int(found[2]) - 1 : int(found[2])] if found[2] else left


def find_promise(words: str, ledger: Ledger, labels: Labels) -> Commitment:
    """Return the commitment that a name, a label or a statement means, the newest of several.

    Raises:
        ContentError: there is none, with those there are.
    """
    promises = [e for e in ledger.entries.values() if isinstance(e, Commitment)]
    said = words.casefold().strip().rstrip(".")
    labelled = set(_labelled(words, labels))
    found = [p for p in promises if p.name == words or p.entry_id in labelled] or [
        p for p in promises if said and said in p.statement.casefold()
    ]
    if not found:
        there = " | ".join(p.statement for p in promises) or "none"
        raise ContentError(f'"{words}"', f"no promise says so; the promises on record are: {there}")
    return found[-1]
