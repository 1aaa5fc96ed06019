"""The six journeys that the console is for, by keys alone; without a script where reading and forms are all of it."""

import re

import pytest
from playwright.sync_api import expect

from ledger_service.domain.rubric import Gold
from tests.e2e.console.conftest import PASSWORD
from tests.e2e.console.keys import Keys
from tests.e2e.console.test_packets import FALSE, HONEST, card_of, story  # noqa: F401  (a fixture)
from tests.e2e.console.test_probes import LONG
from tests.e2e.console.test_spyglass import at, begun  # noqa: F401  (a fixture)

pytestmark = [pytest.mark.postgres, pytest.mark.falkordb]


def test_a_writer_finds_why_a_line_mentioned_a_promise(no_script, story):  # noqa: F811
    stored = story.ask()
    story.say(stored, HONEST)
    page = no_script("wren")
    keys = Keys(page)
    page.goto(f"/playthroughs/{story.id}/packets")
    keys.press(page.get_by_role("link", name="maelin to player"))
    claim = page.locator(".pk-claim").filter(has_text="you said you would bring it back")
    keys.press(claim.get_by_role("link", name=re.compile("speaks of #")).first)
    promise = page.locator(".pk-card:target")
    expect(promise).to_contain_text("player will return the missing sensor")
    keys.press(promise.get_by_role("link", name="said in claim 3 of the line"))
    expect(page.locator(".pk-claim:target")).to_contain_text("you said you would bring it back")
    page.go_back()
    keys.press(page.locator(".pk-card:target").get_by_role("link", name="Who may know this"))
    expect(page.locator("#questions")).to_contain_text("Yes: Maelin Voss may say it")
    expect(page.locator("#questions")).to_contain_text("it is kept once state.sensor_mounted", ignore_case=True)
    expect(page.locator("#chain li").last).to_contain_text("player will return the missing sensor")


def test_a_writer_corrects_visibility_and_sees_the_packet_change(no_script, story):  # noqa: F811
    stored = story.ask()
    page = no_script("wren")
    keys = Keys(page)
    page.goto(f"/packets/{stored.packet_id}")
    keys.press(card_of(page, "player replaced the relay fuse").get_by_role("link", name="Who may know this"))
    access = page.locator("#access")
    keys.press(access.get_by_label("Maelin Voss (knows it now)"), "Space")
    keys.type(access.get_by_label("Why"), "she was asleep when the fuse was changed")
    keys.press(access.get_by_role("button", name="Correct who may know it"))
    expect(page.get_by_role("status")).to_contain_text("on a branch of its own; the playthrough stays as it is")
    change = page.locator("#entries li").filter(has_text="player replaced the relay fuse")
    expect(change).to_contain_text("before, Maelin Voss may say it")
    expect(page.locator("#entries")).to_contain_text("1 change")
    keys.press(page.get_by_role("region", name="Now").get_by_role("link", name="Open it"))
    expect(page.locator("#selected")).not_to_contain_text("replaced the relay fuse")
    expect(page.locator("#history")).to_contain_text("What differs")
    page.goto(f"/packets/{stored.packet_id}#remarks")
    expect(page.locator("#remarks")).to_contain_text("she was asleep when the fuse was changed")
    keys.press(page.get_by_role("link", name="what it makes of the packet"))
    expect(page.get_by_role("heading", name="What differs")).to_be_visible()
    assert story.ask().packet.hash == stored.packet.hash, "the playthrough is not what it was"
    page.goto("/audit?who=wren")
    for action in ("entry corrected", "branch opened to try a correction", "packet built anew", "packet corrected"):
        expect(page.get_by_role("row", name=action).first).to_contain_text("wren")


