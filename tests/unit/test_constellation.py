"""The drawing of a graph: who is drawn, which lines, what is said of the rest; and the stories in it."""

import random
from itertools import combinations

from ledger_service.domain.spyglass import GraphPicture, SeenCharacter, SeenStory, SeenTelling, SeenTrust
from ledger_service.web.console.constellation import MOST_LINES, MOST_PEOPLE, Wanted, chosen_people, constellation
from ledger_service.web.console.stories import chosen_story, stories_of


def version(entry_id, severity, *, origin="o", tick=8, heard=(), **holders):
    return SeenStory(
        entry_id=entry_id, origin=origin, statement=f"wording {severity}", severity=severity, tick=tick,
        is_hearsay=bool(heard), holders=holders, heard=tuple(heard),
    )  # fmt: skip


def told(teller, listener, tick=9):
    return SeenTelling(teller=teller, listener=listener, tick=tick, outcome="believed", from_entry="o")


THEFT = (
    version("v2", 2, tick=9, heard=[told("tomas", "pip")], pip=0.45),
    version("o", 1, tomas=1.0),
    version("x", 1, origin="salt", tick=3, dorte=1.0),
)
NAMES = ("tomas", "pip", "bertha", "dorte")


def small(**more):
    return GraphPicture(
        characters=tuple(SeenCharacter(id=w, name=w.title(), place="inn") for w in NAMES),
        trusts=(
            SeenTrust(listener="pip", teller="tomas", trust=0.5),
            SeenTrust(listener="tomas", teller="pip", trust=0.9, is_strong=True),
            SeenTrust(listener="bertha", teller="pip", trust=0.8, is_strong=True),
        ),
        stories=THEFT,
        **more,
    )


def crowd(people, *, each=20, seed=3):
    chance = random.Random(seed)
    names = [f"c{n:03d}" for n in range(people)]
    trusts = [
        SeenTrust(listener=a, teller=b, trust=round(chance.uniform(0.1, 1), 2))
        for a in names
        for b in chance.sample([n for n in names if n != a], each)
    ]
    return GraphPicture(
        characters=tuple(SeenCharacter(id=n, name=n, place=None) for n in names),
        trusts=tuple(trusts),
        stories=(version("o", 1, c399=1.0),),
    )


def test_stories_are_put_together_by_where_they_come_from_the_best_known_first():
    theft, salt = stories_of(THEFT)
    assert (theft.origin, theft.title, salt.origin) == ("o", "wording 1", "salt")
    assert {who: (h.version.severity, h.sure) for who, h in theft.held.items()} == {"pip": (2, 0.45), "tomas": (1, 1.0)}
    assert theft.rungs == ((1, "wording 1", 1), (2, "wording 2", 1))
    assert [(t.teller, t.listener) for t in theft.told] == [("tomas", "pip")]
    assert chosen_story((theft, salt), "salt") is salt
    assert chosen_story((theft, salt), "gone") is theft
    assert chosen_story((theft, salt), "none") is None
    assert chosen_story((), "") is None


def test_who_holds_two_versions_is_shown_with_the_surer_one():
    (found,) = stories_of((version("o", 1, pip=0.3), version("v", 3, pip=0.6)))
    assert found.held["pip"].version.severity == 3


def test_everybody_is_drawn_with_rung_and_place_and_wider_lines_are_more_trust():
    story = stories_of(THEFT)[0]
    drawn = constellation(small(), Wanted(story=story, names={"pip": "Pip"}, places={"inn": "the Lantern"}))
    dots = {d.who: d for d in drawn.dots}
    assert {who: d.rung for who, d in dots.items()} == {"tomas": 1, "pip": 2, "bertha": 0, "dorte": 0}
    assert (dots["pip"].name, dots["pip"].place, dots["pip"].sure) == ("Pip", "the Lantern", 0.45)
    assert dots["tomas"].saw_it
    assert not dots["pip"].saw_it
    by_sort = {sort: [x for x in drawn.lines if x.sort == sort] for sort in ("trust", "strong", "told")}
    assert {sort: len(found) for sort, found in by_sort.items()} == {"trust": 1, "strong": 2, "told": 1}
    widths = sorted((line.label, line.width) for line in drawn.lines if line.label)
    assert widths == sorted(widths, key=lambda pair: pair[1])
    assert (drawn.cut_people, drawn.drawn_trusts, drawn.trusts) == (0, 3, 3)


