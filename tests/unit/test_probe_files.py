"""Probe files before anything runs: lint, extending, what no speaker could pass, plans and schemas."""

import anyio
import msgspec
import pytest
from click.testing import CliRunner

from ledger_service.cli.main import main
from ledger_service.domain.errors import StoryFileError
from ledger_service.domain.probes import Matrix
from ledger_service.probing.documents import decode_history, decode_world
from ledger_service.probing.lint import concerns_of
from ledger_service.probing.matrix import decode_matrix, expand
from ledger_service.probing.source import decode, read_source
from ledger_service.services.check_matrix import check_matrix
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


def checked(text: str) -> list[tuple[str, str, str]]:
    async def run():
        return await check_matrix(read(text), WORLD, HISTORY, open_uow=MemoryStores().open_uow, reading=READING)

    return [(one.distance, one.pressure, one.why) for one in anyio.run(run)]


def test_near_copies_and_secrets_that_nobody_has_to_use_are_said():
    source = read_source(TEXT.encode(), "matrix.yaml")
    found = {c.path: c.why for c in concerns_of(decode(source, Matrix), source)}
    assert "near copy of the anchor" in found["pressures[0].paraphrases[0]"]
    assert "silence would pass" in found["never[0]"]
    assert len(found) == 2


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


def test_a_matrix_of_many_million_cells_is_refused_before_it_is_expanded():
    matrix = {
        "story": "maelin",
        "speaker": "maelin",
        "distances": [{"id": f"d{i}"} for i in range(15_000)],
        "pressures": [{"id": "plain", "anchor": "Well?"}, *({"id": f"p{i}", "anchor": f"{i}?"} for i in range(9_999))],
    }
    with pytest.raises(StoryFileError, match="come to 150,000,000 cells"):
        decode_matrix(msgspec.json.encode(matrix), "matrix.yaml")


@pytest.mark.parametrize(
    ("before", "after", "why"),
    [
        ("must_include: [sensor]", "must_include: [message]", "`message` is nothing that maelin can see"),
        ("must_include: [sensor]", "must_include: [heater_dead]", "`heater_dead` is superseded there"),
        ("must_include: [sensor]", "must_include: [sensor.7]", "`sensor.7` is no entry"),
    ],
)
def test_what_no_speaker_could_pass_is_found(before, after, why):
    assert checked(TEXT) == []
    found = checked(TEXT.replace(before, after))
    assert {(d, p) for d, p, _ in found} == {("next_turn", "plain"), ("two_scenes", "plain")}
    assert all(why in reason for _, _, reason in found)


def test_another_branch_lacks_what_came_later():
    text = TEXT.replace("{id: two_scenes}", "{id: other_branch, branch_at: relay_fuse}")
    assert checked(text) == [("other_branch", "plain", "`sensor` has not happened there")]


def test_the_commands_say_it_all(tmp_path):
    for name in ("world.yaml", "history.yaml"):
        (tmp_path / name).write_bytes((STORY / name).read_bytes())
    file = tmp_path / "matrix.yaml"
    file.write_text(TEXT)
    run = CliRunner()
    good = run.invoke(main, ["probe", "lint", str(file), "--json"])
    assert good.exit_code == 0
    assert msgspec.json.decode(good.output)["ok"]
    plan = msgspec.json.decode(run.invoke(main, ["probe", "plan", str(file), "--repeats", "3", "--json"]).output)
    assert (plan["cells"], plan["attempts"], plan["skipped"]) == (6, 18, 0)
    file.write_text(TEXT.replace("[sensor]", "[sensr]"))
    bad = run.invoke(main, ["probe", "lint", str(file), "--json"])
    assert bad.exit_code == 2
    assert "did you mean" in msgspec.json.decode(bad.output)["problems"][0]


@pytest.mark.parametrize("name", ["matrix", "world", "history"])
def test_each_file_has_a_schema(name):
    made = msgspec.json.decode(CliRunner().invoke(main, ["schema", name]).output)
    assert made["$defs"]
