"""The spyglass in the browser: the graph hour by hour, strips, and a plan that is played; with and without a script."""

import re
from functools import partial

import pytest
from msgspec.structs import replace
from playwright.sync_api import expect

from ledger_service.bootstrap import NO_GRAPH, load_story
from ledger_service.cli.bench_rumours import a_world
from ledger_service.domain.events import Deed, Moved
from ledger_service.services.events.play_story import play_history
from ledger_service.services.events.record_event import record_events
from ledger_service.services.gossip.advance_gossip import Passing, advance_gossip
from ledger_service.services.gossip.mirror_rumours import mirror_once
from ledger_service.services.playthroughs.open_playthrough import add_world, open_playthrough
from ledger_service.services.reviewing.browse_playthroughs import last_event
from tests.e2e.console.conftest import _Service

pytestmark = [pytest.mark.postgres, pytest.mark.falkordb]
PATIENT = 20_000


@pytest.fixture
def sign_in(sign_in):
    """Pages of these tests may take their time: a drawing is laid out, plans are played through on a copy."""

    def enter(name, **options):
        page = sign_in(name, **options)
        page.set_default_timeout(PATIENT)
        page.set_default_navigation_timeout(PATIENT)
        return page

    return enter


@pytest.fixture
def no_script(sign_in):
    return partial(sign_in, java_script_enabled=False)


async def _begun(application, title="A morning in Thornby"):
    opened = await open_playthrough("village", open_uow=application.open_uow, title=title, seed=7)
    history = load_story("village").history
    embedder = application.reading.embedder
    labels = await play_history(opened.playthrough_id, history, open_uow=application.open_uow, embedder=embedder)
    return opened.playthrough_id, labels


@pytest.fixture
def begun(site, service):
    """A playthrough of the village of one's own, at the morning of the theft, and what its events left."""
    return service.call(_begun, service.application)


def at(playthrough, **query):
    return f"/playthroughs/{playthrough}/spyglass?" + "&".join(f"{k}={v}" for k, v in query.items())


def row(page, name):
    return page.locator("#rows tbody tr").filter(has=page.locator("th", has_text=name))


def test_hours_go_by_and_the_story_travels_before_ones_eyes(no_script, begun):
    playthrough, labels = begun
    page = no_script("wilma")
    page.goto(at(playthrough, story=labels["theft"][0]))
    expect(page.locator(".sg-legend")).to_contain_text("the player took an apple")
    expect(row(page, "Tomas Reed")).to_contain_text("nobody told them")
    expect(row(page, "Ilsa Brandt")).to_contain_text("nothing")
    page.get_by_role("button", name="One hour on").click()
    expect(page.locator(".flash")).to_contain_text("1 hour went by")
    expect(page.locator(".sg-now")).to_contain_text("09:00")
    page.get_by_role("button", name="Until evening, 11 h").click()
    expect(page.locator(".sg-now")).to_contain_text("20:00")
    hours = page.locator("#hours")
    expect(hours).to_contain_text("Pip told Bertha Lant at the Lantern")
    expect(hours).to_contain_text("times something was not passed on")
    expect(hours).to_contain_text("the listener had it from this very teller")
    expect(row(page, "Ilsa Brandt")).to_contain_text("heard it")
    assert page.locator(".sg-line.told").count() >= 5
    assert page.locator(".sg-dot[class*=rung-] .sign").all_text_contents().count("1") >= 1


def test_the_spyglass_looks_right(sign_in, begun, looked_at):
    playthrough, labels = begun
    page = sign_in("wilma")
    page.goto(at(playthrough, story=labels["theft"][0]))
    page.get_by_role("button", name=re.compile("Until evening")).click()
    expect(page.locator(".sg-now")).to_contain_text("20:00")
    looked_at(page, "spyglass")
    page.goto(at(playthrough, story=labels["theft"][0], who="ilsa", teller="tomas", listener="ilsa", labels=1))
    looked_at(page, "spyglass-one")


