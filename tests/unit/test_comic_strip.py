"""The comic strip: one panel a hop, all of it inside its panel, nothing said becomes markup, always the same bytes."""

import re
from itertools import combinations
from xml.etree import ElementTree as ET

import pytest
from msgspec.structs import replace

from ledger_service.domain.rumours import ProvenanceChain, build_chain
from ledger_service.reporting import comic_layout, drawing
from ledger_service.reporting.comic_layout import PAD, SPIKE, lay_out
from ledger_service.reporting.comic_panels import panels_of
from ledger_service.reporting.comic_strip import draw
from ledger_service.reporting.drawing import Look
from ledger_service.reporting.lettering import clean, clip, clusters, width_of, wrap
from ledger_service.rumours.provenance import Naming, retrace
from tests.chains import NAMES, THEFT, a_fan, a_line, held, seen, the_worked_chain, told

SVG = "{http://www.w3.org/2000/svg}"
VILE = "<script>alert('x')</script> & \"quoted\" ]]> <!-- \x00 \ud800 \u202e"
CHAINS = {"worked": the_worked_chain(), "saw it": a_line(0), "three": a_line(3), "nine": a_line(9),
          "forty": a_line(40), "fan of eight": a_fan(8)}  # fmt: skip
every_chain = pytest.mark.parametrize("chain", CHAINS.values(), ids=CHAINS)


def a_telling_of(statement: str, *, who: str = "pip", place: str = "inn") -> ProvenanceChain:
    versions = [seen(statement=statement, who=who, place=place), held("p", statement, who + "2", 0.4, seq=2)]
    tellings = [told("root", "p", who, who + "2", 0.4, seq=2, place=place)]
    return retrace(build_chain("p", versions, tellings, store="here"))


def groups_of(drawn: str) -> list[ET.Element]:
    return [g for g in ET.fromstring(drawn).iter(f"{SVG}g") if g.get("role") == "img"]


def words_of(element: ET.Element) -> list[str]:
    return ["".join(t.itertext()) for t in element.iter(f"{SVG}text")]


@every_chain
def test_there_is_one_panel_a_hop_and_one_for_who_saw_it(chain):
    panels = groups_of(draw(chain, NAMES))
    assert len(panels) == len(chain.links)
    numbers = [words_of(p)[0] for p in panels]
    assert numbers == [str(n) for n in range(1, len(chain.links) + 1)]


def test_the_first_panel_saw_it_and_the_last_is_the_belief():
    first, *_, last, _ = groups_of(draw(the_worked_chain(), NAMES))
    assert {"saw it", "Tomas", "took an apple", "1.00", "confirmed"} <= set(words_of(first))
    assert {"Bertha", "Captain Ilsa", "ransacked the market", "0.51", "unverified"} <= set(words_of(last))


def test_a_panel_says_place_hour_rung_teller_confidence_and_what_was_lost():
    second = words_of(groups_of(draw(the_worked_chain(), NAMES))[1])
    assert second == [
        "2", "\u2068Market square\u2069", "day 1, 09:00 · tick 9", "rung 2 of 5", "stole a basket", "Tomas", "Pip",
        "0.45", "unverified", "\u2068Pip\u2069", "lost 0.55 in the retelling",
    ]  # fmt: skip


def test_a_second_teller_is_a_panel_that_says_where_it_comes_from_and_what_it_joins():
    drawn = ET.fromstring(draw(the_worked_chain(), NAMES))
    assert "Branch 2 · from 1, joins 3" in words_of(drawn)
    *_, last = groups_of(draw(the_worked_chain(), NAMES))
    assert {"from 1", "joins 3", "took an apple", "bears it out: 0.32 becomes 0.75"} <= set(words_of(last))


@every_chain
def test_panels_do_not_overlap_and_stay_on_the_sheet(chain):
    found = lay_out(panels_of(chain))
    for box in (p.box for p in found.placed):
        assert box.x >= 0
        assert box.x + box.w <= found.width
        assert box.y + box.h <= found.height
    for a, b in combinations((p.box for p in found.placed), 2):
        assert a.x + a.w < b.x or b.x + b.w < a.x or a.y + a.h < b.y or b.y + b.h < a.y


