"""A world as text: every fault with its line and column, and what was only kept as values written out faithfully."""

import asyncio
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ledger_service.domain.text_diff import MOST_PAIRS, count_changes, text_diff
from ledger_service.domain.worlds import Character, Ladder, Trust, VoiceCard, World, version_of
from ledger_service.probing.documents import decode_world
from ledger_service.probing.faults import MOST
from ledger_service.probing.world_text import as_yaml, read_world
from ledger_service.services.worlds.check_world import MOST_LETTERS, check_world_file, check_world_text
from tests.builders import a_world

PROBES = Path(__file__).parents[2] / "probes"
BROKEN = """\
# a comment
id: x
title: [3]
colour: red
cast:
  - {id: A, name: a}
  - id: b
    nam: B
    voice: {max_words: lots, taboo: no}
  - name: c
  - {id: d, name: D, exaggeration: 7}
places: 3
ladders:
  - {id: l, rungs: [one]}
state: {deep: {er: 1}}
"""


def places(text: str) -> list[tuple[int, int, str]]:
    return [(f.line, f.column, f.path) for f in check_world_file(text.encode(), "world.yaml").faults]


def test_every_fault_is_told_at_once_each_at_its_line_and_column():
    assert places(BROKEN) == [
        (3, 1, "title"), (4, 1, "colour"), (6, 6, "cast[0].id"), (7, 5, "cast[1]"), (8, 5, "cast[1].nam"),
        (9, 13, "cast[1].voice.max_words"), (9, 30, "cast[1].voice.taboo"), (10, 5, "cast[2]"),
        (11, 22, "cast[3].exaggeration"), (12, 1, "places"), (14, 13, "ladders[0].rungs"), (15, 9, "state.deep"),
    ]  # fmt: skip
    checked = check_world_file(BROKEN.encode(), "world.yaml")
    assert checked.world is None
    assert checked.version is None
    told = {f.path: f.why for f in checked.faults}
    assert "did you mean `name`?" in told["cast[1].nam"]
    assert told["cast[1].voice.max_words"] == "expected a whole number, got text"


def test_the_first_of_all_faults_is_what_a_file_was_always_refused_for():
    with pytest.raises(Exception, match=r"world\.yaml:\d+: ") as caught:
        decode_world(BROKEN.encode(), "world.yaml")
    assert caught.value.path in {f.path for f in check_world_file(BROKEN.encode(), "world.yaml").faults}


def test_what_a_world_refers_to_is_looked_up_once_it_can_be_read():
    text = as_yaml(a_world(trust=(Trust(listener="zog", teller="orla", trust=0.5),))) + "colour: red\n"
    assert [path for _, _, path in places(text)] == ["colour"], "nothing is looked up yet"
    whole = as_yaml(
        a_world(
            trust=(Trust(listener="zog", teller="zag", trust=0.5),),
            cast=(*a_world().cast, Character(id="o", name="O", home="zog")),
        )
    )
    lines = whole.splitlines()
    found = places(whole)
    assert [path for _, _, path in found] == ["cast[6].home", "trust[0].listener", "trust[0].teller"]
    for line, column, path in found:
        assert lines[line - 1][column - 1 :].startswith(path.rsplit(".", 1)[1]), path


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("id: x\ntitle: 'open\n", 3, 1), ("id: x\n\ttitle: y\n", 2, 1), ("a: b: c", 1, 5), ("", 1, 1), ("[1, 2", 1, 6),
        ("id: x\nid: y\n", 2, 1), ("id: !!python/object:os.system x\n", 1, 5),
    ],
)  # fmt: skip
def test_what_is_no_yaml_is_named_where_it_stops_being_one(text, line, column):
    (fault,) = check_world_file(text.encode(), "world.yaml").faults
    assert (fault.line, fault.column) == (line, column), fault.why


def test_what_no_store_can_keep_is_a_fault_with_its_line():
    found = check_world_file(b"id: x\ntitle: ok\ncast:\n  - {id: a, name: '   '}\n", "world.yaml")
    assert [(f.line, f.path, f.why) for f in found.faults] == [(4, "cast[0].name", "is blank")]


def test_a_hundred_faults_are_enough_at_once():
    text = "id: x\ntitle: y\ncast:\n" + "  - {id: A}\n" * 300
    assert len(check_world_file(text.encode(), "w").faults) == MOST


