"""Where the stores are: embedded servers started and kept running, or real ones found, and looked at."""

import contextlib
import logging
from collections.abc import Callable
from urllib.parse import unquote, urlparse

import anyio
import anyio.to_thread
from msgspec import Struct

from ledger_service.domain.errors import StoreSetupError, StoreVersionError
from ledger_service.settings import Settings
from ledger_service.stores.doctor import Finding, examine_disk, examine_graph, examine_record
from ledger_service.stores.embedded import embedded_stores
from ledger_service.stores.postgres import migrate as migrations

LOOK_SECONDS = 1.0
"""How often a service that runs looks whether its embedded servers still do."""
LONGEST_WAIT_SECONDS = 60.0
NO_GRAPH = "unix:///nowhere/falkordb.sock"
_log = logging.getLogger("continuity")


class Places(Struct, frozen=True, kw_only=True):
    """Where the stores are, embedded or real."""

    app_url: str
    admin_url: str | None
    worker_url: str | None
    console_url: str | None = None
    graph_url: str
    graph_fault: str | None = None
    is_embedded: bool = False
    revive: Callable[[], tuple[str, ...]] | None = None
    """Starts again what is embedded and has ended, and names it."""


@contextlib.contextmanager
def open_places(settings: Settings, *, graph: bool = True):  # type: ignore[no-untyped-def]  # noqa: ANN201
    """Start what is embedded, or take the URLs that the settings give; yield `Places`.

    Raises:
        StoreSetupError: the embedded record cannot be started here.
    """
    if settings.postgres_url is not None and settings.falkordb_url is not None:
        yield _real(settings, settings.falkordb_url)
        return
    with embedded_stores(
        settings.home, record=settings.postgres_url is None, graph=graph and settings.falkordb_url is None
    ) as stores:
        graph_url = settings.falkordb_url or stores.falkordb_url or NO_GRAPH
        if settings.postgres_url is not None:
            yield _real(settings, graph_url)
            return
        yield Places(
            app_url=stores.postgres_url("continuity_app"),
            admin_url=stores.postgres_url("continuity_owner"),
            worker_url=stores.postgres_url("continuity_worker"),
            console_url=stores.postgres_url("continuity_console"),
            graph_url=graph_url,
            graph_fault=None if stores.falkordb_fault is None else str(stores.falkordb_fault),
            is_embedded=True,
            revive=stores.revive,
        )


def _real(settings: Settings, graph_url: str) -> Places:
    return Places(
        app_url=settings.postgres_url or "", admin_url=settings.postgres_admin_url, worker_url=None, graph_url=graph_url
    )


def bring_up_to_date(places: Places) -> None:
    """Migrate the embedded record; a real server is only looked at.

    Raises:
        StoreVersionError: a real server whose schema is not up to date, with the cure.
    """
    if migrations.current(places.app_url) == migrations.head():
        return
    if not places.is_embedded or places.admin_url is None:
        raise StoreVersionError("the schema is not up to date", cure="run `continuity migrate`")
    migrations.migrate(places.admin_url)


def run_migrations(places: Places) -> str:
    """Migrate, with the admin URL, and return the revision."""
    if places.admin_url is None:
        raise StoreVersionError("no role may migrate", cure="set CONTINUITY_POSTGRES_ADMIN_URL")
    user = unquote(urlparse(places.app_url).username or "")
    migrations.migrate(places.admin_url, app_user=None if places.is_embedded else user)
    return migrations.head()


async def keep_running(places: Places) -> None:
    """Start embedded servers again when they end, until cancelled; real ones are not ours to start."""
    if places.revive is not None:
        await _keep_running(places.revive)


async def _keep_running(revive: Callable[[], tuple[str, ...]]) -> None:
    """Start the embedded servers again when they end, until cancelled; patient while one cannot be started."""
    wait = LOOK_SECONDS
    while True:
        await anyio.sleep(wait)
        try:
            for name in await anyio.to_thread.run_sync(revive):
                _log.warning("%s had ended, and was started again", name)
        except StoreSetupError as error:
            wait = min(wait * 2, LONGEST_WAIT_SECONDS)
            _log.warning("%s (%s); tried again in %.0f s", error, error.cure, wait)
        else:
            wait = LOOK_SECONDS


def examine(settings: Settings) -> tuple[Finding, ...]:
    """Look at disk, record and graph, and say of each thing how it is and what to do about it."""
    disk = examine_disk(settings.home)
    with open_places(settings) as places:
        if places.is_embedded:
            bring_up_to_date(places)
        record = examine_record(places.app_url, head=migrations.head(), worker_url=places.worker_url)
        graph_url = None if places.graph_url == NO_GRAPH else places.graph_url
        graph = examine_graph(graph_url, fault=places.graph_fault or "it was not started")
    return (disk, *record, *graph)