@pytest.mark.parametrize("statement", [*THEFT, "x" * 4_000, "word " * 800, "W" * 60, "שלום " * 40, "彼" * 300, "!"])
def test_a_bubble_with_its_spikes_stays_inside_its_panel_and_above_the_heads(statement):
    found = lay_out(panels_of(a_telling_of(statement)))
    for placed in found.placed:
        bubble = placed.bubble
        assert bubble.x - SPIKE >= PAD
        assert bubble.x + bubble.w + SPIKE <= placed.box.w - PAD
        assert bubble.y - SPIKE >= comic_layout.CAPTION
        assert bubble.y + bubble.h + SPIKE < placed.ground - drawing.TALL
        assert len(placed.lines) * placed.size <= bubble.h
        assert all(width_of(line, placed.size) <= bubble.w - 2 * 11 for line in placed.lines)
    assert found.height < 1_500


@pytest.mark.parametrize("manner", ["ragged", "puffed", "even"])
@pytest.mark.parametrize("level", range(5))
def test_no_point_of_an_outline_is_farther_out_than_it_may_be(manner, level):
    box = drawing.Box(30, 60, 200, 70)
    path = re.search(r' d="([^"]+)"', drawing.bubble(box, (80, 160), level, manner=manner, reach=SPIKE)).group(1)
    numbers = [float(n) for n in re.findall(r"-?\d+(?:\.\d+)?", path)]
    *outline, tip = zip(numbers[::2], numbers[1::2], strict=True)
    assert tip == (80, 160)
    assert all(30 - SPIKE <= x <= 230 + SPIKE and 60 - SPIKE <= y <= 130 + SPIKE for x, y in outline)


def test_worse_is_more_marks_a_thicker_and_a_more_ragged_bubble():
    bubbles, filled = [], []
    for severity in range(1, 6):
        versions = [seen(), held("p", "the same words", "pip", 0.4, seq=2, severity=severity)]
        chain = retrace(build_chain("p", versions, [told("root", "p", "tomas", "pip", 0.4, seq=2)], store="here"))
        panel = groups_of(draw(chain, NAMES))[1]
        bubbles.append(next(e for e in panel.iter() if e.get("class") == "speech"))
        of_ladder = [e for e in panel.iter() if (e.get("transform") or "").endswith(" 63)")]
        filled.append([e.get("class") for e in of_ladder])
    widths = [float(b.get("stroke-width")) for b in bubbles]
    tops = [min(float(y) for y in re.findall(r"[ML]-?[\d.]+ (-?[\d.]+)", b.get("d"))) for b in bubbles]
    assert widths == sorted(set(widths))
    assert tops == sorted(set(tops), reverse=True)
    assert [f.count("dark") for f in filled] == [1, 2, 3, 4, 5]
    assert {len(f) for f in filled} == {5}


def test_praise_is_puffed_and_has_stars():
    blame, praise = draw(a_line(4), NAMES), draw(a_line(4), replace(NAMES, praises=True))
    assert "the worse the wording" in " ".join(words_of(ET.fromstring(blame)))
    assert "the better the wording" in " ".join(words_of(ET.fromstring(praise)))
    last = groups_of(praise)[-1]
    assert " Q" in next(e.get("d") for e in last.iter() if e.get("class") == "speech")


def test_a_story_without_a_ladder_shows_no_marks_and_even_bubbles():
    drawn = draw(a_telling_of("the kettle is off"))
    assert "rung" not in drawn
    assert "ragged" not in drawn


def test_a_ladder_of_many_rungs_still_fits():
    versions = [seen(), held("p", "a", "pip", 0.4, seq=2, severity=30)]
    chain = retrace(build_chain("p", versions, [told("root", "p", "tomas", "pip", 0.4, seq=2)], store="here"))
    assert "rung 30 of 40" in words_of(groups_of(draw(chain, replace(NAMES, rungs=40)))[1])


@every_chain
def test_the_same_chain_gives_the_same_bytes(chain):
    assert draw(chain, NAMES) == draw(chain, NAMES)


@pytest.mark.parametrize("vile", [VILE, "&#x0;", "' onload='x", "]]></style><script>", "\ufffe\uffff\x1b[31m"])
def test_whatever_was_said_or_is_called_so_stays_text(vile):
    chain = a_telling_of(vile, who=vile, place=vile)
    naming = Naming(people={vile: vile, vile + "2": vile}, places={vile: vile}, bands={"doubtful": vile}, rungs=3)
    drawn = draw(replace(chain, entry_id="p"), naming)
    root = ET.fromstring(drawn.encode())
    known = {"svg", "title", "desc", "style", "defs", "pattern", "rect", "path", "circle", "ellipse", "g", "text"}
    assert {e.tag.removeprefix(SVG) for e in root.iter()} <= known
    assert not any(name.lower().startswith("on") or name == "href" for e in root.iter() for name in e.attrib)
    assert "<script" not in drawn
    assert clean(vile)[:5] in "".join(root.itertext())


