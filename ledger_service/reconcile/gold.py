"""The gold packet: the packet of a moment, put right by what a probe expects of it; and who came next in rank."""

from collections.abc import Iterable
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from ledger_service.domain.candidates import Candidates
from ledger_service.domain.ids import EntryId
from ledger_service.domain.moments import Moment
from ledger_service.domain.packets import ContextPacket, Flag, FlagKind, Reason
from ledger_service.domain.rubric import Gold
from ledger_service.reconcile.disclose import disclose
from ledger_service.reconcile.flags import flags_of
from ledger_service.reconcile.pipeline import packet_of
from ledger_service.reconcile.rank import Ranked, rank, weigh
from ledger_service.reconcile.sift import Sift
from ledger_service.reconcile.view import View

SHOWN: Final = 5
_UNWANTED: Final = "the probe wants it out"


class Waiting(Struct, frozen=True, kw_only=True):
    """An entry that may be said and was left out, and how far it is behind the last that was taken."""

    entry_id: EntryId
    behind: int
    tokens: int


class Gilded(Struct, frozen=True, kw_only=True):
    """The packet that a probe expects, and what the packet that was built had room for."""

    packet: ContextPacket
    items: int
    tokens: int
    waiting: tuple[Waiting, ...]
    """Next in rank, best first."""


def gild(candidates: Candidates, moment: Moment, gold: Gold) -> Gilded:
    """Take in what must be in, leave out what must be out, set the flags; everything else is as the moment has it.

    `candidates` hold what must be in, also where the moment itself would not have called it up.
    """
    view = View(candidates, moment)
    disclosed = disclose(Sift(kept=view.considered), view)
    _, honest = rank(disclosed, view)
    put_right = _let_in(disclosed, set(gold.must_include), view).withhold(
        Reason.OFF_TOPIC, lambda e: _UNWANTED if e.entry_id in gold.must_exclude else None
    )
    sift, ranked = rank(put_right, view)
    sift, ranked = _with_all(sift, ranked, put_right, gold.must_include, view)
    flags = flags_as(gold, flags_of(disclosed, view))
    return Gilded(
        packet=packet_of(sift, ranked, flags, view),
        items=max(0, view.world.max_items - len(honest)),
        tokens=max(0, view.world.max_tokens - sum(r.tokens for r in honest)),
        waiting=_waiting(disclosed, honest, view),
    )


def _let_in(sift: Sift, wanted: set[EntryId], view: View) -> Sift:
    """Take what is wanted back from what was withheld or is acted on only."""
    out = [w.entry_id for w in sift.withheld] + [a.entry_id for a in sift.act_only]
    back = [view.ledger.entries[i] for i in out if i in wanted]
    kept = sorted((*sift.kept, *back), key=lambda e: (e.seq, e.entry_id))
    return replace(
        sift,
        kept=tuple(kept),
        act_only=tuple(a for a in sift.act_only if a.entry_id not in wanted),
        act_only_why=tuple(a for a in sift.act_only_why if a.entry_id not in wanted),
        withheld=tuple(w for w in sift.withheld if w.entry_id not in wanted),
    )


def _with_all(
    sift: Sift, ranked: tuple[Ranked, ...], before: Sift, wanted: Iterable[EntryId], view: View
) -> tuple[Sift, tuple[Ranked, ...]]:
    """Take in what is wanted though the budget had no room for it."""
    there = {r.entry.entry_id for r in ranked}
    late = [e for e in before.kept if e.entry_id in set(wanted) - there]
    if not late:
        return sift, ranked
    added = {e.entry_id for e in late}
    kept = sorted((*sift.kept, *late), key=lambda e: (e.seq, e.entry_id))
    withheld = tuple(w for w in sift.withheld if w.entry_id not in added)
    return replace(sift, kept=tuple(kept), withheld=withheld), (*ranked, *(weigh(e, view) for e in late))


def _waiting(sift: Sift, taken: tuple[Ranked, ...], view: View) -> tuple[Waiting, ...]:
    there = {r.entry.entry_id for r in taken}
    last = min((r.parts.total for r in taken), default=0)
    left = [weigh(e, view) for e in sift.kept if e.entry_id not in there]
    left.sort(key=lambda r: (-r.parts.total, r.entry.entry_id))
    return tuple(Waiting(entry_id=r.entry.entry_id, behind=last - r.parts.total, tokens=r.tokens) for r in left[:SHOWN])


def flags_as(gold: Gold, flags: tuple[Flag, ...]) -> tuple[Flag, ...]:
    """Return the flags without those that must not be there, and with those that must.

    >>> [f.label for f in flags_as(Gold(flags=("no_record:fire",)), ())]
    ['no_record:fire']
    """
    kept = [f for f in flags if not any(f.meets(text) for text in gold.flags_must_exclude)]
    missing = [text for text in gold.flags if not any(f.meets(text) for f in kept)]
    made = [Flag(kind=FlagKind(text.partition(":")[0]), topic=text.partition(":")[2]) for text in missing]
    return tuple(sorted((*kept, *made), key=lambda f: (f.kind, f.topic, f.entry_ids)))
