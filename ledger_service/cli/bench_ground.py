"""The playthrough that benches measure on: twenty characters, one functional predicate, five lines to ask."""

from ledger_service.bootstrap import Application
from ledger_service.domain.slots import Predicate
from ledger_service.domain.worlds import Character, World
from ledger_service.services.playthroughs import open_playthrough

LINES = (
    "Who mended the lantern by the harbour?",
    "Did you see the copper kettle?",
    "What do you know about the ferry toll?",
    "I already carried the barrel to the chapel.",
    "Good morning to you.",
)


def _world() -> World:
    cast = tuple(Character(id=f"c{i}", name=f"Character {i}") for i in range(20))
    return World(id="bench", title="bench", cast=cast, predicates={"holds": Predicate(functional=True)})


async def open_bench(app: Application) -> str:
    """Open a playthrough to measure on."""
    version = await open_playthrough.add_world(_world(), open_uow=app.open_uow)
    return (await open_playthrough.open_playthrough(version, open_uow=app.open_uow, title="bench")).playthrough_id


async def shut_bench(app: Application, playthrough_id: str) -> None:
    """Leave nothing of it behind."""
    await open_playthrough.erase_playthrough(playthrough_id, open_uow=app.open_uow, graph=app.graph)
