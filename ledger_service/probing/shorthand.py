"""The short forms that case files use: lists or single names, expiries, gates."""

from collections.abc import Mapping

from ledger_service.domain.expiry import NEVER, AfterScenes, AfterTurns, AnyOf, AtTick, Expiry, OnEvent
from ledger_service.domain.ids import group_scope


def names_in(value: object) -> tuple[str, ...]:
    """Return the names that a field holds, whether it is a list, one name or left out."""
    if value is None:
        return ()
    return (value,) if isinstance(value, str) else tuple(str(v) for v in value)  # type: ignore[attr-defined]


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
    """Read a gate into a CEL condition and the listeners it names.

    >>> parse_gate("event:fee_exposed")
    ("happened('fee_exposed')", ())
    >>> parse_gate({"listener_in": ["yselt"]})
    ('', ('yselt',))
    """
    if raw is None:
        return "", ()
    if isinstance(raw, str):
        return _gate_text(raw), ()
    if not isinstance(raw, Mapping):
        raise TypeError("a gate is `event:NAME`, `tick:N`, `never`, a condition, or a mapping with listener_in")
    named = tuple(
        group_scope(n.removeprefix("group:")) if n.startswith("group:") or key == "group" else n
        for key in ("listener_in", "listener_is", "listener", "group", "to")
        for n in names_in(raw.get(key))
    )
    parts = [_gate_text(f"event:{name}") for name in names_in(raw.get("event"))]
    parts += [_gate_text(f"tick:{raw['tick']}")] if "tick" in raw else []
    parts += [str(raw["when"])] if "when" in raw else []
    standing = raw.get("standing")
    if isinstance(standing, Mapping):
        parts.append(f"standing(speaker, listener, '{standing.get('scope', 'general')}') >= {standing.get('min', 1)}")
    return " && ".join(parts), named


def _gate_text(text: str) -> str:
    name, _, value = text.partition(":")
    match name:
        case "event":
            return f"happened('{value}')"
        case "tick":
            return f"tick >= {int(value)}"
        case "never":
            return "false"
        case "always":
            return "true"
        case _:
            return text
