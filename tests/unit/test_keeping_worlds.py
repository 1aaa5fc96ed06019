"""A world is kept by one door, which says everything that is wrong with it."""

import asyncio

import msgspec
import pytest

from ledger_service.domain.errors import ContentError, LedgerError, UnfitWorldError
from ledger_service.domain.worlds import Action, Character, Custom, Group, Notice, Rule, Trust, VoiceCard, World
from ledger_service.services.playthroughs.open_playthrough import add_world
from ledger_service.services.playthroughs.transfer_playthrough import export_playthrough, import_playthrough
from ledger_service.stores.memory import MemoryStores
from tests.builders import a_world
from tests.playing import Play


def a_rule(**overrides: str) -> Rule:
    return Rule(**{"id": "r", "action": "go", "grant_when": "true", "because": "b", **overrides})


def ruled(**overrides: str) -> World:
    return a_world(actions=(Action(id="go", name="go"),), rules=(a_rule(**overrides),))


def refusal(world: World) -> LedgerError:
    """Try to keep a world, and see that nothing of it is kept."""
    stores = MemoryStores()

    async def versions() -> list[tuple[str, str]]:
        async with stores.open_uow() as uow:
            return await uow.worlds.list_versions()

    with pytest.raises(LedgerError) as caught:
        asyncio.run(add_world(world, open_uow=stores.open_uow))
    assert asyncio.run(versions()) == []
    return caught.value


@pytest.mark.parametrize(
    ("world", "path"),
    [
        (a_world(trust=(Trust(listener="zog", teller="orla", trust=0.5),)), "trust[0].listener"),
        (a_world(cast=(*a_world().cast, Character(id="orla", name="O"))), "cast[6].id"),
        (a_world(cast=(*a_world().cast, Character(id="public", name="O"))), "cast[6].id"),
        (a_world(cast=(*a_world().cast, Character(id="o", name="O", home="zog"))), "cast[6].home"),
        (
            a_world(cast=(*a_world().cast, Character(id="o", name="O", voice=VoiceCard(min_words=50, max_words=2)))),
            "cast[6].voice.min_words",
        ),
        (a_world(groups=(Group(id="g", members=("zog",)),)), "groups[0].members"),
        (a_world(events=(*a_world().events, *a_world().events)), "events[3].name"),
        (a_world(rules=(a_rule(),)), "rules[0].action"),
        (ruled(grant_when="range(1000000).exists(x, x == 3)"), "rules[0].grant_when"),
        (ruled(grant_when="zog(1)"), "rules[0].grant_when"),
        (ruled(grant_when="((("), "rules[0].grant_when"),
        (ruled(grant_when=""), "rules[0].grant_when"),
        (ruled(grant_when="state['zog'] == 1"), "rules[0].grant_when"),
        (ruled(grant_when="state.alarm > 'a'"), "rules[0].grant_when"),
        (ruled(grant_when="5 % 0 == 1"), "rules[0].grant_when"),
        (ruled(grant_when="1 + 1"), "rules[0].grant_when"),
        (ruled(factor="state.power"), "rules[0].factor"),
        (a_world(customs=(Custom(id="c", when="felt('zog', 'joy')", reads_as="x"),)), "customs[0].when"),
        (a_world(notices=(Notice(id="n", place="mast", text="x", post_when="1 + 1"),)), "notices[0].post_when"),
        (
            a_world(notices=(Notice(id="n", place="mast", text="x", post_when="true", remove_when="zog"),)),
            "notices[0].remove_when",
        ),
    ],
)
def test_what_leads_nowhere_is_named_by_its_path(world, path):
    error = refusal(world)
    assert isinstance(error, UnfitWorldError)
    assert any(problem.startswith(f"{path}: ") for problem in error.problems), error.problems
    assert path in str(error)


def test_everything_that_is_wrong_is_said_at_once():
    error = refusal(
        a_world(
            groups=(Group(id="g", members=("zog",)),),
            trust=(Trust(listener="zog", teller="zag", trust=0.5),),
            rules=(a_rule(grant_when="((("),),
        )
    )
    assert isinstance(error, UnfitWorldError)
    assert [p.partition(": ")[0] for p in error.problems] == [
        "groups[0].members", "trust[0].listener", "trust[0].teller", "rules[0].action", "rules[0].grant_when",
    ]  # fmt: skip
    assert all(problem in str(error) for problem in error.problems)


def test_a_long_list_of_problems_says_how_many_more_there_are():
    error = UnfitWorldError("station", tuple(f"p{n}: x" for n in range(23)))
    assert "p19" in str(error)
    assert "p20" not in str(error)
    assert "and 3 more" in str(error)


@pytest.mark.parametrize("title", ["a\0b", "a\ud800b"])
def test_what_no_store_can_keep_is_named_by_its_field(title):
    error = refusal(a_world(title=title))
    assert isinstance(error, ContentError)
    assert error.path == "world.title"


def test_an_import_keeps_worlds_by_the_same_door(monkeypatch):
    broken = a_world(trust=(Trust(listener="zog", teller="orla", trust=0.5),))
    kept: list[str] = []

    async def unchecked(world: World, uow, **_: object) -> str:
        kept.append(world.id)
        return await uow.worlds.add(world)

    with monkeypatch.context() as patch:
        patch.setattr("ledger_service.services.playthroughs.open_playthrough.keep_world", unchecked)
        play = Play(broken)
    document = asyncio.run(export_playthrough(play.playthrough_id, open_uow=play.stores.open_uow))
    with pytest.raises(UnfitWorldError, match=r"trust\[0\]\.listener"):
        asyncio.run(import_playthrough(document, open_uow=MemoryStores().open_uow))
    assert kept == ["station"]


def test_a_world_is_kept_as_it_was_given():
    stores, world = MemoryStores(), a_world()

    async def kept() -> World:
        version = await add_world(world, open_uow=stores.open_uow)
        async with stores.open_uow() as uow:
            return await uow.worlds.get(version)

    assert msgspec.json.encode(asyncio.run(kept())) == msgspec.json.encode(world)
