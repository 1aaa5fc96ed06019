"""What a world lets its conditions speak of, and why one that is well formed could still never hold."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final

from msgspec import Struct

from ledger_service.domain.conditions import Scope, check_condition
from ledger_service.domain.errors import ConditionError, UndeclaredError, UnknownCharacterError
from ledger_service.domain.ids import PLAYER
from ledger_service.domain.worlds import World

Setting = str | int | float | bool

_TOKEN: Final = re.compile(r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|[A-Za-z_]\w*|[\d.]+|==|!=|\S")
_PEOPLE_ASKED: Final[Mapping[str, int]] = {"standing": 2, "opinion": 1, "knows": 1, "felt": 1}
"""How many of a function's first arguments are people."""
_ARGUMENTS: Final[Mapping[str, tuple[int, int]]] = {
    "standing": (3, 3), "opinion": (1, 2), "knows": (2, 2), "open": (1, 1), "fulfilled": (1, 1), "broken": (1, 1),
    "happened": (1, 1), "felt": (2, 2),
}  # fmt: skip
_NUMBERS: Final = frozenset({"standing", "opinion"})
_CROWD: Final = tuple(f"somebody_{n}" for n in range(200))
_EVENT: Final = {"name": "", "actor": "", "target": "", "place": "", "ladder": "", "subject": ""}
_KINDS: Final[Mapping[type, str]] = {bool: "true or false", int: "a whole number", float: "a number", str: "text"}


class Declared(Struct, frozen=True, kw_only=True):
    """What a world declares that conditions may name."""

    people: frozenset[str]
    events: frozenset[str]
    state: tuple[tuple[str, Setting, str], ...]
    """Keys, what they are when the story starts, and of what sort (to Python, 1 is True)."""


def declared_by(world: World) -> Declared:
    """Return what a world declares; the player is always there."""
    return Declared(
        people=frozenset({*world.people, PLAYER}),
        events=frozenset(e.name for e in world.events),
        state=tuple((key, value, kind_in_words(value)) for key, value in world.state.items()),
    )


def kind_in_words(value: Setting) -> str:
    """Say what sort of value a state key holds.

    >>> kind_in_words(2)
    'a whole number'
    """
    return _KINDS[type(value)]


def as_declared(value: Setting, declared: Setting) -> Setting | None:
    """Return a value as the sort that its key was declared with; None where it is of another sort.

    >>> as_declared(3, 0.5), as_declared(2.0, 7), as_declared(2.5, 7), as_declared(1, False)
    (3.0, 2, None, None)
    """
    if type(value) is type(declared):
        return value
    if isinstance(value, bool) or isinstance(declared, bool | str) or isinstance(value, str):
        return None
    if isinstance(declared, float):
        return float(value)
    return int(value) if float(value).is_integer() else None


def names_in(source: str) -> Iterator[tuple[str, str]]:
    """Yield (what, name) for each character, event and state key that a condition names outright.

    >>> list(names_in("felt('zog', 'joy') || state['key'] == 'x' || happened( 'storm' )"))
    [('character', 'zog'), ('state key', 'key'), ('event', 'storm')]
    """
    tokens = _TOKEN.findall(source)
    for i, token in enumerate(tokens):
        rest = tokens[i + 1 :]
        if i and tokens[i - 1] == ".":
            continue
        if token in _PEOPLE_ASKED and rest[:1] == ["("]:
            given = rest[1 : 2 * _PEOPLE_ASKED[token] : 2]
            yield from (("character", _text(name)) for name in given if _is_text(name))
        elif token == "happened" and rest[:1] == ["("] and _is_text("".join(rest[1:2])):  # noqa: S105  (a word of CEL)
            yield "event", _text(rest[1])
        elif token == "state" and rest[:1] == ["."]:  # noqa: S105
            yield "state key", "".join(rest[1:2])
        elif token == "state" and rest[:1] == ["["] and _is_text("".join(rest[1:2])):  # noqa: S105
            yield "state key", _text(rest[1])


def entries_named_in(source: str) -> frozenset[str] | None:
    """Return the names and ids of entries that a condition asks for; None where one is not named outright.

    >>> sorted(entries_named_in("open('debt') && knows('orla', 'secret')")), entries_named_in("open(player)")
    (['debt', 'secret'], None)
    """
    tokens = _TOKEN.findall(source)
    named: set[str] = set()
    for i, token in enumerate(tokens):
        place = {"open": 2, "fulfilled": 2, "broken": 2, "knows": 4}.get(token)
        if place is None or (i and tokens[i - 1] == ".") or tokens[i + 1 : i + 2] != ["("]:
            continue
        asked = tokens[i + place : i + place + 2]
        if len(asked) < 2 or not _is_text(asked[0]) or asked[1] != ")":  # noqa: PLR2004
            return None
        named.add(_text(asked[0]))
    return frozenset(named)


