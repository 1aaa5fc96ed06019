"""The last queries of this process: a ring of names, parameters without secrets, milliseconds and rows."""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import count, islice
from time import perf_counter
from typing import Any, Final

from ledger_service.domain.spyglass import AskedQuery, Shown
from ledger_service.stores.falkordb.queries import name_of

KEPT: Final = 500
TOKENS: Final = frozenset({"filling", "mark"})
"""Parameters that say who is filling a graph, and nothing of any story."""
LONGEST_TEXT: Final = 60
LONGEST_LIST: Final = 8
HIDDEN: Final = "…"


class Timing:
    """What a query that is being asked comes to."""

    __slots__ = ("failed", "rows")

    def __init__(self) -> None:
        self.rows = 0
        self.failed = ""


_Asked = tuple[str, int, str, dict[str, Shown], bool, float, Timing]


class QueryLog:
    """Keeps the newest queries, each with the graph that it was put to."""

    def __init__(self, *, kept: int = KEPT) -> None:
        self._numbers = count(1)
        self._asked: deque[_Asked] = deque(maxlen=kept)

    @contextmanager
    def timing(
        self, graph: str, query: str, parameters: Mapping[str, Any], *, is_write: bool
    ) -> Iterator[Timing]:  # fmt: skip
        """Time what is done meanwhile, and keep it; also where it fails."""
        asked, began = Timing(), perf_counter()
        try:
            yield asked
        except Exception as error:
            asked.failed = type(error).__name__
            raise
        finally:
            self._asked.append((graph, next(self._numbers), query, _shown(parameters), is_write, perf_counter() - began,
                                asked))  # fmt: skip

    def of(self, graphs: Iterable[str], *, most: int) -> tuple[AskedQuery, ...]:
        """Return the newest queries to some graphs, the newest first."""
        wanted = set(graphs)
        found = (_told(asked) for asked in reversed(self._asked) if asked[0] in wanted)
        return tuple(islice(found, most))


def _told(asked: _Asked) -> AskedQuery:
    _, number, query, parameters, is_write, seconds, outcome = asked
    return AskedQuery(
        number=number,
        name=name_of(query),
        is_write=is_write,
        parameters=parameters,
        milliseconds=round(seconds * 1_000, 3),
        rows=outcome.rows,
        failed=outcome.failed,
    )


def _shown(parameters: Mapping[str, object]) -> dict[str, Shown]:
    return {key: shown(key, value) for key, value in parameters.items()}


def shown(key: str, value: object) -> Shown:
    """Return a parameter as it may be shown.

    >>> shown("who", "pip"), shown("filling", "d3adb33f"), shown("heard", [{"id": "t1"}, {"id": "t2"}])
    ('pip', '…', '2 rows')
    """
    if key in TOKENS and value:
        return HIDDEN
    match value:
        case str():
            return value if len(value) <= LONGEST_TEXT else value[:LONGEST_TEXT] + HIDDEN
        case bool() | int() | float() | None:
            return value
        case list() if value and all(isinstance(v, str | int | float) and len(str(v)) <= LONGEST_TEXT for v in value):
            return [*value[:LONGEST_LIST], *([HIDDEN] if len(value) > LONGEST_LIST else [])]
        case list():
            return f"{len(value)} rows"
        case _:
            return HIDDEN
