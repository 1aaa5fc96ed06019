"""Rules of the console that need no server: pace, names, signs, where links lead, what an event is called."""

from pathlib import Path

import msgspec
import pytest

from ledger_service.domain import events
from ledger_service.domain.accounts import Account, AccountRole, check_password, read_name, read_world
from ledger_service.domain.entries import Status
from ledger_service.domain.errors import MalformedError, TooOftenError
from ledger_service.domain.events import GameEvent, Moved
from ledger_service.domain.probes import ResultState
from ledger_service.domain.rubric import Fault, State
from ledger_service.services.events.event_words import in_words
from ledger_service.web.console import navigation, rendering
from ledger_service.web.console.access import EVERYBODY
from ledger_service.web.console.pace import Pace
from ledger_service.web.console.signs import SIGNS

KINDS = ("observation", "hearsay", "commitment", "relationship_delta", "contradiction", "emotional_residue")


def test_a_pace_lets_a_burst_through_and_then_as_much_as_time_gives():
    now = [0.0]
    pace = Pace("tries", burst=3, per_minute=2, clock=lambda: now[0])
    for _ in range(3):
        pace.step("ada")
    with pytest.raises(TooOftenError) as refused:
        pace.step("ada")
    assert refused.value.wait_s == pytest.approx(30)
    pace.step("wren")
    now[0] = 30
    pace.step("ada")
    with pytest.raises(TooOftenError):
        pace.step("ada")
    pace.forgive("ada")
    pace.step("ada")


def test_a_pace_remembers_a_bounded_number_of_names():
    pace = Pace("tries", burst=1, per_minute=1)
    for n in range(10_050):
        pace.step(str(n))
    pace.step("0")
    with pytest.raises(TooOftenError):
        pace.step("10049")


@pytest.mark.parametrize("name", ["", "-x", "a b", "a" * 65, "wrén", "a/b", "<b>", "a\x00"])
def test_a_name_that_a_path_or_list_could_not_show_is_refused(name):
    with pytest.raises(MalformedError, match="name"):
        read_name(name)


def test_names_are_kept_in_small_letters():
    assert read_name("  Wren.B@studio ") == "wren.b@studio"


@pytest.mark.parametrize("world", ["", "a,b", "Maelin", "*,maelin", "**", "a'b"])
def test_what_is_no_world_is_given_to_nobody(world):
    with pytest.raises(MalformedError, match="world"):
        read_world(world)


def test_short_passwords_are_refused():
    check_password("twelve chars")
    with pytest.raises(MalformedError, match="at least 12"):
        check_password("eleven char")


def test_an_admin_reaches_every_world_and_others_what_they_were_given():
    admin = Account(account_id="a", name="ada", role=AccountRole.ADMIN)
    assert admin.reach == ("*",)
    assert msgspec.structs.replace(admin, role=AccountRole.ENGINEER, worlds=("maelin",)).reach == ("maelin",)


def test_whatever_is_shown_as_a_chip_has_a_sign_of_its_own():
    assert set(KINDS) <= set(SIGNS["kind"])
    assert {*State, *ResultState} <= set(SIGNS["state"])
    assert set(Status) <= set(SIGNS["status"])
    assert set(Fault) == set(SIGNS["fault"])
    assert set(EVERYBODY) == set(SIGNS["role"])
    for sort in ("kind", "role"):
        assert len({sign.mark for sign in SIGNS[sort].values()}) == len(SIGNS[sort]), sort


@pytest.mark.parametrize("kind", GameEvent.__args__, ids=lambda kind: kind.__struct_config__.tag)
def test_every_kind_of_event_is_a_sentence(kind):
    draft = events.EntryDraft(kind="observation", statement="it rains", knowers=("ilsa",))
    plain = {
        "statement": "it rains", "text": "hello", "name": "storm", "hours": 2, "seed": 7, "regions": ("town",),
        "to": "well", "value": True, "amount": 1.0, "entries": (draft,), "outcome": Status.RETRACTED,
    }  # fmt: skip
    fields = {f.name: plain.get(f.name, "ilsa") for f in msgspec.structs.fields(kind) if f.required}
    if kind is events.Utterance:
        fields["to"] = ("ilsa",)
    said = in_words(kind(**fields))
    assert said == said.strip() != ""
    assert any(word in said for word in ("it rains", "ilsa", "2", "7", "town", "hello", "storm", "hour", "scene")), said
    assert "_" not in said


def standing(template, *, recent="", is_admin=False, pages=()):
    there = ("/playthroughs", "/playthroughs/{playthrough_id}", "/people", "/audit", *pages)
    return navigation.Standing(template, there, recent, is_admin)


def links(at):
    return {link.word: link for _, group in navigation.places(at) for link in group}


def test_a_link_is_shown_once_its_page_is_there_and_to_whom_may_see_it():
    assert set(links(standing("/audit"))) == {"Playthroughs", "Audit"}
    assert set(links(standing("/audit", is_admin=True))) == {"Playthroughs", "People", "Audit"}
    assert "Probes" in links(standing("/audit", pages=["/probes"]))


def test_a_thing_of_one_playthrough_leads_to_the_one_looked_at_last_or_to_the_choice():
    entries = "/playthroughs/{playthrough_id}/entries"
    assert links(standing("/audit", pages=[entries]))["Ledger"].path == "/playthroughs"
    assert links(standing("/audit", pages=[entries], recent="p1"))["Ledger"].path == "/playthroughs/p1/entries"


def test_the_place_that_a_page_belongs_to_is_marked():
    entries = "/playthroughs/{playthrough_id}/entries"
    below = standing(f"{entries}/{{entry_id}}", pages=[entries], recent="p1")
    assert [link.word for link in links(below).values() if link.is_here] == ["Ledger"]
    timeline = standing("/playthroughs/{playthrough_id}", pages=[entries])
    assert [link.word for link in links(timeline).values() if link.is_here] == ["Playthroughs"]


def test_keys_that_lead_somewhere_are_all_different():
    keys = [place.key for _, places in navigation.PLACES for place in places]
    assert len(set(keys)) == len(keys)


def test_the_style_sheet_is_one_file_with_every_part():
    sheet = rendering.content_of("console.css").decode()
    for part in (rendering.STATIC / "parts").glob("*.css"):
        assert part.read_text() in sheet
    assert rendering.content_of("../desk.py") is None
    assert rendering.content_of("parts") is None


TEMPLATES = rendering.STATIC.parent / "templates"


def served() -> list[Path]:
    """Return the templates of pages; what is written to a file has the style in it, under a policy of its own."""
    return sorted(p for p in TEMPLATES.rglob("*.jinja") if p.parent.name != "reports")


@pytest.mark.parametrize("path", served(), ids=lambda p: str(p.relative_to(TEMPLATES)))
def test_no_template_has_what_the_policy_forbids(path):
    source = path.read_text()
    assert " style=" not in source
    assert "<style" not in source
    assert "|safe" not in source.replace(" ", "")
    assert "<script" not in source.replace("<script src=\"{{ static('console.js') }}\" defer></script>", "")
    assert not [word for word in source.split() if word.startswith("on") and "=" in word], "a handler in a tag"


def test_what_was_moved_where_is_told():
    assert in_words(Moved(who="pip", to="well")) == "pip goes to well"