def _is_text(token: str) -> bool:
    return token[:1] in {"'", '"'}


def _text(token: str) -> str:
    return token[1:-1]


def check_in_world(source: str, world: World) -> None:
    """Refuse a condition that cannot be judged in a world, or that could never hold in it.

    Raises:
        ConditionError, UnknownCharacterError, UndeclaredError: naming what is wrong.
    """
    check_condition(source)
    declared = declared_by(world)
    known = {"character": declared.people, "event": declared.events, "state key": frozenset(world.state)}
    for what, name in names_in(source):
        if name not in known[what]:
            if what == "character":
                raise UnknownCharacterError(name, what, allowed=tuple(sorted(declared.people)))
            raise UndeclaredError(what, name)
    fault = fault_of(source, declared)
    if fault is not None:
        raise ConditionError(source, fault)


@lru_cache(maxsize=4_096)
def fault_of(source: str, declared: Declared, *, number: bool = False) -> str | None:
    """Say why a condition that compiles could never hold (or an expression never be a number); None where it could.

    It is tried on samples of every sort of moment: what is of the wrong sort there is so in every story.
    """
    failures: list[Exception] = []
    for sample in _samples(declared):
        try:
            value = sample.value(source)
        except (TypeError, RuntimeError) as error:
            return _said(error)
        except Exception as error:  # noqa: BLE001  (whatever the library raises; a sample is only a sample)
            failures.append(error)
            continue
        if sample.misused:
            return sample.misused[0]
        if not _fits(value, number=number):
            return f"comes to {_shown(value)}, which is {'no number' if number else 'neither true nor false'}"
    tried = len(_SAMPLED)
    if len(failures) == tried and all(isinstance(e, ArithmeticError | IndexError) for e in failures):
        return f"can never be worked out: {str(failures[0]).rstrip('.')}"
    return None


def _fits(value: object, *, number: bool) -> bool:
    if number:
        return isinstance(value, int | float) and not isinstance(value, bool)
    return isinstance(value, bool)


def _shown(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) <= 40 else shown[:37] + "..."  # noqa: PLR2004


def _said(error: Exception) -> str:
    if isinstance(error, TypeError):
        return "sets things of different sorts against each other (a number and a text, say)"
    why = str(error).splitlines()[0].split(". ")[0].rstrip(".")
    return f"cannot be worked out: {why}"


class _Sample:
    """One sort of moment on which conditions are tried."""

    def __init__(self, declared: Declared, *, number: float, truth: bool | None, crowd: Sequence[str]) -> None:
        self.misused: list[str] = []
        state = {key: _sampled(value, number, truth=truth) for key, value, _ in declared.state}
        count = int(number)
        variables: dict[str, object] = {
            "state": state, "event": dict(_EVENT), "scene": count, "tick": count, "turn": count, "hour": count % 24,
            "speaker": crowd[0], "listener": crowd[-1], "witness": crowd[0], "present": list(crowd),
        }  # fmt: skip
        said = bool(truth)
        answers = {name: self._answering(name, number if name in _NUMBERS else said) for name in _ARGUMENTS}
        self._scope = Scope(variables, answers)

    def value(self, source: str) -> object:
        """Return what a condition comes to here, or raise what the library raises."""
        self.misused = []
        return self._scope.evaluate(source)

    def _answering(self, name: str, answer: float | bool) -> Callable[..., object]:  # noqa: FBT001
        least, most = _ARGUMENTS[name]

        def ask(*given: object) -> object:
            if not least <= len(given) <= most:
                wanted = least if least == most else f"{least} or {most}"
                self.misused.append(f"`{name}` takes {wanted} argument{'s' if most > 1 else ''}, not {len(given)}")
            elif not all(isinstance(one, str) for one in given):
                self.misused.append(f"`{name}` takes names as text")
            return answer

        return ask


_SAMPLED: Final[tuple[tuple[float, bool | None, int], ...]] = (
    (0.0, None, 1), (0.0, False, 2), (1.0, True, 2), (50.0, True, 200), (50.0, False, 200),
)  # fmt: skip
"""Numbers, answers (None: as the story starts) and crowds that conditions are tried with."""


@lru_cache(maxsize=16)
def _samples(declared: Declared) -> tuple[_Sample, ...]:
    return tuple(
        _Sample(declared, number=number, truth=truth, crowd=_CROWD[:people]) for number, truth, people in _SAMPLED
    )


def _sampled(value: Setting, number: float, *, truth: bool | None) -> Setting:
    """Return another value of the same sort."""
    if truth is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return truth
    return number if isinstance(value, float) else int(number)
