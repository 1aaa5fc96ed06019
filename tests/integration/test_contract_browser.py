"""What every store's ledger browser does alike: filters, pages, stretches, scenes, branches, tellings."""

import msgspec
import pytest

from ledger_service.domain import browsing
from ledger_service.domain.amendments import Amendment, Belief
from ledger_service.domain.candidates import LAST_SEQ, Reach, reach_of
from ledger_service.domain.entries import Source, Status
from ledger_service.domain.errors import CursorError
from ledger_service.domain.playthroughs import Ancestor
from ledger_service.domain.rumours import Telling
from ledger_service.domain.story_time import StoryTime
from ledger_service.domain.visibility import Membership, Roster
from ledger_service.ports import BrowseFilter
from tests.builders import (
    ONE_OF_EACH,
    a_commitment,
    a_contradiction,
    a_hearsay,
    a_relationship_delta,
    an_observation,
    known_by,
)
from tests.integration.test_contract_record import open_one

pytestmark = pytest.mark.anyio


def reach(*scopes: str) -> Reach:
    return Reach(scopes=tuple((scope, LAST_SEQ) for scope in scopes), now=frozenset(scopes))


def at(scene: int, tick: int = 1) -> StoryTime:
    return StoryTime(tick=tick, scene=scene)


LEDGER = (
    an_observation(entry_id="a", seq=1, at=at(0), statement="Maelin mended the relay"),
    an_observation(entry_id="b", seq=2, at=at(0), statement="Orla broke the relay", knowers=known_by("orla", "maelin")),
    a_hearsay(entry_id="c", seq=3, at=at(1), statement="The relay hums", knowers=known_by("player")),
    a_commitment(entry_id="d", seq=3, at=at(1), statement="Maelin will mend the sensor"),
    an_observation(entry_id="e", seq=5, at=at(4), statement="It rained", knowers=known_by("group:crew"),
                   quarantined=True),
    an_observation(entry_id="f", seq=6, at=at(4), statement="A relay, a sensor", knowers=known_by("public"),
                   source=Source(kind="document", by="log", event_seq=6)),
)  # fmt: skip
AMENDED = (
    Amendment(entry_id="d", status=Status.FULFILLED, cause_seq=5, at=at(4)),
    Amendment(entry_id="a", status=Status.SUSPENDED, cause_seq=4, at=at(1)),
    Amendment(entry_id="a", status=Status.ACTIVE, cause_seq=6, at=at(4)),
    Amendment(entry_id="c", status=Status.ACTIVE, cause_seq=6, at=at(4), knowers=("player",),
              belief=Belief(who="player", confidence=0.9, independent=0.9, reinforced_at=1)),
)  # fmt: skip


@pytest.fixture
async def browse(record):
    """Browse a small ledger: `await browse(kind="hearsay")` returns the ids on the page."""
    await open_one(record)
    async with record.open_uow("p1") as uow:
        await uow.ledger.append(LEDGER)
        await uow.ledger.amend(AMENDED)
        await uow.commit()

    async def ids(playthrough="p1", **where) -> str:
        async with record.open_uow(playthrough) as uow:
            page = await uow.browser.page(BrowseFilter(**where))
        return "".join(e.entry_id for e in page.entries)

    return ids


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ({}, "fedcba"),
        ({"kind": "observation"}, "feba"),
        ({"source": "document"}, "f"),
        ({"statuses": ("quarantined",)}, "e"),
        ({"statuses": ("fulfilled",)}, "d"),
        ({"statuses": ("fulfilled",), "at_seq": 4}, ""),
        ({"statuses": ("open",), "at_seq": 4}, "d"),
        ({"statuses": ("suspended",), "at_seq": 5}, "a"),
        ({"statuses": ("active",)}, "fcba"),
        ({"scene": 0}, "ba"),
        ({"scene": 1}, "dc"),
        ({"scene": 2}, ""),
        ({"scene": 4}, "fe"),
        ({"scene": 5}, ""),
        ({"scene": 10**14}, ""),
        ({"scene": 4, "at_seq": 5}, "e"),
        ({"after_seq": 3}, "fe"),
        ({"reach": reach("orla")}, "b"),
        ({"reach": reach("orla", "maelin"), "kind": "commitment"}, "d"),
        ({"reach": reach("maelin", "orla", "player", "public"), "terms": ("relay",)}, "fcba"),
        ({"reach": reach("maelin", "orla", "public"), "terms": ("relay", "sensor")}, "f"),
        ({"reach": reach("maelin", "public"), "terms": ("sensor",), "source": "document"}, "f"),
        ({"reach": Reach(scopes=(("orla", 2),), now=frozenset())}, ""),
        ({"at_seq": 0}, ""),
    ],
)
async def test_each_filter_finds_what_it_says(browse, where, expected):
    assert await browse(**where) == expected


async def test_who_left_a_group_knows_what_it_knew_before(browse):
    left = Roster(memberships=(Membership(group="crew", who="vane", joined_seq=1, left_seq=5),))
    stayed = Roster(memberships=(Membership(group="crew", who="vane", joined_seq=1),))
    assert await browse(reach=reach_of("vane", stayed, at_seq=6)) == "fe"
    assert await browse(reach=reach_of("vane", left, at_seq=6)) == "f"


async def test_a_page_carries_what_became_of_its_entries_up_to_the_event(record, browse):
    async with record.open_uow("p1") as uow:
        now = await uow.browser.page(BrowseFilter())
        then = await uow.browser.page(BrowseFilter(at_seq=4))
    assert {(a.entry_id, a.cause_seq) for a in now.amendments} == {("d", 5), ("a", 4), ("a", 6), ("c", 6)}
    assert {(a.entry_id, a.cause_seq) for a in then.amendments} == {("a", 4)}
    assert now.entries[0] == msgspec.structs.replace(LEDGER[5], embedding=b"")


