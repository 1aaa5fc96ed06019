"""The five questions that every entry answers, in plain words."""

from collections.abc import Iterable
from typing import Final

from msgspec import Struct

from ledger_service.domain.entries import LedgerEntry, Status
from ledger_service.domain.ids import CharacterId
from ledger_service.domain.ledger import LIVE, Ledger
from ledger_service.domain.packets import ContextPacket
from ledger_service.domain.visibility import Knower
from ledger_service.services.packets import packet_words as w
from ledger_service.services.reviewing.standpoint import Standpoint

MOST_KNOWERS: Final = 12


class Eyes(Struct, frozen=True, kw_only=True):
    """From when, through whose eyes, and to whom it might be said."""

    seen_by: CharacterId | None = None
    to: tuple[CharacterId, ...] = ()
    at_seq: int | None = None


class Answer(Struct, frozen=True, kw_only=True):
    """One of the five questions, with what is to be said to it."""

    question: str
    said: tuple[str, ...]
    verdict: str = ""
    """`yes`, `no` or nothing, where it is a question of yes or no."""


def answers(
    entry: LedgerEntry,
    ledger: Ledger,
    here: Standpoint,
    eyes: Eyes,
    speaker: CharacterId | None,
    packet: ContextPacket | None,
) -> Iterable[Answer]:
    """Answer the five questions of an entry; `packet` is what the speaker could say if asked about this very thing."""
    naming, knowers = here.naming, _with_own_first(entry, eyes.seen_by)
    more = () if len(entry.knowers) <= MOST_KNOWERS else (f"and {len(entry.knowers) - MOST_KNOWERS} more",)
    unaware = (f"{w.names(entry.unaware, naming)} must not learn it",) if entry.unaware else ()
    who = (f"{w.scope(k.who, naming)}, since {w.clock(k.since_tick)}" for k in knowers)
    yield Answer(question="Who knows it?", said=(*who, *more, *unaware))
    yield Answer(question="How did they learn it?", said=tuple(w.knower_in_words(k, entry, naming) for k in knowers))
    yield Answer(question="How sure are they?", said=tuple(_sure(entry, ledger, here, eyes)))
    yield _may_say(entry, here, speaker, packet)
    yield Answer(question="What would change or end it?", said=(_end(entry, ledger, here),))


def _with_own_first(entry: LedgerEntry, viewer: CharacterId | None) -> tuple[Knower, ...]:
    return tuple(sorted(entry.knowers, key=lambda k: k.who != viewer)[:MOST_KNOWERS])


def _sure(entry: LedgerEntry, ledger: Ledger, here: Standpoint, eyes: Eyes) -> Iterable[str]:
    people = [eyes.seen_by] if eyes.seen_by else [k.who for k in entry.knowers if k.who in here.naming.people]
    if not people:
        yield f"it stands with {entry.confidence:.2f}, {here.naming.band(entry.confidence)}"
    for who in people[:MOST_KNOWERS]:
        knower = ledger.knower_of(entry, who)
        if knower is None:
            yield f"{here.naming.person(who)} does not know it"
            continue
        held = entry.confidence if knower.confidence is None else knower.confidence
        yield f"{w.how_sure(who, held, here.naming)} ({held:.2f}, {here.naming.band(held)})"


def _may_say(
    entry: LedgerEntry, here: Standpoint, speaker: CharacterId | None, packet: ContextPacket | None
) -> Answer:  # fmt: skip
    question = "May they reveal it now, to these listeners?"
    at_all = f"at all: {w.gate(entry, here.naming)}"
    if packet is None or speaker is None:
        return Answer(question=question, said=("no person of the story knows it", at_all), verdict="no")
    who, naming = here.naming.person(speaker), here.naming
    ears = w.names(packet.audience, naming)
    item = next((s for s in packet.selected if s.entry_id == entry.entry_id), None)
    if item is not None:
        said = f"{who} {w.may_say(entry, packet.audience, naming, teller=item.teller)}, asked about it by {ears}"
        return Answer(question=question, said=(said, at_all), verdict="yes")
    acted = next((a for a in packet.act_only if a.entry_id == entry.entry_id), None)
    if acted is not None:
        said = f"{who} acts on it before {ears}, and never says it: {_named(acted.why, here)}"
        return Answer(question=question, said=(said, at_all), verdict="no")
    row = next((r for r in packet.withheld if r.entry_id == entry.entry_id), None)
    why = "it is not at hand" if row is None else w.why_withheld(row.reason, speaker, naming)
    detail = f" ({_named(row.detail, here)})" if row is not None and row.detail else ""
    return Answer(question=question, said=(f"{who} does not say it to {ears}: {why}{detail}", at_all), verdict="no")


def _named(text: str, here: Standpoint) -> str:
    """Put people's names where a reason has their ids."""
    return " ".join(
        here.naming.people.get(bare, bare) + word[len(bare) :]
        for word in text.split(" ")
        for bare in (word.rstrip(",;."),)
    )


def _end(entry: LedgerEntry, ledger: Ledger, here: Standpoint) -> str:
    status = ledger.status_of(entry)
    over = status not in LIVE | {Status.QUARANTINED, Status.SUSPENDED}
    if over:
        return f"it is {str(status).replace('_', ' ')} already; what is over is kept, and said to be over"
    if status is Status.QUARANTINED:
        return f"it is a draft: a game event or a person confirms or drops it; {w.ending(entry, here.world)}"
    return w.ending(entry, here.world)
