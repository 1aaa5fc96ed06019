"""The spyglass: a playthrough's people, trust and stories as a drawing, hour by hour, and what the graph is asked."""

from collections.abc import AsyncIterator, Iterable
from typing import Annotated, Any

import anyio
import anyio.to_thread
from litestar import Response, get, post
from litestar.exceptions import NotFoundException
from litestar.params import FromPath, QueryParameter
from litestar.response import Redirect, ServerSentEvent
from msgspec import Struct
from msgspec.structs import asdict

from ledger_service.domain.errors import MalformedError, SequenceTakenError
from ledger_service.domain.events import EventReceipt
from ledger_service.services.gossip.advance_gossip import Passing, advance_gossip
from ledger_service.services.influence.look_around import Look, look_around, refusal_in_words, until_evening
from ledger_service.services.reviewing.browse_playthroughs import last_event
from ledger_service.web.console import live
from ledger_service.web.console.addresses import with_query
from ledger_service.web.console.constellation import Wanted, constellation
from ledger_service.web.console.desk import AtDesk, Desk
from ledger_service.web.console.entries import choose
from ledger_service.web.console.fields import number
from ledger_service.web.console.rendering import render
from ledger_service.web.console.stories import ToldStory, chosen_story, stories_of

Id = Annotated[str, QueryParameter(max_length=200)]
Seq = Annotated[str, QueryParameter(max_length=15)]
LOOK_SECONDS = 0.5
MOST_QUERIES = 30
PAGE = 100


class Glance(Struct, frozen=True, kw_only=True):
    """What somebody looks for: a story, a person, a way; it is kept in the page's address."""

    story: str = ""
    who: str = ""
    labels: str = ""
    teller: str = ""
    listener: str = ""
    since: str = ""
    people: str = ""

    def query(self, **changes: object) -> str:
        """Return the query of an address that looks for something else besides.

        >>> Glance(who="ilsa").query(since=0)
        '?who=ilsa&since=0'
        """
        return with_query("", asdict(self) | changes)


@get("/playthroughs/{playthrough_id:str}/spyglass", patience=20)
async def spyglass_page(  # noqa: PLR0913, PLR0917  (each is something to look for)
    desk: AtDesk,
    playthrough_id: FromPath[str],
    story: Id = "",
    who: Id = "",
    labels: Seq = "",
    teller: Id = "",
    listener: Id = "",
    since: Seq = "",
    people: Seq = "",
) -> Response[str]:
    """Show the graph of a playthrough as it stands."""
    glance = Glance(
        story=story, who=who, labels=labels, teller=teller, listener=listener, since=since, people=people
    )  # fmt: skip
    look = await look_around(
        playthrough_id, catalogue=desk.catalogue, open_uow=desk.reading, graph=desk.application.graph,
        since=number("since", since), between=(teller, listener) if teller and listener else None,
        queries=MOST_QUERIES,
    )  # fmt: skip
    desk.visit(playthrough_id)
    return await _shown(desk, look, glance)


async def _shown(desk: Desk, look: Look, glance: Glance) -> Response[str]:
    told = stories_of(look.picture.stories)
    story = chosen_story(told, glance.story)
    names = {c.id: c.name or look.here.naming.person(c.id) for c in look.picture.characters}
    way = look.ways.found.route.people if look.ways is not None and look.ways.found is not None else ()
    rank = {one.who: place for place, one in enumerate(look.influence.believed)}
    wanted = Wanted(
        story=story, who=glance.who or None, way=way, has_labels=bool(glance.labels), rank=rank, names=names,
        places={p.id: p.name for p in look.picture.places},
    )  # fmt: skip
    drawing = await anyio.to_thread.run_sync(constellation, look.picture, wanted)
    home = f"/playthroughs/{look.here.listed.playthrough.playthrough_id}"
    first = (number("people", glance.people) or 0) // PAGE * PAGE
    rows = rows_of(look, story, names)
    return desk.page(
        "spyglass/spyglass.html.jinja",
        look=look,
        here=look.here,
        drawing=drawing,
        stories=told,
        story=story,
        glance=glance,
        names=names,
        home=home,
        path=f"{home}/spyglass",
        rows=rows[first : first + PAGE],
        first=first,
        more=first + PAGE if first + PAGE < len(rows) else 0,
        of_one=next((row for row in rows if row.who == glance.who), None),
        evening=until_evening(look.here.at.tick),
        refused=refusals_of(look),
        refusal_in_words=refusal_in_words,
        asked=look.queries,
    )


class PersonRow(Struct, frozen=True, kw_only=True):
    """Somebody as the table says it."""

    who: str
    name: str
    place: str
    believes: tuple[tuple[str, float], ...]
    """Whom, and how much; most first."""
    believed_by: tuple[tuple[str, float], ...]
    story: ToldStory | None
    is_player: bool = False

    @property
    def held(self) -> Any:  # noqa: ANN401
        """What they hold of the chosen story."""
        return None if self.story is None else self.story.held.get(self.who)


