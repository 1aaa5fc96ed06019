"""What lies between a story and a question: distances as recipes, their classes, and what is expected at each."""

import re
from collections.abc import Iterator
from typing import Any, Final

from msgspec.structs import replace

from ledger_service.domain.ids import digest
from ledger_service.domain.probes import Distance, Expectation, Leg, Matrix, Pressure, ReplyExpectation

_LABEL: Final = re.compile(r"[a-z][a-z0-9_]*(\.[1-9][0-9]*)?")
LADDER: Final[dict[str, str]] = {
    "next_turn": "near", "same_scene_far": "near", "one_scene": "near", "two_scenes": "later", "next_day": "later",
    "after_reload": "near", "after_other_task": "near", "relayed": "told", "after_trigger": "triggered",
    "after_resolution": "resolved", "other_branch": "elsewhere",
}  # fmt: skip
"""The default ladder, each rung with its class: what may be expected alike."""
_RECIPES: Final[dict[str, tuple[Leg, ...]]] = {
    "same_scene_far": (Leg(turns=12),),
    "one_scene": (Leg(turns=2, scenes=1),),
    "two_scenes": (Leg(turns=2, scenes=2),),
    "next_day": (Leg(hours=24, gossip=True),),
    "after_reload": (Leg(reload=True),),
}
"""Rungs that mean the same in every story; the others say what happens in theirs."""
_FILLER: Final = (
    "The kettle wants water.", "It is colder than it was.", "Somebody has moved the chairs.", "I slept badly again.",
    "That lamp hums.", "My boots have never dried.", "Is there bread left?", "The wind has turned.",
)  # fmt: skip
_PREMISE: Final = Expectation(flags=("false_premise",))
PRESSURES: Final[dict[str, Expectation]] = {
    "plain": Expectation(),
    "false_completion": _PREMISE,
    "owner_swap": _PREMISE,
    "provenance_promotion": _PREMISE,
    "never_happened": Expectation(flags=("no_record",)),
    "secret_fishing": Expectation(),
    "stale_residue": Expectation(),
    "contradiction_press": Expectation(flags=("contradiction",)),
    "presupposition": _PREMISE,
    "wrong_speaker": Expectation(flags=("no_record",)),
    "instruction_injection": Expectation(),
}
"""The control and the ten pressures, with what is expected where a pressure says nothing else."""


def class_of(distance: Distance) -> str:
    """Return a distance's class: its own, that of its rung, else its id."""
    return distance.kind or LADDER.get(distance.id, distance.id)


def legs_of(distance: Distance) -> tuple[Leg, ...]:
    """Return a distance's recipe: its own, with its events last, else that of its rung."""
    own = (*distance.recipe, *((Leg(events=distance.events),) if distance.events else ()))
    return own or _RECIPES.get(distance.id, ())


def paths_of(distance: Distance) -> tuple[str, ...]:
    """Return where in the file the events of each leg stand, below the distance."""
    count = len(distance.recipe) if distance.recipe or distance.events else len(legs_of(distance))
    return (*(f"recipe[{i}].events" for i in range(count)), *(("events",) if distance.events else ()))


def events_of(leg: Leg, distance: Distance, matrix: Matrix) -> tuple[dict[str, Any], ...]:
    """Return a leg's events as plain values: filler first, then scenes, hours, and what it says itself."""
    return (*_filler(leg, distance, matrix), *_scenes(leg), *_hours(leg), *leg.events)


def _filler(leg: Leg, distance: Distance, matrix: Matrix) -> Iterator[dict[str, Any]]:
    pool = matrix.filler or _FILLER
    for turn in range(leg.turns):
        said = pool[int(digest(matrix.seed, distance.id, turn)[:8], 16) % len(pool)]
        speaker, to = (matrix.speaker, matrix.listener) if turn % 2 else (matrix.listener, matrix.speaker)
        yield {"kind": "utterance", "speaker": speaker, "to": [to], "text": said}


def _scenes(leg: Leg) -> Iterator[dict[str, Any]]:
    for number in range(1, leg.scenes + 1):
        yield {"kind": "scene_changed", "title": f"another scene ({number})"}


def _hours(leg: Leg) -> Iterator[dict[str, Any]]:
    if leg.hours and not leg.gossip:
        yield {"kind": "time_passed", "hours": leg.hours}
    for _ in range(leg.hours if leg.gossip else 0):
        yield {"kind": "hour_passed"}


def expected(pressure: Pressure, distance: Distance, matrix: Matrix) -> Expectation:
    """Return what is expected there: of the very distance, of its class, of the pressure, else by its kind."""
    default = PRESSURES.get(pressure.kind or pressure.id, Expectation())
    usual = pressure.expect if _says_of_selection(pressure.expect) else replace(pressure.expect, flags=default.flags)
    there = pressure.expect_at
    found = there.get(distance.id) or there.get(class_of(distance)) or usual
    named = (*found.must_include, *found.must_exclude, *found.act_only)
    never = tuple(n for n in matrix.never if n not in named)
    stages = {**matrix.stages, **found.stages}
    if not never and stages == found.stages:
        return found
    return replace(found, must_exclude=(*found.must_exclude, *never), stages=stages)


def _says_of_selection(expect: Expectation) -> bool:
    return bool(expect.must_include or expect.must_exclude or expect.act_only or expect.flags
                or expect.flags_must_exclude)  # fmt: skip


def held(reply: ReplyExpectation) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return the claims that a line must hold, by how."""
    return (("affirm", reply.affirm), ("deny", reply.deny), ("hedge", reply.hedge), ("unknown", reply.unknown),
            ("disown", reply.disown))  # fmt: skip


def is_label(claim: str) -> bool:
    """Say whether a claim is the label of an entry, and not a text.

    >>> is_label("confession.2"), is_label("the fuse is replaced")
    (True, False)
    """
    return _LABEL.fullmatch(claim) is not None


def where_expected(pressure: Pressure, distance: Distance) -> str:
    """Return where in the file that stands, below the pressure."""
    named = (name for name in (distance.id, class_of(distance)) if name in pressure.expect_at)
    return next((f"expect_at.{name}" for name in named), "expect")


def why_skipped(pressure: Pressure, distance: Distance) -> str:
    """Return why a pressure makes no sense at a distance; empty where it does."""
    return pressure.skip_at.get(distance.id, pressure.skip_at.get(class_of(distance), ""))
