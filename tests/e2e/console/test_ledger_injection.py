"""Markup in whatever is written, named or typed is shown as it is, and does nothing, on every page of the ledger."""

import msgspec
import pytest
from playwright.sync_api import expect

from ledger_service.domain.entries import Form, Source, SourceKind
from ledger_service.domain.events import EntriesPosted, EntryDraft, Told
from ledger_service.domain.expiry import AtTick
from ledger_service.domain.slots import Slot
from ledger_service.domain.worlds import Character, Place
from ledger_service.probing.documents import decode_world
from ledger_service.services.events.record_event import record_events
from ledger_service.services.playthroughs.open_playthrough import add_world, open_playthrough, save_point
from ledger_service.services.reviewing.digest import make_digest
from ledger_service.web.console.reports import digest_html
from tests.e2e.console.conftest import PROBES

pytestmark = [pytest.mark.postgres, pytest.mark.falkordb]
EVIL = "\"'><img src=x onerror=window.pwned=1><script>window.pwned=1</script>{{ 7*191 }}"


def marked(name: str) -> str:
    return f"{name} {EVIL}"


DRAFTS = (
    EntryDraft(kind="observation", statement=marked("seen"), knowers=("maelin",), subject="player",
               place="battery_room",
               about=(EVIL,), slot=Slot(subject=marked("s"), predicate="state", object=marked("o")),
               source=Source(kind=SourceKind.DOCUMENT, by=marked("log"), quote=marked("quote"))),
    EntryDraft(kind="observation", statement=marked("draft"), knowers=("maelin",), quarantined=True,
               source=Source(kind=SourceKind.GENERATED_LINE, by="maelin", quote=marked("said"))),
    EntryDraft(kind="commitment", statement=marked("promise"), knowers=("maelin",), owner="player", to="maelin",
               name=marked("n"), form=Form.DEAL, due=3),
    EntryDraft(kind="emotional_residue", statement=marked("felt"), knowers=("maelin",), holder="maelin",
               emotion=marked("fear"), expires=AtTick(9)),
    EntryDraft(kind="relationship_delta", statement=marked("stands"), knowers=("maelin",), from_whom="maelin",
               to="player", axis="trust", amount=1.0, scope=marked("scope"), reason=marked("why")),
)  # fmt: skip


@pytest.fixture(scope="module")
def marked_story(site, service):
    """A story in which every name and text is markup."""
    app = service.application
    world = decode_world((PROBES / "maelin" / "world.yaml").read_bytes(), "world.yaml")
    cast = (
        *(msgspec.structs.replace(c, name=marked(c.id)) for c in world.cast),
        Character(id="zed", name=marked("zed")),
    )
    places = (
        *(msgspec.structs.replace(p, name=marked(p.id)) for p in world.places),
        Place(id="pit", name=marked("pit")),
    )
    own = msgspec.structs.replace(world, id="marked", title=marked("title"), cast=cast, places=places)
    version = site.run(add_world, own, open_uow=app.open_uow)
    opened = site.run(open_playthrough, version, open_uow=app.open_uow, title=marked("story"))
    events = [
        EntriesPosted(entries=DRAFTS),
        Told(teller="player", listener="maelin", statement=marked("told"), place="battery_room"),
    ]
    site.run(record_events, opened.playthrough_id, events, open_uow=app.open_uow, embedder=app.reading.embedder)
    posted = [
        EntryDraft(
            kind="contradiction", statement=marked("against"), knowers=("maelin",), members=two_of(site, app, opened)
        )
    ]
    events = [EntriesPosted(entries=tuple(posted))]
    site.run(record_events, opened.playthrough_id, events, open_uow=app.open_uow, embedder=app.reading.embedder)
    site.run(save_point, opened.playthrough_id, marked("point").replace("/", "")[:128], open_uow=app.open_uow, at_seq=1)
    return opened.playthrough_id


