"""What is said is evidence that it was said: by the player, by a teller, by a model; and what everybody makes of it."""

import asyncio

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ledger_service.domain.amendments import Amendment
from ledger_service.domain.confidence import Band, band_of
from ledger_service.domain.entries import Hearsay, LedgerEntry, Observation, SourceKind, Status
from ledger_service.domain.events import Corrected, Deed, GameEvent, Told, Utterance, Woke
from ledger_service.domain.packets import ContextPacket
from ledger_service.domain.replies import Reply
from ledger_service.domain.rumours import TellingOutcome
from ledger_service.ports import StoredPacket
from ledger_service.readers.claims import PatternClaimReader
from ledger_service.services.packets.build_packet import PacketRequest, build_packet
from ledger_service.services.replies.score_reply import Judging, score_reply
from tests.conftest import HISTORY_EXAMPLES
from tests.playing import Play
from tests.property.played import After, by_condition, by_time, caused, played, steps, thorough
from tests.speaking import READING, NoMeanings
from tests.strategies import disputing, histories, people, statements

JUDGING = Judging(claim_reader=PatternClaimReader(), embedder=NoMeanings())
SENTENCES = st.sampled_from([
    "I promise I'll bring you the manual.", "Take the key.", "You may pass.", "Tovi took an apple.", "No, not now.",
    "The relay is broken.", "I saw Brun sink the ship.", "Orla trusts you now.", "You brought it back.",
])  # fmt: skip
replies = st.lists(SENTENCES, min_size=1, max_size=3).map(" ".join)


@thorough
@given(disputing | histories)
def test_what_is_said_or_told_changes_nothing_that_is_on_record(history: list[GameEvent]) -> None:
    """A sentence settles nothing and supersedes nothing; time and conditions may, as with any other event."""
    _, seen = played(history)
    for before, after in steps(seen):
        if isinstance(after.event, Utterance | Told) and before is not None:
            there = before.ledger.entries
            for amendment in caused(after):
                if amendment.entry_id in there and not _is_end(amendment):
                    assert amendment.status is before.ledger.status_of(there[amendment.entry_id])
                    assert isinstance(there[amendment.entry_id], Hearsay), "how sure a hearer is of what they heard"


@thorough
@given(disputing | histories)
def test_what_is_said_or_told_is_never_held_as_a_fact(history: list[GameEvent]) -> None:
    _, seen = played(history)
    for after in seen:
        if isinstance(after.event, Utterance | Told):
            for entry in _fresh(after):
                if entry.slot is not None and isinstance(entry, Observation | Hearsay):
                    assert entry.source.kind in {SourceKind.PLAYER_CLAIM, SourceKind.TOLD_BY}
                    assert band_of(entry.confidence) is not Band.CONFIRMED
                    assert entry.source.by is not None
                    assert entry.source.by not in {k.who for k in entry.knowers}, "a speaker is not their own witness"


def _fresh(after: After) -> list[LedgerEntry]:
    return [e for e in after.entries if e.seq == after.state.seq]


@settings(thorough, max_examples=2 * HISTORY_EXAMPLES)
@given(histories, replies, st.booleans())
def test_a_delivered_line_is_proof_that_it_was_said_and_of_nothing_else(
    history: list[GameEvent], text: str, parrots: bool
) -> None:
    play, seen = played(history)
    assume(seen)
    asked = _ask(play, "Who took the apple?")
    said = next((s.statement for s in asked.packet.selected), text) if parrots else text
    before, amended = play.all()
    reply = Reply(text=said, responder="model")
    asyncio.run(
        score_reply(play.playthrough_id, asked.packet_id, reply, open_uow=play.stores.open_uow, judging=JUDGING)
    )
    entries, amendments = play.all()
    ledger = play.ledger()
    fresh = [e for e in entries if e not in before]
    (observed,) = [e for e in fresh if ledger.status_of(e) is not Status.QUARANTINED]
    assert isinstance(observed, Observation)
    assert (observed.said_by, observed.source.quote, observed.slot) == ("maelin", said, None)
    assert f'"{said}"' in observed.statement
    assert all(e.source.kind is SourceKind.GENERATED_LINE for e in fresh if e is not observed)
    assert all(_is_end(a) for a in amendments if a not in amended), "what was there stays as it was"
    after = _ask(play, "Who took the apple?").packet
    drafts = {e.entry_id for e in fresh if e is not observed}
    assert drafts.isdisjoint(_drawn_on(after))
    assert all(e.statement not in after.prompt for e in fresh if e is not observed)


