"""What holds of every village: whoever lives there, whomever they trust, and however long they talk."""

import asyncio
import itertools
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cached_property
from random import Random

import msgspec
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from msgspec import Struct

from ledger_service.domain.amendments import Amendment
from ledger_service.domain.entries import Hearsay, LedgerEntry
from ledger_service.domain.events import Corrected, Deed, EventReceipt, GameEvent, HourPassed, TimePassed, Told
from ledger_service.domain.ids import CharacterId, EntryId
from ledger_service.domain.ledger import Ledger
from ledger_service.domain.rumours import HEARD, PASSED_ON, Telling
from ledger_service.domain.worlds import Character, Corroboration, Gossip, World
from ledger_service.rumours.belief import Offer, believe
from ledger_service.services.events.record_event import record_events
from ledger_service.services.playthroughs.open_playthrough import add_world, open_playthrough
from ledger_service.stores.memory import MemoryStores
from ledger_service.stores.probe_files import ProbeFiles
from tests.conftest import RULE_EXAMPLES
from tests.playing import Play
from tests.speaking import STORY
from tests.villages import RUNGS, a_village, somebody

NAMES = ("ada", "ben", "cyn", "dov", "eva", "fin")
PLACES = ("market", "well", "inn")
DAWN, HOURS = 8, 8
quiet = [HealthCheck.too_slow, HealthCheck.data_too_large]
rule = settings(max_examples=RULE_EXAMPLES, deadline=None, suppress_health_check=quiet)
thorough = settings(max_examples=settings.default.max_examples // 2, deadline=None, suppress_health_check=quiet)


class Village(Struct, frozen=True, kw_only=True):
    """A world, who sees the theft and the song, and who learns when that the player had paid."""

    world: World
    seed: int
    thieved_before: tuple[CharacterId, ...]
    sang_to: tuple[CharacterId, ...]
    paid_before: tuple[CharacterId, ...]
    """Who sees that it was wrong; nobody where it stands."""
    paid_after: int


trusts = st.sampled_from([None, None, 0.0, 0.1, 0.35, 0.5, 0.75, 0.9, 1.0])
chances = st.sampled_from([0.0, 0.5, 1.0])


@st.composite
def villages(draw: st.DrawFn) -> Village:
    names = NAMES[: draw(st.integers(2, 6))]
    days = draw(st.lists(st.lists(st.sampled_from(PLACES), min_size=HOURS, max_size=HOURS),
                         min_size=len(names), max_size=len(names)))  # fmt: skip
    pairs = list(itertools.permutations(names, 2))
    edges = draw(st.lists(trusts, min_size=len(pairs), max_size=len(pairs)))
    gossip = Gossip(
        stories_a_meeting=draw(st.integers(1, 3)), corroboration=draw(st.sampled_from(list(Corroboration)))
    )  # fmt: skip
    cast = tuple(_somebody(draw, who, day) for who, day in zip(names, days, strict=True))
    trust = {pair: edge for pair, edge in zip(pairs, edges, strict=True) if edge is not None}
    some = st.lists(st.sampled_from(names), unique=True, min_size=1).map(tuple)
    return Village(
        world=a_village(cast, trust, gossip=gossip),
        seed=draw(st.integers(0, 1_000)),
        thieved_before=draw(some),
        sang_to=draw(some),
        paid_before=draw(st.just(()) | some),
        paid_after=draw(st.integers(1, HOURS - 2)),
    )


def _somebody(draw: st.DrawFn, who: str, day: Sequence[str]) -> Character:
    stays = [(place, DAWN + i) for i, place in enumerate(day)]
    found = somebody(who, *stays, sceptic=draw(st.sampled_from([1, 2, 1, 2, 3])))
    return msgspec.structs.replace(found, exaggeration=draw(chances))


class Morning(Struct, frozen=True, kw_only=True, dict=True):
    """Everything that was written of a village."""

    village: Village
    receipts: tuple[EventReceipt, ...]
    entries: Mapping[EntryId, LedgerEntry]
    amendments: tuple[Amendment, ...]
    tellings: tuple[Telling, ...]

    @cached_property
    def behind(self) -> Mapping[EntryId, set[EntryId]]:
        found: dict[EntryId, set[EntryId]] = defaultdict(set)
        for telling in self.tellings:
            if telling.to_entry is not None and telling.outcome in PASSED_ON:
                found[telling.to_entry].add(telling.from_entry)
        return found

    def sources_of(self, entry_id: EntryId) -> set[EntryId]:
        """The version itself, and every one that it goes back to."""
        seen, frontier = {entry_id}, [entry_id]
        while frontier:
            frontier = [b for v in frontier for b in self.behind.get(v, ()) if b not in seen]
            seen.update(frontier)
        return seen

    def sure(self, entry_id: EntryId, *, before: int) -> float:
        """How sure the holder was of a version when an event began."""
        beliefs = [a for a in self.amendments if a.entry_id == entry_id and a.belief and a.cause_seq < before]
        last = max(beliefs, key=lambda a: a.cause_seq, default=None)
        return self.entries[entry_id].confidence if last is None or last.belief is None else last.belief.confidence


def play(village: Village, *, hours: int = HOURS, corrected: bool = True) -> Morning:
    """Let a village live through its morning."""
    stores = MemoryStores()

    async def post(played: str, *events: GameEvent) -> tuple[EventReceipt, ...]:
        return await record_events(played, events, open_uow=stores.open_uow)

    async def whole() -> Morning:
        version = await add_world(village.world, open_uow=stores.open_uow)
        played = (await open_playthrough(version, open_uow=stores.open_uow, seed=village.seed)).playthrough_id
        receipts = await post(
            played,
            Deed(tick=DAWN - 1, actor="player", statement=RUNGS[0], witnesses=village.thieved_before, ladder="theft"),
            Deed(tick=DAWN - 1, actor="player", statement="the player sang", witnesses=village.sang_to),
        )
        receipts += await post(played, *[HourPassed()] * village.paid_after)
        if village.paid_before and corrected:
            theft = receipts[0].entries[0].entry_id
            receipts += await post(played, Corrected(entry_id=theft, statement="the player had paid", reason="seen",
                                                     witnesses=village.paid_before))  # fmt: skip
        receipts += await post(played, *[HourPassed()] * (hours - village.paid_after))
        async with stores.open_uow(played) as uow:
            entries, amendments = await uow.ledger.load_all()
            return Morning(village=village, receipts=receipts, entries={e.entry_id: e for e in entries},
                         amendments=amendments, tellings=tuple(await uow.tellings.load_all()))  # fmt: skip

    return asyncio.run(whole())


# ---- who is told


@rule
@given(villages())
def test_nobody_is_told_their_own_story_back(village: Village) -> None:
    morning = play(village)
    for telling in morning.tellings:
        earlier = tuple(t for t in morning.tellings if t.seq < telling.seq)
        so_far = msgspec.structs.replace(morning, tellings=earlier)
        behind = {k.who for v in so_far.sources_of(telling.from_entry) for k in morning.entries[v].knowers}
        saw_it = {k.who for k in morning.entries[telling.origin].knowers}
        assert telling.outcome in HEARD
        assert telling.listener not in behind | saw_it


@thorough
@given(villages())
def test_what_rests_on_what_is_never_a_circle(village: Village) -> None:
    morning = play(village)
    for entry_id in morning.entries:
        for source in morning.behind.get(entry_id, ()):
            assert entry_id not in morning.sources_of(source)
            assert morning.entries[source].root == morning.entries[entry_id].root


@thorough
@given(villages())
def test_only_those_who_are_together_talk_and_only_to_who_trusts_them(village: Village) -> None:
    for telling in play(village).tellings:
        teller, listener = (village.world.find_character(who) for who in (telling.teller, telling.listener))
        assert teller is not None
        assert listener is not None
        assert teller.place_at(telling.tick) == listener.place_at(telling.tick) == telling.place
        assert (village.world.trust_of(listener.id, teller.id) or 0) > 0


@thorough
@given(villages())
def test_a_telling_is_written_once_and_the_same_teller_has_nothing_new(village: Village) -> None:
    morning = play(village)
    ids = [t.telling_id for t in morning.tellings]
    assert len(ids) == len(set(ids))
    heard = [(t.teller, t.listener, t.origin, t.tick) for r in morning.receipts for t in r.tellings]
    assert len({pair[:3] for pair in heard}) == len(heard)
    holders = [(e.root, k.who) for e in morning.entries.values() if isinstance(e, Hearsay) for k in e.knowers]
    assert len(holders) == len(set(holders))


@settings(thorough, max_examples=20)
@given(st.integers(0, 10_000))
def test_the_guard_never_hears_the_child_whom_she_does_not_trust(seed: int) -> None:
    story = ProbeFiles(STORY.parent).load("village")
    theft = Deed(tick=8, actor="player", statement=RUNGS[0], witnesses=("pip",), ladder="theft")
    village = Play(story.world, seed=seed)
    receipts = village.record(theft, *[HourPassed()] * 26)
    met = [r for receipt in receipts for r in receipt.refusals if (r.teller, r.listener) == ("pip", "ilsa")]
    assert met
    assert {str(r.reason) for r in met} == {"not_trusted"}
    assert not [t for t in village.tellings() if (t.teller, t.listener) == ("pip", "ilsa")]
    assert [t for t in village.tellings() if t.listener == "ilsa"]


# ---- how sure


@thorough
@given(villages())
def test_how_sure_anybody_is_stays_between_nothing_and_certain(village: Village) -> None:
    morning = play(village)
    beliefs = [a.belief for a in morning.amendments if a.belief is not None]
    sure = [
        *(e.confidence for e in morning.entries.values()),
        *(b.confidence for b in beliefs),
        *(b.independent for b in beliefs),
        *(t.offered_millionths / 1e6 for t in morning.tellings),
    ]
    assert all(0 <= c <= 1 for c in sure)


@thorough
@given(villages())
def test_a_retelling_never_raises(village: Village) -> None:
    morning = play(village)
    for telling in morning.tellings:
        trust = village.world.trust_of(telling.listener, telling.teller) or 0.0
        told = [t for t in morning.tellings if t.telling_id == telling.telling_id or t.seq < telling.seq]
        when = min(t.seq for t in told if (t.teller, t.listener, t.origin) == _who(telling))
        teller = morning.sure(telling.from_entry, before=when)
        assert telling.offered_millionths / 1e6 <= teller * trust * 0.9 + 1e-6


def _who(telling: Telling) -> tuple[CharacterId, CharacterId, EntryId]:
    return (telling.teller, telling.listener, telling.origin)


@thorough
@given(villages())
def test_a_correction_never_raises(village: Village) -> None:
    assume(village.paid_before)
    talkative = msgspec.structs.replace(village.world, gossip=msgspec.structs.replace(
        village.world.gossip, stories_a_meeting=50))  # fmt: skip
    village = msgspec.structs.replace(village, world=talkative)
    right, wrong = play(village), play(village, corrected=False)
    theft = wrong.receipts[0].entries[0].entry_id

    def beliefs(morning: Morning) -> dict[CharacterId, float]:
        mine = [e for e in morning.entries.values() if e.root == theft and isinstance(e, Hearsay)]
        return {e.knowers[0].who: morning.sure(e.entry_id, before=10_000) for e in mine}

    after, before = beliefs(right), beliefs(wrong)
    assert after.keys() <= before.keys()
    assert all(after[who] <= before[who] for who in after)


offers = st.lists(
    st.builds(
        Offer,
        teller=st.sampled_from(NAMES),
        confidence=st.floats(0, 1),
        roots=st.lists(st.sampled_from(NAMES), min_size=1, max_size=3, unique=True).map(tuple),
        tick=st.integers(0, 50),
    ),
    min_size=1,
    max_size=6,
    unique_by=lambda o: o.teller,
)
doubts = st.lists(st.floats(0, 1), max_size=4)
ways = st.sampled_from(list(Corroboration))


@rule
@given(offers, doubts, ways, st.randoms())
def test_a_belief_is_the_same_in_whatever_order_it_was_told(
    offers: list[Offer], doubts: list[float], way: Corroboration, chance: Random
) -> None:
    whole = believe("ilsa", offers, doubts=doubts, corroboration=way)
    chance.shuffle(offers)
    chance.shuffle(doubts)
    assert believe("ilsa", offers, doubts=doubts, corroboration=way) == whole
    assert 0 <= whole.independent <= 1
    assert (
        whole.independent <= believe("ilsa", offers, doubts=doubts, corroboration=Corroboration.EACH_TELLER).confidence
    )
    assert whole.confidence <= believe("ilsa", offers, doubts=(), corroboration=way).confidence


@thorough
@given(
    st.lists(st.tuples(st.sampled_from(NAMES[:5]), st.booleans()), min_size=1, max_size=6, unique=True),
    st.integers(1, 3), ways, st.randoms(),
)  # fmt: skip
def test_tellings_and_corrections_may_come_in_any_order(
    tellings: list[tuple[CharacterId, bool]], sceptic: int, way: Corroboration, chance: Random
) -> None:
    """Each telling is (teller, whether it is the correction); wording may depend on the order, how sure may not."""
    trust = {("fin", who): 0.3 + i / 10 for i, who in enumerate(NAMES[:5])}
    cast = (*(somebody(who) for who in NAMES[:5]), somebody("fin", sceptic=sceptic))
    world = a_village(cast, trust, gossip=Gossip(corroboration=way))

    def told(order: Sequence[tuple[CharacterId, bool]]) -> object:
        village = Play(world)
        (theft,) = village.left_by(Deed(tick=7, actor="player", statement=RUNGS[0], witnesses=NAMES[:5]))
        paid = Deed(tick=7, actor="player", statement="the player paid", witnesses=NAMES[:5], corrects=theft.entry_id)
        (right,) = village.left_by(paid)
        for teller, is_correction in order:
            entry = right if is_correction else theft
            village.record(Told(teller=teller, listener="fin", entry_id=entry.entry_id, statement=entry.statement))
        ledger = village.ledger()
        mine = [e for e in ledger.entries.values() if isinstance(e, Hearsay)]
        beliefs = [(e, ledger.belief_of(e.entry_id)) for e in mine]
        return {e.root: (b.confidence, b.independent) if b else (e.confidence, e.confidence) for e, b in beliefs}

    first = told(tellings)
    chance.shuffle(tellings)
    assert told(tellings) == first


# ---- time and chance


@thorough
@given(villages(), st.integers(1, 100))
def test_fading_is_the_same_after_all_the_hours_at_once_or_one_by_one(village: Village, hours: int) -> None:
    def left(*passing: GameEvent) -> dict[EntryId, float]:
        lived = Play(village.world, seed=village.seed)
        lived.record(Deed(tick=7, actor="player", statement=RUNGS[0], witnesses=village.thieved_before, ladder="theft"))
        lived.record(*[HourPassed()] * HOURS)
        lived.record(*passing)
        entries, amendments = lived.all()
        state = lived.state()
        ledger = Ledger(entries, amendments, roster=state.roster, at_seq=state.seq, tick=state.at.tick,
                        forgetting=village.world.forgetting)  # fmt: skip
        return {e.entry_id: e.confidence for e in ledger.entries.values()}

    assert left(TimePassed(hours=hours)) == left(*[TimePassed(hours=1)] * hours)


@thorough
@given(villages())
def test_the_same_seed_is_the_same_story_byte_for_byte(village: Village) -> None:
    def written(morning: Morning) -> bytes:
        return msgspec.json.encode(
            (morning.receipts, tuple(morning.entries.values()), morning.amendments, morning.tellings),
            order="deterministic",
        )

    assert written(play(village)) == written(play(village))


def test_another_seed_may_be_another_story() -> None:
    story = ProbeFiles(STORY.parent).load("village")
    theft = Deed(tick=8, actor="player", statement=RUNGS[0], witnesses=("tomas",), ladder="theft")

    def wordings(seed: int) -> tuple[str, ...]:
        village = Play(story.world, seed=seed)
        village.record(theft, *[HourPassed()] * 12)
        return tuple(t.statement for t in village.tellings())

    assert len({wordings(seed) for seed in range(6)}) > 1
