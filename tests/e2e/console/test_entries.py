"""The ledger browser in the browser: filters, pages, as of an event, as seen by somebody; with and without a script."""

import re

import pytest
from playwright.sync_api import expect

pytestmark = [pytest.mark.postgres, pytest.mark.falkordb]


def statements(page) -> list[str]:
    return page.locator("#rows tbody th > a").all_inner_texts()


def test_the_ledger_looks_right(sign_in, site, looked_at):
    page = sign_in("quinn")
    page.goto(f"/playthroughs/{site.maelin}/entries")
    expect(page.get_by_role("heading", name="The relay, as it went")).to_be_visible()
    expect(page.locator("#rows")).to_contain_text("player replaced the relay fuse")
    assert page.locator(".table").evaluate("one => one.scrollWidth <= one.clientWidth"), "who knows it is out of sight"
    looked_at(page, "ledger")
    page.goto(f"/playthroughs/{site.village}/entries")
    looked_at(page, "ledger-village")


def test_without_a_script_each_filter_finds_what_it_says(no_script, site):
    page = no_script("wren")
    page.goto(f"/playthroughs/{site.maelin}/entries")
    page.get_by_label("Kind").select_option("commitment")
    page.get_by_role("button", name="Show", exact=True).click()
    assert statements(page) == ["player will return the missing sensor"]
    page.goto(f"/playthroughs/{site.maelin}/entries?status=superseded")
    assert statements(page) == ["the mast heater is dead"]
    page.goto(f"/playthroughs/{site.maelin}/entries?source=told_by")
    assert statements(page) == ["the sensor lies in the south crater", "the western antenna failed first"]
    page.goto(f"/playthroughs/{site.maelin}/entries?knower=supervisor")
    assert set(statements(page)) == {
        "maelin's transfer form is on the supervisor's desk",
        "the supervisor's message orders that maelin be replaced by the automatic forecaster",
    }
    page.goto(f"/playthroughs/{site.maelin}/entries?band=unverified&kind=hearsay")
    assert len(statements(page)) == 3
    page.goto(f"/playthroughs/{site.maelin}/entries?scene=3")
    assert statements(page) == [
        "maelin repaired the mast heater",
        "player left on the cable errand with the sensor still out on the ice",
    ]
    page.get_by_label("Scene").fill("")
    page.get_by_label("Words").fill("antennas failing")
    page.get_by_role("button", name="Show", exact=True).click()
    assert statements(page) == ["the western antenna failed first"]
    page.get_by_label("Words").fill("the")
    page.get_by_role("button", name="Show", exact=True).click()
    expect(page.get_by_role("heading", name="These words are in everything")).to_be_visible()
    page.get_by_label("Words").fill("xylophone")
    page.get_by_role("button", name="Show", exact=True).click()
    expect(page.get_by_role("heading", name="Nothing fits")).to_be_visible()


def test_as_of_an_event_the_ledger_is_what_it_was(no_script, site, complaints):
    page = no_script("quinn")
    page.goto(f"/playthroughs/{site.maelin}/entries")
    page.get_by_label("As of event").fill("12")
    page.get_by_role("button", name="Show", exact=True).click()
    expect(page.get_by_role("note")).to_contain_text("event 12")
    heater = page.get_by_role("row", name="the mast heater is dead")
    expect(heater).to_contain_text("active")
    assert "maelin repaired the mast heater" not in statements(page)
    page.get_by_role("link", name="before the storm, event 6").click()
    expect(page.get_by_role("note")).to_contain_text("event 6")
    assert statements(page)[0] == "player replaced the relay fuse"
    page.get_by_role("link", name="one later »").click()
    assert statements(page)[0] == "maelin doubts the player as a technician after the fuse took three tries"
    page.get_by_role("link", name="now", exact=True).click()
    expect(page.get_by_role("row", name="the mast heater is dead")).to_contain_text("superseded")
    page.goto(f"/playthroughs/{site.maelin}/entries?at=9999")
    expect(page.get_by_role("main")).to_contain_text("outside the history")
    page.goto(f"/playthroughs/{site.maelin}/entries?at=soon")
    expect(page.get_by_role("main")).to_contain_text("is no whole number")
    complaints.forgive("status of 4")


def test_as_seen_by_somebody_there_is_what_they_know_and_no_more(no_script, site):
    page = no_script("quinn")
    page.goto(f"/playthroughs/{site.maelin}/entries")
    page.get_by_label("As seen by").select_option("player")
    page.get_by_role("button", name="Show", exact=True).click()
    expect(page.get_by_role("note")).to_contain_text("sees it")
    seen = statements(page)
    assert "maelin has filed for a transfer off the moon" not in seen
    assert not any("against that" in said for said in seen), "who sees one side of a contradiction sees none"
    assert "player will return the missing sensor" in seen
    page.get_by_label("Kind").select_option("contradiction")
    page.get_by_role("button", name="Show", exact=True).click()
    expect(page.get_by_role("heading", name="Nothing fits")).to_be_visible()
    page.get_by_label("As seen by").select_option("maelin")
    page.get_by_role("button", name="Show", exact=True).click()
    assert len(statements(page)) == 1


def test_with_a_script_the_slider_and_choices_show_the_page_anew(sign_in, site):
    page = sign_in("quinn")
    page.goto(f"/playthroughs/{site.maelin}/entries")
    slider = page.get_by_label("Go along the story")
    slider.focus()
    slider.press("Home")
    page.wait_for_url(re.compile(r"[?&]at=0"))
    expect(page.get_by_role("heading", name="Nothing is written yet")).to_be_visible()
    page.get_by_label("Go along the story").focus()
    page.get_by_label("Go along the story").press("End")
    page.wait_for_url(re.compile(r"[?&]at=(&|$)"))
    page.get_by_label("Kind").select_option("hearsay")
    page.wait_for_url(re.compile("kind=hearsay"))
    assert len(statements(page)) == 3


def test_nobody_browses_the_ledger_of_a_world_that_is_not_theirs(no_script, site, complaints):
    page = no_script("wilma")
    answer = page.goto(f"/playthroughs/{site.maelin}/entries")
    assert answer.status == 404
    complaints.forgive("status of 404")


def test_the_ledger_of_whatever_was_looked_at_last_is_one_key_away(sign_in, site):
    page = sign_in("wilma")
    page.goto("/ledger")
    page.get_by_role("link", name="An apple is taken").click()
    expect(page.get_by_role("heading", name="An apple is taken")).to_be_visible()
    page.goto("/playthroughs")
    page.keyboard.press("g")
    page.keyboard.press("l")
    page.wait_for_url(f"**/playthroughs/{site.village}/entries")


def test_by_keys_alone_an_entry_is_found_opened_and_looked_at_as_of_before(sign_in, site):
    page = sign_in("quinn")
    page.goto(f"/playthroughs/{site.maelin}/entries")
    keys = page.keyboard
    keys.press("/")
    expect(page.get_by_label("Words")).to_be_focused()
    keys.type("mast heater")
    keys.press("Enter")
    page.wait_for_url("**text=mast**")
    keys.press("j")
    keys.press("j")
    keys.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("the mast heater is dead")
    page.get_by_label("As of event").focus()
    keys.type("12")
    keys.press("Enter")
    page.wait_for_url("**at=12**")
    expect(page.locator("main > header")).to_contain_text("as it stood after event 12")
