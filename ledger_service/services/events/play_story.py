"""Play a story's history into a playthrough, through the same door as the game."""

from collections.abc import Callable, Mapping

from ledger_service.domain.errors import RequestError, StoryRuleError
from ledger_service.domain.events import EventReceipt, GameEvent
from ledger_service.domain.ids import EntryId, PlaythroughId
from ledger_service.ports import Embedder, OpenUnitOfWork
from ledger_service.probing.documents import History, Step, has_labels, with_entries
from ledger_service.services.events.record_event import MOST_IN_A_BATCH, record_events

Labels = dict[str, tuple[EntryId, ...]]


async def play_history(
    playthrough_id: PlaythroughId,
    history: History,
    *,
    open_uow: OpenUnitOfWork,
    embedder: Embedder | None,
    known: Mapping[str, tuple[EntryId, ...]] | None = None,
    progress: Callable[[int], None] = lambda _: None,
) -> Labels:
    """Post a history in as few batches as its labels allow; return the entries that each label left.

    Raises:
        StoryFileError: a label that left no entry, or an event that breaks a rule of the story, with file and line.
    """
    labels: Labels = dict(known or {})
    waiting: list[tuple[Step, GameEvent]] = []

    async def post() -> None:
        if waiting:
            events = [event for _, event in waiting]
            try:
                receipts = await record_events(playthrough_id, events, open_uow=open_uow, embedder=embedder)
            except (StoryRuleError, RequestError) as error:
                step = waiting[error.position or 0][0]
                raise history.source.error(step.path, str(error)) from error
            for (step, _), receipt in zip(waiting, receipts, strict=True):
                if step.label is not None:
                    labels[step.label] = _entries_of(receipt)
            progress(len(waiting))
            waiting.clear()

    for step in history.steps:
        if has_labels(step.raw) or len(waiting) == MOST_IN_A_BATCH:
            await post()
        waiting.append((step, with_entries(step, labels, history.source)))
    await post()
    return labels


def _entries_of(receipt: EventReceipt) -> tuple[EntryId, ...]:
    return tuple(entry.entry_id for entry in receipt.entries)
