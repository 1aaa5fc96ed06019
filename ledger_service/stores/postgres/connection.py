"""One transaction's connection: statements on the driver, errors in our words."""

from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from typing import Any, Final, LiteralString

import psycopg
from psycopg_pool import AsyncConnectionPool, PoolTimeout

from ledger_service.domain.errors import (
    DuplicateNameError,
    MalformedError,
    StoreSetupError,
    StoreUnavailableError,
    StoreVersionError,
)
from ledger_service.stores.postgres.writing import Change, Insert, Waiting

Row = tuple[Any, ...]
Connection = psycopg.AsyncConnection[Row]
Pool = AsyncConnectionPool[Connection]
_CURE: Final = "`continuity doctor` says whether PostgreSQL runs (at CONTINUITY_POSTGRES_URL, where that is set)"


class Link:
    """A connection within one transaction, bound to one playthrough or to none."""

    def __init__(self, connection: psycopg.AsyncConnection[Row], playthrough_id: str | None) -> None:
        self._connection = connection
        self.playthrough_id = playthrough_id
        self._ancestors: tuple[str | None, list[str]] | None = None
        self._waiting = Waiting()
        self.answered: dict[str, object] = {}
        """By the name of each part that answers, what it last did."""

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

    async def rows(
        self,
        query: LiteralString,
        parameters: Sequence[object] | Mapping[str, object] = (),
        *,
        begins_in: Insert | None = None,
    ) -> list[Row]:
        """Run a query and return all rows; what waits is sent first, unless none of it is where the query begins."""
        if begins_in is None or self._waiting.holds(begins_in):
            await self.flush()
        cursor = await self._connection.execute(query, parameters)
        return await cursor.fetchall()

    async def one(self, query: LiteralString, parameters: Sequence[object] | Mapping[str, object] = ()) -> Row | None:
        """Run a query and return its first row."""
        await self.flush()
        cursor = await self._connection.execute(query, parameters)
        return await cursor.fetchone()

    async def run(self, query: LiteralString, parameters: Sequence[object] | Mapping[str, object] = ()) -> int:
        """Run a statement and return how many rows it touched."""
        await self.flush()
        cursor = await self._connection.execute(query, parameters)
        return max(0, cursor.rowcount)

    def insert(self, insert: Insert, rows: Iterable[Row]) -> None:
        """Have rows written with whatever else waits, at the latest before anything is read."""
        self._waiting.add(insert, rows)

    def change(self, change: Change, parameters: Sequence[object]) -> None:
        """Have a change made with whatever else waits."""
        self._waiting.change(change, parameters)

    def say(self, call: LiteralString) -> None:
        """Have a function called with whatever is written next."""
        self._waiting.say(call)

    async def flush(self) -> None:
        """Send what waits as one statement, and keep what its parts answered."""
        if not self._waiting:
            return
        waiting, self._waiting = self._waiting, Waiting()
        text, parameters, answers = waiting.statement()
        row = await (await self._connection.execute(text, parameters)).fetchone()
        self.answered |= dict(zip(answers, row or (), strict=False))


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


@asynccontextmanager
async def transaction_of(pool: Pool) -> AsyncIterator[Connection]:
    """Open a transaction on a connection of a pool; it commits unless there is an error."""
    with translated():
        async with pool.connection() as connection, connection.transaction():
            yield connection


def unavailable(error: Exception) -> StoreUnavailableError:
    """Say that the database is away, and why."""
    why = (str(error).strip() or type(error).__name__).splitlines()[0]
    return StoreUnavailableError(why, cure=_CURE)
