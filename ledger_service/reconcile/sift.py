"""Sift: kept, withheld and act-only entries, passed from step to step so that each leaves exactly once."""

from collections.abc import Callable
from typing import Self

import msgspec
from msgspec import Struct

from ledger_service.domain.entries import LedgerEntry, kind_of
from ledger_service.domain.packets import ActOnly, Reason, Withheld

Judge = Callable[[LedgerEntry], str | None]
"""Returns why an entry is caught (a detail, which may be empty), or None to let it pass."""


class Sift(Struct, frozen=True, kw_only=True):
    """Where every considered entry stands between two steps."""

    kept: tuple[LedgerEntry, ...]
    act_only: tuple[LedgerEntry, ...] = ()
    act_only_why: tuple[ActOnly, ...] = ()
    withheld: tuple[Withheld, ...] = ()

    def withhold(self, reason: Reason, judge: Judge) -> Self:
        """Move what the judge catches to the withheld."""
        kept, caught = self._split(judge)
        moved = tuple(Withheld(entry_id=e.entry_id, reason=reason, detail=why) for e, why in caught)
        return msgspec.structs.replace(self, kept=kept, withheld=self.withheld + moved)

    def withhold_by(self, judge: Callable[[LedgerEntry], tuple[Reason, str] | None]) -> Self:
        """Move what the judge catches to the withheld, each with the reason it names."""
        kept: list[LedgerEntry] = []
        moved: list[Withheld] = []
        for entry in self.kept:
            verdict = judge(entry)
            if verdict is None:
                kept.append(entry)
            else:
                moved.append(Withheld(entry_id=entry.entry_id, reason=verdict[0], detail=verdict[1]))
        return msgspec.structs.replace(self, kept=tuple(kept), withheld=self.withheld + tuple(moved))

    def act_on(self, judge: Judge) -> Self:
        """Move what the judge catches to what is acted on and never said."""
        kept, caught = self._split(judge)
        lines = tuple(
            ActOnly(entry_id=e.entry_id, kind=kind_of(e), statement=e.statement, why=why) for e, why in caught
        )
        return msgspec.structs.replace(
            self,
            kept=kept,
            act_only=self.act_only + tuple(e for e, _ in caught),
            act_only_why=self.act_only_why + lines,
        )

    def _split(self, judge: Judge) -> tuple[tuple[LedgerEntry, ...], list[tuple[LedgerEntry, str]]]:
        verdicts = [(entry, judge(entry)) for entry in self.kept]
        kept = tuple(entry for entry, why in verdicts if why is None)
        return kept, [(entry, why) for entry, why in verdicts if why is not None]
