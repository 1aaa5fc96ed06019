"""Try it in the browser: a line typed or a button pressed, the answer with its packet and verdicts, nothing lost."""

import re
from collections.abc import Iterator

import msgspec
import pytest
from playwright.sync_api import Page, expect

from ledger_service.domain.events import Died, HourPassed, Moved, Utterance
from ledger_service.services.events.record_event import record_events
from ledger_service.services.playthroughs.open_playthrough import fork_playthrough
from ledger_service.web.console import trying
from ledger_service.web.console.pace import Pace
from tests.providers import completion, says, serving

pytestmark = [pytest.mark.postgres, pytest.mark.falkordb]
ASKED = "The sensor is handled, so may I use the transmitter?"
EVIL = "\"'></textarea><img src=x onerror=window.pwned=1><script>window.pwned=1</script>{{ 7*191 }}"


class Story:
    """A branch of one test's own."""

    def __init__(self, site, service, of, title):
        self.site, self.app = site, service.application
        opened = site.run(fork_playthrough, of, open_uow=self.app.open_uow, title=title)
        self.id = opened.playthrough_id
        self.path = f"/playthroughs/{self.id}/try"

    def record(self, *events):
        embedder = self.app.reading.embedder
        return self.site.run(record_events, self.id, events, open_uow=self.app.open_uow, embedder=embedder)

    def said(self, playthrough_id=None):
        """Return what was said, in order."""

        async def load():
            async with self.app.open_uow(playthrough_id or self.id) as uow:
                return await uow.events.load(after_seq=0, limit=500)

        return [e.event.text for e in self.site.run(load) if isinstance(e.event, Utterance)]


@pytest.fixture
def story(site, service, request):
    return Story(site, service, site.maelin, request.node.name.removeprefix("test_").replace("_", " ")[:60])


@pytest.fixture
def village(site, service, request):
    return Story(site, service, site.village, request.node.name.removeprefix("test_").replace("_", " ")[:60])


def newest(page: Page):
    return page.locator(".ty-exchange").first


def ask(page: Page, line: str) -> None:
    page.get_by_label("What you say").fill(line)
    page.get_by_role("button", name="Ask").click()


def test_the_page_looks_right(sign_in, story, looked_at, complaints):
    page = sign_in("wren")
    page.goto(f"{story.path}?listener=maelin")
    looked_at(page, "try-empty")
    ask(page, ASKED)
    page.get_by_role("button", name="Owner swap").click()
    expect(page.locator(".ty-exchange")).to_have_count(2)
    looked_at(page, "try")
    page.set_viewport_size({"width": 420, "height": 900})
    looked_at(page, "try-narrow")
    page.set_viewport_size({"width": 1360, "height": 900})
    page.get_by_label("Who listens").select_option("teo")
    ask(page, "How much ice is there, mate?")
    expect(page.get_by_role("alert")).to_be_visible()
    looked_at(page, "try-refused")
    complaints.forgive("status of 422")


def test_without_a_script_a_writer_asks_and_sees_why_she_says_that(no_script, story):
    page = no_script("wren")
    page.goto(f"/playthroughs/{story.id}")
    page.get_by_role("navigation", name="This playthrough").get_by_role("link", name="Try it").click()
    expect(page.get_by_label("Who listens")).to_have_value("maelin")
    ask(page, ASKED)
    expect(page.get_by_role("status").first).to_contain_text("Maelin Voss answered.")
    said = newest(page)
    expect(said.locator(".ty-asked")).to_have_text(ASKED)
    expect(said.locator(".pk-spoken")).to_contain_text("the transmitter goes to people who finish things")
    expect(said.locator(".pk-stages li")).to_have_count(5)
    expect(said.locator(".pk-fault")).to_contain_text("No stage is at fault.")
    packet = said.get_by_role("region", name="The packet")
    expect(packet).to_contain_text("player will return the missing sensor")
    expect(packet).to_contain_text("Maelin Voss refuses “use the restricted transmitter”")
    expect(packet).to_contain_text(re.compile(r"may draw on \d+"))
    expect(packet).to_contain_text("acts on, never says 1")
    assert story.said()[-2] == ASKED
    said.locator(".pk-spoken").get_by_role("link", name=re.compile("of the packet")).first.click()
    expect(page.locator(".pk-card:target")).to_be_visible()
    page.get_by_role("link", name="Talk to Maelin Voss").click()
    expect(newest(page).locator(".ty-asked")).to_have_text(ASKED)


