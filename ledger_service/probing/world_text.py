"""A world as text: read with everything that is wrong with it, and written where only its values were kept."""

from io import StringIO
from typing import Any, Final, TypeVar

import msgspec
from msgspec import Struct
from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.scalarstring import DoubleQuotedScalarString

from ledger_service.domain.errors import StoryFileError
from ledger_service.domain.worlds import World
from ledger_service.probing.faults import decode_with_faults, in_order
from ledger_service.probing.references import problems_of
from ledger_service.probing.source import Source, read_source

SHORT: Final = 90
_ONE_LINE: Final = 1_000_000
_Made = TypeVar("_Made", CommentedMap, CommentedSeq)


class WorldText(Struct, frozen=True, kw_only=True):
    """A text, and the world in it or what keeps it from being one."""

    source: Source | None = None
    """Its values and their lines; None where it is no YAML."""
    world: World | None = None
    """What was read; it may be named in spite of faults, where those are about what it refers to."""
    faults: tuple[StoryFileError, ...] = ()


def read_world(content: bytes, file: str) -> WorldText:
    """Read a world and hold it against everything that a document can be held against.

    Names can be looked up only in a world that was read whole, so that is done once everything else is right.
    """
    try:
        source = read_source(content, file)
    except StoryFileError as error:
        return WorldText(faults=(error,))
    world, faults = decode_with_faults(source, World)
    if world is not None:
        faults = in_order(problems_of(world, source))
    return WorldText(source=source, world=world, faults=faults)


def as_yaml(world: World) -> str:
    """Write a world as YAML; what is as it would be anyway is left out. Read again, it is the same world."""
    yaml = YAML(pure=True)
    yaml.width = _ONE_LINE
    yaml.indent(mapping=2, sequence=4, offset=2)
    written = StringIO()
    yaml.dump(_plain(world), written)
    return written.getvalue()


def _plain(value: Any) -> Any:  # noqa: ANN401
    match value:
        case Struct():
            given = ((f.encode_name, getattr(value, f.name), f) for f in msgspec.structs.fields(value))
            return _styled(CommentedMap({name: _plain(v) for name, v, field in given if v != _usual(field)}))
        case dict():
            return _styled(CommentedMap({_text(name): _plain(inner) for name, inner in value.items()}))
        case list() | tuple():
            return _styled(CommentedSeq(_plain(inner) for inner in value))
        case str():
            return _text(value)
        case _:
            return value


def _text(value: str) -> str:
    """Return a text as it is to be written: quoted where it begins like a mark of YAML or holds what is unseen."""
    is_plain = value.isprintable() and not value.startswith(("?", "-", ":"))
    return str(value) if is_plain else DoubleQuotedScalarString(value)


def _usual(field: msgspec.structs.FieldInfo) -> object:
    return field.default_factory() if callable(field.default_factory) else field.default


def _styled(made: _Made) -> _Made:
    """Put a few short things on one line, as people do, and everything else on lines of their own."""
    inner: list[object] = list(made.values()) if isinstance(made, CommentedMap) else list(made)
    names: list[object] = list(made) if isinstance(made, CommentedMap) else []
    letters = sum(len(str(one)) + 2 for one in inner + names)
    has_parts = any(isinstance(one, CommentedMap | CommentedSeq) for one in inner)
    is_short = not has_parts and letters < SHORT
    made.fa.set_flow_style() if is_short else made.fa.set_block_style()
    return made
