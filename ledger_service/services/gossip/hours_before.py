"""Hours asked for under a key before: what they came to, and whether the rest of them may still follow."""

from typing import Final

from msgspec import Struct, structs

from ledger_service.domain.errors import DuplicateKeyError
from ledger_service.domain.events import EventReceipt, HourPassed, HoursAsked, Outcome, RecordedEvent
from ledger_service.domain.ids import PlaythroughId
from ledger_service.ports import OpenUnitOfWork, UnitOfWork

ARRIVED: Final = "arrived"
DUE: Final = "due"
_AT_ONCE: Final = 200

Recorded = dict[str, tuple[RecordedEvent, EventReceipt]]


class HoursBefore(Struct, frozen=True, kw_only=True):
    """How many of the hours asked for had gone by, what they came to, and where the history ends."""

    hours: int = 0
    receipts: tuple[EventReceipt, ...] = ()
    seq: int | None = None


NONE_BEFORE: Final = HoursBefore()


def part_key(key: str, number: int, of: str = "") -> str:
    """Return the key of an hour, or of what belongs to it.

    >>> part_key("evening", 0), part_key("evening", 2, DUE)
    ('evening:0', 'evening:2:due')
    """
    return f"{key}:{number}:{of}" if of else f"{key}:{number}"


async def hours_before(
    playthrough_id: PlaythroughId, key: str, asked: HoursAsked, *, open_uow: OpenUnitOfWork
) -> HoursBefore:
    """Return what had gone by of hours that were asked for under this key before, in part or whole.

    Raises:
        DuplicateKeyError: it was given other hours, or the rest of them would no longer follow on the first.
    """
    async with open_uow(playthrough_id) as uow:
        first = (await uow.events.find_by_keys([part_key(key, 0)])).get(part_key(key, 0))
        if first is None:
            return NONE_BEFORE
        _check_same(key, asked, first[0])
        hours, receipts = await _passed(key, asked.hours, uow)
        state = await uow.playthroughs.state()
    if hours < asked.hours and receipts[-1].at.tick != state.at.tick:
        raise DuplicateKeyError(
            key,
            f"for {asked.hours} hours, of which {hours} went by before time went on without the rest",
            cure=f"let the {asked.hours - hours} that are left go by under a new key",
        )
    return HoursBefore(hours=hours, receipts=receipts, seq=state.seq)


def _check_same(key: str, asked: HoursAsked, first: RecordedEvent) -> None:
    given = first.event.asked if isinstance(first.event, HourPassed) else None
    if not isinstance(given, HoursAsked):
        raise DuplicateKeyError(key, "for something else than hours asked for at once", cure="take a new key")
    if given != asked:
        what = f"for {given.hours} hours, not {asked.hours}" if given.hours != asked.hours else "for other regions"
        raise DuplicateKeyError(key, what, cure="send what was sent under it first, or take a new key")


async def _passed(key: str, hours: int, uow: UnitOfWork) -> tuple[int, tuple[EventReceipt, ...]]:
    """Return how many hours are on record one after another, and every receipt of them."""
    receipts: list[EventReceipt] = []
    for begin in range(0, hours, _AT_ONCE):
        numbers = range(begin, min(begin + _AT_ONCE, hours))
        found = await uow.events.find_by_keys([part_key(key, n, of) for n in numbers for of in (ARRIVED, "", DUE)])
        for number in numbers:
            if part_key(key, number) not in found:
                return number, tuple(receipts)
            receipts += _of_hour(key, number, found)
    return hours, tuple(receipts)


def _of_hour(key: str, number: int, found: Recorded) -> list[EventReceipt]:
    """Return the receipts of one hour in the order in which they were written, as they are on being asked again."""
    parts = [found[k] for of in (ARRIVED, "", DUE) if (k := part_key(key, number, of)) in found]
    return [structs.replace(receipt, outcome=Outcome.UNCHANGED) for _, receipt in parts]
