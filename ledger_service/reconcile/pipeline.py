"""The steps in order: candidates and a moment in, a context packet out. Pure and deterministic."""

import msgspec

from ledger_service.domain.candidates import Candidates
from ledger_service.domain.confidence import band_of
from ledger_service.domain.entries import (
    Commitment,
    EmotionalResidue,
    Hearsay,
    LedgerEntry,
    Observation,
    RelationshipDelta,
    SourceKind,
    kind_of,
)
from ledger_service.domain.ids import CharacterId
from ledger_service.domain.moments import Moment
from ledger_service.domain.packets import ContextPacket, Flag, Selected, hash_of
from ledger_service.domain.story_time import in_words
from ledger_service.reconcile import attach
from ledger_service.reconcile.disclose import disclose
from ledger_service.reconcile.flags import conflicting_pairs, flags_of
from ledger_service.reconcile.rank import Ranked, rank
from ledger_service.reconcile.sift import Sift
from ledger_service.reconcile.view import View


def reconcile(candidates: Candidates, moment: Moment) -> ContextPacket:
    """Disclose, rank, attach: hand the speaker exactly what they may draw on.

    What time and events have ended, settled and set at odds is already in the ledger's amendments.
    """
    view = View(candidates, moment)
    disclosed = disclose(Sift(kept=view.considered), view)
    flags = flags_of(disclosed, view)
    sift, ranked = rank(disclosed, view)
    return packet_of(sift, ranked, flags, view)


def packet_of(sift: Sift, ranked: tuple[Ranked, ...], flags: tuple[Flag, ...], view: View) -> ContextPacket:
    """Attach what follows from the entries that were chosen, and put the packet together."""
    moment = view.moment
    return ContextPacket(
        speaker=moment.speaker,
        audience=moment.audience,
        pov=moment.pov,
        at=moment.at,
        seq=moment.seq,
        line=moment.line,
        intent=moment.intent,
        selected=_selected(ranked, view),
        act_only=sift.act_only_why,
        withheld=tuple(sorted(sift.withheld, key=lambda w: w.entry_id)),
        flags=flags,
        commitments=attach.commitments(sift.kept, view),
        standings=attach.standings(sift.kept, view),
        residue=attach.residue(sift.kept, view),
        consequences=attach.consequences(view),
        tokens=sum(r.tokens for r in ranked),
        world_version=view.state.world_version,
    )


def seal(packet: ContextPacket, prompt: str) -> ContextPacket:
    """Add the rendered prompt, and the hash over everything."""
    whole = msgspec.structs.replace(packet, prompt=prompt, hash="")
    return msgspec.structs.replace(whole, hash=hash_of(whole))


def _selected(ranked: tuple[Ranked, ...], view: View) -> tuple[Selected, ...]:
    disputed = {e.entry_id for pair in conflicting_pairs([r.entry for r in ranked], view) for e in pair}
    return tuple(_select(r, position, view, disputed) for position, r in enumerate(ranked, start=1))


def _select(ranked: Ranked, position: int, view: View, disputed: set[str]) -> Selected:
    entry = ranked.entry
    knower = view.knower_of(entry)
    confidence = entry.confidence if knower is None or knower.confidence is None else knower.confidence
    teller = _teller(entry, view)
    band = band_of(confidence)
    return Selected(
        entry_id=entry.entry_id,
        kind=kind_of(entry),
        statement=entry.statement,
        rank=position,
        parts=ranked.parts,
        band=view.world.band_names.get(band, band),
        confidence=confidence,
        status=view.status_of(entry),
        how=knower.how if knower is not None and knower.how else entry.source.kind,
        tick=entry.at.tick,
        seq=entry.seq,
        teller=teller,
        notes=_notes(entry, view, teller=teller, disputed=entry.entry_id in disputed),
        fields=_fields(entry, view),
        rests_on=entry.derived_from,
        tokens=ranked.tokens,
    )


def _teller(entry: LedgerEntry, view: View) -> CharacterId | None:
    """Name the speaker's own teller, and nobody deeper."""
    knower = view.knower_of(entry)
    if knower is not None and knower.from_whom is not None:
        return knower.from_whom
    told = entry.source.kind in {SourceKind.TOLD_BY, SourceKind.OVERHEARD, SourceKind.PLAYER_CLAIM}
    teller = entry.teller if isinstance(entry, Hearsay) else None
    by = teller or (entry.source.by if told else None)
    return by if by != view.viewer else None


def _notes(entry: LedgerEntry, view: View, *, teller: CharacterId | None, disputed: bool) -> tuple[str, ...]:
    notes = []
    if entry.source.kind is SourceKind.PLAYER_CLAIM:
        notes.append("only said so")
    elif teller is not None:
        notes.append("second hand")
    if entry.source.kind is SourceKind.INFERRED and not isinstance(entry, RelationshipDelta):
        notes.append("inferred")
    if disputed:
        notes.append("disputed")
    if isinstance(entry, Commitment) and view.is_due(entry):
        notes.append("due now")
    return tuple(notes)


def _fields(entry: LedgerEntry, view: View) -> dict[str, str]:
    """Return what else must be printed, so that the line is not read as somebody else's or as today's."""
    fields = {"when": in_words(view.moment.at.tick - entry.at.tick)}
    if entry.event_tick is not None:
        fields["event_at"] = f"tick {entry.event_tick}, {in_words(view.moment.at.tick - entry.event_tick)}"
    if entry.said_by is not None:
        fields["said_by"] = entry.said_by
    if entry.said_to:
        fields["said_to"] = ", ".join(entry.said_to)
    if entry.place is not None:
        fields["place"] = entry.place
    return fields | _kind_fields(entry)


def _kind_fields(entry: LedgerEntry) -> dict[str, str]:
    match entry:
        case Commitment():
            more = {"owner": entry.owner, "to": entry.to, "form": str(entry.form)}
            more |= {"due": f"tick {entry.due}"} if entry.due is not None else {}
            return more | ({"trigger": entry.trigger} if entry.trigger else {})
        case RelationshipDelta():
            return {"towards": entry.to, "scope": entry.scope, "amount": f"{entry.amount:+g}"}
        case EmotionalResidue():
            return {"emotion": entry.emotion, "intensity": str(entry.intensity)}
        case Observation(claimed_value=claimed, believed_value=believed) if claimed is not None:
            return {"claimed": claimed, "believed": believed or ""}
        case _:
            return {}
