"""Rules and notices in the graph: who keeps which where, what hangs and until when; projected, copied, compared."""

from collections.abc import AsyncIterator

import msgspec
import pytest

from ledger_service.domain.amendments import Amendment
from ledger_service.domain.entries import Status
from ledger_service.domain.events import Deed, GameEvent, HourPassed, Reviewed, WorldChanged
from ledger_service.domain.mirror import MirrorBatch, MirrorNotice, merged
from ledger_service.domain.story_time import StoryTime
from ledger_service.domain.worlds import Action, Custom, Rule, World
from ledger_service.recording.mirror import mirror_batch, whole_world, world_change
from ledger_service.services.events.record_event import record_events
from ledger_service.services.gossip.mirror_rumours import mirror_once, rebuild_mirror, verify_mirror
from ledger_service.services.playthroughs.open_playthrough import add_world, fork_playthrough, open_playthrough
from ledger_service.stores.falkordb.client import GraphClient
from ledger_service.stores.falkordb.rumour_graph import FalkorRumourGraph, graph_name
from ledger_service.stores.falkordb.worlds import WorldTemplates, template_name
from ledger_service.stores.memory import MemoryStores
from ledger_service.stores.postgres.unit_of_work import PostgresStores
from ledger_service.stores.probe_files import ProbeFiles
from tests.builders import PlainEmbedder, an_observation
from tests.speaking import STORY
from tests.unit.test_notices import PARDON, ROBBED, WANTED, the_village

pytestmark = [pytest.mark.anyio, pytest.mark.falkordb]
PLAYED = "rules-test"
NAME = graph_name(PLAYED)
RULES = "MATCH (r:Rule) WHERE r.sort IS NOT NULL RETURN r.id, r.about, r.holds_when ORDER BY r.id"
KEEPERS = "MATCH (r:Rule)-[k:KEPT_BY]->(c:Character) RETURN r.id, c.id ORDER BY r.id, c.id"
PLACES = "MATCH (r:Rule)-[a:AT]->(p:Place) RETURN r.id, p.id ORDER BY r.id, p.id"
NOTICES = "MATCH (n:Notice)-[a:AT]->(p:Place) RETURN n.notice, p.id, n.posted, n.taken_down ORDER BY n.posted"

SONG = Deed(actor="player", statement="the player sang", place="market", witnesses=("pip",))


@pytest.fixture
async def client(client: GraphClient) -> AsyncIterator[GraphClient]:
    yield client
    await client.drop(NAME)


@pytest.fixture
def stores() -> MemoryStores:
    return MemoryStores()


def ruled(*, by: tuple[str, ...] = ("ilsa",), place: str = "gate") -> World:
    """The gate, a bribe and a wanted notice."""
    return msgspec.structs.replace(
        the_village(msgspec.structs.replace(WANTED, place=place)),
        actions=(Action(id="pass", name="pass the gate", by=by), Action(id="ask", name="ask around")),
        rules=(
            Rule(id="gate", action="pass", grant_when="opinion('ilsa') > -0.3", because="the watch remembers"),
            Rule(id="talk", action="ask", grant_when="true", because="anybody may ask"),
        ),
        customs=(Custom(id="bribe", event="deed", when="opinion(witness) < 0", reads_as="{actor} bribes {target}"),),
    )


async def begin(stores: MemoryStores, graph: FalkorRumourGraph, world: World) -> None:
    await graph.drop(PLAYED)
    version = await add_world(world, open_uow=stores.open_uow)
    await open_playthrough(version, open_uow=stores.open_uow, playthrough_id=PLAYED)


async def play(stores: MemoryStores, graph: FalkorRumourGraph | None, *events: GameEvent) -> None:
    await record_events(PLAYED, events, open_uow=stores.open_uow, embedder=PlainEmbedder())
    if graph is not None:
        await mirror_once(stores.mirror_queue, graph, open_uow=stores.open_uow)


