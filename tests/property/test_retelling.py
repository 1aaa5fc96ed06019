"""A history told again: under the same world it leaves the same ledger, so that a dry run shows the edit alone."""

import asyncio

import msgspec
from hypothesis import given

from ledger_service.domain.events import GameEvent
from ledger_service.domain.playthroughs import StoryState
from ledger_service.domain.worlds import version_of
from ledger_service.ports import UnitOfWork
from ledger_service.services.gossip.explain_belief import naming_of
from ledger_service.services.playthroughs.retell import Retelling, read_history
from ledger_service.services.reviewing.replay_event import state_changes
from ledger_service.stores.rehearsal import rehearse
from tests.property.played import played, steps, thorough
from tests.strategies import WORLD, disputing, histories


async def _whole(uow: UnitOfWork) -> tuple[object, ...]:
    entries, amendments = await uow.ledger.load_all()
    state = await uow.playthroughs.state()
    by_cause = sorted(amendments, key=lambda a: (a.cause_seq, a.entry_id, a.status))
    return entries, by_cause, await uow.tellings.load_all(), msgspec.structs.replace(state, world_version="")


@thorough
@given(disputing | histories)
def test_a_history_told_again_under_another_title_leaves_the_same_ledger(history: list[GameEvent]) -> None:
    play, seen = played(history)

    async def retold() -> None:
        async with play.stores.open_uow(play.playthrough_id) as uow:
            told = await read_history(uow, play.playthrough_id, until_seq=len(seen))
            kept = await _whole(uow)
        titled = msgspec.structs.replace(WORLD, title="Another title")
        story = Retelling(
            told, instead_of=version_of(WORLD), world=titled, rehearse=rehearse, embedder=play.embedder
        )  # fmt: skip
        assert await story.go_on(len(seen)), story.refused
        async with story.open_uow(story.playthrough_id) as uow:
            assert await _whole(uow) == kept
            assert (await uow.playthroughs.get(play.playthrough_id)).opening_world == version_of(titled)

    asyncio.run(retold())


@thorough
@given(histories)
def test_whatever_is_otherwise_after_an_event_is_said_and_nothing_else(history: list[GameEvent]) -> None:
    """Of how a story stands, a replay leaves out the count of events and turns, and when people last talked."""
    _, seen = played(history)
    naming = naming_of(WORLD)
    for before, after in steps(seen):
        if before is None:
            continue
        old, new = _told_of(before.state), _told_of(after.state)
        assert bool(list(state_changes(before.state, after.state, naming))) == (old != new)


def _told_of(state: StoryState) -> tuple[object, ...]:
    at = (state.at.scene, state.at.tick)
    return (
        at, state.places, state.values, set(state.unconscious), set(state.dead), state.personas, set(state.memberships),
        set(map(msgspec.json.encode, state.occurrences)), state.world_version, state.seed,
    )  # fmt: skip
