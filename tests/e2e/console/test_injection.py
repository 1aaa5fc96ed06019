"""Markup in every text of a world, an event, a line, a reply, a remark and a matrix is inert on every page there is.

By rule: each text of a world is either marked or named as what can be no markup, and every route of the console is
walked, those that are added later too.
"""

import re

import msgspec
import pytest
from msgspec.structs import replace

from ledger_service.bootstrap import load_story
from ledger_service.domain.events import (
    CommitmentBroken,
    CommitmentMade,
    Deed,
    DocumentRead,
    Felt,
    HourPassed,
    Inferred,
    RelationshipChanged,
    SceneChanged,
    Told,
    Utterance,
)
from ledger_service.domain.replies import Reply
from ledger_service.domain.reviews import Mark, Remark
from ledger_service.domain.worlds import World
from ledger_service.services.events.record_event import record_events
from ledger_service.services.packets.build_packet import PacketRequest, build_packet
from ledger_service.services.playthroughs.open_playthrough import (
    add_world,
    fork_playthrough,
    open_playthrough,
    save_point,
)
from ledger_service.services.probes.begin_run import Wish, begin, own_matrix, plan_run
from ledger_service.services.replies.score_reply import score_reply
from ledger_service.services.reviewing.remark_on_packet import remark_on_packet
from tests.e2e.console.conftest import PROBES
from tests.e2e.console.test_closed_doors import routes_of
from tests.e2e.console.test_probes import app_wake, until_over

pytestmark = [pytest.mark.postgres, pytest.mark.falkordb]
HIT = "<img src=x onerror=\"window.hit='{0}'\"><script>window.hit='{0}'</script>'\"{{{{ 7*191 }}}}"
MARKED = {
    "World.title", "World.band_names{}", "Character.name", "Character.aliases[]", "VoiceCard.register",
    "VoiceCard.taboo[]", "VoiceCard.favourites[]", "VoiceCard.address[]", "VoiceCard.samples[]", "Place.name",
    "Place.aliases[]", "Thing.name", "Thing.aliases[]", "DeclaredEvent.means", "Action.name", "Rule.because",
    "Rule.would_change", "Custom.reads_as", "Notice.text", "Ladder.rungs[]",
}  # fmt: skip
"""Texts that people read."""
NAMES = {
    "Stay.place", "Character.home", "Place.region", "Group.members[]", "Trust.listener", "Trust.teller",
    "World.predicates{key}", "Predicate.exclusive_with[]", "World.state{key}", "World.state{}", "Action.words[]",
    "Action.by[]", "Rule.grant_when", "Rule.scopes[]", "Rule.commitments[]", "Rule.factor", "Custom.when",
    "Notice.place", "Notice.subject", "Notice.by", "Notice.post_when", "Notice.remove_when", "Ladder.subject",
    "Forgetting.kinds[]", "World.confidence_by_source{key}", "World.band_names{key}",
}  # fmt: skip
"""Plain ids, conditions and words to be found: what is no such thing is refused."""
SHOWN = {"title", "name", "means", "rungs", "because", "text", "line", "reply", "note", "scene", "said", "told",
         "document", "promise", "reason", "felt", "inferred", "stands", "point", "branch", "deed", "asked"}  # fmt: skip
"""Marks that some page has to show, or the walk shows nothing."""
STANDS_OUT = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
NO_PAGES = ("/live", "/static/", "/first-run/", "/sign-in", "/export", "/file", "/reports/")
"""Streams of parts of pages, what is there before one signs in, and files to keep."""


def texts_of(kind, path="", seen=None):
    """Yield the place of every text in a struct and in what it holds."""
    seen = set() if seen is None else seen
    found = kind if isinstance(kind, msgspec.inspect.Type) else msgspec.inspect.type_info(kind)
    match found:
        case msgspec.inspect.StructType(cls=cls, fields=fields) if cls not in seen:
            seen.add(cls)
            for field in fields:
                yield from texts_of(field.type, f"{cls.__name__}.{field.name}", seen)
        case msgspec.inspect.DictType(key_type=key, value_type=value):
            yield from texts_of(key, f"{path}{{key}}", seen)
            yield from texts_of(value, f"{path}{{}}", seen)
        case msgspec.inspect.UnionType(types=types):
            for one in types:
                yield from texts_of(one, path, seen)
        case msgspec.inspect.StrType():
            yield path
        case _ if item := getattr(found, "item_type", None):
            yield from texts_of(item, f"{path}[]", seen)


