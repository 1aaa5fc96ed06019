"""Try an edit of a world out: which of the packets that are kept would be others, had their stories been told in it."""

from collections.abc import Sequence

import anyio.lowlevel
import msgspec
from msgspec import Struct

from ledger_service.domain.entries import LedgerEntry
from ledger_service.domain.errors import LedgerError
from ledger_service.domain.ids import EntryId
from ledger_service.domain.packets import ContextPacket
from ledger_service.domain.text_diff import Hunk, count_changes, text_diff
from ledger_service.domain.worlds import World, version_of
from ledger_service.ports import Catalogue, ListedPacket, OpenUnitOfWork, Rehearse, StoredPacket
from ledger_service.services.gossip.explain_belief import naming_of
from ledger_service.services.packets.build_packet import Reading, compute_packet
from ledger_service.services.packets.packet_changes import Compared, compare
from ledger_service.services.playthroughs.retell import Retelling, Told, read_history
from ledger_service.services.reviewing.browse_packets import ledger_of
from ledger_service.services.reviewing.correct_entry import request_of
from ledger_service.services.worlds.check_world import MOST_LETTERS, Fault, check_world_text

PLAYTHROUGHS = 20
OF_EACH = 5
"""Packets of each speaker in each playthrough, the newest."""
PACKETS = 100
EARLIER = 20
"""So many revisions back a version is looked for that was played."""
EVENTS = 3_000
"""So many events are told again for one dry run."""


class ChangedPacket(Struct, frozen=True, kw_only=True):
    """A packet that would be another, and how."""

    packet: ListedPacket
    compared: Compared
    prompt: tuple[Hunk, ...] = ()
    """What would be otherwise in the exact prompt."""
    is_drifted: bool = False
    """It does not come out as it is kept even without the edit; this is what the edit alone does to it."""

    @property
    def is_only_held_back(self) -> bool:
        """Say whether nothing that is handed over differs, but only what was looked at, or why it is held back."""
        return self.compared.is_same and not self.prompt


class LostPacket(Struct, frozen=True, kw_only=True):
    """A packet that could no longer be built, and why."""

    packet: ListedPacket
    why: str


class DryRun(Struct, frozen=True, kw_only=True):
    """What an edit would make of the packets that are kept."""

    base_version: str
    """Under which the packets were built: that of the edit's own base, or the newest before it that has any."""
    edited_version: str
    """The one that the edit began from."""
    world_version: str
    looked_at: int
    """How many packets were built again: the newest of each speaker."""
    there_are: int
    """Among how many; of each playthrough the newest hundred count."""
    playthroughs: int
    unchanged: int
    changed: tuple[ChangedPacket, ...] = ()
    lost: tuple[LostPacket, ...] = ()
    left_out: tuple[LostPacket, ...] = ()
    """Those whose history is too long to be told again here."""


async def dry_run(
    edited: World,
    base: World,
    *,
    catalogue: Catalogue,
    open_uow: OpenUnitOfWork,
    reading: Reading,
    rehearse: Rehearse,
) -> DryRun:
    """Tell the stories of a version again under an edit of it, in memory, and build their packets there.

    Nothing is written. What is compared is an event-for-event retelling: who was where and so saw what, who belongs to
    which group, what rules grant, how far news came. A packet that differs is built under the unedited world in the
    same way, so that nothing but the edit can be the reason.
    """
    played, listed, there_are = await _played_under(base, catalogue, open_uow)
    trial = _Trial(edited=edited, base=played, reading=reading, rehearse=rehearse)
    by_playthrough: dict[str, list[ListedPacket]] = {}
    for one in listed:
        by_playthrough.setdefault(one.playthrough_id, []).append(one)
    for playthrough_id, packets in by_playthrough.items():
        await trial.of_playthrough(playthrough_id, sorted(packets, key=lambda p: (p.seq, p.packet_no)), open_uow)
    looked_at = len(listed) - len(trial.left_out)
    order = {one.packet_id: n for n, one in enumerate(listed)}
    return DryRun(
        base_version=version_of(played),
        edited_version=version_of(base),
        world_version=version_of(edited),
        looked_at=looked_at,
        unchanged=looked_at - len(trial.changed) - len(trial.lost),
        there_are=there_are,
        playthroughs=len(by_playthrough),
        changed=tuple(sorted(trial.changed, key=lambda c: order[c.packet.packet_id])),
        lost=tuple(sorted(trial.lost, key=lambda c: order[c.packet.packet_id])),
        left_out=tuple(trial.left_out),
    )


async def _played_under(
    base: World, catalogue: Catalogue, open_uow: OpenUnitOfWork
) -> tuple[World, list[ListedPacket], int]:
    """Return the version to compare with, and packets of it: a version just saved has been played by nobody yet."""
    async with open_uow() as uow:
        revisions = await uow.worlds.revisions(base.id, limit=EARLIER)
    for version in dict.fromkeys((version_of(base), *(r.world_version for r in revisions))):
        listed, there_are = await catalogue.packets_under(
            version, playthroughs=PLAYTHROUGHS, of_each=OF_EACH, limit=PACKETS
        )  # fmt: skip
        if there_are:
            async with open_uow() as uow:
                return await uow.worlds.get(version), listed, there_are
    return base, [], 0


class TriedText(Struct, frozen=True, kw_only=True):
    """A text that was tried out: what is wrong with it, or what it would make of the packets that are kept."""

    file: str
    base_version: str
    faults: tuple[Fault, ...] = ()
    result: DryRun | None = None
    """None where there are faults."""


