"""One entry in the browser: five questions, history with causes, what it rests on and bears, who said it to whom."""

import re

import pytest
from playwright.sync_api import expect

from ledger_service.domain.events import HourPassed
from ledger_service.services.events.record_event import record_events
from ledger_service.services.playthroughs.open_playthrough import fork_playthrough

pytestmark = [pytest.mark.postgres, pytest.mark.falkordb]


def go(page, playthrough, said, query=""):
    """Open an entry by its statement, from the list."""
    page.goto(f"/playthroughs/{playthrough}/entries{query}")
    page.get_by_role("link", name=said, exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text(said)


def answer(page, question) -> str:
    return page.locator("#questions dt", has_text=question).locator("xpath=following-sibling::dd[1]").inner_text()


def test_an_entry_looks_right_and_says_what_became_of_it_and_why(sign_in, site, looked_at):
    page = sign_in("wren")
    go(page, site.maelin, "the mast heater is dead")
    expect(page.locator("#history")).to_contain_text("superseded")
    expect(page.locator("#history")).to_contain_text("because: maelin repaired the mast heater")
    looked_at(page, "entry")
    page.locator("#history").get_by_role("link", name="maelin repaired the mast heater").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("maelin repaired the mast heater")
    page.locator("header").get_by_role("link", name="event 20").click()
    expect(page.locator("#e20")).to_be_visible()


def test_the_five_questions_are_answered_in_plain_words(no_script, site):
    page = no_script("wren")
    go(page, site.maelin, "maelin has filed for a transfer off the moon")
    assert "Maelin Voss, since day 2, 01:00" in answer(page, "Who knows it?")
    assert "Maelin Voss knows it of themselves" in answer(page, "How did they learn it?")
    assert "Maelin Voss is certain (1.00" in answer(page, "How sure are they?")
    said = answer(page, "May they reveal it now")
    assert "Maelin Voss acts on it before the player, and never says it" in said
    assert "to nobody" in said
    go(page, site.maelin, "the sensor lies in the south crater")
    assert "Teo told Maelin Voss" in answer(page, "How did they learn it?")
    assert "is not sure (0.50" in answer(page, "How sure are they?")
    assert "naming only Teo" in answer(page, "May they reveal it now")
    go(page, site.maelin, "player will return the missing sensor")
    assert "it is kept once" in answer(page, "What would change or end it?")


def test_to_whom_it_may_be_said_depends_on_who_listens(no_script, site):
    page = no_script("wren")
    go(page, site.maelin, "maelin's transfer form is on the supervisor's desk")
    assert "does not say it to the player" in answer(page, "May they reveal it now")
    page.get_by_text("To whom might it be said?").click()
    page.get_by_label("the player").uncheck()
    page.get_by_label("Maelin Voss").check()
    page.get_by_role("button", name="Look").click()
    assert "may say it to Maelin Voss" in answer(page, "May they reveal it now")


def test_as_seen_by_somebody_and_as_of_an_event_an_entry_is_what_they_could_tell(no_script, site):
    page = no_script("quinn")
    go(page, site.maelin, "the mast heater is dead")
    page.get_by_label("As of event").fill("12")
    page.get_by_role("button", name="Look").click()
    expect(page.locator("main > header")).to_contain_text("active")
    assert "nothing by itself" in answer(page, "What would change or end it?")
    page.get_by_label("As seen by").select_option("supervisor")
    page.get_by_role("button", name="Look").click()
    expect(page.get_by_role("note")).to_contain_text("cannot see this entry")
    assert "does not know it" in answer(page, "How sure are they?")
    assert "does not know it" in answer(page, "May they reveal it now")


def test_what_is_before_an_entry_was_written_or_not_there_is_said_by_name(no_script, site, complaints):
    page = no_script("quinn")
    go(page, site.maelin, "the mast heater is dead")
    page.goto(page.url + "?at=3")
    expect(page.get_by_role("main")).to_contain_text("is before event 12, which wrote this entry")
    assert page.goto(f"/playthroughs/{site.maelin}/entries/nothing").status == 404
    complaints.forgive("status of 4")


def test_what_an_entry_rests_on_leads_there_and_back(no_script, site):
    page = no_script("wren")
    page.goto(f"/playthroughs/{site.maelin}/entries?kind=contradiction")
    page.locator("#rows tbody th > a").click()
    side = page.locator("#beneath").get_by_role("link", name="the supervisor's message never reached the player")
    side.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("the supervisor's message never reached the player")
    page.locator("#above").get_by_role("link", name=re.compile("against that")).click()
    expect(page.locator("#beneath li")).to_have_count(2)


def test_who_said_a_story_to_whom_leads_from_version_to_version(sign_in, site, service, looked_at):
    app = service.application
    branch = site.run(fork_playthrough, site.village, open_uow=app.open_uow, title="told on")
    site.run(
        record_events, branch.playthrough_id, [HourPassed()] * 30, open_uow=app.open_uow, embedder=app.reading.embedder
    )
    page = sign_in("wilma")
    page.goto(f"/playthroughs/{branch.playthrough_id}/entries?kind=hearsay")
    page.locator("#rows tbody th > a").last.click()
    expect(page.locator("#tellings tbody tr").first).to_be_visible()
    expect(page.locator("#told ol li").first).to_be_visible()
    assert page.locator("#tellings").locator("..").evaluate("one => one.scrollWidth <= one.clientWidth"), "cut off"
    looked_at(page, "entry-told")
    told = page.locator("#tellings tbody tr").first
    who, came_from = told.locator("th").inner_text(), page.url
    told.get_by_role("link", name=re.compile("version")).click()
    page.wait_for_url(lambda url: url != came_from)
    expect(page.locator("#tellings tbody th", has_text=who.split("\n")[0]).first).to_be_visible()


def test_an_entry_of_another_world_is_not_there(no_script, site, complaints):
    page = no_script("wren")
    go(page, site.maelin, "the mast heater is dead")
    entry = page.url.rsplit("/", 1)[1]
    other = no_script("wilma")
    assert other.goto(f"/playthroughs/{site.maelin}/entries/{entry}").status == 404
    assert other.goto(f"/playthroughs/{site.village}/entries/{entry}").status == 404
    complaints.forgive("status of 404")