def test_qa_runs_the_matrix_opens_the_worst_cell_and_replays_it(sign_in, looked_at):
    page = sign_in("quinn")
    keys = Keys(page)
    page.goto("/probes")
    keys.press(page.get_by_role("link", name="Begin a run"))
    keys.choose(page.get_by_label("Matrix", exact=True), "maelin/demo.yaml")
    keys.choose(page.locator("#new-subject"), "faulty")
    keys.press(page.get_by_role("button", name="Begin the run"))
    expect(page.get_by_role("status").first).to_contain_text("The run has begun: 36 cells.")
    expect(page.locator("#progress")).to_contain_text("36 planned =")
    over = page.get_by_role("link", name="Show what it came to")
    over.wait_for(timeout=LONG)
    keys.press(over)
    expect(page.locator("#progress")).to_contain_text("36 of 36 cells")
    expect(page.locator("#progress")).to_contain_text("over")
    expect(page.locator("#verdict")).to_contain_text("gate missed")
    expect(page.locator("#heat")).to_contain_text(re.compile(r"✘ 0 %\s*n 3 · 0\.00–0\.\d\d"))
    expect(page.locator("#wordings dt")).to_have_text(["anchor", "rewording 1", "rewording 2"])
    expect(page.locator("#wordings")).to_contain_text("The wordings lie between")
    looked_at(page, "probes-run")
    keys.press(page.get_by_role("link", name=re.compile("^next turn, false completion:")))
    keys.press(page.locator("#cells tbody th a").first)
    expect(page.locator("#evidence")).to_contain_text("What the packet was to hold")
    expect(page.locator("#tries")).to_contain_text("generation")
    looked_at(page, "probes-cell")
    keys.press(page.get_by_role("button", name="Replay it"))
    expect(page.get_by_role("status")).to_contain_text("The packet is the same as in the run", timeout=LONG)
    expect(page.locator("#line")).to_contain_text("Yes, you brought the sensor back")
    expect(page.locator("#packet")).to_contain_text("May be said")
    looked_at(page, "probes-replay")


def test_an_engineer_separates_a_selection_fault_from_a_generation_fault(no_script, story, site):  # noqa: F811
    (transfer,) = [i for label, ids in site.labels.items() if label == "transfer" for i in ids[:1]]
    (fuse,) = site.labels["relay_fuse"][:1]
    poor = story.ask("What do you think of the weather?")
    story.say(poor, "Ask me later.", gold=Gold(must_include=(transfer,)))
    lies = story.ask()
    story.say(lies, FALSE, gold=Gold(must_include=(fuse,)))
    page = no_script("eno")
    keys = Keys(page)
    page.goto(f"/playthroughs/{story.id}/packets?verdict=selection")
    expect(page.locator("#packets tbody tr")).to_have_count(1)
    keys.press(page.get_by_role("link", name="maelin to player"))
    stages = page.locator(".pk-stages li")
    expect(stages.filter(has_text="selection validity")).to_contain_text("fail")
    expect(stages.filter(has_text="response validity")).to_contain_text("masked")
    expect(page.locator(".pk-fault")).to_contain_text("At fault: selection. The record is right, and the wrong part")
    found = page.locator(".pk-findings li").filter(has_text="Something that belonged into the packet is not in it")
    keys.press(found.get_by_role("link", name="the entry"))
    expect(page.locator(".pk-card:target")).to_contain_text("It is a secret")
    page.goto(f"/playthroughs/{story.id}/packets?verdict=generation")
    keys.press(page.get_by_role("link", name="maelin to player"))
    expect(page.locator(".pk-stages li").filter(has_text="selection validity")).to_contain_text("pass")
    expect(page.locator(".pk-fault")).to_contain_text("At fault: generation. The packet was right")
    keys.press(page.get_by_role("link", name="finding 2"))
    expect(page.locator(".pk-findings li:target")).to_contain_text("It gave away what may not be said here")


