"""What is allowed where a story file went wrong: fields, kinds and names, and which was probably meant."""

import difflib
import re
from collections.abc import Iterable, Sequence
from typing import Any, Final

import msgspec
from msgspec import inspect

_IN_WORDS: Final = {
    "object": "a mapping", "array": "a list", "str": "text", "int": "a whole number", "float": "a number",
    "bool": "true or false", "null": "nothing",
}  # fmt: skip
_STEP: Final = re.compile(r"\.([^.\[\]]+)|\[(\d+)\]")
_KIND_NAME: Final = re.compile(r"`([a-z |]+)`")
_QUOTED: Final = re.compile(r"[`']([^`']*)[`']")
Step = str | int


def locate(path: str, raw: object, kind: Any) -> str:  # noqa: ANN401
    """Name the key that a path leaves open as `[...]`.

    >>> locate("$[...]", {"a": 1, "b": "x"}, dict[str, int])
    '$.b'
    """
    while "[...]" in path:
        before, _, after = path.partition("[...]")
        steps = _steps(before)
        inner = _at(raw, steps)
        if not isinstance(inner, dict):
            return before
        key = _failing_key(raw, steps, list(inner), kind)
        raw = _with(raw, steps, {key: inner[key]})
        path = f"{before}.{key}{after}"
    return path


def _failing_key(raw: object, steps: Sequence[Step], keys: list[str], kind: Any) -> str:  # noqa: ANN401
    """Halve a mapping until the one key is left with which it cannot be read."""
    inner: Any = _at(raw, steps)
    while len(keys) > 1:
        half = keys[: len(keys) // 2]
        keys = half if _fails(_with(raw, steps, {k: inner[k] for k in half}), kind) else keys[len(half) :]
    return keys[0]


def _fails(raw: object, kind: Any) -> bool:  # noqa: ANN401
    try:
        msgspec.convert(raw, kind, strict=True)
    except msgspec.ValidationError:
        return True
    return False


def _steps(path: str) -> list[Step]:
    return [name or int(place) for name, place in _STEP.findall(path)]


def _at(raw: Any, steps: Iterable[Step]) -> Any:  # noqa: ANN401
    """Return what stands at a path, as far as it leads."""
    for step in steps:
        try:
            raw = raw[step]
        except (LookupError, TypeError):
            return None
    return raw


def _with(raw: Any, steps: Sequence[Step], value: object) -> Any:  # noqa: ANN401
    """Return the same values with another one at a path."""
    if not steps:
        return value
    copy = raw.copy()
    copy[steps[0]] = _with(raw[steps[0]], steps[1:], value)
    return copy


def say_what_is_allowed(message: str, path: str, raw: object, kind: Any) -> tuple[str, str]:  # noqa: ANN401
    """Return the path of the very field, and the message with what would be allowed there."""
    named = _QUOTED.search(message)
    name = named[1] if named else ""
    there = _type_at(kind, path, raw)
    if "unknown field" in message:
        return f"{path}.{name}", f"unknown field `{name}`{suggest(name, _fields(there), 'allowed')}"
    if "missing required field" in message:
        return path, f"the field `{name}` is missing{suggest('', _required(there), 'needed')}"
    if message.startswith(("Invalid value", "Invalid enum value")):
        return path, f"`{name}` is not known here{suggest(name, _choices(kind, path, raw), 'allowed')}"
    return path, _in_words(message)


def _in_words(message: str) -> str:
    """Say the kinds of values as a writer does.

    >>> _in_words("Expected `array`, got `str`")
    'expected a list, got text'
    """
    text = message[:1].lower() + message[1:]
    return _KIND_NAME.sub(lambda m: " or ".join(_IN_WORDS.get(k, k) for k in m[1].split(" | ")), text)


def suggest(name: str, allowed: Sequence[str], word: str) -> str:
    """Say which of the allowed names was probably meant, and which there are."""
    if not allowed:
        return ""
    close = difflib.get_close_matches(name, allowed, n=1) if name else []
    hint = f"; did you mean `{close[0]}`?" if close else ""
    return f"{hint} ({word}: {', '.join(allowed)})"


def _type_at(kind: Any, path: str, raw: object) -> Any:  # noqa: ANN401
    """Return the type that a path leads to; where several could stand, the one that the values choose by their tag."""
    value: Any = raw
    current = _chosen(inspect.type_info(kind), value)
    for step in _steps(path):
        value = _at(value, (step,))
        current = _chosen(_inside(current, step), value)
    return current


def _inside(current: Any, step: Step) -> Any:  # noqa: ANN401
    if isinstance(current, inspect.StructType):
        return next((f.type for f in current.fields if f.encode_name == step), None)
    if isinstance(current, inspect.DictType):
        return current.value_type
    return getattr(current, "item_type", None)


def _chosen(current: Any, value: Any) -> Any:  # noqa: ANN401
    while isinstance(current, inspect.Metadata):
        current = current.type
    if not isinstance(current, inspect.UnionType):
        return current
    structs = _structs(current)
    if isinstance(value, dict):
        return next((s for s in structs if len(structs) == 1 or value.get(s.tag_field) == s.tag), None)
    wanted = inspect.StrType if isinstance(value, str) else inspect.VarTupleType
    return next((t for t in current.types if isinstance(t, wanted | inspect.EnumType)), current)


def _structs(current: Any) -> list[inspect.StructType]:  # noqa: ANN401
    return [t for t in getattr(current, "types", ()) if isinstance(t, inspect.StructType)]


def _fields(current: Any) -> list[str]:  # noqa: ANN401
    found = [f.encode_name for f in getattr(current, "fields", ())]
    tag = getattr(current, "tag_field", None)
    return [tag, *found] if tag else found


def _required(current: Any) -> list[str]:  # noqa: ANN401
    found = [f.encode_name for f in getattr(current, "fields", ()) if f.required]
    tag = getattr(current, "tag_field", None)
    return [tag, *found] if tag else found


def _choices(kind: Any, path: str, raw: object) -> list[str]:  # noqa: ANN401
    """Return the names that may stand at a path: of an enumeration, else the tags of what holds it."""
    there = _type_at(kind, path, raw)
    if isinstance(there, inspect.EnumType):
        return [str(member.value) for member in there.cls]
    holder_path, _, field = path.rpartition(".")
    holder = inspect.type_info(kind)
    value: Any = raw
    for step in _steps(holder_path):
        holder, value = _inside(_chosen(holder, value), step), _at(value, (step,))
    while isinstance(holder, inspect.Metadata):
        holder = holder.type
    return [str(s.tag) for s in _structs(holder) if s.tag_field == field]
