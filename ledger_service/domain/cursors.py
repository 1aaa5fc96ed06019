"""Where the next page begins, as text that a caller hands back; what is no such text is refused by name."""

import re
from typing import Final

from ledger_service.domain.errors import CursorError
from ledger_service.domain.ids import EntryId

_PLACE: Final = re.compile(r"([0-9]{1,15}):([^\x00-\x1f\ud800-\udfff]{1,200})")
_ID: Final = re.compile(r"[\w-]{1,64}", re.ASCII)


def place_after(seq: int, entry_id: EntryId) -> str:
    """Write down the last entry of a page."""
    return f"{seq}:{entry_id}"


def read_place(after: str) -> tuple[int, EntryId]:
    """Return the (seq, entry id) of the last entry that was shown.

    >>> read_place(place_after(7, "e7.1"))
    (7, 'e7.1')

    Raises:
        CursorError: it is none that a page ended with.
    """
    found = _PLACE.fullmatch(after)
    if found is None:
        raise CursorError(after)
    return int(found[1]), found[2]


def read_id(after: str) -> str:
    """Return the id of the last playthrough or packet that was shown.

    Raises:
        CursorError: it can be nobody's id.
    """
    if _ID.fullmatch(after) is None:
        raise CursorError(after)
    return after
