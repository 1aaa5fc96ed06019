"""The rumour graph: one graph for each playthrough, thrown away and rebuilt at will."""

import secrets
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import msgspec

from ledger_service.domain.confidence import MILLION
from ledger_service.domain.errors import GraphUnavailableError, NotProjectedError, UnknownEntryError
from ledger_service.domain.ids import GROUP_PREFIX, RESERVED_SCOPES, CharacterId, EntryId, PlaythroughId, digest
from ledger_service.domain.mirror import (
    MirrorBatch,
    MirrorBelief,
    MirrorEnding,
    MirrorEntry,
    MirrorName,
    MirrorNotice,
    MirrorRule,
    MirrorTrust,
    MirrorWorld,
    WorldState,
    ended_at,
    notice_state,
    slices,
    world_state,
)
from ledger_service.domain.rumours import (
    PASSED_ON,
    STORIES,
    HeldBelief,
    Holding,
    ProvenanceChain,
    Telling,
    TellingOutcome,
    Version,
    build_chain,
)
from ledger_service.domain.spyglass import AskedQuery, GraphPicture
from ledger_service.ports import GraphState
from ledger_service.stores.falkordb import queries
from ledger_service.stores.falkordb.client import GraphClient, Parameter, Rows
from ledger_service.stores.falkordb.picture import take_picture
from ledger_service.stores.falkordb.queries import Query
from ledger_service.stores.falkordb.worlds import WorldTemplates, begin_graph, put_world

ROWS_AT_ONCE: Final = 200
PAGE: Final = 5_000
STATE_PAGE: Final = 1_000
"""What is listed for comparing has several lists a row; so many stay well within the time that a query may take."""
HEALTH: Final = "continuity-health"
_Belief = tuple[EntryId, str]


