"""The spymaster: plans by which a story reaches somebody, and what comes of one that is played."""

from collections.abc import Mapping
from typing import Annotated

from litestar import Response, get, post
from litestar.params import FromPath, QueryParameter
from litestar.response import Redirect

from ledger_service.bootstrap import rehearse
from ledger_service.domain.confidence import band_of
from ledger_service.domain.errors import MalformedError, SequenceTakenError
from ledger_service.domain.trust import talkers_of
from ledger_service.rumours.spymaster import Story
from ledger_service.services.influence.advise_spymaster import Advice, advise_spymaster
from ledger_service.services.influence.play_plan import Chosen, Played, Stage, play_plan
from ledger_service.services.reviewing.browse_playthroughs import find_playthrough
from ledger_service.services.reviewing.standpoint import Standpoint, stand_in
from ledger_service.web.console.addresses import with_query
from ledger_service.web.console.desk import AtDesk, Desk
from ledger_service.web.console.fields import number
from ledger_service.web.console.spyglass import meanwhile

Who = Annotated[str, QueryParameter(max_length=200)]
Say = Annotated[str, QueryParameter(max_length=500)]


@get("/playthroughs/{playthrough_id:str}/spymaster", patience=20)
async def spymaster_page(
    desk: AtDesk, playthrough_id: FromPath[str], target: Who = "", say: Say = "", ladder: Who = ""
) -> Response[str]:
    """Ask whom a story is to reach; with a target, show the plans."""
    here = await _here(desk, playthrough_id)
    advice = None
    if target:
        advice = await advise_spymaster(
            playthrough_id, target, open_uow=desk.reading, rehearse=rehearse, story=story_of(say, ladder)
        )
    return _page(desk, here, {"target": target, "say": say, "ladder": ladder}, advice=advice, played=None)


@post("/playthroughs/{playthrough_id:str}/spymaster/play", patience=20, status_code=200)
async def play_one(desk: AtDesk, playthrough_id: FromPath[str]) -> Response[str] | Redirect:
    """Play a plan, and show whether what it promised came out; sent again, it is refused as made for another hour."""
    form, application = desk.form, desk.application
    given = {name: form.get(name, "") for name in ("target", "say", "ladder")}
    chosen = Chosen(
        target=given["target"], story=story_of(given["say"], given["ladder"]), number=_whole(desk, "plan"),
        at_seq=_whole(desk, "at_seq"),
    )  # fmt: skip
    stage = Stage(
        reading=desk.reading,
        writing=desk.writing("plan played", playthrough_id, target=chosen.target, plan=chosen.number + 1),
        rehearse=rehearse,
        embedder=application.reading.embedder,
        graph=application.graph,
        queue=application.mirror_queue,
    )
    await _here(desk, playthrough_id)
    try:
        played = await play_plan(playthrough_id, chosen, stage)
    except SequenceTakenError as error:
        back = with_query(f"/playthroughs/{playthrough_id}/spymaster", given)
        return desk.done(back, meanwhile(error), tone="bad")
    if any(hour.tellings for hour in played.hours):
        application.leave_for_the_voice(playthrough_id)
    return _page(desk, await _here(desk, playthrough_id), given, advice=played.advice, played=played)


def _page(
    desk: Desk, here: Standpoint, given: Mapping[str, str], *, advice: Advice | None, played: Played | None
) -> Response[str]:  # fmt: skip
    playthrough_id = here.listed.playthrough.playthrough_id
    desk.visit(playthrough_id)
    home = f"/playthroughs/{playthrough_id}"
    testify = talkers_of(here.world)
    return desk.page(
        "spyglass/spymaster.html.jinja",
        here=here,
        given=given,
        home=home,
        path=f"{home}/spymaster",
        targets=[("", "choose")] + [one for one in here.people if one[0] in testify],
        ladders=[("", "none")] + [(one.id, one.id.replace("_", " ")) for one in here.world.ladders],
        band_of=band_of,
        advice=advice,
        played=played,
    )


def _whole(desk: Desk, name: str) -> int:
    found = number(name, desk.form.get(name, ""))
    if found is None:
        raise MalformedError(name, "is missing")
    return found


def story_of(say: str, ladder: str) -> Story | None:
    """Return what is to be told; None leaves it to the spymaster.

    >>> story_of("  ", "rescue"), story_of("she sang", "")
    (None, Story(statement='she sang', ladder=None))
    """
    return Story(statement=say.strip(), ladder=ladder or None) if say.strip() else None


async def _here(desk: Desk, playthrough_id: str) -> Standpoint:
    listed = await find_playthrough(playthrough_id, catalogue=desk.catalogue)
    async with desk.reading(playthrough_id) as uow:
        return await stand_in(listed, uow)


HANDLERS = (spymaster_page, play_one)
