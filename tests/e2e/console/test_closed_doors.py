"""No way around: every route of the console, also those that are added later, asked by who may not or as none may."""

import re

import httpx
import pytest

from ledger_service.domain.events import Deed
from ledger_service.services.events.record_event import record_events
from ledger_service.services.people.sign_in import form_token
from ledger_service.services.playthroughs.open_playthrough import open_playthrough
from tests.e2e.console.conftest import PASSWORD

pytestmark = [pytest.mark.postgres, pytest.mark.falkordb]
OPEN = {"/sign-in", "/first-run/{secret}", "/static/{digest}/{name}", "/theme"}
"""What is there for who has not signed in."""
OF_MAELIN = ("the relay", "supervisor", "Carrow", "She never asked")
"""Words of a story that wilma was not given."""
SAFE = {"GET", "POST"}


@pytest.fixture(scope="module")
def tokens(site):
    return {}


@pytest.fixture(scope="module")
def http(site):
    with httpx.Client(base_url=site.url, follow_redirects=False, timeout=30, verify=False) as client:
        yield client


@pytest.fixture
def ask(http, tokens):
    """Ask as somebody: `ask("wilma", "GET", "/path")`, a form with its token where there is one."""

    def call(name, method, path, data=None, **more):
        http.cookies.clear()
        if name and name not in tokens:
            entered = http.post("/sign-in", data={"name": name, "password": PASSWORD})
            tokens[name] = entered.cookies["continuity_session"]
            http.cookies.clear()
        if name:
            http.cookies.set("continuity_session", tokens[name])
        given = {"form_token": form_token(tokens[name]), **(data or {})} if name else data
        return http.request(method, path, data=given if method == "POST" else None, **more)

    return call


def routes_of(service):
    """Return (method, address) of every route of the console."""
    return sorted(
        (method, route.path_format)
        for route in service.app.routes
        if not route.path.startswith(("/v1", "/schema"))
        for method in SAFE & {str(m) for m in route.methods}
    )


def filled(path, site):
    """Return an address of the station's story: every id in it is one of a thing that is there."""
    entry = next(iter(site.labels.values()))[0]
    given = {"playthrough_id": site.maelin, "entry_id": entry, "name": "wren", "world_id": "maelin", "number": "1"}
    return re.sub(r"\{(\w+)(?::\w+)?\}", lambda found: given.get(found[1], site.maelin), path)


def test_no_route_shows_a_story_to_who_was_not_given_its_world(service, site, ask):
    asked = 0
    for method, path in routes_of(service):
        if path in OPEN or path == "/sign-out" or method != "GET" or path.endswith("/live"):
            continue
        answer = ask("wilma", "GET", filled(path, site))
        asked += 1
        told = [word for word in OF_MAELIN if word in answer.text]
        assert told == [], f"{path} tells {told}"
        if "{playthrough_id}" in path:
            assert answer.status_code in {403, 404}, path
    assert asked >= 5


def test_a_stream_is_refused_like_a_page(ask, site):
    assert ask("wilma", "GET", f"/playthroughs/{site.maelin}/live").status_code == 404


def test_no_form_changes_a_story_of_a_world_that_was_not_given(service, site, ask):
    before = service.call(_rows, service.application)
    for method, path in routes_of(service):
        if method == "POST" and "{playthrough_id}" in path:
            given = {"seq": "1", "name": "mine", "title": "mine"}
            answer = ask("wilma", "POST", filled(path, site), given)
            assert answer.status_code in {400, 403, 404}, (path, answer.status_code)
    opened = ask("wilma", "POST", "/playthroughs", {"world": "maelin", "title": "mine"})
    assert opened.status_code == 404
    assert service.call(_rows, service.application) == before


async def _rows(application):
    """Count what the station's story holds, and what the log says was done to it."""
    async with application.stores._app.connection() as connection:
        found = await connection.execute("SELECT count(*) FROM list_playthroughs(NULL, 1000)")
        audit = await connection.execute("SELECT count(*) FROM audit WHERE who = 'wilma' AND action <> 'signed in'")
        return await found.fetchone(), await audit.fetchone()


