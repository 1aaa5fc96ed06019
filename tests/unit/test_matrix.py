"""Matrices: read, held against their story, expanded, and asked on branches of the played story."""

from collections import Counter

import anyio
import pytest
from msgspec.structs import replace

from ledger_service.domain.errors import ContentError, StoreUnavailableError, StoryFileError
from ledger_service.domain.probes import Expectation, Matrix, ResultState
from ledger_service.domain.rubric import Fault
from ledger_service.probing.documents import decode_history, decode_world
from ledger_service.probing.matrix import decode_matrix, expand
from ledger_service.probing.tally import tally
from ledger_service.readers.claims import PatternClaimReader
from ledger_service.responders.scripted import ScriptedResponder
from ledger_service.responders.template import TemplateResponder
from ledger_service.services.events.play_story import play_history
from ledger_service.services.playthroughs.open_playthrough import add_world, open_playthrough
from ledger_service.services.probes.run_probes import Ground, gold_of, run_matrix
from ledger_service.services.replies.score_reply import Judging
from ledger_service.stores.memory import MemoryStores
from tests.speaking import READING, STORY

TEXT = (STORY / "demo.yaml").read_text(encoding="utf-8")
WORLD = decode_world((STORY / "world.yaml").read_bytes(), "world.yaml")
HISTORY = decode_history((STORY / "history.yaml").read_bytes(), "history.yaml")
JUDGING = Judging(claim_reader=PatternClaimReader(), embedder=READING.embedder)
CLASSIC = ("plain", "false_completion", "owner_swap", "provenance_promotion")


def read(text: str = TEXT) -> Matrix:
    return decode_matrix(text.encode(), "matrix.yaml", world=WORLD, history=HISTORY)


def altered(before: str, after: str) -> str:
    assert before in TEXT
    return TEXT.replace(before, after, 1)


# ---- reading


@pytest.mark.parametrize(
    ("before", "after", "path", "why"),
    [
        ("must_exclude: [message", "must_exlude: [message", "pressures[0].expect.must_exlude",
         "did you mean `must_exclude`?"),
        ("id: plain", "id: plane", "pressures", "the control `plain` is missing"),
        ("id: owner_swap", "id: false_completion", "pressures[2].id", "`false_completion` stands here twice"),
        ("id: two_scenes", "id: next_turn", "distances[1].id", "`next_turn` stands here twice"),
        ("The sensor is back. Now the transmitter, please.", "Let me use the restricted  TRANSMITTER.",
         "pressures[1].paraphrases[0]", "stands already in `plain`"),
        ("after_resolution:\n        must_include: [sensor, conf", "after_all:\n        must_include: [sensor, conf",
         "pressures[0].expect_at.after_all", "unknown distance `after_all`"),
        ("speaker: maelin", "speaker: mealin", "speaker", "unknown speaker `mealin`; did you mean `maelin`?"),
        ("listener: player", "listener: nobody", "listener", "unknown listener `nobody`"),
        ("story: maelin", "story: village", "story", "unknown story `village`"),
        ("flags: [contradiction]", "flags: [contradicton]", "pressures[0].expect.flags[0]",
         "did you mean `contradiction`"),
        ("flags_must_exclude: [false_premise]", "flags_must_exclude: [premise]",
         "pressures[1].expect_at.after_resolution.flags_must_exclude[0]", "unknown flag `premise`"),
        ("hours: 10", "hors: 10", "distances[1].events[1].hors", "did you mean `hours`?"),
        ("{kind: time_passed", "{kind: time_past", "distances[1].events[1].kind", "did you mean `time_passed`?"),
        ("must_include: [sensor, confession.2, left_sensor]", "must_include: [sensr]",
         "pressures[1].expect.must_include[0]", "at next_turn, `sensr` is the label of no event; did you mean"),
        ("must_include: [sensor, confession.2, left_sensor]", "must_include: [brought_back]",
         "pressures[1].expect.must_include[0]", "at next_turn, `brought_back` is the label of no event"),
        ("must_include: [sensor, confession.2, left_sensor]", "must_include: [sensor.0]",
         "pressures[1].expect.must_include[0]", "matching regex"),
        ("must_include: [sensor, confession.2, left_sensor]", "must_include: [message]",
         "pressures[1].expect.must_exclude", "`message` cannot be both included and excluded"),
        ("    faulty: Yes, I checked", "    skip_at: {two_scenes: ' '}\n    faulty: Yes, I checked",
         "pressures[3].skip_at.two_scenes", "skipped for a reason"),
        ("anchor: Let me use the restricted transmitter.", "anchor: ' '", "pressures[0].anchor", "expected text"),
    ],
)  # fmt: skip
def test_a_matrix_that_cannot_be_asked_is_refused_where_it_is_wrong(before, after, path, why):
    with pytest.raises(StoryFileError) as caught:
        read(altered(before, after))
    assert caught.value.path == path
    assert why in caught.value.why
    assert str(caught.value).startswith("matrix.yaml:")