class FalkorRumourGraph:
    """The mirror on a FalkorDB server (see `ports.RumourGraph`)."""

    def __init__(self, client: GraphClient, templates: WorldTemplates | None = None) -> None:
        self.client = client
        self._templates = templates

    async def apply(self, playthrough_id: PlaythroughId, batch: MirrorBatch, *, filling: str = "") -> bool:
        graph = graph_name(playthrough_id)
        for world in batch.worlds:
            if not await put_world(self.client, graph, world, filling=filling):
                return False
        for part in slices(msgspec.structs.replace(batch, worlds=()), rows=ROWS_AT_ONCE):
            given = _parameters(part)
            query = queries.MIRROR_BATCH.without_empty(given)
            if not await self.client.write(graph, query, filling=filling, **{n: v for n, v in given.items() if v}):
                return False
            notices = _notice_parameters(part)
            if any(notices.values()) and not await self.client.write(
                graph, queries.MIRROR_NOTICES.text, filling=filling, **notices
            ):
                return False
        return True

    async def begin(self, playthrough_id: PlaythroughId, world: MirrorWorld | None = None) -> str:
        graph, filling = graph_name(playthrough_id), secrets.token_hex(8)
        await self.client.drop(graph)
        if world is not None and self._templates is not None and await self._templates.copy(world, graph):
            await self.client.write(graph, queries.TAKE_OVER.text, filling=filling, seq=world.seq)
            return filling
        await begin_graph(self.client, graph, filling=filling)
        if world is not None:
            await put_world(self.client, graph, world, filling=filling)
        return filling

    async def finish(self, playthrough_id: PlaythroughId, filling: str) -> bool:
        graph = graph_name(playthrough_id)
        for first in range(0, await self._count(graph), PAGE):
            await self.client.write(graph, queries.LINK_ORIGINS.text, first=first, past=first + PAGE)
        return bool(await self.client.write(graph, queries.FINISH_FILLING.text, filling=filling))

    async def _count(self, graph: str) -> int:
        rows = await self.client.read(graph, queries.COUNT_NODES.text)
        return int(rows[0][0]) if rows else 0

    async def is_whole(self, playthrough_id: PlaythroughId) -> bool:
        return bool(await self.client.read(graph_name(playthrough_id), queries.IS_WHOLE.text))

    async def drop(self, playthrough_id: PlaythroughId) -> None:
        await self.client.drop(graph_name(playthrough_id))

    async def state(self, playthrough_id: PlaythroughId) -> GraphState:
        graph = graph_name(playthrough_id)
        beliefs: dict[str, int] = {}
        tellings: set[str] = set()
        people: Rows = []
        places: Rows = []
        rules: Rows = []
        notices: Rows = []
        for first in range(0, await self._count(graph), STATE_PAGE):
            page = {"first": first, "past": first + STATE_PAGE}
            people += await self.client.read(graph, queries.LIST_PEOPLE.text, **page)
            places += await self.client.read(graph, queries.LIST_PLACES.text, **page)
            rules += await self.client.read(graph, queries.LIST_RULES.text, **page)
            notices += await self.client.read(graph, queries.LIST_NOTICES.text, **page)
            rows = await self.client.read(graph, queries.LIST_BELIEFS.text, **page)
            for entry_id, holders, heard, left_aside in rows:
                beliefs.update({f"{entry_id}|{who}": millionths for who, millionths in holders})
                tellings.update(heard, left_aside)
        world = _world_state(people, places, rules) | {"notice": _notice_state(notices)}
        return GraphState(beliefs=beliefs, tellings=frozenset(tellings), world=world)

    async def chain(self, playthrough_id: PlaythroughId, entry_id: EntryId) -> ProvenanceChain:
        """Search breadth first inside the engine: at any depth, and no path is enumerated."""
        graph = graph_name(playthrough_id)
        rows = await self._read(playthrough_id, queries.FIND_VERSION, entry_id=entry_id)
        if not rows:
            raise UnknownEntryError(entry_id)
        if any(row[-1] for row in rows):
            rows += await self.client.read(graph, queries.FIND_BEHIND.text, entry_id=entry_id)
        return build_chain(entry_id, map(_version, rows), _tellings(rows), store="graph")

    async def _read(self, playthrough_id: PlaythroughId, query: Query, **parameters: Parameter) -> Rows:
        """Read from a graph that must be whole for nothing to mean nothing.

        Raises:
            NotProjectedError: there is nothing because the graph is not there, or is still being filled.
        """
        rows = await self.client.read(graph_name(playthrough_id), query.text, **parameters)
        if not rows and not await self.is_whole(playthrough_id):
            raise NotProjectedError
        return rows

    async def find_beliefs(
        self, playthrough_id: PlaythroughId, who: CharacterId, *, most: int = STORIES
    ) -> tuple[HeldBelief, ...]:
        rows = await self._read(playthrough_id, queries.FIND_BELIEFS, who=who)
        surest = sorted(rows, key=lambda r: (-r[4], -r[6], r[0]))[:most]
        return tuple(
            HeldBelief(entry_id=r[0], origin=r[1], statement=r[2], severity=r[3], confidence=r[4] / MILLION,
                       reinforced_at=r[5])
            for r in surest
        )  # fmt: skip

    async def find_holdings(self, playthrough_id: PlaythroughId, people: Sequence[CharacterId]) -> tuple[Holding, ...]:
        return tuple(_holdings(await self._read(playthrough_id, queries.FIND_HOLDINGS, people=list(people))))

    async def find_route(
        self, playthrough_id: PlaythroughId, teller: CharacterId, listener: CharacterId, *, most_hops: int
    ) -> tuple[CharacterId, ...]:
        rows = await self._read(
            playthrough_id, queries.FIND_ROUTES, teller=teller, listener=listener, most_hops=most_hops
        )
        routes = [tuple(reversed(names)) for names, _ in rows]
        return min(routes, key=lambda r: (len(r), r), default=())

    async def sample_brokers(
        self, playthrough_id: PlaythroughId, *, samples: int, seed: int
    ) -> dict[CharacterId, float]:
        rows = await self._read(playthrough_id, queries.SAMPLE_BROKERS, samples=samples, seed=seed)
        return {str(who): float(score) for who, score in rows}

    async def picture(self, playthrough_id: PlaythroughId) -> GraphPicture:
        if not await self.is_whole(playthrough_id):
            raise NotProjectedError
        return await take_picture(self.client, graph_name(playthrough_id))

    def query_text(self, name: str) -> str | None:
        """Return the text of a query that is asked here, with what it answers; None where there is none so named."""
        if name not in queries.names():
            return None
        found = queries.load(name)
        return f"// {found.answers}\n{found.text.strip()}\n"

    def last_queries(self, playthrough_id: PlaythroughId, *, most: int) -> tuple[AskedQuery, ...]:
        return self.client.log.of((graph_name(playthrough_id),), most=most)

    async def is_up(self) -> bool:
        try:
            return bool(await self.incarnation())
        except GraphUnavailableError:
            return False

    async def incarnation(self) -> str:
        rows = await self.client.read(HEALTH, queries.ANSWER.text)
        if not rows:
            rows = await self.client.write(HEALTH, queries.PUT_MARK.text, mark=secrets.token_hex(8))
        return str(rows[0][0])

    async def close(self) -> None:
        """Close all connections."""
        await self.client.close()


