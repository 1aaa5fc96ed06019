"""Hours of talk: the worked chain, who is told and who is not, and what each makes of it."""

import asyncio

import msgspec
import pytest

from ledger_service.domain.entries import Hearsay, LedgerEntry, Status
from ledger_service.domain.errors import ContentError
from ledger_service.domain.events import Corrected, Deed, Died, FellUnconscious, HourPassed, Reviewed, Told
from ledger_service.domain.packets import ContextPacket, Reason
from ledger_service.domain.rumours import Telling
from ledger_service.domain.worlds import Corroboration, Gossip
from ledger_service.rumours.stories import Stories
from ledger_service.services.packets.build_packet import PacketRequest, build_packet
from tests.playing import Play
from tests.speaking import READING
from tests.villages import RUNGS, a_village, somebody, worked


def stolen(play: Play, **more: object) -> LedgerEntry:
    deed = Deed(tick=7, actor="player", statement=RUNGS[0], place="market", ladder="theft", subject="player", **more)  # type: ignore[arg-type]
    return play.left_by(deed)[0]


def hours(play: Play, number: int) -> list[Telling]:
    return [t for _ in range(number) for t in play.record(HourPassed())[0].tellings]


def held(play: Play, who: str, origin: str) -> LedgerEntry:
    (found,) = [e for e in play.ledger().entries.values() if e.root == origin and any(k.who == who for k in e.knowers)]
    return found


def refused(play: Play) -> list[tuple[str, str, str]]:
    (receipt,) = play.record(HourPassed())
    return [(r.teller, r.listener, str(r.reason)) for r in receipt.refusals]


def test_the_worked_chain_comes_out_exactly() -> None:
    play = Play(worked())
    root = stolen(play).entry_id
    told = hours(play, 4)
    assert [(t.teller, t.listener, str(t.outcome)) for t in told] == [
        ("tomas", "pip", "believed"),
        ("pip", "bertha", "believed"),
        ("tomas", "bertha", "corroborated"),
        ("bertha", "ilsa", "believed"),
    ]
    chain = [held(play, who, root) for who in ("tomas", "pip", "bertha", "ilsa")]
    assert [round(e.confidence, 2) for e in chain] == [1.0, 0.45, 0.75, 0.51]
    assert [e.statement for e in chain] == list(RUNGS[:4])
    assert [e.hops for e in chain if isinstance(e, Hearsay)] == [1, 2, 3]
    belief = play.ledger().belief_of(chain[2].entry_id)
    assert belief is not None
    assert (round(belief.independent, 2), belief.tellers, belief.roots) == (0.63, ("pip", "tomas"), ("tomas",))


def test_a_world_of_independent_roots_counts_one_witness_once() -> None:
    play = Play(worked(gossip=Gossip(corroboration=Corroboration.INDEPENDENT_ROOTS)))
    root = stolen(play).entry_id
    hours(play, 4)
    assert [round(held(play, who, root).confidence, 2) for who in ("bertha", "ilsa")] == [0.63, 0.43]


def test_nobody_is_told_their_own_story_back() -> None:
    cast = tuple(somebody(who, ("inn", 8), ("inn", 9)) for who in ("tomas", "pip"))
    play = Play(a_village(cast, {("pip", "tomas"): 0.9, ("tomas", "pip"): 0.9}))
    stolen(play, witnesses=("tomas",))
    assert len(hours(play, 1)) == 1
    assert refused(play) == [("tomas", "pip", "already_heard"), ("pip", "tomas", "echo")]


def test_two_who_heard_it_apart_bear_each_other_out_only_one_way() -> None:
    cast = (
        somebody("tomas", ("market", 7), ("market", 8)),
        somebody("pip", ("market", 8), ("inn", 9)),
        somebody("bertha", ("market", 8), ("inn", 9)),
    )
    trust = {("pip", "tomas"): 0.5, ("bertha", "tomas"): 0.5, ("pip", "bertha"): 0.5, ("bertha", "pip"): 0.5}
    play = Play(a_village(cast, trust))
    stolen(play, witnesses=("tomas",))
    assert [(t.teller, t.listener, str(t.outcome)) for t in hours(play, 2)] == [
        ("tomas", "bertha", "believed"),
        ("tomas", "pip", "believed"),
        ("pip", "bertha", "corroborated"),
    ]


