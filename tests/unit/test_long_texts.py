"""What is said at length: refused before it is read where it is too long, and read in time that grows with it alone."""

import time
from collections.abc import Callable, Sequence

import pytest

from ledger_service.domain.errors import ContentError
from ledger_service.domain.replies import Claim, Reply
from ledger_service.domain.rubric import Code, Finding
from ledger_service.readers.claims import PatternClaimReader
from ledger_service.readers.line_reader import PatternLineReader
from ledger_service.readers.pieces import LONGEST, pieces
from ledger_service.scoring.response_validity import _one_code_a_span
from ledger_service.scoring.words.overlap import shared
from ledger_service.services.replies.score_reply import Judging, score_reply
from tests.builders import an_observation
from tests.speaking import NoMeanings, a_scene, a_stage, scored, the_station

STAGE = a_stage()
ENDLESS = (
    "a. ", "1", "x", "x ", "* a", '"', "I saw the lamp. ", "you told me ", ", and i ", "w-", "the-", "who said ",
    "what did ", "why did you? ", "supervisor's word ", "remember when ", "you and i ", "; ab", "“a, and ",
    "sent me a lamp then ", "on", "by the ", "ß", "漢", "bring me and ", "if i may be wrong ", "just i had ",
    "hands it ", "no one for ", "\n", " ",
)  # fmt: skip


class NeverAsked:
    """A reader of replies that must not be asked."""

    version = "none"

    def read(self, text: str, **_: object) -> tuple[Claim, ...]:
        raise AssertionError(f"it was asked to read {len(text)} letters")


def takes_less(limit: float, work: Callable[[], object]) -> bool:
    """Say whether some work is done in so many seconds of this process alone, at the third try at the latest."""
    for _ in range(3):
        began = time.process_time()
        work()
        if time.process_time() - began < limit:
            return True
    return False


def read_claims(text: str) -> Sequence[Claim]:
    return PatternClaimReader().read(text, world=STAGE, speaker="maelin", audience=("player",))


@pytest.mark.parametrize("unit", ENDLESS)
def test_reading_and_judging_take_time_in_proportion_to_the_text(unit: str) -> None:
    text = (unit * 4_000)[:4_000]
    entries = [
        an_observation(entry_id=f"e{n}", seq=n, statement=f"the lamp of house {n} is broken and dark")
        for n in range(1, 9)
    ]
    scene = a_scene(*entries, line="Who said the lamp broke?")
    line = PatternLineReader()
    assert takes_less(0.5, lambda: read_claims(text))
    assert takes_less(1.0, lambda: scored(scene, text))
    assert takes_less(0.5, lambda: line.read(text, world=STAGE, speaker="maelin", audience=("player",)))


def test_pieces_hold_every_letter_once_and_break_before_words() -> None:
    text = "one two " * 300 + "x" * 900
    cut = list(pieces(text, 3, len(text)))
    assert "".join(text[a:b] for a, b in cut) == text[3:]
    assert all(0 < b - a <= LONGEST for a, b in cut)
    assert all(text[b : b + 1] in {" ", "x", ""} for _, b in cut)


def test_a_sentence_of_any_usual_length_stays_whole() -> None:
    text = "You told me " + "that the lamp was broken and " * 8 + "that nobody knew"
    assert list(pieces(text, 0, len(text))) == [(0, len(text))]


def test_forms_of_one_word_are_shared_as_before() -> None:
    words = ("west", "western", "westernmost", "ant", "ants", "lamp", "lamps", "lamplight", "a", "")
    for a in words:
        for b in words:
            short, long = sorted((a, b), key=len)
            same = a == b or (len(short) >= 4 and long.startswith(short) and len(long) - len(short) <= 3)
            assert bool(shared({a}, {b})) is same, (a, b)


def test_one_span_has_one_code_and_touching_spans_keep_theirs() -> None:
    def a_finding(code: Code, start: int | None, span: str) -> Finding:
        return Finding(code=code, explanation="x", start=start, span=span)

    kept = _one_code_a_span(
        [
            a_finding(Code.HEARSAY_PROMOTED, 0, "abcd"), a_finding(Code.LEAK, 2, "cdef"),
            a_finding(Code.STALE_FACT, 6, "gh"), a_finding(Code.CONTRADICTS_ENTRY, 7, "h"),
            a_finding(Code.SIDE_TAKEN, None, ""), a_finding(Code.PROMISE_INVENTED, 0, "ab"),
        ]
    )  # fmt: skip
    assert [(f.code, f.start) for f in kept] == [
        (Code.SIDE_TAKEN, None), (Code.PROMISE_INVENTED, 0), (Code.LEAK, 2), (Code.STALE_FACT, 6),
    ]  # fmt: skip


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("text", "said"), [("a. " * 8_000, "at most 4000"), ("a\0b", "NUL"), ("a\ud800b", "surrogate")]
)
async def test_a_reply_that_cannot_be_kept_is_refused_before_it_is_read(text: str, said: str) -> None:
    station = await the_station()
    stored = await station.ask("Where is the sensor?")
    judging = Judging(claim_reader=NeverAsked(), embedder=NoMeanings())
    for delivered in (True, False):
        with pytest.raises(ContentError, match=said) as caught:
            await score_reply(
                station.playthrough_id, stored.packet_id, Reply(text=text, responder="game"),
                open_uow=station.stores.open_uow, judging=judging, delivered=delivered,
            )  # fmt: skip
        assert caught.value.path == "text"
    async with station.stores.open_uow(station.playthrough_id) as uow:
        assert await uow.packets.replies_of(stored.packet_id) == []


@pytest.mark.anyio
@pytest.mark.parametrize(("line", "said"), [("x" * 4_001, "at most 4000"), ("a\0b", "NUL"), ("a\ud800b", "surrogate")])
async def test_a_line_that_cannot_be_one_is_refused_before_it_is_read(line: str, said: str) -> None:
    station = await the_station()
    with pytest.raises(ContentError, match=said) as caught:
        await station.ask(line)
    assert caught.value.path == "line"


@pytest.mark.anyio
async def test_a_long_reply_is_judged_as_it_would_be_at_once() -> None:
    station = await the_station()
    stored = await station.ask("Where is the sensor?")
    text = "Not today. " * 300
    judging = Judging(claim_reader=PatternClaimReader(), embedder=NoMeanings())
    kept = await score_reply(
        station.playthrough_id, stored.packet_id, Reply(text=text, responder="game"), open_uow=station.stores.open_uow,
        judging=judging, delivered=False,
    )  # fmt: skip
    assert kept.scorecard is not None
    assert kept.reply.text == text


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"