def test_every_page_asks_to_sign_in_first(service, site, ask):
    for method, path in routes_of(service):
        if path in OPEN:
            continue
        answer = ask(None, method, filled(path, site))
        if method == "GET":
            assert (answer.status_code, answer.headers.get("location", "")[:8]) == (303, "/sign-in"), path
        else:
            assert answer.status_code in {401, 403}, path


def test_a_form_without_the_token_of_its_session_does_nothing(service, site, ask, tokens):
    ask("ada", "GET", "/")
    for method, path in routes_of(service):
        if method != "POST" or path in {"/sign-in", "/first-run/{secret}"}:
            continue
        for token in ("", "0" * 64, form_token("another session")):
            answer = ask("ada", "POST", filled(path, site), {"form_token": token})
            assert answer.status_code == 403, path
            assert "another site" in answer.text, path
    assert ask("ada", "GET", "/people").status_code == 200, "nobody was signed out"


@pytest.mark.parametrize(
    "headers", [{"Origin": "https://evil.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"}],
    ids=["another origin", "no origin", "another site"],
)  # fmt: skip
def test_a_form_from_another_site_is_refused_even_to_sign_in(ask, headers):
    assert ask("ada", "POST", "/theme", {"theme": "dark"}, headers=headers).status_code == 403
    assert ask(None, "POST", "/sign-in", {"name": "ada", "password": PASSWORD}, headers=headers).status_code == 403


def test_every_answer_is_sealed(service, site, ask):
    for path in (
        "/playthroughs",
        "/sign-in",
        "/nowhere",
        f"/playthroughs/{site.maelin}",
        "/people",
        "/playthroughs/none",
    ):
        answer = ask("wren", "GET", path, headers={"Accept": "text/html"})
        policy = answer.headers["content-security-policy"]
        assert "unsafe" not in policy
        assert "default-src 'none'" in policy
        sealed = [answer.headers[name] for name in ("x-frame-options", "x-content-type-options", "cache-control")]
        assert sealed == ["DENY", "nosniff", "no-store"], path


def test_the_session_is_out_of_reach_of_scripts_and_other_sites(site):
    answer = httpx.post(f"{site.url}/sign-in", data={"name": "wren", "password": PASSWORD})
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    assert "Path=/" in cookie


def test_the_session_of_the_console_opens_nothing_of_the_interface_for_programs(ask, site):
    for name in ("wren", "ada"):
        answer = ask(name, "GET", f"/v1/playthroughs/{site.maelin}/events")
        assert answer.status_code == 401, "else a writer would read every world"


def test_guessing_a_password_is_slowed_down(site):
    with httpx.Client(base_url=site.url, timeout=60) as http:
        tries = [http.post("/sign-in", data={"name": "guessed", "password": f"guess {n}"}) for n in range(12)]
    assert [answer.status_code for answer in tries[-2:]] == [429, 429]
    assert "wait" in tries[-1].text.lower()


def test_what_is_served_for_ever_is_named_by_its_content(ask):
    page = ask("wren", "GET", "/playthroughs").text
    for address in re.findall(r"/static/[0-9a-f]{12}/[\w.]+", page):
        answer = ask(None, "GET", address)
        assert (answer.status_code, "immutable" in answer.headers["cache-control"]) == (200, True)
    assert ask(None, "GET", "/static/000000000000/console.css").status_code == 404
    assert ask(None, "GET", "/static/000000000000/..%2Fdesk.py").status_code == 404


NASTY = "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">'\"{{7*7}}"


def test_a_script_in_a_story_is_text_and_nothing_else(sign_in, site, service):
    app = service.application
    opened = site.run(open_playthrough, "maelin", open_uow=app.open_uow, title=NASTY)
    deed = Deed(actor="player", statement=f"player wrote {NASTY}", witnesses=("maelin",))
    site.run(record_events, opened.playthrough_id, [deed], open_uow=app.open_uow, embedder=app.reading.embedder)
    page = sign_in("wren")
    for path in ("/playthroughs", f"/playthroughs/{opened.playthrough_id}"):
        page.goto(path)
        assert "owned" not in page.title() or "<script>" in page.title()
        assert NASTY in page.locator("main").inner_text()
        assert page.locator("main img").count() == 0
    page.goto(f"/audit?subject={httpx.QueryParams({'subject': NASTY})}")
    assert page.locator("main img, main script").count() == 0
