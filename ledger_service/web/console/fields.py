"""Fields of forms and filters, read: a number that may be left out, one of several words."""

from enum import StrEnum
from typing import TypeVar

from ledger_service.domain.errors import MalformedError

Kind = TypeVar("Kind", bound=StrEnum)


def number(name: str, given: str) -> int | None:
    """Read a number that may be left out.

    Raises:
        MalformedError: it is none.
    """
    if not given.strip():
        return None
    if not (given.isascii() and given.strip().isdecimal()):
        raise MalformedError(name, f"{given!r} is no whole number")
    return int(given)


def one_of(kind: type[Kind], given: str, name: str) -> Kind:
    """Read one of several words.

    Raises:
        MalformedError: it is another.
    """
    try:
        return kind(given)
    except ValueError:
        raise MalformedError(name, f"{given!r} is none of {', '.join(kind)}") from None