def test_a_playthrough_is_left_as_it_is_unless_somebody_says_otherwise(no_script, site, service):
    root = Story.__new__(Story)
    root.site, root.app, root.id = site, service.application, site.maelin
    before = root.said()
    page = no_script("wren")
    page.goto(f"/playthroughs/{site.maelin}/try?listener=maelin")
    expect(page.get_by_label("On a branch of its own")).to_be_checked()
    ask(page, "Who replaced the relay fuse?")
    expect(page.get_by_role("status").first).to_contain_text("the playthrough stays as it is")
    assert site.maelin not in page.url
    expect(page.locator(".ty-say")).to_contain_text("a branch of The relay, as it went, from event 24")
    expect(page.get_by_role("heading", level=1)).to_have_text("wren tries: Who replaced the relay fuse?")
    expect(page.get_by_label("Here, on this branch")).to_be_checked()
    assert root.said() == before
    ask(page, "And who broke it?")
    expect(page.locator(".ty-exchange")).to_have_count(2)
    page.goto("/audit?who=wren")
    for action in ("branch opened to try a line", "line tried"):
        expect(page.get_by_role("row", name=action).first).to_contain_text("wren")
    expect(page.get_by_role("row", name="And who broke it?")).to_have_count(1)


def test_a_tester_talks_on_branches_and_not_in_a_playthrough_itself(no_script, site, complaints):
    page = no_script("quinn")
    page.goto(f"/playthroughs/{site.maelin}/try")
    expect(page.get_by_label("In the playthrough itself")).to_have_count(0)
    page.locator("input[name=where]").evaluate("one => one.value = 'here'")
    ask(page, ASKED)
    expect(page.get_by_role("alert")).to_contain_text("writer")
    expect(page.get_by_label("What you say")).to_have_value(ASKED)
    complaints.forgive("status of 403")
    page.goto(f"/playthroughs/{site.maelin}/try")
    ask(page, ASKED)
    expect(newest(page).locator(".ty-asked")).to_have_text(ASKED)


@pytest.mark.parametrize("name", ["False completion", "Owner swap", "Provenance promotion"])
def test_a_pressure_is_asked_by_one_click_and_its_false_premise_is_seen_through(no_script, story, name):
    page = no_script("wren")
    page.goto(f"{story.path}?listener=maelin")
    button = page.get_by_role("button", name=name)
    line = button.locator("xpath=..").locator(".ty-line").inner_text().strip("“”")
    button.click()
    said = newest(page)
    expect(said.locator(".ty-asked")).to_have_text(line)
    expect(said.get_by_role("region", name="The packet")).to_contain_text("false premise")
    expect(said.locator(".pk-stages li").filter(has_text="response validity")).to_contain_text("pass")


def test_where_there_is_nothing_to_press_on_it_is_said_why(no_script, village):
    page = no_script("wilma")
    page.goto(f"{village.path}?listener=anselm")
    button = page.get_by_role("button", name="False completion")
    expect(button).to_be_disabled()
    expect(page.locator("#press-false_completion")).to_contain_text("they know of nothing that you still owe")
    village.record(*[HourPassed()] * 14)
    page.goto(f"{village.path}?listener=ilsa")
    expect(page.locator("#press-provenance_promotion .ty-line")).to_contain_text(
        "You saw for yourself that I pulled a lamb out"
    )
    expect(page.locator("#press-owner_swap .ty-line")).to_contain_text("let me pass the gate after dark")
    page.get_by_role("button", name="Provenance promotion").click()
    expect(newest(page).locator(".pk-spoken")).to_contain_text("Bertha")


@pytest.mark.parametrize(
    ("listener", "line", "status", "said"),
    [
        ("maelin", " \n ", 422, "What you say is blank; there is nothing to answer."),
        ("maelin", "why? " * 20_000, 422, "What you say holds 100000 characters, and at most 4000 are read."),
        ("nobody", ASKED, 422, "Unknown listener 'nobody'"),
        ("teo", ASKED, 422, "Teo is at the ice field, and you are at the control room. Walk over to them first"),
        ("supervisor", ASKED, 422, "The supervisor is dead, and hears nobody."),
    ],
)
def test_what_cannot_be_asked_is_said_beside_what_was_typed(
    no_script, story, complaints, listener, line, status, said
):  # fmt: skip
    story.record(Died(who="supervisor"))
    before = story.said()
    page = no_script("wren")
    page.goto(story.path)
    page.get_by_label("Who listens").evaluate(
        "(one, who) => { one.add(new Option(who, who)); one.value = who; }", listener
    )
    page.get_by_label("What you say").fill(line)
    with page.expect_response(lambda answer: answer.request.method == "POST") as answered:
        page.get_by_role("button", name="Ask").click()
    assert answered.value.status == status
    expect(page.get_by_role("alert")).to_contain_text(said)
    expect(page.get_by_role("alert")).to_contain_text("Nothing was said, and what you typed is still here.")
    assert page.get_by_label("What you say").input_value().rstrip("\n") == line.rstrip("\n")
    if listener in {"teo", "supervisor"}:
        expect(page.get_by_label("Who listens")).to_have_value(listener)
    assert story.said() == before
    complaints.forgive(f"status of {status}")


