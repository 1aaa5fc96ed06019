"""The playable village in the browser: a deed, an evening, a barred gate, the way back, a cleared name."""

import re

import httpx
import pytest
from msgspec.structs import replace
from playwright.sync_api import expect

from ledger_service.bootstrap import bring_up_to_date, load_story, open_places
from ledger_service.cli.bench_rumours import a_world
from ledger_service.domain.accounts import AccountRole
from ledger_service.domain.events import Moved
from ledger_service.domain.worlds import Action, Rule
from ledger_service.services.events.record_event import record_events
from ledger_service.services.people.keep_accounts import add_account
from ledger_service.services.people.sign_in import form_token, open_session
from ledger_service.services.play.play_village import begin
from ledger_service.services.playthroughs.open_playthrough import add_world, open_playthrough
from ledger_service.services.reviewing.browse_playthroughs import last_event
from ledger_service.settings import Settings
from tests.e2e.console.conftest import PASSWORD, _Service

pytestmark = [pytest.mark.postgres, pytest.mark.falkordb]
STEAL = "Do it in the open (the player took an apple)"


@pytest.fixture
def village(service):
    """A village of this test's own, begun this morning."""
    app = service.application
    opened = service.call(begin, "village", seed=7, title="A morning of one's own", open_uow=app.open_uow)
    return f"/playthroughs/{opened.playthrough_id}/village"


def go(page, place):
    page.locator("#places").get_by_role("button", name=f"Go to {place}").click()
    expect(page.locator(".vl-where")).to_contain_text(f"You are at {place}")


def button(page, name):
    return page.get_by_role("button", name=name, exact=isinstance(name, str))


def card(page, name):
    return page.locator(".vl-person").filter(has=page.get_by_role("heading", name=name))


def stolen_until_evening(page):
    button(page, STEAL).click()
    expect(page.locator("#last")).to_contain_text("Seen by Tomas Reed, Pip.")
    button(page, "Until evening, 11 h").click()
    expect(page.locator(".sg-now")).to_contain_text("20:00")