def two_of(site, app, opened) -> tuple[str, str]:
    async def look():
        async with app.open_uow(opened.playthrough_id) as uow:
            entries, _ = await uow.ledger.load_all()
        return entries[0].entry_id, entries[-1].entry_id

    return site.run(look)


def check_inert(page) -> None:
    """Nothing of the markup became an element, ran, or was filled in."""
    assert page.locator("img, main script, main iframe").count() == 0
    assert page.evaluate("window.pwned") is None
    assert "1337" not in page.locator("main").inner_text()


def test_markup_in_every_text_of_a_story_is_inert_on_every_page(sign_in, marked_story):
    page = sign_in("quinn")
    home = f"/playthroughs/{marked_story}"
    page.goto(f"{home}/entries")
    expect(page.locator("#rows")).to_contain_text(marked("promise"))
    check_inert(page)
    links = page.locator("#rows tbody th > a").evaluate_all("all => all.map(one => one.getAttribute('href'))")
    assert len(links) >= 7
    for link in links:
        page.goto(link)
        expect(page.get_by_role("heading", level=1)).to_contain_text("<script>")
        check_inert(page)
    page.goto(f"{home}/boards")
    for board in ("commitments", "contradictions", "residue", "drafts"):
        expect(page.locator(f"#{board} .bd-card").first).to_contain_text("<img src=x")
    check_inert(page)
    page.goto(f"{home}/boards/digest?since=0")
    expect(page.locator("#new")).to_contain_text(marked("promise"))
    check_inert(page)


def test_markup_in_names_places_and_promises_is_inert_where_somebody_is_talked_to(sign_in, marked_story):
    page = sign_in("eno")
    page.goto(f"/playthroughs/{marked_story}/try?listener=maelin")
    expect(page.get_by_label("Who listens")).to_contain_text(marked("zed"))
    expect(page.locator("#press-owner_swap .ty-line")).to_contain_text("<script>")
    check_inert(page)
    page.get_by_role("button", name="Owner swap").click()
    expect(page.locator(".ty-exchange .ty-asked")).to_contain_text("<script>")
    expect(page.locator(".ty-packet")).to_contain_text(marked("promise"))
    check_inert(page)


@pytest.mark.parametrize(
    "field", ["text", "knower", "kind", "status", "source", "band", "scene", "seen", "at", "after"]
)
def test_markup_in_an_address_is_inert(sign_in, site, complaints, field):
    page = sign_in("quinn")
    answer = page.goto(f"/playthroughs/{site.maelin}/entries?{field}={EVIL.replace('#', '')}")
    check_inert(page)
    if field != "text":
        assert answer.status in {400, 404, 422}
        complaints.forgive("status of 4")


def test_markup_typed_as_a_reason_is_inert(sign_in, marked_story):
    page = sign_in("eno")
    page.goto(f"/playthroughs/{marked_story}/boards?board=drafts")
    page.get_by_text("Confirm or drop it").first.click()
    page.get_by_label("Why").first.fill(EVIL)
    page.get_by_role("button", name="Confirm it").first.click()
    expect(page.get_by_role("status")).to_contain_text("confirmed")
    page.goto(f"/playthroughs/{marked_story}/entries?text=draft")
    page.locator("#rows tbody th > a").first.click()
    expect(page.locator("#history")).to_contain_text(EVIL)
    check_inert(page)


def test_markup_in_a_report_is_inert(sign_in, site, service, marked_story, tmp_path):
    app = service.application
    catalogue = app.stores.catalogue(("*",))
    digest = site.run(make_digest, marked_story, catalogue=catalogue, open_uow=app.open_uow, since=0)
    target = tmp_path / "digest.html"
    target.write_text(digest_html(digest), encoding="utf-8")
    page = sign_in("quinn")
    page.goto(target.as_uri())
    expect(page.locator("#new")).to_contain_text(marked("promise"))
    check_inert(page)
