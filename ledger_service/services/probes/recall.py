"""Ask an outside memory what it would put into a packet: it is told the ledger of a branch first, and asked twice."""

import contextlib
import time
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from ledger_service.domain.amendments import Amendment
from ledger_service.domain.candidates import Candidates
from ledger_service.domain.entries import LedgerEntry
from ledger_service.domain.errors import MemoryAwayError
from ledger_service.domain.ids import CharacterId, PlaythroughId
from ledger_service.domain.ledger import Ledger
from ledger_service.domain.memory_contract import Ask, Write, ended, told
from ledger_service.domain.moments import Moment
from ledger_service.domain.playthroughs import StoryState
from ledger_service.ports import OutsideMemory, RemembersElsewhere
from ledger_service.reconcile.pipeline import seal
from ledger_service.reconcile.recalled import identified, recalled
from ledger_service.services.events.story_state import story_state
from ledger_service.services.packets.build_packet import compute_packet
from ledger_service.services.probes.freeze_cells import Frozen

_AT_ONCE: Final = 200


class Whole(Struct, frozen=True, kw_only=True):
    """Everything that a branch holds."""

    entries: tuple[LedgerEntry, ...]
    amendments: tuple[Amendment, ...]
    state: StoryState


class Recalled(Struct, frozen=True, kw_only=True):
    """A cell with the packet of a memory, and what was returned that is in no entry."""

    frozen: Frozen
    strange: tuple[str, ...]
    milliseconds: float
    """What its answer took."""


async def recall(frozen: Frozen, subject: RemembersElsewhere) -> Recalled:
    """Return a cell as an outside memory would have it.

    Raises:
        MemoryAwayError: it does not answer as agreed.
        StoreError: a store is away.
    """
    question = frozen.question
    async with question.open_uow(question.playthrough_id) as uow:
        _, moment, _ = await compute_packet(question.request, uow, question.reading)
        entries, amendments = await uow.ledger.load_all()
        whole = Whole(entries=entries, amendments=amendments, state=await story_state(uow))
    if question.playthrough_id not in subject.told:
        await tell(subject.memory, question.playthrough_id, whole)
        subject.told.add(question.playthrough_id)
    asks = _question(question.playthrough_id, moment, frozen, whole)
    began = time.perf_counter()
    first = await subject.memory.ask(asks)
    took = (time.perf_counter() - began) * 1000
    again = await subject.memory.ask(asks)
    ids, strange = identified(first, entries)
    candidates = Candidates(entries=entries, amendments=amendments, world=frozen.world, state=whole.state)
    bare = recalled(candidates, moment, ids)
    packet = seal(bare, question.reading.renderer.prompt(bare, frozen.world))
    flipped = frozen.flipped or ("" if first == again else f"{subject.name} answered the same question in two ways")
    changed = replace(frozen, packet=packet, ledger=_ledger(whole, moment, frozen), flipped=flipped)
    return Recalled(frozen=changed, strange=tuple(strange), milliseconds=took)


async def tell(memory: OutsideMemory, scope: PlaythroughId, whole: Whole) -> None:
    """Tell a memory the ledger of a branch from its beginning: what was written, then what became of it."""
    await memory.reset(scope)
    there = {e.entry_id: e for e in whole.entries}
    for at in range(0, len(whole.entries), _AT_ONCE):
        some = sorted(whole.entries, key=lambda e: (e.seq, e.entry_id))[at : at + _AT_ONCE]
        await memory.write(Write(scope=scope, entries=tuple(told(e) for e in some)))
    for at in range(0, len(whole.amendments), _AT_ONCE):
        others = sorted(whole.amendments, key=lambda a: a.cause_seq)[at : at + _AT_ONCE]
        await memory.write(Write(scope=scope, endings=tuple(ended(a, there.get(a.entry_id)) for a in others)))


def _question(scope: PlaythroughId, moment: Moment, frozen: Frozen, whole: Whole) -> Ask:
    return Ask(
        scope=scope, speaker=moment.viewer, audience=moment.audience, line=moment.line,
        known_to=known_to(moment.viewer, whole.state, at_seq=moment.seq), tick=moment.at.tick,
        limit=frozen.world.max_items,
    )  # fmt: skip


def known_to(speaker: CharacterId, state: StoryState, *, at_seq: int) -> tuple[str, ...]:
    """Return under which names something may be known to a speaker."""
    groups = state.roster.groups_of(speaker, at_seq=at_seq)
    return tuple(dict.fromkeys((speaker, "public", *sorted(groups))))


def _ledger(whole: Whole, moment: Moment, frozen: Frozen) -> Ledger:
    return Ledger(
        whole.entries, whole.amendments, roster=whole.state.roster, at_seq=moment.seq, tick=moment.at.tick,
        forgetting=frozen.world.forgetting, occurrences=whole.state.occurrences,
    )  # fmt: skip


async def forget(subject: RemembersElsewhere, scope: PlaythroughId) -> None:
    """Have a scope forgotten that is over; a memory that does not answer now keeps what it was told."""
    if scope in subject.told:
        subject.told.discard(scope)
        with contextlib.suppress(MemoryAwayError):
            await subject.memory.reset(scope)