async def test_a_graph_is_begun_with_its_rules_who_keeps_them_and_where(
    graph: FalkorRumourGraph, client: GraphClient
) -> None:
    await graph.finish(PLAYED, await graph.begin(PLAYED, whole_world(ruled(), seq=0)))
    assert await client.read(NAME, RULES) == [
        ["custom:bribe", "deed", "opinion(witness) < 0"],
        ["notice:wanted", "theft", "opinion('ilsa') <= -0.3"],
        ["rule:gate", "pass", "opinion('ilsa') > -0.3"],
        ["rule:talk", "ask", "true"],
    ]
    assert await client.read(NAME, KEEPERS) == [["notice:wanted", "ilsa"], ["rule:gate", "ilsa"]]
    assert await client.read(NAME, PLACES) == [["notice:wanted", "gate"]]


async def test_the_village_has_its_gate_its_bribe_and_its_notice_in_the_graph(
    graph: FalkorRumourGraph, client: GraphClient
) -> None:
    world = ProbeFiles(STORY.parent).load("village").world
    await graph.finish(PLAYED, await graph.begin(PLAYED, whole_world(world, seq=0)))
    sorts = await client.read(NAME, "MATCH (r:Rule) RETURN r.sort, count(r) ORDER BY r.sort")
    assert sorts == [
        ["custom", len(world.customs)], ["notice", len(world.notices)], ["rule", len(world.rules)],
    ]  # fmt: skip
    assert ["notice:wanted", "gate"] in await client.read(NAME, PLACES)
    assert "ilsa" in {who for _, who in await client.read(NAME, KEEPERS)}


@pytest.mark.postgres
async def test_a_copied_template_has_the_rules_of_its_world_and_of_no_other(
    client: GraphClient, record: MemoryStores | PostgresStores
) -> None:
    if not isinstance(record, PostgresStores):
        return
    templates = WorldTemplates(client, one_at_a_time=record.one_copy_at_a_time, always=True)
    copying, worlds = FalkorRumourGraph(client, templates), (ruled(), ruled(by=("pip",)))
    assert len({template_name(whole_world(w, seq=0)) for w in worlds}) == 2
    for world in worlds:
        filling = await copying.begin(PLAYED, whole_world(world, seq=0))
        await copying.finish(PLAYED, filling)
        copied = await copying.state(PLAYED)
        await FalkorRumourGraph(client).finish(
            PLAYED, await FalkorRumourGraph(client).begin(PLAYED, whole_world(world, seq=0))
        )
        assert copied == await copying.state(PLAYED)
        assert len(copied.world["rule"]) == 4


async def test_another_version_of_a_world_moves_its_rules_and_an_older_one_changes_nothing(
    graph: FalkorRumourGraph, client: GraphClient
) -> None:
    old, moved = ruled(), ruled(by=("pip", "odo"), place="inn")
    new = msgspec.structs.replace(moved, customs=(), rules=moved.rules[:1])
    await graph.finish(PLAYED, await graph.begin(PLAYED, whole_world(old, seq=0)))
    change = MirrorBatch(worlds=(world_change(old, new, seq=3),))
    for batch in (change, change, MirrorBatch(worlds=(world_change(new, old, seq=2),))):
        assert await graph.apply(PLAYED, batch)
        assert [row[0] for row in await client.read(NAME, RULES)] == ["notice:wanted", "rule:gate"]
        assert await client.read(NAME, KEEPERS) == [
            ["notice:wanted", "ilsa"], ["rule:gate", "odo"], ["rule:gate", "pip"],
        ]  # fmt: skip
        assert await client.read(NAME, PLACES) == [["notice:wanted", "inn"]]


