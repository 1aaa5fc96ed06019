"""One transaction over one playthrough, and the pools that transactions come from."""

import contextlib
import re
import select
from collections.abc import AsyncIterator, Sequence
from types import TracebackType
from typing import Final, Self

import psycopg
from psycopg_pool import AsyncConnectionPool

from ledger_service.domain.accounts import Note
from ledger_service.domain.errors import UnknownPlaythroughError
from ledger_service.domain.ids import PlaythroughId, WorldId
from ledger_service.ports import (
    EventStore,
    LedgerBrowser,
    LedgerStore,
    OpenUnitOfWork,
    Outbox,
    PacketStore,
    PlaythroughStore,
    TellingStore,
    UnitOfWork,
    WorldStore,
)
from ledger_service.stores.postgres.accounts import PostgresAccounts
from ledger_service.stores.postgres.api_keys import PostgresApiKeys
from ledger_service.stores.postgres.audit import put_note
from ledger_service.stores.postgres.catalogue import PostgresCatalogue, name_worlds
from ledger_service.stores.postgres.connection import Link, Pool, Row, transaction_of, translated
from ledger_service.stores.postgres.events import PostgresEvents
from ledger_service.stores.postgres.ledger import PostgresLedger
from ledger_service.stores.postgres.ledger_browser import PostgresLedgerBrowser
from ledger_service.stores.postgres.outbox import PostgresMirrorQueue, PostgresOutbox
from ledger_service.stores.postgres.packets import PostgresPackets
from ledger_service.stores.postgres.playthroughs import PostgresPlaythroughs
from ledger_service.stores.postgres.probe_browser import PostgresProbeBrowser
from ledger_service.stores.postgres.probe_runs import PostgresProbeRuns
from ledger_service.stores.postgres.tellings import PostgresTellings
from ledger_service.stores.postgres.worlds import PostgresWorlds

PLAYTHROUGH_ID: Final = re.compile(r"^[A-Za-z0-9_-]{1,64}$")
POOL_SIZE: Final = 12
CONSOLE_SIZE: Final = 6
NO_WORLD: Final = ("-",)
"""What the service is told where somebody was given no world; without any it would serve all."""
WAIT_SECONDS: Final = 5.0
RECONNECT_SECONDS: Final = 2.0
"""How long one attempt to connect is repeated; a store that is back is found by the next request, not after a pause."""
_PLANNING: Final = " ".join(
    f"-c {name}"
    for name in (
        "plan_cache_mode=force_generic_plan", "jit=off", "enable_seqscan=off", "enable_hashjoin=off", "enable_mergejoin=off",
        "join_collapse_limit=1", "from_collapse_limit=1",
    )
)  # fmt: skip
"""A plan made while the tables were small is kept; without statistics it must be the one for large tables already:
by index, and joined in the order that the statement is written in."""


class LivePool(Pool):
    """A pool that hands out no connection whose server has hung up, however many there are: it connects anew."""

    async def getconn(self, timeout: float | None = None) -> psycopg.AsyncConnection[Row]:  # noqa: ASYNC109  (its own)
        """Return a connection on which somebody listens."""
        while True:
            connection = await super().getconn(timeout)
            if not await _hung_up(connection):
                return connection
            await connection.close()
            await self.putconn(connection)


async def _hung_up(connection: psycopg.AsyncConnection[Row]) -> bool:
    """Say whether a server is gone; where nothing waits to be read, that takes a look at the socket and no question."""
    if connection.closed:
        return True
    look = select.poll()
    look.register(connection.fileno(), select.POLLIN | select.POLLHUP | select.POLLERR)
    if not look.poll(0):
        return False
    try:
        await AsyncConnectionPool.check_connection(connection)
    except psycopg.Error:
        return True
    return False


class PostgresUnitOfWork:
    """A transaction that sees one playthrough's rows, or none: the database decides, by row-level security."""

    worlds: WorldStore
    playthroughs: PlaythroughStore
    events: EventStore
    ledger: LedgerStore
    browser: LedgerBrowser
    tellings: TellingStore
    packets: PacketStore
    outbox: Outbox

    def __init__(
        self,
        pool: Pool,
        playthrough_id: PlaythroughId | None,
        *,
        worlds: Sequence[WorldId] | None = None,
        notes: list[Note] | None = None,
        notes_once: bool = False,
    ) -> None:
        if playthrough_id is not None and not PLAYTHROUGH_ID.match(playthrough_id):
            raise UnknownPlaythroughError(playthrough_id)
        self._pool = pool
        self._playthrough_id = playthrough_id
        self._worlds = worlds
        self._notes = notes or []
        self._notes_once = notes_once

    async def __aenter__(self) -> Self:
        with translated():
            self._connection = await self._pool.getconn()
            # The id is checked above, so that beginning and choosing the playthrough take one round trip.
            begin = f"BEGIN; SET LOCAL continuity.playthrough = '{self._playthrough_id or ''}'"
            try:
                await self._connection.execute(begin.encode())
                if self._worlds is not None:
                    await name_worlds(self._connection, self._worlds)
            except BaseException:
                await self._pool.putconn(self._connection)
                raise
        self._link = link = Link(self._connection, self._playthrough_id)
        self.worlds = PostgresWorlds(link)
        self.playthroughs = PostgresPlaythroughs(link)
        self.events = PostgresEvents(link)
        self.ledger = PostgresLedger(link)
        self.browser = PostgresLedgerBrowser(link)
        self.tellings = PostgresTellings(link)
        self.packets = PostgresPackets(link)
        self.outbox = PostgresOutbox(link)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with translated():
            try:
                if not self._connection.closed and self._connection.info.transaction_status:
                    await self._connection.execute("ROLLBACK")
            except psycopg.OperationalError:
                await self._connection.close()
            finally:
                await self._pool.putconn(self._connection)
            if isinstance(error, psycopg.Error | UnicodeEncodeError):
                raise error

    async def commit(self, *, durable: bool = True) -> None:
        """Make it durable, or (what can be made again) leave the disk to catch up within moments."""
        with translated():
            for note in self._notes:
                await put_note(self._link, note)
            await self._link.flush()
            await self._connection.execute("COMMIT" if durable else "SET LOCAL synchronous_commit = off; COMMIT")
        if self._notes_once:
            self._notes.clear()


