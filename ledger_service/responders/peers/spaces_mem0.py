"""mem0: a space for each knower (`user_id`), statements added as they are (`infer=False`): no model is asked."""

import os
from typing import Any, Final

from ledger_service.domain.ids import EntryId, digest
from ledger_service.domain.memory_contract import Ask, MemoryItem, Write
from ledger_service.responders.peers import Embed, load

os.environ.setdefault("MEM0_TELEMETRY", "False")
mem0 = load("mem0")
embeddings = load("langchain_core.embeddings")
_DIMENSIONS: Final = 256


class Mem0Memory:
    """The library's own `Memory`, over a store in its own process."""

    name = "mem0"

    def __init__(self, memory: Any) -> None:  # noqa: ANN401
        self._memory = memory
        self._there: dict[str, dict[EntryId, list[str]]] = {}

    async def reset(self, scope: str) -> None:
        """Forget a scope, all its spaces."""
        for ids in self._there.pop(scope, {}).values():
            self._delete(ids)
        self._there[scope] = {}

    async def write(self, told: Write) -> None:
        """Add each statement to the space of each who knows it, and delete what no longer holds."""
        there = self._there[told.scope]
        for entry in told.entries:
            for knower in () if entry.quarantined else entry.knowers:
                added = self._memory.add(
                    entry.statement, user_id=_space(told.scope, knower.who), infer=False, metadata={"entry": entry.id}
                )
                there.setdefault(entry.id, []).extend(row["id"] for row in added["results"])
        for ending in told.endings:
            if ending.gone:
                self._delete(there.pop(ending.id, []))

    def _delete(self, ids: list[str]) -> None:
        for memory_id in ids:
            self._memory.delete(memory_id)

    async def ask(self, question: Ask) -> tuple[MemoryItem, ...]:
        """Search every space in which the speaker looks, and return the best of them all."""
        found = [
            row
            for space in question.known_to
            for row in self._memory.search(
                question.line, filters={"user_id": _space(question.scope, space)}, top_k=question.limit, threshold=0.0
            )["results"]
        ]
        found.sort(key=lambda row: (-row["score"], row["metadata"]["entry"]))
        best = dict.fromkeys((row["metadata"]["entry"], row["memory"]) for row in found)
        return tuple(MemoryItem(id=entry, text=text) for entry, text in list(best)[: question.limit])


def _space(scope: str, who: str) -> str:
    return digest(scope, who)[:24]


def open_memory(embed: Embed) -> Mem0Memory:
    """Open it with the same vectors as everybody, in memory, and a model that is never asked."""

    class Vectors(embeddings.Embeddings):  # type: ignore[misc, name-defined]
        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            return embed(texts)

        def embed_query(self, text: str) -> list[float]:
            return embed([text])[0]

    store = {"path": ":memory:", "embedding_model_dims": _DIMENSIONS, "collection_name": "continuity"}
    return Mem0Memory(
        mem0.Memory.from_config(
            {
                "embedder": {
                    "provider": "langchain", "config": {"model": Vectors(), "embedding_dims": _DIMENSIONS},
                },
                "vector_store": {"provider": "qdrant", "config": store},
                "llm": {"provider": "openai", "config": {"api_key": "never asked"}},
                "history_db_path": ":memory:",
            }
        )
    )  # fmt: skip
