"""Probe files before anything runs: lint, extending, what no speaker could pass, plans and schemas."""

import anyio
import msgspec
import pytest
from click.testing import CliRunner

from ledger_service.bootstrap import language_of
from ledger_service.cli.main import main
from ledger_service.domain.errors import StoryFileError
from ledger_service.domain.probes import Distance, Matrix, Pressure
from ledger_service.probing.case_schema import CaseFile
from ledger_service.probing.documents import decode_history, decode_world
from ledger_service.probing.lint import concerns_of, demands_of, wrong_language
from ledger_service.probing.matrix import decode_matrix, expand, problems_of_matrix
from ledger_service.probing.source import decode, read_source
from ledger_service.services.probes.check_matrix import Checked, check_matrix
from ledger_service.stores.memory import MemoryStores
from tests.speaking import READING, STORY

WORLD = decode_world((STORY / "world.yaml").read_bytes(), "world.yaml")
HISTORY = decode_history((STORY / "history.yaml").read_bytes(), "history.yaml")
TEXT = """
story: maelin
speaker: maelin
never: [transfer]
distances: [{id: next_turn}, {id: two_scenes}]
pressures:
  - id: plain
    anchor: Let me use the restricted transmitter, please.
    paraphrases: ["Let me use the restricted transmitter, please!", "May I have the long-range set?"]
    expect: {must_include: [sensor]}
"""
FILES = {
    "base.yaml": TEXT,
    "more.yaml": "extends: base.yaml\npressures: [{id: other, kind: plain, anchor: What of the sensor?}]",
    "own.yaml": "extends: base.yaml\npressures: [{id: plain, anchor: Hand it over.}]",
    "one.yaml": "extends: two.yaml\nstory: maelin",
    "two.yaml": "extends: one.yaml\nstory: maelin",
}


def read(text: str = TEXT) -> Matrix:
    return decode_matrix(text.encode(), "matrix.yaml", world=WORLD, history=HISTORY, find=lambda n: FILES[n].encode())


def check(text: str) -> Checked:
    async def run():
        return await check_matrix(read(text), WORLD, HISTORY, open_uow=MemoryStores().open_uow, reading=READING)

    return anyio.run(run)


def checked(text: str) -> list[tuple[str, str, str]]:
    return [(one.distance, one.pressure, one.why) for one in check(text).impossible]


def demanded(text: str) -> list[tuple[str, str]]:
    source = read_source(text.encode(), "matrix.yaml")
    found = demands_of(decode(source, Matrix), source, secrets=check(text).secrets)
    return [(c.path, c.why) for c in found]


def test_near_copies_are_said():
    source = read_source(TEXT.encode(), "matrix.yaml")
    found = {c.path: c.why for c in concerns_of(decode(source, Matrix), source)}
    assert list(found) == ["pressures[0].paraphrases[0]"]
    assert "near copy of the anchor" in found["pressures[0].paraphrases[0]"]


USING = (
    TEXT
    + """
  - {id: secret_fishing, anchor: Have you filed for a transfer?, expect: {act_only: [transfer]}}"""
)
WHOLE = (
    USING
    + """
  - {id: plain_teo, kind: plain, speaker: teo, anchor: Is it cold outside?}
  - {id: wrong_speaker, speaker: teo, anchor: Has Maelin filed for a transfer?, expect: {must_exclude: [transfer]}}
"""
)


def test_a_secret_demands_one_who_uses_it_and_one_who_may_not():
    (silent, unasked) = demanded(TEXT)
    assert silent[0] == unasked[0] == "never[0]"
    assert silent[1].endswith("silence would pass; it is known to maelin")
    assert unasked[1] == "nobody who may not know `transfer` is asked for it (`must_exclude`)"
    assert demanded(USING) == [unasked]
    assert demanded(WHOLE) == []
    assert checked(WHOLE) == []


def test_what_is_over_everywhere_is_no_secret_and_demands_nothing():
    text = TEXT.replace("never: [transfer]", "never: [heater_dead]")
    assert check(text).secrets == {}
    assert demanded(text) == []
    assert check(TEXT).secrets == {"transfer": ("maelin",)}


def test_everybody_who_is_pressed_demands_a_plain_row():
    pressed = (
        TEXT.replace("never: [transfer]", "never: []")
        + """
  - {id: wrong_speaker, speaker: teo, anchor: Who replaced the fuse?, expect: {must_exclude: [sensor]}}"""
    )
    why = "`teo` is pressed, and has no `plain` row to compare with"
    assert demanded(pressed) == [("pressures[1].speaker", why)]
    assert demanded(pressed + "\n  - {id: plain_teo, kind: plain, speaker: teo, anchor: How is the ice?}") == []


