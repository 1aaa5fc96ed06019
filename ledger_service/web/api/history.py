"""Events and entries: post a batch, page through the ledger, ask why."""

from typing import Annotated, Literal

from litestar import Response, Router, get, post
from litestar.params import FromPath, FromQuery, Parameter, QueryParameter
from msgspec import Struct

from ledger_service.bootstrap import Application, draw_comic
from ledger_service.domain.amendments import Amendment
from ledger_service.domain.entries import LedgerEntry, SourceKind
from ledger_service.domain.errors import ForbiddenError, UnknownEntryError
from ledger_service.domain.events import EventReceipt, GameEvent, RecordedEvent
from ledger_service.domain.rumours import ProvenanceChain
from ledger_service.domain.terms import stem
from ledger_service.ports import EntryFilter, Page
from ledger_service.rumours.provenance import in_words
from ledger_service.services.events.record_event import record_events
from ledger_service.services.gossip.explain_belief import Question, answer_why
from ledger_service.services.reviewing.list_entries import list_entries as page_of
from ledger_service.web.dependencies import App, Call, role
from ledger_service.web.examples import EVENTS

Limit = Annotated[int, Parameter(ge=1, le=500)]
Kind = Literal[
    "observation", "hearsay", "commitment", "relationship_delta", "contradiction", "emotional_residue"
]  # fmt: skip
AtSeq = Annotated[int | None, QueryParameter(name="at_seq", ge=0, description="As of this event; default is now.")]
AfterSeq = Annotated[int, QueryParameter(name="after_seq", ge=0, description="Only what came after this event.")]
Store = Literal["record", "graph"]
Format = Annotated[Literal["json", "words", "svg"], QueryParameter(name="format")]
DRAWING = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    "X-Content-Type-Options": "nosniff",
}
"""A drawing holds what characters said: a browser may run nothing and load nothing for it."""


class Batch(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Events to write together, all or nothing."""

    events: list[GameEvent]
    expected_seq: int | None = None


class Receipts(Struct, frozen=True, kw_only=True):
    """What became of each event, in order."""

    receipts: tuple[EventReceipt, ...]


class EntryWithHistory(Struct, frozen=True, kw_only=True):
    """An entry with what became of it."""

    entry: LedgerEntry
    amendments: tuple[Amendment, ...]


@post("/playthroughs/{playthrough_id:str}/events", needs="game", status_code=200)
async def post_events(playthrough_id: FromPath[str], data: Annotated[Batch, EVENTS], application: App) -> Receipts:
    """Record a batch: all of it or nothing, and once for each key."""
    receipts = await record_events(
        playthrough_id,
        data.events,
        open_uow=application.open_uow,
        embedder=application.reading.embedder,
        expected_seq=data.expected_seq,
    )
    return Receipts(receipts=receipts)


@get("/playthroughs/{playthrough_id:str}/events", needs="reviewer")
async def list_events(
    playthrough_id: FromPath[str], application: App, after_seq: AfterSeq = 0, limit: Limit = 100
) -> list[RecordedEvent]:
    """Return a stretch of the history, oldest first."""
    async with application.open_uow(playthrough_id) as uow:
        await uow.playthroughs.get(playthrough_id)
        return await uow.events.load(after_seq=after_seq, limit=limit)


@get("/playthroughs/{playthrough_id:str}/entries", needs="reviewer")
async def list_entries(
    playthrough_id: FromPath[str],
    application: App,
    limit: Limit = 50,
    after: FromQuery[str | None] = None,
    kind: FromQuery[Kind | None] = None,
    knower: FromQuery[str | None] = None,
    source: FromQuery[SourceKind | None] = None,
    word: FromQuery[str | None] = None,
    at_seq: AtSeq = None,
) -> Page:
    """Return a page of the ledger, newest first; `next_after` begins the next."""
    where = EntryFilter(kind=kind, knower=knower, source=source, term=stem(word) if word else None, at_seq=at_seq)
    return await page_of(playthrough_id, where, open_uow=application.open_uow, limit=limit, after=after)


@get("/playthroughs/{playthrough_id:str}/entries/{entry_id:str}", needs="reviewer")
async def show_entry(playthrough_id: FromPath[str], entry_id: FromPath[str], application: App) -> EntryWithHistory:
    """Return an entry with its history."""
    async with application.open_uow(playthrough_id) as uow:
        entries, amendments = await uow.ledger.get((entry_id,))
    if not entries:
        raise UnknownEntryError(entry_id)
    return EntryWithHistory(entry=entries[0], amendments=amendments)


@get("/playthroughs/{playthrough_id:str}/entries/{entry_id:str}/why", needs="game")
async def why_entry(
    playthrough_id: FromPath[str],
    entry_id: FromPath[str],
    request: Call,
    application: App,
    as_character: FromQuery[str | None] = None,
    store: FromQuery[Store] = "record",
    answer: Format = "json",
) -> Response[ProvenanceChain] | Response[str]:
    """Return where an entry comes from: as JSON, in words, or as a comic strip.

    A game key asks as a character, to whom only their own teller is named.
    """
    question = Question(entry_id=entry_id, as_character=as_character, is_asked_now=True)
    return await _explained(playthrough_id, question, request, application, store, answer)


@get("/playthroughs/{playthrough_id:str}/why", needs="game")
async def why(
    playthrough_id: FromPath[str],
    request: Call,
    application: App,
    holder: FromQuery[str | None] = None,
    about: FromQuery[str | None] = None,
    origin: FromQuery[str | None] = None,
    entry: FromQuery[str | None] = None,
    as_character: FromQuery[str | None] = None,
    store: FromQuery[Store] = "record",
    answer: Format = "json",
) -> Response[ProvenanceChain] | Response[str]:
    """Return why somebody believes what they most believe: about a subject, of an origin, or of all; or an entry."""
    question = Question(
        entry_id=entry, holder=holder, about=about, origin=origin, as_character=as_character, is_asked_now=True
    )
    return await _explained(playthrough_id, question, request, application, store, answer)


async def _explained(
    playthrough_id: str, question: Question, request: Call, application: Application, store: Store, answer: str
) -> Response[ProvenanceChain] | Response[str]:
    if question.as_character is None and role(request) == "game":
        raise ForbiddenError("game", "reviewer, or as_character")
    graph = application.graph if store == "graph" else None
    found = await answer_why(playthrough_id, question, open_uow=application.open_uow, graph=graph)
    match answer:
        case "words":
            lines = in_words(found.chain, naming=found.naming)
            return Response("\n".join((*lines, "")), media_type="text/plain")
        case "svg":
            return Response(draw_comic(found.chain, found.naming), media_type="image/svg+xml", headers=DRAWING)
        case _:
            return Response(found.chain)


router = Router(
    path="/", route_handlers=[post_events, list_events, list_entries, show_entry, why_entry, why], tags=["history"]
)
