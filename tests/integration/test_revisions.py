"""Worlds saved by people: within the worlds that they were given, and by two at once never over one another."""

import anyio
import psycopg
import pytest

from ledger_service.domain.accounts import Note
from ledger_service.domain.errors import ContentError, UnknownWorldError
from ledger_service.domain.worlds import version_of
from ledger_service.probing.documents import decode_world
from ledger_service.probing.world_text import as_yaml
from ledger_service.services.playthroughs.open_playthrough import add_world, open_playthrough
from ledger_service.services.worlds.revise_world import (
    Overtaken,
    Saved,
    compare_revisions,
    save_revision,
    show_revision,
    show_revisions,
)
from ledger_service.stores.postgres.unit_of_work import PostgresStores
from tests.builders import a_world
from tests.integration.conftest import Database

pytestmark = [pytest.mark.anyio, pytest.mark.postgres]


@pytest.fixture
async def stores(database: Database, anyio_backend: str):
    found = await PostgresStores(
        database.app_url, worker_url=database.worker_url, console_url=database.console_url
    ).open()
    for world in (a_world(), a_world(id="elsewhere")):
        await add_world(world, open_uow=found.open_uow)
    yield found
    await found.close()


def writing(stores: PostgresStores, *worlds: str, who: str = "wren"):
    return stores.writing(worlds, Note(who=who, action="world saved", subject="station", world_id="station"))


async def test_of_two_who_save_at_once_one_is_told_of_the_other(stores):
    found: list[Saved | Overtaken] = []

    async def save(title: str) -> None:
        world = a_world(title=title)
        made = await save_revision(
            world, as_yaml(world), base=1, author=title, open_uow=writing(stores, "station", who=title)
        )  # fmt: skip
        found.append(made)

    async with anyio.create_task_group() as tasks:
        for n in range(6):
            tasks.start_soon(save, f"w{n}")
    (saved,) = [one for one in found if isinstance(one, Saved)]
    others = [one for one in found if isinstance(one, Overtaken)]
    assert len(others) == 5
    assert {one.newest.revision.author for one in others} == {saved.revision.author}
    assert (await show_revision("station", open_uow=stores.open_uow)).revision == saved.revision
    opened = await open_playthrough("station", open_uow=stores.open_uow)
    assert opened.world_version == saved.revision.world_version


async def test_a_world_that_was_not_given_is_neither_read_nor_saved(stores, database: Database):
    mine, other = stores.reading(("station",)), a_world(id="elsewhere", title="Mine now")
    assert (await show_revision("station", open_uow=mine)).revision.number == 1
    for ask in (
        show_revision("elsewhere", open_uow=mine),
        show_revisions("elsewhere", open_uow=mine),
        compare_revisions("elsewhere", 1, 1, open_uow=mine),
        save_revision(other, as_yaml(other), base=1, author="wren", open_uow=writing(stores, "station")),
    ):
        with pytest.raises(UnknownWorldError):
            await ask
    with psycopg.connect(database.console_url, autocommit=True) as console:
        console.execute("SET ROLE continuity_console; SET continuity.worlds = 'station'")
        assert console.execute("SELECT DISTINCT world_id FROM world_revision").fetchall() == [("station",)]
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            console.execute("INSERT INTO world_revision VALUES ('station', 9, 'x', 'x', 'x')")
    with psycopg.connect(database.app_url, autocommit=True) as app:
        app.execute("SET ROLE continuity_app; SET continuity.worlds = 'station'")
        version = version_of(a_world(id="elsewhere"))
        with pytest.raises(psycopg.errors.InsufficientPrivilege, match="row-level security"):
            app.execute("INSERT INTO world_revision VALUES ('elsewhere', 9, %s, 'x', 'x')", [version])
        for change in ("UPDATE world_revision SET author = 'me'", "DELETE FROM world_revision"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                app.execute(change)


async def test_what_was_kept_without_its_text_is_shown_as_one_that_reads_back_as_the_same(stores):
    shown = await show_revision("station", open_uow=stores.open_uow)
    assert not shown.is_written
    assert version_of(decode_world(shown.text.encode(), "w")) == version_of(a_world()) == shown.revision.world_version
    with pytest.raises(ContentError, match="nothing in it was changed"):
        await save_revision(
            a_world(), shown.text, base=1, author="wren", open_uow=writing(stores, "station")
        )  # fmt: skip
    words = f"# my own words\n{shown.text}"
    saved = await save_revision(a_world(), words, base=1, author="wren", open_uow=writing(stores, "station"))
    assert isinstance(saved, Saved)
    assert not saved.is_new_version
    two = await compare_revisions("station", 1, 2, open_uow=stores.open_uow)
    assert next((line.sign, line.text) for line in two.hunks[0]) == ("+", "# my own words")
    assert [world for world, _ in await stores.catalogue(("station",)).worlds()] == ["station"]
    assert [r.number for r in await stores.catalogue(("*",)).newest_revisions()] == [1, 2]


async def test_a_long_history_is_read_page_by_page(stores):
    for n in range(60):
        text = f"# {n}\n{as_yaml(a_world())}"
        await save_revision(a_world(), text, base=n + 1, author="wren", open_uow=writing(stores, "station"))
    first = await show_revisions("station", open_uow=stores.open_uow)
    rest = await show_revisions("station", open_uow=stores.open_uow, before=first.next_before)
    numbers = [r.number for r in (*first.revisions, *rest.revisions)]
    assert (numbers, rest.next_before) == (list(range(61, 0, -1)), None)
