"""A large run of probes for measuring: laid beside a small one by the server itself, out of what that one's tries say."""

from math import ceil
from typing import Final

import psycopg

from ledger_service.stores.postgres.connection import translated

REPEATS, DISTANCES, PRESSURES, WORDINGS = 25, 20, 25, 4
EACH: Final = REPEATS * DISTANCES
_BATCHES = """
INSERT INTO probe_batch (run_id, batch_no, distance, fence, done)
SELECT %(many)s, n, 'far_' || n, 1, true FROM generate_series(0, %(distances)s - 1) n
"""
_CELLS = """
INSERT INTO probe_cell (run_id, cell_no, batch_no, state, packet_hash, body)
SELECT %(many)s, n, n / %(a_batch)s, CASE n %% 3 WHEN 0 THEN 'fail' ELSE 'pass' END, 'h', %(cell)s::jsonb
    || jsonb_build_object('distance', 'far_' || n / %(a_batch)s, 'pressure', 'push_' || n %% %(pressures)s,
        'paraphrase', n / %(pressures)s %% %(wordings)s)
FROM generate_series(0, %(cells)s - 1) n
"""
_TRIES = """
INSERT INTO probe_attempt (run_id, cell_no, repeat, attempt, state, fault, fence, body)
SELECT %(many)s, c, r, 1, b.body->>'state', b.body->>'fault', 1, b.body
FROM generate_series(0, %(cells)s - 1) c, generate_series(1, %(repeats)s) r,
    LATERAL (SELECT (%(bodies)s::jsonb[])[1 + (c * 7 + r) %% %(kinds)s] AS body) b
"""


def cells_for(tries: int) -> int:
    """Return how many cells a run of at least so many tries has; every distance has as many."""
    return DISTANCES * ceil(tries / EACH)


async def load_tries(url: str, run_id: str, many_id: str, *, cells: int) -> None:
    """Fill a run that was added without cells, as the role that the service uses; its tries are those of another run."""
    with translated():
        async with await psycopg.AsyncConnection.connect(url, autocommit=True) as link:
            await _see(link, run_id)
            found = await link.execute("SELECT body::text FROM probe_attempt WHERE run_id = %s", [run_id])
            bodies = [row[0] for row in await found.fetchall()]
            found = await link.execute("SELECT body::text FROM probe_cell WHERE run_id = %s LIMIT 1", [run_id])
            values = {
                "many": many_id, "cell": (await found.fetchall())[0][0], "cells": cells, "bodies": bodies,
                "kinds": len(bodies), "repeats": REPEATS, "distances": DISTANCES, "pressures": PRESSURES,
                "wordings": WORDINGS, "a_batch": cells // DISTANCES,
            }  # fmt: skip
            await _see(link, many_id)
            for query in (_BATCHES, _CELLS, _TRIES):
                await link.execute(query, values)


async def _see(link: psycopg.AsyncConnection[tuple[object, ...]], run_id: str) -> None:
    await link.execute("SELECT set_config('continuity.run', %s, false)", [run_id])