async def test_a_branch_reads_its_ancestors_up_to_the_fork_and_scenes_go_on(record, browse):
    parent = await open_one(record, "p2", parent_id="p1", forked_at_seq=3)
    assert parent.parent_id == "p1"
    async with record.open_uow("p2") as uow:
        later = an_observation(entry_id="g", seq=4, at=at(2), statement="Another relay")
        await uow.ledger.append([later])
        lineage = await uow.playthroughs.lineage()
        await uow.commit()
    assert lineage == (
        Ancestor(playthrough_id="p2", until_seq=lineage[0].until_seq),
        Ancestor(playthrough_id="p1", until_seq=3),
    )
    assert await browse("p2") == "gdcba"
    assert await browse("p2", scene=2) == "g"
    assert await browse("p2", scene=4) == ""
    assert await browse("p2", statuses=("open",)) == "d"


@pytest.mark.parametrize("where", [{}, {"kind": "observation"}, {"reach": reach("orla", "maelin")}])
async def test_pages_follow_each_other_without_gaps_or_repeats(record, where):
    await open_one(record)
    many = [an_observation(entry_id=f"e{n:02}", seq=1 + n // 4, statement=f"thing {n}") for n in range(23)]
    async with record.open_uow("p1") as uow:
        await uow.ledger.append(many)
        await uow.commit()
    seen, after = [], None
    async with record.open_uow("p1") as uow:
        while True:
            page = await uow.browser.page(BrowseFilter(**where), limit=5, after=after)
            seen += [e.entry_id for e in page.entries]
            after = page.next_after
            if after is None:
                break
            assert len(page.entries) == 5
    assert seen == [f"e{n:02}" for n in reversed(range(23))]


async def test_what_is_rare_is_looked_for_a_stretch_at_a_time(record, monkeypatch):
    monkeypatch.setattr(browsing, "STRETCH", 6)
    await open_one(record)
    rare = a_commitment(entry_id="a-rare", seq=2)
    many = [an_observation(entry_id=f"e{n:02}", seq=n, statement=f"thing {n}") for n in range(3, 20)]
    async with record.open_uow("p1") as uow:
        await uow.ledger.append([rare, *many])
        await uow.commit()
    found, looks, after = [], [], None
    async with record.open_uow("p1") as uow:
        while True:
            page = await uow.browser.page(BrowseFilter(statuses=("open",)), limit=2, after=after)
            found += [e.entry_id for e in page.entries]
            looks.append(page.looked_at)
            after = page.next_after
            if after is None:
                break
    assert (found, looks) == (["a-rare"], [6, 6, 6, 0])


async def test_a_place_that_no_page_ended_with_is_refused(record):
    await open_one(record)
    async with record.open_uow("p1") as uow:
        with pytest.raises(CursorError):
            await uow.browser.page(BrowseFilter(), after="nowhere")


async def test_the_tellings_of_a_version_are_those_to_it_and_from_it(record):
    await open_one(record)
    told = [
        Telling(telling_id=f"t{n}", from_entry=one, to_entry=other, teller="a", listener="b", origin="r", seq=n, tick=n)
        for n, (one, other) in enumerate([("r", "x"), ("x", "y"), ("x", None), ("y", "z")])
    ]
    async with record.open_uow("p1") as uow:
        await uow.ledger.append(ONE_OF_EACH)
        await uow.tellings.append(told)
        await uow.commit()
    async with record.open_uow("p1") as uow:
        assert [t.telling_id for t in await uow.browser.told_of("x", "r")] == ["t2", "t1", "t0"]
        assert await uow.browser.told_of("x", "r", limit=1) == [told[2]]
        assert await uow.browser.told_of("x", "elsewhere") == []


async def test_what_rests_on_an_entry_is_found_also_once_it_is_over(record):
    await open_one(record)
    resting = [
        an_observation(entry_id="b", seq=2, derived_from=("a",), source=Source(kind="inferred", event_seq=2)),
        a_contradiction("a", "b", entry_id="c", seq=3),
        a_relationship_delta(entry_id="d", seq=4, evidence=("a", "a")),
        an_observation(entry_id="e", seq=5, supersedes=("a",)),
    ]
    async with record.open_uow("p1") as uow:
        await uow.ledger.append([an_observation(entry_id="a", seq=1), *resting])
        await uow.ledger.amend([Amendment(entry_id="c", status=Status.RESOLVED, cause_seq=6, at=at(1))])
        await uow.commit()
    async with record.open_uow("p1") as uow:
        assert [e.entry_id for e in await uow.browser.resting_on("a")] == ["d", "c", "b"]
        assert [e.entry_id for e in await uow.browser.resting_on("b")] == ["c"]
        assert await uow.browser.resting_on("e") == []
        assert len(await uow.browser.resting_on("a", limit=1)) == 1


async def test_what_became_of_things_is_told_newest_first_and_what_only_bore_them_out_is_not(record, browse):
    async with record.open_uow("p1") as uow:
        everything = await uow.browser.became(after_seq=0, at_seq=9)
        some = await uow.browser.became(after_seq=4, at_seq=5)
        newest = await uow.browser.became(after_seq=0, at_seq=9, limit=1)
    assert [(a.entry_id, a.status, a.cause_seq) for a in everything] == [
        ("a", "active", 6), ("d", "fulfilled", 5), ("a", "suspended", 4)
    ]  # fmt: skip
    assert some == [AMENDED[0]]
    assert newest == [AMENDED[2]]