async def test_a_notice_says_where_it_hangs_and_until_when_and_so_does_a_rebuilt_graph(
    stores: MemoryStores, graph: FalkorRumourGraph, client: GraphClient
) -> None:
    await begin(stores, graph, the_village(WANTED))
    await play(stores, graph, ROBBED)
    assert await client.read(NAME, NOTICES) == [["wanted", "gate", 0, None]]
    await play(stores, graph, *[HourPassed()] * 5)
    assert await client.read(NAME, NOTICES) == [["wanted", "gate", 0, None]]
    await play(stores, graph, PARDON)
    assert await client.read(NAME, NOTICES) == [["wanted", "gate", 0, 5]]
    followed = await graph.state(PLAYED)
    assert await verify_mirror(PLAYED, open_uow=stores.open_uow, graph=graph) == ()
    await rebuild_mirror(PLAYED, open_uow=stores.open_uow, graph=graph)
    assert await graph.state(PLAYED) == followed
    assert await client.read(NAME, NOTICES) == [["wanted", "gate", 0, 5]]


async def test_what_went_up_and_down_before_the_mirror_came_round_is_down(
    stores: MemoryStores, graph: FalkorRumourGraph, client: GraphClient
) -> None:
    await begin(stores, graph, the_village(WANTED))
    await play(stores, graph, SONG, HourPassed())
    assert await graph.is_whole(PLAYED)
    await play(stores, None, ROBBED, *[HourPassed()] * 3)
    await play(stores, graph, PARDON)
    assert await client.read(NAME, NOTICES) == [["wanted", "gate", 1, 4]]
    assert await verify_mirror(PLAYED, open_uow=stores.open_uow, graph=graph) == ()


async def test_a_branch_from_before_has_the_notice_up(
    stores: MemoryStores, graph: FalkorRumourGraph, client: GraphClient
) -> None:
    await begin(stores, graph, the_village(WANTED))
    await play(stores, graph, ROBBED)
    early = (await fork_playthrough(PLAYED, open_uow=stores.open_uow)).playthrough_id
    await play(stores, graph, HourPassed(), PARDON)
    await mirror_once(stores.mirror_queue, graph, open_uow=stores.open_uow, only=early)
    assert await client.read(graph_name(early), NOTICES) == [["wanted", "gate", 0, None]]
    assert await client.read(NAME, NOTICES) == [["wanted", "gate", 0, 1]]
    await graph.drop(early)


@pytest.mark.parametrize("how", ["the world", "a reviewer"])
async def test_a_notice_that_goes_otherwise_is_down_in_the_graph_too(
    stores: MemoryStores, graph: FalkorRumourGraph, client: GraphClient, how: str
) -> None:
    await begin(stores, graph, the_village(WANTED))
    await play(stores, graph, ROBBED, HourPassed())
    async with stores.open_uow(PLAYED) as uow:
        (hung,) = await uow.ledger.find_notices()
    version = await add_world(the_village(), open_uow=stores.open_uow)
    gone: GameEvent = WorldChanged(world_version=version)
    if how == "a reviewer":
        gone = Reviewed(entry_id=hung.entry_id, outcome=Status.RETRACTED, reason="a mistake")
    await play(stores, graph, gone)
    assert await client.read(NAME, NOTICES) == [["wanted", "gate", 0, 1]]
    assert await verify_mirror(PLAYED, open_uow=stores.open_uow, graph=graph) == ()


async def test_mirrored_again_in_whatever_pieces_a_notice_stays_down(
    graph: FalkorRumourGraph, client: GraphClient
) -> None:
    hung = an_observation(entry_id="n1", notice="wanted", place="gate", at=StoryTime(tick=3))
    other = an_observation(entry_id="o1", place="gate")
    downs = [
        Amendment(entry_id=of, status=Status.ENDED, cause_seq=n, at=StoryTime(tick=n)) for of in ("n1", "o1")
        for n in (9, 7, 8)
    ]  # fmt: skip
    await graph.finish(PLAYED, await graph.begin(PLAYED))
    up, down = mirror_batch([hung, other], ()), mirror_batch((), (), downs)
    for batch in (up, down, merged([up, down]), up, mirror_batch((), (), downs[:1])):
        assert await graph.apply(PLAYED, batch)
    assert await client.read(NAME, NOTICES) == [["wanted", "gate", 3, 7]]
    assert await client.read(NAME, "MATCH (e:Entry {id: 'o1'}) RETURN e.taken_down, labels(e)") == [
        [None, ["Entry", "Event"]]
    ]