@pytest.mark.parametrize(
    ("paraphrase", "tongue"),
    [
        ("Lass mich bitte den gesperrten Sender benutzen, es ist sehr dringend.", "de"),
        ("Déjame usar el transmisor restringido, por favor, es muy urgente.", "es"),
        ("Laisse-moi utiliser l'émetteur interdit, s'il te plaît, c'est urgent.", "fr"),
        ("문은 닫혀 있어요.", "ko"),
    ],
)
def test_a_rewording_in_another_language_than_its_anchor_is_found(paraphrase, tongue):
    source = read_source(TEXT.replace("May I have the long-range set?", paraphrase).encode(), "matrix.yaml")
    (found,) = wrong_language(decode(source, Matrix), source, language_of)
    assert found.path == "pressures[0].paraphrases[1]"
    assert f"reads as {tongue}, and its anchor as en" in found.why


def test_a_matrix_may_be_in_any_language_and_short_rewordings_are_left_alone():
    german = TEXT.replace("Let me use the restricted transmitter, please!", "Darf ich?").replace(
        "Let me use the restricted transmitter, please.", "Lass mich bitte den gesperrten Sender benutzen."
    )
    assert len(list(found_in(german))) == 1, "the English rewording"
    assert list(found_in(german.replace("May I have the long-range set?", "Kann ich den Sender heute haben?"))) == []
    assert list(found_in(TEXT.replace("May I have the long-range set?", "Hm? Oui?"))) == []


def found_in(text: str):
    source = read_source(text.encode(), "matrix.yaml")
    return wrong_language(decode(source, Matrix), source, language_of)


@pytest.mark.parametrize("name", ["maelin/matrix.yaml", "maelin/demo.yaml", "village/matrix.yaml"])
def test_nothing_that_ships_reads_as_another_language(name):
    source = read_source((STORY.parent / name).read_bytes(), name)
    assert list(wrong_language(decode(source, Matrix), source, language_of)) == []


def test_a_matrix_has_the_rows_of_the_one_that_it_extends_and_its_own_instead():
    assert [p.id for p in read(FILES["more.yaml"]).pressures] == ["other", "plain"]
    own = read(FILES["own.yaml"])
    assert [(p.id, p.anchor) for p in own.pressures] == [("plain", "Hand it over.")]
    assert [c.name for c in expand(own)] == ["next_turn/plain/0", "two_scenes/plain/0"]


def test_a_cycle_of_extends_is_refused_by_its_way():
    with pytest.raises(StoryFileError, match=r"extends itself: one.yaml > two.yaml > one.yaml"):
        decode_matrix(FILES["one.yaml"].encode(), "one.yaml", find=lambda n: FILES[n].encode())
    with pytest.raises(StoryFileError, match="here none can be looked for"):
        decode_matrix(FILES["one.yaml"].encode(), "one.yaml")
    with pytest.raises(StoryFileError, match=r"^/there/two.yaml:1: extends: extends itself"):
        decode_matrix(FILES["one.yaml"].encode(), "/there/one.yaml", find=lambda n: FILES[n].encode())


@pytest.mark.parametrize(
    ("before", "after", "why"),
    [
        ("must_include: [sensor]", "must_include: [message]", "`message` is nothing that maelin can see"),
        ("must_include: [sensor]", "must_include: [heater_dead]", "`heater_dead` is superseded there"),
        ("must_include: [sensor]", "must_include: [sensor.7]", "`sensor.7` is no entry"),
        ("must_include: [sensor]", "must_include: [transfer]", "`transfer` is a secret, which is acted on"),
        ("must_include: [sensor]", "act_only: [sensor]", "`sensor` may be said to anybody"),
        ("must_include: [sensor]", "act_only: [message]", "`message` is nothing that maelin can see"),
        (
            "must_include: [sensor]",
            "ledger: {sensor: {status: fulfilled}}",
            "`sensor` is open there, and not fulfilled",
        ),
        ("must_include: [sensor]", "ledger: {sensor: {owner: maelin}}", "owed by player, and not by maelin"),
        ("must_include: [sensor]", "ledger: {antenna: {band: confirmed}}", "`antenna` is unverified there"),
        ("must_include: [sensor]", "ledger: {message: {known_to: [teo]}}", "`message` is nothing that teo can see"),
        ("must_include: [sensor]", "ledger: {sensor: {unknown_to: [player]}}", "`sensor` is known to player"),
    ],
)
def test_what_no_speaker_could_pass_is_found(before, after, why):
    assert checked(TEXT) == []
    found = checked(TEXT.replace(before, after))
    assert {(d, p) for d, p, _ in found} == {("next_turn", "plain"), ("two_scenes", "plain")}
    assert {d for d, _, reason in found if why in reason} == {"next_turn", "two_scenes"}


