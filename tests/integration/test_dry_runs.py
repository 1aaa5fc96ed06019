"""An edit of a world tried out on a real record: which packets would be others, which not, and that nothing is kept."""

from pathlib import Path

import msgspec
import pytest

from ledger_service.bootstrap import open_reading, rehearse
from ledger_service.domain.events import Deed, EntriesPosted, HourPassed, TimePassed, Utterance, WorldChanged
from ledger_service.domain.worlds import World, version_of
from ledger_service.probing.documents import decode_event, decode_history, decode_world
from ledger_service.probing.source import read_source
from ledger_service.services.events.play_story import play_history
from ledger_service.services.events.record_event import record_events
from ledger_service.services.packets.build_packet import PacketRequest, build_packet
from ledger_service.services.playthroughs import retell
from ledger_service.services.playthroughs.open_playthrough import add_world, fork_playthrough, open_playthrough
from ledger_service.services.worlds.dry_run_world import dry_run, in_words
from ledger_service.stores.postgres.unit_of_work import PostgresStores
from tests.integration.conftest import Database

pytestmark = [pytest.mark.anyio, pytest.mark.postgres]
PROBES = Path(__file__).parents[2] / "probes"
ASK = "Please, let me use the transmitter."
KETTLE = "Who fixed the kettle in the control room?"


def shipped(name: str) -> World:
    return decode_world((PROBES / name / "world.yaml").read_bytes(), "world.yaml")


def edited(world: World, old: str, new: str, name: str = "maelin") -> World:
    """Return the world of a shipped file with a few words changed, as a writer would."""
    text = (PROBES / name / "world.yaml").read_text()
    assert text.count(old) == 1, old
    return decode_world(text.replace(old, new).encode(), "world.yaml")


@pytest.fixture(scope="module")
def reading():
    return open_reading()


@pytest.fixture
async def stores(database: Database, anyio_backend: str):
    found = await PostgresStores(
        database.app_url, worker_url=database.worker_url, console_url=database.console_url
    ).open()
    yield found
    await found.close()


class Told:
    """A story on record, and packets of it."""

    def __init__(self, stores: PostgresStores, world: World, reading) -> None:
        self.stores, self.world, self.reading = stores, world, reading

    async def play(self, name: str) -> str:
        version = await add_world(self.world, open_uow=self.stores.open_uow)
        opened = await open_playthrough(version, open_uow=self.stores.open_uow, title="told", seed=7)
        history = decode_history((PROBES / name / "history.yaml").read_bytes(), "history.yaml")
        await play_history(
            opened.playthrough_id, history, open_uow=self.stores.open_uow, embedder=self.reading.embedder
        )
        return opened.playthrough_id

    async def post(self, playthrough_id: str, *events) -> None:
        embedder = self.reading.embedder
        await record_events(playthrough_id, events, open_uow=self.stores.open_uow, embedder=embedder)

    async def packet(self, playthrough_id: str, speaker: str, line: str, **more) -> str:
        request = PacketRequest(speaker=speaker, line=line, **more)
        return (
            await build_packet(playthrough_id, request, open_uow=self.stores.open_uow, reading=self.reading)
        ).packet_id

    async def try_out(self, world: World, worlds=("*",)):
        return await dry_run(
            world, self.world, catalogue=self.stores.catalogue(worlds), open_uow=self.stores.reading(worlds),
            reading=self.reading, rehearse=rehearse,
        )  # fmt: skip


@pytest.fixture
async def station(stores, reading):
    """The station's story; a kettle is fixed in the control room, and the crew alone knows of a party."""
    told = Told(stores, shipped("maelin"), reading)
    told.id = await told.play("maelin")
    party = read_source(
        b"{kind: entries_posted, entries: [{kind: observation, statement: there is a party for the crew,"
        b" knowers: ['group:station_crew'], source: {kind: engine}}]}",
        "here",
    )
    kettle = Deed(actor="player", statement="player fixed the kettle", place="control_room", about=("player",))
    posted = decode_event(party, at="$", value=party.values)
    assert isinstance(posted, EntriesPosted)
    await told.post(told.id, kettle, posted)
    return told


