"""The candidate rule is one: memory and Postgres find the same for any small ledger, branch and moment."""

from collections.abc import Sequence

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ledger_service.domain.amendments import Amendment
from ledger_service.domain.candidates import Reach, closes, reach_of, recall_terms
from ledger_service.domain.entries import Commitment, LedgerEntry, Source, SourceKind, Status
from ledger_service.domain.playthroughs import Playthrough, StoryState
from ledger_service.domain.story_time import StoryTime
from ledger_service.domain.visibility import Membership, Roster
from ledger_service.stores import memory_ledger
from ledger_service.stores.memory import MemoryStores
from ledger_service.stores.postgres import ledger as postgres_ledger
from ledger_service.stores.postgres.unit_of_work import PostgresStores
from tests.builders import (
    a_commitment,
    a_contradiction,
    a_hearsay,
    a_moment,
    a_relationship_delta,
    a_residue,
    a_world,
    an_observation,
    known_by,
)
from tests.conftest import RULE_EXAMPLES

pytestmark = [pytest.mark.anyio, pytest.mark.postgres]
LAST = 12
PEOPLE = ("maelin", "orla", "player")
SCOPES = (*PEOPLE, "public", "group:crew")
WORDS = ("relay", "sensor", "storm", "antenna")
READ = Source(kind=SourceKind.DOCUMENT, by="wanted")
ids = st.integers(0, 14).map(lambda n: f"e{n:02}")
scopes = st.lists(st.sampled_from(SCOPES), min_size=1, max_size=3)
people = st.sampled_from(PEOPLE)
rosters = st.lists(
    st.builds(
        Membership, group=st.just("crew"), who=people, joined_seq=st.integers(0, 6),
        left_seq=st.none() | st.integers(6, LAST),
    ),
    max_size=3,
).map(lambda stays: Roster(memberships=tuple(stays)))  # fmt: skip


class Story(msgspec.Struct, frozen=True, kw_only=True):
    """What was written to a playthrough and to a branch of it, left at `forked_at`."""

    trunk: tuple[LedgerEntry, ...]
    branch: tuple[LedgerEntry, ...]
    trunk_amendments: tuple[Amendment, ...]
    branch_amendments: tuple[Amendment, ...]
    forked_at: int


@st.composite
def entries(draw: st.DrawFn, entry_id: str, seq: int) -> LedgerEntry:
    make = draw(
        st.sampled_from(
            (an_observation, a_hearsay, a_commitment, a_commitment, a_relationship_delta, a_residue, a_contradiction)
        )
    )
    given: dict[str, object] = {
        "entry_id": entry_id,
        "seq": seq,
        "statement": " ".join(draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=2))),
        "knowers": known_by(*draw(scopes), since=seq),
        "subject": draw(st.none() | people),
        "derived_from": tuple(draw(st.lists(ids, max_size=1))),
        "supersedes": tuple(draw(st.lists(ids, max_size=1))),
        "ladder": draw(st.none() | st.just("theft")),
    }
    match make:
        case _ if make is a_commitment:
            given |= {"owner": draw(people), "to": draw(people), "fulfilled_when": draw(st.sampled_from(("", "true")))}
        case _ if make is a_residue:
            given["holder"] = draw(people)
        case _ if make is a_relationship_delta:
            given |= {"from_whom": draw(people), "evidence": tuple(draw(st.lists(ids, max_size=1)))}
        case _ if make is a_contradiction:
            given["members"] = tuple(draw(st.lists(ids, min_size=2, max_size=2)))
        case _ if make is an_observation:
            given |= draw(st.sampled_from(({}, {"notice": "wanted"}, {"source": READ, "origin": draw(ids)})))
        case _:
            pass
    return make(**given)


