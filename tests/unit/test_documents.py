"""Story files: read strictly, refused when hostile, with errors that name file, line and path."""

import time
from pathlib import Path

import anyio
import pytest
from click.testing import CliRunner

from ledger_service.cli.main import main
from ledger_service.domain.errors import StoryFileError
from ledger_service.domain.worlds import World, version_of
from ledger_service.probing.documents import decode_history, decode_world, problems_of
from ledger_service.probing.source import LARGEST, decode, read_source
from ledger_service.services.events.play_story import play_history
from ledger_service.services.playthroughs.open_playthrough import add_world, open_playthrough
from ledger_service.stores.memory import MemoryStores
from ledger_service.stores.probe_files import ProbeFiles
from tests.speaking import STORY, NoMeanings, a_stage


def custom(field: str) -> str:
    """A custom in place of the world's state, with one field written as given."""
    return _one("customs", ["id: a", 'when: "true"', "reads_as: a lie"], field)


def notice(field: str) -> str:
    """A notice in place of the world's state, with one field written as given."""
    return _one("notices", ["id: a", "place: mast", "text: hello", "post_when: tick > 3"], field)


def _one(where: str, fields: list[str], field: str) -> str:
    others = [f for f in fields if f.partition(":")[0] != field.partition(":")[0]]
    return "\n    ".join([f"{where}:\n  - {field}", *others]) + "\nstate:\n"


LADDER = "ladders: [{id: l, rungs: [x, y]}]\n"
WORLD = (STORY / "world.yaml").read_text(encoding="utf-8")
STAY = "{place: moon, from_hour: 1, until_hour: 2}"
HISTORY = (STORY / "history.yaml").read_text(encoding="utf-8")


def refused(read, content: str | bytes) -> StoryFileError:
    with pytest.raises(StoryFileError) as caught:
        read(content.encode() if isinstance(content, str) else content, "f.yaml")
    return caught.value


def altered(text: str, before: str, after: str) -> str:
    assert before in text
    return text.replace(before, after, 1)


def values(content: str | bytes):
    return read_source(content.encode() if isinstance(content, str) else content, "f.yaml").values


def line_of(text: str, words: str) -> int:
    return text[: text.index(words)].count("\n") + 1


# ---- what is read


def test_yaml_and_json_with_the_same_values_are_the_same_world():
    as_yaml = "id: stage\ntitle: 'A stage'\ncast:\n  - id: maelin\n    name: Maelin\nstate: {storm: 2, lit: true}\n"
    as_json = (
        '{"id": "stage", "title": "A stage", "cast": [{"id": "maelin", "name": "Maelin"}],\n'
        '\t"state": {"lit": true, "storm": 2}}'
    )
    assert version_of(decode_world(as_yaml.encode(), "a")) == version_of(decode_world(as_json.encode(), "b"))


def test_scalars_are_read_by_the_rules_of_yaml_1_2():
    read = values("{a: yes, b: on, c: true, d: ~, e: 010, f: 0x1f, g: -7, h: 1e3, i: 12:30, j: '5', k: 2026-11-30}")
    assert read == {
        "a": "yes", "b": "on", "c": True, "d": None, "e": 10, "f": 31, "g": -7, "h": 1000.0, "i": "12:30", "j": "5",
        "k": "2026-11-30",
    }  # fmt: skip


def test_a_byte_order_mark_and_line_ends_of_any_system_do_no_harm():
    assert values(b"\xef\xbb\xbfa: 1\r\nb: 2\rc: 3\n") == {"a": 1, "b": 2, "c": 3}


def test_halves_of_a_character_that_belong_together_are_one():
    assert values('{"a": "\\ud83d\\ude00"}') == {"a": "\U0001f600"}


def test_an_alias_stands_for_what_its_anchor_last_held():
    assert values("a: &x 1\nb: &x 2\nc: *x") == {"a": 1, "b": 2, "c": 2}


# ---- what is refused


