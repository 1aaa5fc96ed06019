"""Packets: the list, and one with everything behind it: what could be said, what was held back, the line beside it."""

from typing import Annotated, Any
from urllib.parse import quote

from litestar import Response, get
from litestar.params import FromPath, FromQuery, QueryParameter
from litestar.response import Redirect

from ledger_service.domain.packets import Reason
from ledger_service.ports import PacketFilter, PacketPage
from ledger_service.services.packets import packet_words
from ledger_service.services.reviewing.browse_packets import compare_packets, show_packet, whose
from ledger_service.services.reviewing.browse_playthroughs import find_playthrough
from ledger_service.services.reviewing.show_withheld import show_withheld
from ledger_service.web.console.addresses import onward, with_query
from ledger_service.web.console.desk import AtDesk, Desk
from ledger_service.web.console.reports import in_words

Place = Annotated[int | None, QueryParameter(ge=1)]
VERDICTS = (
    ("", "any"), ("passed", "passed"), ("failed", "failed"), ("unanswered", "no line yet"),
    ("ledger", "at fault: ledger"),
    ("selection", "at fault: selection"), ("generation", "at fault: generation"), ("gameplay", "at fault: gameplay"),
    ("voice", "at fault: voice"),
)  # fmt: skip
MARKS = (("", "any"), ("approved", "approved"), ("flagged", "flagged"), ("unmarked", "neither"))


@get("/packets")
async def list_page(
    desk: AtDesk,
    playthrough: FromQuery[str] = "",
    speaker: FromQuery[str] = "",
    verdict: FromQuery[str] = "",
    mark: FromQuery[str] = "",
    before: Place = None,
) -> Response[str]:
    """List packets, newest first."""
    query = {"playthrough": playthrough.strip(), "speaker": speaker.strip(), "verdict": verdict, "mark": mark}
    found = await _page(desk, query, before)
    return _listed(desk, "/packets", found, query, is_first=before is None)


@get("/playthroughs/{playthrough_id:str}/packets")
async def list_of_one(
    desk: AtDesk,
    playthrough_id: FromPath[str],
    speaker: FromQuery[str] = "",
    verdict: FromQuery[str] = "",
    mark: FromQuery[str] = "",
    before: Place = None,
) -> Response[str]:
    """List the packets of a playthrough, newest first."""
    listed = await find_playthrough(playthrough_id, catalogue=desk.catalogue)
    desk.visit(playthrough_id)
    query = {"speaker": speaker.strip(), "verdict": verdict, "mark": mark}
    found = await _page(desk, {**query, "playthrough": playthrough_id}, before)
    path = f"/playthroughs/{playthrough_id}/packets"
    return _listed(desk, path, found, query, is_first=before is None, listed=listed)


async def _page(desk: Desk, query: dict[str, str], before: int | None) -> PacketPage:
    where = PacketFilter(
        playthrough_id=query["playthrough"] or None, speaker=query["speaker"] or None,
        verdict=query["verdict"] or None, mark=query["mark"] or None,
    )  # fmt: skip
    return await desk.catalogue.packets(where, before=before)


def _listed(
    desk: Desk, path: str, found: PacketPage, query: dict[str, Any], *, is_first: bool, listed: object = None
) -> Response[str]:
    more = onward(path, query, before=found.next_before)
    first = None if is_first else with_query(path, query)
    return desk.page(
        "packets/list.html.jinja", found=found, more=more, first=first, path=path, listed=listed, verdicts=VERDICTS,
        marks=MARKS, **{"playthrough": "", **query},
    )  # fmt: skip


@get("/packets/{packet_id:str}")
async def packet_page(desk: AtDesk, packet_id: FromPath[str]) -> Response[str]:
    """Show a packet: what it was asked, what it gave and held back, what was said on it and how that was judged."""
    sheet = await show_packet(
        packet_id, catalogue=desk.catalogue, open_uow=desk.reading, reader=desk.application.claim_reader
    )
    desk.visit(sheet.listed.playthrough.playthrough_id)
    intent = packet_words.intent_in_words(sheet.packet.intent, sheet.world)
    return desk.page("packets/packet.html.jinja", sheet=sheet, intent=intent, **in_words(sheet))


@get("/packets/{packet_id:str}/withheld", patience=20)
async def withheld_page(
    desk: AtDesk, packet_id: FromPath[str], reason: FromQuery[Reason | None] = None, after: FromQuery[str | None] = None
) -> Response[str]:
    """List what the ledger held and the packet does not, a stretch at a time, with reasons that are worked out now."""
    listed = await whose(packet_id, catalogue=desk.catalogue)
    found = await show_withheld(
        packet_id, listed.playthrough.playthrough_id, open_uow=desk.reading, reason=reason, after=after
    )
    path = f"/packets/{packet_id}/withheld"
    query = {"reason": reason}
    more = onward(path, query, after=found.next_after)
    first = with_query(path, query) if after else None
    return desk.page(
        "packets/withheld.html.jinja", listed=listed, found=found, packet_id=packet_id, reason=reason, path=path,
        more=more, first=first,
    )  # fmt: skip


@get("/packets/{packet_id:str}/diff")
async def choose_other(desk: AtDesk, packet_id: FromPath[str], other: FromQuery[str] = "") -> Redirect:
    """Lead to the comparison with a packet that was named."""
    here = f"/packets/{quote(packet_id, safe='')}"
    return desk.done(f"{here}/diff/{quote(other.strip(), safe='')}" if other.strip() else here)


@get("/packets/{packet_id:str}/diff/{other_id:str}")
async def diff_page(desk: AtDesk, packet_id: FromPath[str], other_id: FromPath[str]) -> Response[str]:
    """Show what is otherwise in another packet."""
    two = await compare_packets(packet_id, other_id, catalogue=desk.catalogue, open_uow=desk.reading)
    return desk.page("packets/diff.html.jinja", two=two)


HANDLERS = (list_page, list_of_one, packet_page, withheld_page, choose_other, diff_page)