def test_a_newcomer_steals_is_stopped_finds_who_began_it_and_clears_their_name_without_a_script(no_script):
    page = no_script("wilma")
    page.goto("/village")
    page.get_by_label("Title").fill("One apple")
    page.get_by_label("World").select_option("village")
    button(page, "Start a new village").click()
    expect(page.get_by_role("heading", name="One apple")).to_be_visible()
    expect(page.locator(".vl-where")).to_contain_text("You are at the market square, with Tomas Reed and Pip.")
    expect(card(page, "Pip")).to_contain_text("has no opinion of you")

    stolen_until_evening(page)
    last = page.locator("#last")
    expect(last).to_contain_text("11 hours went by")
    expect(last).to_contain_text("Bertha Lant told Ilsa Brandt at the Lantern: “the player robbed the fruit stall”")
    expect(last).to_contain_text("times something was not passed on, and why")
    expect(last).to_contain_text("Ilsa Brandt put up a notice at the north gate")
    expect(page.locator("#changes")).to_contain_text(
        "Ilsa Brandt thought neither well nor ill of you (+0.00), and now ill (-0.36)."
    )

    expect(page.locator("#turned")).to_contain_text("Ilsa Brandt would no longer let you pass the gate after dark.")

    go(page, "the north gate")
    expect(page.get_by_role("note")).to_contain_text("the watch would have a word with the player about the market")
    expect(card(page, "Ilsa Brandt")).to_contain_text("thinks ill of you -0.36")
    button(page, "Ask Ilsa Brandt: “May I pass the gate after dark?”").click()
    expect(last).to_contain_text("Ilsa Brandt refuses: the gate stays shut to those whom the captain thinks ill of.")
    expect(last).to_contain_text("It would change if the tale is put right, or good news outweighs it.")

    button(page, re.compile("Who told you.*asking Ilsa Brandt")).click()
    trail = page.locator("#trail")
    expect(trail).to_contain_text("“Bertha Lant told me at the Lantern, 17:00.”")
    expect(trail).not_to_contain_text("Tomas Reed")
    expect(trail).not_to_contain_text("Clear my name")
    trail.get_by_role("button", name="Go to the Lantern").click()
    button(page, "Ask Bertha Lant who told them").click()
    expect(trail).to_contain_text(
        "“Tomas Reed told me at the Lantern, 13:00, in the words ‘the player took an apple’.”"
    )
    button(page, "Ask Tomas Reed who told them").click()
    expect(trail).to_contain_text("Tomas Reed saw it; nobody told them.")

    page.get_by_label("What puts it right").fill("the player paid for the apple")
    page.get_by_label("Before whom").select_option("")
    button(page, "Clear my name").click()
    changes = page.locator("#changes")
    expect(changes).to_contain_text("Bertha Lant thought ill of you (-0.31), and now neither well nor ill (+0.00).")
    expect(changes).not_to_contain_text("Tomas Reed")

    go(page, "the north gate")
    expect(card(page, "Ilsa Brandt")).to_contain_text("would refuse")
    button(page, "Until evening, 24 h").click()
    expect(changes).to_contain_text("Ilsa Brandt thinks less ill of you than before: -0.36 then, -0.10 now.")
    expect(page.locator("#turned")).to_have_text(re.compile("Ilsa Brandt would now let you pass the gate after dark."))
    expect(card(page, "Ilsa Brandt")).to_contain_text("would grant to let you pass the gate after dark.")
    expect(page.get_by_role("note")).to_have_count(0)
    button(page, "Ask Ilsa Brandt: “May I pass the gate after dark?”").click()
    expect(last).to_contain_text("Ilsa Brandt grants it")
    page.get_by_role("link", name="What Ilsa Brandt could draw on").click()
    expect(page).to_have_url(re.compile("/packets/"))


def test_before_the_captain_alone_her_gate_opens_at_once(no_script, village):
    page = no_script("wilma")
    page.goto(village)
    stolen_until_evening(page)
    go(page, "the Lantern")
    button(page, re.compile("Who told you.*asking Tomas Reed")).click()
    go(page, "the north gate")
    page.get_by_label("Before whom").select_option("ilsa")
    button(page, "Clear my name").click()
    expect(page.locator("#last")).to_contain_text("Seen by Ilsa Brandt.")
    expect(card(page, "Ilsa Brandt")).to_contain_text("would grant")
    expect(card(page, "Ilsa Brandt")).to_contain_text("has no opinion of you")


def test_one_helps_gives_whispers_and_goes_back_to_before_it(no_script, village):
    page = no_script("wilma")
    page.goto(village)
    button(page, "Do it in the open (the player pulled a lamb out of the millrace)").click()
    expect(card(page, "Tomas Reed")).to_contain_text("thinks well of you +0.20")
    page.get_by_text("Gift", exact=True).click()
    page.get_by_label("What", exact=True).last.fill("a pear")
    button(page, "Give it").click()
    expect(page.locator("#last")).to_contain_text("the player gave Tomas Reed a pear")
    expect(page.locator("#last")).to_contain_text("Seen by Tomas Reed, Pip.")
    page.get_by_text("Whisper", exact=True).click()
    page.locator("#whisper-who").select_option("pip")
    page.locator("#whisper-ladder").select_option("theft")
    button(page, "Whisper it").click()
    last = page.locator("#last")
    expect(last).to_contain_text("Pip believes it at 0.30, unverified.")
    expect(last).to_contain_text("Pip thinks less well of you than before")
    before = page.url
    button(page, re.compile("Go back to before this")).click()
    expect(page.get_by_role("status")).to_contain_text("As it was before event 5.")
    assert page.url.split("?")[0] != before.split("?")[0]
    expect(card(page, "Pip")).to_contain_text("thinks well of you +0.20")
    page.goto(before)
    expect(last).to_contain_text("Pip believes it at 0.30"), "the other way is still there"


