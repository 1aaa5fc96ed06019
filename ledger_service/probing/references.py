"""What a world's names refer to: every one that leads nowhere, stands twice, or is reserved, with its place."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any, Final

from ledger_service.domain.conditions import check_condition
from ledger_service.domain.confidence import Band
from ledger_service.domain.entries import SourceKind
from ledger_service.domain.errors import ConditionError, StoryFileError
from ledger_service.domain.ids import PLAYER, RESERVED_SCOPES
from ledger_service.domain.story_time import HOURS_A_DAY
from ledger_service.domain.vocabulary import declared_by, fault_of, names_in
from ledger_service.domain.worlds import Character, Notice, Rule, Stay, World
from ledger_service.probing.advice import suggest
from ledger_service.probing.source import Source

Problems = Iterator[StoryFileError]
DEED: Final = "deed"
_ROOM: Final = re.compile(r"\{([^{}]*)\}")
_PARTS: Final = ("actor", "target")
"""Whom the text of a custom may leave room for."""
_TEXTS: Final = re.compile(r"\s*[\"']([^\"']*)[\"']\s*")
_LISTS: Final[tuple[tuple[str, str, Callable[[Any], object]], ...]] = (
    ("cast", "id", lambda c: c.id),
    ("places", "id", lambda p: p.id),
    ("things", "id", lambda t: t.id),
    ("groups", "id", lambda g: g.id),
    ("actions", "id", lambda a: a.id),
    ("rules", "id", lambda r: r.id),
    ("ladders", "id", lambda ladder: ladder.id),
    ("customs", "id", lambda c: c.id),
    ("notices", "id", lambda n: n.id),
    ("events", "name", lambda e: e.name),
    ("trust", "teller", lambda t: (t.listener, t.teller)),
)


def problems_of(world: World, source: Source) -> Problems:
    """Yield every name that refers to nothing, every name given twice, and every condition that cannot run."""
    for where, field, name_of in _LISTS:
        yield from _twice(source, where, field, [name_of(item) for item in getattr(world, where)])
    yield from _people(world, source)
    yield from _ladders(world, source)
    yield from _rules(world, source)
    yield from _customs(world, source)
    yield from _notices(world, source)
    yield from _words(world, source)


def _twice(source: Source, where: str, field: str, names: list[object]) -> Problems:
    seen: set[object] = set()
    for i, name in enumerate(names):
        if name in seen:
            shown = " to ".join(map(str, reversed(name))) if isinstance(name, tuple) else name
            yield source.error(f"$.{where}[{i}].{field}", f"`{shown}` stands here twice")
        seen.add(name)


def unknown(source: Source, path: str, what: str, *, named: Iterable[str], known: Collection[str]) -> Problems:
    """Yield an error for each name that is not known, saying which there are."""
    for name in named:
        if name not in known:
            yield source.error(path, f"unknown {what} `{name}`{suggest(name, sorted(known), 'there are')}")


def _people(world: World, source: Source) -> Problems:
    people, places = people_of(world), {p.id for p in world.places}
    for i, character in enumerate(world.cast):
        path = f"$.cast[{i}]"
        if character.id in RESERVED_SCOPES:
            yield source.error(f"{path}.id", f"`{character.id}` is reserved, and can be nobody's name")
        if character.home is not None:
            yield from unknown(source, f"{path}.home", "place", named=(character.home,), known=places)
        for j, stay in enumerate(character.schedule):
            yield from unknown(source, f"{path}.schedule[{j}].place", "place", named=(stay.place,), known=places)
        yield from _schedule(character, f"{path}.schedule", source)
        if character.voice.min_words > character.voice.max_words:
            yield source.error(f"{path}.voice.min_words", f"is above max_words, {character.voice.max_words}")
    for i, group in enumerate(world.groups):
        if group.id in RESERVED_SCOPES:
            yield source.error(f"$.groups[{i}].id", f"`{group.id}` is reserved, and can be no group's name")
        yield from unknown(source, f"$.groups[{i}].members", "character", named=group.members, known=people)
    for i, edge in enumerate(world.trust):
        yield from unknown(source, f"$.trust[{i}].listener", "character", named=(edge.listener,), known=people)
        yield from unknown(source, f"$.trust[{i}].teller", "character", named=(edge.teller,), known=people)
        if edge.listener == edge.teller:
            yield source.error(f"$.trust[{i}].teller", f"`{edge.teller}` tells nobody themselves")


def _schedule(character: Character, path: str, source: Source) -> Problems:
    """Hold a day's stays against the clock and against each other: nobody is at two places."""
    taken: dict[int, Stay] = {}
    for i, stay in enumerate(character.schedule):
        if stay.from_hour == HOURS_A_DAY:
            yield source.error(f"{path}[{i}].from_hour", "hours are 0 to 23; at 24 a stay can only end")
        hours = _hours(stay)
        if not hours:
            yield source.error(f"{path}[{i}].until_hour", f"the stay ends at {stay.until_hour}, when it begins")
        both = next((hour for hour in hours if hour in taken), None)
        if both is not None:
            two = f"`{taken[both].place}` and `{stay.place}`"
            yield source.error(f"{path}[{i}].from_hour", f"`{character.id}` is at two places at {both}: {two}")
        taken = dict.fromkeys(hours, stay) | taken


def _hours(stay: Stay) -> Sequence[int]:
    """Return the hours of a stay; one that begins later than it ends goes on past midnight."""
    start, end = stay.from_hour, stay.until_hour
    return range(start, end) if start <= end else (*range(start, HOURS_A_DAY), *range(end))


