"""What a transaction writes, gathered: one statement for all tables, sent before the next read and before the end.

Each table's rows go as one JSON text, and each table's INSERT is a part (a CTE) of the statement. A round trip and the
driver's own work cost more than the rows do: an hour of gossip writes to nine tables.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from sqlalchemy import Table
from sqlalchemy.dialects import postgresql

from ledger_service.stores.postgres.rows import Row, to_json

_DIALECT: Final = postgresql.dialect()  # type: ignore[no-untyped-call]
_PLAYTHROUGH: Final = "p.playthrough_id = current_setting('continuity.playthrough', true)"


class Insert:
    """How rows of one table are written, all of this transaction's playthrough."""

    def __init__(
        self,
        table: Table,
        columns: Sequence[str],
        *,
        beside: Mapping[str, str] | None = None,
        only: str = "",
        conflict: str = "",
        returning: str = "1",
        answer: str = "",
        name: str = "",
    ) -> None:
        """Say which columns a row has, what stands beside them without being written, and what the statement answers.

        `answer` is an aggregate over what the part is `returning` for each row that it wrote.
        """
        types = {name: table.c[name].type.compile(_DIALECT) for name in columns} | dict(beside or {})
        named = ", ".join(columns)
        self.name = f"put_{name or table.name}"
        self.columns = tuple(types)
        self.answer = answer and f"(SELECT {answer} FROM {self.name})"
        self.text = (
            f"{self.name} AS (INSERT INTO {table.name} (playthrough_id, world_id, {named}) SELECT p.playthrough_id,"
            f" p.world_id, {', '.join(f'u.{c}' for c in columns)} FROM playthrough p, json_to_recordset(%s)"
            f" u ({', '.join(f'{name} {kind}' for name, kind in types.items())}) WHERE {_PLAYTHROUGH}"
            f"{only and f' AND {only}'}{conflict and f' {conflict}'}{answer and f' RETURNING {returning}'})"
        )

    def encode(self, rows: Iterable[Row]) -> str:
        """Write rows as the JSON that the statement takes apart."""
        return to_json([dict(zip(self.columns, row, strict=True)) for row in rows]).decode()


class Change:
    """A statement that is sent once, with its last parameters, however often it is asked for."""

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        self.text = f"{name} AS ({text})"


class Waiting:
    """What is to be written, in the order in which it was first asked for."""

    def __init__(self) -> None:
        self._rows: dict[Insert, list[Row]] = {}
        self._changes: dict[Change, Sequence[object]] = {}
        self._said: dict[str, None] = {}

    def __bool__(self) -> bool:
        return bool(self._rows or self._changes)

    def holds(self, insert: Insert) -> bool:
        """Say whether rows wait for this."""
        return insert in self._rows

    def add(self, insert: Insert, rows: Iterable[Row]) -> None:
        """Take up rows of one table."""
        new = list(rows)
        if new:
            self._rows.setdefault(insert, []).extend(new)

    def change(self, change: Change, parameters: Sequence[object]) -> None:
        """Take up a change; the last one counts."""
        self._changes[change] = parameters

    def say(self, call: str) -> None:
        """Take up a function to be called beside, once."""
        self._said[call] = None

    def statement(self) -> tuple[bytes, list[object], tuple[str, ...]]:
        """Return the one statement, its parameters, and the names of what it answers."""
        parts = [i.text for i in self._rows] + [c.text for c in self._changes]
        answers = {i.name: i.answer for i in self._rows if i.answer}
        text = f"WITH {', '.join(parts)} SELECT {', '.join((*answers.values(), *self._said)) or '1'}"
        given: list[object] = [i.encode(rows) for i, rows in self._rows.items()]
        given += [value for parameters in self._changes.values() for value in parameters]
        return text.encode(), given, tuple(answers)
