"""Show a belief: its chain in words and as a strip, whole or as somebody sees it, and who could be asked about it."""

from msgspec import Struct

from ledger_service.domain.errors import UnknownEntryError
from ledger_service.domain.ids import CharacterId, EntryId, PlaythroughId
from ledger_service.ports import Catalogue, OpenUnitOfWork, RumourGraph
from ledger_service.services.gossip.explain_belief import Explanation, Question, answer_why
from ledger_service.services.reviewing.browse_playthroughs import find_playthrough
from ledger_service.services.reviewing.standpoint import Row, Standpoint, stand_in


class BeliefShown(Struct, frozen=True, kw_only=True):
    """A belief and everything that it goes back to."""

    here: Standpoint
    row: Row
    why: Explanation
    knowers: tuple[tuple[CharacterId, str], ...]
    """Who knows this version, by name."""


async def show_belief(
    playthrough_id: PlaythroughId,
    entry_id: EntryId,
    *,
    catalogue: Catalogue,
    open_uow: OpenUnitOfWork,
    seen_by: CharacterId | None = None,
    graph: RumourGraph | None = None,
) -> BeliefShown:
    """Return a belief with its chain; as seen by somebody, no further back than to their own teller.

    Raises:
        UnknownPlaythroughError: there is none, or it may not be seen.
        UnknownEntryError: there is no such entry, or the character does not know it.
        GraphUnavailableError: the graph was asked and is away.
    """
    listed = await find_playthrough(playthrough_id, catalogue=catalogue)
    async with open_uow(playthrough_id) as uow:
        here = await stand_in(listed, uow)
        entries, amendments = await uow.ledger.get((entry_id,))
        if not entries:
            raise UnknownEntryError(entry_id)
        ledger = here.fold(entries, amendments)
        row = here.row(ledger.entries[entry_id], ledger)
        if row is None:
            raise UnknownEntryError(entry_id)
        knowers = tuple(one for one in here.people if ledger.knower_of(row.entry, one[0]) is not None)
    question = Question(entry_id=entry_id, as_character=seen_by)
    why = await answer_why(playthrough_id, question, open_uow=open_uow, graph=graph)
    return BeliefShown(here=here, row=row, why=why, knowers=knowers)