def ids(found) -> list[str]:
    return [one.packet.packet_id for one in found]


async def test_an_edit_that_changes_nothing_changes_no_packet_of_any_story(station, stores, reading):
    for line in (ASK, KETTLE, "Where is the sensor?"):
        await station.packet(station.id, "maelin", line)
    branch = await fork_playthrough(station.id, open_uow=stores.open_uow, at_seq=8)
    await station.post(branch.playthrough_id, TimePassed(hours=2))
    await station.packet(branch.playthrough_id, "teo", "Anything new?")
    asked = Utterance(speaker="player", to=("maelin",), text="Where is the sensor, then?")
    await station.post(station.id, asked)
    await station.packet(station.id, "maelin", "", line_seq=28)
    await station.packet(station.id, "supervisor", "Maelin?", audience=("maelin",), at_seq=20)
    found = await station.try_out(msgspec.structs.replace(station.world, title="The same, under another name"))
    assert (found.looked_at, found.there_are, found.playthroughs) == (6, 6, 2)
    assert (found.unchanged, found.changed, found.lost, found.left_out) == (6, (), (), ())
    assert found.world_version != found.base_version


async def test_gossip_told_again_comes_out_the_same(stores, reading):
    village = Told(stores, shipped("village"), reading)
    playthrough = await village.play("village")
    await village.post(playthrough, *[HourPassed()] * 12)
    for who in ("ilsa", "bertha", "pip", "mira"):
        await village.packet(playthrough, who, "What do you hear about the apple?")
    same = await village.try_out(msgspec.structs.replace(village.world, title="x"))
    assert (same.looked_at, same.unchanged) == (4, 4)
    open_handed = edited(village.world, "stories_a_meeting: 1", "stories_a_meeting: 3", "village")
    more = await village.try_out(open_handed)
    assert more.changed, "another way to talk leaves other beliefs"
    assert not any(one.is_drifted for one in more.changed)


async def test_a_rule_changes_the_packets_that_rest_on_it_and_no_others(station):
    asked = await station.packet(station.id, "maelin", ASK)
    await station.packet(station.id, "teo", "How is the ice?")
    rule = msgspec.structs.replace(
        station.world.rules[0], scopes=(), commitments=(),
        grant_when="standing('maelin', 'player', 'honesty_under_pressure') >= 1.0",
    )  # fmt: skip
    found = await station.try_out(msgspec.structs.replace(station.world, rules=(rule,)))
    assert ids(found.changed) == [asked]
    (change,) = found.changed
    assert [d.said for d in change.compared.consequences] != []
    assert any("granted" in d.said and "refused" in d.said for d in change.compared.consequences)
    assert change.compared.moment == (), "that the version is another goes without saying"
    assert any(line.sign == "+" for hunk in change.prompt for line in hunk)
    assert found.unchanged == 1


async def test_who_was_there_decides_anew_who_knows_it(station):
    """Teo's day begins in the control room: he saw the kettle being fixed, and may speak of it."""
    asked = await station.packet(station.id, "teo", KETTLE)
    await station.packet(station.id, "supervisor", KETTLE)
    found = await station.try_out(edited(station.world, "home: ice_field", "home: control_room"))
    assert ids(found.changed) == [asked]
    came = [(d.sort, d.statement) for d in found.changed[0].compared.entries]
    assert ("came", "player fixed the kettle") in came
    assert found.unchanged == 1


async def test_who_leaves_a_group_in_the_file_knows_its_secrets_no_more(station):
    asked = await station.packet(station.id, "maelin", "Is there a party for the crew?")
    await station.packet(station.id, "teo", "Is there a party for the crew?")
    found = await station.try_out(edited(station.world, "members: [maelin]", "members: [teo]"))
    (mine,) = [one for one in found.changed if one.packet.packet_id == asked]
    assert ("went", "there is a party for the crew") in [(d.sort, d.statement) for d in mine.compared.entries]
    assert found.unchanged == 0


