"""Explain a belief: the chain behind it, whole for a reviewer, cut at the own teller for a character."""

from msgspec import structs

from ledger_service.domain.errors import UnknownEntryError
from ledger_service.domain.ids import CharacterId, EntryId, PlaythroughId
from ledger_service.domain.rumours import ProvenanceChain
from ledger_service.domain.visibility import Knower
from ledger_service.ports import OpenUnitOfWork, RumourGraph, UnitOfWork
from ledger_service.services.story_state import story_state


async def explain_belief(
    playthrough_id: PlaythroughId,
    entry_id: EntryId,
    *,
    open_uow: OpenUnitOfWork,
    graph: RumourGraph | None = None,
    as_character: CharacterId | None = None,
) -> ProvenanceChain:
    """Return what an entry goes back to, from the record or (where one is given) the graph; it says which store spoke.

    To a character only their own teller is named.

    Raises:
        UnknownEntryError: there is no such entry, or the character does not know it.
        GraphUnavailableError: the graph was asked and is away.
    """
    async with open_uow(playthrough_id) as uow:
        await uow.playthroughs.get(playthrough_id)
        knower = None if as_character is None else await _knower(uow, entry_id, as_character)
        answer = uow.tellings.chain(entry_id) if graph is None else graph.chain(playthrough_id, entry_id)
        chain = await answer
    return chain if knower is None else own_teller_only(chain, knower)


async def _knower(uow: UnitOfWork, entry_id: EntryId, character: CharacterId) -> Knower:
    """Return how a character has an entry; one that they do not know is to them as if it were not there."""
    entries, _ = await uow.ledger.get((entry_id,))
    state = await story_state(uow)
    for entry in entries:
        found = state.roster.find_knower(entry.knowers, character, at_seq=state.seq)
        if found is not None:
            return structs.replace(found, who=character)
    raise UnknownEntryError(entry_id)


def own_teller_only(chain: ProvenanceChain, knower: Knower) -> ProvenanceChain:
    """Cut a chain to the knower's own version and who told it; what lies behind the teller is not theirs to know."""
    own = (
        structs.replace(link, holder=knower.who, teller=link.teller or knower.from_whom, told_by_entry=None)
        for link in chain.links
        if link.depth == 0
    )
    return structs.replace(chain, links=tuple(own))