def test_without_trust_nothing_is_passed_on() -> None:
    play = Play(a_village((somebody("pip", ("gate", 8)), somebody("ilsa", ("gate", 8))), {("pip", "ilsa"): 0.9}))
    stolen(play, witnesses=("pip",))
    assert refused(play) == [("pip", "ilsa", "not_trusted")]


def test_a_sceptic_waits_for_two_tellers_and_then_weighs_both() -> None:
    cast = (
        somebody("tomas", ("inn", 8), sure=False),
        somebody("bertha", ("inn", 9), sure=False),
        somebody("mira", ("inn", 8), ("inn", 9), sceptic=2),
    )
    play = Play(a_village(cast, {("mira", "tomas"): 0.5, ("mira", "bertha"): 0.5}))
    root = stolen(play, witnesses=("tomas", "bertha")).entry_id
    (receipt,) = play.record(HourPassed())
    assert [(str(t.outcome), t.to_entry) for t in receipt.tellings] == [("ignored", None)]
    assert [str(r.reason) for r in receipt.refusals] == ["sceptic"]
    (told,) = hours(play, 1)
    mira = held(play, "mira", root)
    assert (str(told.outcome), told.to_entry) == ("believed", mira.entry_id)
    assert mira.confidence == pytest.approx(1 - 0.55**2)
    assert {t.teller for t in play.tellings() if t.to_entry == mira.entry_id} == {"tomas", "bertha"}


def test_a_sceptic_told_by_two_in_one_hour_believes_and_each_telling_stands_once() -> None:
    tellers = (somebody("tomas", ("inn", 8)), somebody("bertha", ("inn", 8), sure=False))
    play = Play(
        a_village(
            (*tellers, somebody("mira", ("inn", 8), sceptic=2)), {("mira", "tomas"): 0.5, ("mira", "bertha"): 0.5}
        )
    )
    root = stolen(play, witnesses=("tomas", "bertha")).entry_id
    (receipt,) = play.record(HourPassed())
    told = {t.teller: (t.statement, str(t.outcome)) for t in receipt.tellings}
    assert told == {"bertha": (RUNGS[0], "corroborated"), "tomas": (RUNGS[1], "believed")}
    assert "sceptic" not in [str(r.reason) for r in receipt.refusals]
    ids = [t.telling_id for t in receipt.tellings]
    assert sorted(set(ids)) == sorted(ids) == sorted(t.telling_id for t in play.tellings())
    mira = held(play, "mira", root)
    assert mira.confidence == pytest.approx(1 - 0.55**2)
    assert {t.teller for t in play.tellings() if t.to_entry == mira.entry_id} == {"tomas", "bertha"}


def test_a_sceptic_keeps_the_first_wording_and_each_teller_said_their_own() -> None:
    cast = (
        somebody("tomas", ("inn", 8), sure=False),
        somebody("bertha", ("inn", 9)),
        somebody("mira", ("inn", 8), ("inn", 9), sceptic=2),
    )
    play = Play(a_village(cast, {("mira", "tomas"): 0.5, ("mira", "bertha"): 0.5}))
    root = stolen(play, witnesses=("tomas", "bertha")).entry_id
    hours(play, 1)
    (told,) = hours(play, 1)
    assert (held(play, "mira", root).statement, told.statement, told.severity) == (RUNGS[0], RUNGS[1], 2)


def test_what_is_private_is_not_passed_on() -> None:
    play = Play(a_village((somebody("pip", ("inn", 8)), somebody("ilsa", ("inn", 8))), {("ilsa", "pip"): 0.9}))
    stolen(play, witnesses=("pip",), unaware=("ilsa",))
    assert refused(play) == [("pip", "ilsa", "private")]


