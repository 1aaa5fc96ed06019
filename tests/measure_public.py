"""Measure the reader on the public sets: `python -m tests.measure_public`. Says so where they are absent.

CI-ToD: does the reply conflict with the ledger. CaSiNo: are the shares of a bargain the other way round, with true
claims as controls. Nothing is learned from them; the files stay out of the repository.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from ledger_service.domain.entries import LedgerEntry, Observation, Source, SourceKind
from ledger_service.domain.ledger import Ledger
from ledger_service.domain.packets import ScoreParts, Selected
from ledger_service.domain.playthroughs import StoryState
from ledger_service.domain.replies import Reply
from ledger_service.domain.rubric import Code, State, Verdict
from ledger_service.domain.slots import Slot
from ledger_service.domain.story_time import StoryTime
from ledger_service.domain.visibility import Knower
from ledger_service.domain.worlds import Character, World
from ledger_service.probing.reply_figures import share
from ledger_service.readers.claims import PatternClaimReader
from ledger_service.scoring.response_validity import response_validity
from tests.builders import a_moment
from tests.speaking import a_scene

PUBLIC = Path(__file__).parent.parent.parent / "shared" / "public"
READER = PatternClaimReader()


def rows(name: str) -> Iterator[dict[str, Any]]:
    with (PUBLIC / name).open(encoding="utf-8") as lines:
        yield from (json.loads(line) for line in lines)


def _entry(name: str, statement: str, who: str, slot: Slot | None = None) -> LedgerEntry:
    return Observation(
        entry_id=name, statement=statement, source=Source(kind=SourceKind.WITNESSED, by=who), seq=1,
        at=StoryTime(tick=1), knowers=(Knower(who=who, since_seq=1),), slot=slot,
    )  # fmt: skip


def judge(case: dict[str, Any], entries: tuple[LedgerEntry, ...], text: str, line: str) -> Verdict:
    """Judge a reply on a packet that holds every entry."""
    people = dict.fromkeys([case["speaker"], case["asker"]])
    world = World(id="w", title="", cast=tuple(Character(id=p, name=p) for p in people))
    moment = a_moment(speaker=case["speaker"], audience=(case["asker"],))
    scene = a_scene(world=world, speaker=moment.speaker, audience=moment.audience)
    packet = msgspec.structs.replace(
        scene.packet, speaker=case["speaker"], audience=(case["asker"],), line=line, flags=(),
        selected=tuple(_selected(e, i) for i, e in enumerate(entries)),
    )  # fmt: skip
    ledger = Ledger(entries, (), roster=StoryState().roster, at_seq=100)
    claims = READER.read(text, world=world, speaker=case["speaker"], audience=(case["asker"],))
    asked = READER.read(line, world=world, speaker=case["asker"], audience=(case["speaker"],))
    return response_validity(packet, Reply(text=text, responder="set"), claims, world=world, ledger=ledger, asked=asked)


def _selected(entry: LedgerEntry, rank: int) -> Any:
    return Selected(
        entry_id=entry.entry_id, kind="observation", statement=entry.statement, rank=rank, parts=ScoreParts(), band="",
        confidence=1.0, status="active", how=entry.source.kind, tick=1,
    )  # fmt: skip


def citod() -> Iterator[tuple[bool, bool]]:
    """Yield, for each reply, whether it conflicts with the ledger and whether that is found."""
    for case in rows("citod.jsonl"):
        who = case["speaker"]
        entries = tuple(
            _entry(f"{e['id']}.{k}", f"{e['subject']} {k} {v}", who, Slot(subject=e["id"], predicate=k, object=str(v)))
            for e in case["events"]
            if e.get("attributes") and e.get("subject")
            for k, v in e["attributes"].items()
            if str(v) not in {"-", ""}
        )
        text = next(e["text"] for e in case["events"] if e["id"] == case["reply_event"])
        before = " . ".join(e["text"] for e in case["events"] if e["kind"] == "utterance")
        verdict = judge(case, entries, text, before)
        hit = any(f.code is Code.CONTRADICTS_ENTRY for f in verdict.findings)
        yield bool(case["expected_flags"]["ledger"]), hit


def casino() -> Iterator[tuple[bool, bool]]:
    """Yield, for each claim of what was agreed, whether its shares are swapped and whether that is found."""
    for case in rows("casino_commitments.jsonl"):
        if case.get("probe") not in {"owner_swap", "true_claim"}:
            continue
        offer = next(e for e in case["events"] if e["id"] == case["must_include"][0])
        as_said = {**case, "speaker": case["asker"], "asker": case["speaker"]}
        verdict = judge(as_said, (_entry(offer["id"], offer["text"], case["asker"]),), case["question"], "")
        yield case["probe"] == "owner_swap", verdict.state is State.FAIL


def shown(name: str, pairs: list[tuple[bool, bool]]) -> str:
    tp = sum(a and b for a, b in pairs)
    fp = sum(b and not a for a, b in pairs)
    fn = sum(a and not b for a, b in pairs)
    p, r, alarm = share(tp, tp + fp), share(tp, tp + fn), share(fp, sum(not a for a, _ in pairs))
    f1 = 2 * tp / (2 * tp + fp + fn) if tp else 0.0

    def said(x: Any) -> str:
        return f"{x.rate} [{x.low:.2f}, {x.high:.2f}]"

    return f"{name}: n {len(pairs)}, F1 {f1:.3f}, precision {said(p)}, recall {said(r)}, false alarms {said(alarm)}"


def main() -> int:
    if not PUBLIC.is_dir():
        print(f"the public sets are not here ({PUBLIC}); nothing was measured")
        return 0
    print(shown("CI-ToD ledger conflict", list(citod())))
    print(shown("CaSiNo owner swap", list(casino())))
    return 0


if __name__ == "__main__":
    sys.exit(main())