def test_everything_is_done_by_keys_alone(sign_in, village):
    page = sign_in("wilma")
    page.goto(village)

    def press(name):
        """Reach something by Tab, and press Enter on it."""
        for _ in range(120):
            page.keyboard.press("Tab")
            said = page.evaluate(
                "(e => e.matches('a, button') ? `${e.getAttribute('aria-label')} ${e.textContent}` : '')"
                "(document.activeElement)"
            )
            if name in " ".join(said.split()):
                page.keyboard.press("Enter")
                return
        pytest.fail(f"no Tab leads to {name}")

    press("Do it in the open (the player took an apple)")
    expect(page.locator("#last")).to_contain_text("Seen by")
    press("Until evening, 11 h")
    expect(page.locator(".sg-now")).to_contain_text("20:00")
    press("the north gate: Ilsa Brandt")
    expect(page.locator("#place-gate")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(".vl-where")).to_contain_text("You are at the north gate")
    press("Ask Ilsa Brandt: “May I pass the gate after dark?”")
    expect(page.locator("#last")).to_contain_text("Ilsa Brandt refuses")
    press("Who told you?")
    expect(page.locator("#trail")).to_contain_text("Bertha Lant told me")


def test_the_village_looks_right(sign_in, village, looked_at):
    page = sign_in("wilma")
    page.goto("/village")
    looked_at(page, "village-lobby")
    page.goto(village)
    page.locator("#whisper summary").click()
    looked_at(page, "village-morning")
    stolen_until_evening(page)
    looked_at(page, "village-evening")
    go(page, "the Lantern")
    button(page, re.compile("Who told you.*asking Tomas Reed")).click()
    button(page, "Clear my name").click()
    expect(page.locator("#changes")).to_contain_text("Bertha Lant")
    looked_at(page, "village-cleared")
    go(page, "the north gate")
    button(page, re.compile("Ask Ilsa Brandt: ")).click()
    expect(page.locator("#last")).to_contain_text("refuses")
    page.set_viewport_size({"width": 420, "height": 900})
    looked_at(page, "village-refused-narrow")


def test_wrong_input_is_told_and_changes_nothing(sign_in, village, service, complaints):
    page = sign_in("wilma")
    page.goto(village)
    page.get_by_text("Whisper", exact=True).click()
    button(page, "Whisper it").click()
    expect(page.locator(".flash.bad")).to_contain_text("That was not done. say: is blank: say what is to be whispered")
    page.evaluate("document.querySelector('.vl-places [name=at_seq]').value = '1'")
    page.locator("#place-inn").click()
    expect(page.locator(".flash.bad")).to_contain_text("Something happened meanwhile, event 2")
    page.evaluate("document.querySelector('#place-inn').value = 'atlantis'")
    page.locator("#place-inn").click()
    expect(page.locator(".flash.bad")).to_contain_text("atlantis")
    page.evaluate("document.querySelector('.sg-clock [name=hours]').value = '99'")
    button(page, "One hour on").click()
    expect(page.locator(".flash.bad")).to_contain_text("from 1 to 24 go by at once, not 99")
    for query, status in (
        ("since=yesterday", 400), ("packet=k0", 404), ("trail=e1.nobody", 422), ("trail=e1" + ".ilsa" * 31, 400),
    ):  # fmt: skip
        assert page.goto(f"{village}?{query}").status == status, query
    assert page.goto(f"{village}?since=99999&trail=e1").status == 200
    complaints.forgive("status of 4")
    playthrough = village.split("/")[2]
    assert service.call(last_event, playthrough, open_uow=service.application.open_uow) == 2
    page.goto("/village")
    page.get_by_label("Chance is drawn by").fill("heads")
    button(page, "Start a new village").click()
    expect(page.get_by_role("main")).to_contain_text("Seed: 'heads' is no whole number")
    complaints.forgive("status of 400")