def test_who_is_chosen_is_told_of_and_a_way_between_two_is_drawn(no_script, begun, complaints):
    playthrough, labels = begun
    page = no_script("wilma")
    page.goto(at(playthrough, story=labels["theft"][0]))
    page.locator("#rows").get_by_role("link", name="Ilsa Brandt").first.click()
    one = page.locator("#one")
    expect(one).to_contain_text("at the north gate")
    expect(one.locator("dd").first).to_contain_text(re.compile(r"Bertha Lant\s+0\.75"))
    assert page.locator(".sg-line.is-labelled text").count() >= 4
    page.get_by_label("From").select_option("tomas")
    page.get_by_label("To", exact=True).select_option("ilsa")
    page.get_by_role("button", name="Show the way").click()
    expect(page.locator(".sg-way li")).to_have_text([re.compile("Tomas"), re.compile("Bertha"), re.compile("Ilsa")])
    expect(page.locator("#way")).to_contain_text("0.43 is left at its end")
    assert page.locator(".sg-line.way").count() == 2
    page.get_by_label("From").select_option("dorte")
    page.get_by_label("To", exact=True).select_option("anselm")
    page.get_by_role("button", name="Show the way").click()
    expect(page.locator("#way")).not_to_contain_text("dorte")
    page.goto(at(playthrough, teller="nobody", listener="ilsa"))
    expect(page.get_by_role("main")).to_contain_text("nobody")
    complaints.forgive("status of 4")


def test_influence_is_told_with_how_it_was_counted(no_script, begun):
    page = no_script("wilma")
    page.goto(at(begun[0]))
    expect(page.locator("#believed li").first).to_contain_text("Bertha Lant")
    expect(page.locator("#brokers")).to_contain_text("exact")
    expect(page.locator("#cliques")).to_contain_text("Sister Lune")
    page.get_by_label("Story", exact=True).select_option("none")
    page.get_by_role("button", name="Show", exact=True).click()
    expect(page.locator("#story")).to_contain_text("Only trust is drawn")
    assert page.locator(".sg-dot[class*=rung-]").count() == 0


def test_each_query_is_seen_as_it_happens_and_its_text_is_a_link_away(sign_in, begun, service):
    playthrough, _ = begun
    page = sign_in("wilma")
    page.goto(at(playthrough))
    page.goto(at(playthrough))  # at the first the graph may be made, which asks more than is listed
    queries = page.locator("#queries")
    expect(queries).to_contain_text("find_stories")
    expect(queries).to_contain_text(re.compile(r"\d\.\d\d ms"))
    service.call(_pass_an_hour, service.application, playthrough)
    expect(queries).to_contain_text("mirror_batch", timeout=10_000)
    page.goto(at(playthrough))
    queries.get_by_role("link", name="find_stories").first.click()
    expect(page.locator("pre")).to_contain_text("MATCH (e:Entry {story: true})")
    expect(page.get_by_role("heading", name="find_stories")).to_be_visible()


async def _pass_an_hour(application, playthrough):
    passed = advance_gossip(
        playthrough, Passing(), open_uow=application.open_uow, embedder=application.reading.embedder,
        graph=application.graph, queue=application.mirror_queue,
    )  # fmt: skip
    return [receipt async for receipt in passed]


def test_hours_that_were_sent_twice_go_by_once(sign_in, begun):
    playthrough, _ = begun
    page = sign_in("wilma")
    page.goto(at(playthrough))
    page.evaluate("document.querySelector('.sg-clock form').target = '_blank'")
    with page.expect_popup() as opened:
        page.get_by_role("button", name="One hour on").click()
    expect(opened.value.locator(".sg-now")).to_contain_text("09:00")
    page.reload()
    page.evaluate("document.querySelector('[name=at_seq]').value = '1'")
    page.get_by_role("button", name="One hour on").click()
    expect(page.locator(".flash")).to_contain_text("Something happened meanwhile, event 8")
    expect(page.locator(".sg-now")).to_contain_text("09:00")


