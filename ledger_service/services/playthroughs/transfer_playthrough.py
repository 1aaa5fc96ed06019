"""Carry a playthrough out as one JSON document, and take one in; a tampered one is refused whole."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TypeVar

import msgspec
from msgspec import Struct

from ledger_service.domain.amendments import Amendment
from ledger_service.domain.entries import LedgerEntry
from ledger_service.domain.errors import MalformedError, ProvenanceCycleError, TamperedError
from ledger_service.domain.events import EventReceipt, Outcome, RecordedEvent, WorldChanged, event_kind
from ledger_service.domain.ids import PlaythroughId, digest
from ledger_service.domain.playthroughs import Playthrough, Save, StoryState
from ledger_service.domain.provenance import on_a_ring
from ledger_service.domain.rumours import Telling
from ledger_service.domain.worlds import World, version_of
from ledger_service.ports import Embedder, OpenUnitOfWork, UnitOfWork
from ledger_service.recording.chain import canonical, check_chain
from ledger_service.recording.mirror import mirror_batch
from ledger_service.recording.story import advance, opening_state
from ledger_service.services.events.story_state import world_of
from ledger_service.services.playthroughs.open_playthrough import keep_world, new_id

FORMAT = 1
AT_ONCE = 500
T_ = TypeVar("T_")


class SavedPoint(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A named point, whichever playthrough it comes to stand in."""

    name: str
    seq: int


