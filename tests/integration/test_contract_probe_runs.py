"""Runs of probes, in memory and in Postgres alike: planned, claimed, asked once, resumed, refused."""

import anyio
import pytest
from msgspec.structs import replace

from ledger_service.domain.errors import StoryFileError
from ledger_service.domain.probe_runs import Attempt, Branch, LostLease, RunSettings, RunState
from ledger_service.domain.probes import ResultState
from ledger_service.domain.rubric import Fault
from ledger_service.responders.template import TemplateResponder
from ledger_service.services.probes import probe_runs, work_run
from ledger_service.services.probes.ask_cell import NONDETERMINISM, PROVIDER
from ledger_service.services.probes.probe_runs import all_cells, find_or_add, plan
from ledger_service.services.probes.replay_cell import replay
from ledger_service.services.probes.run_ground import clear_ground, erase
from ledger_service.services.probes.stopping import BREAKS_AFTER, Stop
from ledger_service.services.probes.work_run import work
from tests.probing import Away, Fickle, a_desk, a_run, a_story, essence

pytestmark = pytest.mark.anyio


async def finished(stores, run, desk=None, **limits):
    stop = Stop(**limits)
    await work(run, desk or a_desk(stores), stop)
    return stop, await stores.probe_runs.progress(run.run_id)


async def test_a_run_asks_everything_once_and_adds_up(record):
    run = await a_run(record)
    _, progress = await finished(record, run)
    assert progress.adds_up
    assert progress.counts["pass"] == progress.planned == progress.tries
    assert progress.batches == progress.batches_done == 3
    cells = await all_cells(run.run_id, record.probe_runs)
    assert all(len(c.attempts) == 1 and c.packet_hash and c.attempts[0].line for c in cells)


async def test_the_same_command_goes_on_where_the_run_stopped(record):
    run = await a_run(record)
    stop, progress = await finished(record, run, most_tries=5)
    assert (stop.reason, progress.counts["pass"], progress.adds_up) == ("budget", 5, True)
    again = await a_run(record)
    assert again.run_id == run.run_id
    _, progress = await finished(record, again)
    assert progress.tries == progress.planned
    assert (await a_run(record)).run_id != run.run_id, "a finished run is not asked again"


async def test_a_halved_run_comes_to_the_same_as_a_whole_one(record):
    whole = await a_run(record)
    await finished(record, whole)
    halved = await a_run(record)
    for _ in range(4):
        await finished(record, halved, most_tries=7)
    await finished(record, halved)
    assert essence(await all_cells(whole.run_id, record.probe_runs)) == essence(
        await all_cells(halved.run_id, record.probe_runs)
    )


async def test_a_run_in_small_batches_comes_to_the_same_as_one_in_large_ones(record, monkeypatch):
    whole = await a_run(record, only=("next_turn", "two_scenes"))
    await finished(record, whole)
    monkeypatch.setattr(probe_runs, "MOST_IN_A_BATCH", 4)
    run = await a_run(record, only=("next_turn", "two_scenes"))
    _, progress = await finished(record, run)
    assert progress.batches == progress.batches_done > 2
    assert essence(await all_cells(whole.run_id, record.probe_runs)) == essence(
        await all_cells(run.run_id, record.probe_runs)
    )


async def test_a_world_that_was_edited_in_between_is_refused_with_both_hashes(record):
    story = a_story()
    run = await a_run(record, story)
    await finished(record, run, most_tries=2)
    edited = replace(story.world, title="Another title")
    now, cells = plan(edited, story.history, story.matrix, RunSettings())
    with pytest.raises(StoryFileError) as caught:
        await find_or_add(edited, now, cells, runs=record.probe_runs, open_uow=record.open_uow, fresh=False)
    assert run.world_version in str(caught.value)
    assert now.world_version in str(caught.value)
    other, is_known = await find_or_add(
        edited, now, cells, runs=record.probe_runs, open_uow=record.open_uow, fresh=True
    )
    assert (is_known, other.run_id == run.run_id) == (False, False)


