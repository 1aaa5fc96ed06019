"""What a write leaves for the graph, and how batches are put together and cut."""

from ledger_service.domain.mirror import MirrorBatch, merged, slices
from ledger_service.domain.rumours import Telling
from ledger_service.domain.visibility import Knower
from ledger_service.recording.mirror import mirror_batch
from tests.builders import ONE_OF_EACH, a_hearsay, an_observation, known_by


def a_telling(number: int) -> Telling:
    return Telling(
        telling_id=f"t{number}",
        from_entry="e1",
        to_entry="e2",
        teller="tomas",
        listener="pip",
        origin="e1",
        seq=1,
        tick=1,
    )


def test_entries_of_every_kind_are_mirrored() -> None:
    batch = mirror_batch(ONE_OF_EACH, ())
    assert [e.kind for e in batch.entries] == [
        "observation", "hearsay", "commitment", "relationship_delta", "emotional_residue", "contradiction",
    ]  # fmt: skip


def test_a_holders_own_confidence_wins_over_the_entrys() -> None:
    knowers = (Knower(who="pip", confidence=0.25), Knower(who="tomas"))
    (entry,) = mirror_batch([an_observation(knowers=knowers, confidence=0.5)], ()).entries
    assert entry.holders == {"pip": 250_000, "tomas": 500_000}


def test_only_those_who_were_there_are_witnesses() -> None:
    knowers = (*known_by("tomas"), Knower(who="ilsa", how="told_by"))
    (entry,) = mirror_batch([an_observation(knowers=knowers)], ()).entries
    assert entry.witnesses == ("tomas",)


def test_a_retelling_goes_back_to_its_root() -> None:
    (entry,) = mirror_batch([a_hearsay(origin="e9", hops=3)], ()).entries
    assert (entry.origin, entry.hops) == ("e9", 3)


def test_batches_are_merged_in_order() -> None:
    first, second = mirror_batch([an_observation(seq=1)], [a_telling(1)]), mirror_batch([an_observation(seq=2)], ())
    both = merged([first, second])
    assert both.entries == (*first.entries, *second.entries)
    assert both.tellings == first.tellings
    assert not both.anew


def test_a_large_batch_is_cut_with_every_entry_before_any_telling() -> None:
    batch = mirror_batch([an_observation(seq=i) for i in range(1, 6)], [a_telling(i) for i in range(3)])
    parts = list(slices(batch, rows=2))
    assert [(len(p.entries), len(p.tellings)) for p in parts] == [(2, 0), (2, 0), (1, 0), (0, 2), (0, 1)]
    assert merged(parts) == batch


def test_a_small_batch_stays_whole() -> None:
    batch = mirror_batch([an_observation()], [a_telling(1)])
    assert list(slices(batch, rows=2)) == [batch]


def test_a_batch_with_nothing_in_it_is_empty_unless_the_graph_is_to_be_made_anew() -> None:
    assert MirrorBatch().is_empty
    assert not MirrorBatch(anew=True).is_empty
