"""How well the scorer does on replies labelled by hand: floors that it really reaches, and few false alarms."""

import warnings
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest
from ruamel.yaml import YAML

from ledger_service.domain.ledger import Ledger
from ledger_service.domain.packets import ActOnly, Consequence, ContextPacket, Reason, ScoreParts, Selected, Withheld
from ledger_service.domain.replies import Reply
from ledger_service.domain.rubric import Axis, State, Verdict
from ledger_service.domain.worlds import VoiceCard, World
from ledger_service.probing.cases import Case, decode_case
from ledger_service.readers.claims import PatternClaimReader
from ledger_service.scoring.gameplay_validity import gameplay_validity
from ledger_service.scoring.response_validity import response_validity
from ledger_service.scoring.voice_continuity import voice_continuity
from ledger_service.services.run_cases import packets_of
from tests.speaking import READING

FILE = Path(__file__).parent.parent.parent / "probes" / "calibration" / "replies.yaml"
OTHER_AXES = {"outcome_mismatch", "tone_wrong", "voice_break"}
AXES = {"response": Axis.RESPONSE, "voice": Axis.VOICE, "gameplay": Axis.GAMEPLAY}


class Judged(msgspec.Struct, frozen=True, kw_only=True):
    """One labelled reply with what the scorer makes of it."""

    item: dict[str, Any]
    verdicts: dict[str, Verdict]

    def is_right(self, axis: str) -> bool:
        fails = self.verdicts[axis].state is State.FAIL
        return fails == (self.item["expected"][axis] == "fail")

    @property
    def expected(self) -> list[dict[str, Any]]:
        return [f for f in self.item["expected"]["findings"] if f["code"] not in OTHER_AXES]


def _case(item: dict[str, Any], groups: dict[str, Any]) -> Case:
    bare = {key: value for key, value in item.items() if key not in {"packet", "expected"}}
    return decode_case(bare | {"groups": groups})


def _packet(item: dict[str, Any], case: Case) -> ContextPacket:
    """The packet as the label gives it: the labels judge the line, and take the packet as correct."""
    built = next(iter(packets_of(case, reading=READING)))
    there = {s.entry_id: s for s in built.selected}
    entries = {e.entry_id: e for e in case.candidates.entries}
    labelled, given = item["packet"], item["consequences"]
    return msgspec.structs.replace(
        built,
        selected=tuple(there.get(key) or _select(entries[key], i) for i, key in enumerate(labelled["include"])),
        act_only=tuple(
            ActOnly(entry_id=k, kind="observation", statement=entries[k].statement, why="")
            for k in labelled["act_only"]
        ),
        withheld=tuple(Withheld(entry_id=k, reason=Reason(r)) for k, r in labelled["withheld_because"].items()),
        consequences=tuple(
            Consequence(action=a, outcome=o, rule=given["because"], because="", asked=True)
            for a, o in given.items()
            if a != "because"
        ),
        hash="",
    )


def _select(entry: Any, rank: int) -> Selected:
    return Selected(
        entry_id=entry.entry_id, kind="observation", statement=entry.statement, rank=rank, parts=ScoreParts(),
        band="", confidence=entry.confidence, status="active", how=entry.source.kind, tick=entry.at.tick,
    )  # fmt: skip


def _with_card(world: World, item: dict[str, Any]) -> World:
    card = msgspec.convert(item.get("voice_card", {}), VoiceCard)
    cast = tuple(msgspec.structs.replace(c, voice=card) if c.id == item["speaker"] else c for c in world.cast)
    return msgspec.structs.replace(world, cast=cast)


def _judge(item: dict[str, Any], groups: dict[str, Any]) -> Judged:
    case = _case(item, groups)
    packet, world = _packet(item, case), _with_card(case.candidates.world, item)
    given = case.candidates
    ledger = Ledger(given.entries, given.amendments, roster=given.state.roster, at_seq=case.moment.seq)
    reply = Reply(text=item["reply"], responder="labelled")
    claims = PatternClaimReader().read(item["reply"], world=world, speaker=packet.speaker, audience=packet.audience)
    return Judged(
        item=item,
        verdicts={
            "response": response_validity(packet, reply, claims, world=world, ledger=ledger),
            "voice": voice_continuity(packet, reply, world=world),
            "gameplay": gameplay_validity(packet, claims, world=world),
        },
    )


@cache
def judged() -> tuple[Judged, ...]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        values = YAML(typ="safe").load(FILE)
    return tuple(_judge(item, values["ledgers"][item["ledger"]].get("groups", {})) for item in values["items"])


def _where(**wanted: str) -> list[Judged]:
    return [j for j in judged() if all(j.item[key] == value for key, value in wanted.items())]


def _wrong(rows: list[Judged], axis: str) -> list[str]:
    return [j.item["id"] for j in rows if not j.is_right(axis)]


def _false_alarms() -> Iterator[str]:
    for row in judged():
        for axis in AXES:
            if row.item["expected"][axis] != "fail" and row.verdicts[axis].state is State.FAIL:
                yield f"{row.item['id']} {axis}: {[f.explanation for f in row.verdicts[axis].findings]}"


def test_every_easy_reply_is_judged_right_on_every_axis_but_one() -> None:
    easy = _where(difficulty="easy")
    assert len(easy) == 16
    wrong = [f"{i} {axis}" for axis in AXES for i in _wrong(easy, axis)]
    assert wrong in ([], ["dr-019 voice"])  # its break of voice is a matter of register, and no listed word


def test_clean_lines_are_not_failed() -> None:
    assert list(_false_alarms()) == []


@pytest.mark.parametrize(("axis", "floor"), [("response", 0.80), ("voice", 0.97), ("gameplay", 1.0)])
def test_accuracy_does_not_fall_below_its_floor(axis: str, floor: float) -> None:
    rows = list(judged())
    assert len(rows) == 90
    right = sum(j.is_right(axis) for j in rows) / len(rows)
    assert right >= floor, (right, _wrong(rows, axis))


def test_what_is_found_is_named_by_the_right_code() -> None:
    found = [j for j in judged() if j.expected and j.verdicts["response"].state is State.FAIL]
    assert len(found) >= 22
    for row in found:
        allowed = {code for f in row.expected for code in (f["code"], *f.get("also", ()))}
        assert {str(f.code) for f in row.verdicts["response"].findings} <= allowed, row.item["id"]


def test_findings_quote_the_reply_and_point_at_the_entry() -> None:
    for row in judged():
        for verdict in row.verdicts.values():
            for finding in verdict.findings:
                assert finding.span in row.item["reply"]
                assert finding.start is None or row.item["reply"][finding.start :].startswith(finding.span)
