"""Playthroughs in the browser: the list, the timeline, branches, named points, live news; with and without a script."""

import re

import pytest
from playwright.sync_api import expect

from ledger_service.domain.events import CommitmentMade, Deed, HourPassed, StateSet, TimePassed
from ledger_service.services.events.record_event import record_events
from ledger_service.services.playthroughs.open_playthrough import open_playthrough

pytestmark = [pytest.mark.postgres, pytest.mark.falkordb]


def a_playthrough(site, service, title, hours=0):
    """Open a playthrough of the station of this test's own, in which some hours pass, an event each."""
    app = service.application
    opened = site.run(open_playthrough, "maelin", open_uow=app.open_uow, title=title)
    pass_hours(site, service, opened.playthrough_id, hours)
    return opened.playthrough_id


def pass_hours(site, service, playthrough_id, hours):
    app = service.application
    events = [TimePassed(hours=1)] * hours
    if events:
        site.run(record_events, playthrough_id, events, open_uow=app.open_uow, embedder=app.reading.embedder)


def test_the_list_and_a_timeline_look_right(sign_in, site, looked_at):
    page = sign_in("quinn")
    page.goto("/playthroughs")
    expect(page.get_by_role("row", name="The relay, as it went")).to_contain_text("maelin")
    looked_at(page, "playthroughs")
    page.get_by_role("link", name="The relay, as it went").click()
    expect(page.get_by_role("heading", name="The relay, as it went")).to_be_visible()
    expect(page.locator("#timeline")).to_contain_text("player replaced the relay fuse")
    expect(page.locator("#e10")).to_contain_text("commitment")
    looked_at(page, "timeline")


def test_without_a_script_a_writer_reads_filters_branches_and_names_a_point(no_script, site, service):
    mine = a_playthrough(site, service, "to branch", hours=3)
    page = no_script("wren")
    page.goto("/playthroughs")
    page.get_by_label("Title or id").fill("to branch")
    page.get_by_role("button", name="Show").click()
    page.get_by_role("link", name="to branch").click()
    second = page.locator("#e2")
    second.get_by_text("From here").click()
    second.get_by_label("Name of this point").fill("the second hour")
    second.get_by_role("button", name="Name it").click()
    expect(page.get_by_role("status")).to_contain_text("Event 2 is called the second hour.")
    expect(page.locator("#points")).to_contain_text("the second hour")
    page.reload()
    expect(page.get_by_role("status")).to_have_count(0)
    second.get_by_text("From here").click()
    second.get_by_label("Title of the branch").fill("another way")
    second.get_by_role("button", name="Branch here").click()
    expect(page.get_by_role("heading", name="another way")).to_be_visible()
    expect(page.locator("#events > li")).to_have_count(2)
    page.goto(f"/playthroughs/{mine}")
    expect(page.locator("#branches")).to_contain_text("another way")


def test_a_playthrough_is_opened_in_the_browser_and_the_log_says_by_whom(sign_in):
    page = sign_in("wren")
    page.goto("/playthroughs")
    page.get_by_label("Title", exact=True).fill("what if she had")
    page.get_by_role("button", name="Open it").click()
    expect(page.get_by_role("heading", name="what if she had")).to_be_visible()
    expect(page.locator("#timeline")).to_contain_text("Nothing has happened yet")
    page.goto("/audit")
    expect(page.get_by_role("row", name=re.compile("playthrough opened")).first).to_contain_text("wren")


def test_a_long_history_is_read_page_by_page_without_gaps(sign_in, site, service):
    long = a_playthrough(site, service, "long", hours=120)
    page = sign_in("quinn")
    page.goto(f"/playthroughs/{long}")
    shown = []
    while True:
        shown += [int(item.get_attribute("id")[1:]) for item in page.locator("#events > li").all()]
        older = page.get_by_role("link", name="Older")
        if not older.count():
            break
        older.click()
        page.wait_for_load_state()
    assert shown == list(range(120, 0, -1))


def test_new_events_are_announced_while_one_looks(sign_in, site, service):
    mine = a_playthrough(site, service, "watched", hours=1)
    page = sign_in("quinn")
    page.goto(f"/playthroughs/{mine}")
    pass_hours(site, service, mine, 2)
    expect(page.locator("[data-live]")).to_contain_text("2 new events")
    page.get_by_role("link", name="Show").click()
    expect(page.locator("#e3")).to_be_visible()


def test_the_quick_filter_hides_what_lacks_a_word_and_says_how_much_is_left(sign_in, site):
    page = sign_in("wren")
    page.goto(f"/playthroughs/{site.maelin}")
    page.keyboard.press("/")
    page.keyboard.type("relay fuse")
    expect(page.locator("#e6")).to_be_visible()
    expect(page.locator("#e1")).to_be_hidden()
    expect(page.get_by_text(re.compile(r"^\d+ of 24 shown$"))).to_have_count(1)


