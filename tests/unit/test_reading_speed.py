"""Reading and scoring one reply against two hundred entries: in time, and in little memory."""

import subprocess
import sys
import time
from pathlib import Path

import msgspec
import pytest

from ledger_service.domain.entries import LedgerEntry
from ledger_service.domain.ledger import Ledger
from ledger_service.domain.packets import Reason, ScoreParts, Selected, Withheld
from ledger_service.domain.replies import Reply
from ledger_service.scoring.response_validity import response_validity
from tests.builders import a_commitment, a_hearsay, a_state, an_observation, known_by
from tests.speaking import a_scene

WORDS = (
    "lamp rope hull gate bell well bread knife horse cellar ledger mast crater tower bridge market chapel ford".split()
)
ENTRIES = tuple(
    maker(
        entry_id=f"e{i}",
        statement=f"{'Teo' if i % 3 else 'Orla'} moved the {WORDS[i % 18]} {WORDS[i % 7]} to the {WORDS[i % 11]} {i}",
        seq=i + 1,
        knowers=known_by("maelin" if i % 4 else "brun"),
    )
    for i, maker in ((i, (an_observation, a_hearsay, a_commitment)[i % 3]) for i in range(200))
)
LINES = [
    "You told me about the rope when you could have kept quiet. But the lamp is still out, and I don't forget that.",
    "Orla says the bread went to the chapel, and I can't swear to it. Ask me when the bell has rung, not before.",
    "I'll bring the knife tomorrow, you have my word. The gate stays shut tonight, whatever Tovi told you about it.",
    "The horse never went to the tower. Take the bridge, mind the well, and say nothing of the cellar to anybody.",
]


def _selected(entry: LedgerEntry, rank: int) -> Selected:
    return Selected(
        entry_id=entry.entry_id, kind="observation", statement=entry.statement, rank=rank, parts=ScoreParts(), band="",
        confidence=entry.confidence, status="active", how=entry.source.kind, tick=entry.at.tick,
    )  # fmt: skip


@pytest.mark.slow
def test_a_reply_is_read_and_scored_against_two_hundred_entries_in_fifteen_milliseconds() -> None:
    scene = a_scene(*ENTRIES, line="What of the lamp and the rope?")
    known = [e for e in ENTRIES if e.knowers[0].who == "maelin"]
    packet = msgspec.structs.replace(
        scene.packet,
        selected=tuple(_selected(e, i) for i, e in enumerate(known)),
        withheld=tuple(Withheld(entry_id=e.entry_id, reason=Reason.NOT_VISIBLE) for e in ENTRIES if e not in known),
    )
    ledger = Ledger(ENTRIES, (), roster=a_state().roster, at_seq=packet.seq)
    spent = []
    for i in range(80):
        text = f"{LINES[i % 4]} That was day {i}."
        start = time.process_time()
        claims = scene.claims(text)
        response_validity(
            packet, Reply(text=text, responder="t"), claims, world=scene.world, ledger=ledger, asked=scene.asked
        )  # fmt: skip
        spent.append((time.process_time() - start) * 1_000)
    p95 = sorted(spent)[75]
    print(f"median {sorted(spent)[40]:.2f} ms, p95 {p95:.2f} ms of processor time")
    assert p95 < 15.0


@pytest.mark.slow
def test_the_reader_starts_in_two_seconds_and_takes_less_than_250_megabytes() -> None:
    code = (
        "import resource, sys\n"
        "from ledger_service.readers.claims import PatternClaimReader\n"
        "PatternClaimReader().warm()\n"
        "used = resource.getrusage(resource.RUSAGE_SELF)\n"
        "scale = 1 if sys.platform == 'darwin' else 1024\n"
        "print(used.ru_utime + used.ru_stime, used.ru_maxrss * scale / 1e6)\n"
    )
    found = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parent.parent.parent,
    )
    seconds, megabytes = map(float, found.stdout.split())
    print(f"{seconds:.2f} s of processor time, {megabytes:.0f} MB")
    assert seconds < 2.0
    assert megabytes < 250
