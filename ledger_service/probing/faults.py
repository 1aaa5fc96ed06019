"""Everything that keeps a document from being read, not only the first of it."""

from collections.abc import Iterator
from typing import Annotated, Any, Final, TypeVar, get_args, get_origin

import msgspec
from msgspec import Struct

from ledger_service.domain.errors import StoryFileError
from ledger_service.probing.source import Source, refusal

MOST: Final = 100
"""So many faults are told at once."""
_T = TypeVar("_T")
Faults = Iterator[StoryFileError]


def decode_with_faults(source: Source, kind: type[_T]) -> tuple[_T | None, tuple[StoryFileError, ...]]:
    """Return what a document holds, or everything in it that is not as it has to be, in the order of the lines."""
    try:
        return msgspec.convert(source.values, kind, strict=True), ()
    except msgspec.ValidationError:
        return None, in_order(_faults(source.values, kind, "$", source))


def in_order(faults: Faults) -> tuple[StoryFileError, ...]:
    """Return the first of some faults by where they stand, each once."""
    by_place = {(f.line or 0, f.column or 0, f.path, f.why): f for f in faults}
    return tuple(by_place[place] for place in sorted(by_place))[:MOST]


def _faults(value: object, kind: Any, path: str, source: Source) -> Faults:  # noqa: ANN401
    """Look for the faults of each part by itself; where every part is well, it is the whole that is not."""
    try:
        msgspec.convert(value, kind, strict=True)
    except msgspec.ValidationError as error:
        inner = list(_inside(value, kind, path, source))
        yield from inner or [refusal(error, source, kind, at=path, value=value)]


def _inside(value: object, kind: Any, path: str, source: Source) -> Faults:  # noqa: ANN401
    if get_origin(kind) is Annotated:
        kind = get_args(kind)[0]
    match value:
        case dict() if isinstance(kind, type) and issubclass(kind, Struct):
            yield from _of_struct(value, kind, path, source)
        case dict() if get_origin(kind) is dict:
            for name, inner in value.items():
                yield from _faults(inner, get_args(kind)[1], f"{path}.{name}", source)
        case list() if get_origin(kind) is tuple:
            for i, inner in enumerate(value):
                yield from _faults(inner, get_args(kind)[0], f"{path}[{i}]", source)
        case _:
            return


def _of_struct(value: dict[str, Any], kind: type[Struct], path: str, source: Source) -> Faults:
    fields = {f.encode_name: f for f in msgspec.structs.fields(kind)}
    for name in value:
        if name not in fields:
            yield _told(f"Object contains unknown field `{name}`", value, kind, path, source)
    for name, field in fields.items():
        if name in value:
            yield from _faults(value[name], field.type, f"{path}.{name}", source)
        elif field.required:
            yield _told(f"Object missing required field `{name}`", value, kind, path, source)


def _told(message: str, value: object, kind: type[Struct], path: str, source: Source) -> StoryFileError:
    return refusal(msgspec.ValidationError(message), source, kind, at=path, value=value)
