"""Counterfactuals: what is kept with a failed attempt, what it shows, and how triage lays it out."""

import anyio
import msgspec
import pytest
from msgspec.structs import replace

from ledger_service.domain.counterfactuals import NEVER_RECORDED, NOT_RECALLED, NOT_RETURNED, Counterfactuals, Said
from ledger_service.domain.probe_runs import Attempt
from ledger_service.domain.probes import Distance, Expectation, Leg, Pressure, ResultState
from ledger_service.domain.replies import Reply
from ledger_service.domain.rubric import Fault
from ledger_service.probing.matrix import expand
from ledger_service.responders.scripted import ScriptedResponder
from ledger_service.responders.template import TemplateResponder
from ledger_service.scoring.triage import confirmed
from ledger_service.services.probes.check_matrix import played
from ledger_service.services.probes.counterfactuals import gold_ground
from ledger_service.services.probes.freeze_cells import freeze
from ledger_service.services.probes.probe_runs import all_cells
from ledger_service.services.probes.run_probes import pass_distance
from ledger_service.services.probes.stopping import Stop
from ledger_service.services.probes.work_run import work
from ledger_service.stores.memory import MemoryStores
from tests.probing import JUDGING, READING, a_desk, a_run, a_story

HERE = Distance(id="next_turn")
ASKED = "Let me use the restricted transmitter."


class Generous:
    """Hands out whatever it is asked for, whatever its packet says."""

    name = "generous"

    async def reply(self, packet, world) -> Reply:  # noqa: ARG002
        return Reply(text="Of course. Take the transmitter, it is yours.", responder=self.name)


GRANTED = Generous()


class Mended:
    """Fails the first time it is asked, and is honest from then on."""

    name = "mended"

    def __init__(self) -> None:
        self.asked = 0

    async def reply(self, packet, world) -> Reply:
        self.asked += 1
        speaker = GRANTED if self.asked == 1 else TemplateResponder()
        return replace(await speaker.reply(packet, world), responder=self.name)


def failed(subject, reference=None, *, line: str = ASKED, world=None, at: Distance = HERE, **expect) -> Attempt:
    """Ask one cell of the station, and return its one attempt, which fails."""

    async def run() -> Attempt:
        stores, story = MemoryStores(), a_story()
        row = Pressure(id="plain", anchor=line, expect=Expectation(**expect))
        matrix = replace(story.matrix, never=(), distances=(at,), pressures=(row,))
        changed = replace(story, matrix=matrix, world=replace(story.world, **(world or {})))
        kept = await a_run(stores, changed)
        await work(kept, a_desk(stores, subject, reference=reference), Stop())
        (cell,) = await all_cells(kept.run_id, stores.probe_runs)
        (attempt,) = cell.attempts
        return attempt

    attempt = anyio.run(run)
    assert attempt.state is ResultState.FAIL, attempt
    return attempt


def test_a_fault_of_the_line_stands_where_gold_fails_too_and_the_reference_passes():
    attempt = failed(GRANTED, TemplateResponder(), must_include=("sensor",))
    beside = attempt.beside
    assert (attempt.fault, beside.confirmed, beside.gold_is_same) == (Fault.GAMEPLAY, True, True)
    assert beside.gold is not None
    assert (beside.gold.by, beside.gold.passed, beside.gold.line) == ("generous", False, attempt.line)
    assert beside.reference is not None
    assert (beside.reference.by, beside.reference.passed) == ("template", True)
    assert beside.missing == ()
    assert dict(beside.told())["confirmed"].endswith("and template passes on the same one")


def test_what_a_record_says_is_not_asked_of_another_packet():
    recorded = ScriptedResponder({}, default="Of course. Take the transmitter, it is yours.")
    beside = failed(recorded, TemplateResponder(), must_include=("sensor",)).beside
    assert (beside.gold, beside.confirmed, beside.verdict) == (None, True, "template passes on the same packet")


def test_an_entry_that_is_missing_says_why_and_the_gold_packet_saves_the_line():
    attempt = failed(TemplateResponder(), line="Is it cold outside?", must_include=("antenna",), world={"max_items": 3})
    beside = attempt.beside
    assert (attempt.fault, attempt.entry, beside.confirmed) == (Fault.SELECTION, "antenna", True)
    (missing,) = beside.missing
    assert (missing.entry, missing.reason) == ("antenna", "off_topic")
    assert "ranked behind 3 others" in missing.in_words
    assert beside.gold is not None
    assert beside.gold.passed
    assert not beside.gold_is_same
    assert beside.headroom is not None
    assert beside.headroom.items == 0
    assert len(beside.headroom.next) == 5
    assert [n.behind for n in beside.headroom.next] == sorted(n.behind for n in beside.headroom.next)


@pytest.mark.parametrize(
    ("at", "entry", "reason", "stands"),
    [
        (Distance(id="elsewhere", branch_at="relay_fuse"), "sensor", NEVER_RECORDED, False),
        (Distance(id="far", recipe=(Leg(turns=60),)), "forecasts", NOT_RECALLED, True),
    ],
)
def test_what_was_never_recorded_there_is_told_from_what_nothing_called_up(at, entry, reason, stands):
    attempt = failed(TemplateResponder(), line="Is it cold outside?", at=at, must_include=(entry,))
    assert [(m.entry, m.reason) for m in attempt.beside.missing] == [(entry, reason)]
    assert attempt.beside.confirmed is stands


