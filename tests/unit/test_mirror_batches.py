"""What a write leaves for the graph, and how batches are put together and cut."""

from typing import TypeVar

import msgspec

from ledger_service.domain.mirror import MirrorBatch, MirrorPresence, MirrorWorld, merged, slices
from ledger_service.domain.rumours import Telling
from ledger_service.domain.story_time import StoryTime
from ledger_service.domain.visibility import Knower
from ledger_service.domain.worlds import Character, Gossip, Trust
from ledger_service.recording.mirror import mirror_batch, moves, presence_of, whole_world, world_change
from tests.builders import ONE_OF_EACH, a_hearsay, a_state, a_world, an_observation, known_by

T_ = TypeVar("T_")


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


def changed(value: T_, **fields: object) -> T_:
    return msgspec.structs.replace(value, **fields)


def trust_in(change: MirrorWorld) -> set[tuple[str, str, int, bool]]:
    return {(t.listener, t.teller, t.millionths, t.is_strong) for t in change.trusts}


def test_a_world_is_mirrored_with_its_cast_its_places_and_its_trust() -> None:
    world = whole_world(a_world(), seq=4)
    assert ("tovi", "Tovi") in {(c.id, c.name) for c in world.cast}
    assert ("harbour", "Harbour", "coast") in {(p.id, p.name, p.region) for p in world.places}
    assert trust_in(world) == {("orla", "maelin", 500_000, False), ("tovi", "orla", 800_000, True)}
    assert {(t.teller, t.cost) for t in world.trusts} == {("maelin", 693_147), ("orla", 223_144)}


def test_trust_of_nothing_is_no_trust_and_the_first_word_on_a_pair_counts() -> None:
    twice = (Trust(listener="orla", teller="tovi", trust=0.0), Trust(listener="orla", teller="tovi", trust=0.9))
    assert whole_world(changed(a_world(), trust=twice), seq=1).trusts == ()


def test_another_version_of_a_world_is_mirrored_by_what_it_changes() -> None:
    old = a_world()
    trust = (Trust(listener="tovi", teller="orla", trust=0.3), Trust(listener="brun", teller="orla", trust=0.7))
    cast = (*(c for c in old.cast if c.id != "rex"), Character(id="ada", name="Ada"))
    new = changed(old, trust=trust, cast=cast, places=old.places[:3])
    change = world_change(old, new, seq=9)
    assert trust_in(change) == {("tovi", "orla", 300_000, False), ("brun", "orla", 700_000, True)}
    assert (change.ended, change.weakened) == ((("orla", "maelin"),), (("tovi", "orla"),))
    assert {(c.id, c.name) for c in change.cast} == {("ada", "Ada"), ("rex", None)}
    assert [(p.id, p.name) for p in change.places] == [("cellar", None)]
    assert world_change(old, old, seq=9).is_empty


def test_a_lower_bar_for_strong_trust_is_a_change_of_the_edges_it_touches() -> None:
    old = a_world()
    change = world_change(old, changed(old, gossip=Gossip(strong_trust=0.5)), seq=2)
    assert trust_in(change) == {("orla", "maelin", 500_000, True)}


def test_only_who_is_elsewhere_is_mirrored() -> None:
    world = a_world()
    seven, eight = a_state(at=StoryTime(tick=7), seq=1), a_state(at=StoryTime(tick=8), seq=2)
    assert [(p.who, p.place, p.seq) for p in moves(seven, eight, world, world)] == [("tovi", "station", 2)]
    gone = changed(eight, places={"player": "cellar"})
    assert [(p.who, p.place) for p in moves(eight, gone, world, world)] == [("player", "cellar")]
    assert moves(seven, changed(seven, seq=5), world, world) == ()


def test_who_is_nowhere_any_more_is_mirrored_as_such() -> None:
    world, state = a_world(), a_state(seq=3, world_version="other")
    homeless = changed(world, cast=(Character(id="orla", name="Orla"),))
    assert {(p.who, p.place) for p in moves(a_state(), state, world, homeless)} == {
        (c.id, None) for c in world.cast
    }  # fmt: skip


def test_of_several_moves_the_last_is_kept_and_a_large_batch_is_cut_with_the_world_first() -> None:
    steps = [MirrorPresence(who="pip", place=p, seq=n) for n, p in enumerate(("inn", "well"))]
    others = [MirrorPresence(who=f"c{n}", place="inn", seq=0) for n in range(3)]
    world = whole_world(a_world(), seq=1)
    batch = merged([MirrorBatch(worlds=(world,), present=tuple(steps[1:])), MirrorBatch(present=(steps[0], *others))])
    assert next(p.place for p in batch.present if p.who == "pip") == "well"
    parts = list(slices(batch, rows=2))
    assert [(len(p.worlds), len(p.present)) for p in parts] == [(1, 0), (0, 2), (0, 2)]


def test_in_a_region_that_is_behind_people_are_where_they_were_last_watched() -> None:
    world = a_world()
    watched = {"hill": 7, "coast": 7}
    seven = a_state(at=StoryTime(tick=7), seq=1)
    eight = a_state(at=StoryTime(tick=8), seq=2, talked=watched)
    nine = a_state(at=StoryTime(tick=9), seq=3, talked={"coast": 7})
    assert moves(seven, eight, world, world) == ()
    assert [(p.who, p.place) for p in moves(eight, nine, world, world)] == [("tovi", "station")]
    for state in (seven, eight, nine):
        here = {p.who: p.place for p in presence_of(state, world)}
        assert here["tovi"] == ("station" if state is nine else "harbour")