async def test_a_matrix_that_was_edited_is_refused_too(record):
    story = a_story()
    await finished(record, await a_run(record, story), most_tries=2)
    pressure = replace(story.matrix.pressures[0], anchor="May I use the transmitter tonight?")
    matrix = replace(story.matrix, pressures=(pressure, *story.matrix.pressures[1:]))
    now, cells = plan(story.world, story.history, matrix, RunSettings())
    with pytest.raises(StoryFileError, match="was edited since"):
        await find_or_add(story.world, now, cells, runs=record.probe_runs, open_uow=record.open_uow, fresh=False)


async def test_a_provider_that_is_away_is_tried_again_and_then_left_alone(record):
    run = await a_run(record)
    stop, progress = await finished(record, run, a_desk(record, Away()))
    assert (stop.reason, progress.tries) == ("provider", BREAKS_AFTER)
    assert progress.adds_up
    assert progress.counts["pass"] + progress.counts["fail"] == 0
    tries = [a for c in await all_cells(run.run_id, record.probe_runs) for a in c.attempts]
    assert {(a.state, a.fault, a.subtype) for a in tries} == {(ResultState.ERROR, Fault.HARNESS, PROVIDER)}
    await record.probe_runs.ask_again(run.run_id, [ResultState.ERROR])
    _, progress = await finished(record, run)
    assert progress.counts["pass"] == progress.planned
    assert progress.tries == progress.planned + BREAKS_AFTER, "every try is kept"


async def test_a_repeatable_subject_that_flips_is_nondeterminism(record):
    run = await a_run(record, repeats=2, only=("next_turn/plain/0",))
    await finished(record, run, a_desk(record, Fickle(), repeatable=True))
    (cell,) = await all_cells(run.run_id, record.probe_runs)
    assert (cell.state, cell.attempts[1].subtype) == (ResultState.FAIL, NONDETERMINISM)


async def test_repeats_are_kept_one_by_one_and_adaptive_ones_stop_when_decided(record):
    run = await a_run(record, repeats=9, adaptive=True, only=("next_turn/plain/0",))
    _, progress = await finished(record, run, most_tries=2)
    assert progress.counts["pending"] == 1
    _, progress = await finished(record, run)
    assert (progress.counts["pass"], progress.tries) == (1, 4)


async def test_whoever_lost_the_batch_cannot_write(record):
    run = await a_run(record, only=("next_turn/plain/0",))
    async with record.probe_runs.claim(run.run_id) as lease:
        (cell,) = await lease.open_cells()
        attempt = Attempt(repeat=1, state=ResultState.PASS)
        await lease.keep([(replace(cell, state=ResultState.ERROR), replace(attempt, state=ResultState.ERROR))])
        await record.probe_runs.ask_again(run.run_id, [ResultState.ERROR])
        with pytest.raises(LostLease):
            await lease.keep([(replace(cell, state=ResultState.PASS), replace(attempt, attempt=2))])
        with pytest.raises(LostLease):
            await lease.keep_branch(Branch())
        with pytest.raises(LostLease):
            await lease.finish()
    progress = await record.probe_runs.progress(run.run_id)
    assert (progress.counts["pending"], progress.tries) == (1, 1)


async def test_a_cell_that_has_come_to_something_is_not_written_again(record):
    run = await a_run(record, only=("next_turn/plain/*",))
    async with record.probe_runs.claim(run.run_id) as lease:
        cell = (await lease.open_cells())[0]
        await lease.keep([(replace(cell, state=ResultState.PASS), Attempt(repeat=1, state=ResultState.PASS))])
        with pytest.raises(LostLease):
            await lease.keep([(replace(cell, state=ResultState.FAIL), Attempt(repeat=2, state=ResultState.FAIL))])
        with pytest.raises(LostLease):
            await lease.finish()
    assert (await record.probe_runs.progress(run.run_id)).tries == 1


