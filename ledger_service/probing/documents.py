"""Story documents: a world with its references checked, a history whose events can refer to each other by label."""

import re
from collections.abc import Collection
from typing import Any

from msgspec import Struct

from ledger_service.domain.events import GameEvent
from ledger_service.domain.worlds import World
from ledger_service.probing.advice import suggest
from ledger_service.probing.references import problems_of
from ledger_service.probing.source import Source, decode, read_source

__all__ = [
    "History",
    "Step",
    "decode_event",
    "decode_history",
    "decode_world",
    "has_labels",
    "problems_of",
    "read_steps",
    "with_entries",
]

LABEL = re.compile(r"^@([a-z][a-z0-9_]*)(?:\.(\d+))?$")


class Step(Struct, frozen=True, kw_only=True):
    """One event of a history, its label, and where it stands in its file."""

    raw: dict[str, Any]
    """The event as plain values; labels of earlier steps stand for their entries."""
    label: str | None
    path: str


class History(Struct, frozen=True, kw_only=True):
    """A story's events in order."""

    source: Source
    steps: tuple[Step, ...]


def decode_world(content: bytes, file: str) -> World:
    """Read and check a world.

    Raises:
        StoryFileError: the first problem, with file, line and path.
    """
    source = read_source(content, file)
    world = decode(source, World)
    for problem in problems_of(world, source):
        raise problem
    return world


def decode_history(content: bytes, file: str) -> History:
    """Read a history: a list of events, each of which may carry a `label` for later ones to refer to.

    Raises:
        StoryFileError: with file, line and path; also for a label that no earlier event carries.
    """
    source = read_source(content, file)
    if not isinstance(source.values, list):
        raise source.error("$", "a history is a list of events")
    return History(source=source, steps=read_steps(source, source.values, at="$"))


def read_steps(source: Source, values: list[Any], *, at: str, known: Collection[str] | None = ()) -> tuple[Step, ...]:
    """Read events that may refer to each other, and to the labels known before; None lets every label pass.

    Raises:
        StoryFileError: with file, line and path.
    """
    steps: list[Step] = []
    labels = None if known is None else set(known)
    mine: set[str] = set()
    for i, raw in enumerate(values):
        path = f"{at}[{i}]"
        if not isinstance(raw, dict):
            raise source.error(path, "an event is a mapping with a `kind`")
        event = {k: v for k, v in raw.items() if k != "label"}
        _check_labels(event, path, labels, source)
        decode_event(source, at=path, value=event)
        label = _label_of(raw, f"{path}.label", mine | (labels or set()), source)
        if label is not None:
            mine.add(label)
            labels = None if labels is None else labels | {label}
        steps.append(Step(raw=event, label=label, path=path))
    return tuple(steps)


def _label_of(raw: dict[str, Any], path: str, taken: Collection[str], source: Source) -> str | None:
    if "label" not in raw:
        return None
    label = raw["label"]
    if not isinstance(label, str) or not LABEL.match(f"@{label}") or "." in label:
        raise source.error(path, "a label is one lower-case word (letters, digits and underscores)")
    if label in taken:
        raise source.error(path, f"`{label}` is the label of an earlier event")
    return label


def decode_event(source: Source, *, at: str, value: object) -> GameEvent:
    """Turn the plain values at a path into an event.

    Raises:
        StoryFileError: with file, line and path.
    """
    event: GameEvent = decode(source, GameEvent, at=at, value=value)  # type: ignore[arg-type]
    return event


def _check_labels(value: object, path: str, labels: Collection[str] | None, source: Source) -> None:
    match value:
        case str() if (found := LABEL.match(value)) and labels is not None and found[1] not in labels:
            raise source.error(
                path, f"`{value}` refers to no earlier label{suggest(found[1], sorted(labels), 'there are')}"
            )
        case dict():
            for key, inner in value.items():
                _check_labels(inner, f"{path}.{key}", labels, source)
        case list():
            for i, inner in enumerate(value):
                _check_labels(inner, f"{path}[{i}]", labels, source)
        case _:
            return


def with_entries(step: Step, entries: dict[str, tuple[str, ...]], source: Source) -> GameEvent:
    """Put entry ids where a step's labels stand, and return the event."""
    return decode_event(source, at=step.path, value=_put(step.raw, entries, step.path, source))


def has_labels(value: object) -> bool:
    """Say whether an event refers to earlier ones."""
    match value:
        case str():
            return bool(LABEL.match(value))
        case dict():
            return any(has_labels(inner) for inner in value.values())
        case list():
            return any(has_labels(inner) for inner in value)
        case _:
            return False


def _put(value: object, entries: dict[str, tuple[str, ...]], path: str, source: Source) -> object:
    match value:
        case str() if found := LABEL.match(value):
            made = entries.get(found[1], ())
            place = int(found[2] or 1)
            if not 1 <= place <= len(made):
                raise source.error(path, f"`{value}`: the event labelled `{found[1]}` left {_entries(len(made))}")
            return made[place - 1]
        case dict():
            return {key: _put(inner, entries, f"{path}.{key}", source) for key, inner in value.items()}
        case list():
            return [_put(inner, entries, f"{path}[{i}]", source) for i, inner in enumerate(value)]
        case _:
            return value


def _entries(count: int) -> str:
    return "no entry" if not count else "1 entry" if count == 1 else f"{count} entries"