def test_a_label_need_not_be_known_where_it_is_not_asked():
    skipped = "    skip_at: {next_turn: moot, two_scenes: moot}\n    faulty: Yes, I checked"
    text = altered("    faulty: Yes, I checked", skipped)
    read(text.replace("must_include: [antenna]", "must_include: [antenna, brought_back]"))
    with pytest.raises(StoryFileError, match="at next_turn, `brought_back` is the label of no event"):
        read(TEXT.replace("must_include: [antenna]", "must_include: [antenna, brought_back]"))


def test_without_a_history_labels_are_left_open():
    decode_matrix(altered("[sensor, confession.2, left_sensor]", "[elsewhere]").encode(), "matrix.yaml")


# ---- expanding


def test_every_distance_meets_every_pressure_in_every_wording():
    matrix = read()
    cells = expand(matrix)
    assert len(cells) == len({c.name for c in cells}) == 3 * 4 * 3
    assert tuple(p.id for p in matrix.pressures) == CLASSIC
    assert {c.line for c in cells if c.name == "two_scenes/owner_swap/0"} == {
        "You promised to bring me the sensor, and I still need the transmitter."
    }


def test_what_is_expected_may_depend_on_the_distance():
    cells = {c.name: c for c in expand(read())}
    assert cells["next_turn/false_completion/1"].expect.flags == ("false_premise:sensor",)
    assert cells["after_resolution/false_completion/1"].expect.flags == ()
    assert cells["after_resolution/false_completion/1"].expect.flags_must_exclude == ("false_premise",)


def test_a_combination_without_sense_keeps_its_reason():
    skipped = read(altered("    faulty: Yes, I checked", "    skip_at: {two_scenes: moot}\n    faulty: Yes, I checked"))
    cells = [c for c in expand(skipped) if c.skipped]
    assert [(c.name, c.skipped) for c in cells] == [(f"two_scenes/provenance_promotion/{i}", "moot") for i in range(3)]


def test_a_label_with_a_number_is_that_entry_of_its_event():
    labels = {"said": ("e1", "e2"), "gone": ()}
    gold = gold_of(Expectation(must_include=("said.2",), must_exclude=("said",)), labels)
    assert gold.must_include == ("e2",)
    assert list(gold.must_exclude) == ["e1"]
    for name in ("said.3", "gone", "unheard"):
        with pytest.raises(ContentError, match="is no entry"):
            gold_of(Expectation(must_include=(name,)), labels)


# ---- asking


async def the_ground(stores: MemoryStores) -> Ground:
    version = await add_world(WORLD, open_uow=stores.open_uow)
    opened = await open_playthrough(version, open_uow=stores.open_uow)
    mine = opened.playthrough_id
    labels = await play_history(mine, HISTORY, open_uow=stores.open_uow, embedder=READING.embedder)
    return Ground(playthrough_id=mine, history=HISTORY, labels=labels)


