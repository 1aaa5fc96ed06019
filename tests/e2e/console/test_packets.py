"""Packet review in the browser: cards, what was held back, the line beside them, remarks, corrections, differences."""

import re

import pytest
from msgspec.structs import replace
from playwright.sync_api import expect

from ledger_service.domain.events import Deed, Felt, HourPassed, Inferred, StateSet, Told, Utterance, WorldChanged
from ledger_service.domain.replies import Reply
from ledger_service.probing.documents import decode_world
from ledger_service.services.events.record_event import record_events
from ledger_service.services.packets.build_packet import PacketRequest, build_packet
from ledger_service.services.playthroughs.open_playthrough import add_world, fork_playthrough
from ledger_service.services.replies.score_reply import score_reply
from tests.e2e.console.conftest import PROBES

pytestmark = [pytest.mark.postgres, pytest.mark.falkordb]
LINE = "The sensor is handled, so may I use the transmitter?"
HONEST = (
    "No. The sensor is still out on the ice, and you said you would bring it back. "
    "You told me about the relay before I had to ask, and I have not forgotten that. The transmitter stays locked."
)
FALSE = "Good that you brought the sensor back. Take the transmitter. I have filed for a transfer anyway."


class Story:
    """A branch of the station's story of one test's own."""

    def __init__(self, site, service, title, at_seq=None, of=None):
        self.site, self.app = site, service.application
        opened = site.run(fork_playthrough, of or site.maelin, open_uow=self.app.open_uow, title=title, at_seq=at_seq)
        self.id = opened.playthrough_id

    def record(self, *events):
        reader = self.app.reading
        return self.site.run(record_events, self.id, events, open_uow=self.app.open_uow, embedder=reader.embedder)

    def events(self, *, after_seq):
        async def load():
            async with self.app.open_uow(self.id) as uow:
                return await uow.events.load(after_seq=after_seq)

        return self.site.run(load)

    def ask(self, line=LINE, *, speaker="maelin", **more):
        request = PacketRequest(speaker=speaker, line=line, **more)
        return self.site.run(build_packet, self.id, request, open_uow=self.app.open_uow, reading=self.app.reading)

    def say(self, stored, text, **more):
        return self.site.run(
            score_reply, self.id, stored.packet_id, Reply(text=text, responder="test"), open_uow=self.app.open_uow,
            judging=self.app.judging, delivered=False, **more,
        )  # fmt: skip


@pytest.fixture
def story(site, service, request):
    return Story(site, service, request.node.name.removeprefix("test_").replace("_", " ")[:60])


def card_of(page, words):
    return page.locator(".pk-card").filter(has_text=words)


def test_a_packet_and_its_line_look_right(sign_in, story, looked_at):
    stored = story.ask()
    story.say(stored, FALSE)
    story.say(stored, HONEST)
    page = sign_in("wren")
    page.goto(f"/packets/{stored.packet_id}")
    looked_at(page, "packet")
    page.set_viewport_size({"width": 420, "height": 900})
    wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert wide == 0, "nothing stands out of the page to the right"
    looked_at(page, "packet-narrow")
    assert page.get_by_role("heading", level=1).bounding_box()["y"] < 300, "the page begins where the places leave off"
    page.set_viewport_size({"width": 1360, "height": 900})
    page.goto("/packets")
    looked_at(page, "packets")


def test_an_entry_a_difference_and_the_complete_list_look_right(sign_in, story, looked_at):
    stored = story.ask()
    page = sign_in("wren")
    page.goto(f"/packets/{stored.packet_id}")
    card_of(page, "the sensor lies in the south crater").get_by_role("link", name="Who may know this").click()
    expect(page.get_by_role("heading", name="the sensor lies in the south crater")).to_be_visible()
    looked_at(page, "packet-hearsay")
    page.goto(f"/packets/{stored.packet_id}")
    card_of(page, "replaced the relay fuse").get_by_role("link", name="Who may know this").click()
    expect(page.locator("#questions")).to_contain_text("Maelin Voss may say it")
    looked_at(page, "packet-entry")
    page.goto(f"/packets/{stored.packet_id}/withheld")
    expect(page.locator("#reasons")).to_contain_text("Maelin Voss does not know it")
    looked_at(page, "packet-withheld")
    story.record(StateSet(state_key="sensor_mounted", value=True))
    page.goto(f"/packets/{stored.packet_id}")
    page.get_by_role("button", name="Build it anew").click()
    expect(page.locator("#consequences, #entries").first).to_be_visible()
    looked_at(page, "packet-diff")


