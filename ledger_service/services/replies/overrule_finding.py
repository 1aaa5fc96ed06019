"""A reviewer overrules a finding: a new score row with who and why, and an item for calibration."""

from typing import Any

from ledger_service.domain.entries import (
    Commitment,
    Contradiction,
    EmotionalResidue,
    Hearsay,
    LedgerEntry,
    RelationshipDelta,
    kind_of,
)
from ledger_service.domain.errors import ContentError, UnknownFindingError
from ledger_service.domain.ids import PlaythroughId, ReplyId
from ledger_service.domain.ledger import Ledger
from ledger_service.domain.packets import ContextPacket
from ledger_service.domain.rubric import Axis, Scorecard, State
from ledger_service.domain.texts import is_blank
from ledger_service.ports import OpenUnitOfWork, StoredReply
from ledger_service.scoring.overrule import find, overrule
from ledger_service.services.replies.score_reply import considered

_AXES = {"response": Axis.RESPONSE, "voice": Axis.VOICE, "gameplay": Axis.GAMEPLAY}


async def overrule_finding(
    playthrough_id: PlaythroughId,
    reply_id: ReplyId,
    code: str,
    *,
    by: str,
    why: str,
    open_uow: OpenUnitOfWork,
    span: str = "",
) -> StoredReply:
    """Take a finding out, keep the card that is left as a new row, and return the reply with it.

    Raises:
        UnknownReplyError: there is no such reply.
        UnknownFindingError: its score has no finding of this code (with these words).
        ContentError: nobody is named, or no reason is given.
    """
    for name, said in (("by", by), ("why", why)):
        if is_blank(said):
            raise ContentError(name, "is blank; a finding is overruled by somebody, for a reason")
    async with open_uow(playthrough_id) as uow:
        await uow.playthroughs.lock_state()
        kept = await uow.packets.get_reply(reply_id)
        finding = find(kept.scorecard, code, span=span) if kept.scorecard is not None else None
        if kept.scorecard is None or finding is None:
            raise UnknownFindingError(f"{code} on {reply_id}")
        await uow.packets.add_scorecard(reply_id, overrule(kept.scorecard, finding, by=by, why=why))
        after = await uow.packets.get_reply(reply_id)
        await uow.commit()
    return after


async def export_overruled(playthrough_id: PlaythroughId, *, open_uow: OpenUnitOfWork) -> dict[str, Any]:
    """Return every overruled reply as a labelled item, in the format that `reply check` reads."""
    async with open_uow(playthrough_id) as uow:
        items = []
        for kept in await uow.packets.overruled():
            stored = await uow.packets.get(kept.packet_id)
            ledger = await considered(stored.packet, uow)
            items.append(_item(kept, stored.packet, ledger))
    return {"version": 1, "items": items}


def _item(kept: StoredReply, packet: ContextPacket, ledger: Ledger) -> dict[str, Any]:
    card = kept.scorecard
    if card is None:
        raise UnknownFindingError(f"any on {kept.reply_id}")
    return {
        "id": kept.reply_id,
        "lang": "en",
        "now": {"tick": packet.at.tick, "scene": packet.at.scene},
        "entries": [_row(e, ledger) for e in ledger.entries.values()],
        "speaker": packet.speaker,
        "audience": list(packet.audience),
        "player_line": packet.line,
        "packet": {
            "include": [s.entry_id for s in packet.selected],
            "act_only": [a.entry_id for a in packet.act_only],
            "withheld_because": {w.entry_id: str(w.reason) for w in packet.withheld},
        },
        "consequences": {c.action: c.outcome for c in packet.consequences if c.asked},
        "reply": kept.reply.text,
        "expected": {
            **{name: _expected(card, axis) for name, axis in _AXES.items()},
            "findings": [
                {"code": str(f.code), "span": f.span, "entry": next(iter(f.entry_ids), None)}
                for axis in _AXES.values()
                for f in card.verdict(axis).findings
            ],
        },
        "difficulty": "hard",
        "overruled": [
            {"code": str(o.finding.code), "span": o.finding.span, "by": o.by, "why": o.why} for o in card.overruled
        ],
    }


def _expected(card: Scorecard, axis: Axis) -> str:
    state = card.verdict(axis).state
    return str(state) if state in {State.PASS, State.FAIL} else "na"


def _row(entry: LedgerEntry, ledger: Ledger) -> dict[str, Any]:
    kind = {"relationship_delta": "relationship", "emotional_residue": "residue"}.get(kind_of(entry), kind_of(entry))
    row: dict[str, Any] = {
        "key": entry.entry_id, "type": kind, "claim": entry.statement, "confidence": entry.confidence,
        "source": {"kind": str(entry.source.kind), "by": entry.source.by}, "at": entry.at.tick,
        "visible_to": [k.who for k in entry.knowers], "status": str(ledger.status_of(entry)),
    }  # fmt: skip
    match entry:
        case Commitment():
            row |= {"owner": entry.owner, "to": entry.to}
        case Contradiction():
            row["members"] = list(entry.members)
        case EmotionalResidue():
            row["intensity"] = str(entry.intensity)
        case RelationshipDelta():
            row |= {"subject": entry.to, "delta": entry.amount, "scope": entry.scope}
        case Hearsay():
            row["hops"] = entry.hops
        case _:
            pass
    return row
