"""The only place that knows both a struct and its row."""

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Any, Final

import msgspec

from ledger_service.domain.amendments import Amendment
from ledger_service.domain.candidates import must_have_places, recall_terms
from ledger_service.domain.entries import Commitment, EmotionalResidue, LedgerEntry, Observation, kind_of, rests_on
from ledger_service.domain.errors import StoreVersionError
from ledger_service.domain.events import EventReceipt, RecordedEvent
from ledger_service.domain.expiry import AfterScenes, AfterTurns, AtTick, OnEvent, leaves
from ledger_service.domain.mirror import MirrorBatch
from ledger_service.domain.moments import Moment
from ledger_service.domain.packets import ContextPacket
from ledger_service.domain.playthroughs import StoryState
from ledger_service.domain.replies import Reply
from ledger_service.domain.rubric import Scorecard
from ledger_service.domain.rumours import Telling
from ledger_service.domain.worlds import World


def _decoder(kind: Any) -> Callable[[str], Any]:  # noqa: ANN401
    """Return what turns a row's text into a struct; text of ours that is none is never the caller's fault."""
    decode = msgspec.json.Decoder(kind).decode

    def read(text: str) -> Any:  # noqa: ANN401
        try:
            return decode(text)
        except msgspec.MsgspecError as error:
            raise StoreVersionError(f"a row cannot be read: {error}", cure="run `continuity doctor`") from error

    return read


to_json = msgspec.json.Encoder().encode
_entry: Callable[[str], LedgerEntry] = _decoder(LedgerEntry)
_amendments: Callable[[str], tuple[Amendment, ...]] = _decoder(tuple[Amendment, ...])
decode_amendment: Callable[[str], Amendment] = _decoder(Amendment)
decode_tellings: Callable[[str], tuple[Telling, ...]] = _decoder(tuple[Telling, ...])
decode_event: Callable[[str], RecordedEvent] = _decoder(RecordedEvent)
decode_receipt: Callable[[str], EventReceipt] = _decoder(EventReceipt)
decode_state: Callable[[str], StoryState] = _decoder(StoryState)
decode_world: Callable[[str], World] = _decoder(World)
decode_packet: Callable[[str], ContextPacket] = _decoder(ContextPacket)
decode_moment: Callable[[str], Moment] = _decoder(Moment)
decode_reply: Callable[[str], Reply] = _decoder(Reply)
decode_scorecard: Callable[[str], Scorecard] = _decoder(Scorecard)
decode_batch: Callable[[str], MirrorBatch] = _decoder(MirrorBatch)

Row = tuple[Any, ...]
WATCHED: Final = "watched"
NOTICE: Final = "notice:"
"""The party of notices that hang; nobody can be called so."""
RESTS_ON: Final = "rests_on"
"""The sort of what rests on an entry, which stands as its party; it is never closed to who looks at it."""


def text_of(value: object) -> str:
    """Encode a struct as JSON text for a JSONB column."""
    return to_json(value).decode()


def entry_row(entry: LedgerEntry) -> Row:
    """Turn an entry into its row, in the order of the columns that `ledger` writes."""
    slot = entry.slot
    return (
        entry.entry_id, entry.seq, entry.at.tick, entry.at.scene, entry.at.turn, kind_of(entry), entry.statement,
        entry.source.kind, entry.source.by, entry.source.event_seq, entry.source.channel, entry.confidence,
        slot and slot.subject, slot and slot.predicate, slot and slot.object, slot and slot.polarity,
        slot and slot.from_tick, slot and slot.until_tick,
        entry.disclosure.mode, entry.unaware, entry.expires, entry.subject, entry.place, entry.root,
        entry.protected, entry.quarantined, entry.name if isinstance(entry, Commitment) else None,
        msgspec.structs.replace(entry, embedding=b""), f"\\x{entry.embedding.hex()}",
    )  # fmt: skip


def amendment_row(amendment: Amendment) -> Row:
    """Turn an amendment into its row, in the order of the columns that `ledger` writes."""
    a = amendment
    return (a.entry_id, a.cause_seq, a.status, a.by, a.knowers, a)


def decode_entry(content: str, embedding: bytes = b"") -> LedgerEntry:
    """Turn a row back into an entry; without the embedding, where nobody asks what it means."""
    return _known_entry(content, bytes(embedding))


@lru_cache(maxsize=2_048)
def _known_entry(content: str, embedding: bytes) -> LedgerEntry:
    """Decode what the same characters are asked about again and again once; an entry never changes."""
    entry = _entry(content)
    return msgspec.structs.replace(entry, embedding=embedding) if embedding else entry


def decode_amendments(text: str | None) -> tuple[Amendment, ...]:
    """Turn an aggregated column back into amendments."""
    return _amendments(text) if text else ()


def _knowers(entry: LedgerEntry) -> dict[str, None]:
    """Return who knows an entry, each once, however many ways they came to know it."""
    return dict.fromkeys(k.who for k in entry.knowers)


def knower_rows(entries: Iterable[LedgerEntry]) -> Iterator[Row]:
    """Yield (knower, entry_id, seq)."""
    for entry in entries:
        for who in _knowers(entry):
            yield (who, entry.entry_id, entry.seq)


def must_have_rows(entries: Iterable[LedgerEntry]) -> Iterator[Row]:
    """Yield (knower, sort, party, entry_id, seq)."""
    for entry in entries:
        for sort, party in must_have_places(entry):
            for who in _knowers(entry):
                yield (who, sort, party, entry.entry_id, entry.seq)


def watched_rows(entries: Iterable[LedgerEntry]) -> Iterator[Row]:
    """Yield (knower, sort, party, entry_id, seq) of what is looked for whoever knows of it: watched, or resting on."""
    for entry in entries:
        if isinstance(entry, Commitment) and (entry.fulfilled_when or entry.broken_when):
            yield ("", WATCHED, "", entry.entry_id, entry.seq)
        if isinstance(entry, EmotionalResidue):
            yield ("", WATCHED, entry.holder, entry.entry_id, entry.seq)
        if isinstance(entry, Observation) and entry.notice is not None:
            yield ("", WATCHED, NOTICE, entry.entry_id, entry.seq)
        for beneath in rests_on(entry):
            yield ("", RESTS_ON, beneath, entry.entry_id, entry.seq)


def term_rows(entries: Iterable[LedgerEntry]) -> Iterator[Row]:
    """Yield (knower, term, entry_id, seq): the newest of a term are looked up among what somebody knows."""
    for entry in entries:
        terms = sorted(recall_terms(entry))
        for who in _knowers(entry):
            for term in terms:
                yield (who, term, entry.entry_id, entry.seq)


def ending_rows(entries: Iterable[LedgerEntry]) -> Iterator[Row]:
    """Yield (sort, at_value, name, entry_id, seq) for each simple ending."""
    for entry in entries:
        for leaf in leaves(entry.expires):
            match leaf:
                case AtTick(tick=tick):
                    yield ("tick", tick, "", entry.entry_id, entry.seq)
                case AfterScenes(scenes=n):
                    yield ("scene", entry.at.scene + n, "", entry.entry_id, entry.seq)
                case AfterTurns(turns=n):
                    yield ("turn", entry.at.turn + n, "", entry.entry_id, entry.seq)
                case OnEvent(name=name):
                    yield ("event", 0, name, entry.entry_id, entry.seq)
                case _:
                    continue
