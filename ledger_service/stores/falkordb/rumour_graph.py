"""The rumour graph: one graph for each playthrough, thrown away and rebuilt at will."""

from collections.abc import Iterable
from typing import Any

from ledger_service.domain.errors import GraphUnavailableError, UnknownEntryError
from ledger_service.domain.ids import EntryId, PlaythroughId, digest
from ledger_service.domain.mirror import MirrorBatch, MirrorEntry
from ledger_service.domain.rumours import ProvenanceChain, Telling, TellingOutcome, Version, build_chain
from ledger_service.ports import GraphState
from ledger_service.stores.falkordb import queries
from ledger_service.stores.falkordb.client import GraphClient

_LABELS = ("Rumour", "Character", "Event")
_AT_ONCE = 200


class FalkorRumourGraph:
    """The mirror on a FalkorDB server (see `ports.RumourGraph`)."""

    def __init__(self, client: GraphClient) -> None:
        self._client = client
        self._indexed: set[str] = set()

    async def apply(self, playthrough_id: PlaythroughId, batch: MirrorBatch) -> None:
        graph = graph_name(playthrough_id)
        await self._ensure_indexes(graph)
        for part in _parts(batch):
            await self._client.write(graph, queries.MIRROR_BATCH.text, **_parameters(part))

    async def _ensure_indexes(self, graph: str) -> None:
        """Index ids for equality, once; the engine refuses to make an index twice, and says so."""
        if graph in self._indexed:
            return
        for label in _LABELS:
            try:
                await self._client.write(graph, f"CREATE INDEX FOR (n:{label}) ON (n.id)")
            except GraphUnavailableError as error:
                if "already indexed" not in str(error):
                    raise
        self._indexed.add(graph)

    async def drop(self, playthrough_id: PlaythroughId) -> None:
        self._indexed.discard(graph_name(playthrough_id))
        await self._client.drop(graph_name(playthrough_id))

    async def state(self, playthrough_id: PlaythroughId) -> GraphState:
        graph = graph_name(playthrough_id)
        beliefs = await self._client.read(graph, queries.BELIEFS.text)
        tellings = await self._client.read(graph, queries.TELLINGS.text)
        return GraphState(
            beliefs={f"{row[0]}|{row[1]}": int(row[2]) for row in beliefs},
            tellings=frozenset(str(row[0]) for row in tellings),
        )

    async def chain(self, playthrough_id: PlaythroughId, entry_id: EntryId) -> ProvenanceChain:
        """Walk back level by level: one read for each hop, at any depth, and no path is enumerated."""
        graph = graph_name(playthrough_id)
        tellings: list[Telling] = []
        seen = {entry_id}
        frontier = [entry_id]
        while frontier:
            rows = await self._client.read(graph, queries.CHAIN_TELLINGS.text, ids=frontier)
            level = [_telling(row) for row in rows]
            tellings += level
            frontier = sorted({t.from_entry for t in level} - seen)
            seen |= set(frontier)
        rows = await self._client.read(graph, queries.CHAIN_VERSIONS.text, ids=sorted(seen))
        versions = [_version(row) for row in rows]
        if not any(v.entry_id == entry_id for v in versions):
            raise UnknownEntryError(entry_id)
        return build_chain(entry_id, versions, tellings, store="graph")

    async def is_up(self) -> bool:
        try:
            return await self._client.write("continuity-health", queries.ANSWER.text) == [[1]]
        except GraphUnavailableError:
            return False

    async def close(self) -> None:
        """Close all connections."""
        await self._client.close()


def graph_name(playthrough_id: PlaythroughId) -> str:
    """Name a playthrough's graph so that the name says nothing of it: whoever may list graphs sees all names."""
    return "w" + digest("rumour graph", playthrough_id)[:24]


def _parts(batch: MirrorBatch) -> Iterable[MirrorBatch]:
    """Split a large batch: entries first, so that a telling finds both its ends."""
    for i in range(0, len(batch.entries), _AT_ONCE):
        yield MirrorBatch(entries=batch.entries[i : i + _AT_ONCE])
    for i in range(0, len(batch.tellings), _AT_ONCE):
        yield MirrorBatch(tellings=batch.tellings[i : i + _AT_ONCE])


def _parameters(batch: MirrorBatch) -> dict[str, Any]:
    return {
        "entries": [_entry_row(e) for e in batch.entries],
        "holds": [
            {"who": who, "id": e.version.entry_id, "millionths": millionths, "tick": e.version.tick}
            for e in batch.entries
            for who, millionths in e.holders.items()
        ],
        "tellings": [_telling_row(t) for t in batch.tellings if t.to_entry is not None],
    }


def _entry_row(entry: MirrorEntry) -> dict[str, Any]:
    v = entry.version
    return {
        "id": v.entry_id, "kind": entry.kind, "statement": v.statement, "origin": entry.origin, "seq": v.seq,
        "tick": v.tick, "hops": entry.hops, "severity": v.severity, "millionths": v.millionths, "place": v.place,
        "source": v.how, "by": v.by, "holder": v.holder,
    }  # fmt: skip


def _telling_row(telling: Telling) -> dict[str, Any]:
    return {
        "id": telling.telling_id, "from": telling.from_entry, "to": telling.to_entry, "teller": telling.teller,
        "listener": telling.listener, "origin": telling.origin, "seq": telling.seq, "tick": telling.tick,
        "place": telling.place, "millionths": telling.offered_millionths, "outcome": str(telling.outcome),
    }  # fmt: skip


def _telling(row: list[Any]) -> Telling:
    return Telling(
        telling_id=row[0], from_entry=row[1], to_entry=row[2], teller=row[3], listener=row[4], origin=row[5],
        seq=int(row[6]), tick=int(row[7]), place=row[8], offered_millionths=int(row[9]), outcome=TellingOutcome(row[10]),
    )  # fmt: skip


def _version(row: list[Any]) -> Version:
    return Version(
        entry_id=row[0], statement=row[2], millionths=int(row[3]), seq=int(row[4]), tick=int(row[5]),
        severity=int(row[6]), place=row[7], how=row[8], by=row[9], holder=row[10], is_hearsay=row[1] == "hearsay",
    )  # fmt: skip
