"""The doctor: looks at both stores and the disk, and says of each fault what to do about it."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, LiteralString

import psycopg
import redis
from msgspec import Struct
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from redis.backoff import NoBackoff
from redis.retry import Retry

State = Literal["ok", "warn", "fail"]
OLDEST_POSTGRES = 150_000
OLDEST_FALKORDB = 41_600
SAFE_GROWTH = 42_200
"""Modules from here on survive growing past NODE_CREATION_BUFFER while they are read."""
ANSWER_SECONDS = 5
LAG_WORTH_A_WORD = 1_000
ROOM_BYTES = 1_000_000_000
GRAPHS_LOOKED_AT = 1_000
ROWS_NO_ANSWER_HAS = 1_000_000
HEALTH = "continuity-health"

Link = psycopg.Connection[tuple[Any, ...]]


class Finding(Struct, frozen=True, kw_only=True):
    """One thing that was looked at."""

    name: str
    state: State
    detail: str
    cure: str = ""
    """What to do about it; empty where all is well."""


def examine_disk(home: Path) -> Finding:
    """See how much room there is where the embedded stores and reports are kept."""
    there = next(p for p in (home, *home.parents) if p.exists())
    free = shutil.disk_usage(there).free
    state: State = "ok" if free >= ROOM_BYTES else "warn"
    return _found("disk", state, f"{free // 1_000_000:,} MB free at {home}", "make room, or move CONTINUITY_HOME")


def examine_record(app_url: str, *, head: str, worker_url: str | None = None) -> tuple[Finding, ...]:
    """Look at Postgres as the service sees it; `head` is the newest migration that this version knows."""
    checks: dict[str, Callable[[Link], Finding]] = {
        "postgres version": _postgres_version,
        "role": _role,
        "schema": lambda link: _schema(link, head),
        "row-level security": _row_security,
        "durability": _durability,
    }
    try:
        with _connect(app_url) as link:
            findings = tuple(_careful(name, check, link) for name, check in checks.items())
    except psycopg.Error as error:
        cure = "start the server, or correct CONTINUITY_POSTGRES_URL"
        return (_found("postgres", "fail", _first_line(error), cure),)
    return (_found("postgres", "ok", "answers"), *findings, _lag(worker_url or app_url))


def examine_graph(url: str | None, *, fault: str = "it was not started") -> tuple[Finding, ...]:
    """Look at FalkorDB; without it the record works all the same, so nothing here is more than its own fault."""
    cure = "start the server, or correct CONTINUITY_FALKORDB_URL; packets and why work meanwhile"
    if url is None:
        return (_found("falkordb", "fail", fault, cure),)
    checks = {
        "falkordb version": _engine_version, "eviction": _eviction, "limits": _limits, "graph size": _growth,
    }  # fmt: skip
    try:
        with _graph_client(url) as client:
            answer = _ask(client)
            return (answer, *(_careful_graph(name, check, client) for name, check in checks.items()))
    except (redis.RedisError, OSError, ValueError) as error:
        return (_found("falkordb", "fail", _first_line(error), cure),)


def _connect(url: str) -> Link:
    options = f"{conninfo_to_dict(url).get('options') or ''} -c statement_timeout={ANSWER_SECONDS}s"
    return psycopg.connect(make_conninfo(url, options=options, connect_timeout=ANSWER_SECONDS), autocommit=True)


def _careful(name: str, check: Callable[[Link], Finding], link: Link) -> Finding:
    try:
        return check(link)
    except psycopg.Error as error:
        return _found(name, "fail", _first_line(error), "run `continuity migrate`, then look again")


def _row(link: Link, query: LiteralString, *parameters: object) -> tuple[Any, ...]:
    return link.execute(query, parameters).fetchone() or ()


def _postgres_version(link: Link) -> Finding:
    version = link.info.server_version
    state: State = "ok" if version >= OLDEST_POSTGRES else "fail"
    return _found("postgres version", state, f"PostgreSQL {version // 10_000}", "upgrade it to 15 or newer")


def _role(link: Link) -> Finding:
    query: LiteralString = (
        "SELECT bool_or(rolsuper), bool_or(rolbypassrls), min(session_user) FROM pg_roles"
        " WHERE rolname IN (current_user, session_user)"
    )
    is_super, bypasses, name = _row(link, query)
    if is_super or bypasses:
        what = "is a superuser" if is_super else "bypasses row-level security"
        return _found("role", "fail", f"{name} {what}", "use a login without such rights in CONTINUITY_POSTGRES_URL")
    member = _row(link, "SELECT pg_has_role(oid, 'MEMBER') FROM pg_roles WHERE rolname = 'continuity_app'")
    if member != (True,):
        cure = "run `continuity migrate`, which lets the service's login act as continuity_app"
        return _found("role", "fail", f"{name} may not act as continuity_app", cure)
    return _found("role", "ok", f"{name} bypasses nothing")


def _schema(link: Link, head: str) -> Finding:
    cure = "run `continuity migrate`"
    if _row(link, "SELECT to_regclass('alembic_version')") == (None,):
        return _found("schema", "fail", "the database was never migrated", cure)
    revision = "".join(_row(link, "SELECT version_num FROM alembic_version"))
    state: State = "ok" if revision == head else "fail"
    return _found("schema", state, f"at {revision or 'nothing'}, this version needs {head}", cure)


def _row_security(link: Link) -> Finding:
    query: LiteralString = (
        "SELECT c.relname, c.relrowsecurity AND c.relforcerowsecurity FROM pg_class c"
        " JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'playthrough_id' AND NOT a.attisdropped"
        " WHERE c.relkind IN ('r', 'p') AND c.relnamespace = 'public'::regnamespace ORDER BY 1"
    )
    tables = link.execute(query).fetchall()
    bare = [name for name, secured in tables if not secured]
    if bare or not tables:
        detail = f"not on and forced for {', '.join(bare)}" if bare else "there are no tables yet"
        return _found("row-level security", "fail", detail, "run `continuity migrate`; never switch it off by hand")
    return _found("row-level security", "ok", f"on and forced for {len(tables)} tables")


def _durability(link: Link) -> Finding:
    query: LiteralString = "SELECT current_setting('fsync'), current_setting('full_page_writes')"
    state: State = "ok" if _row(link, query) == ("on", "on") else "warn"
    detail = "commits reach the disk" if state == "ok" else "a power cut may lose or damage what was committed"
    return _found("durability", state, detail, "set fsync and full_page_writes to on")


def _lag(url: str) -> Finding:
    """Count what waits for the mirror, as the worker; nobody else may see all of it."""
    try:
        with _connect(url) as link:
            link.execute("SET ROLE continuity_worker")
            (waiting,) = _row(link, "SELECT count(*) FROM outbox")
    except psycopg.Error as error:
        return _found("mirror lag", "warn", _first_line(error), "run `continuity migrate`, then look again")
    state: State = "ok" if waiting <= LAG_WORTH_A_WORD else "warn"
    return _found("mirror lag", state, f"{waiting:,} batches wait", "run `continuity worker`; the graph catches up")


def _graph_client(url: str) -> redis.Redis:
    unix = url.startswith("unix:")
    limits: dict[str, Any] = {} if unix else {"socket_connect_timeout": ANSWER_SECONDS}
    return redis.Redis.from_url(url, socket_timeout=ANSWER_SECONDS, retry=Retry(NoBackoff(), 0), **limits)


def _call(client: redis.Redis, *words: str | bytes) -> Any:  # noqa: ANN401  (what the wire brings)
    return client.execute_command(*words)  # type: ignore[no-untyped-call]


def _careful_graph(name: str, check: Callable[[redis.Redis], Finding], client: redis.Redis) -> Finding:
    try:
        return check(client)
    except redis.ResponseError as error:
        return _found(name, "warn", _first_line(error), "let the login run MODULE LIST, CONFIG GET and GRAPH.*")


def _ask(client: redis.Redis) -> Finding:
    """Put a real query, since PING answers even where every thread that could run one is stuck."""
    try:
        _call(client, "GRAPH.RO_QUERY", HEALTH, "RETURN 1")
    except redis.ResponseError as error:
        if "empty key" not in str(error):
            raise
    return _found("falkordb", "ok", "answers")


def _version(client: redis.Redis) -> int:
    modules = [_pairs(module) for module in _call(client, "MODULE LIST")]
    return next((int(module["ver"]) for module in modules if module["name"] == "graph"), 0)


def _engine_version(client: redis.Redis) -> Finding:
    version = _version(client)
    if not version:
        return _found("falkordb version", "fail", "the server has no graph module", "use a FalkorDB server")
    shown = f"FalkorDB {version // 10_000}.{version // 100 % 100}.{version % 100}"
    state: State = "ok" if version >= OLDEST_FALKORDB else "fail"
    return _found("falkordb version", state, shown, "upgrade it to 4.16 or newer")


def _eviction(client: redis.Redis) -> Finding:
    policy = _pairs(_call(client, "CONFIG GET", "maxmemory-policy")).get("maxmemory-policy", "unknown")
    state: State = "ok" if policy == "noeviction" else "fail"
    cure = "start it with --maxmemory-policy noeviction, or whole graphs disappear"
    return _found("eviction", state, str(policy), cure)


def _limits(client: redis.Redis) -> Finding:
    rows = int(_setting(client, "RESULTSET_SIZE"))
    cuts = 0 <= rows < ROWS_NO_ANSWER_HAS
    detail = f"answers are cut at {rows:,} rows without a word" if cuts else "answers come whole"
    return _found("limits", "warn" if cuts else "ok", detail, "start the engine with RESULTSET_SIZE -1")


def _growth(client: redis.Redis) -> Finding:
    """Compare the largest graph with the size at which an old engine crashes when it grows while being read."""
    names = sorted(_call(client, "GRAPH.LIST"))
    counts = [_count_nodes(client, name) for name in names[:GRAPHS_LOOKED_AT]]
    largest, buffer = max(counts, default=0), int(_setting(client, "NODE_CREATION_BUFFER"))
    is_near = _version(client) < SAFE_GROWTH and largest > buffer // 2
    cure = f"start the engine with a NODE_CREATION_BUFFER above {2 * largest:,}, or upgrade it to 4.22"
    detail = f"{len(names):,} graphs, the largest with {largest:,} nodes (buffer {buffer:,})"
    return _found("graph size", "warn" if is_near else "ok", detail, cure)


def _count_nodes(client: redis.Redis, name: bytes) -> int:
    try:
        return int(_call(client, "GRAPH.RO_QUERY", name, "MATCH (n) RETURN count(n)")[1][0][0])
    except redis.ResponseError:
        return 0  # erased since it was listed


def _setting(client: redis.Redis, name: str) -> str:
    return str(_call(client, "GRAPH.CONFIG", "GET", name)[1])


def _pairs(answer: Any) -> dict[str, Any]:  # noqa: ANN401  (a dict, or a flat list by the protocol's version)
    items = answer.items() if isinstance(answer, dict) else zip(answer[::2], answer[1::2], strict=True)
    return {_text(key): _text(value) for key, value in items}


def _text(value: Any) -> Any:  # noqa: ANN401  (what the wire brings)
    return value.decode(errors="replace") if isinstance(value, bytes) else value


def _found(name: str, state: State, detail: str, cure: str = "") -> Finding:
    return Finding(name=name, state=state, detail=detail, cure="" if state == "ok" else cure)


def _first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]
