"""A correction from a packet: on a branch or in place, with its rows of the audit log, and whole or not at all."""

import asyncio

import pytest

from ledger_service.domain.errors import ContentError, LedgerError, UnknownEntryError, UnknownPacketError
from ledger_service.domain.events import Access, Deed, Told
from ledger_service.domain.reviews import LONGEST_REMARK, Mark, Remark, standing_of
from ledger_service.readers.line_reader import PatternLineReader
from ledger_service.responders.prompt import JinjaPrompt
from ledger_service.services.packets.build_packet import PacketRequest, Reading, build_packet
from ledger_service.services.reviewing.correct_entry import Correction, What, correct_entry
from ledger_service.services.reviewing.remark_on_packet import remark_on_packet
from tests.playing import Play


class NoGraph:
    """A graph in which there is nothing to drop."""

    async def drop(self, _playthrough_id):
        return None


class Desk:
    """A played story, a packet on it, and what the audit log would say."""

    def __init__(self):
        self.play = Play()
        (self.entry,) = self.play.left_by(Deed(actor="maelin", statement="maelin mended the mast", witnesses=("orla",)))
        self.log = []
        self.reading = Reading(reader=PatternLineReader(), embedder=self.play.embedder, renderer=JinjaPrompt())
        self.packet = self.ask()

    def ask(self):
        request = PacketRequest(speaker="maelin", line="Who mended the mast?")
        made = build_packet(self.play.playthrough_id, request, open_uow=self.play.stores.open_uow, reading=self.reading)
        return asyncio.run(made)

    def writing(self, action, _subject, **_detail):
        self.log.append(action)
        return self.play.stores.open_uow

    def correct(self, what=What.DROP, *, packet_id=None, **more):
        given = {"entry_id": self.entry.entry_id, "who": "wren", "reason": "as filmed", **more}
        return asyncio.run(
            correct_entry(
                self.play.playthrough_id, packet_id or self.packet.packet_id, Correction(what=what, **given),
                open_uow=self.play.stores.open_uow, writing=self.writing, reading=self.reading, graph=NoGraph(),
            )
        )  # fmt: skip

    def remarks(self):
        return self.play.ask(lambda uow: uow.packets.remarks_on(self.packet.packet_id))

    def stories(self):
        return [p.playthrough_id for p in self.play.ask(lambda uow: uow.playthroughs.list_all())]


@pytest.fixture
def desk():
    return Desk()


def test_on_a_branch_nothing_but_the_correction_differs(desk):
    desk.play.record(Deed(actor="orla", statement="orla broke the mast again", witnesses=("maelin",)))
    came = desk.correct()
    assert came.playthrough_id != desk.play.playthrough_id
    assert came.event_seq == desk.packet.packet.seq + 1
    assert [s.statement for s in came.stored.packet.selected] == []
    assert desk.log == [
        "branch opened to try a correction", "entry corrected", "packet built anew", "packet corrected",
    ]  # fmt: skip
    (said,) = desk.remarks()
    assert (said.mark, said.who, said.said, said.other_id) == (
        Mark.CORRECTED,
        "wren",
        "as filmed",
        came.stored.packet_id,
    )
    assert "maelin mended the mast" in {s.statement for s in desk.ask().packet.selected}


def test_in_place_it_stands_where_the_story_does_now(desk):
    desk.play.record(Deed(actor="orla", statement="orla broke the mast again", witnesses=("maelin",)))
    came = desk.correct(on_branch=False)
    assert (came.playthrough_id, came.event_seq) == (desk.play.playthrough_id, 3)
    assert {s.statement for s in came.stored.packet.selected} == {"orla broke the mast again"}
    assert desk.log == ["entry corrected", "packet built anew", "packet corrected"]


@pytest.mark.parametrize(
    ("what", "more", "error"),
    [
        (What.DROP, {"reason": " \n"}, ContentError),
        (What.DROP, {"reason": "x" * (LONGEST_REMARK + 1)}, ContentError),
        (What.WORDING, {"statement": "  "}, ContentError),
        (What.ACCESS, {}, ContentError),
        (What.ACCESS, {"access": Access(knowers=("nobody_here",))}, LedgerError),
        (What.RESUME, {}, ContentError),
        (What.CONFIRM, {}, ContentError),
        (What.DROP, {"entry_id": "e404"}, UnknownEntryError),
        (What.DROP, {"packet_id": "k404"}, UnknownPacketError),
    ],
)
def test_what_cannot_be_leaves_no_branch_and_no_remark(desk, what, more, error):
    with pytest.raises(error):
        desk.correct(what, **more)
    assert desk.stories() == [desk.play.playthrough_id]
    assert desk.remarks() == []


def test_who_may_know_it_is_corrected_for_good_and_for_hearsay_only_to_whom_it_may_be_said(desk):
    came = desk.correct(What.ACCESS, access=Access(knowers=("orla",)), on_branch=False)
    assert came.stored.packet.selected == ()
    (told,) = desk.play.left_by(Told(teller="orla", listener="maelin", statement="the mast fell"))
    with pytest.raises(ContentError, match="own copy"):
        desk.correct(What.ACCESS, entry_id=told.entry_id, access=Access(knowers=("orla",)), on_branch=False)


def test_set_aside_and_taken_up_again_it_is_said_as_before(desk):
    assert desk.correct(What.SUSPEND, on_branch=False).stored.packet.selected == ()
    again = desk.correct(What.RESUME, on_branch=False).stored.packet
    assert [s.statement for s in again.selected] == ["maelin mended the mast"]
    worded = desk.correct(What.WORDING, statement="maelin mended the mast at noon", on_branch=False).stored.packet
    assert [s.statement for s in worded.selected] == ["maelin mended the mast at noon"]


@pytest.mark.parametrize(
    ("mark", "said"), [(Mark.NOTE, " "), (Mark.FLAGGED, ""), (Mark.NOTE, "x" * (LONGEST_REMARK + 1))]
)
def test_a_note_or_flag_without_words_or_with_too_many_is_refused(desk, mark, said):
    remark = Remark(packet_id=desk.packet.packet_id, mark=mark, who="wren", said=said)
    with pytest.raises(ContentError, match="said"):
        asyncio.run(remark_on_packet(desk.play.playthrough_id, remark, open_uow=desk.play.stores.open_uow))
    assert desk.remarks() == []


def test_the_last_approval_or_flag_counts_until_it_is_taken_back():
    def stands(*marks):
        last = standing_of(tuple(Remark(packet_id="k", mark=m, who="w") for m in marks))
        return None if last is None else last.mark

    assert stands() is None
    assert stands(Mark.NOTE) is None
    assert stands(Mark.APPROVED, Mark.NOTE, Mark.CORRECTED) is Mark.APPROVED
    assert stands(Mark.APPROVED, Mark.FLAGGED) is Mark.FLAGGED
    assert stands(Mark.FLAGGED, Mark.CLEARED, Mark.NOTE) is None
