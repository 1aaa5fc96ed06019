"""Deliberately broken ledgers and selectors: each spoils what the honest path made, after it was made."""

from collections.abc import Callable
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from ledger_service.domain.amendments import Amendment
from ledger_service.domain.candidates import Candidates
from ledger_service.domain.confidence import band_of
from ledger_service.domain.entries import Commitment, Contradiction, Hearsay, LedgerEntry, SourceKind, Status, kind_of
from ledger_service.domain.ledger import LIVE, Ledger
from ledger_service.domain.moments import Moment
from ledger_service.domain.packets import ContextPacket, Reason, ScoreParts, Selected
from ledger_service.domain.rubric import Code, Fault, Gold
from ledger_service.reconcile.pipeline import reconcile

_BY_ITSELF: Final = frozenset({Status.EXPIRED, Status.LAPSED, Status.ENDED, Status.EASED})
_FEW: Final = 4


class Honest(Struct, frozen=True, kw_only=True):
    """What the honest path made for one question, and the whole ledger that it drew on."""

    candidates: Candidates
    moment: Moment
    packet: ContextPacket
    entries: tuple[LedgerEntry, ...]
    amendments: tuple[Amendment, ...]
    gold: Gold

    def ledger(self, entries: tuple[LedgerEntry, ...], amendments: tuple[Amendment, ...]) -> Ledger:
        """Fold entries and amendments as of the question."""
        state, world = self.candidates.state, self.candidates.world
        return Ledger(
            entries, amendments, roster=state.roster, at_seq=self.moment.seq, tick=state.at.tick,
            forgetting=world.forgetting, occurrences=state.occurrences,
        )  # fmt: skip


class Spoiled(Struct, frozen=True, kw_only=True):
    """A packet that no service may hand out, and the ledger that it pretends to rest on."""

    packet: ContextPacket
    ledger: Ledger
    is_active: bool
    """Something that matters came out otherwise."""


class BrokenMemory(Struct, frozen=True, kw_only=True):
    """One defect of a ledger or of a selector."""

    name: str
    means: str
    injects: Fault
    codes: tuple[Code, ...]
    spoils: Callable[[Honest], Spoiled]


def _again(honest: Honest, entries: tuple[LedgerEntry, ...], amendments: tuple[Amendment, ...]) -> ContextPacket:
    """Reconcile over a ledger that was kept wrongly."""
    return reconcile(replace(honest.candidates, entries=entries, amendments=amendments), honest.moment)


def _kept_wrongly(honest: Honest, change: Callable[[LedgerEntry], LedgerEntry]) -> Spoiled:
    """Write some entries otherwise; it is active where one of them is selected."""
    entries = tuple(change(e) for e in honest.candidates.entries)
    packet = _again(honest, entries, honest.candidates.amendments)
    changed = {new.entry_id for new, old in zip(entries, honest.candidates.entries, strict=True) if new != old}
    whole = tuple(change(e) for e in honest.entries)
    return Spoiled(
        packet=packet,
        ledger=honest.ledger(whole, honest.amendments),
        is_active=any(s.entry_id in changed for s in packet.selected),
    )


def _ignores_expiry(honest: Honest) -> Spoiled:
    """Let nothing end by itself."""

    def kept(amendments: tuple[Amendment, ...]) -> tuple[Amendment, ...]:
        return tuple(a for a in amendments if a.status not in _BY_ITSELF)

    packet = _again(honest, honest.candidates.entries, kept(honest.candidates.amendments))
    ended = [a for a in honest.amendments if a.status in _BY_ITSELF and a.reason == "its time came"]
    return Spoiled(
        packet=packet,
        ledger=honest.ledger(honest.entries, kept(honest.amendments)),
        is_active=any(a.entry_id == e.entry_id for a in ended for e in honest.entries),
    )


def _records_hearsay_as_seen(honest: Honest) -> Spoiled:
    """Write what was told as if it had been witnessed."""
    return _kept_wrongly(honest, _as_seen)


def _as_seen(entry: LedgerEntry) -> LedgerEntry:
    if not isinstance(entry, Hearsay):
        return entry
    return replace(entry, source=replace(entry.source, kind=SourceKind.WITNESSED, by=None))


def _records_wrong_owner(honest: Honest) -> Spoiled:
    """Write a commitment as owed by the one it is owed to."""
    return _kept_wrongly(honest, lambda e: replace(e, owner=e.to) if isinstance(e, Commitment) else e)


def _ranks_by_words(honest: Honest) -> Spoiled:
    """Keep the few that share most words with the line."""
    best = sorted(honest.packet.selected, key=lambda s: (-s.parts.words, s.entry_id))[:_FEW]
    packet = replace(honest.packet, selected=tuple(replace(s, rank=i) for i, s in enumerate(best, start=1)))
    lost = set(honest.gold.must_include) - {s.entry_id for s in best}
    return _selected_wrongly(honest, packet, is_active=bool(lost))