def graph_name(playthrough_id: PlaythroughId) -> str:
    """Name a playthrough's graph so that the name says nothing of it: whoever may list graphs sees all names."""
    return "w" + digest("rumour graph", playthrough_id)[:24]


def _world_state(people: Rows, places: Rows, rules: Rows) -> WorldState:
    """Read the world back; what is held beyond trust, or costs otherwise, stands as a difference of its own."""
    strong = {(who, teller): cost for who, _, _, strongly, _ in people for teller, cost in strongly}
    trusts = [
        MirrorTrust(
            listener=who, teller=teller, millionths=trust, cost=cost, is_strong=strong.get((who, teller)) == cost
        )
        for who, _, trusted, _, _ in people
        for teller, trust, cost in trusted
    ]
    cast = [MirrorName(id=who, name=name) for who, name, *_ in people if name is not None]
    here = [(who, place) for who, *_, at in people for place in at]
    named = [MirrorName(id=p, name=name, region=region) for p, name, region in places]
    held = world_state(cast, named, trusts, here, [rule for row in rules for rule in _rules(row)])
    held["strong trust"] = {f"{who}|{teller}": cost for (who, teller), cost in strong.items()}
    return held


def _rules(row: list[Any]) -> list[MirrorRule]:
    """Return a rule, once for each place it is at, so that a second one is a difference."""
    return [
        MirrorRule(
            id=row[0], sort=row[1], about=row[2], holds_when=row[3], ends_when=row[4], says=row[5],
            keepers=tuple(row[6]), place=place,
        )
        for place in row[7] or (None,)
    ]  # fmt: skip


def _notice_state(rows: Rows) -> dict[str, int]:
    """Read notices back, once for each place they are at."""
    notices = [
        MirrorNotice(entry_id=entry_id, notice=notice, place=place, posted=posted)
        for entry_id, notice, places, posted, _ in rows
        for place in places or (None,)
    ]
    return notice_state(notices, [MirrorEnding(entry_id=row[0], tick=row[4]) for row in rows if row[4] is not None])


def _parameters(batch: MirrorBatch) -> dict[str, list[dict[str, Any]]]:
    rumours = [e for e in batch.entries if e.version.is_hearsay]
    events = [e for e in batch.entries if not e.version.is_hearsay]
    heard = [t for t in batch.tellings if t.to_entry is not None and t.outcome in PASSED_ON]
    latest = _latest(batch.beliefs)
    holds = [row for e in batch.entries for row in _holds(e, latest)]
    dropped = [t for t in batch.tellings if t.to_entry is None or t.outcome not in PASSED_ON]
    return {
        "events": [{"id": e.version.entry_id, "fields": _fields(e)} for e in events],
        "rumours": [{"id": e.version.entry_id, "fields": _fields(e)} for e in rumours],
        "origins": [
            {"id": e.version.entry_id, "origin": e.origin} for e in batch.entries if e.origin != e.version.entry_id
        ],
        "places": [
            {"id": e.version.entry_id, "place": e.version.place} for e in batch.entries if e.version.place is not None
        ],
        **{part: [row for into, row in holds if into == part] for part in ("witnessed", "holds", "groups")},
        "heard": [_telling_row(t) | {"heard": t.to_entry} for t in heard],
        "beliefs": [_belief_row(b) for b in latest.values()],
        "dropped": [_telling_row(t) for t in dropped],
        "present": [{"who": p.who, "place": p.place, "seq": p.seq} for p in batch.present if p.place is not None],
        "absent": [{"who": p.who, "seq": p.seq} for p in batch.present if p.place is None],
    }


