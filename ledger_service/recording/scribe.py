"""The scribe of one event: numbers the entries it leaves and fills in what they all say."""

from collections.abc import Iterable
from typing import Any

from ledger_service.domain.entries import Channel, LedgerEntry, Source, SourceKind
from ledger_service.domain.ids import CharacterId, EntryId, entry_id_of
from ledger_service.domain.playthroughs import StoryState
from ledger_service.domain.texts import MOST_LETTERS
from ledger_service.domain.visibility import Knower
from ledger_service.domain.worlds import World


def clipped(statement: str) -> str:
    """Cut a statement to what an entry may hold; what somebody said at length stands whole in the source's quote."""
    return statement if len(statement) <= MOST_LETTERS else statement[: MOST_LETTERS - 1] + "…"


class Scribe:
    """Writes down one event; ordinals make its entries' ids."""

    def __init__(self, *, seq: int, before: StoryState, after: StoryState, world: World) -> None:
        self.seq = seq
        self.before = before
        self.after = after
        self.world = world
        self._ordinal = 0

    def entry_id(self, holder: str = "") -> EntryId:
        """Return the id of the next entry; what one character holds is their own copy, and says so."""
        self._ordinal += 1
        return entry_id_of(seq=self.seq, ordinal=self._ordinal, holder=holder)

    def knowers(self, who: Iterable[str], how: str, *, from_whom: CharacterId | None = None) -> tuple[Knower, ...]:
        """Return knowers as of this event."""
        tick = self.after.at.tick
        return tuple(
            Knower(who=w, how=how, from_whom=from_whom if w != from_whom else None, since_seq=self.seq, since_tick=tick)
            for w in dict.fromkeys(who)
        )

    def source(
        self, kind: SourceKind, by: str | None, *, channel: Channel = Channel.OPEN, quote: str | None = None
    ) -> Source:
        """Return a source that names this event."""
        return Source(kind=kind, by=by, event_seq=self.seq, channel=channel, quote=quote)

    def write(self, make: type[LedgerEntry], *, copy_of: str = "", **fields: Any) -> LedgerEntry:  # noqa: ANN401
        """Write an entry with its id, seq, time and the source's default confidence; `copy_of` is whose copy it is."""
        source: Source = fields["source"]
        entry_id = fields.pop("entry_id", None) or self.entry_id(copy_of)
        given = fields.pop("confidence", None)
        fields["statement"] = clipped(fields["statement"])
        confidence = self.world.default_confidence(source.kind) if given is None else given
        common: dict[str, Any] = {"seq": self.seq, "at": self.after.at, "confidence": confidence}
        return make(entry_id=entry_id, **common, **fields)
