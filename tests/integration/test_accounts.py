"""Accounts on a real database: sessions, the first admin, worlds given, and changes with rows of a log that stays."""

import re

import httpx
import msgspec
import psycopg
import pytest

from ledger_service.bootstrap import Places, open_application
from ledger_service.domain.accounts import AccountRole, AuditFilter, Note
from ledger_service.domain.errors import (
    ContentError,
    DuplicateNameError,
    NotSignedInError,
    UnknownAccountError,
    UnknownPlaythroughError,
    UnknownWorldError,
    WrongPasswordError,
)
from ledger_service.ports import PlaythroughFilter
from ledger_service.services.people import keep_accounts as keeping
from ledger_service.services.people.sign_in import sign_in, sign_out, who_is
from ledger_service.services.playthroughs.open_playthrough import (
    add_world,
    erase_playthrough,
    fork_playthrough,
    open_playthrough,
    save_point,
)
from ledger_service.settings import Settings
from ledger_service.stores.passwords import Argon2Passwords
from ledger_service.stores.postgres.unit_of_work import PostgresStores
from ledger_service.web.app import create_app
from tests.builders import a_world
from tests.integration.conftest import Database

pytestmark = [pytest.mark.anyio, pytest.mark.postgres]
PASSWORD = "a dull but long password"


@pytest.fixture
async def stores(database: Database, anyio_backend: str):
    opened = await PostgresStores(
        database.app_url, worker_url=database.worker_url, console_url=database.console_url
    ).open()
    yield opened
    await opened.close()


@pytest.fixture
def desk(stores):
    return {"accounts": stores.accounts, "passwords": Argon2Passwords()}


async def add(desk, name="wren", role=AccountRole.WRITER, **more):
    return await keeping.add_account(name, role, PASSWORD, **more, **desk)


async def log_of(stores, **where):
    return [
        (row.note.who, row.note.action, row.note.subject) for row in await stores.accounts.audit(AuditFilter(**where))
    ]


async def test_a_session_lasts_until_it_is_ended_and_only_hashes_are_kept(stores, desk, database):
    await add(desk)
    token = await sign_in("Wren", PASSWORD, **desk)
    assert (await who_is(token, accounts=stores.accounts)).name == "wren"
    with psycopg.connect(database.superuser_url) as connection:
        kept = str(connection.execute("SELECT s.*, a.* FROM session s, account a").fetchall())
    assert token not in kept
    assert PASSWORD not in kept
    await sign_out(token, await who_is(token, accounts=stores.accounts), accounts=stores.accounts)
    with pytest.raises(NotSignedInError):
        await who_is(token, accounts=stores.accounts)
    with pytest.raises(NotSignedInError):
        await who_is("", accounts=stores.accounts)
    assert [action for _, action, _ in await log_of(stores)] == ["signed out", "signed in", "account added"]


async def test_a_session_ends_by_itself(stores, desk, database):
    await add(desk)
    token = await sign_in("wren", PASSWORD, **desk)
    with psycopg.connect(database.superuser_url, autocommit=True) as connection:
        connection.execute("UPDATE session SET expires_at = now()")
    with pytest.raises(NotSignedInError):
        await who_is(token, accounts=stores.accounts)


async def test_a_wrong_name_and_a_wrong_password_are_refused_alike_and_noted(stores, desk):
    await add(desk)
    for name, password in (("wren", "a dull but long passwore"), ("nobody", PASSWORD), ("wren", "")):
        with pytest.raises(WrongPasswordError, match="no account has this name and this password"):
            await sign_in(name, password, **desk)
    refused = await log_of(stores, action="sign-in refused")
    assert [who for who, _, _ in refused] == ["wren", "nobody", "wren"]


@pytest.mark.parametrize("change", ["password", "role", "disabled"])
async def test_a_changed_account_must_sign_in_anew(stores, desk, change):
    await add(desk)
    token = await sign_in("wren", PASSWORD, **desk)
    match change:
        case "password":
            await keeping.set_password("wren", "quite another password", **desk)
        case "role":
            await keeping.set_role("wren", AccountRole.QA, accounts=stores.accounts)
        case _:
            await keeping.set_disabled("wren", disabled=True, accounts=stores.accounts)
    with pytest.raises(NotSignedInError):
        await who_is(token, accounts=stores.accounts)
    if change != "role":
        with pytest.raises(WrongPasswordError):
            await sign_in("wren", PASSWORD, **desk)
        await keeping.set_disabled("wren", disabled=False, accounts=stores.accounts)