def rows_of(look: Look, story: ToldStory | None, names: dict[str, str]) -> list[PersonRow]:
    """Return everybody in words, those who hold the story first, then by name."""
    places = {p.id: p.name for p in look.picture.places}
    believes: dict[str, list[tuple[str, float]]] = {}
    believed: dict[str, list[tuple[str, float]]] = {}
    for t in sorted(look.picture.trusts, key=lambda t: (-t.trust, t.listener, t.teller)):
        believes.setdefault(t.listener, []).append((t.teller, t.trust))
        believed.setdefault(t.teller, []).append((t.listener, t.trust))
    rows = [
        PersonRow(
            who=c.id, name=names[c.id], place=places.get(c.place or "", c.place or ""), story=story,
            believes=tuple(believes.get(c.id, ())), believed_by=tuple(believed.get(c.id, ())), is_player=c.is_player,
        )
        for c in look.picture.characters
    ]  # fmt: skip
    return sorted(rows, key=lambda row: (row.held is None, row.name.casefold(), row.who))


def refusals_of(look: Look) -> dict[str, int]:
    """Return how often something was not passed on in the hours that are shown, by reason."""
    found: dict[str, int] = {}
    for hour in look.hours:
        for reason, count in hour.refused.items():
            found[reason] = found.get(reason, 0) + count
    return dict(sorted(found.items(), key=lambda one: (-one[1], one[0])))


@post("/playthroughs/{playthrough_id:str}/spyglass/hours", patience=20)
async def let_hours_go_by(desk: AtDesk, playthrough_id: FromPath[str]) -> Redirect:
    """Let an hour go by, or all until evening, and show what came of them."""
    form = desk.form
    before = number("at_seq", form.get("at_seq", ""))
    hours = number("hours", form.get("hours", "1")) or 1
    if hours > 24:  # noqa: PLR2004
        raise MalformedError("hours", "no more than a day goes by at once")
    await last_event(playthrough_id, open_uow=desk.reading)
    kept = Glance(**{name: form.get(name, "") for name in ("story", "who", "labels", "teller", "listener")})
    application = desk.application
    passed = advance_gossip(
        playthrough_id,
        Passing(hours=hours, expected_seq=before),
        open_uow=desk.writing("hour passed", playthrough_id),
        embedder=application.reading.embedder,
        graph=application.graph,
        queue=application.mirror_queue,
    )
    try:
        receipts = [receipt async for receipt in passed]
    except SequenceTakenError as error:
        return desk.done(f"/playthroughs/{playthrough_id}/spyglass{kept.query()}", meanwhile(error), tone="bad")
    said = went_by(desk, playthrough_id, hours, receipts)
    query = kept.query(since=receipts[0].seq - 1)
    return desk.done(f"/playthroughs/{playthrough_id}/spyglass{query}#hours", said)


def went_by(desk: Desk, playthrough_id: str, hours: int, receipts: Iterable[EventReceipt]) -> str:
    """Leave what was told for the voice, and say how much it was."""
    told = sum(len(receipt.tellings) for receipt in receipts)
    if told:
        desk.application.leave_for_the_voice(playthrough_id)
    return f"{hours} hour{'s' if hours > 1 else ''} went by: {told} telling{'' if told == 1 else 's'}."


def meanwhile(error: SequenceTakenError) -> str:
    """Say that what was asked for was asked for another moment of the story."""
    return f"Something happened meanwhile, event {error.actual}: this page shows it, and nothing more was done."


@get("/playthroughs/{playthrough_id:str}/spyglass/live", patience=live.PATIENCE)
async def watch_queries(desk: AtDesk, playthrough_id: FromPath[str]) -> ServerSentEvent:
    """Send the last queries whenever there is a new one."""
    await last_event(playthrough_id, open_uow=desk.reading)
    return live.stream(_queries(desk, playthrough_id))


async def _queries(desk: Desk, playthrough_id: str) -> AsyncIterator[str]:
    shown = -1
    while True:
        asked = desk.application.graph.last_queries(playthrough_id, most=MOST_QUERIES)
        newest = asked[0].number if asked else 0
        if newest != shown:
            yield render("spyglass/_queries.html.jinja", asked=asked, home=f"/playthroughs/{playthrough_id}")
            shown = newest
        await anyio.sleep(LOOK_SECONDS)


@get("/spyglass/queries/{name:str}")
async def query_page(desk: AtDesk, name: FromPath[str]) -> Response[str]:
    """Show the text of a query."""
    text = desk.application.graph.query_text(name)
    if text is None:
        raise NotFoundException(f"the graph is asked no query named {name!r}")
    return desk.page("spyglass/query.html.jinja", name=name, text=text)


@get("/spyglass")
async def any_spyglass(desk: AtDesk) -> Response[str] | Redirect:
    """Go to the spyglass of the playthrough that was looked at last, or choose one."""
    return await choose(desk, "spyglass", "Spyglass", "Whose graph do you want to see?")


HANDLERS = (spyglass_page, let_hours_go_by, watch_queries, query_page, any_spyglass)