def asked(matrix: Matrix, responder, *, open_uow=None, seen=None):
    async def ask():
        stores = MemoryStores()
        ground = await the_ground(stores)
        run = await run_matrix(
            matrix, ground, responder, open_uow=open_uow(stores) if open_uow else stores.open_uow, reading=READING,
            judging=JUDGING, progress=lambda r: seen.append(r) if seen is not None else None,
        )  # fmt: skip
        async with stores.open_uow(ground.playthrough_id) as uow:
            return run, ground, (await uow.playthroughs.state()).seq

    return anyio.run(ask)


def test_the_template_speaker_holds_everywhere_and_the_story_itself_stays_untouched():
    seen = []
    run, ground, seq = asked(read(), TemplateResponder(), seen=seen)
    assert [(r.cell.name, r.scorecard.evidence) for r in run.results if r.state is not ResultState.PASS] == []
    assert (run.planned, len(run.results), len(seen)) == (36, 36, 36)
    assert len({r.playthrough_id for r in run.results}) == 3
    assert ground.playthrough_id not in {r.playthrough_id for r in run.results}
    assert seq == len(HISTORY.steps)


def test_the_faulty_speaker_is_found_out_at_the_stage_that_is_at_fault():
    matrix = read()
    lines = {line: p.faulty for p in matrix.pressures for line in (p.anchor, *p.paraphrases)}
    run, _, _ = asked(matrix, ScriptedResponder(lines))
    faults = Counter((r.cell.pressure, str(r.fault)) for r in run.results if r.cell.distance == "next_turn")
    assert set(faults) == {(p, "generation") for p in CLASSIC}
    assert run.subject == "scripted"
    found = tally(run)
    assert found.adds_up
    assert not found.passed


def test_a_distance_that_cannot_pass_is_an_error_of_its_own_cells():
    broken = read(altered("{kind: time_passed, hours: 10}", "{kind: moved, who: maelin, to: atlantis}"))
    run, _, _ = asked(broken, TemplateResponder())
    by_distance = {d: {r.state for r in run.results if r.cell.distance == d} for d in ("next_turn", "two_scenes")}
    assert by_distance == {"next_turn": {ResultState.PASS}, "two_scenes": {ResultState.ERROR}}
    errors = [r for r in run.results if r.state is ResultState.ERROR]
    assert {r.fault for r in errors} == {Fault.PROBE_DEFECT}
    assert all("maelin/matrix.yaml: distances[1].events[1]" in r.error and "atlantis" in r.error for r in errors)
    assert tally(run).adds_up


def test_a_label_without_so_many_entries_is_a_defect_of_the_probe():
    matrix = read(altered("must_include: [sensor, confession.2, left_sensor]", "must_include: [sensor.9]"))
    run, _, _ = asked(matrix, TemplateResponder())
    states = Counter((r.state, r.fault) for r in run.results)
    assert states[ResultState.ERROR, Fault.PROBE_DEFECT] == 6
    assert states[ResultState.PASS, Fault.NONE] == 30


def test_a_speaker_that_the_world_does_not_know_is_an_error_of_the_harness():
    run, _, _ = asked(replace(read(), speaker="nobody"), TemplateResponder())
    assert {(r.state, r.fault) for r in run.results} == {(ResultState.ERROR, Fault.HARNESS)}
    assert "nobody" in run.results[0].error


def test_a_store_that_goes_away_ends_the_run():
    def away(stores):
        def open_uow(playthrough_id=None):
            raise StoreUnavailableError("it was stopped")

        return open_uow

    with pytest.raises(StoreUnavailableError):
        asked(read(), TemplateResponder(), open_uow=away)


def test_skipped_cells_are_counted_and_not_asked():
    matrix = read(altered("    faulty: Yes, I checked", "    skip_at: {two_scenes: moot}\n    faulty: Yes, I checked"))
    run, _, _ = asked(matrix, TemplateResponder())
    assert tally(run).counts["skipped"] == 3
    assert tally(run).adds_up
    assert {r.error for r in run.results if r.state is ResultState.SKIPPED} == {"moot"}
    assert all(not r.line for r in run.results if r.state is ResultState.SKIPPED)
