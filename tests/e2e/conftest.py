"""A whole application on real servers, and its HTTP face."""

from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import msgspec
import pytest

from ledger_service.bootstrap import Application, Places, bring_up_to_date, open_application, open_places
from ledger_service.probing.documents import decode_history, decode_world
from ledger_service.services.open_playthrough import add_world, open_playthrough
from ledger_service.services.play_story import play_history
from ledger_service.settings import Settings
from ledger_service.web.app import create_app

STORY = Path(__file__).parents[2] / "probes" / "maelin"


class Played(msgspec.Struct, frozen=True, kw_only=True):
    """The Maelin story, played up to the question."""

    playthrough_id: str
    labels: dict[str, tuple[str, ...]]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return Settings(home=tmp_path_factory.mktemp("a home with späces"))


@pytest.fixture(scope="session")
def places(settings: Settings):
    with open_places(settings) as found:
        bring_up_to_date(found)
        yield found


@pytest.fixture
async def application(settings: Settings, places: Places, anyio_backend: str) -> AsyncIterator[Application]:
    async with open_application(settings, places) as found:
        yield found


@pytest.fixture
async def http(application: Application) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(create_app(application))
    async with httpx.AsyncClient(transport=transport, base_url="http://test/v1") as client:
        yield client


@pytest.fixture
async def played(application: Application) -> Played:
    world = decode_world((STORY / "world.yaml").read_bytes(), "world.yaml")
    history = decode_history((STORY / "history.yaml").read_bytes(), "history.yaml")
    await add_world(world, open_uow=application.open_uow)
    opened = await open_playthrough("maelin", open_uow=application.open_uow)
    embedder = application.reading.embedder
    labels = await play_history(opened.playthrough_id, history, open_uow=application.open_uow, embedder=embedder)
    return Played(playthrough_id=opened.playthrough_id, labels=labels)
