"""Batches: all or nothing, once for each key, chained."""

import anyio
import pytest

from ledger_service.domain.errors import (
    DuplicateKeyError,
    SequenceTakenError,
    UndeclaredError,
    UnknownPlaythroughError,
)
from ledger_service.domain.events import Deed, EventReceipt, Happened, Moved, Outcome, RelationshipChanged, TimePassed
from ledger_service.recording.chain import check_chain
from ledger_service.services.events.record_event import record_events
from tests.builders import PlainEmbedder
from tests.playing import Play

WAVES = Deed(key="k1", actor="maelin", statement="maelin waves")
NODS = Deed(key="k2", actor="maelin", statement="maelin nods")


def test_a_batch_is_written_whole_or_not_at_all() -> None:
    play = Play()
    before = play.state()
    with pytest.raises(UndeclaredError):
        play.record(WAVES, NODS, Happened(name="never_declared"))
    assert (play.state(), play.all(), play.history()) == (before, ((), ()), [])
    assert play.ask(lambda uow: uow.events.find_by_keys(["k1", "k2"])) == {}


def test_a_retried_batch_gives_its_first_receipts_and_writes_nothing() -> None:
    play = Play()
    first = play.record(WAVES, NODS)
    state, ledger = play.state(), play.all()
    again = play.record(WAVES, NODS)
    assert [r.outcome for r in again] == [Outcome.UNCHANGED, Outcome.UNCHANGED]
    assert [(r.seq, r.entries) for r in again] == [(r.seq, r.entries) for r in first]
    assert (play.state(), play.all()) == (state, ledger)


def test_a_batch_that_overlaps_writes_only_what_is_new() -> None:
    play = Play()
    play.record(WAVES)
    receipts = play.record(WAVES, NODS)
    assert [(r.seq, r.outcome) for r in receipts] == [(1, Outcome.UNCHANGED), (2, Outcome.CREATED)]


def test_a_key_twice_in_one_batch_is_written_once() -> None:
    play = Play()
    assert [r.seq for r in play.record(WAVES, WAVES)] == [1, 1]
    assert play.state().seq == 1


def test_a_key_with_other_content_refuses_the_whole_batch() -> None:
    play = Play()
    play.record(WAVES)
    with pytest.raises(DuplicateKeyError, match="k1"):
        play.record(NODS, Deed(key="k1", actor="maelin", statement="maelin sings"))
    assert play.state().seq == 1


def test_the_same_content_built_otherwise_is_the_same_content() -> None:
    play = Play()
    stance = {"key": "k", "who": "maelin", "towards": "player", "statement": "better", "scope": "honesty"}
    play.record(RelationshipChanged(**stance, amount=1), Deed(key="d", actor="maelin", statement="x", about=["a"]))  # type: ignore[arg-type]
    again = play.record(
        RelationshipChanged(**stance, amount=1.0), Deed(key="d", actor="maelin", statement="x", about=("a",))
    )
    assert [r.outcome for r in again] == [Outcome.UNCHANGED, Outcome.UNCHANGED]


def test_events_without_a_key_are_written_each_time() -> None:
    play = Play()
    play.record(TimePassed(hours=1), TimePassed(hours=1))
    assert play.state().at.tick == 2


def test_who_expects_another_end_of_the_history_is_refused() -> None:
    play = Play()
    play.record(WAVES, expected_seq=0)
    with pytest.raises(SequenceTakenError):
        play.record(NODS, expected_seq=0)
    assert play.state().seq == 1
    assert play.record(NODS, expected_seq=1)[0].seq == 2


def test_a_retry_may_still_expect_the_end_that_it_first_expected() -> None:
    play = Play()
    play.record(WAVES, expected_seq=0)
    assert play.record(WAVES, expected_seq=0)[0].outcome is Outcome.UNCHANGED


def test_a_playthrough_that_is_not_there() -> None:
    play = Play()
    play.playthrough_id = "nowhere"
    with pytest.raises(UnknownPlaythroughError):
        play.record(WAVES)


def test_events_are_chained_to_the_one_before() -> None:
    play = Play()
    play.record(WAVES, Moved(who="maelin", to="mast"))
    play.record(NODS)
    history = play.history()
    assert check_chain(history) == play.state().head == history[-1].hash
    assert len({e.hash for e in history}) == 3


def test_ids_and_hashes_do_not_depend_on_the_playthrough() -> None:
    one, other = Play(), Play()
    assert one.playthrough_id != other.playthrough_id
    one.record(WAVES, NODS)
    other.record(WAVES)
    other.record(NODS)
    assert one.history() == other.history()
    assert one.all() == other.all()


def test_meanings_are_worked_out_in_one_call_for_an_event_and_stored() -> None:
    play = Play()
    play.record(WAVES)
    assert play.embedder.calls == 1
    assert [e.embedding for e in play.all()[0]] == [b"mael"]
    play.record(TimePassed(hours=1))
    assert play.embedder.calls == 1


def test_what_was_written_waits_for_the_mirror_and_a_refused_batch_leaves_nothing_there() -> None:
    play = Play()
    play.record(WAVES, NODS)
    with pytest.raises(UndeclaredError):
        play.record(TimePassed(hours=1), Happened(name="never_declared"))
    assert len(anyio.run(play.stores.mirror_queue.take)) == 1


def test_twenty_clients_with_the_same_batch_leave_one_copy() -> None:
    play = Play()
    came_back: list[tuple[EventReceipt, ...]] = []

    async def post() -> None:
        came_back.append(
            await record_events(
                play.playthrough_id, [WAVES, NODS], open_uow=play.stores.open_uow, embedder=PlainEmbedder()
            )
        )

    async def all_at_once() -> None:
        async with anyio.create_task_group() as clients:
            for _ in range(20):
                clients.start_soon(post)

    anyio.run(all_at_once)
    assert play.state().seq == 2
    assert len(play.all()[0]) == 2
    assert {tuple(r.seq for r in receipts) for receipts in came_back} == {(1, 2)}
    assert sum(r.outcome is Outcome.CREATED for receipts in came_back for r in receipts) == 2
