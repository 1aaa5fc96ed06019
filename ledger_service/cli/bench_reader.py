"""`continuity bench reader`: what it costs to read one reply and score it against two hundred entries."""

import gc
import json
import subprocess
import sys
import time
from typing import Any, Final

import click
from msgspec import Struct
from msgspec.structs import replace

from ledger_service.cli import show
from ledger_service.cli.run import console, emit, json_option
from ledger_service.domain.candidates import Candidates
from ledger_service.domain.entries import Commitment, Hearsay, LedgerEntry, Observation, Source, SourceKind
from ledger_service.domain.ledger import Ledger
from ledger_service.domain.moments import Moment
from ledger_service.domain.packets import ContextPacket
from ledger_service.domain.playthroughs import StoryState
from ledger_service.domain.replies import Reply
from ledger_service.domain.story_time import StoryTime
from ledger_service.domain.visibility import Knower
from ledger_service.domain.worlds import Character, World
from ledger_service.ports import ClaimReader, Embedder
from ledger_service.reconcile.pipeline import reconcile
from ledger_service.scoring.response_validity import response_validity
from ledger_service.services.replies.score_reply import read_claims, read_line

ENTRIES: Final = 200
_WORDS: Final = (
    "lamp rope hull gate bell well bread knife horse cellar ledger mast crater tower bridge market chapel ford".split()
)
_CAST: Final = ("maelin", "teo", "orla", "brun", "player")
_LINES: Final = (
    "You told me about the rope when you could have kept quiet. But the lamp is still out, and I don't forget that.",
    "Orla says the bread went to the chapel, and I can't swear to it. Ask me when the bell has rung, not before.",
    "I'll bring the knife tomorrow, you have my word. The gate stays shut tonight, whatever Brun told you about it.",
    "The horse never went to the tower. Take the bridge, mind the well, and say nothing of the cellar to anybody.",
)
_START: Final = """
import json, resource, time
begun = time.perf_counter()
from ledger_service.readers.claims import PatternClaimReader
from ledger_service.readers.embedder import WordLlamaEmbedder
import ledger_service.scoring.response_validity
from ledger_service.scoring.words.lexicon import warm
PatternClaimReader().warm()
warm()
WordLlamaEmbedder().embed(["the mast heater is dead"])
used = resource.getrusage(resource.RUSAGE_SELF)
try:  # ru_maxrss also counts whoever started this process
    with open("/proc/self/status") as status:
        most = next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM"))
except OSError:
    most = used.ru_maxrss
print(json.dumps({"s": time.perf_counter() - begun, "cpu": used.ru_utime + used.ru_stime, "mb": most / 1e6}))
"""


class ReaderFigures(Struct, frozen=True, kw_only=True):
    """What reading and scoring cost: milliseconds a reply, and what the reader takes when it starts."""

    replies: int
    entries: int
    p50_ms: float
    p95_ms: float
    cpu_p50_ms: float
    cpu_p95_ms: float
    start_s: float
    start_cpu_s: float
    resident_mb: float


@click.command("reader")
@click.option(
    "--rounds", type=click.IntRange(20, 100_000), default=400, show_default=True, help="Replies read and scored."
)
@json_option
def bench_reader(rounds: int, as_json: bool) -> None:
    """Measure one reply read and scored against 200 entries, on one core; and what the reader takes at its start.

    `cpu` is processor time: what a reply costs however busy the machine is. Needs no store.

    Example: continuity bench reader --rounds 200 --json
    """
    from ledger_service.bootstrap import open_claim_reader, open_reading  # noqa: PLC0415  (loads every language)

    figures = measure(open_claim_reader(), rounds, embedder=open_reading().embedder)
    if as_json:
        emit({"bench": "reader", "rows": [figures]})
        return
    shown = (
        ("a reply, elapsed", f"{figures.p50_ms:.2f} ms", f"{figures.p95_ms:.2f} ms"),
        ("a reply, processor time", f"{figures.cpu_p50_ms:.2f} ms", f"{figures.cpu_p95_ms:.2f} ms"),
        ("start of the reader", f"{figures.start_s:.2f} s", f"{figures.start_cpu_s:.2f} s of processor time"),
        ("resident after the start", f"{figures.resident_mb:.0f} MB", ""),
    )
    console.print(show.rows(f"bench reader, {figures.entries} entries", ("case", "p50", "p95"), shown))