def test_a_card_says_in_plain_words_how_surely_and_by_whose_word(no_script, story):
    stored = story.ask()
    page = no_script("wren")
    page.goto(f"/packets/{stored.packet_id}")
    crater = card_of(page, "the sensor lies in the south crater")
    expect(crater).to_contain_text(
        "Teo told Maelin Voss, day 2, 14:00; Maelin Voss is not sure, and may say it, naming only Teo."
    )
    crater.get_by_text("More", exact=True).click()
    expect(crater).to_contain_text("words of the line")
    expect(crater).to_contain_text("What would change or end it?")
    expect(card_of(page, "filed for a transfer")).to_contain_text("It is a secret; Maelin Voss knows it of themselves")
    expect(card_of(page, "the mast heater is dead")).to_contain_text(
        "Maelin Voss repaired the mast heater", ignore_case=True
    )
    follows = page.locator("#moment")
    expect(follows).to_contain_text(
        "refuses “use the restricted transmitter”: needs standing in reliability of 1, has 0"
    )
    expect(follows).to_contain_text("would change if the sensor comes back")
    expect(page.locator("#standing")).to_contain_text("player will return the missing sensor")
    page.get_by_text("What the speaker is handed, word for word").click()
    expect(page.locator("#prompt pre")).to_contain_text("player will return the missing sensor")
    expect(page.locator("#prompt pre")).not_to_contain_text("transfer")


def test_a_rumour_names_its_teller_alone_and_its_chain_goes_back_to_who_saw_it(no_script, site, service):
    village = Story(site, service, "the gossip of a day", of=site.village)
    village.record(*[HourPassed()] * 14)
    stored = village.ask("What have you heard about me and the apple?", speaker="ilsa")
    page = no_script("wilma")
    page.goto(f"/packets/{stored.packet_id}")
    card = card_of(page, "the player stole a basket of apples")
    expect(card).to_contain_text("Bertha Lant told Ilsa Brandt at the Lantern, day 1, 17:00")
    expect(card).to_contain_text("Ilsa Brandt is not sure, and may say it, naming only Bertha Lant.")
    expect(card).to_contain_text("it fades as days go by")
    card.get_by_role("link", name="Who may know this").click()
    expect(page.locator("#chain li").first).to_contain_text("Bertha Lant told Ilsa Brandt")
    expect(page.locator("#chain")).to_contain_text("saw it")
    assert page.locator("#chain li").count() >= 3
    expect(page.locator("#access")).to_contain_text("Hearsay is its holder's own copy")
    page.locator("#access").get_by_label("to nobody").check()
    page.locator("#access").get_by_label("Why").fill("the captain keeps it to herself")
    page.locator("#access").get_by_role("button", name="Correct who may know it").click()
    expect(page.locator("#entries")).to_contain_text("Ilsa Brandt acts on it and never says it")


def test_a_secret_is_opened_in_the_playthrough_itself_and_is_an_event_with_its_author(no_script, story, site, service):
    stored = story.ask()
    page = no_script("wren")
    page.goto(f"/packets/{stored.packet_id}")
    card_of(page, "filed for a transfer").get_by_role("link", name="Who may know this").click()
    access = page.locator("#access")
    access.get_by_label("to anybody").check()
    access.get_by_label("In the playthrough itself").check()
    access.get_by_label("Why").fill("she has told the player by now")
    access.get_by_role("button", name="Correct who may know it").click()
    expect(page.get_by_role("status")).to_contain_text("in the playthrough itself")
    expect(page.locator("#entries li.came")).to_contain_text("maelin has filed for a transfer off the moon")
    page.goto(f"/playthroughs/{story.id}")
    expect(page.locator("#e25")).to_contain_text("is corrected: she has told the player by now")
    (event,) = story.events(after_seq=24)
    assert (event.event.author, event.event.access.knowers) == ("wren", ("maelin",))


