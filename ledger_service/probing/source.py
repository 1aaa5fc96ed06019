"""Story files as written: YAML (or JSON) bytes in, plain values out, with the line and column of every path."""

import math
import re
from collections.abc import Mapping
from io import StringIO
from typing import Any, Final, TypeVar

import msgspec
from msgspec import Struct
from ruamel.yaml import YAML
from ruamel.yaml.composer import Composer, ComposerError, MaxDepthExceededError
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from ledger_service.domain.errors import StoryFileError
from ledger_service.probing.advice import locate, say_what_is_allowed

MOST_BYTES: Final = 4_000_000
MOST_VALUES: Final = 100_000
DEEPEST: Final = 40
LARGEST: Final = 2**63 - 1
_SHOWN: Final = 200
_T = TypeVar("_T")
_LONG_TAG: Final = re.compile(r"[0-9A-Za-z\-;/?:@&=+$,._!~*'()\[\]%]{10000,}")
"""The parser takes a time that grows with the square of a tag's length."""
_TAG: Final = "tag:yaml.org,2002:"
_TEXT_TAGS: Final = frozenset({"str", "timestamp", "merge", "value"})


class Source(Struct, frozen=True, kw_only=True):
    """A file's plain values, and on which line, from which column, each path stands."""

    file: str
    values: Any
    lines: Mapping[str, int]
    columns: Mapping[str, int] = {}

    def line_of(self, path: str) -> int | None:
        """Return the line of a path, or of the nearest thing around it."""
        return self.lines.get(self._nearest(path))

    def _nearest(self, path: str) -> str:
        while path and path not in self.lines:
            path = path[: max(path.rfind("."), path.rfind("["), 0)]
        return path or "$"

    def error(self, path: str, why: str) -> StoryFileError:
        """Return an error that names file, line and path, and knows its column."""
        near = self._nearest(path)
        line, column = self.lines.get(near), self.columns.get(near)
        return StoryFileError(self.file, why, line=line, column=column, path=_shown(path))


def _shown(path: str) -> str:
    return path.removeprefix("$.").removeprefix("$")


def read_source(content: bytes, file: str, *, unfolding: int = 1) -> Source:
    """Read a file. Where its shape is to name the same things again and again, it may unfold to that many times more.

    Raises:
        StoryFileError: not UTF-8, not YAML 1.2, too large, too deep, too many values, a key twice, or text that no
            record can hold.
    """
    if len(content) > MOST_BYTES:
        raise StoryFileError(file, f"is larger than {MOST_BYTES // 1_000_000} MB")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise StoryFileError(file, f"is not UTF-8 at byte {error.start}", line=line) from error
    if any("!" in run for run in _LONG_TAG.findall(text)):
        raise StoryFileError(file, "is not YAML: it holds a tag of more than 10000 letters")
    node = _compose(text, file)
    if node is None:
        raise StoryFileError(file, "is empty")
    reader = _Reader(file, unfolding)
    values = reader.value(node, "$", 0)
    return Source(file=file, values=values, lines=reader.lines, columns=reader.columns)


def _compose(text: str, file: str) -> Node | None:
    yaml = YAML(typ="safe", pure=True)
    yaml.max_depth = DEEPEST
    yaml.Composer = _BoundedComposer
    try:
        node: Node | None = yaml.compose(StringIO(text))
    except MarkedYAMLError as error:
        mark = error.problem_mark
        line, column = (None, None) if mark is None else (mark.line + 1, mark.column + 1)
        raise StoryFileError(file, _in_our_words(error), line=line, column=column) from error
    except (YAMLError, RecursionError, ValueError) as error:
        raise StoryFileError(file, f"is not YAML: {str(error).splitlines()[0]}") from error
    return node


def _in_our_words(error: MarkedYAMLError) -> str:
    if isinstance(error, MaxDepthExceededError):
        return f"is nested too deeply (more than {DEEPEST} levels)"
    return _short(f"is not YAML: {error.problem or error.context}")


def _short(why: str) -> str:
    return why if len(why) <= _SHOWN else f"{why[: _SHOWN - 3]}..."


class _BoundedComposer(Composer):
    """Stops while composing, so that a hostile file costs no more than the largest honest one."""

    def __init__(self, loader: Any = None) -> None:  # noqa: ANN401
        super().__init__(loader=loader)
        self.warn_double_anchors = False
        self._composed = 0

    def compose_document(self) -> Any:  # noqa: ANN401
        start = self.parser.peek_event()
        if start.version not in {None, (1, 2)}:
            raise ComposerError(None, None, "its %YAML line asks for another version than 1.2", start.start_mark)
        return super().compose_document()

    def compose_node(self, parent: Any, index: Any) -> Any:  # noqa: ANN401
        self._composed += 1
        if self._composed > 2 * MOST_VALUES:
            raise ComposerError(
                None, None, f"it holds more than {MOST_VALUES} values", self.parser.peek_event().start_mark
            )
        return super().compose_node(parent, index)