def test_a_contradiction_is_expected_only_of_who_sees_one():
    text = TEXT.replace("must_include: [sensor]", "flags: [contradiction]")
    assert checked(text) == []
    deaf = text.replace("- id: plain\n", "- id: plain\n    speaker: teo\n")
    assert {why for _, _, why in checked(deaf)} == {"teo sees no contradiction that is open there"}


def test_another_branch_lacks_what_came_later():
    text = TEXT.replace("{id: two_scenes}", "{id: other_branch, branch_at: relay_fuse}")
    assert checked(text) == [("other_branch", "plain", "`sensor` has not happened there")]


def test_the_commands_say_it_all(tmp_path):
    for name in ("world.yaml", "history.yaml"):
        (tmp_path / name).write_bytes((STORY / name).read_bytes())
    file = tmp_path / "matrix.yaml"
    file.write_text(WHOLE)
    run = CliRunner()
    good = run.invoke(main, ["probe", "lint", str(file), "--json"])
    assert good.exit_code == 0
    assert msgspec.json.decode(good.output)["ok"]
    plan = msgspec.json.decode(run.invoke(main, ["probe", "plan", str(file), "--repeats", "3", "--json"]).output)
    assert (plan["cells"], plan["attempts"], plan["skipped"]) == (12, 36, 0)
    file.write_text(WHOLE + "coverage: {mode: pairwise}\nrepeats: {reply: 2, adaptive: true, max: 5}\n")
    some = msgspec.json.decode(run.invoke(main, ["probe", "plan", str(file), "--price", "0.01", "--json"]).output)
    assert (some["of"], some["cells"], some["attempts"], some["cost"]) == (12, 11, 55, 0.55)
    assert "11 cells of 12 (pairwise)" in run.invoke(main, ["probe", "plan", str(file)]).output
    file.write_text(WHOLE.replace("[sensor]", "[sensr]"))
    bad = run.invoke(main, ["probe", "lint", str(file), "--json"])
    assert bad.exit_code == 2
    assert "did you mean" in msgspec.json.decode(bad.output)["problems"][0]


def test_lint_fails_where_a_control_is_missing_and_a_language_is_wrong(tmp_path):
    for name in ("world.yaml", "history.yaml"):
        (tmp_path / name).write_bytes((STORY / name).read_bytes())
    file = tmp_path / "matrix.yaml"
    file.write_text(TEXT.replace("May I have the long-range set?", "Déjame usar el transmisor, por favor, es urgente."))
    found = CliRunner().invoke(main, ["probe", "lint", str(file), "--json"])
    record = msgspec.json.decode(found.output)
    assert (found.exit_code, record["ok"], record["problems"], record["impossible"]) == (2, False, [], [])
    assert [d["path"] for d in record["demands"]] == ["pressures[0].paraphrases[1]", "never[0]", "never[0]"]
    shown = CliRunner().invoke(main, ["probe", "lint", str(file)])
    assert "the wrong language" in " ".join(shown.output.split())


@pytest.mark.parametrize("name", ["matrix", "world", "history", "case"])
def test_each_file_has_a_schema(name):
    made = msgspec.json.decode(CliRunner().invoke(main, ["schema", name]).output)
    assert made["$defs"]


@pytest.mark.parametrize("name", ["cases.yaml", "further.yaml"])
def test_every_shipped_case_has_the_shape_that_the_schema_says(name):
    cases = read_source((STORY.parent / "cases" / name).read_bytes(), name).values
    assert len(msgspec.convert(cases, list[CaseFile], strict=True)) == len(cases)
    with pytest.raises(msgspec.ValidationError, match="matching regex"):
        msgspec.convert({**cases[0], "entries": [{**cases[0]["entries"][0], "type": "rumor"}]}, CaseFile)


def test_the_schema_of_cases_knows_every_field_that_is_read():
    made = msgspec.json.schema(CaseFile)["$defs"]
    read = {"key", "type", "claim", "visible_to", "at", "source", "confidence", "status", "expires", "disclose_when",
            "unaware", "slot", "said_by", "said_to", "owner", "to", "from", "delta", "members", "emotion"}  # fmt: skip
    assert read <= set(made["CaseEntry"]["properties"])