def _ask(play: Play, line: str) -> StoredPacket:
    request = PacketRequest(speaker="maelin", line=line)
    return asyncio.run(
        build_packet(play.playthrough_id, request, open_uow=play.stores.open_uow, reading=READING)
    )  # fmt: skip


def _is_end(amendment: Amendment) -> bool:
    return by_time(amendment) or by_condition(amendment)


def _drawn_on(packet: ContextPacket) -> set[str]:
    return {s.entry_id for s in packet.selected} | {a.entry_id for a in packet.act_only}


@thorough
@given(histories)
def test_what_somebody_heard_is_one_persons_copy(history: list[GameEvent]) -> None:
    _, seen = played(history)
    for after in seen:
        heard = [e for e in _fresh(after) if isinstance(e, Hearsay)]
        assert all(len(e.knowers) == 1 for e in heard)


@thorough
@given(people, people, people, statements)
def test_the_id_of_what_somebody_holds_includes_who_holds_it(
    teller: str, listener: str, other: str, wording: str
) -> None:
    assume(len({teller, listener, other}) == 3)
    copies = []
    for hearer in (listener, other):
        play = Play()
        (seen,) = play.left_by(Deed(actor=teller, statement="the lamp went out", witnesses=(teller,)))
        copies += play.left_by(Told(teller=teller, listener=hearer, entry_id=seen.entry_id, statement=wording))
    assert len({e.entry_id for e in copies}) == 2
    assert {e.root for e in copies} == {seen.entry_id}


@thorough
@given(histories, st.integers(1, 3), st.data())
def test_telling_it_again_is_no_corroboration(history: list[GameEvent], times: int, data: st.DataObject) -> None:
    play, _ = played(history)
    play.record(Woke(who="maelin"), Woke(who="orla"))
    (seen,) = play.left_by(Deed(actor="maelin", statement="the mast came down", witnesses=("maelin",)))
    play.record(Told(teller="maelin", listener="orla", entry_id=seen.entry_id, statement="a mast came down"))
    awake = {"player", "maelin", "orla", "tovi", "brun"} - set(play.state().unconscious)
    held = {e.entry_id for e in play.ledger().live()}
    passed_on = [t for t in play.tellings() if t.outcome is TellingOutcome.BELIEVED and t.to_entry in held]
    telling = data.draw(st.sampled_from([t for t in passed_on if {t.teller, t.listener} <= awake]))
    again = Told(
        teller=telling.teller, listener=telling.listener, entry_id=telling.from_entry, statement="and once more"
    )
    before, rows = play.all(), len(play.tellings())
    for _ in range(times):
        play.record(again)
    assert play.all() == before, "nobody is surer, and nobody holds anything new"
    assert len(play.tellings()) == rows + times, "that it was told again is kept"


@thorough
@given(
    st.floats(0, 1), st.floats(0, 1), st.sampled_from(["deed", "told"]), st.none() | statements, st.sampled_from([1, 3])
)
def test_a_correction_lowers_and_never_raises(
    first: float, asked: float, kind: str, statement: str | None, times: int
) -> None:
    play = Play()
    event: GameEvent = (
        Deed(actor="maelin", statement="a ship came in", witnesses=("maelin", "orla"))
        if kind == "deed"
        else Told(teller="maelin", listener="orla", statement="a ship came in", confidence=first)
    )
    (entry,) = play.left_by(event)
    for _ in range(times):
        left = play.left_by(Corrected(entry_id=entry.entry_id, statement=statement, confidence=asked, reason="wrong"))
        (newer,) = [e for e in left if entry.entry_id in e.supersedes]
        assert newer.confidence <= entry.confidence
        assert newer.confidence <= max(asked, 0.0) or newer.confidence == entry.confidence
        assert play.status(entry) is Status.SUPERSEDED
        entry = newer