BAD = ('"><img src=x onerror=alert(1)>', "</title></svg><script>alert(2)</script>", "{{ 7 * 7 }}' onfocus='alert(3)")


async def _hostile(application):
    world = load_story("village").world
    cast = tuple(replace(c, name=f"{BAD[n % 3]} {n}") for n, c in enumerate(world.cast))
    places = tuple(replace(p, name=f"{BAD[n % 3]} {n}", region=BAD[n % 3]) for n, p in enumerate(world.places))
    ladders = tuple(replace(x, rungs=tuple(f"{BAD[0]} {x.id} {n}" for n in range(len(x.rungs)))) for x in world.ladders)
    actions = tuple(replace(a, name=BAD[1]) for a in world.actions)
    rules = tuple(replace(r, because=BAD[0], would_change=BAD[2]) for r in world.rules)
    notices = tuple(replace(n, text=BAD[0]) for n in world.notices)
    await add_world(
        replace(
            world, id="snares", title=BAD[0], cast=cast, places=places, ladders=ladders, actions=actions, rules=rules,
            notices=notices,
        ),
        open_uow=application.open_uow,
    )  # fmt: skip
    return (await begin("snares", seed=7, title=BAD[1], open_uow=application.open_uow)).playthrough_id


def test_names_words_and_wishes_that_are_markup_stay_words(sign_in, service):
    playthrough = service.call(_hostile, service.application)
    page = sign_in("quinn")
    page.on("dialog", lambda dialog: pytest.fail(dialog.message))

    def inert():
        assert page.locator("img[src=x], main script, [onfocus], [onerror]").count() == 0, page.url
        assert "49" not in page.locator("h1").inner_text()
        assert BAD[0] in page.get_by_role("main").inner_text()

    page.goto(f"/playthroughs/{playthrough}/village")
    inert()
    page.locator("#do button").first.click()
    inert()
    page.locator(".vl-asked button").first.click()
    inert()
    for n, field in enumerate(("#whisper-say", "[id^=give-what]")):
        page.locator("details.card summary").nth(n).click()
        page.locator(field).fill(BAD[1])
        page.locator("details.card").nth(n).get_by_role("button").click()
        expect(page.locator("#last")).to_contain_text(BAD[1])
        inert()
    button(page, re.compile("Who told you")).first.click()
    inert()
    page.get_by_label("What puts it right").fill(BAD[0])
    button(page, "Clear my name").click()
    expect(page.locator("#last")).to_contain_text(BAD[0])
    inert()
    button(page, re.compile("Until evening")).click()
    page.locator("#place-gate").click()
    inert()
    page.goto("/village")
    inert()


def test_nobody_plays_in_a_world_that_is_not_theirs(sign_in, village, site, service, complaints):
    playthrough = village.split("/")[2]
    page = sign_in("wren")
    assert page.goto(village).status == 404
    for action in ("go", "do", "give", "whisper", "clear", "hours", "ask", "why", "back"):
        page.goto(f"/playthroughs/{site.maelin}/village")
        page.evaluate(
            """action => { const form = document.querySelector(".vl-places"); form.action = action;
            for (const [name, value] of [["deed", "theft"], ["hours", "1"], ["who", "tomas"], ["story", "e1"],
                ["trail", "e1"], ["action", "buy_apples"], ["event", "gift"], ["say", "psst"], ["seq", "1"]]) {
              form.prepend(Object.assign(document.createElement("input"), {name, value})); }
            form.querySelector("[name=at_seq]").remove(); }""",
            f"{village}/{action}",
        )
        page.locator(".vl-places button").first.click()
        expect(page.get_by_role("heading", name="There is nothing here")).to_be_visible()
    assert service.call(last_event, playthrough, open_uow=service.application.open_uow) == 2
    page.goto("/village")
    assert "village" not in page.locator("#village-world option").evaluate_all("all => all.map(one => one.value)")
    complaints.forgive("status of 404")
    page = sign_in("nell")
    page.goto("/village")
    expect(page.get_by_role("heading", name="No world to play in")).to_be_visible()