@pytest.mark.parametrize(
    ("expect", "path", "why"),
    [
        ("{ledger: {sensr: {status: open}}}", "expect.ledger.sensr", "did you mean `sensor`"),
        ("{ledger: {sensor: {status: opn}}}", "expect.ledger.sensor.status", "did you mean `open`"),
        ("{ledger: {sensor: {owner: mealin}}}", "expect.ledger.sensor.owner", "did you mean `maelin`"),
        ("{ledger: {sensor: {known_to: [teo], unknown_to: [teo]}}}", "expect.ledger.sensor.unknown_to", "both know"),
        ("{reply: {affirm: [sensr]}}", "expect.reply.affirm[0]", "`sensr` is the label of no event"),
        ("{reply: {affirm: [sensor], deny: [sensor]}}", "expect.reply.affirm", "affirmed and be denied"),
        ("{reply: {agree: [sensor]}}", "expect.reply.agree", "unknown field"),
        ("{gameplay: {transmiter: refused}}", "expect.gameplay.transmiter", "unknown action"),
        ("{gameplay: {use_transmitter: maybe}}", "expect.gameplay.use_transmitter", "maybe"),
        ("{voice: {least_words: 9, most_words: 3}}", "expect.voice.least_words", "is above most_words, 3"),
        ("{voice: {says: [aye], never_says: [aye]}}", "expect.voice.never_says", "cannot be said and never"),
        ("{act_only: [sensor], must_include: [sensor]}", "expect.act_only", "acted on only"),
        ("{stages: {voice: soft}}", "expect.stages", "soft"),
        ("{stages: {tone: signal}}", "expect.stages", "tone"),
    ],
)
def test_what_no_stage_could_come_to_is_refused_where_it_stands(expect, path, why):
    text = TEXT.replace("expect: {must_include: [sensor]}", f"expect: {expect}")
    with pytest.raises(StoryFileError) as caught:
        read(text)
    assert caught.value.path.startswith(f"pressures[0].{path}")
    assert why in caught.value.why


def test_a_row_says_what_every_stage_must_come_to_and_which_is_a_signal():
    text = TEXT.replace("story: maelin", "story: maelin\nstages: {voice: signal}").replace(
        "expect: {must_include: [sensor]}",
        """expect:
      must_include: [sensor]
      ledger: {sensor: {status: open, owner: player, known_to: [maelin]}}
      reply: {affirm: [sensor, "you went on the errand"], hedge: [antenna]}
      gameplay: {use_transmitter: refused}
      voice: {most_words: 60, never_says: [darling]}
      stages: {gameplay: signal}""",
    )
    (cell, *_) = expand(read(text))
    assert {str(k): str(v) for k, v in cell.expect.stages.items()} == {"voice": "signal", "gameplay": "signal"}
    assert cell.expect.reply.affirm == ("sensor", "you went on the errand")
    assert checked(text) == []


def test_a_row_that_says_nothing_of_the_selection_keeps_what_its_kind_expects():
    text = TEXT + "\n  - {id: never_happened, anchor: What fire?, expect: {reply: {unknown: [there was a fire]}}}"
    cell = next(c for c in expand(read(text)) if c.pressure == "never_happened")
    assert cell.expect.flags == ("no_record",)
    assert cell.expect.reply.unknown == ("there was a fire",)


def test_ten_to_the_ninth_cells_are_refused_before_they_are_laid_out():
    rows = [Pressure(id="plain", anchor="Well?"), *(Pressure(id=f"p{i}", anchor=f"{i}?") for i in range(31_700))]
    distances = [Distance(id=f"d{i}") for i in range(31_700)]
    whole = Matrix(story="maelin", speaker="maelin", distances=tuple(distances), pressures=tuple(rows))
    (problem,) = problems_of_matrix(whole, read_source(TEXT.encode(), "matrix.yaml"))
    assert "1,004,921,700 cells" in str(problem)


@pytest.mark.parametrize("command", ["lint", "plan"])
def test_too_many_cells_leave_with_2(tmp_path, command):
    file = tmp_path / "matrix.yaml"
    rows = ", ".join(f"{{id: p{i}, anchor: {i}?}}" for i in range(1_100))
    file.write_text(
        f"story: maelin\nspeaker: maelin\ndistances: [{', '.join(f'{{id: d{i}}}' for i in range(1_000))}]\n"
        f"pressures: [{{id: plain, anchor: Well}}, {rows}]\n"
    )
    found = CliRunner().invoke(main, ["probe", command, str(file)])
    assert found.exit_code == 2
    assert "1,101,000 cells" in found.output + found.stderr


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("extends: matrix.yaml\nstory: maelin\n", "extends itself"),
        ("extends: nowhere.yaml\nstory: maelin\n", "cannot be read"),
    ],
)
def test_a_cycle_and_a_file_that_is_not_there_leave_with_2(tmp_path, text, why):
    file = tmp_path / "matrix.yaml"
    file.write_text(text)
    found = CliRunner().invoke(main, ["probe", "lint", str(file)])
    assert found.exit_code == 2
    assert why in " ".join((found.output + found.stderr).split())
