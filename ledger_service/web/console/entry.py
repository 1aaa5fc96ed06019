"""One entry of a ledger: its five questions, history, what it rests on and bears, who said it to whom."""

from typing import Annotated
from urllib.parse import urlencode

from litestar import Response, get
from litestar.params import FromPath, FromQuery, QueryParameter

from ledger_service.domain.entries import Commitment, EmotionalResidue, Hearsay, LedgerEntry, RelationshipDelta
from ledger_service.services.packets import packet_words as words
from ledger_service.services.reviewing.entry_questions import Eyes
from ledger_service.services.reviewing.standpoint import Standpoint
from ledger_service.services.reviewing.study_entry import EntryStudy, offered, study_entry
from ledger_service.web.console.desk import AtDesk
from ledger_service.web.console.entries import stand_query
from ledger_service.web.console.fields import number
from ledger_service.web.console.timeline import timeline_of

At = Annotated[str, QueryParameter(max_length=15)]
MOST_LISTENERS = 20


@get("/playthroughs/{playthrough_id:str}/entries/{entry_id:str}", patience=20)
async def entry_page(
    desk: AtDesk,
    playthrough_id: FromPath[str],
    entry_id: FromPath[str],
    seen: FromQuery[str] = "",
    to: FromQuery[list[str] | None] = None,
    at: At = "",
) -> Response[str]:
    """Show an entry as it stands from somewhere."""
    ears = tuple(dict.fromkeys(who for who in to or () if who))[:MOST_LISTENERS]
    eyes = Eyes(seen_by=seen.strip() or None, to=ears, at_seq=number("at", at))
    study = await study_entry(
        playthrough_id, entry_id, eyes, catalogue=desk.catalogue, open_uow=desk.reading,
        reader=desk.application.reading.reader,
    )  # fmt: skip
    desk.visit(playthrough_id)
    home = f"/playthroughs/{playthrough_id}"
    path = f"{home}/entries/{entry_id}"
    kept = {"seen": seen.strip()} if seen.strip() else {}
    return desk.page(
        "entries/entry.html.jinja",
        study=study,
        here=study.here,
        home=home,
        path=path,
        list_path=f"{home}/entries",
        stand=stand_query({"seen": seen.strip(), "at": at.strip()}),
        kept=urlencode(kept),
        timeline=timeline_of(study.here, path, kept),
        facts=facts_of(study.row.entry, study.here),
        words=words,
        offered=offered,
        listeners=listeners_of(study),
    )


def listeners_of(study: EntryStudy) -> tuple[tuple[str, str, bool], ...]:
    """Return everybody to whom it might be said: id, name, and whether they are meant now."""
    meant = study.eyes.to or ("player",)
    return tuple((who, name, who in meant) for who, name in study.here.people if who != study.speaker)


def facts_of(entry: LedgerEntry, here: Standpoint) -> tuple[tuple[str, str], ...]:
    """Return what an entry says besides its sentence, of what it says at all."""
    name = here.naming.person
    slot = entry.slot
    found: list[tuple[str, object]] = [
        ("source", f"{entry.source.kind}".replace("_", " ")),
        ("from", name(entry.source.by) if entry.source.by else ""),
        ("channel", entry.source.channel),
        ("in these words", entry.source.quote or ""),
        ("claim", "" if slot is None else f"{slot.subject} · {slot.predicate.replace('_', ' ')} · {slot.object}"),
        ("denies it", "yes" if slot is not None and not slot.polarity else ""),
        ("about", name(entry.subject) if entry.subject else ""),
        ("where", here.naming.place(entry.place)),
        ("happened", "" if entry.event_tick is None else words.clock(entry.event_tick)),
        ("said by", name(entry.said_by) if entry.said_by else ""),
        ("said to", words.names(entry.said_to, here.naming) if entry.said_to else ""),
        *_of_kind(entry, here),
        ("does not fade", "yes" if entry.protected else ""),
        ("written", f"{words.clock(entry.at.tick)}, scene {entry.at.scene}, event {entry.seq}"),
        ("id", entry.entry_id),
    ]
    return tuple((word, str(value)) for word, value in found if value)


def _of_kind(entry: LedgerEntry, here: Standpoint) -> list[tuple[str, object]]:
    name = here.naming.person
    match entry:
        case Hearsay():
            return [
                ("told by", name(entry.teller) if entry.teller else ""),
                ("retold", "once" if entry.hops == 1 else f"{entry.hops} times"),
                ("rung", entry.severity), ("heard as", entry.heard or ""),
                ("goes back to", words.names(entry.roots, here.naming) if entry.roots else ""),
            ]  # fmt: skip
        case Commitment():
            return [
                ("sort", entry.form), ("whose", name(entry.owner)), ("owed to", name(entry.to)),
                ("falls due with", (entry.trigger or "").replace("_", " ")),
                ("due", "" if entry.due is None else words.clock(entry.due)),
                ("kept when", entry.fulfilled_when), ("broken when", entry.broken_when),
            ]  # fmt: skip
        case RelationshipDelta():
            return [
                ("of", name(entry.from_whom)), ("towards", name(entry.to)), ("in", entry.scope.replace("_", " ")),
                ("by", f"{entry.amount:+g}"), ("axis", entry.axis), ("reason", entry.reason),
            ]  # fmt: skip
        case EmotionalResidue():
            return [("who", name(entry.holder)), ("feels", entry.emotion), ("how strongly", entry.intensity)]
        case _:
            return []


HANDLERS = (entry_page,)