@pytest.mark.parametrize("fate", [FellUnconscious(who="pip"), Died(who="pip")])
def test_the_dead_and_the_unconscious_tell_nobody(fate: FellUnconscious | Died) -> None:
    play = Play(a_village((somebody("pip", ("inn", 8)), somebody("ilsa", ("inn", 8))), {("ilsa", "pip"): 0.9}))
    stolen(play, witnesses=("pip",))
    play.record(fate)
    assert hours(play, 1) == []


def test_a_correction_travels_as_a_telling_of_its_own_and_lowers() -> None:
    cast = (
        somebody("tomas", ("inn", 8), ("inn", 9), ("inn", 10), sure=False),
        somebody("bertha", ("inn", 8), ("inn", 9), ("inn", 10), sure=False),
    )
    play = Play(a_village(cast, {("bertha", "tomas"): 0.7}))
    root = stolen(play, witnesses=("tomas",)).entry_id
    hours(play, 1)
    assert held(play, "bertha", root).confidence == 0.63
    right = Corrected(entry_id=root, statement="the player paid for the apple", reason="found the coin",
                      witnesses=("tomas",))  # fmt: skip
    (entry,) = play.left_by(right)
    (told,) = hours(play, 1)
    assert (told.origin, str(told.outcome)) == (entry.entry_id, "corrected")
    assert held(play, "bertha", root).confidence == pytest.approx(0.63 * (1 - 0.63))


def test_who_knows_that_a_rumour_does_not_stand_is_not_told_it_again_and_tells_nobody() -> None:
    cast = (
        somebody("tomas", ("inn", 8), sure=False),
        somebody("mira", ("inn", 9), sure=False),
        somebody("bertha", ("inn", 8), ("inn", 9), sure=False),
    )
    play = Play(a_village(cast, {("bertha", "tomas"): 0.7, ("bertha", "mira"): 0.7, ("mira", "bertha"): 0.7}))
    root = stolen(play, witnesses=("tomas", "mira")).entry_id
    hours(play, 1)
    copy = held(play, "bertha", root)
    play.record(Corrected(entry_id=copy.entry_id, reason="the apple was hers"))
    assert refused(play) == [("mira", "bertha", "withdrawn")]
    play.record(Told(teller="mira", listener="bertha", entry_id=root, statement=RUNGS[0]))
    (again,) = [t for t in play.tellings() if t.teller == "mira"]
    assert (str(again.outcome), again.to_entry) == ("unchanged", copy.entry_id)
    assert play.status(copy, viewer="bertha") is Status.RETRACTED
    assert held(play, "bertha", root) == copy


def test_a_rumour_that_a_reviewer_resumes_is_borne_out_as_before() -> None:
    cast = tuple(somebody(who, sure=False) for who in ("tomas", "mira", "bertha"))
    play = Play(a_village(cast, {("bertha", "tomas"): 0.7, ("bertha", "mira"): 0.7}))
    root = stolen(play, witnesses=("tomas", "mira")).entry_id
    play.record(Told(teller="tomas", listener="bertha", entry_id=root, statement=RUNGS[0]))
    copy = held(play, "bertha", root)
    play.record(Reviewed(entry_id=copy.entry_id, outcome=Status.SUSPENDED, reason="looked into"))
    play.record(Told(teller="mira", listener="bertha", entry_id=root, statement=RUNGS[0]))
    assert held(play, "bertha", root).confidence == 0.63
    play.record(Reviewed(entry_id=copy.entry_id, outcome=Status.ACTIVE, reason="it was so"))
    play.record(Told(teller="mira", listener="bertha", entry_id=root, statement=RUNGS[0]))
    assert held(play, "bertha", root).confidence == pytest.approx(1 - 0.37**2)


def test_who_learns_at_first_hand_that_it_was_wrong_believes_it_no_longer() -> None:
    play = Play(worked())
    root = stolen(play).entry_id
    hours(play, 2)
    play.record(Corrected(entry_id=root, statement="the player paid", reason="seen", witnesses=("tomas", "pip")))
    assert held(play, "pip", root).confidence == 0


