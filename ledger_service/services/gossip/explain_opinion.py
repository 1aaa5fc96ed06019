"""Explain an opinion: what somebody thinks of somebody now, with the stories that it rests on."""

from msgspec import Struct

from ledger_service.domain.candidates import reach_of
from ledger_service.domain.entries import LedgerEntry, SourceKind
from ledger_service.domain.errors import UnknownCharacterError
from ledger_service.domain.ids import PLAYER, CharacterId, EntryId, PlaythroughId
from ledger_service.domain.ledger import Ledger
from ledger_service.domain.opinions import Opinion, opinion_in
from ledger_service.domain.playthroughs import StoryState
from ledger_service.domain.worlds import World
from ledger_service.ports import OpenUnitOfWork, UnitOfWork
from ledger_service.rumours.provenance import Naming
from ledger_service.services.events.story_state import story_state, world_of
from ledger_service.services.gossip.explain_belief import naming_of


class ExplainedOpinion(Struct, frozen=True, kw_only=True):
    """An opinion, its stories as they are held, and what people are called."""

    opinion: Opinion
    stories: tuple[LedgerEntry, ...]
    """Those of the evidence, in its order."""
    naming: Naming


class Evidence(Struct, frozen=True, kw_only=True):
    """One story in an opinion, strongest first; `contribution` is weight times confidence."""

    entry_id: EntryId
    statement: str
    weight: float
    confidence: float
    contribution: float
    source: SourceKind
    by: str | None


class OpinionView(Struct, frozen=True, kw_only=True):
    """An opinion from -1 to 1: praise less blame, each 1 - prod(1 - weight x confidence) over its stories."""

    who: str
    about: str
    value: float
    praise: float
    blame: float
    evidence: tuple[Evidence, ...]


def view_of(found: ExplainedOpinion) -> OpinionView:
    """Return an opinion with the wording of its stories."""
    opinion = found.opinion
    evidence = (
        Evidence(
            entry_id=item.entry_id,
            statement=story.statement,
            weight=item.weight,
            confidence=item.confidence,
            contribution=item.contribution,
            source=story.source.kind,
            by=story.source.by,
        )
        for item, story in zip(opinion.evidence, found.stories, strict=True)
    )
    return OpinionView(
        who=opinion.who,
        about=opinion.about,
        value=opinion.value,
        praise=opinion.praise,
        blame=opinion.blame,
        evidence=tuple(evidence),
    )


async def explain_opinion(
    playthrough_id: PlaythroughId, who: CharacterId, *, open_uow: OpenUnitOfWork, about: CharacterId = PLAYER
) -> ExplainedOpinion:
    """Return what somebody thinks of somebody, by the same rule as packets and conditions.

    Raises:
        UnknownPlaythroughError: there is none.
        UnknownCharacterError: the world has no such person.
    """
    async with open_uow(playthrough_id) as uow:
        await uow.playthroughs.get(playthrough_id)
        state = await story_state(uow)
        world = await world_of(uow, state.world_version)
        for role, name in (("character", who), ("subject", about)):
            _check(name, role, world)
        return await opinion_within(uow, who, about, world=world, state=state)


async def opinion_within(
    uow: UnitOfWork, who: CharacterId, about: CharacterId, *, world: World, state: StoryState
) -> ExplainedOpinion:
    """Return the same within a transaction, as of the event and the hour at which a state stands."""
    reach = reach_of(who, state.roster, at_seq=state.seq)
    entries, amendments = await uow.ledger.find_stories(reach, (about,), at_seq=state.seq)
    ledger = Ledger(
        entries,
        amendments,
        roster=state.roster,
        at_seq=state.seq,
        tick=state.at.tick,
        forgetting=world.forgetting,
    )
    opinion = opinion_in(ledger, who, about, world=world)
    stories = tuple(ledger.entries[item.entry_id] for item in opinion.evidence)
    return ExplainedOpinion(opinion=opinion, stories=stories, naming=naming_of(world))


def _check(name: CharacterId, role: str, world: World) -> None:
    if world.find_character(name) is None:
        raise UnknownCharacterError(name, role, allowed=tuple(c.id for c in world.cast))