async def test_many_notices_are_marked_piece_by_piece(graph: FalkorRumourGraph, client: GraphClient) -> None:
    hung = [an_observation(entry_id=f"n{n}", notice=f"w{n}", place="gate", at=StoryTime(tick=n)) for n in range(450)]
    over = [Amendment(entry_id=e.entry_id, status=Status.ENDED, cause_seq=9, at=StoryTime(tick=999)) for e in hung]
    await graph.finish(PLAYED, await graph.begin(PLAYED))
    assert await graph.apply(PLAYED, mirror_batch(hung, (), over))
    rows = await client.read(NAME, NOTICES)
    assert [(row[2], row[3]) for row in rows] == [(n, 999) for n in range(450)]


@pytest.mark.parametrize(
    ("tampering", "what"),
    [
        ("MATCH (r:Rule {id: 'rule:gate'}) SET r.holds_when = 'true'", "rule"),
        ("MATCH (r:Rule)-[k:KEPT_BY]->(c) DELETE k", "rule"),
        ("MATCH (r:Rule), (p:Place {id: 'inn'}) CREATE (r)-[a:AT]->(p)", "rule"),
        ("CREATE (r:Rule {id: 'rule:new', sort: 'rule', about: '', holds_when: '', ends_when: '', says: ''})", "rule"),
        ("MATCH (n:Notice) SET n.taken_down = 2", "notice"),
        ("MATCH (n:Notice) SET n.posted = 2", "notice"),
        ("MATCH (n:Notice)-[a:AT]->(p) DELETE a", "notice"),
    ],
)
async def test_a_changed_rule_or_notice_is_found_out(
    stores: MemoryStores, graph: FalkorRumourGraph, client: GraphClient, tampering: str, what: str
) -> None:
    await begin(stores, graph, ruled())
    await play(stores, graph, ROBBED)
    assert await verify_mirror(PLAYED, open_uow=stores.open_uow, graph=graph) == ()
    await client.write(NAME, tampering)
    found = await verify_mirror(PLAYED, open_uow=stores.open_uow, graph=graph)
    assert {d.what for d in found} == {what}


async def test_no_property_of_rules_and_notices_is_used_that_an_empty_graph_does_not_name(
    graph: FalkorRumourGraph, client: GraphClient
) -> None:
    async def names() -> list[list[str]]:
        keys = "CALL db.propertyKeys() YIELD propertyKey RETURN propertyKey"
        edges = "CALL db.relationshipTypes() YIELD relationshipType RETURN relationshipType"
        return sorted([*await client.read(NAME, keys), *await client.read(NAME, edges)])

    await graph.finish(PLAYED, await graph.begin(PLAYED))
    named = await names()
    hung = an_observation(entry_id="n1", notice="wanted", place="gate")
    over = Amendment(entry_id="n1", status=Status.ENDED, cause_seq=9, at=StoryTime(tick=9))
    await graph.apply(PLAYED, MirrorBatch(worlds=(whole_world(ruled(), seq=0),)))
    await graph.apply(PLAYED, mirror_batch([hung], (), (over,)))
    assert await names() == named


def test_what_ends_is_mirrored_of_notices_and_of_what_an_earlier_write_left() -> None:
    seen, hung = an_observation(entry_id="o1"), an_observation(entry_id="n1", notice="wanted", place="gate")
    ends = [
        Amendment(entry_id=e, status=s, cause_seq=4, at=StoryTime(tick=4))
        for e, s in (("o1", Status.ENDED), ("n1", Status.ENDED), ("e9", Status.EXPIRED), ("e8", Status.ACTIVE))
    ]
    batch = mirror_batch([seen, hung], (), ends)
    assert batch.notices == (MirrorNotice(entry_id="n1", notice="wanted", place="gate", posted=hung.at.tick),)
    assert [e.entry_id for e in batch.endings] == ["n1", "e9"]
