"""Hold what a matrix expects against what its story leaves: what no speaker could pass is a defect of the probe."""

from collections.abc import Iterator, Mapping

from msgspec import Struct

from ledger_service.domain.confidence import band_of
from ledger_service.domain.entries import Commitment, Contradiction, Status
from ledger_service.domain.errors import ContentError
from ledger_service.domain.ids import CharacterId
from ledger_service.domain.ledger import LIVE, Ledger, find_all
from ledger_service.domain.packets import FlagKind
from ledger_service.domain.probe_runs import Branch
from ledger_service.domain.probes import Cell, Matrix
from ledger_service.domain.rubric import EntryWant, Gold
from ledger_service.domain.visibility import DisclosureMode
from ledger_service.domain.worlds import World
from ledger_service.ports import NewProcess, OpenUnitOfWork
from ledger_service.probing.documents import History
from ledger_service.probing.matrix import expand
from ledger_service.services.events.play_story import play_history
from ledger_service.services.events.story_state import story_state
from ledger_service.services.packets.build_packet import Reading
from ledger_service.services.playthroughs.open_playthrough import add_world, open_playthrough
from ledger_service.services.probes.run_probes import Ground, find_entry, gold_of, pass_distance, request_of


class Impossible(Struct, frozen=True, kw_only=True):
    """A row that cannot be passed at a distance, and why."""

    distance: str
    pressure: str
    why: str


class Checked(Struct, frozen=True, kw_only=True):
    """What a matrix comes to on its story, before anybody is asked."""

    impossible: tuple[Impossible, ...]
    secrets: dict[str, tuple[CharacterId, ...]]
    """Of the labels that may `never` be held, those of something that holds somewhere: who knows it."""


async def check_matrix(
    matrix: Matrix,
    world: World,
    history: History,
    *,
    open_uow: OpenUnitOfWork,
    reading: Reading,
    afresh: NewProcess | None = None,
) -> Checked:
    """Play the story and every distance in a record of its own, and look at what each row expects there.

    Raises:
        LedgerError: the story itself cannot be played.
    """
    ground = await played(world, history, open_uow=open_uow, reading=reading)
    cells = [c for c in expand(matrix) if c.paraphrase == 0 and not c.skipped]
    found: list[Impossible] = []
    secrets: dict[str, set[CharacterId]] = {}
    for distance in matrix.distances:
        branch = await pass_distance(
            matrix, distance.id, ground, open_uow=open_uow, reading=reading, afresh=afresh
        )  # fmt: skip
        if branch.error:
            found.append(Impossible(distance=distance.id, pressure="", why=branch.error))
            continue
        ledger = await _ledger(branch, open_uow)
        for label, knowers in _secrets(matrix, branch, ledger, world):
            secrets.setdefault(label, set()).update(knowers)
        for cell in (c for c in cells if c.distance == distance.id):
            found += [Impossible(distance=distance.id, pressure=cell.pressure, why=why)
                      for why in _why_not(cell, matrix, branch, ledger)]  # fmt: skip
    return Checked(
        impossible=tuple(found), secrets={label: tuple(sorted(who)) for label, who in secrets.items()}
    )  # fmt: skip


async def played(world: World, history: History, *, open_uow: OpenUnitOfWork, reading: Reading) -> Ground:
    """Play a story in a record, up to where the questions begin.

    Raises:
        LedgerError: it cannot be played.
    """
    version = await add_world(world, open_uow=open_uow)
    mine = (await open_playthrough(version, open_uow=open_uow)).playthrough_id
    labels = await play_history(mine, history, open_uow=open_uow, embedder=reading.embedder)
    return Ground(playthrough_id=mine, history=history, labels=labels)


async def _ledger(branch: Branch, open_uow: OpenUnitOfWork) -> Ledger:
    async with open_uow(branch.playthrough_id) as uow:
        state = await story_state(uow, at_seq=None)
        entries, amendments = await uow.ledger.load_all()
    return Ledger(entries, amendments, roster=state.roster, at_seq=state.seq)