@pytest.mark.parametrize(
    ("button", "words", "status"),
    [
        ("Word it so", None, "superseded on"),
        ("Set it aside", "Set it aside, or take it back", "suspended on"),
        ("It is not so: take it back", "Set it aside, or take it back", "retracted on"),
    ],
)
def test_an_entry_is_worded_otherwise_set_aside_or_taken_back(no_script, story, button, words, status):
    stored = story.ask()
    page = no_script("eno")
    page.goto(f"/packets/{stored.packet_id}")
    card_of(page, "player replaced the relay fuse").get_by_role("link", name="Who may know this").click()
    entry = page.url
    form = page.locator("#right details").filter(has_text=words or "Word it otherwise")
    form.locator("summary").click()
    if words is None:
        form.get_by_label("As it should read").fill("player replaced the relay fuse at the third try")
    form.get_by_label("In the playthrough itself").check()
    form.get_by_label("Why", exact=True).fill("as it was filmed")
    form.get_by_role("button", name=button).click()
    expect(page.locator("#entries li.went")).to_contain_text("player replaced the relay fuse")
    if words is None:
        expect(page.locator("#entries li.came")).to_contain_text("at the third try")
    again = story.ask()
    page.goto(entry.replace(stored.packet_id, again.packet_id))
    expect(page.locator("#became")).to_contain_text(f"{status} day 3, 04:00, event 25, by eno: as it was filmed")


def test_a_correction_that_cannot_be_leaves_no_branch_and_says_why(sign_in, story, complaints):
    stored = story.ask()
    page = sign_in("wren")
    page.goto(f"/packets/{stored.packet_id}")
    card_of(page, "player replaced the relay fuse").get_by_role("link", name="Who may know this").click()
    access = page.locator("#access")
    access.get_by_label("only to those ticked below").check()
    access.get_by_text("To whom, where it is guarded").click()
    access.get_by_label("Or where this holds").fill("nonsense(")
    access.get_by_label("Why").fill("to see")
    access.get_by_role("button", name="Correct who may know it").click()
    expect(page.locator("main")).to_contain_text("nonsense(")
    complaints.forgive("status of 4")
    page.goto(f"/playthroughs/{story.id}")
    expect(page.locator("#branches")).to_contain_text("None.")


def test_a_finding_is_overruled_with_a_reason_that_stays(no_script, story):
    stored = story.ask()
    story.say(stored, FALSE)
    page = no_script("quinn")
    page.goto(f"/packets/{stored.packet_id}")
    finding = page.locator(".pk-findings li").filter(has_text="It grants or refuses otherwise")
    finding.get_by_text("It is none: overrule it").click()
    finding.get_by_label("Why it is none").fill("she hands over a broken one")
    finding.get_by_role("button", name="Overrule it").click()
    expect(page.get_by_role("status")).to_contain_text("outcome mismatch")
    expect(page.locator(".pk-findings li")).to_have_count(2)
    expect(page.locator("#lines")).to_contain_text("she hands over a broken one (quinn)")
    page.goto("/audit?action=finding+overruled")
    expect(page.get_by_role("row", name="finding overruled").first).to_contain_text("she hands over a broken one")


def test_a_packet_is_approved_flagged_and_noted_and_the_list_finds_it(no_script, story):
    stored = story.ask()
    page = no_script("wren")
    page.goto(f"/packets/{stored.packet_id}")
    page.get_by_role("button", name="Approve").click()
    expect(page.get_by_text("approved by wren")).to_be_visible()
    page = no_script("quinn")
    page.goto(f"/packets/{stored.packet_id}")
    page.get_by_label("What is to be seen here").fill("she should not know of the crater yet")
    page.get_by_role("button", name="Flag it").click()
    page.get_by_label("What is to be seen here").fill("asked Teo's writer")
    page.get_by_role("button", name="Note it").click()
    expect(page.get_by_text("flagged by quinn")).to_be_visible()
    expect(page.locator(".pk-remarks > li")).to_have_count(3)
    expect(page.locator(".pk-remarks > li").nth(1)).to_contain_text(
        re.compile(r"quinn 20\d\d-\d\d-\d\d \d\d:\d\d:\d\d UTC")
    )
    page.goto(f"/playthroughs/{story.id}/packets?mark=flagged")
    expect(page.locator("#packets tbody tr")).to_contain_text("by quinn")
    page.goto(f"/playthroughs/{story.id}/packets?mark=approved")
    expect(page.locator("main")).to_contain_text("Nothing fits")
    page.goto("/audit?who=quinn&action=packet+flagged")
    expect(page.get_by_role("row", name="packet flagged").first).to_contain_text("crater")