def marked(value, path=""):
    """Return a world with markup behind each of its texts that people read."""
    match value:
        case str() if path in MARKED:
            mark = HIT.format(path.partition(".")[2].strip("[]{}"))
            return f"{value} {mark if path != 'Custom.reads_as' else mark.partition('{')[0]}"
        case tuple():
            return tuple(marked(one, f"{path}[]") for one in value)
        case dict():
            return {key: marked(one, f"{path}{{}}") for key, one in value.items()}
        case msgspec.Struct():
            here = type(value).__name__
            return replace(value, **{f: marked(getattr(value, f), f"{here}.{f}") for f in value.__struct_fields__})
    return value


def test_each_text_of_a_world_is_marked_or_can_be_no_markup():
    assert set(texts_of(World)) == MARKED | NAMES


def hit(field):
    return f"{field} {HIT.format(field)}"


EVENTS = (
    SceneChanged(title=hit("scene"), tick=7),
    Deed(actor="player", place="market", statement=hit("deed"), subject="player", ladder="theft", tick=8),
    Utterance(speaker="player", to=("tomas",), place="market", text=hit("said")),
    Told(teller="tomas", listener="ilsa", statement=hit("told"), place="market"),
    DocumentRead(reader="ilsa", document="a bill", statement=hit("document"), place="market"),
    CommitmentMade(owner="player", to="ilsa", statement=hit("promise"), name="pay", place="market"),
    CommitmentBroken(commitment="pay", reason=hit("reason")),
    RelationshipChanged(
        who="ilsa", towards="player", amount=-1, scope="honesty", axis="trust", statement=hit("stands")
    ),
    Felt(who="ilsa", emotion="cross", statement=hit("felt")),
)


@pytest.fixture(scope="module")
def hostile(site, service):
    """A playthrough of which every text is markup, with a packet, its line, a remark, a branch and a named point."""
    app = service.application
    uow, embedder = app.open_uow, app.reading.embedder
    world = marked(replace(load_story("village").world, id="hostile_village", band_names={"confirmed": "sure"}))
    version = site.run(add_world, world, open_uow=uow, source=msgspec.json.encode(world).decode())
    opened = site.run(open_playthrough, version, open_uow=uow, title=hit("title")).playthrough_id
    receipts = site.run(record_events, opened, EVENTS, open_uow=uow, embedder=embedder)
    seen = receipts[1].entries[0].entry_id
    more = [Inferred(who="tomas", statement=hit("inferred"), derived_from=(seen,)), *[HourPassed()] * 6]
    site.run(record_events, opened, more, open_uow=uow, embedder=embedder)
    site.run(save_point, opened, hit("point").replace("/", "")[:128], open_uow=uow, at_seq=2)
    site.run(fork_playthrough, opened, open_uow=uow, at_seq=3, title=hit("branch"))
    asked = PacketRequest(speaker="ilsa", line=hit("line"))
    packets = [site.run(build_packet, opened, asked, open_uow=uow, reading=app.reading) for _ in range(2)]
    packet = packets[0].packet_id
    said = Reply(text=hit("reply"), responder="test")
    site.run(score_reply, opened, packet, said, open_uow=uow, judging=app.judging, delivered=False)
    remark = Remark(packet_id=packet, mark=Mark.NOTE, who="ada", said=hit("note"))
    site.run(remark_on_packet, opened, remark, open_uow=uow)
    return {
        "playthrough_id": opened, "entry_id": packets[0].packet.selected[0].entry_id, "packet_id": packet,
        "other_id": packets[1].packet_id, "world_id": world.id, "number": "1", "name": "find_stories", "cell_no": "0",
        "run_id": hostile_run(site, service),
    }  # fmt: skip