def _secrets(
    matrix: Matrix, branch: Branch, ledger: Ledger, world: World
) -> Iterator[tuple[str, frozenset[CharacterId]]]:
    """Yield what holds here, is known to somebody, and may never be in a packet where nothing else is said."""
    for label in matrix.never:
        found = find_entry(label, branch.labels)
        entry = None if found is None else ledger.entries.get(found)
        if entry is not None and ledger.status_of(entry) in LIVE:
            yield label, frozenset(c.id for c in world.cast if ledger.knows(c.id, entry.entry_id))


def _why_not(cell: Cell, matrix: Matrix, branch: Branch, ledger: Ledger) -> Iterator[str]:
    """Say what a row expects that the story contradicts: unseen by its speaker, over, not there, or otherwise."""
    speaker = request_of(cell, matrix).speaker
    try:
        gold = gold_of(cell.expect, branch.labels)
    except ContentError as error:
        yield str(error)
        return
    names = dict(zip(gold.must_include, cell.expect.must_include, strict=True))
    names |= dict(zip(gold.act_only, cell.expect.act_only, strict=True))
    for entry_id, name in names.items():
        why = _closed(entry_id, speaker, ledger)
        if why:
            yield f"`{name}` {why}"
    yield from _untold(gold, names, ledger)
    yield from _at_peace(gold, speaker, ledger)
    labels = dict(zip((w.entry_id for w in gold.ledger), cell.expect.ledger, strict=True))
    for want in gold.ledger:
        yield from _contradicted(want, labels[want.entry_id], speaker, ledger)


def _closed(entry_id: str, speaker: CharacterId, ledger: Ledger) -> str:
    entry = ledger.entries.get(entry_id)
    if entry is None:
        return "has not happened there"
    if not ledger.knows(speaker, entry_id):
        return f"is nothing that {speaker} can see"
    status = ledger.status_of(entry, viewer=speaker)
    return "" if status in LIVE else f"is {status} there"


def _untold(gold: Gold, names: Mapping[str, str], ledger: Ledger) -> Iterator[str]:
    """Say what must be in and may not be said, and what must be acted on only and is open."""
    for entry_id in gold.must_include:
        entry = ledger.entries.get(entry_id)
        if entry is not None and entry.disclosure.mode is DisclosureMode.SECRET:
            yield f"`{names[entry_id]}` is a secret, which is acted on (`act_only`) and never said"
    for entry_id in gold.act_only:
        entry = ledger.entries.get(entry_id)
        if entry is not None and entry.disclosure.mode is DisclosureMode.OPEN and not entry.unaware:
            yield f"`{names[entry_id]}` may be said to anybody, and is not acted on only"


def _at_peace(gold: Gold, speaker: CharacterId, ledger: Ledger) -> Iterator[str]:
    """Say that a contradiction is expected where the speaker sees none that is open."""
    if all(flag.partition(":")[0] != FlagKind.CONTRADICTION for flag in gold.flags):
        return
    open_ones = find_all(
        ledger.entries.values(), Contradiction, lambda e: ledger.status_of(e, viewer=speaker) is Status.UNRESOLVED
    )
    if not any(all(ledger.knows(speaker, member) for member in e.members) for e in open_ones):
        yield f"{speaker} sees no contradiction that is open there"


def _contradicted(want: EntryWant, name: str, speaker: CharacterId, ledger: Ledger) -> Iterator[str]:
    """Say where the ledger has it otherwise than the row."""
    entry = ledger.entries.get(want.entry_id)
    if entry is None:
        yield f"`{name}` has not happened there"
        return
    status = str(ledger.status_of(entry, viewer=speaker))
    if want.status not in {"", status}:
        yield f"`{name}` is {status} there, and not {want.status}"
    if want.band not in {"", str(band_of(entry.confidence))}:
        yield f"`{name}` is {band_of(entry.confidence)} there, and not {want.band}"
    owner = entry.owner if isinstance(entry, Commitment) else ""
    if want.owner not in {"", owner}:
        yield f"`{name}` is owed by {owner or 'nobody'}, and not by {want.owner}"
    for who in want.known_to:
        if not ledger.knows(who, want.entry_id):
            yield f"`{name}` is nothing that {who} can see"
    for who in want.unknown_to:
        if ledger.knows(who, want.entry_id):
            yield f"`{name}` is known to {who}"
