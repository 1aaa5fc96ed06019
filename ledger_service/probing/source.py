"""Story files as written: YAML (or JSON) bytes in, plain values out, with the line of every path."""

import difflib
from collections.abc import Mapping
from io import StringIO
from typing import Any, Final, TypeVar

import msgspec
from msgspec import Struct
from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from ledger_service.domain.errors import StoryFileError

MOST_BYTES: Final = 4_000_000
MOST_VALUES: Final = 200_000
DEEPEST: Final = 40
_T = TypeVar("_T")
_TAG: Final = "tag:yaml.org,2002:"


class Source(Struct, frozen=True, kw_only=True):
    """A file's plain values, and on which line each path stands."""

    file: str
    values: Any
    lines: Mapping[str, int]

    def line_of(self, path: str) -> int | None:
        """Return the line of a path, or of the nearest thing around it."""
        while path:
            if path in self.lines:
                return self.lines[path]
            path = path[: max(path.rfind("."), path.rfind("["))]
        return self.lines.get("$")

    def error(self, path: str, why: str) -> StoryFileError:
        """Return an error that names file, line and path."""
        return StoryFileError(self.file, why, line=self.line_of(path), path=path.removeprefix("$.").removeprefix("$"))


def read_source(content: bytes, file: str) -> Source:
    """Read a file.

    Raises:
        StoryFileError: not UTF-8, not YAML, too large, too deep, too many values, or a key twice.
    """
    if len(content) > MOST_BYTES:
        raise StoryFileError(file, f"is larger than {MOST_BYTES // 1_000_000} MB")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise StoryFileError(file, f"is not UTF-8 at byte {error.start}") from error
    yaml = YAML(typ="safe", pure=True)
    try:
        node = yaml.compose(StringIO(text))
    except MarkedYAMLError as error:
        mark = error.problem_mark
        raise StoryFileError(
            file, error.problem or "is not YAML", line=None if mark is None else mark.line + 1
        ) from error
    except (YAMLError, RecursionError, ValueError) as error:
        raise StoryFileError(file, f"is not YAML: {str(error).splitlines()[0]}") from error
    if node is None:
        raise StoryFileError(file, "is empty")
    reader = _Reader(file)
    return Source(file=file, values=reader.value(node, "$", 0), lines=reader.lines)


class _Reader:
    """Turns nodes into values and notes their lines; counts what aliases unfold to."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.lines: dict[str, int] = {}
        self._count = 0

    def value(self, node: Node, path: str, depth: int) -> Any:  # noqa: ANN401
        line = node.start_mark.line + 1
        self.lines.setdefault(path, line)
        self._count += 1
        if self._count > MOST_VALUES or depth > DEEPEST:
            why = "unfolds to too many values" if self._count > MOST_VALUES else "is nested too deeply"
            raise StoryFileError(self.file, why, line=line, path=path)
        if isinstance(node, MappingNode):
            return self._mapping(node, path, depth)
        if isinstance(node, SequenceNode):
            return [self.value(item, f"{path}[{i}]", depth + 1) for i, item in enumerate(node.value)]
        if isinstance(node, ScalarNode):
            return self._scalar(node, path)
        raise StoryFileError(self.file, "is no value", line=line, path=path)

    def _mapping(self, node: MappingNode, path: str, depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key_node, value_node in node.value:
            key = str(key_node.value)
            if key in found:
                raise StoryFileError(
                    self.file, f"`{key}` stands here twice", line=key_node.start_mark.line + 1, path=path
                )
            inner = f"{path}.{key}"
            self.lines[inner] = key_node.start_mark.line + 1
            found[key] = self.value(value_node, inner, depth + 1)
        return found

    def _scalar(self, node: ScalarNode, path: str) -> str | int | float | bool | None:
        text = str(node.value)
        kind = str(node.tag).removeprefix(_TAG)
        try:
            match kind:
                case "null":
                    return None
                case "bool":
                    return text.casefold() == "true"
                case "int":
                    return (
                        int(text.replace("_", ""), 0) if text.startswith(("0x", "0o")) else int(text.replace("_", ""))
                    )
                case "float":
                    return float(text)
                case _:
                    return text
        except ValueError as error:
            line = node.start_mark.line + 1
            raise StoryFileError(self.file, f"{text!r} is no {kind}", line=line, path=path) from error


def decode(source: Source, kind: type[_T], *, at: str = "$", value: object = None) -> _T:
    """Turn plain values into a struct, strictly.

    Raises:
        StoryFileError: naming the file, the line, the path and what is allowed there.
    """
    raw = source.values if value is None else value
    try:
        return msgspec.convert(raw, kind, strict=True)
    except msgspec.ValidationError as error:
        message, _, where = str(error).partition(" - at `")
        path = at + where.removesuffix("`").removeprefix("$")
        raise source.error(_to_field(message, path), _advice(message, kind, path)) from error


def _to_field(message: str, path: str) -> str:
    """Point at the field that a message names, where the path only names what holds it."""
    unknown = message.partition("unknown field `")[2].partition("`")[0]
    return f"{path}.{unknown}" if unknown else path


def _advice(message: str, kind: type, path: str) -> str:
    """Say what is allowed, and what was probably meant."""
    unknown = message.partition("unknown field `")[2].partition("`")[0]
    if not unknown:
        return message[:1].lower() + message[1:]
    allowed = _fields_at(kind, path)
    close = difflib.get_close_matches(unknown, allowed, n=1)
    hint = f"; did you mean `{close[0]}`?" if close else ""
    return (
        f"unknown field `{unknown}`{hint} (allowed: {', '.join(allowed)})" if allowed else f"unknown field `{unknown}`"
    )


def _fields_at(kind: type, path: str) -> list[str]:
    """Return the fields of the struct that a path leads to, as far as types tell."""
    current: Any = msgspec.inspect.type_info(kind)
    for part in path.replace("[...]", "[0]").split(".")[1:]:
        name = part.split("[")[0]
        field = next((f for f in getattr(current, "fields", ()) if f.encode_name == name), None)
        if field is None:
            return []
        current = _element(field.type)
    return [f.encode_name for f in getattr(current, "fields", ())]


def _element(kind: Any) -> Any:  # noqa: ANN401
    """Look inside tuples and optional values."""
    while not hasattr(kind, "fields"):
        inner = getattr(kind, "item_type", None) or getattr(kind, "value_type", None)
        if inner is None:
            options = [t for t in getattr(kind, "types", ()) if not isinstance(t, msgspec.inspect.NoneType)]
            inner = options[0] if len(options) == 1 else None
        if inner is None:
            return kind
        kind = inner
    return kind
