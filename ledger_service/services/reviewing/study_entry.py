"""One entry whole: its five questions, what became of it and why, what it rests on and bears, who said it to whom."""

from collections.abc import Iterable
from typing import Final

from msgspec import Struct

from ledger_service.domain.amendments import Amendment
from ledger_service.domain.candidates import Candidates, line_terms, reach_of
from ledger_service.domain.confidence import MILLION, band_of
from ledger_service.domain.entries import Hearsay, LedgerEntry, rests_on
from ledger_service.domain.errors import ContentError, UnknownEntryError
from ledger_service.domain.events import RecordedEvent
from ledger_service.domain.ids import PLAYER, CharacterId, EntryId, PlaythroughId
from ledger_service.domain.ledger import Ledger
from ledger_service.domain.packets import ContextPacket
from ledger_service.domain.rumours import Telling
from ledger_service.ports import Catalogue, LineReader, OpenUnitOfWork, UnitOfWork
from ledger_service.reconcile.pipeline import reconcile
from ledger_service.rumours.provenance import in_words
from ledger_service.services.events import event_words
from ledger_service.services.events.story_state import story_state, world_of
from ledger_service.services.gossip.explain_belief import Question, answer_why
from ledger_service.services.packets import packet_words as w
from ledger_service.services.packets.build_packet import PacketRequest, moment_of
from ledger_service.services.reviewing.browse_playthroughs import find_playthrough
from ledger_service.services.reviewing.entry_questions import Answer, Eyes, answers
from ledger_service.services.reviewing.standpoint import Row, Standpoint, inputs_of, stand_in

MOST_CAUSES: Final = 20
MOST: Final = 60


class Change(Struct, frozen=True, kw_only=True):
    """One thing that happened to an entry, with its cause."""

    seq: int
    tick: int
    status: str
    said: str
    cause: str
    """The event behind it, in words."""
    by: tuple[EntryId, ...] = ()
    author: str | None = None
    told_to: str = ""
    """Who alone can tell of it; nothing where everybody can who knows the entry."""


class EntryStudy(Struct, frozen=True, kw_only=True):
    """An entry with everything that its page shows."""

    here: Standpoint
    row: Row
    eyes: Eyes
    is_seen: bool
    """Whether the one through whose eyes it is looked at can see it."""
    speaker: CharacterId | None
    """Who would say it; nobody, where no person knows it."""
    answers: tuple[Answer, ...]
    changes: tuple[Change, ...]
    beneath: tuple[Row, ...]
    """What it rests on."""
    above: tuple[Row, ...]
    """What rests on it."""
    others: dict[EntryId, str]
    """The statements of entries that its history names."""
    told: tuple[Telling, ...]
    chain: tuple[str, ...]
    store: str
    """Which store told the chain, where there is one."""


async def study_entry(
    playthrough_id: PlaythroughId,
    entry_id: EntryId,
    eyes: Eyes,
    *,
    catalogue: Catalogue,
    open_uow: OpenUnitOfWork,
    reader: LineReader,
) -> EntryStudy:
    """Return an entry as it stands from somewhere.

    Raises:
        UnknownPlaythroughError, UnknownEntryError: it is not there, or may not be seen.
        UnknownCharacterError: whose eyes or ears are meant is nobody of this world.
        ContentError: an event outside the history, or before the entry was written.
    """
    listed = await find_playthrough(playthrough_id, catalogue=catalogue)
    async with open_uow(playthrough_id) as uow:
        here = await stand_in(listed, uow, at_seq=eyes.at_seq, seen_by=eyes.seen_by)
        entry, ledger = await _around(entry_id, here, uow)
        told = [t for t in await uow.browser.told_of(entry_id, entry.root, limit=MOST) if t.seq <= here.seq]
        below, above = _versions(entry_id, told)
        above += [e.entry_id for e in await uow.browser.resting_on(entry_id, limit=MOST)]
        near, why = await uow.ledger.get(tuple(dict.fromkeys((*below, *above)))) if below or above else ((), ())
        causes = await _causes(ledger.amendments_of(entry_id), entry, uow)
        speaker = eyes.seen_by or _first_person(entry, here)
        packet = None if speaker is None else await _if_asked(entry, speaker, eyes, here, uow, reader)
    chain, store = await _chain(playthrough_id, entry, open_uow)
    around = here.fold([*ledger.entries.values(), *near], [*_all_of(ledger), *why])
    row = here.row(entry, ledger)
    return EntryStudy(
        here=here,
        row=row or _plain(entry, ledger),
        eyes=eyes,
        is_seen=row is not None,
        speaker=speaker,
        answers=tuple(answers(entry, ledger, here, eyes, speaker, packet)),
        changes=tuple(_changes(entry, ledger, here, causes)),
        beneath=_rows((*rests_on(entry), *below), around, here),
        above=_rows(above, around, here),
        others={e.entry_id: e.statement for e in ledger.entries.values() if e.entry_id != entry_id},
        told=tuple(told),
        chain=chain,
        store=store,
    )


async def _chain(
    playthrough_id: PlaythroughId, entry: LedgerEntry, open_uow: OpenUnitOfWork
) -> tuple[tuple[str, ...], str]:
    """Return the way back to who saw it, in words, and which store told it; what nobody retold has none."""
    if not isinstance(entry, Hearsay):
        return (), ""
    explained = await answer_why(playthrough_id, Question(entry_id=entry.entry_id), open_uow=open_uow)
    return tuple(in_words(explained.chain, naming=explained.naming)), explained.chain.store


