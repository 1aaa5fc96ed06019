"""A matrix that extends another: its own rows first, then those of the other that it does not say anew."""

from collections.abc import Callable
from typing import Any, Final

from ledger_service.probing.source import Source, read_source

EXTENDS: Final = "extends"
_BY_ID: Final = ("distances", "pressures")


def extended(source: Source, find: Callable[[str], bytes] | None, *, seen: tuple[str, ...] = ()) -> Source:
    """Return a matrix's plain values with those of what it extends, all the way back.

    Raises:
        StoryFileError: a file that extends itself, or one that cannot be looked for here.
    """
    values = source.values
    if not isinstance(values, dict) or not values.get(EXTENDS):
        return source
    path, name = f"$.{EXTENDS}", values[EXTENDS]
    if not isinstance(name, str) or find is None:
        raise source.error(path, "names the file of another matrix beside this one; here none can be looked for")
    way = (*(seen or (source.file.rpartition("/")[2],)), name)
    if name in way[:-1]:
        raise source.error(path, f"extends itself: {' > '.join(way)}")
    folder, slash, _ = source.file.rpartition("/")
    base = extended(read_source(find(name), f"{folder}{slash}{name}"), find, seen=way)
    own = {key: value for key, value in values.items() if key != EXTENDS}
    rows = {key: _rows(own.get(key, []), base.values.get(key, [])) for key in _BY_ID}
    return Source(file=source.file, values={**base.values, **own, **rows}, lines=source.lines)


def _rows(own: Any, base: Any) -> Any:  # noqa: ANN401
    if not isinstance(own, list) or not isinstance(base, list):
        return own
    named = {row.get("id") for row in own if isinstance(row, dict)}
    return [*own, *(row for row in base if not (isinstance(row, dict) and row.get("id") in named))]