def test_what_differs_on_another_branch_and_by_another_line_is_said_in_words(sign_in, story, site, service):
    one = story.ask()
    earlier = Story(site, service, "early", at_seq=9)
    other = earlier.ask()
    page = sign_in("wren")
    page.goto(f"/packets/{one.packet_id}")
    page.get_by_label("Compare with a packet").fill(other.packet_id)
    page.get_by_role("button", name="Compare").click()
    expect(page.locator("#entries li.went").first).to_be_visible()
    expect(page.locator("#entries")).to_contain_text("player will return the missing sensor")
    expect(page.locator("#moment")).to_contain_text("time: day 3, 04:00 before, day 1, 20:00 now")
    page.get_by_role("link", name="The other way round").click()
    expect(page.locator("#entries li.came").first).to_be_visible()
    page.goto(f"/packets/{one.packet_id}/diff/{story.ask().packet_id}")
    expect(page.locator("main")).to_contain_text("Nothing differs")


def test_what_differs_under_another_version_of_the_world_is_said_in_words(no_script, story):
    one = story.ask()
    world = decode_world((PROBES / "maelin" / "world.yaml").read_bytes(), "world.yaml")
    renamed = replace(world, cast=tuple(replace(c, name=f"{c.name} the Second") for c in world.cast))
    version = story.site.run(add_world, renamed, open_uow=story.app.open_uow)
    story.record(WorldChanged(world_version=version))
    page = no_script("wren")
    page.goto(f"/packets/{one.packet_id}/diff/{story.ask().packet_id}")
    expect(page.locator("#moment")).to_contain_text("version of the world")
    expect(page.get_by_role("region", name="Now")).to_contain_text("Maelin Voss the Second")


HIT = "<img src=x onerror=\"window.hit='{0}'\"><script>window.hit='{0}'</script>'\"{{{{7*7}}}}"


def test_script_through_every_text_field_is_inert(sign_in, story, site, service):
    story.record(
        Deed(actor="player", statement=HIT.format("statement"), witnesses=("maelin",), about=("relay",), place="mast"),
    )
    story.record(Felt(who="maelin", emotion="cross", statement=HIT.format("residue")))
    story.record(Told(teller="teo", listener="maelin", statement=HIT.format("told")))
    stored = story.ask(HIT.format("line") + " the relay")
    story.say(stored, HIT.format("reply") + " " + FALSE)
    page = sign_in("ada")
    page.goto(f"/packets/{stored.packet_id}")
    page.get_by_label("What is to be seen here").fill(HIT.format("note"))
    page.get_by_role("button", name="Flag it").click()
    finding = page.locator(".pk-findings li").first
    finding.get_by_text("It is none: overrule it").click()
    finding.get_by_label("Why it is none").fill(HIT.format("why"))
    finding.get_by_role("button", name="Overrule it").click()
    page.get_by_role("link", name=re.compile(r"^Why. Who may know this. <img")).first.click()
    entry = page.url
    page.get_by_role("group", name="Knows it").get_by_label("Teo").check()
    page.locator("#access").get_by_label("Why").fill(HIT.format("reason"))
    page.get_by_role("button", name="Correct who may know it").click()
    expect(page.get_by_role("heading", name="What differs")).to_be_visible()
    shown = [page.url, entry, "/packets", f"/playthroughs/{story.id}/packets", f"/packets/{stored.packet_id}/withheld"]
    for path in (f"/packets/{stored.packet_id}", *shown, "/playthroughs", "/audit"):
        page.goto(path)
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        assert page.evaluate("window.hit") is None, path
        assert page.locator("main img").count() == 0, path
        assert page.locator("main script").count() == 0, path
        assert "49" not in page.locator("main").inner_text() or "{{7*7}}" in page.locator("main").inner_text(), path
    page.goto(f"/packets/{stored.packet_id}")
    for field in ("statement", "residue", "told", "line", "reply", "note"):
        expect(page.locator("main")).to_contain_text(f"window.hit='{field}'")