async def _around(entry_id: EntryId, here: Standpoint, uow: UnitOfWork) -> tuple[LedgerEntry, Ledger]:
    """Return an entry, and a ledger of what it rests on, replaced, or was changed by.

    Raises:
        UnknownEntryError: there is none.
        ContentError: it was written later.
    """
    entries, amendments = await uow.ledger.get((entry_id,))
    if not entries:
        raise UnknownEntryError(entry_id)
    (entry,) = entries
    if entry.seq > here.seq:
        raise ContentError("at", f"{here.seq} is before event {entry.seq}, which wrote this entry")
    by = (i for a in amendments for i in a.by)
    near = tuple(dict.fromkeys((*rests_on(entry), *entry.supersedes, *inputs_of(entry), *by, entry.root)))
    more, why = await uow.ledger.get(tuple(i for i in near if i != entry_id))
    ledger = here.fold((entry, *more), (*amendments, *why))
    return ledger.entries[entry_id], ledger


def _versions(entry_id: EntryId, told: Iterable[Telling]) -> tuple[list[EntryId], list[EntryId]]:
    """Return the versions that a version was heard from, and those that came of telling it."""
    rows = [(t.from_entry, t.to_entry) for t in told]
    below = [one for one, other in rows if other == entry_id and one != entry_id]
    above = [other for one, other in rows if one == entry_id and other not in {None, entry_id}]
    return below, [one for one in above if one is not None]


def _all_of(ledger: Ledger) -> list[Amendment]:
    return [a for entry_id in ledger.entries for a in ledger.amendments_of(entry_id)]


def _plain(entry: LedgerEntry, ledger: Ledger) -> Row:
    """Return an entry as whoever reads everything sees it."""
    status = ledger.status_of(entry)
    return Row(entry=entry, status=status, confidence=entry.confidence, band=band_of(entry.confidence))


def _rows(ids: Iterable[EntryId], ledger: Ledger, here: Standpoint) -> tuple[Row, ...]:
    found = (ledger.entries[i] for i in dict.fromkeys(ids) if i in ledger.entries)
    rows = (here.row(entry, ledger) for entry in found)
    return tuple(row for row in rows if row is not None)


def _first_person(entry: LedgerEntry, here: Standpoint) -> CharacterId | None:
    """Return the first of those who know an entry who is a person other than the player, else the player."""
    who = [k.who for k in entry.knowers if k.who in here.naming.people]
    return next((one for one in who if one != PLAYER), next(iter(who), None))


async def _if_asked(
    entry: LedgerEntry, speaker: CharacterId, eyes: Eyes, here: Standpoint, uow: UnitOfWork, reader: LineReader
) -> ContextPacket:
    """Return the packet of a speaker who is asked about this very thing by those who listen; it is not kept."""
    state = await story_state(uow, at_seq=here.seq)
    world = await world_of(uow, state.world_version)
    to = eyes.to or ((PLAYER,) if speaker != PLAYER else _somebody_else(here))
    request = PacketRequest(speaker=speaker, audience=to)
    moment = moment_of(request, entry.statement, world=world, state=state, reader=reader)
    reach = reach_of(speaker, state.roster, at_seq=moment.seq)
    entries, amendments = await uow.ledger.load_candidates(moment, terms=line_terms(moment), reach=reach)
    near, why = await uow.ledger.get((entry.entry_id, *inputs_of(entry)))
    there = {e.entry_id for e in entries}
    entries += tuple(e for e in near if e.entry_id not in there)
    amendments += tuple(a for a in why if a.entry_id not in there)
    return reconcile(Candidates(entries=entries, amendments=amendments, world=world, state=state), moment)


def _somebody_else(here: Standpoint) -> tuple[CharacterId, ...]:
    return next(((who,) for who, _ in here.people if who != PLAYER), (PLAYER,))


async def _causes(
    amendments: Iterable[Amendment], entry: LedgerEntry, uow: UnitOfWork
) -> dict[int, RecordedEvent]:  # fmt: skip
    """Return the events that wrote an entry and changed it, by number."""
    seqs = sorted({entry.seq, *(a.cause_seq for a in amendments)})[: MOST_CAUSES + 1]
    found: dict[int, RecordedEvent] = {}
    for seq in seqs:
        for recorded in await uow.events.load(after_seq=seq - 1, until_seq=seq, limit=1):
            found[seq] = recorded
    return found


def _changes(
    entry: LedgerEntry, ledger: Ledger, here: Standpoint, causes: dict[int, RecordedEvent]
) -> Iterable[Change]:  # fmt: skip
    def cause(seq: int) -> str:
        return event_words.in_words(causes[seq].event) if seq in causes else ""

    yield Change(seq=entry.seq, tick=entry.at.tick, status="created", said="written", cause=cause(entry.seq))
    for a in ledger.amendments_of(entry.entry_id):
        told_to = "" if a.knowers is None else w.names(a.knowers, here.naming)
        yield Change(
            seq=a.cause_seq, tick=a.at.tick, status=str(a.status), said=a.reason, cause=cause(a.cause_seq), by=a.by,
            author=a.author, told_to=told_to,
        )  # fmt: skip


def offered(telling: Telling) -> float:
    """Return how sure a teller was."""
    return telling.offered_millionths / MILLION
