"""The chain that events hang on: each one's hash covers its content, its time and the hash before."""

from collections.abc import Iterable

import msgspec

from ledger_service.domain.errors import TamperedError
from ledger_service.domain.events import GameEvent, RecordedEvent
from ledger_service.domain.ids import digest
from ledger_service.domain.story_time import StoryTime

canonical = msgspec.json.Encoder(order="deterministic").encode


def link(event: GameEvent, *, seq: int, at: StoryTime, head: str) -> RecordedEvent:
    """Chain an event to the one before; the playthrough's id is no part of the hash."""
    sealed = digest(head, seq, canonical(at).decode(), canonical(event).decode())
    return RecordedEvent(seq=seq, at=at, event=event, hash=sealed)


def check_chain(events: Iterable[RecordedEvent], *, head: str = "", after_seq: int = 0) -> str:
    """Hold each event against its hash and its number, and return the last hash.

    Raises:
        TamperedError: an event is missing, out of place, or not as it was written.
    """
    last = after_seq
    for recorded in events:
        if recorded.seq != last + 1:
            raise TamperedError(f"event {recorded.seq}", f"it does not follow event {last}")
        if link(recorded.event, seq=recorded.seq, at=recorded.at, head=head) != recorded:
            raise TamperedError(f"event {recorded.seq}", "its hash does not fit its content")
        head, last = recorded.hash, recorded.seq
    return head
