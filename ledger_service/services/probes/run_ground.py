"""The ground of a run: its story, played once, the branches that questions are asked on, and what clears them away."""

from ledger_service.domain.errors import ContentError, PlaythroughHasForksError, UnknownPlaythroughError
from ledger_service.domain.ids import PlaythroughId
from ledger_service.domain.probe_runs import Branch, RunPlan
from ledger_service.ports import OpenUnitOfWork, RemembersElsewhere
from ledger_service.probing.documents import History, Step
from ledger_service.probing.source import Source
from ledger_service.services.events.play_story import play_history
from ledger_service.services.playthroughs.open_playthrough import erase_playthrough, open_playthrough
from ledger_service.services.probes.desk import Desk
from ledger_service.services.probes.recall import forget
from ledger_service.services.probes.run_probes import Ground

_PAGE = 500


def title_of(run_id: str, distance: str = "") -> str:
    """Return what the playthroughs of a run are called; whatever a killed worker left is found by it."""
    return f"probe run {run_id} {distance}".rstrip()


def history_of(run: RunPlan) -> History:
    """Return the story of a run, as it is kept with it."""
    source = Source(file=f"{run.story}/history.yaml", values=[], lines={})
    return History(source=source, steps=tuple(Step(raw=s.raw, label=s.label, path=s.path) for s in run.steps))


async def ground_of(run: RunPlan, desk: Desk) -> Ground:
    """Return the story of a run as it was played, playing it where nobody has."""
    history = history_of(run)
    async with desk.runs.hold_ground(run.run_id) as hold:
        if hold.ground is None:
            opened = await open_playthrough(run.world_version, open_uow=desk.open_uow, title=title_of(run.run_id))
            labels = await play_history(
                opened.playthrough_id, history, open_uow=desk.open_uow, embedder=desk.reading.embedder
            )
            await hold.keep(Branch(playthrough_id=opened.playthrough_id, labels=labels))
        there = hold.ground
    if there is None:
        raise AssertionError("a kept ground is there")
    return Ground(playthrough_id=there.playthrough_id, history=history, labels=there.labels)


async def clear_ground(run: RunPlan, desk: Desk) -> None:
    """Erase the played story of a run and what is left of its branches; a replay plays it anew."""
    async with desk.runs.hold_ground(run.run_id) as hold:
        if hold.ground is None:
            return
        for left in await _forks_of(hold.ground.playthrough_id, run.run_id, desk.open_uow):
            await erase(left, desk)
        await hold.keep(None)


async def _forks_of(ground: PlaythroughId, run_id: str, open_uow: OpenUnitOfWork) -> list[PlaythroughId]:
    """Return the branches of a ground, those that killed workers left too, and the ground itself as the last."""
    found: list[PlaythroughId] = []
    title = title_of(run_id)
    others: list[PlaythroughId] = []
    after: PlaythroughId | None = None
    async with open_uow() as uow:
        while page := await uow.playthroughs.list_all(limit=_PAGE, after=after):
            found += [p.playthrough_id for p in page if p.parent_id == ground]
            others += [p.playthrough_id for p in page if p.parent_id is None and p.title.startswith(title)]
            after = page[-1].playthrough_id
    return [*found, *dict.fromkeys((*others, ground))]


async def is_there(playthrough_id: PlaythroughId, desk: Desk) -> bool:
    """Say whether a branch has not been erased meanwhile."""
    try:
        async with desk.open_uow(playthrough_id) as uow:
            await uow.playthroughs.get(playthrough_id)
    except UnknownPlaythroughError:
        return False
    return True


async def erase(playthrough_id: PlaythroughId, desk: Desk) -> None:
    """Erase a branch that is no longer asked on, here and where it was told; one that others rest on is left."""
    if isinstance(desk.responder, RemembersElsewhere):
        await forget(desk.responder, playthrough_id)
    try:
        await erase_playthrough(playthrough_id, open_uow=desk.open_uow, graph=desk.graph)
    except (PlaythroughHasForksError, ContentError, UnknownPlaythroughError):
        return
