"""A playthrough as one document: whole, sealed, and the same on the other side."""

import asyncio
import itertools
from typing import Any

import anyio
import msgspec
import pytest

from ledger_service.domain.errors import (
    DuplicateNameError,
    MalformedError,
    ProvenanceCycleError,
    TamperedError,
    UnknownPlaythroughError,
)
from ledger_service.domain.events import CommitmentFulfilled, CommitmentMade, Deed, Outcome, Told, WorldChanged
from ledger_service.domain.ids import digest
from ledger_service.recording.chain import canonical, link
from ledger_service.services.playthroughs.open_playthrough import add_world, load_save, save_point
from ledger_service.services.playthroughs.transfer_playthrough import (
    ExportedPlaythrough,
    export_playthrough,
    import_playthrough,
)
from ledger_service.stores.memory import MemoryStores
from tests.builders import PlainEmbedder, a_slot, a_world
from tests.playing import Play


def a_story() -> Play:
    play = Play()
    (seen,) = play.left_by(
        Deed(key="k", actor="maelin", statement="maelin fixes it", witnesses=(), slot=a_slot("relay", "is", "whole"))
    )
    play.record(
        Told(teller="maelin", listener="orla", entry_id=seen.entry_id, statement="maelin fixes it"),
        CommitmentMade(owner="player", to="maelin", name="s", statement="will"),
        CommitmentFulfilled(commitment="s"),
    )
    asyncio.run(save_point(play.playthrough_id, "door", open_uow=play.stores.open_uow, at_seq=2))
    return play


def carried_out(play: Play) -> bytes:
    return asyncio.run(export_playthrough(play.playthrough_id, open_uow=play.stores.open_uow))


def taken_in(document: bytes, stores: MemoryStores | None = None, playthrough_id: str | None = None) -> Play:
    stores = stores or MemoryStores()
    made = asyncio.run(
        import_playthrough(
            document, open_uow=stores.open_uow, embedder=PlainEmbedder(), playthrough_id=playthrough_id
        )
    )  # fmt: skip
    return Play(stores=stores, playthrough_id=made.playthrough_id)


def test_what_is_taken_in_is_what_was_carried_out() -> None:
    play = a_story()
    there = taken_in(carried_out(play))
    assert there.history() == play.history()
    assert there.all() == play.all()
    assert there.tellings() == play.tellings()
    assert there.state() == play.state()
    assert carried_out(there) == carried_out(play)


def test_it_goes_on_from_there_just_as_it_would_have_here() -> None:
    play = a_story()
    there = taken_in(carried_out(play))
    after = Deed(actor="maelin", statement="it broke again", slot=a_slot("relay", "is", "broken"))
    assert there.record(after) == play.record(after)
    assert there.state().head == play.state().head


def test_a_repeat_still_gets_its_first_answer() -> None:
    play = a_story()
    again = Deed(
        key="k", actor="maelin", statement="maelin fixes it", witnesses=(), slot=a_slot("relay", "is", "whole")
    )
    (receipt,) = taken_in(carried_out(play)).record(again)
    assert receipt.outcome is Outcome.UNCHANGED
    assert [e.statement for e in receipt.entries] == ["maelin fixes it"]


def test_saves_come_along() -> None:
    there = taken_in(carried_out(a_story()))
    loaded = asyncio.run(load_save(there.playthrough_id, "door", open_uow=there.stores.open_uow))
    assert loaded.forked_at_seq == 2


def test_a_branch_is_carried_out_with_the_past_that_it_shares() -> None:
    play = a_story()
    branch = play.fork(at_seq=2)
    branch.record(Deed(actor="orla", statement="orla leaves"))
    there = taken_in(carried_out(branch))
    assert there.history() == branch.history()
    assert there.all() == branch.all()
    assert there.ask(lambda uow: uow.playthroughs.get(there.playthrough_id)).parent_id is None


def test_every_version_of_the_world_comes_along() -> None:
    play = a_story()
    newer = play.ask(lambda _: add_world(a_world(title="Later"), open_uow=play.stores.open_uow))
    play.record(WorldChanged(world_version=newer))
    there = taken_in(carried_out(play))
    assert there.state() == play.state()
    assert len(there.ask(lambda uow: uow.worlds.list_versions())) == 2


def test_what_is_taken_in_waits_for_the_mirror_here() -> None:
    there = taken_in(carried_out(a_story()))
    waiting = anyio.run(there.stores.mirror_queue.take)
    assert sum(len(item.batch.entries) for item in waiting) == 3
    assert sum(len(item.batch.tellings) for item in waiting) == 1


