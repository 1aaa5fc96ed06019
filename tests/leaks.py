"""The leak run: scripted conversations in the village, each line held against what its speaker may draw on."""

import re
from collections.abc import Iterable
from pathlib import Path

import msgspec

from ledger_service.domain.packets import ContextPacket
from ledger_service.domain.worlds import World
from ledger_service.ports import StoredPacket
from ledger_service.probing.documents import decode_history, decode_world
from ledger_service.services.events.play_story import play_history
from ledger_service.services.gossip.advance_gossip import Passing, advance_gossip
from ledger_service.services.packets.build_packet import PacketRequest, build_packet
from ledger_service.services.playthroughs.open_playthrough import add_world, open_playthrough
from ledger_service.stores.memory import MemoryStores
from tests.speaking import READING

STORY = Path(__file__).parents[1] / "probes" / "village"
WORLD = decode_world((STORY / "world.yaml").read_bytes(), "world.yaml")
TOPICS = (
    ("What happened at the market?", "Anything happen by the stalls?", "Tell me the news from the market."),
    ("What do you know about me?", "What do people say of me?", "Have you heard anything about me?"),
    ("Who told you that?", "Where did you hear it?", "Who brought you that story?"),
    ("What is Ilsa planning at the gate?", "Is the watch up to something?", "What has the captain sent for?"),
    ("What is new in Saltmere?", "What do they say on the quay?", "Any word from the salt town?"),
)  # fmt: skip
SPEAKERS = ("tomas", "pip", "bertha", "ilsa", "mira", "odo", "hanne", "anselm", "wat", "dorte")


class Played(msgspec.Struct, frozen=True, kw_only=True):
    """The village after a day and more, and every wording put to every speaker, with the packet for it."""

    stores: MemoryStores
    playthrough_id: str
    asked: list[tuple[str, StoredPacket]]


async def conversations(*, hours: int = 30) -> Played:
    """Play the village, and put every wording to every speaker."""
    stores = MemoryStores()
    history = decode_history((STORY / "history.yaml").read_bytes(), "history.yaml")
    version = await add_world(WORLD, open_uow=stores.open_uow)
    played = (await open_playthrough(version, open_uow=stores.open_uow, seed=3)).playthrough_id
    await play_history(played, history, open_uow=stores.open_uow, embedder=READING.embedder)
    async for _ in advance_gossip(played, Passing(hours=hours), open_uow=stores.open_uow, embedder=READING.embedder):
        pass
    asked = [
        (
            line,
            await build_packet(
                played, PacketRequest(speaker=speaker, line=line), open_uow=stores.open_uow, reading=READING
            ),
        )
        for speaker in SPEAKERS
        for wordings in TOPICS
        for line in wordings
    ]
    return Played(stores=stores, playthrough_id=played, asked=asked)


def leaked(text: str, packet: ContextPacket, world: World, *, line: str) -> list[str]:
    """Return the names and wordings in a line that are neither in the packet nor in what was asked."""
    seen = _plain(" ".join((line, *_visible(packet, world))))
    said = _plain(text)
    names = [n for named in (*world.cast, *world.places, *world.things) for n in (named.name, *named.aliases)]
    rungs = [rung for ladder in world.ladders for rung in ladder.rungs]
    return [n for n in dict.fromkeys((*names, *rungs)) if _in(_plain(n), said) and not _in(_plain(n), seen)]


def _visible(packet: ContextPacket, world: World) -> Iterable[str]:
    drawn_on = msgspec.json.encode((packet.selected, packet.consequences)).decode()
    yield drawn_on
    everybody = {c.id: c for c in world.cast}
    ids = re.findall(r"[a-z_]+", drawn_on)
    for who in (packet.speaker, *packet.audience, *ids):
        if who in everybody:
            yield from (everybody[who].name, *everybody[who].aliases)
    for place in world.places:
        if place.id in ids:
            yield from (place.name, *place.aliases)


def _plain(text: str) -> str:
    return f" {re.sub(r'[^a-z0-9]+', ' ', text.casefold()).strip()} "


def _in(part: str, whole: str) -> bool:
    return part in whole
