"""From when, and through whose eyes, a ledger is looked at."""

from collections.abc import Iterable

from msgspec import Struct
from msgspec.structs import replace

from ledger_service.domain.amendments import Amendment
from ledger_service.domain.candidates import LAST_SEQ, Reach, reach_of
from ledger_service.domain.confidence import Band, band_of
from ledger_service.domain.entries import Contradiction, LedgerEntry, SourceKind, Status
from ledger_service.domain.errors import ContentError, UnknownCharacterError
from ledger_service.domain.ids import ENGINE, PUBLIC, CharacterId, EntryId, group_scope
from ledger_service.domain.ledger import Ledger
from ledger_service.domain.playthroughs import Save, StoryState
from ledger_service.domain.story_time import StoryTime
from ledger_service.domain.visibility import Knower
from ledger_service.domain.worlds import World
from ledger_service.ports import BrowsePage, Listed, UnitOfWork
from ledger_service.rumours.provenance import Naming
from ledger_service.services.events.story_state import world_of
from ledger_service.services.gossip.explain_belief import naming_of


class Row(Struct, frozen=True, kw_only=True):
    """An entry as a list shows it."""

    entry: LedgerEntry
    status: Status
    confidence: float
    band: Band
    knower: Knower | None = None
    """How the one through whose eyes it is seen knows it."""


class Standpoint(Struct, frozen=True, kw_only=True):
    """From when and where a ledger is looked at."""

    listed: Listed
    state: StoryState
    """Where the story stands now."""
    world: World
    naming: Naming
    seq: int
    """The event as of which it is looked at."""
    at: StoryTime
    saves: tuple[Save, ...]
    seen_by: CharacterId | None = None

    @property
    def is_past(self) -> bool:
        """Whether more has happened since."""
        return self.seq < self.state.seq

    @property
    def people(self) -> tuple[tuple[CharacterId, str], ...]:
        """Everybody who can know something, by name."""
        return tuple(sorted(self.naming.people.items(), key=lambda one: one[1].casefold()))

    @property
    def scopes(self) -> tuple[str, ...]:
        """Knowers who are many, and the one who is nobody."""
        groups = {*(g.id for g in self.world.groups), *(m.group for m in self.state.memberships)}
        return (PUBLIC, *sorted(map(group_scope, groups)), ENGINE)

    def reach(self, knower: str) -> Reach:
        """Return through which scopes a person, or one who is many, knows entries.

        Raises:
            UnknownCharacterError: it is nobody of this world.
        """
        if knower in self.scopes:
            return Reach(scopes=((knower, LAST_SEQ),), now=frozenset({knower}))
        if knower not in self.naming.people:
            raise UnknownCharacterError(knower, "knower", allowed=tuple(self.naming.people))
        return reach_of(knower, self.state.roster, at_seq=self.seq)

    @property
    def everyone(self) -> Reach:
        """Every scope through which anything can be known."""
        who = (*self.naming.people, *self.scopes)
        return Reach(scopes=tuple((one, LAST_SEQ) for one in who), now=frozenset(who))

    def fold(self, entries: Iterable[LedgerEntry], amendments: Iterable[Amendment]) -> Ledger:
        """Fold entries as of then."""
        return Ledger(
            entries, amendments, roster=self.state.roster, at_seq=self.seq, tick=self.at.tick,
            forgetting=self.world.forgetting,
        )  # fmt: skip

    def row(self, entry: LedgerEntry, ledger: Ledger) -> Row | None:
        """Return an entry as it stands from here; None where the one who looks cannot see it."""
        knower = None if self.seen_by is None else ledger.knower_of(entry, self.seen_by)
        if self.seen_by is not None and (knower is None or is_hidden(entry, ledger, self.seen_by)):
            return None
        held = entry.confidence if knower is None or knower.confidence is None else knower.confidence
        status = ledger.status_of(entry, viewer=self.seen_by)
        return Row(entry=entry, status=status, confidence=held, band=band_of(held), knower=knower)


def inputs_of(entry: LedgerEntry) -> tuple[EntryId, ...]:
    """Return what an entry's text is made from: it can be seen only by who sees all of that."""
    if isinstance(entry, Contradiction):
        return entry.members
    return entry.derived_from if entry.source.kind in {SourceKind.DERIVED, SourceKind.INFERRED} else ()


async def with_inputs(page: BrowsePage, uow: UnitOfWork) -> BrowsePage:
    """Return a page together with what its entries are made from, and what became of that."""
    there = {e.entry_id for e in page.entries}
    beneath = {i for e in page.entries for i in inputs_of(e)} - there
    if not beneath:
        return page
    more, became = await uow.ledger.get(tuple(sorted(beneath)))
    return replace(page, entries=(*page.entries, *more), amendments=(*page.amendments, *became))


def is_hidden(entry: LedgerEntry, ledger: Ledger, viewer: CharacterId) -> bool:
    """Say whether an entry is made from something that a viewer cannot see."""
    return not all(ledger.knows(viewer, entry_id) for entry_id in inputs_of(entry))


async def stand_in(
    listed: Listed, uow: UnitOfWork, *, at_seq: int | None = None, seen_by: CharacterId | None = None
) -> Standpoint:
    """Stand somewhere in a playthrough: now or after an event, as oneself or as somebody of the story.

    Raises:
        UnknownCharacterError: whose eyes are meant is nobody of this world.
        ContentError: the event is outside the history.
    """
    state = await uow.playthroughs.state()
    world = await world_of(uow, state.world_version)
    naming = naming_of(world)
    if seen_by is not None and seen_by not in naming.people:
        raise UnknownCharacterError(seen_by, "character", allowed=tuple(naming.people))
    seq = state.seq if at_seq is None else at_seq
    if not 0 <= seq <= state.seq:
        raise ContentError("at", f"{at_seq} is outside the history, which ends at {state.seq}")
    return Standpoint(
        listed=listed,
        state=state,
        world=world,
        naming=naming,
        seq=seq,
        at=await _time_of(seq, state, uow),
        saves=tuple(await uow.playthroughs.list_saves()),
        seen_by=seen_by,
    )


async def _time_of(seq: int, state: StoryState, uow: UnitOfWork) -> StoryTime:
    """Return the story time of an event; the history need not be folded for it."""
    if seq == state.seq:
        return state.at
    found = await uow.events.load(after_seq=seq - 1, until_seq=seq, limit=1) if seq else []
    return found[0].at if found else StoryTime()