def measure(reader: ClaimReader, rounds: int, *, embedder: Embedder) -> ReaderFigures:
    """Read and score as many replies as there are rounds, no two alike, after a tenth for warmth."""
    cast = tuple(Character(id=c, name=c.title()) for c in _CAST)
    world = World(id="bench", title="bench", cast=cast, max_items=ENTRIES, max_tokens=32_000)
    entries = tuple(_entry(i) for i in range(ENTRIES))
    packet = _packet(entries, world)
    ledger = Ledger(entries, (), roster=StoryState().roster, at_seq=packet.seq)
    meanings = dict(zip(ledger.entries, embedder.embed([e.statement for e in entries]), strict=True))

    def near(text: str) -> dict[str, int]:
        return embedder.similarity(text, meanings)

    spent: list[tuple[float, float]] = []
    gc.collect()
    gc.freeze()  # as the service does once it has started
    warm = max(3, rounds // 10)
    for i in range(warm + rounds):
        reply = Reply(text=f"{_LINES[i % len(_LINES)]} That was day {i}.", responder="bench")
        said = replace(packet, line=f"What of the {_WORDS[i % 18]} and the {_WORDS[(i // 18) % 18]}?")
        begun, cpu = time.perf_counter(), time.process_time()
        claims = read_claims(said, reply, world=world, reader=reader)
        asked = read_line(said, world=world, reader=reader)
        response_validity(said, reply, claims, world=world, ledger=ledger, asked=asked, near=near)
        spent.append(((time.perf_counter() - begun) * 1_000, (time.process_time() - cpu) * 1_000))
    elapsed, used = (sorted(column) for column in zip(*spent[warm:], strict=True))
    start = _started()
    return ReaderFigures(
        replies=rounds, entries=ENTRIES, p50_ms=_at(elapsed, 0.5), p95_ms=_at(elapsed, 0.95),
        cpu_p50_ms=_at(used, 0.5), cpu_p95_ms=_at(used, 0.95), start_s=round(start["s"], 3),
        start_cpu_s=round(start["cpu"], 3), resident_mb=round(start["mb"], 1),
    )  # fmt: skip


def _at(ordered: list[float], part: float) -> float:
    return round(ordered[min(len(ordered) - 1, int(part * len(ordered)))], 3)


def _started() -> dict[str, Any]:
    """Start the reader in a process of its own, and return what that took."""
    command = [sys.executable, "-c", _START]
    done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603  (our own words)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def _entry(i: int) -> LedgerEntry:
    """Return one of two hundred entries: seen, heard or owed; three in four known to the speaker."""
    who = "maelin" if i % 4 else "brun"
    statement = f"{_CAST[1 + i % 2]} moved the {_WORDS[i % 18]} {_WORDS[i % 7]} to the {_WORDS[i % 11]} {i}"
    at, knowers = StoryTime(tick=i), (Knower(who=who, since_seq=i + 1),)
    match i % 3:
        case 0:
            seen = Source(kind=SourceKind.WITNESSED, by=who)
            return Observation(
                entry_id=f"e{i}", statement=statement, source=seen, seq=i + 1, at=at, knowers=knowers
            )  # fmt: skip
        case 1:
            told = Source(kind=SourceKind.TOLD_BY, by="teo")
            return Hearsay(
                entry_id=f"e{i}", statement=statement, source=told, seq=i + 1, at=at, knowers=knowers, teller="teo",
                confidence=0.5,
            )  # fmt: skip
        case _:
            seen = Source(kind=SourceKind.WITNESSED, by=who)
            return Commitment(
                entry_id=f"e{i}", statement=statement, source=seen, seq=i + 1, at=at, knowers=knowers, owner="player",
                to="maelin",
            )  # fmt: skip


def _packet(entries: tuple[LedgerEntry, ...], world: World) -> ContextPacket:
    """Return a packet that holds all that its speaker knows, and keeps back the rest."""
    moment = Moment(speaker="maelin", audience=("player",), at=StoryTime(tick=ENTRIES), seq=ENTRIES + 1)
    return reconcile(Candidates(entries=entries, amendments=(), world=world, state=StoryState()), moment)