def test_a_belief_has_its_strip_its_chain_and_what_its_holder_could_tell(no_script, begun, complaints):
    playthrough, labels = begun
    page = no_script("wilma")
    page.goto(at(playthrough, story=labels["theft"][0]))
    page.get_by_role("button", name=re.compile("Until evening")).click()
    row(page, "Ilsa Brandt").get_by_role("link", name=re.compile("the player")).click()
    page.wait_for_url("**/beliefs/*")
    words = page.locator("#words")
    expect(words).to_contain_text("as the record tells it")
    whole = words.locator("ol li").all_inner_texts()
    assert "Bertha Lant told Ilsa Brandt" in whole[0]
    assert any("Tomas Reed told Pip" in line for line in whole)
    strip = page.locator(".sg-strip img")
    assert strip.evaluate("image => image.decode().then(() => image.naturalWidth)") > 500
    assert "Bertha Lant told Ilsa Brandt" in strip.get_attribute("alt")
    page.get_by_label("Told by").select_option("graph")
    page.get_by_role("button", name="Look").click()
    expect(words).to_contain_text("as the graph tells it")
    assert words.locator("ol li").all_inner_texts() == whole
    page.get_by_label("As seen by").select_option("ilsa")
    page.get_by_role("button", name="Look").click()
    expect(page.get_by_role("main")).to_contain_text("as far as Ilsa Brandt could tell")
    seen = page.get_by_role("main").inner_text() + page.locator(".sg-strip img").get_attribute("alt")
    assert "Bertha Lant" in seen
    assert "Tomas Reed" not in seen
    page.goto(page.url.replace("seen=ilsa", "seen=dorte"))
    expect(page.get_by_role("main")).to_contain_text("No entry named")
    complaints.forgive("status of 404")


def test_a_plan_that_was_made_before_something_happened_is_not_played(sign_in, begun, service):
    playthrough, _ = begun
    page = sign_in("wilma")
    page.goto(f"/playthroughs/{playthrough}/spymaster?target=ilsa")
    service.call(_pass_an_hour, service.application, playthrough)
    page.get_by_role("button", name="Play this plan").first.click()
    expect(page.locator(".flash")).to_contain_text("Something happened meanwhile, event 8")
    expect(page.locator(".sg-plans > section").first).to_be_visible()


def test_the_drawing_is_moved_and_people_are_chosen_by_keys_alone(sign_in, begun):
    page = sign_in("wilma")
    page.goto(at(begun[0]))
    drawing = page.locator(".sg-drawing svg")
    whole = drawing.get_attribute("viewBox")
    drawing.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("+")
    assert drawing.get_attribute("viewBox") != whole
    page.keyboard.press("0")
    assert [float(n) for n in drawing.get_attribute("viewBox").split()] == [float(n) for n in whole.split()]
    page.keyboard.press("Tab")
    chosen = page.evaluate("document.activeElement.getAttribute('aria-label')").split(",")[0].split(":")[0]
    page.keyboard.press("Enter")
    expect(page.locator("#one").get_by_role("heading", name=chosen)).to_be_visible()


async def _town(application):
    world = a_world(400, seed=3, regions=20)
    await add_world(replace(world, id="town"), open_uow=application.open_uow)
    opened = await open_playthrough("town", open_uow=application.open_uow, title="A town of four hundred")
    seen = Deed(tick=7, actor="player", place="market", statement="the player took an apple", ladder="theft")
    first = [Moved(tick=7, who=f"c{n}", to="market") for n in range(3)]
    await record_events(
        opened.playthrough_id, [*first, seen], open_uow=application.open_uow, embedder=application.reading.embedder
    )
    await mirror_once(
        application.mirror_queue, application.graph, open_uow=application.open_uow, only=opened.playthrough_id
    )
    return opened.playthrough_id


def test_of_four_hundred_people_three_hundred_are_drawn_and_the_page_says_so(sign_in, service, looked_at):
    playthrough = service.call(_town, service.application)
    page = sign_in("quinn")
    answer = page.goto(at(playthrough))
    assert page.locator(".sg-dots > a").count() == 300
    expect(page.locator(".sg-cut")).to_contain_text("300 of 401 people are drawn")
    expect(page.locator(".sg-cut")).to_contain_text(re.compile(r"600 of 3,\d\d\d lines"))
    assert {"1"} == set(page.locator(".sg-dot[class*=rung-] .sign").all_text_contents())
    assert len(answer.body()) < 300_000
    assert page.locator("#rows tbody tr").count() == 100
    assert row(page, "c0").first.is_visible(), "who holds the story comes first"
    page.get_by_role("link", name="More people »").click()
    expect(page.get_by_role("link", name="« First")).to_be_visible()
    expect(page.locator("#rows tbody tr")).to_have_count(100)
    looked_at(page, "spyglass-town", by_axe=False)


