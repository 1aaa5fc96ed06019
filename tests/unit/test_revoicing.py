"""Re-voicing: what says the same otherwise is kept; another name, number or rung is dropped, with its reason."""

import asyncio
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger_service.domain.errors import UnknownPlaythroughError
from ledger_service.domain.events import Deed, HourPassed
from ledger_service.domain.rumours import Telling
from ledger_service.domain.worlds import Character, Ladder, Place, World
from ledger_service.rumours.revoicing import LONGEST, order_for, unfit
from ledger_service.services.gossip.revoice_tellings import Revoiced, revoice_tellings
from tests.playing import Play
from tests.speaking import READING
from tests.villages import RUNGS, a_village, somebody, worked

WORLD = a_village(
    (
        Character(id="pip", name="Pip"), Character(id="ilsa", name="Ilsa Brandt", aliases=("the captain",)),
        Character(id="tomas", name="Tomas"),
    ),
    {},
)  # fmt: skip
LADDER = WORLD.ladders[0]


def told(statement: str, *, severity: int = 1) -> Telling:
    return Telling(telling_id="t1", from_entry="e1", to_entry="e2", teller="pip", listener="ilsa", origin="e1", seq=1,
                   tick=1, statement=statement, severity=severity)  # fmt: skip


def why(text: str, statement: str = RUNGS[0], *, severity: int = 1, ladder: Ladder | None = LADDER,
        nearness: Mapping[int, int] = {}) -> str:  # fmt: skip
    return unfit(text, told(statement, severity=severity), world=WORLD, ladder=ladder, nearness=nearness)


@pytest.mark.parametrize(
    "text",
    [
        "Listen: the player took an apple!",
        "I saw how the player took an apple, as plain as day.",
        "You won't believe it... The player just took an apple.".replace("won't", "will hardly"),
        "The player? Took an apple. I'm telling you.",
        RUNGS[0],
    ],
)
def test_what_says_the_same_in_other_words_may_stand(text: str) -> None:
    assert why(text) == ""


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Pip took an apple.", "names somebody or something else"),
        ("Somebody took an apple.", "names somebody or something else"),
        ("The player took an apple from Tomas.", "names somebody or something else"),
        ("The player took an apple at the market.", "names somebody or something else"),
        ("The captain saw the player take an apple.", "names somebody or something else"),
        ("The player took an apple from old Wilberforce.", "names 'Wilberforce', which nobody told"),
        ("The player took two apples.", "counts otherwise"),
        ("The player took 12 apples.", "counts otherwise"),
        ("The player took a dozen apples.", "counts otherwise"),
        ("The player never took an apple.", "denies or doubts"),
        ("The player didn't take an apple.", "denies or doubts"),
        ("Maybe the player took an apple.", "denies or doubts"),
        ("The player took an apple and killed the keeper.", "changes how bad it is (killed)"),
        ("The player took a basket of apples.", "speaks of rung 2"),
        ("The player robbed somebody of an apple.", "speaks of rung 3"),
        ("The player is a lovely dancer.", "tells something else"),
        ("", "is no single sentence"),
        ("The player took an apple.\nThe end.", "is no single sentence"),
        ("The player took an apple. " * 20, "is no single sentence"),
    ],
)
def test_what_changes_a_name_a_number_or_how_bad_it_is_is_dropped(text: str, reason: str) -> None:
    assert reason in why(text)


def test_what_sounds_more_like_another_rung_is_dropped() -> None:
    near = {1: 600, 2: 700, 3: 100, 4: 0, 5: 0}
    assert why(RUNGS[0], nearness=near) == "sounds like rung 2"
    assert why(RUNGS[0], nearness=near | {1: 700}) == ""
    assert why("So the player took an apple.", ladder=None, nearness=near) == ""