def hostile_run(site, service):
    """A run of a matrix that asks and explains in markup."""
    app, story = service.application, load_story("maelin", matrix="demo.yaml")
    text = (PROBES / "maelin" / "demo.yaml").read_text()
    for old, field in (("asked right away", "means"), ("Let me use the restricted transmitter.", "asked")):
        assert old in text
        text = text.replace(old, msgspec.json.encode(hit(field)).decode(), 1)
    matrix = own_matrix(text.encode(), "own.yaml", world=story.world, history=story.history)
    wish = Wish(who="quinn", subject="template", only=("next_turn/plain",))
    run, cells = plan_run(story.world, story.history, matrix, wish)
    site.run(begin, run, cells, story.world, runs=app.stores.probe_runs, open_uow=app.open_uow)
    app_wake(service)
    until_over(site, app, run.run_id)
    return run.run_id


def pages_of(service, given):
    """Yield the address of every page; whoever adds a page with another id in its address says here which."""
    for method, path in routes_of(service):
        if method == "GET" and not any(part in path for part in NO_PAGES):
            yield re.sub(r"\{(\w+)(?::\w+)?\}", lambda found: given[found[1]], path)


def test_markup_in_every_text_is_inert_on_every_page(sign_in, service, hostile, complaints):
    page = sign_in("ada")
    page.on("dialog", lambda dialog: pytest.fail(dialog.message))
    page.set_viewport_size({"width": 420, "height": 900})
    words, walked, wide = "", 0, []
    home = f"/playthroughs/{hostile['playthrough_id']}"
    more = (f"{home}/spyglass?who=ilsa&labels=1", f"{home}/spymaster?target=ilsa", f"/triage?run={hostile['run_id']}",
            f"{home}/boards/digest?since=0", f"{home}/entries?seen=ilsa")  # fmt: skip
    unasked = {f"/packets/{hostile['packet_id']}/diff", f"/worlds/{hostile['world_id']}/diff"}
    for path in (*pages_of(service, hostile), *more):
        answer = page.goto(path)
        assert answer.status == 200 or path in unasked, path
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        assert page.evaluate("window.hit") is None, path
        assert page.locator("img[src=x], main script, [onerror], svg script").count() == 0, path
        text = page.locator("body").inner_text() if "html" in answer.headers["content-type"] else ""
        assert "1337" not in text, path
        words += text
        walked += answer.status == 200
        wide += [path] if page.evaluate(STANDS_OUT) else []
    complaints.forgive("status of 400")
    assert walked > 30
    assert wide == [], "nothing stands out to the right on a narrow screen"
    assert {field for field in SHOWN if f"window.hit='{field}'" not in words} == set()


def test_a_strip_of_hostile_words_is_a_picture_and_nothing_else(sign_in, hostile):
    path = f"/playthroughs/{hostile['playthrough_id']}/beliefs/{hostile['entry_id']}/strip.svg"
    strip = sign_in("ada").goto(path)
    assert "<script" not in strip.text()
    assert "sandbox" in strip.headers["content-security-policy"]


def test_markup_in_a_file_that_is_taken_home_is_inert(sign_in, site, hostile, tmp_path):
    page = sign_in("ada")
    run = page.request.get(f"/probes/{hostile['run_id']}/reports/report.html")
    target = tmp_path / "report.html"
    target.write_bytes(run.body())
    page.goto(target.as_uri())
    assert "window.hit='asked'" in page.locator("main").inner_text()
    assert page.evaluate("window.hit") is None
    assert page.locator("img, script").count() == 0
    for path in (
        f"/playthroughs/{hostile['playthrough_id']}/export",
        f"/worlds/{hostile['world_id']}/revisions/1/file",
    ):
        answer = page.request.get(path)
        assert answer.status == 200, path
        assert "attachment" in answer.headers["content-disposition"], path
        assert answer.headers["x-content-type-options"] == "nosniff", path


@pytest.mark.parametrize("name", ["<b onclick=alert(1)>", "\"'><script>window.hit=1</script>.yaml", "{{ 7*191 }}.yaml"])
def test_markup_in_the_name_of_a_file_is_inert(sign_in, complaints, name):
    page = sign_in("quinn")
    page.goto("/probes")
    bad = {"name": name, "mimeType": "text/yaml", "buffer": b"distances: {"}
    page.get_by_label("Or a matrix of your own").set_input_files(bad)
    page.get_by_role("button", name="Begin the run").click()
    page.get_by_role("heading", name="Begin a run").wait_for(state="detached")
    assert page.evaluate("window.hit") is None
    assert page.locator("main :is(script, [onclick])").count() == 0
    assert "1337" not in page.locator("main").inner_text()
    complaints.forgive("status of 400")