def test_keys_alone_lead_from_the_list_to_an_event_and_elsewhere(sign_in):
    page = sign_in("quinn")
    page.goto("/playthroughs")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the page")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/playthroughs/p\w+"))
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("g")
    page.keyboard.press("a")
    page.wait_for_url("**/audit")


def test_a_replay_steps_through_what_each_event_changed(sign_in, site, looked_at):
    page = sign_in("wren")
    page.goto(f"/playthroughs/{site.maelin}/replay")
    expect(page.locator("#said")).to_have_text("Player goes to control_room")
    expect(page.locator("#stands")).to_contain_text("is at the control room")
    expect(page.get_by_role("link", name="‹ Before")).to_have_count(0)
    page.keyboard.press("ArrowRight")
    page.wait_for_url("**/replay?at=2")
    expect(page.locator("#left")).to_contain_text("maelin does not trust automatic forecasts")
    expect(page.locator("#left")).to_contain_text("known to")
    page.keyboard.press("ArrowLeft")
    page.wait_for_url("**/replay?at=1")
    page.get_by_label("Event", exact=True).fill("18")
    page.get_by_role("button", name="Go").click()
    looked_at(page, "replay")
    page.get_by_role("link", name="Last »").click()
    expect(page.get_by_role("link", name="Next ›")).to_have_count(0)


def test_without_a_script_a_replay_shows_what_ended_and_branches_where_one_stands(no_script, site, service):
    app = service.application
    mine = a_playthrough(site, service, "to replay")
    promise = CommitmentMade(
        owner="player",
        to="maelin",
        name="tea",
        statement="player will bring tea",
        fulfilled_when="state.storm_level == 0",
    )
    kept = StateSet(state_key="storm_level", value=0)
    site.run(record_events, mine, [promise, kept], open_uow=app.open_uow, embedder=app.reading.embedder)
    page = no_script("wren")
    page.goto(f"/playthroughs/{mine}")
    page.locator("#e1").get_by_text("From here").click()
    page.get_by_role("link", name="Replay from event 1").click()
    page.get_by_role("link", name="Next ›").click()
    expect(page.locator("#became")).to_contain_text("fulfilled")
    expect(page.locator("#became")).to_contain_text("player will bring tea")
    expect(page.locator("#stands")).to_contain_text("storm_level is 0; before, 2")
    page.get_by_label("Title of the branch").fill("no storm")
    page.get_by_role("button", name="Branch here").click()
    expect(page.get_by_role("heading", name="no storm")).to_be_visible()
    page.goto(f"/playthroughs/{a_playthrough(site, service, 'empty')}/replay")
    expect(page.locator("main")).to_contain_text("Nothing has happened yet")


def test_a_replay_of_an_hour_says_who_told_whom(sign_in, site, service, looked_at):
    app = service.application
    mine = site.run(open_playthrough, "village", open_uow=app.open_uow, title="hours").playthrough_id
    theft = Deed(actor="player", target="tomas", place="market", statement="the player took an apple", ladder="theft")
    events = [TimePassed(hours=9), theft, *[HourPassed()] * 4]
    receipts = site.run(record_events, mine, events, open_uow=app.open_uow, embedder=app.reading.embedder)
    told = next(r for r in receipts if r.tellings)
    page = sign_in("wilma")
    page.goto(f"/playthroughs/{mine}/replay?at={told.seq}")
    expect(page.locator("#tellings li").first).to_contain_text("tells")
    expect(page.locator("#left")).to_contain_text("known to")
    looked_at(page, "replay-hour")


def test_a_playthrough_is_opened_with_a_seed_by_which_chance_is_drawn(sign_in, complaints):
    page = sign_in("wren")
    page.goto("/worlds/maelin")
    page.get_by_label("Title").fill("by chance")
    page.get_by_label("Seed").fill("4711")
    page.get_by_role("button", name="Open a playthrough").click()
    expect(page.locator("#timeline")).to_contain_text("chance is drawn by 4711")
    page.goto("/playthroughs")
    page.get_by_label("Seed").evaluate("field => { field.type = 'text'; field.value = 'x' }")
    page.get_by_role("button", name="Open it").click()
    expect(page.locator("main")).to_contain_text("is no whole number")
    complaints.forgive("status of 400")


def test_an_export_is_a_file_for_testers_and_not_for_writers(sign_in, site, complaints):
    page = sign_in("eno")
    page.goto(f"/playthroughs/{site.maelin}")
    with page.expect_download() as download:
        page.get_by_role("link", name="Export").click()
    assert download.value.suggested_filename == f"{site.maelin}.json"
    page = sign_in("wren")
    page.goto(f"/playthroughs/{site.maelin}")
    expect(page.get_by_role("link", name="Export")).to_have_count(0)
    assert page.goto(f"/playthroughs/{site.maelin}/export").status == 403
    complaints.forgive("status of 403")
