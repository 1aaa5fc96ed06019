"""A memory behind a filter: what an entry itself says it may not be told is left out, as a careful integrator would."""

from typing import Final

from msgspec.structs import replace

from ledger_service.domain.ids import EntryId
from ledger_service.domain.memory_contract import Ask, MemoryEntry, MemoryItem, Write
from ledger_service.ports import OutsideMemory

_MORE: Final = 3
"""Times as many are asked for, since some will be left out."""


class CarefulMemory:
    """Asks another memory for more, and hands on what the speaker knows and may say to all who listen."""

    def __init__(self, memory: OutsideMemory) -> None:
        self._memory = memory
        self._told: dict[str, dict[EntryId, MemoryEntry]] = {}
        self.name = f"{memory.name}, filtered"

    async def reset(self, scope: str) -> None:
        """Forget a scope."""
        self._told[scope] = {}
        await self._memory.reset(scope)

    async def write(self, told: Write) -> None:
        """Hand on what is told, and remember whom it may be told to."""
        self._told[told.scope].update({entry.id: entry for entry in told.entries})
        await self._memory.write(told)

    async def ask(self, question: Ask) -> tuple[MemoryItem, ...]:
        """Return what passes; an item without an id passes, since nothing is known of it."""
        found = await self._memory.ask(replace(question, limit=question.limit * _MORE))
        told = self._told[question.scope]
        passed = [item for item in found if item.id not in told or may_be_said(told[item.id], question)]
        return tuple(passed[: question.limit])


def may_be_said(entry: MemoryEntry, question: Ask) -> bool:
    """Say whether the speaker knows an entry and may say it to all who listen, by what the entry says of itself."""
    listeners = set(question.audience)
    if entry.quarantined or not {k.who for k in entry.knowers} & set(question.known_to):
        return False
    if listeners & set(entry.unaware):
        return False
    return entry.disclosure == "open" or (
        entry.disclosure == "guarded" and bool(entry.to) and listeners <= set(entry.to)
    )
