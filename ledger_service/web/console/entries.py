"""The ledger browser: what a playthrough's ledger holds, as of any event, as seen by anybody."""

from typing import Annotated
from urllib.parse import quote

from litestar import Response, get
from litestar.params import FromPath, FromQuery, QueryParameter
from litestar.response import Redirect

from ledger_service.domain.confidence import Band
from ledger_service.domain.entries import KINDS, SourceKind, Status
from ledger_service.domain.errors import MalformedError
from ledger_service.ports import PlaythroughFilter
from ledger_service.services.packets import packet_words as words
from ledger_service.services.reviewing.browse_ledger import LedgerPage, LedgerQuery, browse_ledger
from ledger_service.services.reviewing.browse_playthroughs import list_playthroughs
from ledger_service.web.console.addresses import onward, with_query
from ledger_service.web.console.desk import AtDesk, Desk
from ledger_service.web.console.fields import number
from ledger_service.web.console.rendering import in_plain_words
from ledger_service.web.console.timeline import timeline_of

At = Annotated[str, QueryParameter(max_length=15)]
After = Annotated[str, QueryParameter(max_length=240)]
BANDS = (("confirmed", "0.95 and more"), ("likely", "0.7 to 0.95"), ("unverified", "0.3 to 0.7"), ("doubtful", "less"))


@get("/playthroughs/{playthrough_id:str}/entries")
async def list_page(  # noqa: PLR0913, PLR0917  (each is a field of the filter)
    desk: AtDesk,
    playthrough_id: FromPath[str],
    kind: FromQuery[str] = "",
    knower: FromQuery[str] = "",
    status: FromQuery[str] = "",
    source: FromQuery[str] = "",
    band: FromQuery[str] = "",
    scene: At = "",
    text: FromQuery[str] = "",
    seen: FromQuery[str] = "",
    at: At = "",
    after: After = "",
) -> Response[str]:
    """List entries, newest first."""
    given = {
        "kind": kind, "knower": knower, "status": status, "source": source, "band": band, "scene": scene, "text": text,
        "seen": seen, "at": at,
    }  # fmt: skip
    query = query_of(given)
    page = await browse_ledger(
        playthrough_id, query, catalogue=desk.catalogue, open_uow=desk.reading, after=after or None
    )  # fmt: skip
    desk.visit(playthrough_id)
    return _listed(desk, page, query, {name: value.strip() for name, value in given.items()}, is_first=not after)


def query_of(given: dict[str, str]) -> LedgerQuery:
    """Read a filter as forms send it; an empty field is any.

    Raises:
        MalformedError: a number that is none, or a choice that there is not.
    """
    stripped = {name: value.strip() for name, value in given.items()}
    for name, allowed in (("kind", KINDS), ("status", Status), ("source", SourceKind), ("band", Band)):
        if stripped[name] and stripped[name] not in list(allowed):
            raise MalformedError(name, f"{stripped[name]!r} is none of {', '.join(map(str, allowed))}")
    return LedgerQuery(
        kind=stripped["kind"] or None,
        knower=stripped["knower"] or None,
        status=Status(stripped["status"]) if stripped["status"] else None,
        source=SourceKind(stripped["source"]) if stripped["source"] else None,
        band=Band(stripped["band"]) if stripped["band"] else None,
        scene=number("scene", stripped["scene"]),
        text=stripped["text"],
        seen_by=stripped["seen"] or None,
        at_seq=number("at", stripped["at"]),
    )


def _listed(
    desk: Desk, page: LedgerPage, query: LedgerQuery, given: dict[str, str], *, is_first: bool
) -> Response[str]:  # fmt: skip
    here = page.here
    path = f"/playthroughs/{here.listed.playthrough.playthrough_id}/entries"
    kept = {name: value for name, value in given.items() if value}
    scopes = [(scope, words.scope(scope, here.naming)) for scope in here.scopes]
    return desk.page(
        "entries/list.html.jinja",
        page=page,
        here=here,
        query=query,
        given=given,
        path=path,
        more=onward(path, kept, after=page.next_after),
        first=None if is_first else with_query(path, kept),
        is_filtered=any(value for name, value in given.items() if name not in {"seen", "at"}),
        stand=stand_query(given),
        choices={
            "kind": [(k, in_plain_words(k)) for k in KINDS],
            "status": [(str(s), in_plain_words(s)) for s in Status],
            "source": [(str(s), in_plain_words(s)) for s in SourceKind],
            "band": [(band, f"{here.world.band_names.get(band, band)} ({reach})") for band, reach in BANDS],
            "knower": [*here.people, *scopes],
            "people": list(here.people),
        },
        timeline=timeline_of(here, path, kept),
        words=words,
    )


def stand_query(given: dict[str, str]) -> str:
    """Return the part of an address that says from when and through whose eyes, for links to entries."""
    return with_query("", {name: given.get(name) for name in ("seen", "at")})


@get("/ledger")
async def any_ledger(desk: AtDesk) -> Response[str] | Redirect:
    """Go to the ledger of the playthrough that was looked at last, or choose one."""
    return await choose(desk, "entries", "Ledger", "Whose ledger do you want to see?")


async def choose(desk: Desk, page: str, title: str, ask: str) -> Response[str] | Redirect:
    """Lead to a page of the playthrough that was looked at last, or let one be chosen."""
    if desk.recent and await desk.catalogue.find(desk.recent) is not None:
        return Redirect(f"/playthroughs/{quote(desk.recent, safe='')}/{page}")
    found = await list_playthroughs(PlaythroughFilter(), catalogue=desk.catalogue)
    return desk.page("entries/choose.html.jinja", found=found.playthroughs, target=page, heading=title, ask=ask)


HANDLERS = (list_page, any_ledger)