@every_chain
def test_it_loads_nothing(chain):
    drawn = draw(chain, NAMES).replace('xmlns="http://www.w3.org/2000/svg"', "")
    assert not re.search(r"https?:|@import|<image|<use|href|url\((?!#)", drawn)


def test_every_pattern_that_is_used_is_there_and_no_name_is_given_twice():
    root = ET.fromstring(draw(a_fan(8), NAMES))
    ids = [e.get("id") for e in root.iter() if e.get("id")]
    used = {m for e in root.iter() for m in re.findall(r"url\(#([^)]+)\)", e.get("fill") or "")}
    assert len(ids) == len(set(ids))
    assert used <= set(ids)


@every_chain
def test_a_screen_reader_is_told_the_whole_story(chain):
    root = ET.fromstring(draw(chain, NAMES))
    title, told_of = root.find(f"{SVG}title"), root.find(f"{SVG}desc")
    assert {root.get("aria-labelledby"), root.get("aria-describedby")} == {title.get("id"), told_of.get("id")}
    assert all(clean(k.statement) in told_of.text for k in chain.links)
    spoken = [g.find(f"{SVG}title").text for g in groups_of(draw(chain, NAMES))]
    assert [s.startswith(f"Panel {n} of {len(spoken)}.") for n, s in enumerate(spoken, 1)] == [True] * len(spoken)


def test_it_is_light_dark_and_light_again_on_paper():
    drawn = draw(the_worked_chain(), NAMES)
    assert "@media screen and (prefers-color-scheme:dark)" in drawn
    assert "Why Captain Ilsa thinks: “ransacked the market”" in drawn


def test_two_strips_on_one_page_share_no_names():
    first, second = draw(a_line(3), NAMES), draw(a_line(9), NAMES)
    ids = [{e.get("id") for e in ET.fromstring(d).iter() if e.get("id")} for d in (first, second)]
    assert ids[0].isdisjoint(ids[1])


def test_right_to_left_lines_begin_at_their_right():
    panel = groups_of(draw(a_telling_of("הוא לקח תפוח")))[1]
    (said,) = [t for t in panel.iter(f"{SVG}text") if t.get("class") == "said"]
    assert said.get("direction") == "rtl"


def test_what_was_read_is_a_page_and_what_faded_is_said():
    versions = [seen(how="document"), held("p", THEFT[0], "pip", 0.4, seq=2)]
    chain = retrace(build_chain("p", versions, [told("root", "p", "tomas", "pip", 0.4, seq=2)], store="here"))
    chain = replace(chain, links=tuple(replace(k, left=0.1) for k in chain.links))
    first, second = groups_of(draw(chain, NAMES))
    assert "read it" in words_of(first)
    assert "faded to 0.10 since" in " ".join(words_of(second))


def test_nothing_recorded_is_still_a_drawing():
    drawn = draw(ProvenanceChain(entry_id="e", links=(), store="here"))
    assert groups_of(drawn) == []


def test_the_same_person_looks_the_same_in_every_drawing():
    def ilsa(look):
        return drawing.figure("ilsa", 0, 0, look, prefix="p", faces_right=False)

    assert ilsa(Look.LISTENS) == ilsa(Look.LISTENS)
    assert len({drawing.figure(w, 0, 0, Look.LISTENS, prefix="p", faces_right=True) for w in "abcdefgh"}) > 5


def test_every_way_to_look_and_to_dress_can_be_drawn():
    drawn = {drawing.figure(f"w{n}", 0, 0, look, prefix="p", faces_right=True) for n in range(300) for look in Look}
    assert len(drawn) > 5 * 3 * 7
    assert all(ET.fromstring(d) is not None for d in drawn)


def test_words_break_at_spaces_and_long_words_between_letters():
    assert wrap("a family 👩‍👩‍👧‍👦👩‍👩‍👧‍👦", 10, 20, most=9)[-1] == "👩‍👩‍👧‍👦"
    assert "".join(wrap("e\u0301" * 30, 10, 50, most=9)) == "e\u0301" * 30
    assert wrap("", 10, 50, most=3) == [""]
    assert clip("a long name", 10, 30).endswith("…")


def test_a_row_of_joined_pictures_without_an_end_is_cut():
    lines = wrap("\u200d".join("👩" * 400), 14, 214, most=9)
    assert all(width_of(line, 14) <= 214 for line in lines)


def test_marks_that_pile_up_are_taken_down():
    tower = clean("z" + "\u0335" * 500)
    assert len(tower) < 10
    assert list(clusters(tower)) == [tower]
