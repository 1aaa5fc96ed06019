"""A player's run: where its story stands, what it branches from, and the named points in it."""

from msgspec import Struct

from ledger_service.domain.ids import CharacterId, PlaceId, PlaythroughId
from ledger_service.domain.story_time import StoryTime
from ledger_service.domain.visibility import Membership, Roster


class Playthrough(Struct, frozen=True, kw_only=True):
    """One player's run, pinned to a version of a world; a branch names its parent and where it left it."""

    playthrough_id: PlaythroughId
    world_id: str
    world_version: str
    opening_world: str
    """The version of the world that its history began in."""
    title: str = ""
    parent_id: PlaythroughId | None = None
    forked_at_seq: int | None = None


class Ancestor(Struct, frozen=True, kw_only=True):
    """A playthrough whose history this one shares, up to and including `until_seq`."""

    playthrough_id: PlaythroughId
    until_seq: int


class Save(Struct, frozen=True, kw_only=True):
    """A name for a point in a playthrough."""

    name: str
    playthrough_id: PlaythroughId
    seq: int


class Occurrence(Struct, frozen=True, kw_only=True):
    """A declared event that happened."""

    name: str
    seq: int
    fields: dict[str, str | int | float | bool] = {}


class StoryState(Struct, frozen=True, kw_only=True):
    """Where a story stands after its last event; folded from events, and kept so that a write need not refold."""

    at: StoryTime = StoryTime()
    seq: int = 0
    places: dict[CharacterId, PlaceId] = {}
    """Where the last `moved` put somebody; others are where their schedule says."""
    unconscious: tuple[CharacterId, ...] = ()
    dead: tuple[CharacterId, ...] = ()
    memberships: tuple[Membership, ...] = ()
    values: dict[str, str | int | float | bool] = {}
    """What the game has set."""
    occurrences: tuple[Occurrence, ...] = ()
    """Declared events that happened, the last of each name."""
    personas: dict[CharacterId, str] = {}
    """Under which name somebody goes about, where not under their own."""
    talked: dict[str, int] = {}
    """Regions in which people talked last at an earlier tick than now, and when that was."""
    world_version: str = ""
    seed: int = 0
    """What chance is drawn by."""
    head: str = ""
    """Hash of the last event."""

    @property
    def roster(self) -> Roster:
        """Dated membership of every group."""
        return Roster(memberships=self.memberships)

    def is_awake(self, who: CharacterId) -> bool:
        """Say whether somebody can witness, tell and listen."""
        return who not in self.unconscious and who not in self.dead

    def fate_of(self, who: CharacterId) -> str:
        """Return why somebody is not awake: `dead` or `unconscious`; empty where they are."""
        if who in self.dead:
            return "dead"
        return "unconscious" if who in self.unconscious else ""

    def happened(self, name: str) -> bool:
        """Say whether a declared event has happened."""
        return any(o.name == name for o in self.occurrences)
