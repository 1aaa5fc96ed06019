"""Embedded stores: one pair of servers for all commands of one home, started on demand, stopped by the last one out."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import redis
from msgspec import Struct

from ledger_service.domain.errors import StoreSetupError
from ledger_service.stores.embedded import falkordb, postgres
from ledger_service.stores.embedded.folders import Folders, prepare_folders, prepare_home
from ledger_service.stores.embedded.lease import Lease
from ledger_service.stores.embedded.watch import read_pid


class EmbeddedStores(Struct, frozen=True, kw_only=True):
    """Where the servers of one home are."""

    folders: Folders
    falkordb_url: str | None = None
    falkordb_fault: StoreSetupError | None = None
    """Why the graph is not there; the record works without it."""
    has_record: bool = True

    def postgres_url(self, role: str = "continuity_app", database: str = postgres.DATABASE) -> str:
        """Return a libpq URL for a role over the unix socket."""
        return postgres.url(self.folders, role=role, database=database)

    def revive(self) -> tuple[str, ...]:
        """Start again what of the servers is no longer there, and name it; a look at their processes where they are.

        Raises:
            StoreSetupError: one cannot be started, with the cure.
        """
        ended = tuple(self._ended())
        if ended:
            with _explained(self.folders.home), Lease(self.folders.home).changing():
                for _, start in ended:
                    start(self.folders)
        return tuple(name for name, _ in ended)

    def _ended(self) -> Iterator[tuple[str, Callable[[Folders], None]]]:
        if self.has_record and read_pid(self.folders.postgres_pid, "postgres") is None:
            yield "PostgreSQL", postgres.ensure_running
        if self.falkordb_url is not None and read_pid(self.folders.graph_pid, "redis-server") is None:
            yield "FalkorDB", falkordb.ensure_running


@contextmanager
def embedded_stores(home: Path, *, record: bool = True, graph: bool = True) -> Iterator[EmbeddedStores]:
    """Share the servers of a home while inside; whoever leaves last stops them.

    A command that was killed holds nothing: its lease died with it. The watch then stops the servers, and where that
    was killed too, the next command adopts them.

    Raises:
        StoreSetupError: Postgres cannot be started here, with the cure.
    """
    with _explained(home):
        prepare_home(home)
        lease = Lease(home)
        with lease.changing():
            lease.hold()
            try:
                folders = prepare_folders(home)
                if record:
                    postgres.ensure_running(folders)
                fault = _start_graph(folders) if graph else None
            except BaseException:
                lease.release()
                raise
    stores = EmbeddedStores(
        folders=folders,
        falkordb_url=falkordb.url(folders) if graph and fault is None else None,
        falkordb_fault=fault,
        has_record=record,
    )
    try:
        yield stores
    finally:
        with lease.changing():
            lease.release()


def _start_graph(folders: Folders) -> StoreSetupError | None:
    try:
        with _explained(folders.home):
            falkordb.ensure_running(folders)
    except StoreSetupError as fault:
        return fault
    return None


@contextmanager
def _explained(home: Path) -> Iterator[None]:
    """Let no error of the system or of a driver out, only our own with a cure."""
    try:
        yield
    except PermissionError as error:
        cure = "run as the user whom the home belongs to, or set CONTINUITY_HOME to another folder"
        raise StoreSetupError(f"{error.filename or home} belongs to another user", cure=cure) from error
    except OSError as error:
        cure = "set CONTINUITY_HOME to a folder on a local disk with room"
        raise StoreSetupError(f"{error.filename or home}: {error.strerror or error}", cure=cure) from error
    except (psycopg.Error, redis.RedisError) as error:
        cure = f"see the logs in {home / 'logs'}"
        raise StoreSetupError(f"an embedded server fails: {str(error).splitlines()[0]}", cure=cure) from error
