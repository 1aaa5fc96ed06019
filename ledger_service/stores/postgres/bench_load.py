"""A large ledger for measuring: written by the server itself, in the shape that recording writes."""

import psycopg

from ledger_service.domain.ids import PlaythroughId
from ledger_service.stores.postgres.connection import translated

CHUNK = 100_000
WORDS = (
    "lantern harbour kettle saddle orchard furnace ledger compass barrel chapel anvil rudder beacon quarry mill toll ferry "
    "garden smoke copper thread salt cellar bridge market tower ribbon candle wagon hedge"
).split()
MEASURED = (
    "ledger_entry", "knower", "entry_term", "must_have", "amendment", "lineage", "probe_batch", "probe_cell",
    "probe_attempt",
)  # fmt: skip
VERBS = "mended carried hid sold found lent broke painted counted borrowed".split()

_ENTRIES = """
INSERT INTO ledger_entry (playthrough_id, world_id, entry_id, seq, tick, scene, turn, kind, statement, source_kind, source_by,
    channel, confidence, disclosure, unaware, expires, origin, protected, quarantined, content, embedding)
SELECT %(playthrough)s, 'bench', id, n, n / 100, n / 500, n, 'observation', said, 'witnessed', 'c' || (n %% 20), 'open', 1.0,
    'open', '{}', '{"type": "never"}', id, false, false,
    jsonb_build_object('kind', 'observation', 'entry_id', id, 'statement', said, 'seq', n, 'confidence', 1.0,
        'at', jsonb_build_object('tick', n / 100, 'scene', n / 500, 'turn', n),
        'source', jsonb_build_object('kind', 'witnessed', 'by', 'c' || (n %% 20), 'event_seq', n),
        'knowers', jsonb_build_array(jsonb_build_object('who', 'c' || (n %% 20), 'since_seq', n, 'since_tick', n / 100),
            jsonb_build_object('who', 'c' || ((n * 7 + 3) %% 20), 'since_seq', n, 'since_tick', n / 100))),
    decode(repeat(md5(said), 16), 'hex')
FROM (SELECT n, 'e' || substr(md5(n::text || %(playthrough)s), 1, 20) AS id,
    'c' || (n %% 20) || ' ' || (%(verbs)s::text[])[1 + n %% 10] || ' the ' || (%(words)s::text[])[1 + (n * 31) %% 30] || ' by the '
    || (%(words)s::text[])[1 + (n * 17 + 5) %% 30] AS said FROM generate_series(%(first)s::bigint, %(last)s::bigint) n) made
"""
_KNOWERS = """
INSERT INTO knower (playthrough_id, world_id, knower, entry_id, seq)
SELECT %(playthrough)s, 'bench', k.who, e.entry_id, e.seq FROM ledger_entry e
CROSS JOIN LATERAL (SELECT 'c' || (e.seq %% 20) AS who UNION SELECT 'c' || ((e.seq * 7 + 3) %% 20)) k
WHERE e.playthrough_id = %(playthrough)s AND e.seq BETWEEN %(first)s AND %(last)s
"""
_TERMS = """
INSERT INTO entry_term (playthrough_id, world_id, knower, term, entry_id, seq)
SELECT DISTINCT %(playthrough)s, 'bench', k.knower, t.term, k.entry_id, k.seq FROM knower k CROSS JOIN LATERAL (VALUES
    ('c' || (k.seq %% 20)), ((%(verb_stems)s::text[])[1 + k.seq %% 10]), ((%(word_stems)s::text[])[1 + (k.seq * 31) %% 30]),
    ((%(word_stems)s::text[])[1 + (k.seq * 17 + 5) %% 30])) AS t (term)
WHERE k.playthrough_id = %(playthrough)s AND k.seq BETWEEN %(first)s AND %(last)s
"""
_STATE = """
UPDATE playthrough SET story_state = story_state || jsonb_build_object('seq', %(n)s::bigint,
    'at', jsonb_build_object('tick', %(n)s::bigint / 100, 'scene', %(n)s::bigint / 500, 'turn', %(n)s::bigint))
WHERE playthrough_id = %(playthrough)s
"""


async def load_ledger(
    url: str, playthrough_id: PlaythroughId, *, entries: int, word_stems: list[str], verb_stems: list[str]
) -> None:
    """Fill an open playthrough with entries of 20 characters, two of whom know each, as the role that the service uses."""
    with translated():
        async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
            await connection.execute("SELECT set_config('continuity.playthrough', %s, false)", [playthrough_id])
            for first in range(1, entries + 1, CHUNK):
                values = {
                    "playthrough": playthrough_id, "first": first, "last": min(entries, first + CHUNK - 1), "words": WORDS,
                    "verbs": VERBS, "word_stems": word_stems, "verb_stems": verb_stems,
                }  # fmt: skip
                for query in (_ENTRIES, _KNOWERS, _TERMS):
                    await connection.execute(query, values)
            await connection.execute(_STATE, {"n": entries, "playthrough": playthrough_id})


async def settle_statistics(admin_url: str) -> None:
    """Let the planner know what was loaded, as autovacuum would in time."""
    with translated():
        async with await psycopg.AsyncConnection.connect(admin_url, autocommit=True) as connection:
            await connection.execute(f"VACUUM (ANALYZE) {', '.join(MEASURED)}".encode())


async def bare_round_trip(url: str) -> psycopg.AsyncConnection[tuple[object, ...]]:
    """Open a connection on which `SELECT 1` is prepared, to measure against."""
    connection = await psycopg.AsyncConnection.connect(url, autocommit=True, prepare_threshold=0)
    await connection.execute("SELECT 1")
    return connection
