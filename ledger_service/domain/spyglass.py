"""What a spyglass shows: the graph of a playthrough as it stands, and which queries it was asked."""

from msgspec import Struct

from ledger_service.domain.ids import CharacterId, EntryId, PlaceId

Shown = str | int | float | bool | None | list[str | int | float | bool | None]


class AskedQuery(Struct, frozen=True, kw_only=True):
    """One query to the graph: its file's name, what it was asked with, how long it took, and how many rows came."""

    number: int
    """Counted by the process that asked, from 1."""
    name: str
    is_write: bool
    parameters: dict[str, Shown]
    """Ids and numbers as they are; of rows, how many; no tokens, and no long texts."""
    milliseconds: float
    rows: int
    failed: str = ""


class SeenCharacter(Struct, frozen=True, kw_only=True):
    """Somebody in the graph."""

    id: CharacterId
    name: str | None
    place: PlaceId | None
    is_player: bool = False


class SeenPlace(Struct, frozen=True, kw_only=True):
    """Somewhere in the graph."""

    id: PlaceId
    name: str
    region: str | None = None


class SeenTrust(Struct, frozen=True, kw_only=True):
    """How much a listener believes a teller."""

    listener: CharacterId
    teller: CharacterId
    trust: float
    is_strong: bool = False


class SeenTelling(Struct, frozen=True, kw_only=True):
    """By whom a version was told, and when."""

    teller: CharacterId
    listener: CharacterId
    tick: int
    outcome: str
    from_entry: EntryId


class SeenStory(Struct, frozen=True, kw_only=True):
    """One version of a story: who holds it how surely, before any of it fades, and who told it."""

    entry_id: EntryId
    origin: EntryId
    statement: str
    severity: int
    tick: int
    is_hearsay: bool
    holders: dict[str, float]
    heard: tuple[SeenTelling, ...] = ()


class SeenRule(Struct, frozen=True, kw_only=True):
    """A rule in the graph, who keeps it and where."""

    id: str
    sort: str
    about: str
    holds_when: str
    keepers: tuple[CharacterId, ...] = ()
    places: tuple[PlaceId, ...] = ()


class SeenNotice(Struct, frozen=True, kw_only=True):
    """A notice: where it hangs, or hung, and since and until when."""

    entry_id: EntryId
    notice: str
    places: tuple[PlaceId, ...]
    posted: int
    taken_down: int | None


class GraphPicture(Struct, frozen=True, kw_only=True):
    """The graph of one playthrough, as far as fits on a screen."""

    characters: tuple[SeenCharacter, ...] = ()
    places: tuple[SeenPlace, ...] = ()
    trusts: tuple[SeenTrust, ...] = ()
    stories: tuple[SeenStory, ...] = ()
    """The newest."""
    rules: tuple[SeenRule, ...] = ()
    notices: tuple[SeenNotice, ...] = ()
    nodes: int = 0
    """How many there are in all."""
    is_cut: bool = False
    """There is more in the graph than this."""
