"""Scoring a reply: judged, recorded as said, kept once."""

import msgspec
import pytest

from ledger_service.domain.entries import Status
from ledger_service.domain.errors import AlreadyScoredError, UnknownPacketError
from ledger_service.domain.events import Utterance
from ledger_service.domain.ledger import Ledger
from ledger_service.domain.replies import Reply
from ledger_service.domain.rubric import Fault, Gold
from ledger_service.readers.claims import PatternClaimReader
from ledger_service.responders.template import TemplateResponder
from ledger_service.services.replies.score_reply import Judging, score_reply
from ledger_service.services.replies.speak import speak
from tests.speaking import NoMeanings, Station, the_station

pytestmark = pytest.mark.anyio
JUDGING = Judging(claim_reader=PatternClaimReader(), embedder=NoMeanings())
ASKED = "I need the restricted transmitter."


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def judge(station: Station, packet_id: str, text: str, **options):
    reply = Reply(text=text, responder="game")
    return await score_reply(
        station.playthrough_id, packet_id, reply, open_uow=station.stores.open_uow, judging=JUDGING, **options
    )  # fmt: skip


async def history(station: Station):
    async with station.stores.open_uow(station.playthrough_id) as uow:
        return await uow.events.load()


async def ledger_now(station: Station) -> Ledger:
    async with station.stores.open_uow(station.playthrough_id) as uow:
        state = await uow.playthroughs.state()
        entries, amendments = await uow.ledger.load_all()
    return Ledger(entries, amendments, roster=state.roster, at_seq=state.seq)


async def test_a_delivered_line_leaves_one_observation_that_it_was_said() -> None:
    station = await the_station()
    stored = await station.ask(ASKED)
    kept = await judge(station, stored.packet_id, "Not today.")
    assert kept.scorecard is not None
    assert kept.scorecard.passed
    (said,) = [r.event for r in await history(station) if isinstance(r.event, Utterance)][-1:]
    assert (said.speaker, said.to, said.text) == ("maelin", ("player",), "Not today.")
    ledger = await ledger_now(station)
    (entry,) = [e for e in ledger.entries.values() if e.statement == 'maelin said "Not today." to player']
    assert ledger.status_of(entry) is Status.ACTIVE
    assert ledger.knows("maelin", entry.entry_id)
    assert ledger.knows("player", entry.entry_id)


async def test_what_a_line_promises_or_grants_is_quarantined() -> None:
    station = await the_station()
    stored = await station.ask(ASKED)
    kept = await judge(station, stored.packet_id, "Take the key. I promise I'll bring you the manual.")
    assert kept.scorecard is not None
    assert kept.scorecard.fault is Fault.GENERATION
    ledger = await ledger_now(station)
    drafts = [e for e in ledger.entries.values() if e.source.kind == "generated_line"]
    assert sorted(type(e).__name__ for e in drafts) == ["Commitment", "Observation"]
    assert {ledger.status_of(e) for e in drafts} == {Status.QUARANTINED}
    again = await station.ask("What did you promise me about the manual?")
    assert not {e.entry_id for e in drafts} & {s.entry_id for s in again.packet.selected}


async def test_what_a_line_merely_claims_leaves_no_entry_of_its_own() -> None:
    station = await the_station()
    before = len((await ledger_now(station)).entries)
    stored = await station.ask("Which antenna failed first?")
    await judge(station, stored.packet_id, "The western antenna failed first. The supervisor is a spy.")
    assert len((await ledger_now(station)).entries) == before + 1


async def test_the_same_line_again_gives_what_was_kept_and_writes_nothing() -> None:
    station = await the_station()
    stored = await station.ask(ASKED)
    first = await judge(station, stored.packet_id, "Not today.")
    events = len(await history(station))
    assert await judge(station, stored.packet_id, "Not today.") == first
    assert len(await history(station)) == events


async def test_another_line_on_the_same_packet_is_refused_and_writes_nothing() -> None:
    station = await the_station()
    stored = await station.ask(ASKED)
    await judge(station, stored.packet_id, "Not today.")
    events = len(await history(station))
    with pytest.raises(AlreadyScoredError):
        await judge(station, stored.packet_id, "Tomorrow, perhaps.")
    assert len(await history(station)) == events


async def test_a_line_only_tried_out_leaves_the_story_alone_and_another_may_be_delivered() -> None:
    station = await the_station()
    stored = await station.ask(ASKED)
    events = len(await history(station))
    await judge(station, stored.packet_id, "Take the key.", delivered=False)
    await judge(station, stored.packet_id, "Perhaps.", delivered=False)
    assert len(await history(station)) == events
    await judge(station, stored.packet_id, "Not today.")
    async with station.stores.open_uow(station.playthrough_id) as uow:
        assert len(await uow.packets.replies_of(stored.packet_id)) == 3


async def test_a_repeat_after_a_failure_in_between_records_it_once() -> None:
    station = await the_station()
    stored = await station.ask(ASKED)
    await judge(station, stored.packet_id, "Not today.")
    events = len(await history(station))
    async with station.stores.open_uow(station.playthrough_id) as uow:
        (lost,) = await uow.packets.replies_of(stored.packet_id)
        await uow.packets.add_reply(msgspec.structs.replace(lost, scorecard=None))
        await uow.commit()
    await judge(station, stored.packet_id, "Not today.")
    assert len(await history(station)) == events


async def test_an_empty_line_is_judged_and_never_recorded_as_said() -> None:
    station = await the_station()
    stored = await station.ask(ASKED)
    events = len(await history(station))
    kept = await judge(station, stored.packet_id, "  ")
    assert kept.scorecard is not None
    assert kept.scorecard.fault is Fault.GENERATION
    assert len(await history(station)) == events


async def test_a_line_is_judged_by_the_ledger_as_it_stood() -> None:
    station = await the_station()
    stored = await station.ask(ASKED, at_seq=12)
    kept = await judge(station, stored.packet_id, "Not today.", delivered=False)
    assert kept.scorecard is not None
    assert kept.scorecard.fault is Fault.NONE


async def test_gold_reaches_the_scorecard() -> None:
    station = await the_station()
    stored = await station.ask(ASKED)
    kept = await judge(station, stored.packet_id, "Not today.", gold=Gold(must_include=("nowhere",)), delivered=False)
    assert kept.scorecard is not None
    assert kept.scorecard.fault is Fault.SELECTION


async def test_an_unknown_packet_is_named() -> None:
    station = await the_station()
    with pytest.raises(UnknownPacketError):
        await judge(station, "k0", "Not today.")


async def test_speaking_hands_the_packet_to_the_responder() -> None:
    station = await the_station()
    stored = await station.ask(ASKED)
    reply = await speak(stored.packet, station.world, TemplateResponder())
    assert reply.responder == "template"
    kept = await score_reply(
        station.playthrough_id, stored.packet_id, reply, open_uow=station.stores.open_uow, judging=JUDGING
    )  # fmt: skip
    assert kept.scorecard is not None
    assert kept.scorecard.passed
    assert kept.scorecard.responder == "template"
