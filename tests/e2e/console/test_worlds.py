"""Worlds edited in the browser: checked by line, tried out on kept packets, saved beside others; nothing is lost."""

import json
import re
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import expect

from ledger_service.domain.accounts import AccountRole
from ledger_service.probing.documents import decode_history, decode_world
from ledger_service.services.events.play_story import play_history
from ledger_service.services.packets.build_packet import PacketRequest, build_packet
from ledger_service.services.people.keep_accounts import add_account
from ledger_service.services.people.sign_in import form_token
from ledger_service.services.playthroughs.open_playthrough import add_world, open_playthrough
from ledger_service.services.worlds.revise_world import save_revision, show_revision
from tests.e2e.console.conftest import PASSWORD

pytestmark = [pytest.mark.postgres, pytest.mark.falkordb]
PROBES = Path(__file__).parents[3] / "probes" / "maelin"
SOURCE = (PROBES / "world.yaml").read_text()
RULE = "grant_when: standing('maelin', 'player', 'reliability') >= 1.0 && !open('sensor')"
GENEROUS = "grant_when: standing('maelin', 'player', 'reliability') < 1.0 || !open('sensor')"
ASK = "Let me use the transmitter."
NASTY = "</textarea><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"


class Draft:
    """A world of one test's own, with a playthrough, two packets, and people who were given it."""

    def __init__(self, site, service, name: str, text: str) -> None:
        self.site, self.app, self.name = site, service.application, name
        self.text = text
        uow = self.app.open_uow
        site.run(add_world, decode_world(text.encode(), name), open_uow=uow, source=text)
        self.playthrough = site.run(open_playthrough, name, open_uow=uow, title=f"The {name}, played").playthrough_id
        history = decode_history((PROBES / "history.yaml").read_bytes(), "history.yaml")
        site.run(play_history, self.playthrough, history, open_uow=uow, embedder=self.app.reading.embedder)
        self.packets = [self.packet("maelin", ASK), self.packet("teo", "How is the ice?")]

    def packet(self, speaker: str, line: str) -> str:
        request = PacketRequest(speaker=speaker, line=line)
        built = self.site.run(
            build_packet, self.playthrough, request, open_uow=self.app.open_uow, reading=self.app.reading
        )
        return built.packet_id

    def newest(self):
        return self.site.run(show_revision, self.name, open_uow=self.app.open_uow)

    def save(self, text: str, author: str):
        world = decode_world(text.encode(), self.name)
        return self.site.run(
            save_revision, world, text, base=self.newest().revision.number, author=author, open_uow=self.app.open_uow
        )


@pytest.fixture(scope="module")
def people(site, service):
    """Writers petra and paul, olga of QA and engineer emil: each was given every draft, and nobody else was."""
    app = service.application
    worlds = tuple(f"draft_{n}" for n in range(12))
    roles = {
        "petra": AccountRole.WRITER, "paul": AccountRole.WRITER, "olga": AccountRole.QA, "emil": AccountRole.ENGINEER,
    }  # fmt: skip
    for name, role in roles.items():
        site.run(add_account, name, role, PASSWORD, worlds=worlds, accounts=app.accounts, passwords=app.passwords)


@pytest.fixture
def draft(site, service, people):
    """Make a world: `draft(3)`, from the station's own text, or with other words in it."""

    def make(number: int, **words: str) -> Draft:
        name = f"draft_{number}"
        text = SOURCE.replace("id: maelin\ntitle: The station on Carrow's moon", f"id: {name}\ntitle: The moon, draft")
        for old, new in words.items():
            text = text.replace(old, new)
        return Draft(site, service, name, text)

    return make


def edit(page, name: str, *changes: tuple[str, str]) -> str:
    """Open the editor and change some words of what is in it."""
    page.goto(f"/worlds/{name}/edit")
    return change(page, *changes)


def change(page, *changes: tuple[str, str]) -> str:
    field = page.get_by_label("The world, as YAML")
    text = field.input_value()
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    field.fill(text)
    return text