def _returns_everything(honest: Honest) -> Spoiled:
    """Hand over the whole ledger."""
    packet = _with_more(honest, list(honest.entries))
    shown = {s.entry_id for s in honest.packet.selected}
    return _selected_wrongly(honest, packet, is_active=any(_is_closed(e, honest) for e in honest.entries
                                                           if e.entry_id not in shown))  # fmt: skip


def _shows_hidden(honest: Honest) -> Spoiled:
    """Show the speaker what they do not know, and what they must not say."""
    hidden = [e for e in honest.entries if _is_hidden(e, honest)]
    return _selected_wrongly(honest, _with_more(honest, hidden), is_active=bool(hidden))


def _selected_wrongly(honest: Honest, packet: ContextPacket, *, is_active: bool) -> Spoiled:
    return Spoiled(packet=packet, ledger=honest.ledger(honest.entries, honest.amendments), is_active=is_active)


def _is_hidden(entry: LedgerEntry, honest: Honest) -> bool:
    ledger = honest.ledger(honest.entries, honest.amendments)
    acted = {a.entry_id for a in honest.packet.act_only}
    inputs = entry.members if isinstance(entry, Contradiction) else entry.derived_from
    seen = ledger.knows(honest.moment.viewer, entry.entry_id)
    return entry.entry_id in acted or (not seen and not inputs and ledger.status_of(entry) in LIVE)


def _is_closed(entry: LedgerEntry, honest: Honest) -> bool:
    """Say whether an entry is hidden or over, so that showing it is a fault and not merely noise."""
    ledger = honest.ledger(honest.entries, honest.amendments)
    return _is_hidden(entry, honest) or ledger.status_of(entry, viewer=honest.moment.viewer) not in LIVE


def _with_more(honest: Honest, entries: list[LedgerEntry]) -> ContextPacket:
    """Add entries to what is selected, and hold nothing back of them."""
    packet, shown = honest.packet, {s.entry_id for s in honest.packet.selected}
    more = [e for e in entries if e.entry_id not in shown]
    added = {e.entry_id for e in more}
    ledger = honest.ledger(honest.entries, honest.amendments)
    selected = [*packet.selected, *(_shown(e, i, ledger, honest) for i, e in enumerate(more, len(shown) + 1))]
    return replace(
        packet,
        selected=tuple(selected),
        act_only=tuple(a for a in packet.act_only if a.entry_id not in added),
        withheld=tuple(w for w in packet.withheld if w.entry_id not in added or w.reason is Reason.OFF_BRANCH),
    )


def _shown(entry: LedgerEntry, rank: int, ledger: Ledger, honest: Honest) -> Selected:
    held = ledger.entries[entry.entry_id]
    knower = ledger.knower_of(held, honest.moment.viewer)
    confidence = held.confidence if knower is None or knower.confidence is None else knower.confidence
    return Selected(
        entry_id=held.entry_id, kind=kind_of(held), statement=held.statement, rank=rank, parts=ScoreParts(),
        band=band_of(confidence), confidence=confidence, status=ledger.status_of(held), how=held.source.kind,
        tick=held.at.tick, seq=held.seq,
    )  # fmt: skip


MEMORIES: Final = (
    BrokenMemory(name="ignores_expiry", means="a ledger in which nothing ends by itself", injects=Fault.LEDGER,
                 codes=(Code.OVERDUE,), spoils=_ignores_expiry),
    BrokenMemory(name="records_hearsay_as_seen", means="a ledger that takes what is told for what was seen",
                 injects=Fault.LEDGER, codes=(Code.BAD_SOURCE,), spoils=_records_hearsay_as_seen),
    BrokenMemory(name="records_wrong_owner", means="a ledger in which a promise is owed by the one it was made to",
                 injects=Fault.LEDGER, codes=(Code.BAD_OWNER,), spoils=_records_wrong_owner),
    BrokenMemory(name="ranks_by_words", means="a selector that keeps the few with most words in common",
                 injects=Fault.SELECTION, codes=(Code.MISSING_ENTRY,), spoils=_ranks_by_words),
    BrokenMemory(name="returns_everything", means="a selector that hands over the whole ledger",
                 injects=Fault.SELECTION, codes=(Code.SECRET_SELECTED, Code.STALE_SELECTED),
                 spoils=_returns_everything),
    BrokenMemory(name="shows_hidden", means="a selector that shows what the speaker does not know or must not say",
                 injects=Fault.SELECTION, codes=(Code.SECRET_SELECTED,), spoils=_shows_hidden),
)  # fmt: skip