async def test_a_name_is_taken_once_and_a_change_of_nobody_is_an_error(stores, desk):
    await add(desk)
    with pytest.raises(DuplicateNameError, match="an account named 'wren' exists already"):
        await add(desk, "WREN")
    with pytest.raises(UnknownAccountError):
        await keeping.set_password("nobody", PASSWORD, **desk)
    with pytest.raises(UnknownAccountError):
        await keeping.give_worlds("nobody", ["maelin"], accounts=stores.accounts)
    assert len(await log_of(stores)) == 1


async def test_nobody_of_the_service_can_change_or_delete_a_row_of_the_log(stores, desk, database):
    await add(desk)
    for url in (database.app_url, database.worker_url, database.console_url):
        with psycopg.connect(url, autocommit=True) as connection:
            for statement in ("UPDATE audit SET who = 'x'", "DELETE FROM audit", "TRUNCATE audit"):
                with pytest.raises(psycopg.errors.InsufficientPrivilege):
                    connection.execute(statement)
    with psycopg.connect(database.console_url, autocommit=True) as connection:
        for table in ("account", "session", "account_world", "api_key"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(f"SELECT 1 FROM {table}")


async def two_stories(stores):
    """Keep two worlds with a playthrough each, and return their ids."""
    found = []
    for world in (a_world(), a_world(id="elsewhere")):
        await add_world(world, open_uow=stores.open_uow)
        found.append((await open_playthrough(world.id, open_uow=stores.open_uow)).playthrough_id)
    return found


async def test_the_console_reads_the_worlds_that_were_given_and_no_other(stores):
    mine, other = await two_stories(stores)
    for worlds, seen in ((("station",), {mine}), (("elsewhere",), {other}), (("*",), {mine, other}), ((), set())):
        catalogue = stores.catalogue(worlds)
        assert {one.playthrough.playthrough_id for one in await catalogue.page(PlaythroughFilter())} == seen
        assert {p for p in (mine, other) if await catalogue.find(p)} == seen
        assert len(await catalogue.worlds()) == len(seen)
        for playthrough_id in (mine, other):
            async with stores.reading(worlds)(playthrough_id) as uow:
                if playthrough_id in seen:
                    world = await uow.worlds.get((await uow.playthroughs.state()).world_version)
                    assert await uow.worlds.find_latest(world.id)
                else:
                    with pytest.raises(UnknownPlaythroughError):
                        await uow.playthroughs.state()


async def test_who_reads_writes_nothing(stores):
    mine, _ = await two_stories(stores)
    with pytest.raises(Exception, match="permission denied"):
        await save_point(mine, "now", open_uow=stores.reading(["*"]))


async def test_the_console_writes_within_the_worlds_that_were_given_and_each_write_is_noted_with_it(stores, desk):
    mine, other = await two_stories(stores)
    writing = stores.writing(["station"], Note(who="wren", action="playthrough forked", subject=mine))
    branch = await fork_playthrough(mine, open_uow=writing)
    await save_point(mine, "now", open_uow=stores.writing(["station"], Note(who="wren", action="named", subject=mine)))
    rows = await stores.accounts.audit(AuditFilter(who="wren"))
    assert [(row.note.action, row.note.world_id) for row in rows] == [
        ("named", "station"),
        ("playthrough forked", "station"),
    ]
    assert branch.parent_id == mine
    for worlds in (["station"], []):
        note = Note(who="wren", action="not done", subject=other)
        for attempt in (
            fork_playthrough(other, open_uow=stores.writing(worlds, note)),
            save_point(other, "now", open_uow=stores.writing(worlds, note)),
            erase_playthrough(other, open_uow=stores.writing(worlds, note), graph=None),
        ):
            with pytest.raises(UnknownPlaythroughError):
                await attempt
        with pytest.raises(UnknownWorldError):
            await open_playthrough("elsewhere", open_uow=stores.writing(worlds, note))
    assert await log_of(stores, action="not done") == []


async def test_one_thing_in_several_steps_is_noted_with_the_first_that_is_written(stores):
    mine, _ = await two_stories(stores)
    note = Note(who="wren", action="line tried", subject=mine)
    writing = stores.writing(["station"], note, once=True)
    with pytest.raises(ContentError):
        await save_point(mine, "too late", open_uow=writing, at_seq=99)
    assert await log_of(stores, action="line tried") == []
    for name in ("one", "two", "three"):
        await save_point(mine, name, open_uow=writing)
    assert len(await log_of(stores, action="line tried")) == 1
    await save_point(mine, "four", open_uow=stores.writing(["station"], note, once=True))
    assert len(await log_of(stores, action="line tried")) == 2


async def test_a_reader_of_one_world_reads_what_the_log_says_of_it_alone(stores):
    mine, other = await two_stories(stores)
    for playthrough_id, world in ((mine, "station"), (other, "elsewhere")):
        note = Note(who="ada", action="named", subject=playthrough_id)
        await save_point(playthrough_id, "now", open_uow=stores.writing([world], note))
    await stores.accounts.note(Note(who="ada", action="signed in", subject="ada"))
    seen = [row.note.subject for row in await stores.catalogue(["station"]).audit(AuditFilter())]
    assert seen == [mine]
    assert len(await stores.catalogue(["*"]).audit(AuditFilter())) == 3


async def test_a_branch_is_read_up_to_its_fork_by_the_console_as_by_the_service(stores):
    mine, _ = await two_stories(stores)
    branch = await fork_playthrough(mine, open_uow=stores.open_uow)
    await save_point(mine, "later", open_uow=stores.open_uow)
    async with (
        stores.reading(["station"])(branch.playthrough_id) as ours,
        stores.open_uow(branch.playthrough_id) as uow,
    ):
        assert await ours.playthroughs.list_saves() == await uow.playthroughs.list_saves()
        assert await ours.playthroughs.lineage() == await uow.playthroughs.lineage()


@pytest.fixture
async def application(database, servers, tmp_path, anyio_backend):
    places = Places(
        app_url=database.app_url, admin_url=database.admin_url, worker_url=database.worker_url,
        console_url=database.console_url, graph_url=servers.falkordb_url,
    )  # fmt: skip
    async with open_application(Settings(home=tmp_path), places) as opened:
        yield opened


async def test_the_first_admin_comes_in_by_a_link_that_works_once(application):
    transport = httpx.ASGITransport(create_app(application, first_run="secret"))
    async with httpx.AsyncClient(transport=transport, base_url="http://test") as http:
        assert (await http.get("/first-run/guess")).status_code == 404
        page = await http.get("/first-run/secret")
        assert "Nobody has an account yet" in page.text
        short = await http.post("/first-run/secret", data={"name": "ada", "password": "short"})
        assert (short.status_code, "at least 12" in short.text) == (400, True)
        done = await http.post("/first-run/secret", data={"name": "ada", "password": PASSWORD})
        assert (done.status_code, done.headers["location"]) == (303, "/people")
        people = await http.get("/people")
        assert re.search(r"<th scope=.row.>ada", people.text)
        http.cookies.clear()
        assert (await http.get("/first-run/secret")).status_code == 404
        assert (await http.post("/first-run/secret", data={"name": "eve", "password": PASSWORD})).status_code == 404
    assert [account.role for account in await application.accounts.list_all()] == ["admin"]


async def test_off_this_machine_cookies_travel_encrypted_alone(application):
    away = msgspec.structs.replace(application, settings=Settings(home=application.settings.home, host="0.0.0.0"))
    await keeping.add_account("wren", AccountRole.WRITER, PASSWORD, accounts=away.accounts, passwords=away.passwords)
    for app, is_secure in ((application, False), (away, True)):
        async with httpx.AsyncClient(transport=httpx.ASGITransport(create_app(app)), base_url="http://test") as http:
            entered = await http.post("/sign-in", data={"name": "wren", "password": PASSWORD})
            assert ("Secure" in entered.headers["set-cookie"]) is is_secure


async def test_while_the_record_is_away_the_console_says_so_on_a_page(application, database):
    places = msgspec.structs.replace(application.places, app_url="postgresql://nobody@127.0.0.1:1/x")
    async with (
        open_application(application.settings, places) as away,
        httpx.AsyncClient(transport=httpx.ASGITransport(create_app(away)), base_url="http://test") as http,
    ):
        http.cookies.set("continuity_session", "some token")
        answer = await http.get("/playthroughs")
    assert answer.status_code == 503
    assert "Part of the house is away" in answer.text
    assert "continuity doctor" in answer.text


async def test_what_takes_too_long_is_said_on_a_page_to_people_and_in_json_to_programs(application):
    hasty = msgspec.structs.replace(
        application, settings=Settings(home=application.settings.home, request_timeout_s=1e-6)
    )
    async with httpx.AsyncClient(transport=httpx.ASGITransport(create_app(hasty)), base_url="http://test") as http:
        http.cookies.set("continuity_session", "some token")
        page = await http.get("/playthroughs")
        http.cookies.clear()
        problem = await http.get("/v1/playthroughs")
    assert (page.status_code, "That took too long" in page.text) == (503, True)
    assert "default-src 'none'" in page.headers["content-security-policy"]
    assert (problem.status_code, problem.json()["title"]) == (503, "Timeout")
