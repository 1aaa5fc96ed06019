"""What any store can keep: an event or a world as it will be stored, with whole text and finite numbers."""

import math
from collections.abc import Callable
from typing import TypeVar

import msgspec

from ledger_service.domain.errors import ContentError
from ledger_service.domain.events import GameEvent
from ledger_service.domain.texts import LARGEST_NUMBER, MOST_LETTERS, is_blank, why_not_kept
from ledger_service.domain.worlds import World
from ledger_service.recording.chain import canonical

_Kept = TypeVar("_Kept")
_decode = msgspec.json.Decoder(GameEvent).decode
_decode_world = msgspec.json.Decoder(World).decode


def read_event(event: GameEvent) -> GameEvent:
    """Return an event as it will be kept, which for one built by hand checks what decoding checks.

    Raises:
        ContentError: text or numbers that no store can keep, or a field out of its range; with its path.
    """
    return _kept(event, "event", _decode)


def check_world(world: World) -> None:
    """See that a world can be kept as it is.

    Raises:
        ContentError: see `read_event`.
    """
    _kept(world, "world", _decode_world)


def check_said(text: str, path: str) -> None:
    """Refuse what was said where it cannot be kept, or is longer than anything that is said at once.

    Raises:
        ContentError: with its path.
    """
    if len(text) > MOST_LETTERS:
        raise ContentError(path, f"holds {len(text)} characters, and at most {MOST_LETTERS} are read")
    _check_text(text, path)


def _kept(value: GameEvent | World, what: str, decode: Callable[[bytes], _Kept]) -> _Kept:
    _check_plain(msgspec.to_builtins(value), what)
    try:
        return decode(canonical(value))
    except msgspec.ValidationError as error:
        why, _, path = str(error).partition(" - at `$.")
        raise ContentError(path.rstrip("`") or what, why) from error


def _check_plain(value: object, path: str) -> None:
    """Refuse what no store can keep: NUL, halves of surrogate pairs, numbers that are none or too large."""
    match value:
        case str():
            _check_text(value, path)
            if value and is_blank(value):
                raise ContentError(path, "is blank")
        case float() if not math.isfinite(value):
            raise ContentError(path, f"{value} is not a number")
        case int() if abs(value) > LARGEST_NUMBER:
            raise ContentError(path, f"{value} is too large")
        case dict():
            for key, inner in value.items():
                _check_text(str(key), path)
                _check_plain(inner, f"{path}.{key}")
        case list() | tuple():
            for i, inner in enumerate(value):
                _check_plain(inner, f"{path}[{i}]")
        case _:
            return


def _check_text(text: str, path: str) -> None:
    why = why_not_kept(text)
    if why is not None:
        raise ContentError(path, why)
