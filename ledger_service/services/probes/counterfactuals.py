"""The ground of counterfactuals: the gold packet of a failed cell, what kept an entry out, and who came next."""

from collections.abc import Iterable, Mapping

from msgspec import Struct

from ledger_service.domain.candidates import Candidates, line_terms, reach_of
from ledger_service.domain.counterfactuals import (
    NEVER_RECORDED,
    NOT_RECALLED,
    NOT_RETURNED,
    Headroom,
    Missing,
    Next,
)
from ledger_service.domain.ids import EntryId, PlaythroughId
from ledger_service.domain.ledger import Ledger
from ledger_service.domain.moments import Moment
from ledger_service.domain.packets import ContextPacket, Reason
from ledger_service.domain.rubric import Gold
from ledger_service.domain.worlds import World
from ledger_service.ports import OpenUnitOfWork, UnitOfWork
from ledger_service.reconcile.gold import Gilded, gild
from ledger_service.reconcile.pipeline import reconcile, seal
from ledger_service.services.events.story_state import story_state
from ledger_service.services.packets.build_packet import PacketRequest, Reading, compute_packet, similarity
from ledger_service.services.replies.score_reply import considered


class Question(Struct, frozen=True, kw_only=True):
    """What was asked, where, and what the probe expects of its packet."""

    playthrough_id: PlaythroughId
    request: PacketRequest
    gold: Gold
    open_uow: OpenUnitOfWork
    reading: Reading


class GoldGround(Struct, frozen=True, kw_only=True):
    """The packet that a probe expects, the ledger to judge it by, and what the packet that was built lacks."""

    packet: ContextPacket
    ledger: Ledger
    missing: tuple[Missing, ...]
    headroom: Headroom


async def gold_ground(question: Question, built: ContextPacket, names: Mapping[EntryId, str]) -> GoldGround:
    """Build the gold packet of a question, and look at what kept out of `built` whatever it should hold.

    Raises:
        LedgerError: it cannot be asked any more, or a store is away.
    """
    async with question.open_uow(question.playthrough_id) as uow:
        honest, moment, world = await compute_packet(question.request, uow, question.reading)
        candidates = await _candidates(question, moment, world, uow)
        gilded = gild(candidates, moment, question.gold)
        packet = seal(gilded.packet, question.reading.renderer.prompt(gilded.packet, world))
        ledger = await considered(packet, uow, also=question.gold.names)
    there = {s.entry_id for s in built.selected}
    lacking = [i for i in question.gold.must_include if i not in there]
    return GoldGround(
        packet=packet,
        ledger=ledger,
        missing=_missing(lacking, (built, honest), candidates, moment, names),
        headroom=_headroom(gilded, names),
    )


async def _candidates(question: Question, moment: Moment, world: World, uow: UnitOfWork) -> Candidates:
    """Return what the moment calls up, and what the probe expects besides."""
    state = await story_state(uow, at_seq=question.request.at_seq)
    reach = reach_of(moment.viewer, state.roster, at_seq=moment.seq)
    found, became = await uow.ledger.load_candidates(moment, terms=line_terms(moment), reach=reach)
    there = {e.entry_id for e in found}
    more, amended = await uow.ledger.get([i for i in question.gold.must_include if i not in there])
    entries = tuple(sorted((*found, *more), key=lambda e: (e.seq, e.entry_id)))
    near = similarity(entries, moment.line, question.reading.embedder)
    return Candidates(
        entries=entries, amendments=(*became, *amended), world=world, state=state, similarity=near
    )  # fmt: skip


def _missing(
    lacking: Iterable[EntryId],
    packets: tuple[ContextPacket, ContextPacket],
    candidates: Candidates,
    moment: Moment,
    names: Mapping[EntryId, str],
) -> tuple[Missing, ...]:
    """Say of each entry that a packet lacks what kept it out; beside it stands the one that the ledger gives."""
    built, honest = packets
    held = {s.entry_id for s in honest.selected}
    built_without, kept_out = _kept_out(built), _kept_out(reconcile(candidates, moment))
    there = {e.entry_id for e in candidates.entries}
    found = []
    for entry_id in lacking:
        if entry_id in built_without:
            reason, detail = built_without[entry_id]
        elif entry_id in held:
            reason, detail = NOT_RETURNED, "the ledger's own packet holds it"
        elif entry_id not in there:
            reason, detail = NEVER_RECORDED, "the ledger does not hold it"
        else:
            reason, detail = _not_recalled(*kept_out.get(entry_id, ("", "")))
        found.append(Missing(entry=names.get(entry_id, entry_id), reason=reason, detail=detail))
    return tuple(found)


def _not_recalled(reason: str, detail: str) -> tuple[str, str]:
    """Say of what was no candidate why it is out: closed to the speaker, or called up by nothing."""
    if reason not in {"", Reason.OFF_TOPIC, Reason.OVER_BUDGET}:
        return reason, detail
    return NOT_RECALLED, "neither the line nor the moment calls it up"


def _kept_out(packet: ContextPacket) -> dict[EntryId, tuple[str, str]]:
    withheld = {w.entry_id: (str(w.reason), w.detail) for w in packet.withheld}
    return withheld | {a.entry_id: ("act_only", a.why) for a in packet.act_only}


def _headroom(gilded: Gilded, names: Mapping[EntryId, str]) -> Headroom:
    waiting = tuple(
        Next(entry=names.get(w.entry_id, w.entry_id), behind=w.behind, tokens=w.tokens) for w in gilded.waiting
    )
    return Headroom(items=gilded.items, tokens=gilded.tokens, next=waiting)
