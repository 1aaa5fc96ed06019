"""Laws of chains and their drawings, whatever was told to whom and in which words."""

from itertools import combinations, pairwise
from xml.etree import ElementTree as ET

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ledger_service.domain.rumours import ProvenanceChain, build_chain
from ledger_service.reporting.comic_layout import PAD, SPIKE, lay_out
from ledger_service.reporting.comic_panels import panels_of
from ledger_service.reporting.comic_strip import draw
from ledger_service.reporting.lettering import clean, clip, width_of, wrap
from ledger_service.rumours.provenance import Naming, in_words, retrace, strands
from tests.chains import again, held, seen, told

anything = st.text(max_size=60)
wordings = st.text(min_size=1, max_size=300)


@st.composite
def chains(draw_one: st.DrawFn) -> ProvenanceChain:
    """Draw a DAG: every version was told by earlier ones, the first of which gave it its wording."""
    size = draw_one(st.integers(1, 12))
    versions = [seen("v0", draw_one(wordings), draw_one(anything) or "w")]
    tellings = []
    for n in range(1, size):
        sources = draw_one(st.lists(st.integers(0, n - 1), min_size=1, max_size=min(n, 4), unique=True))
        sure = draw_one(st.floats(0, 1))
        severity = draw_one(st.integers(1, 12))
        versions.append(held(f"v{n}", draw_one(wordings), f"w{n}", sure, seq=10 * n, severity=severity))
        for k, source in enumerate(sources):
            tell = again if k else told
            offered = draw_one(st.floats(0, 1)) if k else sure
            tellings.append(tell(f"v{source}", f"v{n}", f"w{source}", f"w{n}", offered, seq=10 * n + k))
    return retrace(build_chain(f"v{size - 1}", versions, tellings, store="here"))


@given(chains())
def test_every_telling_stands_in_exactly_one_strand_and_in_one_panel(chain: ProvenanceChain) -> None:
    ways = strands(chain)
    assert sorted(id(k) for way in ways for k in way.links) == sorted(id(k) for k in chain.links)
    panels = [p for branch in panels_of(chain) for p in branch]
    assert [p.number for p in panels] == list(range(1, len(chain.links) + 1))
    earlier = all(n is None or n < p.number for p in panels for n in (p.comes_from, p.joins))
    assert earlier


@given(chains())
def test_confidence_stays_between_nothing_and_certainty_and_another_teller_never_lowers_it(
    chain: ProvenanceChain,
) -> None:
    sure = [x for k in chain.links for x in (k.confidence, k.after, k.teller_held) if x is not None]
    assert all(0 <= x <= 1 for x in sure)
    for entry_id in {k.entry_id for k in chain.links}:
        after = [k.after or 0.0 for k in chain.links if k.entry_id == entry_id]
        assert all(b >= a - 1e-6 for a, b in pairwise(after))


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(chains(), anything, st.booleans(), st.integers(0, 12))
def test_a_drawing_is_valid_xml_inside_its_frames_and_always_the_same(
    chain: ProvenanceChain, name: str, praises: bool, rungs: int
) -> None:
    naming = Naming(people={"w0": name, "w1": name}, places={"inn": name}, rungs=rungs, praises=praises)
    drawn = draw(chain, naming)
    assert drawn == draw(chain, naming)
    root = ET.fromstring(drawn.encode())
    assert sum(e.get("role") == "img" for e in root.iter()) == len(chain.links)
    found = lay_out(panels_of(chain))
    for placed in found.placed:
        assert placed.bubble.x - SPIKE >= PAD
        assert placed.bubble.x + placed.bubble.w + SPIKE <= placed.box.w - PAD
        assert all(width_of(line, placed.size) <= placed.bubble.w for line in placed.lines)
    for a, b in combinations((p.box for p in found.placed), 2):
        assert a.x + a.w <= b.x or b.x + b.w <= a.x or a.y + a.h <= b.y or b.y + b.h <= a.y
    assert in_words(chain, naming=naming)


@given(st.text(max_size=400), st.integers(8, 30), st.integers(60, 400), st.integers(1, 8))
def test_no_line_is_wider_than_its_room_and_nothing_is_lost_but_what_an_ellipsis_stands_for(
    text: str, size: int, room: int, most: int
) -> None:
    said = clean(text)
    lines = wrap(said, size, room, most=most)
    assert 1 <= len(lines) <= most
    assert all(width_of(line, size) <= room for line in lines)
    whole = "".join(lines).replace(" ", "")
    assert whole == said.replace(" ", "") or lines[-1].endswith("…")
    assert width_of(clip(said, size, room), size) <= room


@given(st.text(max_size=200))
def test_cleaned_text_can_stand_in_xml_and_is_clean(text: str) -> None:
    once = clean(text)
    assert clean(once) == once
    assert "\n" not in once
    once.encode()
