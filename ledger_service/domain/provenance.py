"""What goes back to what: never a ring, wherever it comes from."""

from collections import defaultdict
from collections.abc import Iterable
from graphlib import CycleError, TopologicalSorter

from ledger_service.domain.entries import LedgerEntry
from ledger_service.domain.ids import EntryId
from ledger_service.domain.rumours import PASSED_ON, Telling


def on_a_ring(entries: Iterable[LedgerEntry], tellings: Iterable[Telling]) -> EntryId | None:
    """Return an entry that would go back to itself, by tellings or by what it rests on; None where none does."""
    behind: dict[EntryId, set[EntryId]] = defaultdict(set)
    for entry in entries:
        behind[entry.entry_id].update(entry.derived_from)
    for telling in tellings:
        if telling.to_entry is not None and telling.outcome in PASSED_ON:
            behind[telling.to_entry].add(telling.from_entry)
    try:
        TopologicalSorter(behind).prepare()
    except CycleError as error:
        return str(error.args[1][0])
    return None
