"""Sign in and out, people, the audit log, and themes: in the browser, by roles, with and without a script."""

import re

import pytest
from playwright.sync_api import expect

from ledger_service.services.people.keep_accounts import give_worlds, take_worlds
from tests.e2e.console.conftest import PASSWORD

pytestmark = [pytest.mark.postgres, pytest.mark.falkordb]


def enter(page, name, password=PASSWORD):
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign in").click()


def test_who_is_not_signed_in_is_led_to_the_door_and_back_to_what_they_wanted(
    open_context, site, looked_at, complaints
):
    page = open_context(java_script_enabled=False).new_page()
    page.goto(f"/playthroughs/{site.maelin}")
    expect(page).to_have_url(re.compile(r"/sign-in\?next="))
    enter(page, "wren", "a wrong but long password")
    expect(page.get_by_role("alert")).to_contain_text("No account has this name and this password")
    enter(page, "wren")
    expect(page).to_have_url(re.compile(site.maelin))
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("status")).to_contain_text("You are signed out.")
    page.goto(f"/playthroughs/{site.maelin}")
    expect(page).to_have_url(re.compile(r"/sign-in"))
    complaints.forgive("status of 401")
    page = open_context().new_page()
    page.goto("/sign-in")
    looked_at(page, "sign-in")


@pytest.mark.parametrize(
    "elsewhere", ["https://evil.example/", "//evil.example", "/\\evil.example", "javascript:alert(1)"]
)
def test_after_signing_in_nobody_is_led_elsewhere(open_context, site, elsewhere):
    page = open_context().new_page()
    page.goto("/sign-in?next=" + elsewhere)
    enter(page, "wren")
    page.wait_for_url(f"{site.url}/playthroughs")


def test_the_audit_log_says_who_did_what_and_is_filtered(sign_in, looked_at):
    page = sign_in("ada")
    page.goto("/audit")
    page.get_by_label("Who").fill("command line")
    page.get_by_label("Did what").fill("account added")
    page.get_by_role("button", name="Show").click()
    expect(page.get_by_role("row", name=re.compile("wren"))).to_contain_text("role: writer")
    expect(page.get_by_role("row", name=re.compile("signed in"))).to_have_count(0)
    looked_at(page, "audit")
    page.get_by_label("Who").fill("nobody at all")
    page.get_by_role("button", name="Show").click()
    expect(page.get_by_role("main")).to_contain_text("Nothing to show")


def test_a_writer_reads_in_the_log_what_is_about_their_worlds(sign_in, no_script, site):
    page = sign_in("quinn")
    page.goto(f"/playthroughs/{site.village}")
    page.locator("#e2").get_by_text("From here").click()
    page.locator("#e2").get_by_label("Name of this point").fill("the theft")
    page.locator("#e2").get_by_role("button", name="Name it").click()
    for name, count in (("wilma", 1), ("wren", 0)):
        theirs = no_script(name)
        theirs.goto("/audit")
        expect(theirs.get_by_role("row", name=re.compile("the theft"))).to_have_count(count)
        expect(theirs.get_by_role("row", name=re.compile("signed in"))).to_have_count(0)


def test_who_was_given_no_world_sees_that_there_is_nothing(sign_in, looked_at):
    page = sign_in("nell")
    page.goto("/playthroughs")
    expect(page.get_by_role("main")).to_contain_text("No playthroughs yet")
    looked_at(page, "playthroughs-empty")


def test_a_world_that_is_taken_is_gone_from_the_next_request_on(sign_in, site, service, complaints):
    page = sign_in("wilma")
    assert page.goto(f"/playthroughs/{site.village}").status == 200
    accounts = service.application.accounts
    site.run(take_worlds, "wilma", ["village"], accounts=accounts)
    try:
        assert page.goto(f"/playthroughs/{site.village}").status == 404
        complaints.forgive("status of 404")
    finally:
        site.run(give_worlds, "wilma", ["village"], accounts=accounts)


def ground_of(page):
    return page.evaluate("getComputedStyle(document.body).backgroundColor")


def test_a_theme_is_kept_and_else_the_system_decides(no_script, sign_in):
    page = no_script("wren")
    page.emulate_media(color_scheme="dark")
    page.goto("/playthroughs")
    page.get_by_role("button", name="Light").click()
    expect(page.get_by_role("button", name="Light")).to_have_attribute("aria-pressed", "true")
    light = ground_of(page)
    page.get_by_role("button", name="Auto").click()
    dark = ground_of(page)
    assert light != dark
    page.emulate_media(color_scheme="light")
    assert ground_of(page) == light
    page.get_by_role("button", name="Dark").click()
    assert ground_of(page) == dark


def test_a_page_that_is_not_there_and_one_that_cannot_be_say_what_to_do(sign_in, site, looked_at, complaints):
    page = sign_in("wren")
    assert page.goto("/nowhere").status == 404
    assert page.goto("/playthroughs/none").status == 404
    looked_at(page, "problem-404")
    assert page.goto(f"/playthroughs/{site.maelin}?before=900").status == 422
    expect(page.get_by_role("main")).to_contain_text("outside the history")
    assert page.goto("/playthroughs?colour=red").status == 400
    expect(page.get_by_role("main")).to_contain_text("there is no parameter 'colour'", ignore_case=True)
    complaints.forgive("status of 4")


def test_a_page_prints_without_its_frame(sign_in, site):
    page = sign_in("quinn")
    page.goto(f"/playthroughs/{site.maelin}")
    page.emulate_media(media="print")
    expect(page.get_by_role("navigation", name="Places")).to_be_hidden()
    expect(page.get_by_role("heading", name="The relay, as it went")).to_be_visible()


def test_on_a_narrow_screen_nothing_is_wider_than_it(sign_in, site, looked_at):
    page = sign_in("ada", viewport={"width": 390, "height": 800})
    for path in ("/playthroughs", f"/playthroughs/{site.maelin}", "/people", "/audit"):
        page.goto(path)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, path
    looked_at(page, "narrow")
