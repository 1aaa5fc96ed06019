"""Play a plan of the spymaster: wait, do it, let the hours go by, and see whether what was promised came of it."""

from msgspec import Struct

from ledger_service.domain.errors import ContentError, NoBeliefError, SequenceTakenError
from ledger_service.domain.events import EventReceipt
from ledger_service.domain.ids import CharacterId, EntryId, PlaythroughId
from ledger_service.domain.rumours import ChainLink
from ledger_service.ports import Embedder, MirrorQueue, OpenUnitOfWork, Rehearse, RumourGraph
from ledger_service.rumours.spymaster import Plan, Story
from ledger_service.services.events.record_event import record_events
from ledger_service.services.gossip.advance_gossip import Passing, advance_gossip
from ledger_service.services.gossip.explain_belief import Question, answer_why
from ledger_service.services.influence.advise_spymaster import Advice, advise_spymaster

CLOSE = 0.005
"""Figures that are the same in two decimals."""


class Chosen(Struct, frozen=True, kw_only=True):
    """Which plan is to be played: by its place in the advice that was given after an event."""

    target: CharacterId
    story: Story | None
    number: int
    at_seq: int


class Played(Struct, frozen=True, kw_only=True):
    """What became of a plan."""

    advice: Advice
    plan: Plan
    hours: tuple[EventReceipt, ...]
    """What each event came to, in order."""
    begun_by: EntryId
    """The entry that the deed or the whisper left."""
    belief: ChainLink | None
    """What the target believes of it now; None where it did not get there."""

    @property
    def is_kept(self) -> bool:
        """Whether the promised confidence and wording came out."""
        found = self.belief
        return (
            found is not None
            and abs(found.confidence - self.plan.confidence) < CLOSE
            and found.statement == self.plan.wording
        )


class Stage(Struct, frozen=True, kw_only=True):
    """What a plan is played with."""

    reading: OpenUnitOfWork
    writing: OpenUnitOfWork
    rehearse: Rehearse
    embedder: Embedder | None = None
    graph: RumourGraph | None = None
    queue: MirrorQueue | None = None


async def play_plan(playthrough_id: PlaythroughId, chosen: Chosen, stage: Stage) -> Played:
    """Carry a plan out, event by event, as the game would; what has been played before a fault stands.

    Raises:
        SequenceTakenError: something has happened since the advice was given, so that it may hold no more.
        ContentError: there is no plan of that number.
    """
    advice = await advise_spymaster(
        playthrough_id, chosen.target, open_uow=stage.reading, rehearse=stage.rehearse, story=chosen.story
    )
    if advice.at_seq != chosen.at_seq:
        raise SequenceTakenError(chosen.at_seq, advice.at_seq)
    if not 0 <= chosen.number < len(advice.plans):
        raise ContentError("plan", f"there are {len(advice.plans)} plans; none has the number {chosen.number + 1}")
    plan = advice.plans[chosen.number]
    hours = [*await _wait(playthrough_id, plan.wait_hours, advice.at_seq, stage)]
    last = hours[-1].seq if hours else advice.at_seq
    (begun,) = await record_events(
        playthrough_id, [plan.event], open_uow=stage.writing, embedder=stage.embedder, expected_seq=last
    )
    hours += [begun, *await _wait(playthrough_id, plan.then_hours, begun.seq, stage)]
    origin = begun.entries[0].entry_id
    return Played(
        advice=advice, plan=plan, hours=tuple(hours), begun_by=origin,
        belief=await _belief(playthrough_id, chosen.target, origin, stage.reading),
    )  # fmt: skip


async def _wait(playthrough_id: PlaythroughId, hours: int, last: int, stage: Stage) -> list[EventReceipt]:
    if not hours:
        return []
    passing = Passing(hours=hours, expected_seq=last)
    passed = advance_gossip(
        playthrough_id, passing, open_uow=stage.writing, embedder=stage.embedder, graph=stage.graph, queue=stage.queue
    )
    return [receipt async for receipt in passed]


async def _belief(
    playthrough_id: PlaythroughId, who: CharacterId, origin: EntryId, open_uow: OpenUnitOfWork
) -> ChainLink | None:
    try:
        found = await answer_why(playthrough_id, Question(holder=who, origin=origin), open_uow=open_uow)
    except NoBeliefError:
        return None
    return next(link for link in found.chain.links if link.depth == 0)
