"""Worlds and playthroughs: load, open, branch, save, load, export, import, erase."""

from typing import Annotated

from litestar import Response, Router, delete, get, post
from litestar.params import FromPath, FromQuery, JSONBody, QueryParameter, RawBody
from msgspec import Meta, Struct

from ledger_service.bootstrap import rehearse
from ledger_service.domain.accounts import EVERY_WORLD
from ledger_service.domain.errors import MalformedError
from ledger_service.domain.playthroughs import Playthrough, Save, StoryState
from ledger_service.domain.worlds import World
from ledger_service.services.events.story_state import story_state
from ledger_service.services.playthroughs import open_playthrough as opening
from ledger_service.services.playthroughs.transfer_playthrough import export_playthrough, import_playthrough
from ledger_service.services.worlds.dry_run_world import TriedText, dry_run_text
from ledger_service.web.dependencies import App
from ledger_service.web.examples import OPEN

AtSeq = Annotated[int | None, QueryParameter(name="at_seq", ge=0, description="As of this event; default is now.")]
Limit = Annotated[int, QueryParameter(name="limit", ge=1, le=1_000)]
PATIENCE = 20
"""A whole playthrough may take so many times as long as another request."""
Title = Annotated[str, Meta(max_length=300)]


class WorldVersion(Struct, frozen=True, kw_only=True):
    """A version of a world."""

    world_version: str
    title: str = ""


class OpenRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which world to open."""

    world: str
    """A version, or a plain id for the version added last."""
    title: Title = ""
    seed: Annotated[int, Meta(ge=0, le=2**53)] | None = None
    """Chance is drawn by it: the same seed tells the same story."""


class ForkRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where to branch."""

    at_seq: int | None = None
    title: Title = ""


class SaveRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What to call a point."""

    name: str
    at_seq: int | None = None


@post("/worlds", needs="admin")
async def add_world(data: JSONBody[World], application: App) -> WorldVersion:
    """Keep a world; the same content again is the same version."""
    version = await opening.add_world(data, open_uow=application.open_uow)
    return WorldVersion(world_version=version, title=data.title)


@get("/worlds", needs="game")
async def list_worlds(application: App) -> list[WorldVersion]:
    """List versions, newest first."""
    async with application.open_uow() as uow:
        return [WorldVersion(world_version=v, title=t) for v, t in await uow.worlds.list_versions()]


@get("/worlds/{name:str}", needs="reviewer")
async def show_world(name: FromPath[str], application: App) -> World:
    """Return a world by version or plain id."""
    async with application.open_uow() as uow:
        return await opening.find_world(name, uow)


@post("/worlds/{name:str}/dry-run", needs="reviewer", status_code=200, patience=PATIENCE)
async def try_out(name: FromPath[str], body: RawBody, application: App) -> TriedText:
    """Say which kept packets an edit of a world would change; the body is its YAML or JSON, and nothing is written."""
    async with application.open_uow() as uow:
        base = await opening.find_world(name, uow)
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise MalformedError("body", f"is not UTF-8 at byte {error.start}") from None
    return await dry_run_text(
        text, "world", base, catalogue=application.stores.catalogue((EVERY_WORLD,)),
        open_uow=application.stores.reading((EVERY_WORLD,)), reading=application.reading, rehearse=rehearse,
    )  # fmt: skip


@post("/playthroughs", needs="game")
async def open_one(data: Annotated[OpenRequest, OPEN], application: App) -> Playthrough:
    """Open a playthrough of a world."""
    return await opening.open_playthrough(data.world, open_uow=application.open_uow, title=data.title, seed=data.seed)


@get("/playthroughs", needs="reviewer")
async def list_all(application: App, limit: Limit = 100, after: FromQuery[str | None] = None) -> list[Playthrough]:
    """List playthroughs by id, a page at a time."""
    async with application.open_uow() as uow:
        return await uow.playthroughs.list_all(limit=limit, after=after)


@get("/playthroughs/{playthrough_id:str}", needs="game")
async def show_one(playthrough_id: FromPath[str], application: App) -> Playthrough:
    """Return a playthrough."""
    async with application.open_uow(playthrough_id) as uow:
        return await uow.playthroughs.get(playthrough_id)


@get("/playthroughs/{playthrough_id:str}/state", needs="reviewer")
async def show_state(playthrough_id: FromPath[str], application: App, at_seq: AtSeq = None) -> StoryState:
    """Return where the story stands, or stood after a past event."""
    async with application.open_uow(playthrough_id) as uow:
        return await story_state(uow, at_seq=at_seq)


@post("/playthroughs/{playthrough_id:str}/fork", needs="game")
async def fork(playthrough_id: FromPath[str], data: JSONBody[ForkRequest], application: App) -> Playthrough:
    """Branch after an event; nothing is copied."""
    return await opening.fork_playthrough(
        playthrough_id, open_uow=application.open_uow, at_seq=data.at_seq, title=data.title
    )


@post("/playthroughs/{playthrough_id:str}/saves", needs="game")
async def save(playthrough_id: FromPath[str], data: JSONBody[SaveRequest], application: App) -> Save:
    """Name a point."""
    return await opening.save_point(playthrough_id, data.name, open_uow=application.open_uow, at_seq=data.at_seq)


@get("/playthroughs/{playthrough_id:str}/saves", needs="game")
async def list_saves(playthrough_id: FromPath[str], application: App) -> list[Save]:
    """List named points."""
    async with application.open_uow(playthrough_id) as uow:
        await uow.playthroughs.get(playthrough_id)
        return await uow.playthroughs.list_saves()


@post("/playthroughs/{playthrough_id:str}/saves/{name:str}/load", needs="game")
async def load(playthrough_id: FromPath[str], name: FromPath[str], application: App) -> Playthrough:
    """Go on from a named point; an old one branches there by itself."""
    return await opening.load_save(playthrough_id, name, open_uow=application.open_uow)


@delete("/playthroughs/{playthrough_id:str}", needs="admin", status_code=200)
async def erase(playthrough_id: FromPath[str], application: App) -> dict[str, int]:
    """Erase a playthrough whole; one that branches still read is refused."""
    return {
        "rows": await opening.erase_playthrough(playthrough_id, open_uow=application.open_uow, graph=application.graph)
    }


@get("/playthroughs/{playthrough_id:str}/export", needs="admin", patience=PATIENCE)
async def export(playthrough_id: FromPath[str], application: App) -> Response[bytes]:
    """Return a playthrough whole, as one JSON document."""
    document = await export_playthrough(playthrough_id, open_uow=application.open_uow)
    return Response(document, media_type="application/json")


@post("/playthroughs/import", needs="admin", patience=PATIENCE)
async def import_one(body: RawBody, application: App) -> Playthrough:
    """Read an exported playthrough into a new one; a tampered document is refused."""
    return await import_playthrough(body, open_uow=application.open_uow, embedder=application.reading.embedder)


router = Router(
    path="/",
    route_handlers=[add_world, list_worlds, show_world, try_out, open_one, list_all, show_one, show_state, fork, save,
                    list_saves, load, erase, export],
    tags=["playthroughs"],
)  # fmt: skip


def taking_in(most_bytes: int) -> Router:
    """Return the route of imports, which are larger than other bodies."""
    return Router(path="/", route_handlers=[import_one], request_max_body_size=most_bytes, tags=["playthroughs"])