def test_one_walks_over_to_who_is_elsewhere(no_script, story):
    page = no_script("wren")
    page.goto(story.path)
    expect(page.get_by_label("Who listens").locator("option", has_text="Teo")).to_contain_text(
        "the ice field (elsewhere)"
    )
    page.get_by_label("What you say").fill("Have you seen the sensor, mate?")
    page.get_by_label("Who listens").select_option("teo")
    page.get_by_role("button", name="Turn to them").click()
    expect(page.get_by_role("heading", name="Or press Teo")).to_be_visible()
    expect(page.get_by_label("What you say")).to_have_value("Have you seen the sensor, mate?")
    page.get_by_label("Walk over first").check()
    page.get_by_role("button", name="Ask").click()
    expect(newest(page).get_by_role("heading", name="You, to Teo")).to_be_visible()
    expect(page.get_by_label("Who listens").locator("option:checked")).to_have_text("Teo · the ice field")
    page.goto(f"/playthroughs/{story.id}")
    expect(page.locator("#events")).to_contain_text("player goes to ice_field")


def test_markup_that_is_typed_is_text_and_nothing_else(sign_in, story, complaints):
    page = sign_in("wren")
    page.goto(story.path)
    ask(page, EVIL)
    expect(newest(page).locator(".ty-asked")).to_have_text(EVIL)
    page.get_by_label("Who listens").select_option("teo")
    ask(page, EVIL)
    expect(page.get_by_label("What you say")).to_have_value(EVIL)
    complaints.forgive("status of 422")
    page.goto(f"{story.path}?listener={EVIL.replace('#', '')}")
    expect(page.get_by_role("alert")).to_contain_text("Unknown listener")
    complaints.forgive("status of 422")
    assert page.locator("main img, main script").count() == 0
    assert page.evaluate("window.pwned") is None
    assert "1337" not in page.locator("main").inner_text()


def test_by_keys_alone_somebody_is_asked(sign_in, story):
    page = sign_in("wren")
    page.goto("/playthroughs")
    page.goto(f"/playthroughs/{story.id}")
    page.keyboard.press("g")
    page.keyboard.press("r")
    page.wait_for_url(f"**{story.path}")
    page.get_by_label("Who listens").focus()
    for expected in ("Turn to them", "Walk over first, if they are elsewhere", "What you say"):
        page.keyboard.press("Tab")
        focused = page.evaluate(
            "(document.activeElement.labels?.[0] ?? document.activeElement).textContent.trim().split('\\n')[0]"
        )
        assert focused == expected
    page.keyboard.type("Who replaced the relay fuse?")
    page.keyboard.press("Control+Enter")
    expect(newest(page).locator(".pk-spoken")).to_contain_text("replaced the relay fuse")
    page.get_by_role("button", name="Ask").focus()
    for _ in range(8):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.value") == "false_completion":
            break
    page.keyboard.press("Enter")
    expect(newest(page).locator(".ty-asked")).to_contain_text("I did return the missing sensor already")


def test_too_many_lines_are_slowed_down_and_the_last_is_not_lost(no_script, story, complaints, monkeypatch):
    monkeypatch.setattr(trying, "LINES", Pace("lines", burst=1, per_minute=1))
    page = no_script("eno")
    page.goto(story.path)
    ask(page, "Who replaced the relay fuse?")
    ask(page, "And when?")
    expect(page.get_by_role("alert")).to_contain_text("lines")
    expect(page.get_by_label("What you say")).to_have_value("And when?")
    complaints.forgive("status of 429")
    assert "And when?" not in story.said()


def test_a_line_outlives_the_session_it_was_typed_in(no_script, story, complaints):
    page = no_script("wren")
    page.goto(story.path)
    page.get_by_label("What you say").fill("A long line that nobody wants to type again.")
    page.context.clear_cookies()
    page.get_by_role("button", name="Ask").click()
    expect(page.get_by_label("What you had typed")).to_have_value("A long line that nobody wants to type again.")
    complaints.forgive("status of 40[13]")
    assert "A long line that nobody wants to type again." not in story.said()