class ExportedPlaythrough(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A playthrough whole, with the history that it shares with its ancestors; packets and replies stay behind."""

    format: int
    title: str
    opening_world: str
    worlds: tuple[World, ...]
    events: tuple[RecordedEvent, ...]
    receipts: tuple[EventReceipt, ...]
    """Of the events that carry a key, so that a repeat still gets its first answer."""
    entries: tuple[LedgerEntry, ...]
    """Without their meanings, which the embedder of the new home works out."""
    amendments: tuple[Amendment, ...]
    tellings: tuple[Telling, ...]
    saves: tuple[SavedPoint, ...]
    seal: str = ""
    """A hash of everything above."""


class _Header(Struct, frozen=True):
    """What is read first, so that an unknown format is named and not guessed at."""

    format: int


_decode = msgspec.json.Decoder(ExportedPlaythrough).decode
_header = msgspec.json.Decoder(_Header).decode


async def export_playthrough(playthrough_id: PlaythroughId, *, open_uow: OpenUnitOfWork) -> bytes:
    """Return a playthrough as one JSON document.

    Raises:
        UnknownPlaythroughError: there is none.
    """
    async with open_uow(playthrough_id) as uow:
        playthrough = await uow.playthroughs.get(playthrough_id)
        events = await _history(uow)
        entries, amendments = await uow.ledger.load_all()
        bare = ExportedPlaythrough(
            format=FORMAT,
            title=playthrough.title,
            opening_world=playthrough.opening_world,
            worlds=await _worlds_of(playthrough.opening_world, events, uow),
            events=tuple(events),
            receipts=await _receipts_of(events, uow),
            entries=tuple(msgspec.structs.replace(e, embedding=b"") for e in entries),
            amendments=tuple(sorted(amendments, key=lambda a: (a.cause_seq, a.entry_id, a.status))),
            tellings=tuple(await uow.tellings.load_all()),
            saves=_named(await uow.playthroughs.list_saves()),
        )
    return canonical(msgspec.structs.replace(bare, seal=_seal_of(bare)))


async def _history(uow: UnitOfWork) -> list[RecordedEvent]:
    events: list[RecordedEvent] = []
    while page := await uow.events.load(after_seq=events[-1].seq if events else 0, limit=AT_ONCE):
        events += page
    return events


def _named(saves: Iterable[Save]) -> tuple[SavedPoint, ...]:
    """Return the points that their names stand for: in a branch, a name of its own hides its ancestor's."""
    newest = {s.name: s.seq for s in sorted(saves, key=lambda s: s.seq)}
    return tuple(SavedPoint(name=name, seq=seq) for name, seq in newest.items())


async def _worlds_of(opening: str, events: Sequence[RecordedEvent], uow: UnitOfWork) -> tuple[World, ...]:
    later = (e.event.world_version for e in events if isinstance(e.event, WorldChanged))
    versions = dict.fromkeys((opening, *later))
    return tuple([await uow.worlds.get(version) for version in versions])


async def _receipts_of(events: Sequence[RecordedEvent], uow: UnitOfWork) -> tuple[EventReceipt, ...]:
    keys = [e.event.key for e in events if e.event.key is not None]
    found = [receipt for part in _parts(keys) for _, receipt in (await uow.events.find_by_keys(part)).values()]
    return tuple(sorted(found, key=lambda r: r.seq))


def _parts(items: Sequence[T_]) -> Iterator[list[T_]]:
    rest = iter(items)
    while part := list(islice(rest, AT_ONCE)):
        yield part


def _seal_of(exported: ExportedPlaythrough) -> str:
    return digest(canonical(msgspec.structs.replace(exported, seal="")).decode())


async def import_playthrough(
    document: bytes,
    *,
    open_uow: OpenUnitOfWork,
    embedder: Embedder | None = None,
    playthrough_id: PlaythroughId | None = None,
) -> Playthrough:
    """Take in an exported playthrough, under a new id or a given one; entries keep their ids.

    Raises:
        MalformedError: it is no export, or one of a format that is not known here.
        TamperedError: its chain or its seal does not hold.
        ProvenanceCycleError: what was told in it goes round in a ring.
        UnfitWorldError: a world in it cannot be played.
        DuplicateNameError: the given id is taken.
    """
    exported = read_export(document)
    made = playthrough_id or new_id()
    async with open_uow(made) as uow:
        for world in exported.worlds:
            await keep_world(world, uow)
        state = await _replayed(exported, uow)
        world = await world_of(uow, exported.opening_world)
        playthrough = Playthrough(
            playthrough_id=made,
            world_id=world.id,
            world_version=state.world_version,
            opening_world=exported.opening_world,
            title=exported.title,
        )
        await uow.playthroughs.open(playthrough, state)
        await _write(exported, made, embedder=embedder, uow=uow)
        await uow.commit()
    return playthrough


def read_export(document: bytes) -> ExportedPlaythrough:
    """Decode an export and see that nothing in it was changed.

    Raises:
        MalformedError, TamperedError, ProvenanceCycleError: see `import_playthrough`.
    """
    try:
        version = _header(document).format
        if version != FORMAT:
            raise MalformedError("export", f"its format is {version}, and only {FORMAT} is known here")
        exported = _decode(document)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise MalformedError("export", str(error)) from error
    check_chain(exported.events)
    if exported.seal != _seal_of(exported):
        raise TamperedError("export", "its seal does not fit its content")
    if exported.opening_world not in {version_of(world) for world in exported.worlds}:
        raise TamperedError("worlds", f"{exported.opening_world!r}, in which the story began, is not among them")
    ring = on_a_ring(exported.entries, exported.tellings)
    if ring is not None:
        raise ProvenanceCycleError(ring)
    return exported


async def _replayed(exported: ExportedPlaythrough, uow: UnitOfWork) -> StoryState:
    """Fold the history anew, which also shows whether the times in it are the ones that follow from it."""
    world = await world_of(uow, exported.opening_world)
    state = opening_state(world, exported.opening_world)
    for recorded in exported.events:
        state = advance(state, recorded.event, world, seq=recorded.seq)
        if state.at != recorded.at:
            raise TamperedError(f"event {recorded.seq}", "its time does not follow from the history before it")
        state = msgspec.structs.replace(state, head=recorded.hash)
        world = await world_of(uow, state.world_version)
    return state


async def _write(
    exported: ExportedPlaythrough, playthrough_id: PlaythroughId, *, embedder: Embedder | None, uow: UnitOfWork
) -> None:
    kept = {r.seq: r for r in exported.receipts}
    for events in _parts(exported.events):
        await uow.events.append(events, [kept.get(e.seq) or _plain_receipt(e) for e in events])
    for entries in _parts(exported.entries):
        meant = _with_meanings(entries, embedder)
        await uow.ledger.append(meant)
        await uow.outbox.put(mirror_batch(meant, ()))
    for amendments in _parts(exported.amendments):
        await uow.ledger.amend(amendments)
        await uow.outbox.put(mirror_batch((), (), amendments))
    for tellings in _parts(exported.tellings):
        await uow.tellings.append(tellings)
        await uow.outbox.put(mirror_batch((), tellings))
    for point in exported.saves:
        await uow.playthroughs.put_save(Save(name=point.name, playthrough_id=playthrough_id, seq=point.seq))


def _plain_receipt(recorded: RecordedEvent) -> EventReceipt:
    return EventReceipt(seq=recorded.seq, kind=event_kind(recorded.event), at=recorded.at, outcome=Outcome.CREATED)


def _with_meanings(entries: Sequence[LedgerEntry], embedder: Embedder | None) -> list[LedgerEntry]:
    if embedder is None:
        return list(entries)
    meanings = embedder.embed([e.statement for e in entries])
    return [msgspec.structs.replace(e, embedding=m) for e, m in zip(entries, meanings, strict=True)]
