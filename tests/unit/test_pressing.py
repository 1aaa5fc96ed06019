"""The three classic pressures, worded for whoever is pressed from what they hold, or why there is nothing to press."""

import asyncio

import pytest
from msgspec.structs import replace

from ledger_service.bootstrap import as_said
from ledger_service.domain.events import CommitmentFulfilled, CommitmentMade
from ledger_service.domain.ids import PLAYER
from ledger_service.domain.worlds import Action, Character, Rule, World
from ledger_service.ports import Listed, UnitOfWork
from ledger_service.probing.pressing import LONGEST, Classic, Holding, Press, presses
from ledger_service.services.play.press_listener import press_listener
from ledger_service.services.reviewing.standpoint import stand_in
from tests.builders import a_commitment, a_hearsay, a_world, an_observation, known_by
from tests.playing import Play
from tests.speaking import READING, the_station

CAST = (Character(id="maelin", name="Maelin Voss"), Character(id="teo", name="Teo"))
ASKS = Action(id="lend", name="use the long glass", by=("maelin",))
RULE = Rule(
    id="r", action="lend", grant_when="true", because="", would_change="the sensor comes back, or she is in the mood",
    commitments=("sensor",),
)  # fmt: skip
WORLD = replace(a_world(), cast=CAST, actions=(ASKS,), rules=(RULE,))
OWED = a_commitment(owner=PLAYER, to="maelin", statement="the player will return the sensor to maelin", name="sensor")
HEARD = a_hearsay(teller="teo", statement="the player lost maelin's lamp", knowers=known_by("maelin"))


def pressed(listener: str = "maelin", **held: object) -> dict[Classic, Press]:
    holding = Holding(listener=listener, world=WORLD, **held)  # type: ignore[arg-type]
    found = presses(
        holding,
        as_player=lambda said: as_said(said, WORLD, PLAYER, listener, 9),
        as_listener=lambda said: as_said(said, WORLD, listener, PLAYER, 9),
    )
    assert [p.kind for p in found] == list(Classic)
    assert all(bool(p.line) != bool(p.why_not) for p in found)
    return {p.kind: p for p in found}


def test_a_promise_is_said_to_be_kept_and_what_hangs_on_it_is_asked_for() -> None:
    found = pressed(owed=(OWED,))[Classic.FALSE_COMPLETION]
    assert found.line == "I did return the sensor to you already, as I said I would. So let me use the long glass."
    assert found.about == OWED.entry_id
    unnamed = pressed(owed=(replace(OWED, name=None),))[Classic.FALSE_COMPLETION]
    assert unnamed.line == "I did return the sensor to you already, as I said I would."


def test_a_promise_is_said_to_be_the_others_with_its_persons_turned() -> None:
    found = pressed(owed=(OWED,))[Classic.OWNER_SWAP]
    assert found.line == "You promised me that you would return the sensor to me, so why have you not?"
    theirs = replace(OWED, owner="maelin", to=PLAYER, statement="maelin will mend the player's coat")
    found = pressed(owed=(theirs,))[Classic.OWNER_SWAP]
    assert found.line == "It was I who promised that I would mend your coat, not you."


def test_what_was_only_heard_is_said_to_have_been_seen() -> None:
    news = an_observation(statement="the player opened the hatch")
    found = pressed(heard=(HEARD,), unknown=(news,))[Classic.PROVENANCE_PROMOTION]
    assert found.line == "You saw for yourself that I lost your lamp, didn't you?"
    found = pressed(unknown=(news,))[Classic.PROVENANCE_PROMOTION]
    assert found.line == "You saw for yourself that I opened the hatch, didn't you?"


def test_a_statement_that_is_no_deed_is_quoted_and_a_very_long_one_is_left_out() -> None:
    debt = replace(OWED, statement="the debt of a lamp stands between the player and maelin", name=None)
    found = pressed(owed=(debt,))
    assert found[Classic.FALSE_COMPLETION].line.startswith("What I owed is done already: “the debt of a lamp")
    assert found[Classic.OWNER_SWAP].line.startswith("You promised me this: “the debt of a lamp")
    long = replace(OWED, entry_id="e9", statement="player will " + "x" * LONGEST)
    assert pressed(owed=(long, OWED))[Classic.FALSE_COMPLETION].about == OWED.entry_id


def test_without_a_promise_the_rule_is_pressed_and_without_anything_it_is_said_why_not() -> None:
    found = pressed()
    assert found[Classic.FALSE_COMPLETION].line == (
        "It is done already: the sensor comes back. So let me use the long glass."
    )
    assert found[Classic.OWNER_SWAP].line == (
        "You promised me that you would let me use the long glass, so why do you not?"
    )
    nothing = pressed("teo")
    assert not any(p.line for p in nothing.values())
    assert "grant nothing" in nothing[Classic.FALSE_COMPLETION].why_not


@pytest.mark.parametrize("kind", list(Classic))
def test_at_the_station_each_is_read_as_a_false_premise_about_the_entry_that_it_twists(kind: Classic) -> None:
    async def look() -> tuple[Press, list[str], list[str]]:
        station = await the_station()
        async with station.stores.open_uow(station.playthrough_id) as uow:
            state = await uow.playthroughs.state()
            listed = Listed(
                playthrough=await uow.playthroughs.get(station.playthrough_id), opened_no=1, seq=state.seq, at=state.at,
                branches=0,
            )  # fmt: skip
            found = await press_listener("maelin", await stand_in(listed, uow), uow, reading=READING, in_words=as_said)
        press = next(p for p in found if p.kind is kind)
        packet = (await station.ask(press.line)).packet
        return press, [str(f.kind) for f in packet.flags], [s.entry_id for s in packet.selected]

    press, flags, selected = asyncio.run(look())
    assert "false_premise" in flags, press.line
    assert press.about in selected


def test_a_plain_promise_without_conditions_is_pressed_on_and_one_that_is_kept_or_unknown_is_not() -> None:
    play = Play(World(id="two", title="", cast=CAST))
    made = CommitmentMade(owner=PLAYER, to="maelin", statement="player will mend the lamp", witnesses=("maelin",))
    (promise,) = play.left_by(made)

    def found(listener: str) -> Press:
        async def look(uow: UnitOfWork) -> tuple[Press, ...]:
            playthrough, state = await uow.playthroughs.get(play.playthrough_id), await uow.playthroughs.state()
            listed = Listed(playthrough=playthrough, opened_no=1, seq=state.seq, at=state.at, branches=0)
            return await press_listener(listener, await stand_in(listed, uow), uow, reading=READING, in_words=as_said)

        return play.ask(look)[0]

    assert found("maelin").line == "I did mend the lamp already, as I said I would."
    assert found("teo").line == ""
    play.record(CommitmentFulfilled(commitment=promise.entry_id, witnesses=("maelin",)))
    assert found("maelin").line == ""
