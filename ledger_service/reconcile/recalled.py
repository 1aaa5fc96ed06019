"""The packet that an outside memory would have made: what it returned, and nothing that the ledger would have added."""

from collections.abc import Sequence
from typing import Final

from ledger_service.domain.candidates import Candidates
from ledger_service.domain.entries import LedgerEntry
from ledger_service.domain.ids import EntryId
from ledger_service.domain.memory_contract import MemoryItem
from ledger_service.domain.moments import Moment
from ledger_service.domain.packets import ContextPacket, Reason
from ledger_service.domain.terms import term_set, words
from ledger_service.reconcile.disclose import disclose
from ledger_service.reconcile.pipeline import packet_of
from ledger_service.reconcile.rank import weigh
from ledger_service.reconcile.sift import Sift
from ledger_service.reconcile.view import View

_MOST_OF_IT: Final = 0.6
_NOT_RETURNED: Final = "the memory did not return it"


def identified(items: Sequence[MemoryItem], entries: Sequence[LedgerEntry]) -> tuple[list[EntryId], list[str]]:
    """Return which entries were returned, each once and in order, and the texts that are of none.

    An item without an id is the entry whose very words it has, else the one most of whose words it shares.
    """
    there = {e.entry_id for e in entries}
    by_words = {_plain(e.statement): e.entry_id for e in entries}
    found: dict[EntryId, None] = {}
    strange: list[str] = []
    for item in items:
        entry_id = item.id if item.id in there else by_words.get(_plain(item.text)) or _nearest(item.text, entries)
        if entry_id:
            found[entry_id] = None
        else:
            strange.append(item.text or item.id)
    return list(found), strange


def _plain(text: str) -> str:
    return " ".join(words(text))


def _nearest(text: str, entries: Sequence[LedgerEntry]) -> EntryId | None:
    """Return the entry that shares most of all words with a text; of equals, the newest."""
    said = term_set(text)
    alike = [(_alike(said, term_set(e.statement)), e.seq, e.entry_id) for e in entries]
    best = max(alike, default=(0.0, 0, ""))
    return best[2] if best[0] >= _MOST_OF_IT else None


def _alike(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other) if one and other else 0.0


def recalled(candidates: Candidates, moment: Moment, returned: Sequence[EntryId]) -> ContextPacket:
    """Put a packet together of what was returned, in its order; `candidates` are the whole ledger.

    What the memory cannot know stays as the game has it: rules and what they grant. Flags are of the record, and a
    memory that returns items has none. What it returned although the speaker may not say it is in the packet.
    """
    view = View(candidates, moment)
    chosen = [view.ledger.entries[i] for i in returned if i in view.ledger.entries]
    ids = {e.entry_id for e in chosen}
    rest = disclose(Sift(kept=tuple(e for e in view.considered if e.entry_id not in ids)), view)
    left = rest.withhold(Reason.OFF_TOPIC, lambda _: _NOT_RETURNED)
    sift = Sift(
        kept=tuple(chosen), act_only=left.act_only, act_only_why=left.act_only_why, withheld=left.withheld
    )  # fmt: skip
    ranked = tuple(weigh(e, view) for e in chosen)
    return packet_of(sift, ranked, (), view)