def test_any_story_with_places_can_be_walked_about_in(no_script, site, service):
    app = service.application
    station = replace(load_story("maelin").world, id="walked")
    service.call(add_world, station, open_uow=app.open_uow)
    branch = service.call(begin, "walked", seed=1, title="Walking about the station", open_uow=app.open_uow)
    page = no_script("quinn")
    page.goto(f"/playthroughs/{branch.playthrough_id}/village")
    expect(page.locator(".vl-where")).to_contain_text("You are at the control room, with Maelin Voss.")
    button(page, re.compile("Ask Maelin Voss: “May I use the restricted transmitter")).click()
    expect(page.locator("#last")).to_contain_text(
        "Maelin Voss refuses: the transmitter goes to people who finish things"
    )
    expect(page.locator("#do")).to_have_count(0)
    page.goto("/village")
    expect(page.locator("#choose")).to_contain_text("Walking about the station")


async def _an_admin_and_a_writer(application):
    for name, role in (("ada", AccountRole.ADMIN), ("nell", AccountRole.WRITER)):
        await add_account(name, role, PASSWORD, accounts=application.accounts, passwords=application.passwords)
    return {}


def test_in_a_new_house_the_shipped_village_is_brought_in_and_begun_at_once(tmp_path):
    settings = Settings(home=tmp_path)
    with open_places(settings) as places:
        bring_up_to_date(places)
        with _Service(settings, places, _an_admin_and_a_writer) as house:
            app = house.application
            told = {who: house.call(open_session, who, accounts=app.accounts) for who in ("ada", "nell")}
            pages = {}
            for who, token in told.items():
                with httpx.Client(base_url=house.url, cookies={"continuity_session": token}, timeout=60) as client:
                    given = {"world": "village", "form_token": form_token(token)}
                    pages[who] = client.get("/village").text, client.post("/village/begin", data=given)
                    if who == "ada":
                        begun = client.get(pages[who][1].headers["location"])
    assert "Thornby, and the road to Saltmere" in pages["ada"][0]
    assert "You are at <b>the market square</b>, with Tomas Reed and Pip." in begun.text
    assert "No world to play in" in pages["nell"][0]
    assert pages["nell"][1].status_code == 404, "the world is not hers, though it is there by now"


async def _town(application):
    world = a_world(400, seed=3, regions=20)
    actions = (Action(id="pass", name="pass"),)
    rules = (Rule(id="pass", action="pass", grant_when="true", because="why not"),)
    await add_world(replace(world, id="crowd", actions=actions, rules=rules), open_uow=application.open_uow)
    opened = await open_playthrough("crowd", open_uow=application.open_uow, title="A town of four hundred")
    place = world.places[0].id
    moves = [Moved(tick=9, who=f"c{n}", to=place) for n in range(20)]
    await record_events(opened.playthrough_id, [*moves, Moved(who="player", to=place)], open_uow=application.open_uow)
    return opened.playthrough_id, len(world.places)


def test_of_a_town_the_busiest_places_are_drawn_and_the_page_says_so(no_script, service):
    playthrough, places = service.call(_town, service.application)
    page = no_script("quinn")
    answer = page.goto(f"/playthroughs/{playthrough}/village")
    assert page.locator(".vl-spot").count() == min(60, places)
    assert page.locator(".vl-places li").count() == places
    assert page.locator(".vl-person").count() == 12
    expect(page.locator(".vl-people")).to_contain_text(re.compile(r"and \d+ more, of whom this page does not tell"))
    assert len(answer.body()) < 200_000