async def test_a_batch_is_held_by_one_and_free_when_let_go(record):
    run = await a_run(record, only=("next_turn/plain/0",))
    async with record.probe_runs.claim(run.run_id) as first, record.probe_runs.claim(run.run_id) as second:
        numbers = [lease.batch_no for lease in (first, second) if lease is not None]
        assert len(set(numbers)) == len(numbers)
    async with record.probe_runs.claim(run.run_id) as again:
        assert again is not None
        assert again.fence == first.fence + 1


async def test_a_paused_run_is_claimed_by_nobody(record):
    run = await a_run(record)
    await record.probe_runs.set_state(run.run_id, RunState.PAUSED)
    async with record.probe_runs.claim(run.run_id) as lease:
        assert lease is None
    await work(run, a_desk(record), Stop())
    assert (await record.probe_runs.progress(run.run_id)).tries == 0
    assert (await a_run(record)).state is RunState.ACTIVE, "the same command goes on"


@pytest.mark.parametrize("turn", range(10))
async def test_two_at_once_never_finish_the_same_repeat(record, turn):
    run = await a_run(record, only=("*/plain", "*/owner_swap"))
    async with anyio.create_task_group() as tasks:
        for _ in range(2):
            tasks.start_soon(work, run, a_desk(record), Stop())
    progress = await record.probe_runs.progress(run.run_id)
    assert progress.tries == progress.planned == progress.counts["pass"]


async def test_a_replay_is_the_very_cell_and_changes_nothing(record):
    run = await a_run(record, only=("two_scenes/owner_swap",))
    await finished(record, run)
    before = await all_cells(run.run_id, record.probe_runs)
    again = await replay(run, before[1], a_desk(record))
    assert again.frozen.packet.hash == before[1].packet_hash
    assert again.attempt.line == before[1].attempts[0].line
    assert await all_cells(run.run_id, record.probe_runs) == before


async def test_nothing_is_left_of_a_cleared_run_but_what_it_came_to(record):
    run = await a_run(record)
    await finished(record, run, most_tries=2)
    await clear_ground(run, a_desk(record))
    async with record.open_uow() as uow:
        assert await uow.playthroughs.list_all() == []


async def test_a_branch_that_was_erased_is_prepared_anew(record):
    run = await a_run(record, only=("next_turn",))
    await finished(record, run, most_tries=3)
    async with record.open_uow() as uow:
        branches = [p for p in await uow.playthroughs.list_all() if p.parent_id is not None]
    assert branches
    for branch in branches:
        await erase(branch.playthrough_id, a_desk(record))
    _, progress = await finished(record, run)
    assert progress.counts["pass"] == progress.planned == progress.tries


async def test_a_run_that_is_ended_under_a_worker_keeps_what_it_came_to(record, monkeypatch):
    monkeypatch.setattr(work_run, "AT_A_TIME", 4)
    run = await a_run(record, only=("next_turn",))

    class Ending(TemplateResponder):
        asked = 0

        async def reply(self, packet, world):
            self.asked += 1
            if self.asked == 3:
                await record.probe_runs.set_state(run.run_id, RunState.CANCELLED)
                await clear_ground(run, a_desk(record))
            return await super().reply(packet, world)

    _, progress = await finished(record, run, a_desk(record, Ending()))
    assert progress.adds_up
    assert (progress.counts["pass"], progress.counts["error"]) == (4, 0)
    async with record.open_uow() as uow:
        assert await uow.playthroughs.list_all() == []


async def test_a_cell_that_expects_what_is_not_there_is_a_defect_of_the_probe(record):
    story = a_story()
    pressure = story.matrix.pressures[0]
    wrong = replace(pressure, expect=replace(pressure.expect, must_include=("antenna.9",)), expect_at={})
    run = await a_run(record, replace(story, matrix=replace(story.matrix, pressures=(wrong,))))
    _, progress = await finished(record, run)
    assert progress.faults == {"probe_defect": progress.counts["error"]}
    assert progress.adds_up