def test_numbers_that_were_told_stay_and_denials_too() -> None:
    statement = "the player paid three coins and never came back"
    assert why("They say the player paid three coins, and never came back!", statement, ladder=None) == ""
    assert why("They say the player paid 3 coins, and never came back!", statement, ladder=None) == ""
    assert "counts" in why("The player paid four coins and never came back.", statement, ladder=None)
    assert "denies" in why("The player paid three coins and came back.", statement, ladder=None)


@given(st.text(max_size=LONGEST + 50), st.sampled_from(range(1, 6)))
def test_whatever_a_model_says_there_is_an_answer_and_no_other_rung_passes(text: str, rung: int) -> None:
    assert isinstance(why(text, RUNGS[rung - 1], severity=rung), str)
    for other, wording in enumerate(RUNGS, start=1):
        assert bool(why(wording, RUNGS[rung - 1], severity=rung)) == (other != rung)


def test_what_goes_out_is_the_telling_and_its_tellers_manner_alone() -> None:
    order = order_for(told(RUNGS[0]), WORLD)
    assert order.told == RUNGS[0]
    assert "Pip tells Ilsa Brandt" in order.system
    assert "Tomas" not in order.system


class Echoes:
    """Says everything with an oath, or what it was given to say."""

    name = "echoes"

    def __init__(self, *instead: str) -> None:
        self.instead = list(instead)
        self.asked: list[str] = []

    async def say(self, system: str, told: str) -> str:  # noqa: ARG002  (a voice's shape)
        self.asked.append(told)
        return self.instead.pop(0) if self.instead else f"Upon my soul, {told}."


def a_morning(world: World | None = None) -> Play:
    play = Play(world or worked())
    play.record(Deed(tick=7, actor="player", statement=RUNGS[0], place="market", ladder="theft", subject="player"))
    play.record(*[HourPassed()] * 4)
    return play


def revoiced(play: Play, voice: Echoes, *, most: int = 50) -> Revoiced:
    return asyncio.run(
        revoice_tellings(
            play.playthrough_id, voice=voice, open_uow=play.stores.open_uow, embedder=READING.embedder, most=most
        )
    )  # fmt: skip


def test_tellings_are_put_once_the_newest_first_and_what_counts_stays_as_it_was() -> None:
    play, voice = a_morning(), Echoes()
    before = play.all(), play.tellings(), play.state()
    assert revoiced(play, voice, most=1) == Revoiced(kept=1)
    assert voice.asked == [play.tellings()[-1].statement]
    assert revoiced(play, voice) == Revoiced(kept=3)
    assert revoiced(play, voice) == Revoiced()
    assert (play.all(), play.tellings(), play.state()) == before
    shown = play.ask(lambda uow: uow.tellings.newest(limit=9))
    assert [v.said for v in shown] == [f"Upon my soul, {v.telling.statement}." for v in shown]


def test_what_is_dropped_is_not_kept_and_not_asked_again_and_silence_is() -> None:
    play = a_morning()
    voice = Echoes("The player burned the market down!", "", "Upon my soul, nothing happened.")
    assert revoiced(play, voice) == Revoiced(kept=1, dropped=2, silent=1)
    shown = play.ask(lambda uow: uow.tellings.newest(limit=9))
    assert [v.said == v.telling.statement for v in shown] == [True, True, True, False]
    assert shown[0].voicing is not None
    assert (shown[0].voicing.text, shown[0].voicing.dropped) == ("", "changes how bad it is (burned)")
    assert revoiced(play, voice) == Revoiced(kept=1)


def test_of_a_playthrough_that_is_not_there_nothing_is_put() -> None:
    play = a_morning()
    play.playthrough_id = "nowhere"
    with pytest.raises(UnknownPlaythroughError):
        revoiced(play, Echoes())


def test_a_place_of_the_story_may_be_named_where_it_was_told() -> None:
    world = a_village((somebody("pip"),), {})
    assert Place(id="market", name="market") in world.places
    statement = "the player ransacked the whole market"
    assert unfit("Oh, the player ransacked the whole market!", told(statement, severity=4), world=world,
                 ladder=LADDER, nearness={}) == ""  # fmt: skip
