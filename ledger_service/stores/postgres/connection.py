"""One transaction's connection: statements on the driver, errors in our words."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager
from typing import Any, Final, LiteralString

import psycopg
from psycopg_pool import PoolTimeout

from ledger_service.domain.errors import (
    DuplicateNameError,
    MalformedError,
    StoreSetupError,
    StoreUnavailableError,
    StoreVersionError,
)

Row = tuple[Any, ...]
_CURE: Final = "`continuity doctor` says whether PostgreSQL runs (at CONTINUITY_POSTGRES_URL, where that is set)"


class Link:
    """A connection within one transaction, bound to one playthrough or to none."""

    def __init__(self, connection: psycopg.AsyncConnection[Row], playthrough_id: str | None) -> None:
        self._connection = connection
        self.playthrough_id = playthrough_id
        self._ancestors: tuple[str | None, list[str]] | None = None

    async def ancestors(self) -> list[str]:
        """Return whose rows this playthrough reads, for statements to name: a policy alone finds no index."""
        known = self._ancestors
        if known is not None and known[0] == self.playthrough_id:
            return known[1]
        query: LiteralString = "SELECT ancestor_id FROM lineage WHERE playthrough_id = %s"
        found = [row[0] for row in await self.rows(query, [self.playthrough_id])]
        self.note_ancestors(found)
        return found

    def note_ancestors(self, ancestors: list[str]) -> None:
        """Keep what another statement has already read on its way."""
        self._ancestors = (self.playthrough_id, ancestors)

    async def rows(self, query: LiteralString, parameters: Sequence[object] | Mapping[str, object] = ()) -> list[Row]:
        """Run a query and return all rows."""
        cursor = await self._connection.execute(query, parameters)
        return await cursor.fetchall()

    async def one(self, query: LiteralString, parameters: Sequence[object] | Mapping[str, object] = ()) -> Row | None:
        """Run a query and return its first row."""
        cursor = await self._connection.execute(query, parameters)
        return await cursor.fetchone()

    async def run(self, query: LiteralString, parameters: Sequence[object] | Mapping[str, object] = ()) -> int:
        """Run a statement and return how many rows it touched."""
        cursor = await self._connection.execute(query, parameters)
        return max(0, cursor.rowcount)

    async def insert(self, query: LiteralString, rows: Iterable[Row]) -> int:
        """Insert many rows in one statement, which takes one array for each column; return how many it wrote."""
        columns = [list(column) for column in zip(*rows, strict=True)]
        return await self.run(query, columns) if columns else 0

    def together(self) -> AbstractAsyncContextManager[object]:
        """Send the statements inside without waiting for each: one round trip for all (their row counts are not known)."""
        return self._connection.pipeline()


@contextmanager
def translated() -> Iterator[None]:
    """Let no driver error leave this package."""
    try:
        yield
    except (psycopg.OperationalError, psycopg.InterfaceError, PoolTimeout) as error:
        raise unavailable(error) from error
    except UnicodeEncodeError as error:
        raise MalformedError("a text", "a lone surrogate cannot be kept") from error
    except psycopg.DataError as error:
        raise MalformedError("a value", str(error).splitlines()[0]) from error
    except psycopg.errors.UndefinedTable as error:
        raise StoreVersionError("the schema is not there or out of date", cure="run `continuity migrate`") from error
    except psycopg.errors.UniqueViolation as error:
        raise DuplicateNameError("row", f"{error.diag.table_name or ''} {error.diag.constraint_name or ''}") from error
    except psycopg.Error as error:
        raise StoreSetupError(str(error).splitlines()[0], cure="run `continuity doctor`") from error


def unavailable(error: Exception) -> StoreUnavailableError:
    """Say that the database is away, and why."""
    why = (str(error).strip() or type(error).__name__).splitlines()[0]
    return StoreUnavailableError(why, cure=_CURE)