def test_both_directions_of_a_pair_take_ways_of_their_own():
    drawn = constellation(small(), Wanted())
    there, back = (x for x in drawn.lines if {x.teller, x.listener} == {"tomas", "pip"})
    assert abs(there.x - back.x) + abs(there.y - back.y) > 5


def test_the_chosen_ones_lines_are_labelled_and_who_is_not_near_them_is_faint():
    drawn = constellation(small(), Wanted(who="bertha"))
    assert {d.who: d.is_faint for d in drawn.dots} == {"bertha": False, "pip": False, "tomas": True, "dorte": True}
    assert [x.said for x in drawn.lines if x.is_labelled] == ["bertha believes pip: 0.80"]
    assert not any(d.is_faint for d in constellation(small(), Wanted(who="nobody")).dots)


def test_a_way_is_drawn_over_the_lines():
    lines = constellation(small(), Wanted(way=("tomas", "pip", "bertha"))).lines
    assert [(x.teller, x.listener) for x in lines if x.sort == "way"] == [("tomas", "pip"), ("pip", "bertha")]


def test_of_a_crowd_the_story_the_way_and_the_most_believed_are_drawn():
    picture = crowd(400)
    story = stories_of(picture.stories)[0]
    rank = {f"c{n:03d}": n for n in range(400)}
    wanted = Wanted(story=story, who="c398", way=("c397", "c396"), rank=rank)
    kept = chosen_people(picture, wanted)
    assert len(kept) == MOST_PEOPLE
    assert {"c399", "c398", "c397", "c396", "c000", "c295"} <= set(kept)
    assert "c296" not in kept
    drawn = constellation(picture, wanted)
    assert (len(drawn.dots), drawn.cut_people, drawn.trusts) == (300, 100, 8000)
    assert drawn.drawn_trusts == MOST_LINES
    assert any({"c398"} & {x.teller, x.listener} for x in drawn.lines)
    strongest = {x.listener for x in drawn.lines}
    inside = {t.listener for t in picture.trusts if {t.listener, t.teller} <= set(kept)}
    assert inside <= strongest, "everybody keeps the line to whom they believe most"


def test_in_a_crowd_no_two_people_touch_and_no_name_lies_on_another():
    drawn = constellation(crowd(300), Wanted())
    for a, b in combinations(drawn.dots, 2):
        assert (a.x - b.x) ** 2 + (a.y - b.y) ** 2 >= (a.r + b.r) ** 2, (a.who, b.who)
    boxes = [
        (d.x - len(d.name) * drawn.letters * 0.28, d.y + d.r, d.x + len(d.name) * drawn.letters * 0.28, d.y + d.r + 20)
        for d in drawn.dots
        if d.is_named
    ]
    assert len(boxes) > 100
    for a, b in combinations(boxes, 2):
        assert not (a[0] < b[2] and b[0] < a[2] and a[1] + 4 < b[3] and b[1] + 4 < a[3])


def test_in_a_crowd_whoever_holds_the_story_is_named():
    holders = {f"c{n:03d}": 1.0 for n in range(0, 300, 30)}
    drawn = constellation(crowd(300), Wanted(story=stories_of((version("o", 1, **holders),))[0]))
    assert [d.who for d in drawn.dots if d.rung and not d.is_named] == []


def test_the_same_graph_is_drawn_the_same():
    assert constellation(crowd(120), Wanted()) == constellation(crowd(120), Wanted())