def test_an_edit_keeps_the_id_of_its_world_and_is_not_endless():
    text = as_yaml(a_world())
    assert asyncio.run(check_world_text(text, "w", world_id="station")).version == version_of(a_world())
    (fault,) = asyncio.run(check_world_text("# mine\n" + text, "w", world_id="village")).faults
    assert (fault.line, fault.path) == (2, "id")
    (fault,) = asyncio.run(check_world_text("#" * (MOST_LETTERS + 1), "w")).faults
    assert "200,001 letters" in fault.why
    assert "world load" in fault.why


@pytest.mark.parametrize("name", ["maelin", "village"])
def test_a_shipped_world_written_out_is_the_same_world(name):
    world = decode_world((PROBES / name / "world.yaml").read_bytes(), "world.yaml")
    written = as_yaml(world)
    again = check_world_file(written.encode(), "w")
    assert (again.world, again.version) == (world, version_of(world))
    assert len(written.splitlines()) < 500


ODD = (
    "yes", "null", "~", "1e3", "0o17", "- a", "a: b", "# a", "'", '"', "2020-01-01", " a", "a ", "a\nb\n", "!x", "&a",
    "*a", "<<", "=", "1_000", ".inf", "%YAML", "---", "...", "\u2028", "\x85", "\ufeff", "\t", "{", "[a]", "@", "`",
    "|", ">", "\x7f", "a #b", "a\n\n b", "é\U0001f600", "-", "?", ":", "? a", "\x1b[0m", "\ue000", "word " * 40,
)  # fmt: skip
"""What YAML would take for something else than plain words."""
TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=20) | st.sampled_from(ODD)


@given(st.lists(TEXT, min_size=3, max_size=3), st.floats(0, 1), st.integers(-(2**53), 2**53), st.booleans())
@settings(max_examples=60)
def test_any_text_and_number_written_out_is_read_as_the_same(texts, share, whole, yes):
    title, name, line = texts
    speaker = Character(
        id="null", name=name, aliases=(line,), exaggeration=share, voice=VoiceCard(samples=(line, name))
    )
    world = World(
        id="x", title=title, cast=(speaker,), ladders=(Ladder(id="on", rungs=(title, name, line)),),
        state={title: line, name: whole, f"{line}2": yes, f"{line}3": share},
    )  # fmt: skip
    read = read_world(as_yaml(world).encode(), "w")
    assert read.world is not None, [str(f) for f in read.faults]
    assert version_of(read.world) == version_of(world)


@pytest.mark.parametrize("text", ODD)
def test_each_odd_text_is_read_as_it_was(text):
    world = World(id="x", title=text, cast=(Character(id="a", name=text),), state={text: text})
    read = read_world(as_yaml(world).encode(), "w")
    assert read.world is not None
    assert (read.world.title, read.world.state) == (text, {text: text})


def test_texts_that_are_alike_do_not_differ():
    assert text_diff("a\nb", "a\nb\n") == ()
    assert text_diff("", "") == ()


def test_lines_are_numbered_in_both_texts_and_far_changes_stand_apart():
    old = [f"line {n}" for n in range(1, 41)]
    new = [*old[:4], "new", *old[4:29], *old[30:]]
    hunks = text_diff("\n".join(old), "\n".join(new))
    assert [(h[0].old, h[-1].new) for h in hunks] == [(2, 8), (27, 33)]
    assert [(line.sign, line.old, line.new) for line in hunks[0]][3] == ("+", None, 5)
    assert [line.text for line in hunks[1] if line.sign == "−"] == ["line 30"]
    assert count_changes(hunks) == (1, 1)


LINES = st.lists(st.sampled_from("abcde"), max_size=30)


@given(LINES, LINES)
def test_taking_out_and_putting_in_what_is_shown_makes_the_other_text(old, new):
    hunks = text_diff("\n".join(old), "\n".join(new), around=100)
    lines = [line for hunk in hunks for line in hunk]
    if old != new:
        assert [line.text for line in lines if line.sign != "+"] == old
        assert [line.text for line in lines if line.sign != "−"] == new


def test_texts_made_to_cost_time_are_told_as_a_whole():
    many = int(MOST_PAIRS**0.5) + 50
    hunks = text_diff("a\n" + "x\n" * many + "y", "a\n" + "x\n" * many + "z")
    assert count_changes(hunks) == (1, 1) or len(hunks) == 1