async def dry_run_text(
    text: str,
    file: str,
    base: World,
    *,
    catalogue: Catalogue,
    open_uow: OpenUnitOfWork,
    reading: Reading,
    rehearse: Rehearse,
    most_letters: int | None = MOST_LETTERS,
) -> TriedText:
    """Look an edit of a world through, and try it out where nothing is wrong with it (see `dry_run`)."""
    checked = await check_world_text(text, file, world_id=base.id, most_letters=most_letters)
    if checked.world is None:
        return TriedText(file=file, base_version=version_of(base), faults=checked.faults)
    result = await dry_run(
        checked.world, base, catalogue=catalogue, open_uow=open_uow, reading=reading, rehearse=rehearse
    )
    return TriedText(file=file, base_version=version_of(base), result=result)


class _Side(Struct, frozen=True, kw_only=True):
    """A packet as it was built on one side, with the entries that it looked at."""

    packet: ContextPacket
    entries: dict[EntryId, LedgerEntry]


class _Trial:
    """One dry run on its way."""

    def __init__(self, *, edited: World, base: World, reading: Reading, rehearse: Rehearse) -> None:
        self.changed: list[ChangedPacket] = []
        self.lost: list[LostPacket] = []
        self.left_out: list[LostPacket] = []
        self._edited, self._base = edited, base
        self._reading, self._rehearse = reading, rehearse
        self._events_left = EVENTS

    async def of_playthrough(
        self, playthrough_id: str, listed: Sequence[ListedPacket], open_uow: OpenUnitOfWork
    ) -> None:
        """Try the packets of one playthrough, the earliest first."""
        last = max(one.seq for one in listed)
        if last > self._events_left:
            why = f"this dry run has told {EVENTS - self._events_left:,} events again, and {EVENTS:,} are the most"
            self.left_out += [LostPacket(packet=one, why=why) for one in listed]
            return
        try:
            async with open_uow(playthrough_id) as uow:
                told = await read_history(uow, playthrough_id, until_seq=last)
                stored = [await uow.packets.get(one.packet_id) for one in listed]
        except LedgerError as error:
            self.left_out += [LostPacket(packet=one, why=str(error)) for one in listed]
            return
        self._events_left -= last
        new = self._retelling(told, self._edited)
        differing = []
        for one, kept in zip(listed, stored, strict=True):
            side = await self._build(new, kept)
            if isinstance(side, str):
                self.lost.append(LostPacket(packet=one, why=side))
            elif not _alike(side.packet, kept.packet):
                differing.append((one, kept, side))
        if differing:
            await self._compare(self._retelling(told, self._base), differing)

    def _retelling(self, told: Told, world: World) -> Retelling:
        return Retelling(
            told, instead_of=version_of(self._base), world=world, rehearse=self._rehearse,
            embedder=self._reading.embedder,
        )  # fmt: skip

    async def _build(self, story: Retelling, kept: StoredPacket) -> _Side | str:
        """Build a packet in a retelling, or say why it cannot be."""
        if not await story.go_on(kept.packet.seq):
            return story.refused or ""
        await anyio.lowlevel.checkpoint()
        try:
            async with story.open_uow(story.playthrough_id) as uow:
                packet, _, _ = await compute_packet(request_of(kept.moment), uow, self._reading)
                return _Side(packet=packet, entries=dict((await ledger_of(packet, uow)).entries))
        except LedgerError as error:
            return str(error)

    async def _compare(self, old: Retelling, differing: Sequence[tuple[ListedPacket, StoredPacket, _Side]]) -> None:
        """Keep those that differ by the edit, and not only from what was kept."""
        for one, kept, now in differing:
            was = await self._build(old, kept)
            if isinstance(was, str):
                was = _Side(packet=kept.packet, entries={})
            if _alike(was.packet, now.packet):
                continue
            found = compare(
                _of_no_version(was.packet), _of_no_version(now.packet), old=was.entries, new=now.entries,
                naming=naming_of(self._edited),
            )  # fmt: skip
            changed = ChangedPacket(
                packet=one,
                compared=found,
                prompt=text_diff(was.packet.prompt, now.packet.prompt),
                is_drifted=not _alike(was.packet, kept.packet),
            )
            self.changed.append(changed)


def _of_no_version(packet: ContextPacket) -> ContextPacket:
    """Return a packet without what is otherwise in every version."""
    return msgspec.structs.replace(packet, world_version="", hash="")


def _alike(one: ContextPacket, other: ContextPacket) -> bool:
    return _of_no_version(one) == _of_no_version(other)


def differences_of(change: ChangedPacket) -> list[str]:
    """Say what would be otherwise in a packet, a line for each thing."""
    c = change.compared
    found = [
        f"{d.sign} {f'{d.statement}: ' if d.statement else ''}{d.said}"
        for d in (*c.entries, *c.consequences, *c.flags, *c.standings, *c.moment)
    ]
    if change.is_only_held_back:
        return ["only what was looked at and held back is otherwise"]
    if not found:
        added, gone = count_changes(change.prompt)
        return [f"only the prompt reads otherwise: {added} lines in, {gone} out"]
    return found


def in_words(run: DryRun) -> str:
    """Sum a dry run up in a sentence."""
    if not run.there_are:
        return "No packet is kept of this world yet, so there is nothing to hold the edit against."
    of = f" of the {run.there_are} that there are" if run.there_are > run.looked_at else ""
    stories = f"{run.playthroughs} playthrough{'' if run.playthroughs == 1 else 's'}"
    told = f"{run.looked_at} packet{'' if run.looked_at == 1 else 's'}{of}, in {stories} of {run.base_version}"
    parts = [f"{len(run.changed)} would change", f"{run.unchanged} would not"]
    parts += [f"{len(run.lost)} could no longer be built"] if run.lost else []
    parts += [f"{len(run.left_out)} were left out"] if run.left_out else []
    return f"{told}: {', '.join(parts)}."
