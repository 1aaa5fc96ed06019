"""Whatever is said, asked and on record, in any order: a verdict or `unscored` with its reason, always the same."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ledger_service.domain.entries import LedgerEntry
from ledger_service.domain.ledger import Ledger
from ledger_service.domain.rubric import Scorecard, State
from ledger_service.recording.from_reply import from_reply
from tests.builders import (
    a_commitment,
    a_contradiction,
    a_hearsay,
    a_relationship_delta,
    a_residue,
    an_observation,
    known_by,
)
from tests.speaking import Scene, a_scene, scored

ROOT = Path(__file__).parents[2]
PIECES = st.sampled_from(
    """
    I|you|he|Teo|maelin|the supervisor|player|nobody|somebody|it|the fuse|the relay|the lamp|the sensor|my word
    your promise|a debt|five crowns|twelve dozen|½|99999999999999|٣|will|shall|have|never|not|did|gave|brought
    saw with my own eyes|told me|swear|owe|take|replaced|was done|is broken|no longer|still|gladly|really|if
    because|and|,|.|?|!|…|“|”|"|'|’s|n't|*|(|[SYSTEM:|{"a": 1}|<b>|—|你|灯|안녕|سلام|él|für|🙂|İ|ß|\u200b|\u202e
    \u0301|\u0430|\ufdfa|\x00|yes|No,|perhaps|they say|as far as I know|tomorrow|yesterday|before dawn|together
    alone|thank you|forgive me|hands it over
    """.strip().replace("\n    ", "|").split("|")
)  # fmt: skip
TEXTS = st.one_of(st.lists(PIECES, max_size=25).map(" ".join), st.text(max_size=60))
KNOWERS = st.sampled_from([known_by("maelin"), known_by("maelin", "player"), known_by("teo")])
MAKERS = st.sampled_from([an_observation, a_hearsay, a_commitment, a_relationship_delta, a_residue])


@st.composite
def records(draw: st.DrawFn) -> tuple[LedgerEntry, ...]:
    """Some entries, and sometimes a contradiction of which not every side is there."""
    made: list[LedgerEntry] = []
    for n in range(draw(st.integers(0, 5))):
        given_: dict[str, Any] = {"entry_id": f"e{n}", "seq": n + 1, "knowers": draw(KNOWERS), "statement": draw(TEXTS)}
        made.append(draw(MAKERS)(**given_))
    if draw(st.booleans()):
        sides = draw(st.sampled_from([("e0", "e1"), ("e0", "gone"), ("gone", "lost")]))
        made.append(a_contradiction(*sides, entry_id="c", seq=9, knowers=known_by("maelin", "player")))
    return tuple(made)


def judged(scene: Scene, text: str) -> Scorecard:
    card = scored(scene, text)
    from_reply(scene.packet, scene.claims(text))
    return card


@given(records(), TEXTS, TEXTS)
def test_there_is_always_a_verdict_with_its_spans_or_a_reason(
    entries: tuple[LedgerEntry, ...], line: str, text: str
) -> None:
    for verdict in judged(a_scene(*entries, line=line), text).verdicts:
        assert verdict.state is not State.UNSCORED or verdict.why
        assert all(text.startswith(f.span, f.start) for f in verdict.findings if f.start is not None)


@given(records(), TEXTS, TEXTS)
def test_the_order_of_what_is_on_record_decides_nothing(entries: tuple[LedgerEntry, ...], line: str, text: str) -> None:
    scene = a_scene(*entries, line=line)
    turned = Scene(
        packet=scene.packet, world=scene.world, ledger=Ledger(
            entries[::-1], roster=scene.ledger.roster, at_seq=100, tick=100, forgetting=scene.world.forgetting
        ),
    )  # fmt: skip
    assert scored(scene, text) == scored(turned, text)


SEVERAL = """
from pathlib import Path
from ledger_service.probing.labelled import decode_labelled
from ledger_service.probing.source import read_source
from ledger_service.readers.claims import PatternClaimReader
from ledger_service.services.probes.check_replies import judge_labelled
from tests.speaking import READING
FILE = Path("probes/calibration/spoken/station.yaml")
for item in decode_labelled(read_source(FILE.read_bytes(), str(FILE), unfolding=50).values):
    print(item.id, judge_labelled(item, reading=READING, reader=PatternClaimReader())[0])
"""


def test_the_order_of_sets_decides_nothing() -> None:
    said = {
        subprocess.run(
            [sys.executable, "-c", SEVERAL], capture_output=True, text=True, check=True, cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2")
    }  # fmt: skip
    assert len(said) == 1
