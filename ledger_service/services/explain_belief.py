"""Explain a belief: the chain behind it, whole for a reviewer, cut at the own teller for a character."""

from msgspec import structs

from ledger_service.domain.errors import UnknownEntryError
from ledger_service.domain.ids import CharacterId, EntryId, PlaythroughId
from ledger_service.domain.ledger import Ledger
from ledger_service.domain.rumours import ProvenanceChain
from ledger_service.ports import OpenUnitOfWork, RumourGraph
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
        chain = await uow.tellings.chain(entry_id) if graph is None else await graph.chain(playthrough_id, entry_id)
        if as_character is not None:
            entries, amendments = await uow.ledger.get((entry_id,))
            state = await story_state(uow)
            ledger = Ledger(entries, amendments, roster=state.roster, at_seq=state.seq)
            if not ledger.knows(as_character, entry_id):
                raise UnknownEntryError(entry_id)
            return own_teller_only(chain)
    return chain


def own_teller_only(chain: ProvenanceChain) -> ProvenanceChain:
    """Cut a chain to the belief itself and who told it; what lies behind the teller is not the holder's to know."""
    return structs.replace(
        chain, links=tuple(structs.replace(k, told_by_entry=None) for k in chain.links if k.depth == 0)
    )