def _ladders(world: World, source: Source) -> Problems:
    for i, ladder in enumerate(world.ladders):
        path = f"$.ladders[{i}]"
        rungs, weights = len(ladder.rungs), len(ladder.weights)
        subject = () if ladder.subject is None else (ladder.subject,)
        yield from unknown(source, f"{path}.subject", "character", named=subject, known=people_of(world))
        if weights > rungs:
            yield source.error(f"{path}.weights", f"has {weights} weights for {rungs} rungs")
        for j, rung in enumerate(ladder.rungs):
            if not rung.strip():
                yield source.error(f"{path}.rungs[{j}]", "says nothing")
            if rung in ladder.rungs[:j]:
                yield source.error(f"{path}.rungs[{j}]", f"`{rung}` stands here twice")


def people_of(world: World) -> set[str]:
    """Return everybody that a name may refer to; the player is always there."""
    return {c.id for c in world.cast} | {PLAYER}


def _rules(world: World, source: Source) -> Problems:
    actions = {a.id for a in world.actions}
    for i, action in enumerate(world.actions):
        yield from unknown(source, f"$.actions[{i}].by", "character", named=action.by, known=people_of(world))
    for i, rule in enumerate(world.rules):
        path = f"$.rules[{i}]"
        yield from unknown(source, f"{path}.action", "action", named=(rule.action,), known=actions)
        yield from condition(rule.grant_when, f"{path}.grant_when", world, source)
        if rule.factor:
            yield from condition(rule.factor, f"{path}.factor", world, source, number=True)
        yield from _rests_on(rule, path, source)


def condition(when: str, path: str, world: World, source: Source, *, number: bool = False) -> Problems:
    """Yield why a condition (or an expression for a number) cannot run, names nothing of the world, or never holds."""
    try:
        check_condition(when)
    except ConditionError as error:
        yield source.error(path, str(error))
        return
    declared = declared_by(world)
    known: dict[str, Collection[str]] = {
        "character": declared.people, "event": declared.events, "state key": world.state,
    }  # fmt: skip
    named = list(names_in(when))
    for what, name in named:
        yield from unknown(source, path, what, named=(name,), known=known[what])
    fault = fault_of(when, declared, number=number)
    if fault is not None and all(name in known[what] for what, name in named):
        yield source.error(path, str(ConditionError(when, fault)))


def _rests_on(rule: Rule, path: str, source: Source) -> Problems:
    """Hold the names that a rule rests on against its condition."""
    asked = _TEXTS.findall(rule.grant_when)
    for field, names in (("scopes", rule.scopes), ("commitments", rule.commitments)):
        for name in names:
            if name not in asked:
                hint = suggest(name, asked, "it asks for")
                yield source.error(f"{path}.{field}", f"`grant_when` never asks for `{name}`{hint}")


def _customs(world: World, source: Source) -> Problems:
    events = {DEED} | {e.name for e in world.events}
    for i, custom in enumerate(world.customs):
        path = f"$.customs[{i}]"
        yield from unknown(source, f"{path}.event", "event", named=(custom.event,), known=events)
        yield from condition(custom.when, f"{path}.when", world, source)
        yield from unknown(source, f"{path}.reads_as", "part", named=_ROOM.findall(custom.reads_as), known=_PARTS)
        if not custom.reads_as.strip():
            yield source.error(f"{path}.reads_as", "says nothing")
        yield from _of_ladder(custom.ladder, f"{path}.ladder", world, source)


def _notices(world: World, source: Source) -> Problems:
    people = people_of(world)
    for i, notice in enumerate(world.notices):
        path = f"$.notices[{i}]"
        yield from unknown(source, f"{path}.place", "place", named=(notice.place,), known={p.id for p in world.places})
        for field, who in (("by", notice.by), ("subject", notice.subject)):
            yield from unknown(
                source, f"{path}.{field}", "character", named=() if who is None else (who,), known=people
            )
        yield from _of_ladder(notice.ladder, f"{path}.ladder", world, source)
        yield from _wording(notice, path, world, source)
        yield from condition(notice.post_when, f"{path}.post_when", world, source)
        if notice.remove_when:
            yield from condition(notice.remove_when, f"{path}.remove_when", world, source)


def _wording(notice: Notice, path: str, world: World, source: Source) -> Problems:
    """A notice says either its own text or what a rung of its ladder says."""
    ladder = world.find_ladder(notice.ladder)
    if notice.text.strip() and notice.ladder is not None:
        yield source.error(f"{path}.text", "a notice with a ladder says what its rung says; give one or the other")
    if not notice.text.strip() and notice.ladder is None:
        yield source.error(path, "a notice says something: its `text`, or a `rung` of a `ladder`")
    if ladder is not None and notice.rung > len(ladder.rungs):
        yield source.error(f"{path}.rung", f"`{ladder.id}` has {len(ladder.rungs)} rungs, and no {notice.rung}")


def _of_ladder(ladder: str | None, path: str, world: World, source: Source) -> Problems:
    known = {one.id for one in world.ladders}
    yield from unknown(source, path, "ladder", named=() if ladder is None else (ladder,), known=known)


def _words(world: World, source: Source) -> Problems:
    for name, predicate in world.predicates.items():
        path = f"$.predicates.{name}.exclusive_with"
        yield from unknown(source, path, "predicate", named=predicate.exclusive_with, known=world.predicates)
    for name in world.confidence_by_source:
        yield from unknown(source, f"$.confidence_by_source.{name}", "source", named=(name,), known=list(SourceKind))
    for name in world.band_names:
        yield from unknown(source, f"$.band_names.{name}", "band", named=(name,), known=list(Band))
