"""Embedded stores: one pair of servers for all commands of one home, started on demand, stopped by the last one out."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct

from ledger_service.domain.errors import StoreSetupError
from ledger_service.stores.embedded import falkordb, postgres
from ledger_service.stores.embedded.folders import Folders, prepare_folders
from ledger_service.stores.embedded.lease import Lease


class EmbeddedStores(Struct, frozen=True, kw_only=True):
    """Where the servers of one home are."""

    folders: Folders
    falkordb_url: str | None = None
    falkordb_fault: StoreSetupError | None = None
    """Why the graph is not there; the record works without it."""

    def postgres_url(self, role: str = "continuity_app", database: str = "continuity") -> str:
        """Return a libpq URL for a role over the unix socket."""
        return postgres.url(self.folders, role=role, database=database)


@contextmanager
def embedded_stores(home: Path, *, graph: bool = True) -> Iterator[EmbeddedStores]:
    """Share the servers of a home while inside; whoever leaves last stops them.

    A command that was killed holds nothing: its lease died with it, and the next command adopts what still runs.

    Raises:
        StoreSetupError: Postgres cannot be started here, with the cure.
    """
    folders = prepare_folders(home)
    lease = Lease(folders.run)
    with lease.changing():
        postgres.ensure_running(folders)
        fault = _start_graph(folders) if graph else None
        lease.hold()
    try:
        yield EmbeddedStores(
            folders=folders,
            falkordb_url=falkordb.url(folders) if graph and fault is None else None,
            falkordb_fault=fault,
        )
    finally:
        with lease.changing():
            if lease.release_is_last():
                falkordb.stop(folders)
                postgres.stop(folders)


def _start_graph(folders: Folders) -> StoreSetupError | None:
    try:
        falkordb.ensure_running(folders)
    except StoreSetupError as fault:
        return fault
    return None
