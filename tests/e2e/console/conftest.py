"""The console in a real browser: one service with the demo's stories in it, one Chromium for all of these tests.

These tests are synchronous: Playwright holds the thread's event loop for as long as the browser is open, which is why
the service runs in a thread of its own. `CONTINUITY_SCREENSHOTS` names a folder that screenshots are kept in.
"""

import os
import re
import shutil
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import anyio
import pytest
import uvicorn
from axe_playwright_python.base import AxeResults
from axe_playwright_python.sync_playwright import Axe
from msgspec import Struct
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from ledger_service.bootstrap import Application, Places, bring_up_to_date, open_application, open_places
from ledger_service.domain.accounts import AccountRole
from ledger_service.probing.documents import decode_history, decode_world
from ledger_service.services.events.play_story import play_history
from ledger_service.services.people.keep_accounts import add_account
from ledger_service.services.playthroughs.open_playthrough import (
    add_world,
    fork_playthrough,
    open_playthrough,
    save_point,
)
from ledger_service.settings import Settings
from ledger_service.web.app import create_app

PROBES = Path(__file__).parents[3] / "probes"
PASSWORD = "a dull but long password"
PEOPLE = {
    "ada": (AccountRole.ADMIN, ()), "quinn": (AccountRole.QA, ("*",)), "eno": (AccountRole.ENGINEER, ("*",)),
    "wren": (AccountRole.WRITER, ("maelin",)), "wilma": (AccountRole.WRITER, ("village",)),
    "nell": (AccountRole.WRITER, ()),
}  # fmt: skip
"""Who can sign in: wren sees the station alone, wilma the village alone, nell nothing yet."""
CHROMIUM = ("chromium-headless-shell", "chromium", "chromium-browser")
"""The shell takes a quarter of the time: it draws no window around a page."""
WIDTH, HEIGHT = 1360, 900
PATIENCE = 10_000
"""Milliseconds that a page has to show what is expected of it: much, for a machine that does other things too."""
OF_AXE = {"resultTypes": ["violations"], "preload": False, "iframes": False}
ONLY_COLOURS = {"runOnly": {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}}
"""What a theme can break; all else is the same in both."""
FIRST_RUN = "a-secret-for-the-first"


class Site(Struct, frozen=True, kw_only=True):
    """The service as tests know it."""

    url: str
    maelin: str
    """A playthrough of the station's story, played up to the question."""
    branch: str
    """A branch of it."""
    village: str
    """A playthrough of the village."""
    labels: dict[str, tuple[str, ...]]
    run: Callable[..., object]
    """Call an async function with the application, in the service's own loop: `site.run(record_events, ...)`."""


class _Server(uvicorn.Server):
    """A server that says when it can be reached; in a thread, it leaves signals alone by itself."""

    def __init__(self, config: uvicorn.Config, say: Callable[[], None]) -> None:
        super().__init__(config)
        self._say = say

    async def startup(self, sockets=None) -> None:
        await super().startup(sockets)
        self._say()


class _Service:
    """The service on a free port, in a thread with a loop of its own."""

    def __init__(self, settings: Settings, places: Places, fill: Callable[[Application], object]) -> None:
        self._settings, self._places, self._fill = settings, places, fill
        self._ready = threading.Event()
        self._fault: BaseException | None = None
        self.filled: object = None
        self._thread = threading.Thread(target=self._run, name="console under test")

    def __enter__(self) -> "_Service":
        self._thread.start()
        self._ready.wait(60)
        if self._fault is not None:
            raise self._fault
        return self

    def __exit__(self, *_: object) -> None:
        self.server.should_exit = True
        self._thread.join(20)

    def _run(self) -> None:
        try:
            anyio.run(self._serve, backend_options={"use_uvloop": True})
        except BaseException as error:  # noqa: BLE001  (told to who waits)
            self._fault = error
        finally:
            self._ready.set()

    async def _serve(self) -> None:
        async with open_application(self._settings, self._places, mirror=True) as application:
            self.application = application
            self.filled = await self._fill(application)
            self.app = create_app(application)
            config = uvicorn.Config(self.app, port=0, log_level="warning", lifespan="off", timeout_graceful_shutdown=1)
            self.server = _Server(config, self._announce)
            async with anyio.from_thread.BlockingPortal() as portal:
                self.portal = portal
                await self.server.serve()

    def _announce(self) -> None:
        self.url = f"http://127.0.0.1:{self.server.servers[0].sockets[0].getsockname()[1]}"
        self._ready.set()

    def call(self, function: Callable[..., object], *args: object, **more: object) -> object:
        return self.portal.call(partial(function, *args, **more))


async def _fill(application: Application) -> dict[str, object]:
    embedder = application.reading.embedder
    for name in ("maelin", "village"):
        source = (PROBES / name / "world.yaml").read_bytes()
        await add_world(decode_world(source, "world.yaml"), open_uow=application.open_uow)
    story = await open_playthrough("maelin", open_uow=application.open_uow, title="The relay, as it went")
    history = decode_history((PROBES / "maelin" / "history.yaml").read_bytes(), "history.yaml")
    labels = await play_history(story.playthrough_id, history, open_uow=application.open_uow, embedder=embedder)
    await save_point(story.playthrough_id, "before the storm", open_uow=application.open_uow, at_seq=6)
    branch = await fork_playthrough(
        story.playthrough_id, open_uow=application.open_uow, at_seq=6, title="She never asked"
    )
    village = await open_playthrough("village", open_uow=application.open_uow, title="An apple is taken")
    history = decode_history((PROBES / "village" / "history.yaml").read_bytes(), "history.yaml")
    await play_history(village.playthrough_id, history, open_uow=application.open_uow, embedder=embedder)
    for name, (role, worlds) in PEOPLE.items():
        await add_account(
            name, role, PASSWORD, worlds=worlds, accounts=application.accounts, passwords=application.passwords
        )
    return {
        "maelin": story.playthrough_id, "branch": branch.playthrough_id, "village": village.playthrough_id,
        "labels": labels,
    }  # fmt: skip


