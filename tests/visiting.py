"""A village that is played in memory, and looked at as its page does."""

import asyncio

from ledger_service.bootstrap import load_story
from ledger_service.domain.errors import GraphUnavailableError
from ledger_service.domain.worlds import World
from ledger_service.ports import Listed
from ledger_service.readers.claims import PatternClaimReader
from ledger_service.responders.template import TemplateResponder
from ledger_service.services.packets.build_packet import Reading
from ledger_service.services.play.detective import ask
from ledger_service.services.play.play_village import Speaking, Stage, ask_for, begin, do, wait
from ledger_service.services.play.player_place import footing
from ledger_service.services.play.village import Village, Wanted, look_at_village
from ledger_service.services.playthroughs.open_playthrough import add_world
from ledger_service.services.replies.score_reply import Judging
from ledger_service.stores.memory import MemoryStores
from tests.builders import PlainEmbedder
from tests.playing import Play
from tests.speaking import READING

WORLD = load_story("village").world
SEED = 7


class NoGraph:
    """A graph that is away."""

    async def find_beliefs(self, *_: str) -> list[object]:
        raise GraphUnavailableError("it is away")


class Visit:
    """A village that is played, and looked at as its page does."""

    def __init__(self, world: World = WORLD, *, is_begun: bool = True) -> None:
        self.stores = MemoryStores()
        asyncio.run(add_world(world, open_uow=self.stores.open_uow))
        if is_begun:
            opened = asyncio.run(begin(world.id, seed=SEED, title="", open_uow=self.stores.open_uow))
            self.play = Play(stores=self.stores, playthrough_id=opened.playthrough_id)
        else:
            self.play = Play(world, stores=self.stores, seed=SEED)
        self.id = self.play.playthrough_id
        self.reading = Reading(reader=READING.reader, embedder=PlainEmbedder(), renderer=READING.renderer)
        self.stage = Stage(reading=self.stores.open_uow, writing=self.stores.open_uow, embedder=self.reading.embedder)

    async def find(self, playthrough_id: str) -> Listed:
        async with self.stores.open_uow(playthrough_id) as uow:
            state = await uow.playthroughs.state()
            playthrough = await uow.playthroughs.get(playthrough_id)
        return Listed(playthrough=playthrough, opened_no=1, seq=state.seq, at=state.at, branches=0)

    def do(self, act, *, at_seq=None):
        return asyncio.run(do(self.id, act, self.stage, at_seq=at_seq))

    def wait(self, hours, *, at_seq=None):
        return asyncio.run(wait(self.id, hours, self.stage, at_seq=at_seq))

    def ask_for(self, action, who, *, at_seq=None):
        judging = Judging(claim_reader=PatternClaimReader(), embedder=self.reading.embedder)
        speaking = Speaking(responder=TemplateResponder(), reading=self.reading, judging=judging)
        return asyncio.run(ask_for(self.id, action, who, self.stage, speaking, graph=NoGraph(), at_seq=at_seq))

    def why(self, trail, who):
        async def asked():
            standing = await footing(self.id, open_uow=self.stores.open_uow)
            return await ask(self.id, trail, who, standing.spot, open_uow=self.stores.open_uow)

        return asyncio.run(asked())

    def look(self, **wanted) -> Village:
        return asyncio.run(
            look_at_village(
                self.id, Wanted(**wanted), catalogue=self, open_uow=self.stores.open_uow, reading=self.reading
            )
        )

    @property
    def seq(self) -> int:
        return self.play.state().seq
