"""Conditions: CEL over a small vocabulary, checked when loaded so that nothing unknown or endless can run."""

import math
import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Final

from ledger_service.domain import cel_library as cel
from ledger_service.domain.errors import ConditionError

Value = str | int | float | bool | None | list[str] | dict[str, object]

FUNCTIONS: Final[Mapping[str, str]] = {
    "standing": "standing(a, b, scope): sum of live relationship deltas of a towards b in that scope",
    "opinion": "opinion(a) or opinion(a, b): what a thinks of the player, or of b, from -1 to 1",
    "knows": "knows(a, entry): does a know that entry, or any entry whose statement has that name",
    "open": "open(commitment): is that commitment open",
    "fulfilled": "fulfilled(commitment): was it kept",
    "broken": "broken(commitment): was it broken",
    "happened": "happened(event): has a declared event of that name happened",
    "felt": "felt(a, emotion): does a feel it now",
    "contains": "text.contains(part)",
    "startsWith": "text.startsWith(part)",
    "endsWith": "text.endsWith(part)",
    "size": "size(list or text)",
    "has": "has(state.key): is there such a value",
}
"""Every function that a condition may call, with its meaning."""

VARIABLES: Final[Mapping[str, str]] = {
    "state": "state.key: what the game has set with state_set",
    "event": "event.name and event.<field>: the event being recorded",
    "scene": "the scene counter now",
    "tick": "game hours since the start",
    "turn": "utterances so far",
    "hour": "hour of the day, 0 to 23",
    "speaker": "who is about to speak",
    "listener": "the listener being judged",
    "witness": "who witnessed what a custom is about",
    "player": "the player's id",
    "present": "who is present (a bounded list: exists and all may run over it)",
}
"""Every variable that a condition may name, with its meaning."""

MAX_LENGTH: Final = 2_000
BOUNDED_LISTS: Final = ("present",)
_STRING = re.compile(r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'")
_MACRO = re.compile(r"([\w.\])]*)\s*\.\s*(all|exists|exists_one|map|filter)\s*\(\s*(\w*)")
_OPERATOR = re.compile(r"^[@_!\-?\[]|^_|_$")


def check_condition(source: str) -> None:
    """Refuse a condition that does not compile, may not end, or names what does not exist.

    Raises:
        ConditionError: with the reason and what is allowed instead.
    """
    compile_condition(source)


@lru_cache(maxsize=4_096)
def compile_condition(source: str) -> cel.Program:
    """Compile a condition once.

    Raises:
        ConditionError: see `check_condition`.
    """
    if len(source) > MAX_LENGTH:
        raise ConditionError(source, f"is longer than {MAX_LENGTH} characters")
    bound = _check_comprehensions(source)
    try:
        program = cel.compile(source)
    except ValueError as error:
        raise ConditionError(source, str(error).splitlines()[0]) from error
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt | SystemExit | MemoryError):
            raise
        raise ConditionError(source, "cannot be compiled") from error
    _check_names(source, program, bound)
    return program


def _check_comprehensions(source: str) -> frozenset[str]:
    """Allow a comprehension only over a declared bounded list; return the variables it binds."""
    bare = _STRING.sub("''", source)
    bound = set()
    for over, macro, variable in _MACRO.findall(bare):
        if over not in BOUNDED_LISTS or macro in {"map", "filter"}:
            allowed = " or ".join(f"{name}.exists(...)" for name in BOUNDED_LISTS)
            raise ConditionError(source, f"`.{macro}(` may loop without end; only {allowed} and `.all` are allowed")
        bound.add(variable)
    if len(_MACRO.findall(bare)) > 1:
        raise ConditionError(source, "one comprehension in a condition is enough; nested ones multiply")
    return frozenset(bound)


def _check_names(source: str, program: cel.Program, bound: frozenset[str]) -> None:
    functions = [f for f in program.functions() if not _OPERATOR.search(f)]
    for name in functions:
        if name not in FUNCTIONS:
            raise ConditionError(source, f"unknown function `{name}`; there are {', '.join(sorted(FUNCTIONS))}")
    for name in program.variables():
        if name not in VARIABLES and name not in bound and not name.startswith("@"):
            raise ConditionError(source, f"unknown name `{name}`; there are {', '.join(sorted(VARIABLES))}")


class Scope:
    """The values and functions that conditions see; built once for a moment and reused."""

    def __init__(self, variables: Mapping[str, object], functions: Mapping[str, Callable[..., object]]) -> None:
        self._context = cel.Context()
        for name, default in (("state", {}), ("event", {}), ("present", []), ("speaker", ""), ("listener", ""),
                              ("witness", "")):  # fmt: skip
            self._context.add_variable(name, variables.get(name, default))
        for name in ("scene", "tick", "turn", "hour"):
            self._context.add_variable(name, variables.get(name, 0))
        self._context.add_variable("player", variables.get("player", "player"))
        for name, function in functions.items():
            self._context.add_function(name, function)

    def holds(self, source: str, *, listener: str | None = None, witness: str | None = None) -> bool:
        """Say whether a condition is true now; what cannot be evaluated is not true (it fails closed)."""
        for name, who in (("listener", listener), ("witness", witness)):
            if who is not None:
                self._context.add_variable(name, who)
        return self._value(source) is True

    def number(self, source: str) -> float | None:
        """Return the number that an expression comes to now; None where it comes to none, or to none that is finite."""
        value = self._value(source)
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            return None
        return float(value)

    def evaluate(self, source: str) -> object:
        """Return what an expression comes to now, or raise whatever the CEL library raises."""
        return compile_condition(source).execute(self._context)

    def _value(self, source: str) -> object:
        try:
            return self.evaluate(source)
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt | SystemExit | MemoryError):
                raise
            return None  # whatever it was (overflow, division, index, a panic inside the library): it fails closed
