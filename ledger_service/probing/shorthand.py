"""The short forms that case files use: lists or single names, expiries, gates."""

import re
from collections.abc import Mapping
from typing import Final

from ledger_service.domain.expiry import NEVER, AfterScenes, AfterTurns, AnyOf, AtTick, Expiry, OnEvent
from ledger_service.domain.ids import group_scope

_FLAG_NAMES: Final = {"no_suspect": "no_record", "unsupported_by_record": "unsupported_claim"}


def names_in(value: object) -> tuple[str, ...]:
    """Return the names that a field holds, whether it is a list, one name or left out."""
    if value is None:
        return ()
    return (value,) if isinstance(value, str) else tuple(str(v) for v in value)  # type: ignore[attr-defined]


def parse_flag(text: str) -> str:
    """Read a flag, `kind` or `kind:detail`, under the names of other tools too.

    >>> parse_flag("no_suspect:poacher")
    'no_record:poacher'
    """
    kind, colon, detail = text.partition(":")
    return f"{_FLAG_NAMES.get(kind, kind)}{colon}{detail}"


def parse_expiry(text: str) -> Expiry:
    """Read `never`, or `tick:N`, `scenes:N`, `turns:N`, `event:NAME` joined with `|` (the first to come).

    >>> parse_expiry("event:restitution|tick:120")
    AnyOf(of=(OnEvent(name='restitution', match={}), AtTick(tick=120)))
    """
    endings: list[Expiry] = []
    for part in text.split("|"):
        name, _, value = part.strip().partition(":")
        match name:
            case "never":
                continue
            case "tick":
                endings.append(AtTick(int(value)))
            case "scenes":
                endings.append(AfterScenes(int(value)))
            case "turns":
                endings.append(AfterTurns(int(value)))
            case "event":
                endings.append(OnEvent(value))
            case _:
                raise ValueError(f"`{part}` is no expiry; there are never, tick:N, scenes:N, turns:N, event:NAME")
    if not endings:
        return NEVER
    return endings[0] if len(endings) == 1 else AnyOf(tuple(endings))


def parse_gate(raw: object) -> tuple[str, tuple[str, ...]]:
    """Read a gate into a CEL condition and the listeners it names; what cannot be read is an error, never an open gate.

    >>> parse_gate("event:fee_exposed|tick:90")
    ("happened('fee_exposed') || tick >= 90", ())
    >>> parse_gate({"listener_in": ["yselt"]})
    ('', ('yselt',))
    >>> parse_gate({"listener": "yselt", "event": "fee_exposed"})
    ("listener in ['yselt'] && happened('fee_exposed')", ())
    """
    if raw is None:
        return "", ()
    if isinstance(raw, str):
        return _gate_of_text(raw)
    if not isinstance(raw, Mapping) or not raw:
        raise TypeError(f"a gate is {_GATES}, a condition, or a mapping of {', '.join(_GATE_KEYS)}")
    unknown = [str(key) for key in raw if key not in _GATE_KEYS]
    if unknown:
        raise ValueError(f"a gate has no `{unknown[0]}`; there are {', '.join(_GATE_KEYS)}")
    named = tuple(
        group_scope(n.removeprefix("group:")) if n.startswith("group:") or key == "group" else n
        for key in _LISTENERS
        for n in names_in(raw.get(key))
    )
    conditions = _conditions(raw)
    if named and conditions:
        if any(":" in name for name in named):
            raise ValueError("a gate names a group or a condition, not both")
        conditions.insert(0, f"listener in {list(named)}")
        named = ()
    return " && ".join(conditions), named


_LISTENERS: Final = ("listener_in", "listener_is", "listener", "group", "to")
_GATE_KEYS: Final = (*_LISTENERS, "event", "tick", "scene", "when", "standing")
_GATES: Final = "event:NAME, tick:N, scene:N, listener:NAME, kept:KEY, broken:KEY, open:KEY, standing:SCOPE>=N, never"


def _conditions(raw: Mapping[str, object]) -> list[str]:
    parts = [_gate_text(f"event:{name}") for name in names_in(raw.get("event"))]
    parts += [_gate_text(f"{name}:{raw[name]}") for name in ("tick", "scene") if name in raw]
    parts += [str(raw["when"])] if "when" in raw else []
    standing = raw.get("standing")
    if isinstance(standing, Mapping):
        parts.append(_gate_text(f"standing:{standing.get('scope', 'general')}>={standing.get('min', 1)}"))
    elif standing is not None:
        raise TypeError("a gate's standing is a mapping with scope and min")
    return parts


def _gate_of_text(text: str) -> tuple[str, tuple[str, ...]]:
    """Read `listener:NAME` as a listener, and everything else as conditions joined with `|` (the first to come)."""
    parts = [part.strip() for part in (re.split(r"(?<!\|)\|(?!\|)", text))]
    named = tuple(p.removeprefix("listener:") for p in parts if p.startswith("listener:"))
    return " || ".join(_gate_text(p) for p in parts if not p.startswith("listener:")), named


def _gate_text(text: str) -> str:
    name, _, value = text.partition(":")
    match name:
        case "event":
            return f"happened('{value}')"
        case "tick" | "scene":
            return f"{name} >= {int(value)}"
        case "kept" | "fulfilled":
            return f"fulfilled('{value}')"
        case "broken" | "open":
            return f"{name}('{value}')"
        case "standing":
            scope, _, least = value.partition(">=")
            return f"standing(speaker, listener, '{scope.strip()}') >= {float(least or 1)}"
        case "never":
            return "false"
        case "always":
            return "true"
        case _:
            return text