async def test_what_can_no_longer_be_built_says_why(station):
    lost = await station.packet(station.id, "teo", "How is the ice?")
    kept = await station.packet(station.id, "maelin", ASK, at_seq=5)
    after = await station.packet(station.id, "maelin", ASK)
    world = msgspec.structs.replace(
        station.world, cast=station.world.cast[:2], trust=station.world.trust[:1]
    )  # fmt: skip
    found = await station.try_out(world)
    assert {one.packet.packet_id for one in found.lost} == {lost, after}
    assert all("cannot happen: unknown" in one.why and "'teo'" in one.why for one in found.lost)
    assert kept not in ids(found.lost), "before he first comes up, all is as it was"
    assert found.unchanged + len(found.changed) == 1


async def test_a_story_that_changed_its_world_on_the_way_is_told_with_the_edit_from_there_on(station, stores):
    newer = msgspec.structs.replace(station.world, title="Later")
    version = await add_world(newer, open_uow=stores.open_uow)
    early = await station.packet(station.id, "teo", KETTLE)
    await station.post(station.id, WorldChanged(world_version=version))
    await station.post(
        station.id, Deed(actor="player", statement="player burned the toast", place="control_room", about=("player",))
    )
    late = await station.packet(station.id, "teo", "Who burned the toast?")
    moved = msgspec.structs.replace(edited(newer, "home: ice_field", "home: control_room"), title="Later")
    later = Told(stores, newer, station.reading)
    found = await later.try_out(moved)
    assert ids(found.changed) == [late]
    assert early not in ids(found.changed), "it was built under the version before"
    assert [d.statement for d in found.changed[0].compared.entries if d.sort == "came"] == ["player burned the toast"]


async def test_an_edit_of_a_version_that_nobody_played_is_held_against_the_newest_that_was(station, stores):
    asked = await station.packet(station.id, "teo", KETTLE)
    saved = edited(station.world, "home: ice_field", "home: mast")
    await add_world(saved, open_uow=stores.open_uow)
    unplayed = Told(stores, saved, station.reading)
    found = await unplayed.try_out(edited(station.world, "home: ice_field", "home: control_room"))
    assert (found.base_version, found.edited_version) == (version_of(station.world), version_of(saved))
    assert ids(found.changed) == [asked]
    alone = msgspec.structs.replace(station.world, id="alone")
    nothing = await Told(stores, alone, station.reading).try_out(alone)
    assert (nothing.there_are, nothing.base_version) == (0, version_of(alone))
    assert "No packet is kept" in in_words(nothing)


async def test_only_the_newest_packets_of_each_speaker_are_looked_at_and_it_is_said_how_many_there_are(station):
    for n in range(7):
        await station.packet(station.id, "maelin", f"{ASK} {n}")
    newest = await station.packet(station.id, "teo", "How is the ice?")
    found = await station.try_out(edited(station.world, "home: ice_field", "home: control_room"))
    assert (found.looked_at, found.there_are) == (6, 8)
    assert newest not in ids(found.lost)


async def test_a_story_too_long_to_be_told_again_is_left_out_and_named(station, monkeypatch):
    await station.packet(station.id, "maelin", ASK)
    monkeypatch.setattr(retell, "MOST_EVENTS", 10)
    found = await station.try_out(station.world)
    assert (found.looked_at, found.unchanged) == (0, 0)
    assert [one.why for one in found.left_out] == [
        "playthrough: 27 events are too many; at most 10 are told again"
    ]  # fmt: skip


async def test_nothing_of_it_is_written_and_nothing_is_seen_of_worlds_that_were_not_given(station, stores):
    await station.packet(station.id, "maelin", ASK)
    before = await _rows(stores)
    world = edited(station.world, "home: ice_field", "home: control_room")
    assert (await station.try_out(world)).looked_at == 1
    assert (await station.try_out(world, ("village",))).there_are == 0
    assert await _rows(stores) == before
    async with stores.open_uow() as uow:
        assert version_of(world) not in [version for version, _ in await uow.worlds.list_versions()]


async def _rows(stores: PostgresStores) -> tuple[object, ...]:
    async with stores._app.connection() as connection:
        found = await connection.execute("SELECT count(*) FROM list_playthroughs(NULL, 1000)")
        worlds = await connection.execute("SELECT count(*) FROM world_revision")
        return (*(await found.fetchone()), *(await worlds.fetchone()))