def test_nobody_reads_or_changes_a_packet_of_a_world_they_were_not_given(sign_in, story, complaints):
    stored = story.ask()
    entry = stored.packet.selected[0].entry_id
    here = f"/packets/{stored.packet_id}"
    page = sign_in("wilma")
    for path in (here, f"{here}/withheld", f"{here}/entries/{entry}", f"{here}/diff/{stored.packet_id}",
                 f"/playthroughs/{story.id}/packets"):  # fmt: skip
        assert page.goto(path).status == 404, path
        assert "sensor" not in page.content(), path
    page.goto(f"/packets?playthrough={story.id}")
    expect(page.locator("main")).to_contain_text("Nothing fits")
    token = page.locator("input[name=form_token]").first.get_attribute("value")
    origin = {"Origin": page.url.split("/packets")[0]}
    for path in (f"{here}/remarks", f"{here}/rebuild", f"{here}/overrulings", f"{here}/entries/{entry}"):
        form = {
            "form_token": token,
            "mark": "approved",
            "what": "drop",
            "reason": "x",
            "reply": "r",
            "code": "leak",
            "why": "x",
        }
        assert page.request.post(path, form=form, headers=origin, max_redirects=0).status == 404, path
    complaints.forgive("status of 404")


def test_a_tester_tries_corrections_on_branches_and_leaves_the_playthrough_alone(sign_in, story):
    stored = story.ask()
    page = sign_in("quinn")
    page.goto(f"/packets/{stored.packet_id}/entries/{stored.packet.selected[0].entry_id}")
    expect(page.locator("#access").get_by_label("In the playthrough itself")).to_be_disabled()
    token = page.locator("input[name=form_token]").first.get_attribute("value")
    form = {"form_token": token, "what": "drop", "reason": "x", "where": "playthrough"}
    origin = {"Origin": page.url.split("/packets")[0]}
    assert page.request.post(page.url, form=form, headers=origin, max_redirects=0).status == 403


def test_keys_alone_lead_from_the_list_through_the_cards_to_a_correction(sign_in, story):
    story.ask()
    page = sign_in("wren")
    page.goto(f"/playthroughs/{story.id}/packets")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/packets/k\w+$"))
    page.keyboard.press("j")
    expect(page.locator(".pk-card.chosen a:focus")).to_have_count(1)
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/entries/e\w+$"))
    page.locator("#reason-access").focus()
    page.keyboard.type("by keys alone")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/diff/k\w+$"))


def test_a_narrator_somebody_in_disguise_and_a_line_of_the_history_have_their_words(no_script, story):
    (said,) = story.record(Utterance(speaker="player", to=("maelin",), text="Is the relay fuse still good?"))
    story.record(
        Inferred(who="maelin", statement="the fuse will hold", derived_from=(story.site.labels["relay_fuse"][0],))
    )
    page = no_script("wren")
    answer = story.ask("", line_seq=said.seq, action="use_transmitter")
    page.goto(f"/packets/{answer.packet_id}")
    moment = page.locator("#moment")
    expect(moment).to_contain_text("Is the relay fuse still good?")
    expect(moment).to_contain_text("use transmitter, as the game says")
    rests = card_of(page, "the fuse will hold").get_by_role("link", name="rests on the entry")
    rests.click()
    expect(page.locator(".pk-card:target")).to_contain_text("player replaced the relay fuse")
    moment.get_by_role("link", name=f"event {said.seq}").click()
    expect(page.locator(f"#e{said.seq}")).to_contain_text("Is the relay fuse still good?")
    told = story.ask("", speaker="narrator", pov="maelin")
    page.goto(f"/packets/{told.packet_id}")
    expect(page.locator("h1 + p")).to_contain_text("through the eyes of Maelin Voss")
    expect(moment).to_contain_text("they speak first")
    page.get_by_role("button", name="Build it anew").click()
    expect(page.locator("main")).to_contain_text("Nothing differs")
    page.goto(f"/packets/{told.packet_id}")
    card_of(page, "player replaced the relay fuse").get_by_role("link", name="Who may know this").click()
    page.get_by_role("link", name="This entry in the ledger").click()
    expect(page.locator("main")).to_contain_text("player replaced the relay fuse")
