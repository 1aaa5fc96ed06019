"""The boards in the browser: what is open, contradictions settled and drafts confirmed or dropped with a reason."""

import re

import pytest
from playwright.sync_api import expect

from ledger_service.domain.events import EntriesPosted, EntryDraft
from ledger_service.services.events.record_event import record_events
from ledger_service.services.playthroughs.open_playthrough import fork_playthrough

pytestmark = [pytest.mark.postgres, pytest.mark.falkordb]


@pytest.fixture
def branch(site, service):
    """A branch of the station's story of this test's own, with two drafts."""
    app = service.application
    opened = site.run(fork_playthrough, site.maelin, open_uow=app.open_uow, title="to be settled")
    drafts = tuple(
        EntryDraft(kind="observation", statement=said, knowers=("maelin",), quarantined=True)
        for said in ("the crater is empty", "the log was forged")
    )
    events = [EntriesPosted(entries=drafts)]
    site.run(record_events, opened.playthrough_id, events, open_uow=app.open_uow, embedder=app.reading.embedder)
    return opened.playthrough_id


def test_the_boards_look_right(sign_in, branch, looked_at):
    page = sign_in("wren")
    page.goto(f"/playthroughs/{branch}/boards")
    commitment = page.locator("#commitments .bd-card")
    expect(commitment).to_contain_text("the player owes it to Maelin Voss")
    expect(commitment).to_contain_text("due since event")
    contradiction = page.locator("#contradictions .bd-card")
    expect(contradiction.locator(".bd-side")).to_have_count(2)
    expect(contradiction).to_contain_text("both sides are seen by Maelin Voss")
    expect(page.locator("#residue .bd-card")).to_contain_text("it fades after 2 more scenes")
    expect(page.locator("#drafts .bd-card")).to_have_count(2)
    looked_at(page, "boards")
    page.get_by_role("navigation", name="Boards").get_by_role("link", name="Contradictions").click()
    page.get_by_text("Settle it").first.click()
    looked_at(page, "board-contradictions")


def test_a_contradiction_is_settled_for_a_reason_and_the_log_says_by_whom(no_script, branch):
    page = no_script("wren")
    page.goto(f"/playthroughs/{branch}/boards?board=contradictions")
    page.get_by_text("Settle it").first.click()
    page.get_by_label("the station log shows the player's terminal acknowledging a message at tick 31").check()
    page.get_by_label("Why").fill("the log is a machine's")
    page.get_by_role("button", name="Settle it").click()
    expect(page.get_by_role("status")).to_contain_text("It is settled")
    expect(page.locator("#contradictions")).to_contain_text("Nothing on record contradicts anything else.")
    page.goto(f"/playthroughs/{branch}/entries?text=supervisor+message+reached&status=superseded")
    page.locator("#rows tbody th > a").click()
    expect(page.locator("#history")).to_contain_text("the log is a machine's")
    expect(page.locator("#history")).to_contain_text("by wren")
    page.goto("/audit")
    expect(page.get_by_role("row", name=re.compile("contradiction settled")).first).to_contain_text("wren")
    page.goto(f"/playthroughs/{branch}")
    expect(page.locator("#events > li").first).to_contain_text("is settled for")


def test_a_contradiction_that_nothing_decides_is_set_aside(no_script, branch):
    page = no_script("eno")
    page.goto(f"/playthroughs/{branch}/boards")
    page.locator("#contradictions").get_by_text("Settle it").first.click()
    page.get_by_label("neither is settled").check()
    page.locator("#contradictions").get_by_label("Why").fill("two readings of one line")
    page.get_by_role("button", name="Settle it").click()
    expect(page.get_by_role("status")).to_contain_text("set aside; both stand")
    page.goto(f"/playthroughs/{branch}/entries?status=dismissed")
    expect(page.locator("#rows tbody tr")).to_have_count(1)


def test_drafts_are_confirmed_or_dropped_and_then_are_no_drafts(no_script, branch):
    page = no_script("wren")
    page.goto(f"/playthroughs/{branch}/boards?board=drafts")
    for said, button, becomes in (
        ("the crater is empty", "Confirm it", "confirmed, and may be drawn on"),
        ("the log was forged", "Drop it", "dropped, and kept as such"),
    ):
        card = page.locator(".bd-card", has_text=said)
        card.get_by_text("Confirm or drop it").click()
        card.get_by_label("Why").fill("I asked the author")
        card.get_by_role("button", name=button).click()
        expect(page.get_by_role("status")).to_contain_text(becomes)
    expect(page.locator("#drafts")).to_contain_text("No draft waits for anybody.")
    page.goto(f"/playthroughs/{branch}/entries?text=crater+empty")
    expect(page.locator("#rows tbody")).to_contain_text("active")
    page.goto(f"/playthroughs/{branch}/entries?text=log+forged")
    expect(page.locator("#rows tbody")).to_contain_text("retracted")


def test_without_a_reason_nothing_is_settled(no_script, branch, complaints):
    page = no_script("wren")
    page.goto(f"/playthroughs/{branch}/boards?board=drafts")
    card = page.locator(".bd-card").first
    card.get_by_text("Confirm or drop it").click()
    card.get_by_label("Why").fill("   ")
    card.get_by_role("button", name="Confirm it").click()
    expect(page.get_by_role("main")).to_contain_text("is blank; whatever a person decides")
    page.goto(f"/playthroughs/{branch}/boards?board=drafts")
    expect(page.locator("#drafts .bd-card")).to_have_count(2)
    complaints.forgive("status of 422")


def test_qa_reads_the_boards_and_settles_nothing(no_script, branch):
    page = no_script("quinn")
    page.goto(f"/playthroughs/{branch}/boards")
    expect(page.locator("#drafts .bd-card")).to_have_count(2)
    expect(page.get_by_text("Settle it")).to_have_count(0)
    answer = page.request.post(f"/playthroughs/{branch}/boards/confirm", form={"entry": "e", "reason": "r"})
    assert answer.status == 403


def test_nobody_sees_or_settles_the_boards_of_another_world(no_script, branch, complaints):
    page = no_script("wilma")
    assert page.goto(f"/playthroughs/{branch}/boards").status == 404
    assert page.goto(f"/playthroughs/{branch}/boards/digest").status == 404
    complaints.forgive("status of 404")


def test_the_digest_says_what_came_since_an_event(sign_in, site, looked_at):
    page = sign_in("quinn")
    page.goto(f"/playthroughs/{site.maelin}/boards/digest")
    expect(page.get_by_label("What came after event")).to_have_value("6")
    expect(page.locator("#new")).to_contain_text("10 observation")
    expect(page.locator("#replaced")).to_contain_text("the mast heater is dead")
    expect(page.locator("#unresolved")).to_contain_text("against that")
    looked_at(page, "digest")
    page.get_by_label("What came after event").fill("22")
    page.get_by_role("button", name="Show", exact=True).click()
    expect(page.locator("#new li")).to_have_count(1)
    expect(page.locator("#replaced")).to_have_count(0)
