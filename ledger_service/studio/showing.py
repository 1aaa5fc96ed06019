"""A packet, a line and its verdicts as plain text, for whoever reads why a step failed."""

from collections.abc import Iterator

from ledger_service.domain.packets import ContextPacket, Selected
from ledger_service.domain.replies import Reply
from ledger_service.domain.rubric import Scorecard
from ledger_service.services.packets.review_packet import Review

MOST_SHOWN = 40


def packet_in_words(review: Review) -> str:
    """Show what a speaker may draw on, acts on and was not given, with reasons, and the flags."""
    return "\n".join(_packet(review))


def _packet(review: Review) -> Iterator[str]:
    packet = review.stored.packet
    listeners = ", ".join(packet.audience)
    yield f"{packet.speaker} speaks to {listeners} at tick {packet.at.tick}, scene {packet.at.scene}"
    yield f"to answer: {packet.line or '(nothing)'}"
    yield from _part("selected", [f"{s.rank}. {s.statement}  [{', '.join(qualities(s))}]" for s in packet.selected])
    yield from _part("acts on, never says", [f"{a.statement}  ({a.why})" for a in packet.act_only])
    yield from _part("withheld", list(_withheld(review)))
    yield from _part("flags", [f"{f.kind}: {f.topic}" for f in packet.flags])
    yield from _part("rules", list(_rules(packet)))


def _part(title: str, lines: list[str]) -> Iterator[str]:
    if not lines:
        yield f"{title}: nothing"
        return
    yield f"{title}:"
    yield from (f"  {line}" for line in lines[:MOST_SHOWN])
    if len(lines) > MOST_SHOWN:
        yield f"  and {len(lines) - MOST_SHOWN} more"


def _withheld(review: Review) -> Iterator[str]:
    for held in review.withheld:
        detail = f" ({held.detail})" if held.detail else ""
        yield f"{review.statements.get(held.entry_id, held.entry_id)}  {held.reason}{detail}"


def _rules(packet: ContextPacket) -> Iterator[str]:
    for c in packet.consequences:
        asked = ", which is asked for," if c.asked else ""
        change = f"; it would change if {c.would_change}" if c.would_change else ""
        yield f"{c.action}{asked} is {c.outcome}: {c.because}{change}"


def qualities(item: Selected) -> tuple[str, ...]:
    """Return the words by which a selected entry can be asked for: how sure, how known, what has become of it."""
    by = (f"told by {item.teller}",) if item.teller else ()
    how = (item.how.replace("_", " "),) if item.how.replace("_", " ") not in {w.rsplit(" ", 1)[0] for w in by} else ()
    return tuple(dict.fromkeys((item.kind.replace("_", " "), item.band, *how, *by, item.status, *item.notes)))


def line_in_words(reply: Reply, card: Scorecard | None) -> str:
    """Show a line, and where it has been judged, what was found."""
    return "\n".join(_line(reply, card))


def _line(reply: Reply, card: Scorecard | None) -> Iterator[str]:
    yield f"the line, by {reply.responder}: “{reply.text}”"
    if reply.note:
        yield f"  ({reply.note})"
    if card is None:
        return
    for verdict in card.verdicts:
        yield f"  {verdict.axis.replace('_', ' ')}: {verdict.state}{f' ({verdict.why})' if verdict.why else ''}"
        for found in verdict.findings:
            span = f" «{found.span}»" if found.span else ""
            yield f"    {found.code}: {found.explanation}{span}"
    if not card.passed:
        yield f"  at fault: {card.fault}. {card.evidence}"
