"""BM25 over everything that was ever written (bm25s): a search engine over the log, without a notion of who knows."""

from ledger_service.domain.ids import EntryId
from ledger_service.domain.memory_contract import Ask, MemoryItem, Write
from ledger_service.domain.terms import words
from ledger_service.responders.peers import Embed, load

bm25s = load("bm25s")


class WordsMemory:
    """One index for each scope, made anew when something was written."""

    name = "bm25s"

    def __init__(self) -> None:
        self._texts: dict[str, dict[EntryId, str]] = {}

    async def reset(self, scope: str) -> None:
        """Forget a scope."""
        self._texts[scope] = {}

    async def write(self, told: Write) -> None:
        """Keep statements, and take out what no longer holds."""
        there = self._texts[told.scope]
        there.update({e.id: e.statement for e in told.entries if not e.quarantined})
        for ending in told.endings:
            if ending.gone:
                there.pop(ending.id, None)

    async def ask(self, question: Ask) -> tuple[MemoryItem, ...]:
        """Return the statements that score above nothing, best first."""
        there = self._texts[question.scope]
        if not there or not words(question.line):
            return ()
        index = bm25s.BM25()
        index.index([words(text) for text in there.values()], show_progress=False)
        most = min(question.limit, len(there))
        places, scores = index.retrieve([words(question.line)], k=most, show_progress=False)
        ids = list(there)
        found = [(ids[int(at)], float(s)) for at, s in zip(places[0], scores[0], strict=True)]
        return tuple(MemoryItem(id=i, text=there[i]) for i, s in found if s > 0)


def open_memory(embed: Embed) -> WordsMemory:  # noqa: ARG001  (words have no vectors)
    """Open it."""
    return WordsMemory()