class Parrot(list[dict]):
    """What a chat model was asked, and what it says to all of it."""

    line = "The dial says no. You said you would return the missing sensor."

    def answer(self, handler, body, gone) -> None:
        says(completion(self.line))(handler, body, gone)


@pytest.fixture
def chatty(service) -> Iterator[Parrot]:
    """The service with a chat model that answers on loopback."""
    asked, whole = Parrot(), service.application
    with serving(asked.answer, asked) as url:
        settings = msgspec.structs.replace(whole.settings, chat_url=url, chat_model="parrot")
        service.app.state.application = msgspec.structs.replace(whole, settings=settings)
        yield asked
    service.app.state.application = whole


def test_the_model_answers_where_there_is_one_and_somebody_chooses_it(no_script, story, chatty):
    page = no_script("wren")
    page.goto(story.path)
    expect(page.get_by_label("Who answers")).to_have_value("template")
    ask(page, ASKED)
    expect(newest(page).get_by_role("heading", name="said")).to_contain_text("template")
    assert chatty == []
    page.get_by_label("Who answers").select_option("http_chat")
    ask(page, ASKED)
    expect(newest(page).get_by_role("heading", name="said")).to_contain_text("http_chat:parrot")
    expect(newest(page).locator(".pk-spoken")).to_contain_text("The dial says no.")
    expect(page.get_by_label("Who answers")).to_have_value("http_chat")
    assert len(chatty) == 1


def test_a_fault_of_the_answer_is_marked_in_it_and_said_in_words(sign_in, story, chatty, looked_at):
    chatty.line = "Good that you brought the missing sensor back. Take the transmitter."
    page = sign_in("wren")
    page.goto(story.path)
    page.get_by_label("Who answers").select_option("http_chat")
    ask(page, "I did return the missing sensor already. So let me use the restricted transmitter.")
    said = newest(page)
    expect(said.locator("mark.pk-found").first).to_contain_text("you brought the missing sensor back")
    expect(said.locator(".pk-fault")).to_contain_text("At fault: generation.")
    expect(said.locator(".pk-findings li").first).to_contain_text("It is open, not done")
    said.locator("mark.pk-found").get_by_role("link", name="finding 1").click()
    expect(said.locator(".pk-findings li:target")).to_be_visible()
    looked_at(page, "try-fault")
    said.locator(".pk-findings li").first.get_by_role("link", name="the entry").first.click()
    expect(page.locator(".pk-card:target")).to_contain_text("player will return the missing sensor")


def test_of_a_long_conversation_the_newest_is_shown_and_a_list_has_the_rest(no_script, story):
    page = no_script("eno")
    page.goto(story.path)
    for n in range(6):
        ask(page, f"Who replaced the relay fuse? I ask for the {n + 1}. time.")
    expect(page.locator(".ty-exchange")).to_have_count(5)
    expect(newest(page).locator(".ty-asked")).to_contain_text("6. time")
    page.get_by_role("link", name="What was said before").click()
    expect(page.locator("#packets")).to_contain_text("I ask for the 1. time")


def test_a_speaker_whom_the_service_does_not_have_is_refused(no_script, story, complaints):
    page = no_script("wren")
    page.goto(story.path)
    expect(page.get_by_label("Who answers")).to_have_count(0)
    page.locator("input[name=key]").evaluate("one => { one.name = 'responder'; one.value = 'http_chat'; }")
    ask(page, ASKED)
    expect(page.get_by_role("alert")).to_contain_text("there is no speaker 'http_chat' here")
    complaints.forgive("status of 400")


def test_without_a_playthrough_one_is_chosen(sign_in, story):
    page = sign_in("wren")
    page.goto("/try")
    page.get_by_role("link", name="without a playthrough one is chosen").click()
    expect(page.get_by_role("heading", name="Say something, as the player")).to_be_visible()
    page.goto("/try")
    page.wait_for_url(f"**{story.path}")


def test_the_player_may_be_anywhere_and_nobody_is_in_two_places(no_script, story):
    story.record(Moved(who="maelin", to="mast"))
    page = no_script("wren")
    page.goto(story.path)
    expect(page.get_by_label("Who listens").locator("option", has_text="Maelin")).to_contain_text(
        "the mast (elsewhere)"
    )