def _notice_parameters(batch: MirrorBatch) -> dict[str, list[dict[str, Any]]]:
    """Return what the graph keeps of notices: what hangs, and what is over since; most batches have none of either."""
    over = ended_at(batch.endings)
    posted = [
        {"id": n.entry_id, "notice": n.notice, "tick": n.posted, "down": over.get(n.entry_id)} for n in batch.notices
    ]
    return {"posted": posted, "over": [{"id": entry_id, "tick": tick} for entry_id, tick in over.items()]}


def _is_scope(who: str) -> bool:
    return who in RESERVED_SCOPES or who.startswith(GROUP_PREFIX)


def _holds(entry: MirrorEntry, latest: Mapping[_Belief, MirrorBelief]) -> Iterable[tuple[str, dict[str, Any]]]:
    """Yield who holds an entry, each with the part of the query that says so."""
    entry_id, since = entry.version.entry_id, entry.version.tick
    for who, millionths in entry.holders.items():
        was_there = who in entry.witnesses and not entry.version.is_hearsay
        part = "groups" if _is_scope(who) else "witnessed" if was_there else "holds"
        belief = latest.get((entry_id, who))
        row = {"id": entry_id, "who": who, "millionths": millionths, "since": since, "reinforced": since, "seq": 0}
        if belief is not None:
            row |= {"millionths": belief.millionths, "reinforced": belief.reinforced_at, "seq": belief.seq}
        yield part, row


def _latest(beliefs: Iterable[MirrorBelief]) -> dict[_Belief, MirrorBelief]:
    """Return the last word on each belief.

    It is worked out here, because within one query the engine sees neither an edge that an earlier part made nor what
    an earlier row set.
    """
    return {(b.entry_id, b.who): b for b in sorted(beliefs, key=lambda b: b.seq)}


def _belief_row(belief: MirrorBelief) -> dict[str, Any]:
    return {
        "id": belief.entry_id, "who": belief.who, "millionths": belief.millionths, "tick": belief.reinforced_at,
        "seq": belief.seq,
    }  # fmt: skip


def _fields(entry: MirrorEntry) -> dict[str, Any]:
    v = entry.version
    return {
        "kind": entry.kind, "statement": v.statement, "holder": v.holder, "how": str(v.how), "by": v.by,
        "confidence": v.millionths, "seq": v.seq, "tick": v.tick, "severity": v.severity, "place": v.place,
        "hearsay": v.is_hearsay, "hops": entry.hops, "origin": entry.origin, "story": entry.is_story,
        "corrects": entry.corrects,
    }  # fmt: skip


def _telling_row(telling: Telling) -> dict[str, Any]:
    fields = {
        "teller": telling.teller, "listener": telling.listener, "origin": telling.origin, "seq": telling.seq,
        "tick": telling.tick, "place": telling.place, "offered": telling.offered_millionths,
        "outcome": str(telling.outcome), "severity": telling.severity, "said": telling.statement,
    }  # fmt: skip
    return {"id": telling.telling_id, "told": telling.from_entry, "listener": telling.listener, "fields": fields}


def _version(row: list[Any]) -> Version:
    return Version(
        entry_id=row[0], statement=row[1], holder=row[2], how=row[3], by=row[4], millionths=row[5], seq=row[6],
        tick=row[7], severity=row[8], place=row[9], is_hearsay=row[10],
    )  # fmt: skip


def _holdings(rows: Rows) -> Iterable[Holding]:
    for who, held in rows:
        for e in sorted(held, key=lambda e: (-e[3], e[0]))[:STORIES]:
            yield Holding(who=who, entry_id=e[0], origin=e[1], corrects=e[2])


def _tellings(rows: Rows) -> Iterable[Telling]:
    for row in rows:
        for t in row[-1]:
            yield Telling(
                telling_id=t[0], from_entry=t[1], to_entry=row[0], teller=t[2], listener=t[3], origin=t[4], seq=t[5],
                tick=t[6], place=t[7], offered_millionths=t[8], outcome=TellingOutcome(t[9]),
                severity=t[10] or 1, statement=t[11] or "",
            )  # fmt: skip