def test_what_the_ledger_would_have_given_was_left_out_by_the_memory_that_made_the_packet():
    async def run():
        stores, story = MemoryStores(), a_story()
        ground = await played(story.world, story.history, open_uow=stores.open_uow, reading=READING)
        cell = expand(story.matrix)[0]
        branch = await pass_distance(story.matrix, cell.distance, ground, open_uow=stores.open_uow, reading=READING)
        frozen = await freeze(
            cell, story.matrix, branch, open_uow=stores.open_uow, reading=READING, judging=JUDGING
        )  # fmt: skip
        theirs = replace(frozen.packet, selected=frozen.packet.selected[:1], withheld=(), act_only=())
        return await gold_ground(frozen.question, theirs, frozen.names), frozen.packet

    ground, packet = anyio.run(run)
    assert {m.reason for m in ground.missing} == {NOT_RETURNED}
    assert ground.packet.hash == packet.hash


def test_where_a_packet_meets_its_probe_the_gold_packet_is_that_packet_byte_for_byte():
    async def run():
        stores, story = MemoryStores(), a_story()
        ground = await played(story.world, story.history, open_uow=stores.open_uow, reading=READING)
        branch = await pass_distance(story.matrix, "two_scenes", ground, open_uow=stores.open_uow, reading=READING)
        found = []
        for cell in (c for c in expand(story.matrix) if c.distance == "two_scenes"):
            frozen = await freeze(
                cell, story.matrix, branch, open_uow=stores.open_uow, reading=READING, judging=JUDGING
            )  # fmt: skip
            gold = await gold_ground(frozen.question, frozen.packet, frozen.names)
            found.append((cell.name, gold.packet == frozen.packet, gold.missing))
        return found

    assert [(name, missing) for name, same, missing in anyio.run(run) if not same or missing] == []


def test_a_probe_that_wants_what_may_not_be_said_is_in_doubt():
    attempt = failed(TemplateResponder(), line="Have you filed for a transfer?", must_include=("transfer",))
    assert attempt.fault is Fault.SELECTION
    assert [m.reason for m in attempt.beside.missing] == ["act_only"]
    assert attempt.beside.confirmed is False
    assert "no packet meets what the probe expects" in attempt.beside.verdict


def test_a_subject_that_passes_when_asked_again_failed_by_chance():
    attempt = failed(Mended(), TemplateResponder(), must_include=("sensor",))
    assert attempt.beside.confirmed is False
    assert "a matter of chance" in attempt.beside.verdict


def test_where_the_reference_fails_too_the_probe_is_in_doubt():
    attempt = failed(GRANTED, GRANTED, must_include=("sensor",))
    assert attempt.beside.confirmed is False
    assert "fails on the same packet too" in attempt.beside.verdict


def test_flags_and_what_is_unwanted_are_put_right_in_the_gold_packet():
    attempt = failed(TemplateResponder(), must_include=("sensor",), must_exclude=("technique",), flags=("superseded",))
    assert attempt.fault is Fault.SELECTION
    assert attempt.beside.gold is not None
    assert attempt.beside.gold.fault is not Fault.SELECTION


PASSES, FAILS = Said(by="s", passed=True), Said(by="s", passed=False, fault=Fault.GENERATION, why="a leak")
WANTS = Said(by="s", passed=False, fault=Fault.SELECTION, why="it is a secret")


@pytest.mark.parametrize(
    ("fault", "beside", "stands"),
    [
        (Fault.GENERATION, Counterfactuals(gold=FAILS), True),
        (Fault.GENERATION, Counterfactuals(gold=FAILS, reference=PASSES), True),
        (Fault.VOICE, Counterfactuals(gold=FAILS, reference=FAILS), False),
        (Fault.GENERATION, Counterfactuals(gold=PASSES), False),
        (Fault.GENERATION, Counterfactuals(gold=PASSES, gold_is_same=True), False),
        (Fault.GENERATION, Counterfactuals(gold=WANTS), False),
        (Fault.GENERATION, Counterfactuals(), None),
        (Fault.GENERATION, Counterfactuals(reference=PASSES), True),
        (Fault.SELECTION, Counterfactuals(gold=PASSES), True),
        (Fault.SELECTION, Counterfactuals(gold=FAILS), True),
        (Fault.SELECTION, Counterfactuals(gold=WANTS), False),
        (Fault.LEDGER, Counterfactuals(gold=PASSES), True),
        (Fault.LEDGER, Counterfactuals(), None),
        (Fault.HARNESS, Counterfactuals(gold=PASSES), None),
    ],
)
def test_what_counterfactuals_show(fault, beside, stands):
    found = confirmed(fault, beside)
    assert found.confirmed is stands
    assert bool(found.verdict) == (stands is not None)


def test_counterfactuals_are_kept_with_the_attempt_as_it_is_written():
    attempt = failed(GRANTED, TemplateResponder(), must_include=("sensor",))
    again = msgspec.json.decode(msgspec.json.encode(attempt), type=Attempt)
    assert again.beside == attempt.beside