def test_an_id_that_is_taken_is_refused() -> None:
    play = a_story()
    with pytest.raises(DuplicateNameError):
        taken_in(carried_out(play), play.stores, play.playthrough_id)


def _changed(document: bytes, change: str) -> bytes:
    raw: dict[str, Any] = msgspec.json.decode(document)
    match change:
        case "an event's words":
            raw["events"][0]["event"]["statement"] = "maelin breaks it"
        case "an event's hash":
            raw["events"][1]["hash"] = "0" * 32
        case "an event's time":
            raw["events"][1]["at"]["tick"] = 7
        case "an event left out":
            del raw["events"][1]
        case "two events swapped":
            raw["events"][0], raw["events"][1] = raw["events"][1], raw["events"][0]
        case "an entry's confidence":
            raw["entries"][1]["confidence"] = 0.99
        case "an entry's knowers":
            raw["entries"][0]["knowers"].append({"who": "brun"})
        case "an amendment left out":
            raw["amendments"] = []
        case "a save moved":
            raw["saves"][0]["seq"] = 1
        case "the world":
            raw["worlds"][0]["title"] = "Elsewhere"
    return msgspec.json.encode(raw)


@pytest.mark.parametrize(
    "change",
    [
        "an event's words", "an event's hash", "an event's time", "an event left out", "two events swapped",
        "an entry's confidence", "an entry's knowers", "an amendment left out", "a save moved", "the world",
    ],
)  # fmt: skip
def test_a_tampered_document_is_refused_and_nothing_of_it_kept(change: str) -> None:
    document = carried_out(a_story())
    stores = MemoryStores()
    with pytest.raises(TamperedError):
        taken_in(_changed(document, change), stores, "p1")
    with pytest.raises(UnknownPlaythroughError):
        Play(stores=stores, playthrough_id="p1").state()


@pytest.mark.parametrize("document", [b"", b"nonsense", b"[]", b"{}", b'{"format": 1}', b'{"format": 2}', b"\xff\xfe"])
def test_a_document_that_is_no_export(document: bytes) -> None:
    with pytest.raises(MalformedError):
        taken_in(document)


@pytest.mark.parametrize("change", ["an event's words", "an event's hash", "an event left out", "two events swapped"])
def test_a_new_seal_does_not_mend_a_broken_chain(change: str) -> None:
    raw = msgspec.json.decode(_changed(carried_out(a_story()), change))
    raw["seal"] = ""
    bare = msgspec.convert(raw, ExportedPlaythrough)
    mended = msgspec.structs.replace(bare, seal=digest(canonical(bare).decode()))
    with pytest.raises(TamperedError, match=r"^event"):
        taken_in(canonical(mended))


def test_a_time_that_does_not_follow_from_the_history_is_refused_though_everything_is_sealed_anew() -> None:
    document = msgspec.json.decode(carried_out(a_story()), type=ExportedPlaythrough)
    head, events = "", []
    for recorded in document.events:
        late = msgspec.structs.replace(recorded.at, tick=recorded.at.tick + 1)
        events.append(link(recorded.event, seq=recorded.seq, at=late, head=head))
        head = events[-1].hash
    forged = msgspec.structs.replace(document, events=tuple(events), seal="")
    sealed = msgspec.structs.replace(forged, seal=digest(canonical(forged).decode()))
    with pytest.raises(TamperedError, match="its time does not follow"):
        taken_in(canonical(sealed))


@pytest.mark.parametrize("hops", [1, 2, 30])
def test_what_goes_round_in_a_ring_is_refused_however_well_it_is_sealed(hops: int) -> None:
    exported = msgspec.json.decode(carried_out(a_story()), type=ExportedPlaythrough)
    (told,) = exported.tellings
    ids = ["x0", *(f"x{n}" for n in range(1, hops)), "x0"]
    ring = [
        msgspec.structs.replace(told, telling_id=f"t{n}", from_entry=a, to_entry=b)
        for n, (a, b) in enumerate(itertools.pairwise(ids))
    ]
    forged = msgspec.structs.replace(exported, tellings=(told, *ring), seal="")
    sealed = msgspec.structs.replace(forged, seal=digest(canonical(forged).decode()))
    with pytest.raises(ProvenanceCycleError, match="would rest on itself"):
        taken_in(canonical(sealed))