@pytest.fixture(scope="package")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """A home that is the console's alone: what is edited in a browser is not there for any other test."""
    return Settings(home=tmp_path_factory.mktemp("a console with späces"))


@pytest.fixture(scope="package")
def places(settings: Settings) -> Iterator[Places]:
    with open_places(settings) as found:
        bring_up_to_date(found)
        yield found


@pytest.fixture(scope="package")
def service(settings: Settings, places: Places) -> Iterator[_Service]:
    with _Service(settings, places, _fill) as running:
        yield running


@pytest.fixture(scope="package")
def site(service: _Service) -> Site:
    """The service with its stories and people."""
    return Site(url=service.url, run=service.call, **service.filled)


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """Debian's Chromium; one that is not there fails the test."""
    found = os.environ.get("CONTINUITY_TEST_CHROMIUM") or next(filter(None, map(shutil.which, CHROMIUM)), None)
    if found is None:
        pytest.fail(
            "there is no Chromium: `apt-get install chromium-headless-shell`, or name one in CONTINUITY_TEST_CHROMIUM"
        )
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as driver:
        flags = ["--no-sandbox", "--disable-gpu", "--font-render-hinting=none"]
        launched = driver.chromium.launch(executable_path=found, args=flags)
        yield launched
        launched.close()


@pytest.fixture(scope="package")
def sessions(browser: Browser, site: Site) -> Iterator[dict[str, list[dict]]]:
    """The cookies of who has signed in so far, so that each signs in once."""
    return {}


class Complaints(list[str]):
    """What the browser's console, or the page itself, complained of; a test that expects some takes them out."""

    def of(self, page: Page) -> None:
        page.on("console", lambda said: self.append(said.text) if said.type in {"error", "warning"} else None)
        page.on("pageerror", lambda error: self.append(str(error)))

    def forgive(self, pattern: str) -> None:
        """Take out what is expected, such as `status of 404`; there must be some."""
        left = [said for said in self if not re.search(pattern, said)]
        assert len(left) < len(self), f"nobody complained of {pattern!r}, but of {list(self)}"
        self[:] = left


@pytest.fixture
def complaints() -> Iterator[Complaints]:
    found = Complaints()
    yield found
    assert found == [], "the browser complained"


@pytest.fixture
def open_context(browser: Browser, site: Site, complaints: Complaints) -> Iterator[Callable[..., BrowserContext]]:
    """Open a browser's window of its own: `open_context(java_script_enabled=False, color_scheme="dark")`."""
    opened: list[BrowserContext] = []

    def make(**options: object) -> BrowserContext:
        size = {"width": WIDTH, "height": HEIGHT}
        context = browser.new_context(**{"base_url": site.url, "viewport": size, **options})
        context.set_default_timeout(PATIENCE)
        context.on("page", complaints.of)
        opened.append(context)
        return context

    yield make
    for context in opened:
        context.close()


@pytest.fixture
def sign_in(open_context: Callable[..., BrowserContext], sessions: dict[str, list[dict]]) -> Callable[..., Page]:
    """Return a page of somebody who is signed in: `sign_in("wren")`, with options as for `open_context`."""

    def enter(name: str, **options: object) -> Page:
        context = open_context(**options)
        page = context.new_page()
        if name in sessions:
            context.add_cookies(sessions[name])
            return page
        page.goto("/sign-in")
        page.get_by_label("Name").fill(name)
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Sign in").click()
        page.wait_for_url("**/playthroughs")
        sessions[name] = [c for c in context.cookies() if c["name"] == "continuity_session"]
        return page

    return enter


@pytest.fixture
def no_script(sign_in: Callable[..., Page]) -> Callable[[str], Page]:
    """The same for a browser that runs no script: `no_script("wren")`."""
    return partial(sign_in, java_script_enabled=False)


@pytest.fixture
def looked_at() -> Callable[..., None]:
    """Hold a page against axe, in both themes what goes by colour; with CONTINUITY_SCREENSHOTS, keep how it looks.

    Complaints of the browser are collected anyway, by `complaints`. With `by_axe=False` a page is only kept, one
    that is more of what another page is made of.
    """
    folder = os.environ.get("CONTINUITY_SCREENSHOTS")

    def look(page: Page, name: str, *, by_axe: bool = True) -> None:
        page.evaluate(Axe().axe_script)
        for scheme, rules in (("light", {}), ("dark", ONLY_COLOURS)):
            page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            if folder:
                Path(folder).mkdir(parents=True, exist_ok=True)
                page.screenshot(path=Path(folder) / f"{name}.{scheme}.png", full_page=True)
            if by_axe:
                found = AxeResults(page.evaluate("options => axe.run(options)", {**OF_AXE, **rules}))
                assert found.violations_count == 0, f"{name}, {scheme}:\n{found.generate_report()}"
        page.emulate_media(color_scheme="light")

    return look
