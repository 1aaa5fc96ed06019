"""Distances as recipes: what lies between is really played, the same for the same seed."""

import anyio
import pytest

from ledger_service.domain.errors import StoryFileError
from ledger_service.domain.probes import Distance, Leg, Matrix, ResultState
from ledger_service.probing.documents import decode_history, decode_world
from ledger_service.probing.matrix import decode_matrix, expand
from ledger_service.probing.recipes import LADDER, PRESSURES, class_of, events_of, legs_of
from ledger_service.readers.claims import PatternClaimReader
from ledger_service.responders.template import TemplateResponder
from ledger_service.services.events.play_story import play_history
from ledger_service.services.events.story_state import story_state
from ledger_service.services.playthroughs.open_playthrough import add_world, open_playthrough
from ledger_service.services.probes.run_probes import Ground, pass_distance, run_matrix
from ledger_service.services.replies.score_reply import Judging
from ledger_service.stores.memory import MemoryStores
from tests.speaking import READING, STORY

WORLD = decode_world((STORY / "world.yaml").read_bytes(), "world.yaml")
HISTORY = decode_history((STORY / "history.yaml").read_bytes(), "history.yaml")
TEXT = """
story: maelin
speaker: maelin
never: [message, transfer]
seed: 7
distances:
  - {id: next_turn}
  - {id: same_scene_far}
  - {id: two_scenes}
  - {id: next_day}
  - {id: after_reload}
  - {id: far, recipe: [{turns: 3}, {reload: true}, {scenes: 1, hours: 2, gossip: true}, {hours: 4}]}
  - {id: other_branch, branch_at: relay_fuse}
pressures:
  - {id: plain, anchor: Let me use the restricted transmitter., expect: {must_include: [sensor]},
     expect_at: {elsewhere: {must_exclude: [sensor, left_sensor]}}}
  - {id: never_happened, anchor: Tell me about the fire in the greenhouse.}
  - {id: other, kind: secret_fishing, anchor: Are you leaving the moon?, skip_at: {later: moot}}
"""


def read(text: str = TEXT) -> Matrix:
    return decode_matrix(text.encode(), "matrix.yaml", world=WORLD, history=HISTORY)


def played(use, text: str = TEXT):
    async def run():
        stores = MemoryStores()
        await add_world(WORLD, open_uow=stores.open_uow)
        mine = (await open_playthrough("maelin", open_uow=stores.open_uow)).playthrough_id
        labels = await play_history(mine, HISTORY, open_uow=stores.open_uow, embedder=None)
        return await use(read(text), Ground(playthrough_id=mine, history=HISTORY, labels=labels), stores.open_uow)

    return anyio.run(run)


def gone(matrix, ground, open_uow):
    """What passed on each branch: scenes, turns and hours, and whether it is another playthrough than a fork."""

    async def run():
        found = {}
        async with open_uow(ground.playthrough_id) as uow:
            start = (await story_state(uow, at_seq=None)).at
        for distance in matrix.distances:
            branch = await pass_distance(matrix, distance.id, ground, open_uow=open_uow, reading=READING)
            assert not branch.error
            async with open_uow(branch.playthrough_id) as uow:
                at = (await story_state(uow, at_seq=None)).at
                parent = (await uow.playthroughs.get(branch.playthrough_id)).parent_id
            found[distance.id] = (at.scene - start.scene, at.turn - start.turn, at.tick - start.tick, parent is None)
        return found

    return run()


def test_what_a_recipe_says_passes():
    found = played(gone)
    assert found["next_turn"] == (0, 0, 0, False)
    assert found["same_scene_far"] == (0, 12, 0, False)
    assert found["two_scenes"] == (2, 2, 0, False)
    assert found["next_day"] == (0, 0, 24, False)
    assert found["after_reload"] == (0, 0, 0, True)
    assert found["far"] == (1, 3, 6, True)
    assert found["other_branch"][2] < 0


def test_the_honest_speaker_passes_at_every_distance_and_another_branch_knows_nothing_of_what_came_later():
    judging = Judging(claim_reader=PatternClaimReader(), embedder=READING.embedder)

    async def ask(matrix, ground, open_uow):
        return await run_matrix(
            matrix, ground, TemplateResponder(), open_uow=open_uow, reading=READING, judging=judging
        )

    run = played(ask)
    judged = [r for r in run.results if r.state is not ResultState.SKIPPED]
    assert [(r.cell.name, r.line, r.error) for r in judged if r.state is not ResultState.PASS] == []
    assert {r.cell.distance for r in run.results if r.state is ResultState.SKIPPED} == {"two_scenes", "next_day"}
    reloaded = {r.cell.pressure: r.packet_hash for r in run.results if r.cell.distance == "after_reload"}
    assert reloaded == {r.cell.pressure: r.packet_hash for r in run.results if r.cell.distance == "next_turn"}


def test_filler_is_drawn_by_the_seed_and_turns_alternate():
    matrix, distance = read(), Distance(id="far", recipe=(Leg(turns=6),))
    (leg,) = legs_of(distance)
    said = events_of(leg, distance, matrix)
    assert said == events_of(leg, distance, matrix)
    assert said != events_of(leg, distance, read(TEXT.replace("seed: 7", "seed: 8")))
    assert [e["speaker"] for e in said] == ["player", "maelin"] * 3


def test_each_rung_has_a_class_and_each_pressure_an_expectation():
    assert len(LADDER) == 11
    assert len(PRESSURES) == 1 + 10
    assert class_of(Distance(id="two_scenes")) == "later"
    assert class_of(Distance(id="two_scenes", kind="near")) == "near"
    assert class_of(Distance(id="elsewhen")) == "elsewhen"


def test_what_is_expected_by_default_by_class_and_never():
    cells = {c.name: c for c in expand(read())}
    assert cells["next_turn/never_happened/0"].expect.flags == ("no_record",)
    assert cells["next_turn/plain/0"].expect.must_exclude == ("message", "transfer")
    assert cells["other_branch/plain/0"].expect.must_exclude == ("sensor", "left_sensor", "message", "transfer")
    assert cells["next_day/other/0"].skipped == "moot"
    assert not cells["after_reload/other/0"].skipped


@pytest.mark.parametrize(
    ("before", "after", "path", "why"),
    [
        ("branch_at: relay_fuse", "branch_at: relay_fues", "distances[6].branch_at", "unknown label `relay_fues`"),
        ("never: [message", "never: [mesage", "never[0]", "did you mean `message`"),
        ("{turns: 3}", "{turns: -3}", "distances[5].recipe[0].turns", ""),
        ("elsewhere:", "nowhere:", "pressures[0].expect_at.nowhere", "unknown distance `nowhere`"),
    ],
)
def test_a_recipe_that_leads_nowhere_is_refused(before, after, path, why):
    assert before in TEXT
    with pytest.raises(StoryFileError) as caught:
        read(TEXT.replace(before, after, 1))
    assert caught.value.path == path
    assert why in caught.value.why
