"""A memory system behind the contract, served on loopback: who knows what, what is gone, most words in common first."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler

from ledger_service.domain.terms import term_set
from tests.providers import says, serving


class WordsInCommon:
    """Keeps entries as they are posted; returns what the speaker may say, or with `leaks` whatever there is."""

    def __init__(self, *, leaks: bool = False, ids: bool = True) -> None:
        self.leaks, self.ids = leaks, ids
        self.scopes: dict[str, dict[str, dict]] = {}
        self.calls: list[str] = []

    def reset(self, body: dict) -> dict:
        self.scopes[body["scope"]] = {}
        return {}

    def write(self, body: dict) -> dict:
        there = self.scopes[body["scope"]]
        there.update({entry["id"]: entry for entry in body.get("entries", ())})
        for ending in body.get("endings", ()):
            if ending["gone"]:
                there.pop(ending["id"], None)
        return {}

    def ask(self, body: dict) -> dict:
        entries = [e for e in self.scopes[body["scope"]].values() if self.leaks or self._may_say(e, body)]
        entries.sort(key=lambda e: (-len(term_set(e["statement"]) & term_set(body["line"])), -e["seq"], e["id"]))
        shown = entries[: body["limit"]]
        return {"items": [{"id": e["id"] if self.ids else "", "text": e["statement"]} for e in shown]}

    @staticmethod
    def _may_say(entry: dict, body: dict) -> bool:
        knows = {knower["who"] for knower in entry["knowers"]} & set(body["known_to"])
        listeners = set(body["audience"])
        is_open = entry.get("disclosure", "open") == "open" or listeners <= set(entry.get("to", ()))
        return (
            bool(knows) and is_open and not listeners & set(entry.get("unaware", ())) and not entry.get("quarantined")
        )


@contextmanager
def memory_server(memory: WordsInCommon) -> Iterator[str]:
    def answer(handler: BaseHTTPRequestHandler, body: dict, gone: threading.Event) -> None:
        call = handler.path.strip("/")
        memory.calls.append(call)
        says(json.dumps(getattr(memory, call)(body)).encode())(handler, body, gone)

    with serving(answer) as url:
        yield url