def press(page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()
    page.wait_for_load_state()


def test_a_writer_without_a_script_checks_tries_out_and_saves_an_edit(no_script, draft):
    mine = draft(0)
    page = no_script("petra")
    page.goto("/worlds")
    page.get_by_role("link", name="The moon, draft", exact=True).first.click()
    expect(page.locator("#contents")).to_contain_text("cast")
    page.get_by_role("link", name="Edit", exact=True).click()
    assert page.get_by_label("The world, as YAML").input_value() == mine.text.rstrip("\n") + "\n"
    assert mine.text.startswith("# The weather station"), "comments and all"
    typed = change(page, (RULE, GENEROUS))
    press(page, "Check")
    expect(page.get_by_role("status")).to_contain_text("Nothing is wrong with it. It would be version")
    press(page, "Dry run")
    expect(page.locator("#dry-run")).to_contain_text("2 packets, in 1 playthrough")
    (changed,) = page.get_by_role("article", name="A packet that would change").all()
    expect(changed).to_contain_text(ASK)
    expect(changed).to_contain_text("granted")
    expect(changed.get_by_role("link").first).to_have_attribute("href", f"/packets/{mine.packets[0]}")
    expect(page.locator("#dry-run")).to_contain_text("the same 1 packet.")
    press(page, "Save as a new revision")
    expect(page.get_by_role("status")).to_contain_text("Revision 2 is saved: a new version, draft_0@")
    newest = mine.newest()
    assert (newest.text, newest.revision.author) == (typed, "petra")
    expect(page.locator("#history")).to_contain_text("by petra")
    expect(page.locator("#played")).to_contain_text("in an earlier version")
    page.get_by_role("button", name="Show what differs").click()
    expect(page.get_by_role("heading", name="Revision 1 to 2")).to_be_visible()
    expect(page.locator("tr.in .text")).to_have_text([re.compile("< 1.0")])
    expect(page.locator("tr.out .text")).to_have_text([re.compile(">= 1.0")])
    edit(page, mine.name, ("max_words: 70", "max_words: 71"))
    press(page, "Dry run")
    expect(page.locator("#dry-run")).to_contain_text("held against the newest version that was played")
    page.goto(f"/playthroughs/{mine.playthrough}")
    expect(page.locator("#now")).not_to_contain_text(newest.revision.world_version)
    page.goto("/audit")
    expect(page.get_by_role("row", name=re.compile("world saved")).first).to_contain_text("petra")


def test_the_pages_of_a_world_look_right(sign_in, looked_at, draft):
    mine = draft(10)
    mine.save(
        mine.text.replace("home: ice_field", "home: control_room").replace("name: Teo\n", "name: Teodor\n"), "paul"
    )
    page = sign_in("petra")
    for path, name in (
        ("", "worlds"), (f"/{mine.name}", "world"), (f"/{mine.name}/revisions/2", "world-revision"),
        (f"/{mine.name}/diff?before=1&after=2", "world-diff"),
    ):  # fmt: skip
        page.goto(f"/worlds{path}")
        looked_at(page, name)
    mine = draft(11)
    edit(page, mine.name, (RULE, GENEROUS), ("home: ice_field", "home: mast"))
    press(page, "Dry run")
    page.get_by_text("In the exact prompt").first.click()
    looked_at(page, "world-dry-run")


def test_every_fault_is_shown_at_its_line_and_nothing_typed_is_lost(sign_in, looked_at, draft, complaints):
    mine = draft(1)
    page = sign_in("petra")
    typed = edit(page, mine.name, ("home: ice_field", "home: nowhere"), ("max_words: 70", "max_wordz: 70"))
    press(page, "Check")
    expect(page.locator("#faults li")).to_have_text(
        [re.compile(r"Line 13, column 7: .*max_wordz.*did you mean `max_words`")]
    )
    typed = change(page, ("max_wordz: 70", "max_words: 70"), ("teller: teo", "teller: zog"))
    press(page, "Save as a new revision")
    complaints.forgive("status of 422")
    expect(page.locator("#faults li")).to_have_text(
        [
            re.compile(r"Line 34, column 5: cast\[2\].home unknown place `nowhere`"),
            re.compile("Line 63, column 24: .*zog"),
        ]
    )
    assert page.get_by_label("The world, as YAML").input_value() == typed
    expect(page.locator("#L34.wrong")).to_contain_text("column 5: unknown place `nowhere`")
    expect(page.locator("#L63.wrong code")).to_contain_text("teller: zog")
    looked_at(page, "world-faults")
    page.get_by_role("link", name="Line 63, column 24").click()
    assert page.evaluate("getSelection().toString()") == "  - {listener: maelin, teller: zog, trust: 0.55}"
    assert mine.newest().revision.number == 1
    page.keyboard.press("Control+Enter")
    page.wait_for_load_state()
    expect(page.locator("#faults li")).to_have_count(2)


def test_without_a_script_a_fault_leads_to_its_numbered_line(no_script, draft):
    mine = draft(2)
    page = no_script("petra")
    edit(page, mine.name, ("title: The moon, draft", "title: [The moon"))
    press(page, "Check")
    link = page.locator("#faults a").first
    number = int(re.search(r"\d+", link.inner_text())[0])
    link.click()
    expect(page).to_have_url(re.compile(f"#L{number}$"))
    expect(page.locator(f"#L{number}")).to_contain_text("is not YAML")


def test_who_saved_in_the_meantime_is_named_and_both_texts_are_kept(sign_in, looked_at, draft, complaints):
    mine = draft(3)
    page = sign_in("petra")
    typed = edit(page, mine.name, (RULE, GENEROUS))
    theirs = mine.text.replace("name: Teo", "name: Teodor")
    mine.save(theirs, "paul")
    press(page, "Save as a new revision")
    complaints.forgive("status of 409")
    told = page.locator("#overtaken")
    expect(told).to_contain_text("Revision 2 was saved by paul")
    expect(told.locator("tr.in .text")).to_have_text([re.compile("Teodor")])
    assert page.get_by_label("The world, as YAML").input_value() == typed
    expect(page.locator("#mine tr.out .text").first).to_contain_text("Teodor")
    assert mine.newest().text == theirs
    looked_at(page, "world-overtaken")
    both = change(page, ("name: Teo\n", "name: Teodor\n"))
    press(page, "Save it after theirs")
    expect(page.get_by_role("status")).to_contain_text("Revision 3 is saved")
    assert mine.newest().text == both


def test_words_around_a_world_are_a_revision_and_no_version_and_going_back_is_one_too(sign_in, draft):
    mine = draft(4)
    page = sign_in("petra")
    edit(page, mine.name, ("# The weather station", "# My own words about the weather station"))
    press(page, "Save as a new revision")
    expect(page.get_by_role("status")).to_contain_text("Revision 2 is saved: the same version in other words")
    page.goto(f"/worlds/{mine.name}/edit?revision=1")
    press(page, "Save as a new revision")
    expect(page.get_by_role("status")).to_contain_text("Revision 3 is saved")
    assert mine.newest().text.startswith("# The weather station")


def test_what_was_not_changed_is_not_saved(sign_in, draft, complaints):
    mine = draft(5)
    page = sign_in("petra")
    edit(page, mine.name)
    press(page, "Save as a new revision")
    complaints.forgive("status of 422")
    expect(page.get_by_role("alert")).to_contain_text("nothing in it was changed")
    assert mine.newest().revision.number == 1


def test_what_a_script_is_typed_as_stays_text_everywhere(sign_in, draft, complaints):
    mine = draft(6)
    page = sign_in("petra")
    typed = edit(
        page,
        mine.name,
        ("title: The moon, draft", f"title: {json.dumps(NASTY)}"),
        ("name: Teo", f"name: {json.dumps(NASTY)}"),
    )
    press(page, "Check")
    assert page.get_by_label("The world, as YAML").input_value() == typed
    press(page, "Dry run")
    expect(page.locator("#dry-run")).to_be_visible()
    press(page, "Save as a new revision")
    for path in ("", "/edit", "/revisions/2", "/diff?before=1&after=2"):
        page.goto(f"/worlds/{mine.name}{path}")
        assert page.locator("main script, main img").count() == 0, path
        assert page.title() != "owned", path
    page.goto("/worlds")
    assert NASTY in page.locator("main").inner_text()
    broken = edit(page, mine.name, ("max_words: 70", f"{json.dumps(NASTY)}: 70"))
    press(page, "Check")
    expect(page.locator("#faults")).to_contain_text("</textarea><script>")
    assert page.get_by_label("The world, as YAML").input_value() == broken
    assert page.locator("main script, main img").count() == 0


@pytest.fixture
def ask(site):
    """Ask as somebody, by the very address; `ask("petra", "POST", path, {...})` sends a form with its token."""
    tokens: dict[str, str] = {}

    def call(name, method, path, data=None):
        with httpx.Client(base_url=site.url, timeout=30) as http:
            if name not in tokens:
                entered = http.post("/sign-in", data={"name": name, "password": PASSWORD})
                tokens[name] = entered.cookies["continuity_session"]
            http.cookies.update({"continuity_session": tokens[name]})
            given = {"form_token": form_token(tokens[name]), **(data or {})}
            return http.request(method, path, data=given if method == "POST" else None)

    return call


PAGES = ("", "/edit", "/revisions/1", "/revisions/1/file", "/diff?before=1&after=1")


def test_who_was_not_given_a_world_finds_none_of_its_pages(ask, draft):
    mine = draft(7)
    for path in PAGES:
        answer = ask("wilma", "GET", f"/worlds/{mine.name}{path}")
        assert (answer.status_code, "The moon" in answer.text) == (404, False), path
    for act in ("check", "dry-run", "save"):
        data = {"act": act, "base": "1", "text": mine.text + "# mine"}
        assert ask("wilma", "POST", f"/worlds/{mine.name}/edit", data).status_code == 404, act
    data = {"act": "save", "base": "1", "text": SOURCE.replace("id: maelin\n", f"id: {mine.name}\n") + "# mine"}
    assert ask("wilma", "POST", "/worlds/village/edit", data).status_code == 422, "nor by another's address"
    assert mine.newest().revision.number == 1
    assert "The moon" not in ask("wilma", "GET", "/worlds").text


def test_testers_read_and_do_not_edit(ask, draft):
    mine = draft(8)
    for name in ("olga", "emil"):
        read = [ask(name, "GET", f"/worlds/{mine.name}{path}").status_code for path in PAGES]
        assert read == [200, 403, 200, 200, 200], name
        data = {"act": "save", "base": "1", "text": mine.text + "# mine"}
        assert ask(name, "POST", f"/worlds/{mine.name}/edit", data).status_code == 403
    kept = ask("olga", "GET", f"/worlds/{mine.name}/revisions/1/file")
    assert kept.text == mine.text
    assert kept.headers["content-disposition"] == f'attachment; filename="{mine.name}.1.yaml"'


def test_what_is_refused_before_it_is_read_still_shows_what_was_typed(ask, site, draft):
    mine = draft(9)
    text = f"{mine.text}# {NASTY}"
    with httpx.Client(base_url=site.url, timeout=30) as http:
        for cookies in ({}, {"continuity_session": "over"}):
            http.cookies.update(cookies)
            answer = http.post(f"/worlds/{mine.name}/edit", data={"act": "save", "base": "1", "text": text})
            assert answer.status_code == 401
            assert "What you had typed" in answer.text
            assert "&lt;/textarea&gt;&lt;script&gt;" in answer.text
    stale = ask("petra", "POST", f"/worlds/{mine.name}/edit", {"form_token": "old", "act": "save", "text": text})
    assert (stale.status_code, "My own" in stale.text, "What you had typed" in stale.text) == (403, False, True)
    for base in ("", "0", "99", "x", "1" * 40):
        wrong = ask("petra", "POST", f"/worlds/{mine.name}/edit", {"act": "save", "base": base, "text": text})
        assert wrong.status_code in {400, 404}, base
        assert "What you had typed" in wrong.text
    long = ask("petra", "POST", f"/worlds/{mine.name}/edit", {"act": "check", "base": "1", "text": "#" * 200_001})
    assert "200,001 letters" in long.text
    assert mine.newest().revision.number == 1
