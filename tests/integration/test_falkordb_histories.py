"""Made-up histories, mirrored in pieces and partly twice, are in the graph exactly as in the record."""

import random
from collections.abc import AsyncIterator

import pytest

from ledger_service.domain.entries import LedgerEntry
from ledger_service.domain.rumours import PASSED_ON, Telling, TellingOutcome, build_chain, version_of_entry
from ledger_service.domain.visibility import Knower
from ledger_service.recording.mirror import mirror_batch
from ledger_service.stores.falkordb.client import GraphClient
from ledger_service.stores.falkordb.rumour_graph import FalkorRumourGraph, graph_name
from tests.builders import a_hearsay, an_observation

pytestmark = [pytest.mark.anyio, pytest.mark.falkordb]
PLAYED = "made-up"


@pytest.fixture
async def client(client: GraphClient) -> AsyncIterator[GraphClient]:
    yield client
    await client.drop(graph_name(PLAYED))


class MadeUp:
    """A history grown step by step from a seed."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)
        self.cast = [*(f"c{i}" for i in range(self.draw.choice([1, 3, 8]))), "group:crew", "public"]
        self.entries: list[LedgerEntry] = []
        self.tellings: list[Telling] = []

    def step(self) -> tuple[list[LedgerEntry], list[Telling]]:
        before = len(self.entries), len(self.tellings)
        for _ in range(self.draw.randint(0, 12)):
            if self.entries and self.draw.random() < 0.5:
                self._retell(self.draw.choice(self.entries))
            else:
                self.entries.append(an_observation(knowers=self._knowers(), **self._common()))
        return self.entries[before[0] :], self.tellings[before[1] :]

    def _common(self) -> dict[str, object]:
        seq = len(self.entries) + 1
        place = self.draw.choice([None, "inn", "mill"])
        return {"entry_id": f"e{seq}", "seq": seq, "place": place, "confidence": self.draw.random()}

    def _knowers(self) -> tuple[Knower, ...]:
        who = self.draw.sample(self.cast, self.draw.randint(1, len(self.cast)))
        how = ("witnessed", "told_by")
        return tuple(Knower(who=w, how=self.draw.choice(how), confidence=self.draw.choice([None, 0.25])) for w in who)

    def _retell(self, told: LedgerEntry) -> None:
        entry = a_hearsay(knowers=self._knowers()[:1], origin=told.root, **self._common())
        self.entries.append(entry)
        self.tellings.append(
            Telling(
                telling_id=f"t{entry.seq}", from_entry=told.entry_id, origin=told.root, seq=entry.seq, tick=entry.seq,
                to_entry=self.draw.choice([entry.entry_id] * 4 + [None]), teller="somebody",
                listener=entry.knowers[0].who, outcome=self.draw.choice(list(TellingOutcome)),
            )
        )  # fmt: skip

    def last_borne_out(self, entry: LedgerEntry, who: str) -> int:
        told = (
            t for t in self.tellings if t.outcome in PASSED_ON and (t.to_entry, t.listener) == (entry.entry_id, who)
        )
        return max([entry.at.tick, *(t.tick for t in told)])


@pytest.mark.parametrize("seed", range(25))
async def test_a_history_is_mirrored_exactly(client: GraphClient, seed: int) -> None:
    graph, made = FalkorRumourGraph(client), MadeUp(seed)
    await graph.finish(PLAYED, await graph.begin(PLAYED))
    assert (await graph.state(PLAYED)).beliefs == {}
    for _ in range(made.draw.randint(1, 6)):
        batch = mirror_batch(*made.step())
        for _ in range(made.draw.choice([1, 1, 2])):
            assert await graph.apply(PLAYED, batch)

    async def pairs(query: str) -> set[tuple[object, ...]]:
        return {tuple(row) for row in await client.read(graph_name(PLAYED), query)}

    whole = mirror_batch(made.entries, made.tellings)
    state = await graph.state(PLAYED)
    assert state.beliefs == {f"{e.version.entry_id}|{w}": m for e in whole.entries for w, m in e.holders.items()}
    assert state.tellings == {t.telling_id for t in made.tellings}
    assert await pairs("MATCH (c:Character)-[w:WITNESSED]->(e:Event) RETURN e.id, c.id") == {
        (e.version.entry_id, w)
        for e in whole.entries
        for w in e.witnesses
        if w.startswith("c") and not e.version.is_hearsay
    }
    assert await pairs("MATCH (e)-[a:AT]->(p:Place) RETURN e.id, p.id") == {
        (e.entry_id, e.place) for e in made.entries if e.place
    }
    assert await pairs("MATCH (e)-[o:ORIGIN]->(root) RETURN e.id, root.id") == {
        (e.entry_id, e.root) for e in made.entries if e.root != e.entry_id
    }
    assert await pairs("MATCH (k)-[h:HOLDS]->(e) RETURN e.id, k.id, h.last_reinforced") == {
        (e.entry_id, k.who, made.last_borne_out(e, k.who)) for e in made.entries for k in e.knowers
    }
    for entry in made.entries:
        expected = build_chain(entry.entry_id, map(version_of_entry, made.entries), made.tellings, store="graph")
        assert await graph.chain(PLAYED, entry.entry_id) == expected
