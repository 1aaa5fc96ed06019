"""The mirror and what waits for it: the outbox's two sides, and one graph for each playthrough."""

from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Protocol

from msgspec import Struct

from ledger_service.domain.ids import CharacterId, EntryId, PlaythroughId
from ledger_service.domain.mirror import MirrorBatch, MirrorWorld, WorldState
from ledger_service.domain.rumours import STORIES, HeldBelief, Holding, ProvenanceChain
from ledger_service.domain.spyglass import AskedQuery, GraphPicture


class OutboxItem(Struct, frozen=True, kw_only=True):
    """A batch waiting for the graph."""

    outbox_id: int
    playthrough_id: PlaythroughId
    batch: MirrorBatch


class Outbox(Protocol):
    """What is to be mirrored, written in the transaction of the entries themselves."""

    async def put(self, batch: MirrorBatch, *, wake: bool = True) -> None:
        """Leave a batch for the mirror, and wake it; or leave it to the writer, who looks after it at once."""
        ...

    @property
    def last(self) -> int | None:
        """The number under which the last batch waits, once the events are written; None where nothing was left."""
        ...

    async def is_empty(self) -> bool:
        """Say whether nothing of this playthrough waits for the mirror."""
        ...


class MirrorQueue(Protocol):
    """The worker's side of the outbox, over all playthroughs."""

    async def take(self, *, limit: int = 200, only: PlaythroughId | None = None) -> list[OutboxItem]:
        """Return the oldest batches not yet mirrored, of all or of one playthrough, in order, without removing them."""
        ...

    async def mark_sent(self, outbox_ids: Sequence[int]) -> None:
        """Record that batches have been mirrored."""
        ...

    async def lag(self) -> int:
        """Return how many batches wait."""
        ...

    def wake(self) -> AbstractAsyncContextManager[AsyncIterator[None]]:
        """Yield whenever something was put (NOTIFY), and at least once a second (polling)."""
        ...


class GraphState(Struct, frozen=True, kw_only=True):
    """What the graph holds of a playthrough: entry ids with millionths of confidence for each holder, telling ids."""

    beliefs: dict[str, int]
    """`entry_id|holder` to millionths."""
    tellings: frozenset[str]
    world: WorldState = {}
    """Cast, places, trust, and who is where."""


class RumourGraph(Protocol):
    """The mirror: one graph for each playthrough, which can be thrown away and rebuilt."""

    async def apply(self, playthrough_id: PlaythroughId, batch: MirrorBatch, *, filling: str = "") -> bool:
        """Mirror a batch with one idempotent query (a large one with several), if the graph is whole.

        With a token, only if it is being filled under that token. False: it is not, and it must be made anew.

        Raises:
            GraphUnavailableError: the graph is away.
        """
        ...

    async def begin(self, playthrough_id: PlaythroughId, world: MirrorWorld | None = None) -> str:
        """Throw away what is there and begin a new graph with a world; return the token under which to fill it."""
        ...

    async def finish(self, playthrough_id: PlaythroughId, filling: str) -> bool:
        """Declare a graph whole; False where somebody else began to fill it meanwhile."""
        ...

    async def is_whole(self, playthrough_id: PlaythroughId) -> bool:
        """Say whether a playthrough's graph is there and complete up to what still waits in the outbox."""
        ...

    async def drop(self, playthrough_id: PlaythroughId) -> None:
        """Throw a playthrough's graph away; one that is not there is fine."""
        ...

    async def state(self, playthrough_id: PlaythroughId) -> GraphState:
        """Return what the graph holds, for comparing with the record."""
        ...

    async def chain(self, playthrough_id: PlaythroughId, entry_id: EntryId) -> ProvenanceChain:
        """Return the chain that `build_chain` makes of what `TellingStore.behind` finds, from the graph instead.

        Raises:
            UnknownEntryError: there is no such entry.
            GraphUnavailableError: the graph is away, or does not hold this playthrough yet.
        """
        ...

    async def find_beliefs(
        self, playthrough_id: PlaythroughId, who: CharacterId, *, most: int = STORIES
    ) -> tuple[HeldBelief, ...]:
        """Return what somebody holds themselves that can be passed on, the surest first.

        Raises:
            GraphUnavailableError: the graph is away, or does not hold this playthrough yet.
        """
        ...

    async def find_holdings(self, playthrough_id: PlaythroughId, people: Sequence[CharacterId]) -> tuple[Holding, ...]:
        """Return the same as `TellingStore.find_holdings`, by one query.

        Raises:
            GraphUnavailableError: the graph is away, or does not hold this playthrough yet.
        """
        ...

    async def find_route(
        self, playthrough_id: PlaythroughId, teller: CharacterId, listener: CharacterId, *, most_hops: int
    ) -> tuple[CharacterId, ...]:
        """Return the same as `rumours.influence.likeliest_route`, both ends included; nothing where there is none.

        Raises:
            GraphUnavailableError: the graph is away, or does not hold this playthrough yet.
        """
        ...

    async def sample_brokers(
        self, playthrough_id: PlaythroughId, *, samples: int, seed: int
    ) -> dict[CharacterId, float]:
        """Return through whom how many shortest ways of trust lead, from a sample; the same seed, the same sample.

        Raises:
            GraphUnavailableError: the graph is away, or does not hold this playthrough yet.
        """
        ...

    async def picture(self, playthrough_id: PlaythroughId) -> GraphPicture:
        """Return what the graph holds, as far as fits on a screen.

        Raises:
            GraphUnavailableError: it is away.
            NotProjectedError: it does not hold this playthrough whole.
        """
        ...

    def last_queries(self, playthrough_id: PlaythroughId, *, most: int) -> tuple[AskedQuery, ...]:
        """Return the newest queries that this process put to a playthrough's graph, the newest first."""
        ...

    async def is_up(self) -> bool:
        """Say whether a real query is answered."""
        ...

    async def incarnation(self) -> str:
        """Return a mark that changes when the server has lost what it held.

        Raises:
            GraphUnavailableError: the graph is away.
        """
        ...