@pytest.fixture
def without_graph(settings, places):
    """The same record, served by a process that cannot reach the graph."""

    async def nothing(application):
        return {}

    with _Service(settings, replace(places, graph_url=NO_GRAPH), nothing) as running:
        yield running


def test_while_the_graph_is_away_the_page_says_so_and_shows_what_the_record_can(
    no_script, begun, site, service, request
):
    playthrough, labels = begun
    for _ in range(5):
        service.call(_pass_an_hour, service.application, playthrough)
    page = no_script("wilma")
    page.goto(at(playthrough, story=labels["theft"][0]))
    with_graph = page.locator("#rows tbody tr").all_inner_texts()
    drawn = page.locator(".sg-line.told").count()
    down = request.getfixturevalue("without_graph")
    page = no_script("wilma", base_url=down.url)
    page.goto(f"{down.url}{at(playthrough, story=labels['theft'][0])}")
    expect(page.get_by_role("note")).to_contain_text("The graph is away")
    expect(page.get_by_role("note")).to_contain_text("continuity doctor")
    assert page.locator("#rows tbody tr").all_inner_texts() == with_graph
    assert page.locator(".sg-line.told").count() == drawn > 0
    expect(page.locator("#believed li").first).to_contain_text("Bertha Lant")
    page.get_by_role("button", name="One hour on").click()
    expect(page.locator(".sg-now")).to_contain_text("14:00")
    page.goto(f"{down.url}/playthroughs/{playthrough}/spymaster?target=ilsa")
    expect(page.locator(".sg-plans > section").first).to_contain_text("Play this plan")


def test_a_story_without_gossip_has_its_people_and_says_that_nothing_was_told(no_script, site):
    page = no_script("wren")
    page.goto(at(site.maelin))
    expect(row(page, "Maelin")).to_be_visible()
    assert page.locator(".sg-line.told").count() == 0
    page.goto("/spyglass")
    expect(page.get_by_role("heading", name="The relay, as it went")).to_be_visible()


def test_nobody_looks_at_or_moves_a_world_that_is_not_theirs(no_script, begun, complaints):
    playthrough, labels = begun
    page = no_script("wren")
    entry = labels["theft"][0]
    for path in (
        "spyglass",
        "spyglass/queries",
        "spymaster?target=ilsa",
        f"beliefs/{entry}",
        f"beliefs/{entry}/strip.svg",
    ):
        assert page.goto(f"/playthroughs/{playthrough}/{path}").status == 404, path
    complaints.forgive("status of 404")


def test_no_hour_goes_by_and_no_plan_is_played_in_a_world_that_is_not_theirs(sign_in, begun, site, service, complaints):
    playthrough, _ = begun
    before = service.call(last_event, playthrough, open_uow=service.application.open_uow)
    page = sign_in("wren")
    for action in ("spyglass/hours", "spymaster/play"):
        page.goto(at(site.maelin))
        page.evaluate(
            """action => { const form = document.querySelector(".sg-clock form"); form.action = action;
            for (const [name, value] of [["target", "ilsa"], ["plan", "0"], ["at_seq", "7"]]) {
              const field = Object.assign(document.createElement("input"), {name, value}); form.prepend(field); } }""",
            f"/playthroughs/{playthrough}/{action}",
        )
        page.get_by_role("button", name="One hour on").click()
        expect(page.get_by_role("heading", name="There is nothing here")).to_be_visible()
    assert service.call(last_event, playthrough, open_uow=service.application.open_uow) == before
    complaints.forgive("status of 404")


def test_spymaster_and_strips_look_right(sign_in, begun, looked_at):
    playthrough, labels = begun
    page = sign_in("wilma")
    page.goto(at(playthrough, story=labels["theft"][0]))
    page.get_by_role("button", name=re.compile("Until evening")).click()
    page.goto(f"/playthroughs/{playthrough}/spymaster")
    looked_at(page, "spymaster-asks")
    page.get_by_label("Whom it is to reach").select_option("ilsa")
    page.get_by_role("button", name="Ask the spymaster").click()
    looked_at(page, "spymaster")
    page.get_by_role("button", name="Play this plan").first.click()
    expect(page.locator("#outcome")).to_be_visible()
    looked_at(page, "spymaster-played")
    page.get_by_role("link", name="See how it got there").click()
    looked_at(page, "belief")
    page.goto("/spyglass/queries/find_stories")
    looked_at(page, "query")
