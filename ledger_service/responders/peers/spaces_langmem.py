"""LangMem: a namespace for each knower, its own manage and search tools over LangGraph's store, without an agent."""

from typing import Any

from ledger_service.domain.ids import EntryId, digest
from ledger_service.domain.memory_contract import Ask, MemoryItem, Write
from ledger_service.responders.peers import Embed, load

langmem = load("langmem")
store_memory = load("langgraph.store.memory")
Placed = tuple[str, str]
"""A space, and the key of a memory in it."""


class LangMemMemory:
    """The tools that an agent would be given, called as an agent would call them."""

    name = "langmem"

    def __init__(self, embed: Embed, *, dimensions: int) -> None:
        self._store = store_memory.InMemoryStore(index={"dims": dimensions, "embed": lambda texts: embed(list(texts))})
        space = ("memories", "{space}")
        self._manage = langmem.create_manage_memory_tool(namespace=space, store=self._store)
        self._search = langmem.create_search_memory_tool(
            namespace=space, store=self._store, response_format="content_and_artifact"
        )
        self._there: dict[str, dict[EntryId, list[Placed]]] = {}
        self._entry: dict[str, EntryId] = {}

    async def reset(self, scope: str) -> None:
        """Forget a scope, all its spaces."""
        for placed in self._there.pop(scope, {}).values():
            self._delete(placed)
        self._there[scope] = {}

    async def write(self, told: Write) -> None:
        """Have each statement remembered in the space of each who knows it, and deleted where it no longer holds."""
        there = self._there[told.scope]
        for entry in told.entries:
            for knower in () if entry.quarantined else entry.knowers:
                space = _space(told.scope, knower.who)
                said = self._manage.invoke({"content": entry.statement, "action": "create"}, config=_in(space))
                key = str(said).rsplit(" ", 1)[-1]
                there.setdefault(entry.id, []).append((space, key))
                self._entry[key] = entry.id
        for ending in told.endings:
            if ending.gone:
                self._delete(there.pop(ending.id, []))

    def _delete(self, placed: list[Placed]) -> None:
        for space, key in placed:
            self._manage.invoke({"action": "delete", "id": key}, config=_in(space))
            self._entry.pop(key, None)

    async def ask(self, question: Ask) -> tuple[MemoryItem, ...]:
        """Search every space in which the speaker looks, and return the best of them all."""
        found: list[Any] = []
        for space in question.known_to:
            call = {"query": question.line, "limit": question.limit}
            answer = self._search.invoke(
                {"type": "tool_call", "id": "1", "name": self._search.name, "args": call},
                config=_in(_space(question.scope, space)),
            )
            found += answer.artifact
        found.sort(key=lambda item: (-item.score, self._entry[item.key]))
        best = dict.fromkeys((self._entry[item.key], str(item.value["content"])) for item in found)
        return tuple(MemoryItem(id=entry, text=text) for entry, text in list(best)[: question.limit])


def _space(scope: str, who: str) -> str:
    return digest(scope, who)[:24]


def _in(space: str) -> dict[str, dict[str, str]]:
    return {"configurable": {"space": space}}


def open_memory(embed: Embed) -> LangMemMemory:
    """Open it with the same vectors as everybody, in memory."""
    return LangMemMemory(embed, dimensions=256)