def amendments(first: int) -> st.SearchStrategy[list[Amendment]]:
    one = st.builds(
        Amendment, entry_id=ids, cause_seq=st.integers(first, LAST), at=st.just(StoryTime()),
        status=st.sampled_from((Status.FULFILLED, Status.EASED, Status.RESOLVED, Status.SUPERSEDED, Status.SUSPENDED)),
        by=st.just(()) | st.just(()) | st.lists(ids, max_size=1).map(tuple), knowers=st.none() | scopes.map(tuple),
    )  # fmt: skip
    return st.lists(one, max_size=8).map(lambda found: sorted(found, key=lambda a: a.cause_seq))


@st.composite
def stories(draw: st.DrawFn) -> Story:
    forked_at = draw(st.integers(1, LAST))
    trunk = [draw(entries(f"e{n:02}", draw(st.integers(1, LAST)))) for n in range(draw(st.integers(1, 12)))]
    branch = [
        draw(entries(f"e{n:02}", draw(st.integers(forked_at + 1, LAST + 1))))
        for n in range(12, draw(st.integers(12, 15)))
    ]
    return Story(
        trunk=tuple(sorted(trunk, key=lambda e: e.seq)),
        branch=tuple(branch),
        trunk_amendments=tuple(draw(amendments(1))),
        branch_amendments=tuple(draw(amendments(forked_at + 1))) if forked_at < LAST else (),
        forked_at=forked_at,
    )


def a_story(n: int, about: str) -> LedgerEntry:
    return an_observation(entry_id=f"e{n}", seq=n, statement="sensor", subject=about, ladder="theft")


async def write(story: Story, stores: MemoryStores | PostgresStores, name: str) -> None:
    async with stores.open_uow() as uow:
        version = await uow.worlds.add(a_world())
        await uow.commit()
    trunk = Playthrough(playthrough_id=name, world_id="station", world_version=version, opening_world=version)
    branch = msgspec.structs.replace(
        trunk, playthrough_id=f"{name}-branch", parent_id=name, forked_at_seq=story.forked_at
    )
    state = StoryState(world_version=version)
    for playthrough, written, amended in (
        (trunk, story.trunk, story.trunk_amendments), (branch, story.branch, story.branch_amendments),
    ):  # fmt: skip
        async with stores.open_uow(playthrough.playthrough_id) as uow:
            await uow.playthroughs.open(playthrough, state)
            await uow.ledger.append(written)
            for amendment in amended:
                await uow.ledger.amend([amendment])
            await uow.commit()


