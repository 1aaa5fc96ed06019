"""Worlds in the graph: put there by a query, or copied from a read-only template, one copy at a time anywhere."""

import asyncio
import logging
from collections.abc import Callable, Iterable
from contextlib import AbstractAsyncContextManager
from typing import Any, Final

import msgspec

from ledger_service.domain.errors import GraphUnavailableError
from ledger_service.domain.ids import digest
from ledger_service.domain.mirror import MirrorRule, MirrorWorld, world_slices
from ledger_service.domain.trust import Pair
from ledger_service.stores.falkordb import queries
from ledger_service.stores.falkordb.client import GraphClient
from ledger_service.stores.falkordb.queries import Query

_log = logging.getLogger(__name__)
OneAtATime = Callable[[], AbstractAsyncContextManager[None]]
"""Holds off every other copy, in whatever process, while it is open."""

WORLD_ROWS_AT_ONCE: Final = 2_000
"""A village is one query; of a crowd, each query stays well within what the engine lets one take."""
PLACES_SCANNED: Final = 64
"""Of more places an index is kept; a village does without, which saves memory."""
SAFE_FROM: Final = 4_16_06
"""Before 4.16.6 a copy that meets another fork hangs the server for good."""
TRIES: Final = 5
FIRST_WAIT_S: Final = 0.2
TEMPLATE: Final = "template"


class WorldTemplates:
    """Copies the graph of a world version; a template is made when it is first asked for, and never changes."""

    def __init__(self, client: GraphClient, *, one_at_a_time: OneAtATime, always: bool = False) -> None:
        self._client = client
        self._one_at_a_time = one_at_a_time
        self._always = always

    async def copy(self, world: MirrorWorld, target: str) -> bool:
        """Copy a world's template under a name that is free; False where the engine may not fork now.

        Raises:
            GraphUnavailableError: the graph is away.
        """
        async with self._one_at_a_time():
            why = await self._why_not()
            if why:
                _log.warning("a world is projected and not copied: %s", why)
                return False
            template = template_name(world)
            if not await self._client.read(template, queries.IS_TEMPLATE.text):
                await self._make(template, world)
            return await self._copied(template, target)

    async def _why_not(self) -> str:
        version = await self._client.module_version()
        if version < SAFE_FROM and not self._always:
            return f"module version {version} may hang while it copies; 4.16.6 and newer do not"
        if await self._client.is_saving():
            return "the server is saving"
        return ""

    async def _make(self, template: str, world: MirrorWorld) -> None:
        """Make a template from its beginning; one that was left half made is thrown away."""
        await self._client.drop(template)
        await begin_graph(self._client, template, filling=TEMPLATE)
        await put_world(self._client, template, msgspec.structs.replace(world, seq=0), filling=TEMPLATE)
        await self._client.write(template, queries.FINISH_TEMPLATE.text)

    async def _copied(self, template: str, target: str) -> bool:
        """Copy, waiting longer each time the engine cannot fork: another fork of the server ends by itself."""
        for attempt in range(TRIES):
            try:
                await self._client.copy(template, target)
            except GraphUnavailableError as error:
                if "fork" not in str(error):
                    raise
                await asyncio.sleep(FIRST_WAIT_S * 2**attempt)
            else:
                return True
        _log.warning("a world is projected and not copied: the server could not fork")
        return False


async def begin_graph(client: GraphClient, graph: str, *, filling: str) -> None:
    """Begin a graph that is not there: its mark, every name that a plan may ask for, and its indexes."""
    await client.write(graph, queries.BEGIN_FILLING.text, filling=filling)
    await index(client, graph, (queries.INDEX_ENTRIES, queries.INDEX_CHARACTERS))


async def put_world(client: GraphClient, graph: str, world: MirrorWorld, *, filling: str) -> bool:
    """Put a world into a graph with one query, its rules with another (a large one with several).

    False where the graph is not as expected.
    """
    if len(world.places) > PLACES_SCANNED:
        await index(client, graph, (queries.INDEX_PLACES,))
    for part in world_slices(world, rows=WORLD_ROWS_AT_ONCE):
        if not await client.write(graph, queries.PROJECT_WORLD.text, filling=filling, **world_parameters(part)):
            return False
        if part.rules:
            await _put_rules(client, graph, part, filling=filling)
    return True


async def _put_rules(client: GraphClient, graph: str, world: MirrorWorld, *, filling: str) -> None:
    """Put rules as they are now; a graph that is only being filled holds none from before."""
    if not filling:
        ids = [rule.id for rule in world.rules]
        await client.write(graph, queries.LOOSEN_RULES.text, filling=filling, seq=world.seq, ids=ids)
    rules = [_rule(rule) for rule in world.rules]
    await client.write(graph, queries.PROJECT_RULES.text, filling=filling, seq=world.seq, rules=rules)


async def index(client: GraphClient, graph: str, made_by: Iterable[Query]) -> None:
    """Make indexes, once; the engine refuses to make one twice, and says so."""
    for query in made_by:
        try:
            await client.write(graph, query.text)
        except GraphUnavailableError as error:
            if "already indexed" not in str(error):
                raise


def template_name(world: MirrorWorld) -> str:
    """Name a template by what is in it, so that the name says nothing of it and no version is taken for another."""
    seen = (sorted(map(str, rows)) for rows in (world.cast, world.places, world.trusts, world.rules))
    return "t" + digest("world template", *seen)[:24]


def world_parameters(world: MirrorWorld) -> dict[str, Any]:
    """Return a world as the parameters of `project_world.cypher`."""
    strong = [t for t in world.trusts if t.is_strong]
    return {
        "seq": world.seq,
        "cast": [{"id": c.id, "name": c.name} for c in world.cast],
        "places": [{"id": p.id, "name": p.name, "region": p.region} for p in world.places],
        "trusts": [_pair((t.listener, t.teller)) | {"trust": t.millionths, "cost": t.cost} for t in world.trusts],
        "strong": [_pair((t.listener, t.teller)) | {"cost": t.cost} for t in strong],
        "ended": [_pair(p) for p in world.ended],
        "weakened": [_pair(p) for p in world.weakened],
    }


def _rule(rule: MirrorRule) -> dict[str, Any]:
    fields = {
        "sort": rule.sort, "about": rule.about, "holds_when": rule.holds_when, "ends_when": rule.ends_when,
        "says": rule.says,
    }  # fmt: skip
    places = [] if rule.place is None else [rule.place]
    return {"id": rule.id, "fields": fields, "keepers": list(rule.keepers), "places": places}


def _pair(pair: Pair) -> dict[str, Any]:
    return {"listener": pair[0], "teller": pair[1]}