def test_the_same_seed_tells_the_same_story() -> None:
    def story(seed: int) -> bytes:
        world = worked()
        doubtful = tuple(msgspec.structs.replace(c, exaggeration=0.5) for c in world.cast)
        play = Play(msgspec.structs.replace(world, cast=doubtful), seed=seed)
        stolen(play)
        return msgspec.json.encode(hours(play, 5))

    assert story(3) == story(3)
    assert len({story(seed) for seed in range(20)}) > 1


def test_a_whisper_is_a_claim_and_climbs_its_ladder() -> None:
    play = Play(worked())
    play.record(Told(tick=7, teller="player", listener="tomas", statement=RUNGS[0], ladder="theft"))
    told = hours(play, 4)
    assert [t.statement for t in told][:2] == list(RUNGS[1:3])
    assert {t.roots for t in told} == {("player",)}


def test_only_so_many_stories_a_meeting_and_the_wildest_first() -> None:
    cast = (somebody("pip", ("inn", 8), ("inn", 9), sure=False), somebody("ilsa", ("inn", 8), ("inn", 9)))
    play = Play(a_village(cast, {("ilsa", "pip"): 0.9}, gossip=Gossip(stories_a_meeting=1)))
    stolen(play, witnesses=("pip",))
    play.record(Deed(tick=7, actor="player", statement="the player sang", witnesses=("pip",), place="market"))
    (receipt,) = play.record(HourPassed())
    (first,), (second,) = receipt.tellings, hours(play, 1)
    assert [str(r.reason) for r in receipt.refusals] == ["later"]
    assert {first.statement, second.statement} == {RUNGS[0], "the player sang"}


def test_an_hour_in_a_region_is_an_hour_there_alone() -> None:
    world = a_village((somebody("pip", ("inn", 8)), somebody("ilsa", ("inn", 8))), {("ilsa", "pip"): 0.9})
    places = tuple(msgspec.structs.replace(p, region="here" if p.id == "market" else "there") for p in world.places)
    play = Play(msgspec.structs.replace(world, places=places))
    stolen(play, witnesses=("pip",))
    (receipt,) = play.record(HourPassed(regions=("here",)))
    assert (receipt.tellings, receipt.at.tick) == ((), 8)


def test_a_story_ends_somewhere() -> None:
    play = Play(worked())
    with pytest.raises(ContentError, match="ends at tick"):
        play.record(HourPassed(tick=100_000_000))


def test_what_a_version_goes_back_to_is_found_at_once_however_many_ways_lead_there() -> None:
    def told(hop: int, m: int, n: int) -> Telling:
        return Telling(
            telling_id=f"{hop}-{m}-{n}", from_entry=f"v{hop}-{m}", to_entry=f"v{hop + 1}-{n}", teller="a", listener="b",
            origin="v0-0", seq=1, tick=1,
        )  # fmt: skip

    ways = [told(hop, m, n) for hop in range(40) for m in range(8) for n in range(8)]
    stories = Stories((), ways)
    assert stories.goes_back_to("v40-0", "v0-0")
    assert not stories.goes_back_to("v0-0", "v40-0")
    assert not stories.goes_back_to("v40-0", "elsewhere")


def test_of_what_nothing_is_left_nobody_speaks() -> None:
    play = Play(worked())
    root = stolen(play).entry_id
    hours(play, 2)
    play.record(Corrected(entry_id=root, statement="the player paid", reason="seen", witnesses=("tomas", "pip")))
    old = held(play, "pip", root)

    async def asked() -> ContextPacket:
        request = PacketRequest(speaker="pip", line="What do you know about the apples?")
        stored = await build_packet(play.playthrough_id, request, open_uow=play.stores.open_uow, reading=READING)
        return stored.packet

    packet = asyncio.run(asked())
    assert old.entry_id not in {s.entry_id for s in packet.selected}
    assert "the player paid" in {s.statement for s in packet.selected}
    assert (old.entry_id, Reason.SUPERSEDED) in {(w.entry_id, w.reason) for w in packet.withheld}
