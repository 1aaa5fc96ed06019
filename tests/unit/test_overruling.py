"""A reviewer overrules a finding."""

import pytest

from ledger_service.domain.errors import ContentError, UnknownFindingError
from ledger_service.domain.replies import Reply
from ledger_service.domain.rubric import Axis, Code, Fault, Finding, Scorecard, Severity, State, Verdict
from ledger_service.ports import StoredReply
from ledger_service.probing.labelled import decode_labelled
from ledger_service.readers.claims import PatternClaimReader
from ledger_service.scoring.overrule import find, overrule
from ledger_service.services.probes.check_replies import check_reply
from ledger_service.services.replies.overrule_finding import export_overruled, overrule_finding
from ledger_service.services.replies.score_reply import Judging, score_reply
from tests.speaking import READING, NoMeanings, Station, the_station

pytestmark = pytest.mark.anyio

LEAK = "I filed for a transfer off the moon, if you must know."


def verdict(axis: Axis, *findings: Finding) -> Verdict:
    return Verdict(axis=axis, state=State.FAIL if findings else State.PASS, findings=findings)


A_LEAK = Finding(code=Code.LEAK, explanation="", span="the vault", start=3)
A_BREAK = Finding(code=Code.VOICE_BREAK, explanation="", span="lol", start=9)


def test_without_its_only_finding_an_axis_passes_and_the_next_fault_shows() -> None:
    card = Scorecard(verdicts=(verdict(Axis.RESPONSE, A_LEAK), verdict(Axis.VOICE, A_BREAK)), fault=Fault.GENERATION)
    after = overrule(card, A_LEAK, by="wen", why="she may say it")
    assert after.verdict(Axis.RESPONSE).state is State.PASS
    assert after.fault is Fault.VOICE
    assert (after.overruled[0].by, after.overruled[0].why) == ("wen", "she may say it")


def test_another_finding_keeps_the_axis_failed() -> None:
    minor = Finding(code=Code.VOICE_BREAK, explanation="", severity=Severity.MINOR, span="hm")
    card = Scorecard(verdicts=(verdict(Axis.VOICE, A_BREAK, A_LEAK, minor),), fault=Fault.VOICE)
    once = overrule(card, A_BREAK, by="a", why="b")
    assert once.verdict(Axis.VOICE).state is State.FAIL
    assert overrule(once, A_LEAK, by="a", why="b").verdict(Axis.VOICE).state is State.PASS


def test_what_a_failed_ledger_masked_is_shown_when_the_ledger_is_right_after_all() -> None:
    bad = Finding(code=Code.BAD_OWNER, explanation="")
    masked = Verdict(axis=Axis.RESPONSE, state=State.MASKED, findings=(A_LEAK,), why="ledger_validity failed")
    card = Scorecard(verdicts=(verdict(Axis.LEDGER, bad), masked), fault=Fault.LEDGER)
    after = overrule(card, bad, by="a", why="b")
    assert (after.verdict(Axis.RESPONSE).state, after.fault) == (State.FAIL, Fault.GENERATION)


def test_a_finding_is_found_by_code_and_words() -> None:
    card = Scorecard(verdicts=(verdict(Axis.VOICE, A_BREAK),), fault=Fault.VOICE)
    assert find(card, "voice_break", span="lol") == A_BREAK
    assert find(card, "voice_break", span="elsewhere") is None
    assert find(card, "leak") is None


async def leaked() -> tuple[Station, StoredReply]:
    station = await the_station()
    stored = await station.ask("Are you staying?")
    kept = await score_reply(
        station.playthrough_id, stored.packet_id, Reply(text=LEAK, responder="test"), open_uow=station.stores.open_uow,
        judging=Judging(claim_reader=PatternClaimReader(), embedder=NoMeanings()),
    )  # fmt: skip
    return station, kept


async def test_overruling_leaves_a_new_score_and_a_labelled_item() -> None:
    station, kept = await leaked()
    assert kept.scorecard is not None
    assert kept.scorecard.fault is Fault.GENERATION
    after = await overrule_finding(
        station.playthrough_id, kept.reply_id, "leak", by="wen", why="everybody knows", open_uow=station.stores.open_uow
    )
    assert after.scorecard is not None
    assert after.scorecard.overruled[0].finding.code is Code.LEAK
    exported = await export_overruled(station.playthrough_id, open_uow=station.stores.open_uow)
    (item,) = decode_labelled(exported)
    assert item.expected["response"] == "pass"
    assert exported["items"][0]["overruled"][0]["by"] == "wen"
    checked = check_reply(item, reading=READING, reader=PatternClaimReader())
    assert checked.verdicts["response"] == "fail"  # the checker still says so: that is what calibration is for


@pytest.mark.parametrize(("field", "value"), [("by", " "), ("why", "")])
async def test_somebody_overrules_for_a_reason(field: str, value: str) -> None:
    station, kept = await leaked()
    said = {"by": "wen", "why": "so", field: value}
    with pytest.raises(ContentError):
        await overrule_finding(
            station.playthrough_id, kept.reply_id, "leak", open_uow=station.stores.open_uow, **said
        )  # fmt: skip


async def test_what_was_not_found_cannot_be_overruled() -> None:
    station, kept = await leaked()
    with pytest.raises(UnknownFindingError):
        await overrule_finding(
            station.playthrough_id, kept.reply_id, "side_taken", by="a", why="b", open_uow=station.stores.open_uow
        )