@pytest.fixture
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows so small that a small ledger overflows them."""
    for module in (memory_ledger, postgres_ledger):
        for name in ("NEWEST", "PER_TERM", "MUST_HAVE"):
            monkeypatch.setattr(module, name, 2)


_numbers = iter(range(1, 1_000_000))


@settings(
    max_examples=RULE_EXAMPLES // 5,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    story=stories(), viewer=people, listener=people, roster=rosters, seq=st.integers(0, LAST + 1),
    terms=st.lists(st.sampled_from((*WORDS, "@maelin", "@orla")), max_size=3),
)  # fmt: skip
async def test_both_stores_find_the_same_candidates_in_trunk_and_branch(
    narrow: None, stores: PostgresStores, anyio_backend: str, story: Story, viewer: str, listener: str,
    roster: Roster, seq: int, terms: Sequence[str],
):  # fmt: skip
    name = f"p{next(_numbers)}"
    memory = MemoryStores()
    moment = a_moment(speaker=viewer, audience=(listener,), seq=seq)
    reach = reach_of(viewer, roster, at_seq=seq)
    found = {}
    for store in (memory, stores):
        await write(story, store, name)
        for playthrough in (name, f"{name}-branch"):
            async with store.open_uow(playthrough) as uow:
                candidates = await uow.ledger.load_candidates(moment, terms=terms, reach=reach)
                everything = await uow.ledger.load_all(at_seq=seq)
                watched = await uow.ledger.find_open_commitments()
                residue = await uow.ledger.find_residue(viewer, "")
                stories, became = await uow.ledger.find_stories(reach, ("player", "orla"), at_seq=seq)
                notices = await uow.ledger.find_notices()
                readers = await uow.ledger.find_readers([f"e{n:02}" for n in range(8)])
            found[store, playthrough] = (
                candidates, everything[0], set(everything[1]), watched, residue,
                {e.entry_id for e in stories}, set(became), notices, readers,
            )  # fmt: skip
    for playthrough in (name, f"{name}-branch"):
        assert found[stores, playthrough] == found[memory, playthrough]


async def test_a_closed_promise_does_not_push_an_open_one_out(record, narrow: None):
    entries = [a_commitment(entry_id=f"e{n}", seq=n, statement="sensor") for n in range(1, 9)]
    closed = [
        Amendment(entry_id=e.entry_id, status=Status.FULFILLED, cause_seq=10, at=StoryTime()) for e in entries[2:]
    ]
    story = Story(trunk=tuple(entries), branch=(), trunk_amendments=tuple(closed), branch_amendments=(), forked_at=LAST)
    await write(story, record, "p1")
    reach = reach_of("maelin", Roster(), at_seq=20)
    async with record.open_uow("p1") as uow:
        found, _ = await uow.ledger.load_candidates(a_moment(seq=20), terms=(), reach=reach)
        before, _ = await uow.ledger.load_candidates(a_moment(seq=9), terms=(), reach=reach)
    assert {"e1", "e2"} <= {e.entry_id for e in found}
    assert [e.entry_id for e in before] == ["e7", "e8"], "as of a past event, all were open"


async def test_a_closing_that_a_viewer_was_not_told_of_leaves_it_open_to_them_alone(record, narrow: None):
    entries = [a_commitment(entry_id=f"e{n}", seq=n, knowers=known_by("maelin", "player")) for n in range(1, 4)]
    closed = [
        Amendment(entry_id=f"e{n}", status=Status.FULFILLED, cause_seq=5, at=StoryTime(), knowers=("player",))
        for n in (2, 3)
    ]
    story = Story(trunk=tuple(entries), branch=(), trunk_amendments=tuple(closed), branch_amendments=(), forked_at=5)
    assert not closes(closed[0], {"maelin", "public"})
    await write(story, record, "p1")
    async with record.open_uow("p1") as uow:
        to = {}
        for viewer in ("maelin", "player"):
            reach = Reach(scopes=((viewer, 100),), now=frozenset({viewer}))
            moment = a_moment(speaker=viewer, audience=("orla",), seq=5)
            found, _ = await uow.ledger.load_candidates(moment, terms=(), reach=reach)
            to[viewer] = [e.entry_id for e in found]
    assert to == {"maelin": ["e2", "e3"], "player": ["e1", "e2", "e3"]}


async def test_what_the_viewer_does_not_know_is_no_candidate_unless_something_rests_on_it(record):
    hidden = an_observation(entry_id="e1", seq=1, statement="relay", knowers=known_by("orla"))
    aside = an_observation(entry_id="e2", seq=2, statement="relay", knowers=known_by("orla"))
    known = an_observation(entry_id="e3", seq=3, statement="relay", derived_from=("e1",))
    story = Story(trunk=(hidden, aside, known), branch=(), trunk_amendments=(), branch_amendments=(), forked_at=LAST)
    await write(story, record, "p1")
    async with record.open_uow("p1") as uow:
        reach = reach_of("maelin", Roster(), at_seq=20)
        terms = sorted(recall_terms(known))
        found, _ = await uow.ledger.load_candidates(a_moment(seq=20), terms=terms, reach=reach)
    assert found == (hidden, known)


async def test_stories_about_those_who_are_here_are_kept_at_hand_however_much_is_told_of_others(record, narrow: None):
    of_player = [a_story(n, "player") for n in (1, 2)]
    of_others = [a_story(n, "tovi") for n in range(3, 9)]
    plain = an_observation(entry_id="e9", seq=9, subject="player")
    story = Story(
        trunk=(*of_player, *of_others, plain), branch=(), trunk_amendments=(), branch_amendments=(), forked_at=LAST
    )  # fmt: skip
    await write(story, record, "p1")
    reach = reach_of("maelin", Roster(), at_seq=20)
    async with record.open_uow("p1") as uow:
        found, _ = await uow.ledger.load_candidates(a_moment(seq=20), terms=(), reach=reach)
        of_tovi, _ = await uow.ledger.find_stories(reach, ("tovi",), at_seq=20)
        of_nobody, _ = await uow.ledger.find_stories(reach_of("orla", Roster(), at_seq=20), ("tovi",), at_seq=20)
    assert [e.entry_id for e in found] == ["e1", "e2", "e8", "e9"]
    assert sorted(e.entry_id for e in of_tovi) == ["e7", "e8"]
    assert of_nobody == ()


async def test_a_superseded_story_gives_up_its_place(record, narrow: None):
    stories = [a_story(n, "player") for n in range(1, 5)]
    over = [Amendment(entry_id=f"e{n}", status=Status.SUPERSEDED, cause_seq=6, at=StoryTime()) for n in (3, 4)]
    story = Story(
        trunk=tuple(stories), branch=(), trunk_amendments=tuple(over), branch_amendments=(), forked_at=LAST
    )  # fmt: skip
    await write(story, record, "p1")
    async with record.open_uow("p1") as uow:
        found, _ = await uow.ledger.find_stories(reach_of("maelin", Roster(), at_seq=20), ("player",), at_seq=20)
    assert sorted(e.entry_id for e in found) == ["e1", "e2"]


async def test_a_notice_is_found_while_it_hangs_and_who_has_read_it(record):
    hangs = an_observation(entry_id="e1", seq=1, notice="wanted", knowers=known_by("engine"))
    read = an_observation(entry_id="e2", seq=2, origin="e1", source=READ, knowers=known_by("tovi"))
    told = a_hearsay(entry_id="e3", seq=3, origin="e1", knowers=known_by("orla"))
    story = Story(trunk=(hangs, read, told), branch=(), trunk_amendments=(), branch_amendments=(), forked_at=LAST)
    await write(story, record, "p1")
    async with record.open_uow("p1") as uow:
        assert await uow.ledger.find_notices() == [hangs]
        assert await uow.ledger.find_readers(["e1"]) == {("e1", "tovi")}
        await uow.ledger.amend([Amendment(entry_id="e1", status=Status.ENDED, cause_seq=4, at=StoryTime())])
        assert await uow.ledger.find_notices() == []


async def test_who_left_a_group_finds_nothing_that_it_learned_later(record):
    told = [
        an_observation(entry_id=f"e{n}", seq=n, statement="relay", knowers=known_by("group:crew", since=n))
        for n in (3, 5, 7)
    ]
    story = Story(trunk=tuple(told), branch=(), trunk_amendments=(), branch_amendments=(), forked_at=LAST)
    await write(story, record, "p1")
    roster = Roster(memberships=(Membership(group="crew", who="maelin", joined_seq=4, left_seq=5),))
    async with record.open_uow("p1") as uow:
        reach = reach_of("maelin", roster, at_seq=9)
        found, _ = await uow.ledger.load_candidates(a_moment(seq=9), terms=("relay",), reach=reach)
    assert [e.entry_id for e in found] == ["e3"]


async def test_an_entry_whose_knower_is_named_twice_is_kept_once(record):
    twice = a_commitment(entry_id="e1", seq=1, knowers=known_by("maelin", "maelin"))
    story = Story(trunk=(twice,), branch=(), trunk_amendments=(), branch_amendments=(), forked_at=LAST)
    await write(story, record, "p1")
    async with record.open_uow("p1") as uow:
        found, _ = await uow.ledger.get(["e1"])
    assert found == (twice,)
    assert isinstance(found[0], Commitment)
