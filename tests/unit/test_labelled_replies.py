"""How well the scorer does on replies labelled by hand: floors that it really reaches, and few false alarms."""

import hashlib
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest
from ruamel.yaml import YAML

from ledger_service.domain.rubric import Axis, State, Verdict
from ledger_service.probing.labelled import decode_labelled, half_of
from ledger_service.probing.source import read_source
from ledger_service.readers.claims import PatternClaimReader
from ledger_service.services.probes.check_replies import judge_labelled
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


@cache
def judged() -> tuple[Judged, ...]:
    values = read_source(FILE.read_bytes(), str(FILE), unfolding=50).values
    reader = PatternClaimReader()
    return tuple(
        Judged(item=item.raw, verdicts=judge_labelled(item, reading=READING, reader=reader)[0])
        for item in decode_labelled(values)
    )


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


def test_clean_lines_are_hardly_ever_failed() -> None:
    alarms, clean = list(_false_alarms()), sum(j.item["expected"]["response"] == "pass" for j in judged())
    assert len(alarms) <= clean / 20, alarms


@pytest.mark.parametrize(("axis", "floor"), [("response", 0.80), ("voice", 0.97), ("gameplay", 1.0)])
def test_accuracy_does_not_fall_below_its_floor(axis: str, floor: float) -> None:
    rows = list(judged())
    assert len(rows) == 90
    right = sum(j.is_right(axis) for j in rows) / len(rows)
    assert right >= floor, (right, _wrong(rows, axis))


def test_what_is_found_is_named_by_the_right_code() -> None:
    found = [j for j in judged() if j.expected and j.verdicts["response"].state is State.FAIL]
    assert len(found) >= 22
    misnamed = [row.item["id"] for row in found if not _codes(row) <= _allowed(row)]
    assert len(misnamed) <= len(found) / 10, misnamed


def _codes(row: Judged) -> set[str]:
    return {str(f.code) for f in row.verdicts["response"].findings}


def _allowed(row: Judged) -> set[str]:
    return {code for f in row.expected for code in (f["code"], *f.get("also", ()))}


def test_findings_quote_the_reply_and_point_at_the_entry() -> None:
    for row in judged():
        for verdict in row.verdicts.values():
            for finding in verdict.findings:
                assert finding.span in row.item["reply"]
                assert finding.start is None or row.item["reply"][finding.start :].startswith(finding.span)


@pytest.mark.parametrize("name", ["own.yaml", "further.yaml", "fresh.yaml", "later.yaml"])
def test_our_own_items_are_split_by_the_hash_of_their_names(name: str) -> None:
    own = FILE.with_name(name)
    items = list(decode_labelled(read_source(own.read_bytes(), str(own), unfolding=50).values))
    assert items
    assert [i.id for i in items if i.half != half_of(i.id)] == []


SPOKEN = sorted([*FILE.with_name("spoken").glob("*.yaml"), *FILE.with_name("unread").glob("*.yaml")])
HALVED = {"station", "village", "cases", "two-worlds", "small-worlds", "tongues"}
"""Sets of which a half is for testing; of the others a quarter is."""


def test_real_lines_are_split_by_the_hash_of_their_names_and_none_is_named_twice() -> None:
    seen: set[str] = set()
    for path in SPOKEN:
        items = list(decode_labelled(YAML(typ="safe").load(path)))
        parts = 2 if path.parent.name == "spoken" and path.stem in HALVED else 4
        for item in items:
            number = int(hashlib.sha256(item.id.encode()).hexdigest(), 16)
            test = number % parts == 0
            assert item.half == ("test" if test else "tuning"), item.id
        assert len({i.id for i in items} - seen) == len(items)
        seen |= {i.id for i in items}
    assert len(seen) > 3_000


def test_lines_that_nobody_who_wrote_a_rule_has_read_are_judged_as_well_as_is_said() -> None:
    reader, found = PatternClaimReader(), Counter[tuple[bool, bool]]()
    for path in sorted(FILE.with_name("unseen").glob("*.yaml")):
        for item in decode_labelled(YAML(typ="safe").load(path)):
            assert item.half == "test", item.id
            failed = judge_labelled(item, reading=READING, reader=reader)[0]["response"].state is State.FAIL
            found[item.expected["response"] == "fail", failed] += 1
    true, alarms, missed = found[True, True], found[False, True], found[True, False]
    assert true + missed == 234
    assert true / (true + alarms) >= 0.78
    assert true / (true + missed) >= 0.48
