"""Packets for tests of speaking and scoring, built by the pipeline from a few entries or from the Maelin story."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from ledger_service.domain.amendments import Amendment
from ledger_service.domain.candidates import Candidates
from ledger_service.domain.entries import LedgerEntry
from ledger_service.domain.ids import EntryId
from ledger_service.domain.ledger import Ledger
from ledger_service.domain.packets import ContextPacket
from ledger_service.domain.replies import Claim, Reply
from ledger_service.domain.rubric import Gold, Scorecard
from ledger_service.domain.story_time import StoryTime
from ledger_service.domain.worlds import Action, Character, Rule, VoiceCard, World
from ledger_service.ports import StoredPacket
from ledger_service.probing.documents import decode_history, decode_world
from ledger_service.readers.claims import PatternClaimReader
from ledger_service.readers.line_reader import PatternLineReader
from ledger_service.reconcile.pipeline import seal
from ledger_service.responders.prompt import JinjaPrompt
from ledger_service.scoring.scorecard import score
from ledger_service.services.events.play_story import play_history
from ledger_service.services.packets.build_packet import PacketRequest, Reading, build_packet, sealed
from ledger_service.services.playthroughs.open_playthrough import add_world, open_playthrough
from ledger_service.services.replies.score_reply import read_line
from ledger_service.stores.memory import MemoryStores
from tests.builders import a_moment, a_state

STORY = Path(__file__).parent.parent / "probes" / "maelin"


class NoMeanings:
    """An embedder that finds nothing alike."""

    name = "none"

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        return [b"" for _ in texts]

    def similarity(self, line: str, meanings: Any) -> dict[EntryId, int]:  # noqa: ARG002
        return {}


READING = Reading(reader=PatternLineReader(), embedder=NoMeanings(), renderer=JinjaPrompt())


def a_stage(**overrides: Any) -> World:
    """A keeper who can lend her lamp to whoever is reliable, a hauler, a supervisor."""
    given: dict[str, Any] = {
        "id": "stage",
        "title": "A stage",
        "cast": (
            Character(id="maelin", name="Maelin"),
            Character(id="teo", name="Teo"),
            Character(id="supervisor", name="the supervisor"),
        ),
        "actions": (Action(id="lend_lamp", name="borrow the lamp", words=("lamp",), by=("maelin",)),),
        "rules": (
            Rule(
                id="lamp_rule", action="lend_lamp", grant_when="standing('maelin', 'player', 'reliability') >= 1.0",
                because="lamps go to people who bring them back", would_change="the sensor is on its mount",
            ),
        ),
    }  # fmt: skip
    return World(**{**given, **overrides})


def voiced(world: World, who: str, **card: Any) -> World:
    """The same world, with a voice card for somebody."""
    cast = tuple(msgspec.structs.replace(c, voice=VoiceCard(**card)) if c.id == who else c for c in world.cast)
    return msgspec.structs.replace(world, cast=cast)


class Scene(msgspec.Struct, kw_only=True):
    """A packet with the ledger and the world it was built from."""

    packet: ContextPacket
    ledger: Ledger
    world: World

    def claims(self, text: str) -> tuple[Claim, ...]:
        return PatternClaimReader().read(
            text, world=self.world, speaker=self.packet.speaker, audience=self.packet.audience
        )

    @property
    def asked(self) -> tuple[Claim, ...]:
        """The line that is answered, as it is read."""
        return read_line(self.packet, world=self.world, reader=PatternClaimReader())

    def changed(self, **fields: Any) -> "Scene":
        """The same scene with another packet; sealed anew, as if the pipeline had built it so."""
        packet = seal(msgspec.structs.replace(self.packet, **fields), self.packet.prompt)
        return Scene(packet=packet, ledger=self.ledger, world=self.world)


def a_scene(
    *entries: LedgerEntry,
    line: str = "",
    world: World | None = None,
    amendments: Iterable[Amendment] = (),
    **moment: Any,
) -> Scene:
    stage = world or a_stage()
    given = {"speaker": "maelin", "audience": ("player",), "at": StoryTime(tick=100), "seq": 100} | moment
    intent = READING.reader.read(line, world=stage, speaker=given["speaker"], audience=given["audience"])
    candidates = Candidates(entries=entries, amendments=tuple(amendments), world=stage, state=a_state())
    packet = sealed(candidates, a_moment(**given, line=line, intent=intent), READING.renderer)
    ledger = Ledger(
        entries, amendments, roster=a_state().roster, at_seq=given["seq"], tick=given["at"].tick,
        forgetting=stage.forgetting,
    )  # fmt: skip
    return Scene(packet=packet, ledger=ledger, world=stage)


def scored(scene: Scene, text: str, *, gold: Gold | None = None) -> Scorecard:
    reply = Reply(text=text, responder="test")
    return score(
        scene.packet, reply, scene.claims(text), world=scene.world, ledger=scene.ledger, gold=gold, asked=scene.asked
    )


class Station:
    """The Maelin story, played into the stores in memory."""

    def __init__(self, stores: MemoryStores, world: World, playthrough_id: str) -> None:
        self.stores = stores
        self.world = world
        self.playthrough_id = playthrough_id

    async def ask(self, line: str, **request: Any) -> StoredPacket:
        asked = PacketRequest(**{"speaker": "maelin", "line": line, **request})
        return await build_packet(self.playthrough_id, asked, open_uow=self.stores.open_uow, reading=READING)


async def the_station() -> Station:
    stores = MemoryStores()
    world = decode_world((STORY / "world.yaml").read_bytes(), "world.yaml")
    history = decode_history((STORY / "history.yaml").read_bytes(), "history.yaml")
    version = await add_world(world, open_uow=stores.open_uow)
    opened = await open_playthrough(version, open_uow=stores.open_uow)
    await play_history(opened.playthrough_id, history, open_uow=stores.open_uow, embedder=NoMeanings())
    return Station(stores, world, opened.playthrough_id)
