"""A whole application on real servers, and its HTTP face."""

import io
from collections.abc import AsyncIterator
from contextvars import Context
from functools import cache
from pathlib import Path

import httpx
import msgspec
import pytest
from litestar import Litestar

from ledger_service.bootstrap import Application, Places, bring_up_to_date, load_story, open_application, open_places
from ledger_service.cli import edge
from ledger_service.services.events.play_story import play_history
from ledger_service.services.playthroughs.open_playthrough import add_world, open_playthrough
from ledger_service.settings import Settings
from ledger_service.stores.probe_files import Story
from ledger_service.web.app import create_app

STORY = Path(__file__).parents[2] / "probes" / "maelin"


class Played(msgspec.Struct, frozen=True, kw_only=True):
    """The Maelin story, played up to the question."""

    playthrough_id: str
    labels: dict[str, tuple[str, ...]]


@pytest.fixture(scope="module")
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


@pytest.fixture(scope="module")
async def application(settings: Settings, places: Places, anyio_backend: str) -> AsyncIterator[Application]:
    async with open_application(settings, places) as found:
        yield found


@pytest.fixture(scope="module")
def app(application: Application) -> Litestar:
    return create_app(application)


@pytest.fixture
async def http(app: Litestar) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://test/v1") as client:
        yield client


@cache
def shipped(story: str) -> Story:
    """A story as it ships, read once."""
    return load_story(story, matrix="demo.yaml" if story == "maelin" else "matrix.yaml")


@pytest.fixture
async def played(application: Application) -> Played:
    story = shipped("maelin")
    await add_world(story.world, open_uow=application.open_uow)
    opened = await open_playthrough("maelin", open_uow=application.open_uow)
    embedder = application.reading.embedder
    labels = await play_history(opened.playthrough_id, story.history, open_uow=application.open_uow, embedder=embedder)
    return Played(playthrough_id=opened.playthrough_id, labels=labels)


@pytest.fixture
def here(settings, places, monkeypatch, capsys):
    """Run commands in this process, on the servers of the session; they know nothing of the loop of a module."""
    monkeypatch.setenv("CONTINUITY_HOME", str(settings.home))
    monkeypatch.setenv("COLUMNS", "200")

    def ask(*arguments, stdin=""):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        code = Context().run(edge.run, [str(a) for a in arguments])
        shown = capsys.readouterr()
        assert "Traceback" not in shown.err
        return code, shown.out, shown.err

    return ask
