"""The playable village as a page: a map, who is here and what they think, what can be done; and where it begins."""

from collections.abc import Iterable
from typing import Annotated
from urllib.parse import quote

import anyio.to_thread
from litestar import Response, get, post
from litestar.params import FromPath, QueryParameter
from litestar.response import Redirect

from ledger_service.bootstrap import load_story
from ledger_service.domain.accounts import EVERY_WORLD
from ledger_service.domain.errors import MalformedError
from ledger_service.domain.ids import PLAYER
from ledger_service.ports import PlaythroughFilter
from ledger_service.services.influence.look_around import refusal_in_words, until_evening
from ledger_service.services.play.detective import read_trail
from ledger_service.services.play.happenings import leaning
from ledger_service.services.play.play_village import MORNING, begin
from ledger_service.services.play.player_acts import A_GIFT, AMENDS, LONGEST, deeds_of, gifts_of, stories_of
from ledger_service.services.play.village import Room, Village, Wanted, look_at_village
from ledger_service.services.playthroughs.open_playthrough import add_world
from ledger_service.services.reviewing.browse_playthroughs import list_playthroughs
from ledger_service.web.console.desk import AtDesk, Desk
from ledger_service.web.console.fields import number
from ledger_service.web.console.village_map import map_of

SHIPPED = "village"
"""The story that is played where nothing else is there."""
SEED = 7
"""By which chance is drawn where nobody says otherwise; by it the captain hears enough by evening to bar her gate."""
NIGHT = (20, 6)
Kept = Annotated[str, QueryParameter(max_length=4_000)]
Seq = Annotated[str, QueryParameter(max_length=15)]


@get("/playthroughs/{playthrough_id:str}/village", patience=10)
async def village_page(
    desk: AtDesk, playthrough_id: FromPath[str], since: Seq = "", trail: Kept = "", packet: Kept = ""
) -> Response[str]:
    """Show a playthrough as its player finds it."""
    wanted = Wanted(since=number("since", since), trail=read_trail(trail), packet=packet)
    village = await look_at_village(
        playthrough_id, wanted, catalogue=desk.catalogue, open_uow=desk.reading, reading=desk.application.reading
    )
    desk.visit(playthrough_id)
    return await _shown(desk, village, trail)


async def _shown(desk: Desk, village: Village, trail: str) -> Response[str]:
    here = village.here
    home = f"/playthroughs/{quote(here.listed.playthrough.playthrough_id, safe='')}"
    return desk.page(
        "village/village.html.jinja",
        village=village,
        here=here,
        home=home,
        path=f"{home}/village",
        trail=trail,
        map=await anyio.to_thread.run_sync(map_of, village.rooms, here.world),
        is_night=here.at.tick % 24 >= NIGHT[0] or here.at.tick % 24 < NIGHT[1],
        evening=until_evening(here.at.tick),
        deeds=deeds_of(here.world),
        gifts=gifts_of(here.world),
        tales=[("", "in my own words"), *((one.ladder, one.statement) for one in stories_of(here.world))],
        whom=[(one.who, one.name) for one in village.people if one.can_talk],
        about=[(PLAYER, "yourself"), *((who, name) for who, name in here.people if who != PLAYER)],
        where={who: room for room in village.rooms for who, _ in room.people},
        regions=by_region(village.rooms),
        leaning=leaning,
        refusal_in_words=refusal_in_words,
        a_gift=A_GIFT,
        amends=AMENDS,
        longest=LONGEST,
        links={one.path for one in desk.tabs(here.listed.playthrough.playthrough_id)},
    )


def by_region(rooms: Iterable[Room]) -> list[tuple[str, list[Room]]]:
    """Put places together by region, in the order of the world."""
    found: dict[str, list[Room]] = {}
    for room in rooms:
        found.setdefault(room.place.region, []).append(room)
    return list(found.items())


@get("/village")
async def lobby(desk: AtDesk) -> Response[str]:
    """Offer a new village, and those that can be gone on with."""
    found = await list_playthroughs(PlaythroughFilter(), catalogue=desk.catalogue, limit=20)
    worlds = await desk.catalogue.worlds()
    if SHIPPED not in dict(worlds) and _may_bring(desk):
        worlds = [(SHIPPED, load_story(SHIPPED).world.title), *worlds]
    worlds = sorted(worlds, key=lambda world: world[0] != SHIPPED)
    return desk.page(
        "village/lobby.html.jinja", found=found.playthroughs, worlds=worlds, seed=SEED, morning=MORNING,
        recent=desk.recent,
    )  # fmt: skip


def _may_bring(desk: Desk) -> bool:
    return bool({EVERY_WORLD, SHIPPED} & set(desk.account.reach))


@post("/village/begin", patience=10)
async def begin_one(desk: AtDesk) -> Redirect:
    """Begin a village of one's own."""
    world = desk.form.get("world", "").strip()
    seed = number("seed", desk.form.get("seed", ""))
    if seed is not None and seed > 2**53:
        raise MalformedError("seed", "is at most 2 to the power of 53")
    known = dict(await desk.catalogue.worlds())
    if world == SHIPPED and world not in known and _may_bring(desk):
        await add_world(load_story(SHIPPED).world, open_uow=desk.writing("world brought in", SHIPPED, world_id=SHIPPED))
    title = desk.form.get("title", "").strip()[:300]
    opened = await begin(
        world, seed=SEED if seed is None else seed, title=title, open_uow=desk.writing_once("village begun", world)
    )
    said = f"It is {MORNING:02d}:00. Nobody has anything to say of you yet."
    return desk.done(f"/playthroughs/{opened.playthrough_id}/village", said)


HANDLERS = (village_page, lobby, begin_one)