@pytest.mark.parametrize(
    ("content", "why", "line"),
    [
        (b"", "is empty", None),
        (b"# nothing\n", "is empty", None),
        (b"a: 1\nb: caf\xe9", "is not UTF-8 at byte 11", 2),
        ("a: b".encode("utf-16"), "is not UTF-8", 1),
        (b"a: 1\nb: x\x00y", "is not YAML", None),
        (b'a: 1\nb: "x\\0y"', "holds a NUL character", 2),
        (b'a: 1\nb: "\\ud800"', "a lone surrogate", 2),
        (b"a: 1\nb: [1", "is not YAML", 2),
        (b"a: 1\n---\nb: 2", "found another document", 2),
        (b"a: 1\nb: 2\na: 3", "`a` stands here twice", 3),
        (b'{"a": 1,\n "a": 2}', "`a` stands here twice", 2),
        (b"x: &x {a: 1}\ny:\n  <<: *x", "no merge key", 3),
        (b"a: 1\nb: !!python/object/apply:os.system ['true']", "carries the tag", 2),
        (b"a: !mine b", "the tag `!mine` has no meaning here", 1),
        (b"a: !!bool maybe", "'maybe' is no bool", 1),
        (b"a: *x", "undefined alias", 1),
        (b"? [a, b]\n: c", "a key is one plain word", 1),
        (b"%YAML 1.1\n---\na: yes", "another version than 1.2", 2),
        (b"a: 1\nb: .nan", "'.nan' is no finite number", 2),
        (b"a: -.inf", "'-.inf' is no finite number", 1),
        (b"a: 1e999", "'1e999' is no finite number", 1),
        (b"a: 9223372036854775808", "is too large a number", 1),
        (b"a: " + b"9" * 5_000, "no whole number that can be kept", 1),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_line(content, why, line):
    error = refused(read_source, content)
    assert why in error.why
    assert error.line == line
    assert str(error).startswith("f.yaml" if line is None else f"f.yaml:{line}: ")


def test_the_largest_number_that_can_be_kept_is_read():
    assert values(f"a: {LARGEST}\nb: -{LARGEST}") == {"a": LARGEST, "b": -LARGEST}


BOMB = "a: &a [x,x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{name}: &{name} [{','.join(['*' + before] * 10)}]\n"
    for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)  # fmt: skip
HOSTILE = {
    "aliases that unfold to a billion values": (BOMB, "too many values"),
    "aliases that unfold to gigabytes of text": (
        f"a: &a {'x' * 100_000}\nb: [{','.join(['*a'] * 1_000)}]", "too much text",
    ),
    "a list that holds itself": ("&a [*a]", "nested too deeply"),
    "a mapping that holds itself": ("&a {x: *a}", "nested too deeply"),
    "brackets without end": ("[" * 200_000, "nested too deeply"),
    "braces without end": ('{"a":' * 100_000, "nested too deeply"),
    "indents without end": ("".join("  " * i + "a:\n" for i in range(900)), "nested too deeply"),
    "dashes without end": ("- " * 20_000 + "x", "nested too deeply"),
    "ten megabytes": ("a: " + "x" * 10_000_000, "larger than 4 MB"),
    "one endless tag": ("!" * 3_900_000, "a tag of more than"),
    "one endless alias": ("*" * 100_000, "undefined alias"),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_are_refused_at_once_and_in_few_words(name):
    content, why = HOSTILE[name]
    started = time.process_time()
    error = refused(read_source, content)
    assert why in error.why
    assert len(str(error)) < 400
    assert time.process_time() - started < 5


def test_a_long_list_is_given_up_at_the_first_value_too_many(monkeypatch):
    monkeypatch.setattr("ledger_service.probing.source.MOST_VALUES", 50)
    assert len(values("- x\n" * 49)) == 49
    error = refused(read_source, "- x\n" * 100_000)
    assert error.line is not None
    assert error.line <= 101
    assert "more than 50 values" in error.why


# ---- where a world goes wrong, and what is allowed there


@pytest.mark.parametrize(
    ("before", "after", "path", "why"),
    [
        ("aliases: [Voss, keeper]", "alias: [Voss]", "cast[0].alias", "did you mean `aliases`? (allowed: id, name, "),
        ("register: dry", "regster: dry", "cast[0].voice.regster", "did you mean `register`?"),
        ("received: {functional: true}", "received: {functionl: 1}", "predicates.received.functionl", "`functional`"),
        ("name: Teo\n", "name: [Teo]\n", "cast[2].name", "expected text, got a list"),
        ("aliases: [Voss, keeper]", "aliases: Voss", "cast[0].aliases", "expected a list, got text"),
        ("trust: 0.45", "trust: high", "trust[0].trust", "expected a number, got text"),
        ("trust: 0.45", "trust: 1.2", "trust[0].trust", "expected a number <= 1.0"),
        ("trust: 0.45", "trust: .nan", "trust[0].trust", "no finite number"),
        ("trust: 0.45", "trust: -0.1", "trust[0].trust", "expected a number >= 0.0"),
        ("listener: maelin, teller: supervisor, ", "listener: maelin, ", "trust[0]", "the field `teller` is missing"),
        ("storm_level: 2", "storm_level:", "state.storm_level", "got nothing"),
        ("id: teo", "id: Teo", "cast[2].id", "matching regex"),
    ],
)
def test_a_wrong_field_is_named_with_what_is_allowed_there(before, after, path, why):
    text = altered(WORLD, before, after)
    error = refused(decode_world, text)
    assert error.path == path
    assert why in error.why
    assert error.line == line_of(WORLD, before)


@pytest.mark.parametrize(
    ("written", "path", "why"),
    [
        ("ladders: [{id: a, rungs: [only]}]", "ladders[0].rungs", "length >= 2"),
        ("ladders: [{id: a, rungs: [x, y], weights: [-1.5]}]", "ladders[0].weights[0]", "expected a number >= -1.0"),
        ("gossip: {stories_a_meeting: 0}", "gossip.stories_a_meeting", "expected a whole number >= 1"),
        ("gossip: {corroboration: loudest}", "gossip.corroboration", "allowed: each_teller, independent_roots"),
    ],
)
def test_a_ladder_or_a_way_of_gossip_that_cannot_be_is_refused(written, path, why):
    error = refused(decode_world, f"{WORLD}\n{written}\n")
    assert error.path == path
    assert why in error.why


@pytest.mark.parametrize("hour", ["25", "-1", "noon"])
def test_an_hour_that_no_clock_has_is_refused(hour):
    stay = f"schedule: [{{place: mast, from_hour: {hour}, until_hour: 12}}]"
    error = refused(decode_world, altered(WORLD, "home: ice_field", stay))
    assert error.path == "cast[2].schedule[0].from_hour"


def test_a_missing_field_is_named_with_all_that_are_needed():
    error = refused(decode_world, altered(WORLD, "title: The station on Carrow's moon\n", ""))
    assert "the field `title` is missing (needed: id, title, cast)" in error.why


@pytest.mark.parametrize(("content", "got"), [("[1]", "a list"), ("hello", "text"), ("null", "nothing")])
def test_a_world_is_a_mapping(content, got):
    assert refused(decode_world, content).why == f"expected a mapping, got {got}"


@pytest.mark.parametrize(
    ("before", "after", "path", "why"),
    [
        ("teller: teo, trust", "teller: tea, trust", "trust[1].teller", "unknown character `tea`; did you mean `teo`?"),
        ("listener: teo, teller", "listener: tea, teller", "trust[2].listener", "unknown character `tea`"),
        ("teller: maelin, trust", "teller: teo, trust", "trust[2].teller", "tells nobody themselves"),
        ("teller: teo, trust: 0.55", "teller: supervisor, trust: 1", "trust[1].teller", "`supervisor to maelin`"),
        ("home: relay_office", "home: relay_ofice", "cast[1].home", "unknown place `relay_ofice`; did you mean"),
        ("home: ice_field", f"schedule: [{STAY}]", "cast[2].schedule[0].place", "unknown place `moon`"),
        ("- id: teo", "- id: maelin", "cast[2].id", "`maelin` stands here twice"),
        ("- id: teo", "- id: public", "cast[2].id", "`public` is reserved"),
        ("{id: station_crew", "{id: engine", "groups[0].id", "`engine` is reserved"),
        ("members: [maelin]", "members: [mae]", "groups[0].members", "unknown character `mae`"),
        ("by: [maelin]", "by: [mae]", "actions[0].by", "unknown character `mae`"),
        ("action: use_transmitter", "action: use_it", "rules[0].action", "unknown action `use_it`"),
        ("!open('sensor')", "!opn('sensor')", "rules[0].grant_when", "unknown function `opn`; there are broken"),
        ("!open('sensor')", "sensor", "rules[0].grant_when", "unknown name `sensor`; there are event"),
        ("!open('sensor')", "[1].all(x, x > 0)", "rules[0].grant_when", "may loop without end"),
        ("!open('sensor')", "!open('sensor", "rules[0].grant_when", "condition"),
        ("!open('sensor')", "open('sensor') && happened('quake')", "rules[0].grant_when", "unknown event `quake`"),
        ("!open('sensor')", "open('sensor') && state.power", "rules[0].grant_when", "unknown state key `power`"),
        ("standing('maelin'", "standing('mealin'", "rules[0].grant_when", "did you mean `maelin`?"),
        ("'player', 'reli", "'plyer', 'reli", "rules[0].grant_when", "did you mean `player`?"),
        ("commitments: [sensor]", "commitments: [sensr]", "rules[0].commitments", "never asks for `sensr`; did you"),
        ("scopes: [reliability]", "scopes: [honesty]", "rules[0].scopes", "never asks for `honesty`"),
        ("{functional: true}", "{exclusive_with: [nope]}", "predicates.received.exclusive_with", "unknown predicate"),
        ("max_words: 70", "max_words: 70\n      min_words: 71", "cast[0].voice.min_words", "above max_words, 70"),
        ("state:\n", "band_names: {sure: certain}\nstate:\n", "band_names.sure", "unknown band `sure`"),
        ("state:\n", "confidence_by_source: {seen: 1}\nstate:\n", "confidence_by_source.seen", "unknown source `seen`"),
        ("home: ice_field", "schedule: [{place: mast, from_hour: 24, until_hour: 6}]", "cast[2].schedule[0].from_hour",
         "hours are 0 to 23; at 24 a stay can only end"),
        ("home: ice_field", "schedule: [{place: mast, from_hour: 6, until_hour: 6}]", "cast[2].schedule[0].until_hour",
         "the stay ends at 6, when it begins"),
        ("home: ice_field", "schedule: [{place: mast, from_hour: 8, until_hour: 12}, "
         "{place: relay_office, from_hour: 11, until_hour: 13}]", "cast[2].schedule[1].from_hour",
         "`teo` is at two places at 11: `mast` and `relay_office`"),
        ("home: ice_field", "schedule: [{place: mast, from_hour: 1, until_hour: 3}, "
         "{place: relay_office, from_hour: 22, until_hour: 2}]", "cast[2].schedule[1].from_hour",
         "`teo` is at two places at 1: `mast` and `relay_office`"),
        ("state:\n", "ladders: [{id: a, rungs: [x, y], weights: [0, 0, 0]}]\nstate:\n", "ladders[0].weights",
         "has 3 weights for 2 rungs"),
        ("state:\n", "ladders: [{id: a, rungs: [x, y, x]}]\nstate:\n", "ladders[0].rungs[2]", "`x` stands here twice"),
        ("state:\n", "ladders: [{id: a, rungs: [x, ' ']}]\nstate:\n", "ladders[0].rungs[1]", "says nothing"),
        ("teller: teo, trust", "teller: '', trust", "trust[1].teller", "unknown character ``"),
        ("state:\n", "ladders: [{id: a, rungs: [x, y], subject: zog}]\nstate:\n", "ladders[0].subject", "unknown char"),
        ("because: the", "factor: \"'dear'\"\n    because: the", "rules[0].factor", "which is no number"),
        ("because: the", "factor: opinion('zog')\n    because: the", "rules[0].factor", "unknown character `zog`"),
        ("because: the", "factor: tick > 3\n    because: the", "rules[0].factor", "which is no number"),
        ("because: the", "factor: 1.0 - opinon('teo')\n    because: the", "rules[0].factor", "unknown function"),
        ("state:\n", custom("event: gift"), "customs[0].event", "unknown event `gift`"),
        ("state:\n", custom("when: opinion(witnes) < 0.0"), "customs[0].when", "unknown name `witnes`"),
        ("state:\n", custom("when: opinion(witness)"), "customs[0].when", "neither true nor false"),
        ("state:\n", custom("reads_as: '{acter} lies'"), "customs[0].reads_as", "unknown part `acter`; did you mean"),
        ("state:\n", custom("reads_as: ' '"), "customs[0].reads_as", "says nothing"),
        ("state:\n", custom("ladder: zog"), "customs[0].ladder", "unknown ladder `zog`"),
        ("state:\n", custom("event: [deed]"), "customs[0].event", "expected text"),
        ("state:\n", notice("place: moon"), "notices[0].place", "unknown place `moon`"),
        ("state:\n", notice("by: zog"), "notices[0].by", "unknown character `zog`"),
        ("state:\n", notice("subject: zog"), "notices[0].subject", "unknown character `zog`"),
        ("state:\n", notice("ladder: zog"), "notices[0].ladder", "unknown ladder `zog`"),
        ("state:\n", notice("text: ''"), "notices[0]", "its `text`, or a `rung` of a `ladder`"),
        ("state:\n", LADDER + notice("text: ''\n    ladder: l\n    rung: 3"), "notices[0].rung", "2 rungs, and no 3"),
        ("state:\n", LADDER + notice("ladder: l"), "notices[0].text", "give one or the other"),
        ("state:\n", notice("rung: 0"), "notices[0].rung", ">= 1"),
        ("state:\n", notice("post_when: opinion('zog') < 0.0"), "notices[0].post_when", "unknown character `zog`"),
        ("state:\n", notice("remove_when: tick"), "notices[0].remove_when", "neither true nor false"),
        ("state:\n", notice("sign: me"), "notices[0].sign", "unknown field `sign`"),
        ("state:\n", "ladders: [{id: a, rungs: [x, y]}, {id: a, rungs: [y, z]}]\nstate:\n", "ladders[1].id", "twice"),
    ],
)  # fmt: skip
def test_a_name_that_leads_nowhere_is_an_error(before, after, path, why):
    text = altered(WORLD, before, after)
    error = refused(decode_world, text)
    assert error.path == path
    assert why in error.why
    assert error.line is not None


def test_state_in_quotes_is_text_and_no_state_key():
    decode_world(altered(WORLD, "!open('sensor')", "!open('sensor') && speaker != 'state.power'").encode(), "f")


def test_every_problem_of_a_world_is_told_at_once():
    text = altered(altered(WORLD, "home: relay_office", "home: moon"), "teller: teo, trust", "teller: tea, trust")
    source = read_source(altered(text, "!open('sensor')", "!shut('sensor')").encode(), "f.yaml")
    problems = list(problems_of(decode(source, World), source))
    assert [p.path for p in problems] == ["cast[1].home", "trust[1].teller", "rules[0].grant_when"]
    assert [p.line for p in problems] == [line_of(text, w) for w in ("home: moon", "teller: tea", "grant_when")]


def test_the_command_tells_every_problem_as_it_stands_and_exits_with_2(tmp_path: Path):
    file = tmp_path / "world.yaml"
    file.write_text(altered(altered(WORLD, "home: relay_office", 'home: "[/moon]"'), "teller: teo", "teller: tea"))
    result = CliRunner().invoke(main, ["world", "validate", str(file)])
    assert result.exit_code == 2
    assert f"{file}:22: cast[1].home: unknown place `[/moon]`" in result.output
    assert "trust[1].teller: unknown character `tea`" in result.output


# ---- histories and their labels


@pytest.mark.parametrize(
    ("before", "after", "path", "why"),
    [
        ("kind: moved", "kind: mved", "[0].kind", "`mved` is not known here; did you mean `moved`? (allowed: scene_"),
        ("actor: maelin", "actr: maelin", "[1].actr", "did you mean `actor`?"),
        ("{kind: admits,", "{kind: admit,", "[3].acts[0].kind", "did you mean `admits`? (allowed: asserts, admits"),
        ("type: on_event, name: antenna", "type: event, name: antenna", "[7].expires.type", "on_event, any_of, all_of"),
        ("disclosure: {mode: secret}", "disclosure: {mod: secret}", "[10].entries[0].disclosure.mod", "`mode`"),
        ("disclosure: {mode: secret}", "disclosure: {mode: hush}", "[10].entries[0].disclosure.mode", "open, guarded"),
        ("predicate: failed_first", "pred: failed_first", "[7].slot.pred", "did you mean `predicate`?"),
        ("tick: 5", "tick: -5", "[1].tick", "expected a whole number >= 0"),
        ("@confession.2", "@confesion.2", "[4].evidence[0]", "did you mean `confession`?"),
        ("@confession.2", "@sensor", "[4].evidence[0]", "refers to no earlier label"),
        ("label: honesty", "label: confession", "[4].label", "is the label of an earlier event"),
        ("label: forecasts", "label: 5", "[1].label", "one lower-case word"),
        ("label: forecasts", "label: a.2", "[1].label", "one lower-case word"),
    ],
)  # fmt: skip
def test_a_wrong_event_is_named_with_what_is_allowed_there(before, after, path, why):
    text = altered(HISTORY, before, after)
    error = refused(decode_history, text)
    assert error.path == path
    assert why in error.why
    assert error.line == line_of(HISTORY, before)


def test_a_history_is_a_list_of_mappings():
    assert "list of events" in refused(decode_history, "a: 1").why
    assert "a mapping with a `kind`" in refused(decode_history, "- moved").why


def played(history: str, world: World | None = None):
    stores = MemoryStores()
    read = decode_history(history.encode(), "h.yaml")

    async def play():
        version = await add_world(world or a_stage(), open_uow=stores.open_uow)
        opened = await open_playthrough(version, open_uow=stores.open_uow)
        mine = opened.playthrough_id
        labels = await play_history(mine, read, open_uow=stores.open_uow, embedder=NoMeanings())
        async with stores.open_uow(mine) as uow:
            entries, _ = await uow.ledger.load_all()
        return labels, {e.entry_id: e for e in entries}

    return anyio.run(play)


SAID = """\
- kind: utterance
  label: said
  speaker: player
  to: [maelin]
  text: It was me.
  acts: [{kind: admits, statement: player broke the lamp}]
"""


def test_a_label_stands_for_the_entries_of_its_event():
    labels, entries = played(
        SAID
        + '- {kind: corrected, label: better, entry_id: "@said.2", statement: player cracked the lamp, reason: r}\n'
    )
    assert [entries[i].statement for i in labels["said"]] == [
        'player said "It was me." to maelin',
        "player broke the lamp",
    ]
    (better,) = labels["better"]
    assert entries[better].statement == "player cracked the lamp"
    assert entries[better].supersedes == (labels["said"][1],)


@pytest.mark.parametrize(("name", "left"), [("@said.3", "2 entries"), ("@said.0", "2 entries"), ("@gone", "no entry")])
def test_a_label_without_so_many_entries_is_named_where_it_stands(name, left):
    moved = "- {kind: time_passed, label: gone, hours: 1}\n"
    wrong = f'- {{kind: corrected, entry_id: "{name}", statement: x, reason: r}}\n'
    with pytest.raises(StoryFileError) as caught:
        played(SAID + moved + wrong)
    assert caught.value.line == 8
    assert caught.value.path == "[2].entry_id"
    assert f"left {left}" in caught.value.why


def test_an_event_that_breaks_a_rule_is_named_by_line_within_its_batch():
    with pytest.raises(StoryFileError) as caught:
        played(
            "- {kind: time_passed, hours: 5}\n- {kind: time_passed, hours: 1}\n- {kind: moved, who: teo, to: moon}\n"
        )
    assert (caught.value.file, caught.value.line, caught.value.path) == ("h.yaml", 3, "[2]")
    assert "moon" in caught.value.why


# ---- the folder


def test_the_shipped_story_reads_whole():
    files = ProbeFiles(STORY.parent)
    assert files.list_stories() == ("maelin", "village")
    story = files.load("maelin")
    assert [c.id for c in story.world.cast] == ["maelin", "supervisor", "teo"]
    assert all(len(c.voice.samples) >= 3 for c in story.world.cast)
    assert {s.label for s in story.history.steps} >= {"confession", "sensor", "message", "antenna", "transfer", "log"}


@pytest.mark.parametrize("name", ["nobody", "../maelin", "", "cases"])
def test_a_story_that_is_not_there_is_named_with_those_that_are(name):
    with pytest.raises(StoryFileError, match=r"no such story \(there are: maelin, village\)"):
        ProbeFiles(STORY.parent).load(name)


def test_a_story_without_its_history_says_so(tmp_path: Path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "world.yaml").write_text(WORLD, encoding="utf-8")
    with pytest.raises(StoryFileError, match=r"mine/history\.yaml: cannot be read: No such file"):
        ProbeFiles(tmp_path).load("mine")