class PostgresStores:
    """The record, opened: pools for the service and the worker, closed together."""

    def __init__(self, app_url: str, *, worker_url: str | None = None, console_url: str | None = None) -> None:
        self._worker_url = worker_url or app_url
        self._app = _pool(app_url, size=POOL_SIZE, role="continuity_app")
        self._worker = _pool(self._worker_url, size=2, role="continuity_worker")
        self._console = _pool(console_url or app_url, size=CONSOLE_SIZE, role="continuity_console", least=0)
        self.api_keys = PostgresApiKeys(self._app)
        self.accounts = PostgresAccounts(self._app)
        self.mirror_queue = PostgresMirrorQueue(self._worker, self._worker_url)
        self.probe_runs = PostgresProbeRuns(self._app, app_url)

    async def open(self) -> Self:
        """Open the pools; they connect in the background, so that a store that is away does not stop the start."""
        await self._app.open()
        await self._worker.open()
        await self._console.open()
        return self

    async def close(self) -> None:
        """Close all connections."""
        await self._app.close()
        await self._worker.close()
        await self._console.close()

    def open_uow(self, playthrough_id: PlaythroughId | None = None) -> UnitOfWork:
        """Open a unit of work (see `ports.OpenUnitOfWork`)."""
        return PostgresUnitOfWork(self._app, playthrough_id)

    def reading(self, worlds: Sequence[WorldId]) -> OpenUnitOfWork:
        """Return the way to transactions that read some worlds and write nothing, as the console's role."""

        def open_uow(playthrough_id: PlaythroughId | None = None) -> UnitOfWork:
            return PostgresUnitOfWork(self._console, playthrough_id, worlds=worlds)

        return open_uow

    def writing(self, worlds: Sequence[WorldId], note: Note, *, once: bool = False) -> OpenUnitOfWork:
        """Return the way to transactions within some worlds; each commits together with its row of the audit log.

        With `once` they are one thing in several steps, and the first to commit writes the only row.
        """
        notes = [note]

        def open_uow(playthrough_id: PlaythroughId | None = None) -> UnitOfWork:
            return PostgresUnitOfWork(
                self._app, playthrough_id, worlds=worlds or NO_WORLD, notes=notes, notes_once=once
            )

        return open_uow

    def catalogue(self, worlds: Sequence[WorldId]) -> PostgresCatalogue:
        """Return what lists the playthroughs of some worlds."""
        return PostgresCatalogue(self._console, worlds)

    def probe_browser(self, worlds: Sequence[WorldId]) -> PostgresProbeBrowser:
        """Return what shows the runs of probes of some worlds."""
        return PostgresProbeBrowser(self._console, worlds)

    @contextlib.asynccontextmanager
    async def one_copy_at_a_time(self) -> AsyncIterator[None]:
        """Hold off every other copy of a graph, in whatever process, until left."""
        async with transaction_of(self._worker) as connection:
            await connection.execute("SELECT pg_advisory_xact_lock(hashtextextended('continuity graph copy', 0))")
            yield

    @contextlib.asynccontextmanager
    async def in_turn(self, name: str) -> AsyncIterator[None]:
        """Hold off whoever else waits for the same, in whatever process over this record, until left."""
        async with transaction_of(self._app) as connection:
            await connection.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [f"continuity {name}"])
            yield

    async def ping(self) -> None:
        """Run a real query.

        Raises:
            StoreUnavailableError: the database is away.
        """
        with translated():
            async with self._app.connection() as connection:
                await connection.execute("SELECT 1 FROM world LIMIT 1")


def _pool(url: str, *, size: int, role: str, least: int = 1) -> Pool:
    """Make a pool whose connections act as a role, whoever logged in: no login of a foreign server sees past it.

    Every statement looks up few rows by an index, so that planning one again for each call would cost more than it.
    """
    given = str(psycopg.conninfo.conninfo_to_dict(url).get("options") or "")
    options = f"{given} -c role={role} {_PLANNING}".strip()
    return LivePool(
        url,
        min_size=least,
        max_size=size,
        open=False,
        timeout=WAIT_SECONDS,
        reconnect_timeout=RECONNECT_SECONDS,
        kwargs={"autocommit": True, "prepare_threshold": 2, "options": options},
    )
