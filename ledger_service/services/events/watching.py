"""What a batch watches: open commitments, loaded once, and asked again only when something they ask about has changed.

A condition is a function of what it asks about. As long as none of that changes, what did not hold before does not now.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final

from ledger_service.domain.amendments import Amendment
from ledger_service.domain.candidates import CLOSING
from ledger_service.domain.conditions import compile_condition
from ledger_service.domain.entries import Commitment, EmotionalResidue, LedgerEntry, RelationshipDelta
from ledger_service.domain.ids import EntryId
from ledger_service.domain.playthroughs import StoryState
from ledger_service.domain.vocabulary import entries_named_in
from ledger_service.ports import UnitOfWork

WATCHED: Final = 500
"""So many open commitments with a condition are watched, the newest."""
_EVERYTHING: Final = "everything"
_ANY_ENTRY: Final = "entry"
_NAMED: Final = "entry:"
_BY_NAME: Final = frozenset({"open", "fulfilled", "broken", "knows"})


class Watch:
    """The open commitments of one playthrough that have a condition."""

    _uow: UnitOfWork

    def __init__(self) -> None:
        self._open: dict[EntryId, Commitment] | None = None
        """Oldest first; None until they are loaded."""
        self._is_whole = True
        """There are no more of them than are watched."""
        self._new: set[EntryId] = set()
        self._about: defaultdict[str, set[EntryId]] = defaultdict(set)
        self._changed: set[str] = set()

    def turn_to(self, uow: UnitOfWork) -> None:
        """Go on in another transaction, which nobody has written before since the last one."""
        self._uow = uow

    def passed(self, before: StoryState, after: StoryState) -> None:
        """Take note of what an event made of the story's state."""
        self._changed |= {"event"} | {
            what
            for what, then, now in (
                ("tick", before.at.tick, after.at.tick), ("scene", before.at.scene, after.at.scene),
                ("turn", before.at.turn, after.at.turn), ("state", before.values, after.values),
                ("happened", before.occurrences, after.occurrences),
                (_EVERYTHING, before.memberships, after.memberships),
                (_EVERYTHING, before.world_version, after.world_version),
            )
            if then != now
        }  # fmt: skip

    def wrote(self, entries: Sequence[LedgerEntry] = (), amendments: Iterable[Amendment] = ()) -> None:
        """Take note of what was written."""
        for entry in entries:
            self._changed |= {_ANY_ENTRY, "opinion", _NAMED + entry.entry_id}
            match entry:
                case RelationshipDelta():
                    self._changed.add("standing")
                case EmotionalResidue():
                    self._changed.add("felt")
                case Commitment(name=name) if name is not None:
                    self._changed.add(_NAMED + name)
                case _:
                    continue
        if self._open is not None:
            self._watch(e for e in entries if isinstance(e, Commitment) and (e.fulfilled_when or e.broken_when))
        for amendment in amendments:
            self._changed.add(_EVERYTHING)
            if amendment.status in CLOSING:
                self._drop(amendment.entry_id)

    def _watch(self, commitments: Iterable[Commitment]) -> None:
        """Take up commitments that are newer than those watched, and let the oldest go where that is too many."""
        watched = self._open if self._open is not None else {}
        for commitment in sorted(commitments, key=_newest_first, reverse=True):
            watched[commitment.entry_id] = commitment
            self._new.add(commitment.entry_id)
            for condition in filter(None, (commitment.fulfilled_when, commitment.broken_when)):
                for what in _asks_about(condition):
                    self._about[what].add(commitment.entry_id)
        while len(watched) > WATCHED:
            watched.pop(next(iter(watched)))
            self._is_whole = False
        self._open = watched

    def _drop(self, entry_id: EntryId) -> None:
        """Let go of a closed one; where there are more than are watched, an older one takes its place."""
        if self._open is not None and self._open.pop(entry_id, None) is not None and not self._is_whole:
            self._open = None

    async def due(self) -> list[Commitment]:
        """Return those to ask now, newest first: the new ones, and those for which something has changed."""
        if self._open is None:
            found = await self._uow.ledger.find_open_commitments(limit=WATCHED)
            self._is_whole = len(found) < WATCHED
            self._watch(found)
        everything = self._open or {}
        touched = everything.keys() if _EVERYTHING in self._changed else self._new.union(*self._touched())
        asked = [everything[entry_id] for entry_id in touched if entry_id in everything]
        self._new.clear()
        self._changed.clear()
        return sorted(asked, key=_newest_first)

    def _touched(self) -> list[set[EntryId]]:
        return [self._about[what] for what in self._changed if what in self._about]


def _newest_first(commitment: Commitment) -> tuple[int, EntryId]:
    return -commitment.seq, commitment.entry_id


@lru_cache(maxsize=8_192)
def _asks_about(condition: str) -> frozenset[str]:
    """Return what has to change before a condition can come to something else."""
    program = compile_condition(condition)
    functions, variables = frozenset(program.functions()), frozenset(program.variables())
    about = {"tick" if name == "hour" else name for name in variables} | (functions - _BY_NAME)
    if "opinion" in functions:
        about.add("tick")
    if not functions.isdisjoint(_BY_NAME):
        names = entries_named_in(condition)
        about |= {_ANY_ENTRY} if names is None else {_NAMED + name for name in names}
    return frozenset(about)