class _Reader:
    """Turns nodes into values and notes their lines; counts what aliases unfold to."""

    def __init__(self, file: str, unfolding: int = 1) -> None:
        self.file = file
        self._unfolding = unfolding
        self.lines: dict[str, int] = {}
        self.columns: dict[str, int] = {}
        self._values = 0
        self._letters = 0

    def value(self, node: Node, path: str, depth: int) -> Any:  # noqa: ANN401
        if path not in self.lines:
            self._note(path, node)
        self._values += 1
        if self._values > MOST_VALUES * self._unfolding:
            raise self._error(node, path, "unfolds to too many values")
        if depth > DEEPEST:
            raise self._error(node, "", f"is nested too deeply (more than {DEEPEST} levels)")
        kind = str(node.tag).removeprefix(_TAG)
        if isinstance(node, MappingNode) and kind == "map":
            return self._mapping(node, path, depth)
        if isinstance(node, SequenceNode) and kind == "seq":
            return [self.value(item, f"{path}[{i}]", depth + 1) for i, item in enumerate(node.value)]
        if isinstance(node, ScalarNode):
            return self._scalar(node, path, kind)
        raise self._error(node, path, f"carries the tag `{kind}`; plain values need none")

    def _mapping(self, node: MappingNode, path: str, depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key_node, value_node in node.value:
            key = self._key(key_node, path)
            if key in found:
                raise self._error(key_node, path, f"`{key}` stands here twice")
            inner = f"{path}.{key}"
            self._note(inner, key_node)
            found[key] = self.value(value_node, inner, depth + 1)
        return found

    def _note(self, path: str, node: Node) -> None:
        self.lines[path], self.columns[path] = node.start_mark.line + 1, node.start_mark.column + 1

    def _key(self, node: Node, path: str) -> str:
        if not isinstance(node, ScalarNode):
            raise self._error(node, path, "a key is one plain word")
        if str(node.tag).removeprefix(_TAG) == "merge":
            raise self._error(node, path, "YAML 1.2 has no merge key `<<`; write the fields out")
        return self._text(node, path)

    def _scalar(self, node: ScalarNode, path: str, kind: str) -> str | int | float | bool | None:
        text = self._text(node, path)
        if kind in _TEXT_TAGS:
            return text
        try:
            return _plain(text, kind)
        except (ValueError, OverflowError) as error:
            raise self._error(node, path, f"{text[:40]!r} is {error}") from error

    def _text(self, node: ScalarNode, path: str) -> str:
        text = str(node.value)
        self._letters += len(text)
        if self._letters > MOST_BYTES * self._unfolding:
            raise self._error(node, path, "unfolds to too much text")
        if not text.isascii():
            try:
                text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le")
            except UnicodeDecodeError as error:
                raise self._error(node, path, "holds half a character (a lone surrogate)") from error
        if "\0" in text:
            raise self._error(node, path, "holds a NUL character")
        return text

    def _error(self, node: Node, path: str, why: str) -> StoryFileError:
        line, column = node.start_mark.line + 1, node.start_mark.column + 1
        return StoryFileError(self.file, _short(why), line=line, column=column, path=_shown(path))


def _plain(text: str, kind: str) -> int | float | bool | None:
    """Read a scalar by the rules of YAML 1.2; the error says what it is not."""
    match kind:
        case "null" if text.casefold() in {"", "~", "null"}:
            return None
        case "bool" if text.casefold() in {"true", "false"}:
            return text.casefold() == "true"
        case "int":
            return _whole(text.replace("_", ""))
        case "float":
            return _finite(text.replace("_", ""))
        case "null" | "bool":
            raise ValueError(f"no {kind}")
        case _:
            raise ValueError(f"no plain value; the tag `{kind}` has no meaning here")


def _whole(text: str) -> int:
    sign, digits = (text[0], text[1:]) if text[:1] in {"+", "-"} else ("", text)
    base = {"0x": 16, "0o": 8, "0b": 2}.get(digits[:2].lower(), 10)
    try:
        number = int(sign + (digits if base == 10 else digits[2:]), base)  # noqa: PLR2004
    except ValueError as error:
        raise ValueError("no whole number that can be kept") from error
    if abs(number) > LARGEST:
        raise ValueError("too large a number")
    return number


def _finite(text: str) -> float:
    try:
        number = float(text)
    except ValueError as error:
        raise ValueError("no finite number") from error
    if not math.isfinite(number):
        raise ValueError("no finite number")
    return number


def decode(source: Source, kind: type[_T], *, at: str = "$", value: object = None) -> _T:
    """Turn plain values into a struct, strictly.

    Raises:
        StoryFileError: naming the file, the line, the path and what is allowed there.
    """
    raw = source.values if value is None else value
    try:
        return msgspec.convert(raw, kind, strict=True)
    except msgspec.ValidationError as error:
        raise refusal(error, source, kind, at=at, value=raw) from error


def refusal(error: msgspec.ValidationError, source: Source, kind: Any, *, at: str, value: object) -> StoryFileError:  # noqa: ANN401
    """Return why plain values at a path are not of a kind, with the place of the very field."""
    message, _, where = str(error).partition(" - at `")
    path = locate(where.removeprefix("key` in `").removesuffix("`") or "$", value, kind)
    field, why = say_what_is_allowed(message, path, value, kind)
    return source.error(at + field.removeprefix("$"), why)
