"""Story documents: a world with its references checked, a history whose events can refer to each other by label."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from msgspec import Struct

from ledger_service.domain.conditions import check_condition
from ledger_service.domain.errors import ConditionError, StoryFileError
from ledger_service.domain.events import GameEvent
from ledger_service.domain.ids import PLAYER
from ledger_service.domain.worlds import World
from ledger_service.probing.source import Source, decode, read_source

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


def problems_of(world: World, source: Source) -> Iterator[StoryFileError]:
    """Yield every name that refers to nothing, every name given twice, and every condition that cannot run."""
    people = {c.id for c in world.cast} | {PLAYER}
    places = {p.id for p in world.places}
    actions = {a.id for a in world.actions}
    yield from _twice(source, "cast", [c.id for c in world.cast])
    yield from _twice(source, "places", [p.id for p in world.places])
    yield from _twice(source, "things", [t.id for t in world.things])
    yield from _twice(source, "actions", [a.id for a in world.actions])
    yield from _twice(source, "rules", [r.id for r in world.rules])
    yield from _twice(source, "events", [e.name for e in world.events])
    for i, character in enumerate(world.cast):
        if character.home is not None:
            yield from _unknown(source, f"$.cast[{i}].home", "place", (character.home,), places)
        for j, stay in enumerate(character.schedule):
            yield from _unknown(source, f"$.cast[{i}].schedule[{j}].place", "place", (stay.place,), places)
    for i, group in enumerate(world.groups):
        yield from _unknown(source, f"$.groups[{i}].members", "character", group.members, people)
    for i, edge in enumerate(world.trust):
        yield from _unknown(source, f"$.trust[{i}].listener", "character", (edge.listener,), people)
        yield from _unknown(source, f"$.trust[{i}].teller", "character", (edge.teller,), people)
    for i, action in enumerate(world.actions):
        yield from _unknown(source, f"$.actions[{i}].by", "character", action.by, people)
    for i, rule in enumerate(world.rules):
        yield from _unknown(source, f"$.rules[{i}].action", "action", (rule.action,), actions)
        yield from _condition(source, f"$.rules[{i}].grant_when", rule.grant_when)
    for name, predicate in world.predicates.items():
        declared = set(world.predicates)
        yield from _unknown(
            source, f"$.predicates.{name}.exclusive_with", "predicate", predicate.exclusive_with, declared
        )


def _twice(source: Source, where: str, names: list[str]) -> Iterator[StoryFileError]:
    for i, name in enumerate(names):
        if name in names[:i]:
            yield source.error(f"$.{where}[{i}]", f"`{name}` stands here twice")


def _unknown(
    source: Source, path: str, what: str, named: Iterable[str], known: set[str]
) -> Iterator[StoryFileError]:  # fmt: skip
    for name in named:
        if name not in known:
            there = ", ".join(sorted(known)) or "none"
            yield source.error(path, f"unknown {what} `{name}` (there are: {there})")


def _condition(source: Source, path: str, text: str) -> Iterator[StoryFileError]:
    try:
        check_condition(text)
    except ConditionError as error:
        yield source.error(path, str(error))


def decode_history(content: bytes, file: str) -> History:
    """Read a history: a list of events, each of which may carry a `label` for later ones to refer to.

    Raises:
        StoryFileError: with file, line and path; also for a label that no earlier event carries.
    """
    source = read_source(content, file)
    if not isinstance(source.values, list):
        raise source.error("$", "a history is a list of events")
    steps: list[Step] = []
    labels: set[str] = set()
    for i, raw in enumerate(source.values):
        path = f"$[{i}]"
        if not isinstance(raw, dict):
            raise source.error(path, "an event is a mapping with a `kind`")
        event = {k: v for k, v in raw.items() if k != "label"}
        _check_labels(event, path, labels, source)
        decode_event(source, at=path, value=event)
        label = raw.get("label")
        if label is not None:
            if not isinstance(label, str) or not LABEL.match(f"@{label}") or label in labels:
                raise source.error(f"{path}.label", "a label is one lower-case word, used once")
            labels.add(label)
        steps.append(Step(raw=event, label=label, path=path))
    return History(source=source, steps=tuple(steps))


def decode_event(source: Source, *, at: str, value: object) -> GameEvent:
    """Turn the plain values at a path into an event.

    Raises:
        StoryFileError: with file, line and path.
    """
    event: GameEvent = decode(source, GameEvent, at=at, value=value)  # type: ignore[arg-type]
    return event


def _check_labels(value: object, path: str, labels: set[str], source: Source) -> None:
    match value:
        case str() if (found := LABEL.match(value)) and found[1] not in labels:
            known = ", ".join(sorted(labels)) or "none yet"
            raise source.error(path, f"`{value}` refers to no earlier label (there are: {known})")
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
                raise source.error(path, f"`{value}` left {len(made)} entries")
            return made[place - 1]
        case dict():
            return {key: _put(inner, entries, f"{path}.{key}", source) for key, inner in value.items()}
        case list():
            return [_put(inner, entries, f"{path}[{i}]", source) for i, inner in enumerate(value)]
        case _:
            return value