def test_a_designer_asks_the_spymaster_and_plays_the_plan(no_script, begun, complaints):  # noqa: F811
    playthrough, _ = begun
    page = no_script("wilma")
    keys = Keys(page)
    page.set_default_timeout(20_000)
    page.goto(at(playthrough, who="ilsa"))
    keys.press(page.get_by_role("link", name="How to reach Ilsa Brandt"))
    expect(page.get_by_role("main")).to_contain_text("Ilsa Brandt trusts Bertha Lant most, 0.75")
    plans = page.locator(".sg-plans > section")
    assert plans.count() in {2, 3}
    first = plans.first
    promised = first.locator(".sg-steps .end").inner_text()
    sure = re.search(r"\d\.\d\d$", promised.strip())[0]
    steps = first.locator(".sg-steps").inner_text()
    url = page.url
    keys.press(first.get_by_role("button", name="Play this plan"))
    outcome = page.locator("#outcome")
    expect(outcome).to_contain_text("It came out as promised")
    for said in outcome.locator("dd").all_inner_texts():
        assert sure in said
    told = re.search("(.*) tells Ilsa Brandt", steps)[1]
    expect(outcome).to_contain_text(f"{told} told Ilsa Brandt")
    keys.press(outcome.get_by_role("link", name="See how it got there"))
    expect(page.locator("#words ol li").first).to_contain_text(f"{told} told Ilsa Brandt")
    page.goto(url)
    keys.type(page.get_by_label("What is to be told"), "the player sang in the choir")
    keys.press(page.get_by_role("button", name="Ask the spymaster"))
    expect(page.get_by_role("main")).to_contain_text("What is told: “the player sang in the choir”")
    page.goto(f"/playthroughs/{playthrough}/spymaster?target=somebody")
    expect(page.get_by_role("main")).to_contain_text("somebody")
    complaints.forgive("status of 4")


def test_an_admin_adds_a_writer_who_sees_one_world_only(sign_in, open_context, site, looked_at, complaints):
    page = sign_in("ada")
    keys = Keys(page)
    page.goto("/people")
    add = page.locator("#add")
    keys.type(add.get_by_label("Name"), "newcomer")
    keys.type(add.get_by_label("Password"), "short")
    keys.press(add.get_by_role("button", name="Add"))
    expect(page.get_by_role("main")).to_contain_text("at least 12 are needed")
    complaints.forgive("status of 400")
    page.go_back()
    keys.type(add.get_by_label("Name"), "newcomer")
    keys.type(add.get_by_label("Password"), PASSWORD)
    keys.choose(add.get_by_label("World"), "village")
    keys.press(add.get_by_role("button", name="Add"))
    expect(page.get_by_role("status")).to_contain_text("newcomer can sign in now.")
    row = page.get_by_role("row", name=re.compile("newcomer"))
    expect(row).to_contain_text("village")
    looked_at(page, "people")

    theirs = open_context(java_script_enabled=False).new_page()
    theirs.goto("/sign-in")
    Keys(theirs).type(theirs.get_by_label("Name"), "newcomer")
    Keys(theirs).type(theirs.get_by_label("Password"), PASSWORD)
    theirs.keyboard.press("Enter")
    expect(theirs.get_by_role("main")).to_contain_text("An apple is taken")
    expect(theirs.get_by_role("main")).not_to_contain_text("The relay")
    assert theirs.goto(f"/playthroughs/{site.maelin}").status == 404
    expect(theirs.get_by_role("main")).to_contain_text("There is nothing here")
    assert theirs.goto("/people").status == 403
    complaints.forgive("status of 40[34]")

    keys.press(row.get_by_text("Change newcomer"))
    keys.choose(row.get_by_label("World"), "maelin")
    keys.press(row.get_by_role("button", name="Give"))
    expect(row.get_by_role("button", name="Take maelin from newcomer")).to_be_visible()
    assert theirs.goto(f"/playthroughs/{site.maelin}").status == 200
    keys.press(row.get_by_role("button", name="Take maelin from newcomer"))
    expect(row.get_by_role("button", name="Take maelin from newcomer")).to_have_count(0)
    assert theirs.goto(f"/playthroughs/{site.maelin}").status == 404
    keys.press(row.get_by_text("Change newcomer"))
    keys.press(row.get_by_role("button", name="Let them sign in no more"))
    expect(row).to_contain_text("cannot sign in")
    theirs.goto("/playthroughs")
    expect(theirs).to_have_url(re.compile("/sign-in"))
    complaints.forgive("status of 404")
