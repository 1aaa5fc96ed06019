"""What a responder may be heard to say: nothing that names or tells what its packet does not hold."""

import pytest

from ledger_service.domain.replies import Reply
from ledger_service.domain.worlds import Character, Ladder, Place, Thing, World
from ledger_service.readers.claims import PatternClaimReader
from ledger_service.responders.scripted import ScriptedResponder
from ledger_service.responders.template import TemplateResponder
from ledger_service.services.replies.say_line import beyond, say_line
from ledger_service.services.replies.score_reply import Judging
from tests.builders import a_hearsay, an_observation
from tests.speaking import NoMeanings, Scene, a_scene, a_stage, the_station

pytestmark = pytest.mark.anyio
READER = PatternClaimReader()
WORLD = a_stage(
    cast=(
        Character(id="maelin", name="Maelin"), Character(id="teo", name="Teo Marsh", aliases=("the hauler",)),
        Character(id="supervisor", name="the supervisor"), Character(id="odo", name="Odo Fenn"),
    ),
    places=(Place(id="vault", name="the seed vault"),),
    things=(Thing(id="chart", name="the star chart"),),
    ladders=(Ladder(id="theft", rungs=("took a lamp", "robbed the stores", "belongs to a gang of thieves")),),
)  # fmt: skip


def over(scene: Scene, text: str) -> str:
    return beyond(scene.packet, Reply(text=text, responder="m"), world=scene.world, ledger=scene.ledger, reader=READER)


def the_mast(line: str = "Is the mast iced?", world: World = WORLD) -> Scene:
    told = a_hearsay(entry_id="e2", statement="the generator coughs", teller="teo")
    return a_scene(an_observation(statement="the mast is iced over"), told, line=line, world=world)


@pytest.mark.parametrize(
    "text",
    [
        "Solid ice, Player.",
        "The mast is iced over. Teo told me the generator coughs.",
        "Teo Marsh says so, and I, Maelin, saw the mast.",
        "Yes! It is. And God knows, on Monday it was worse.",
        "Word is that it will hold.",
        "*looks up* Iced. VERY much so? “Mast”, they call it.",
        "I won't say more — It's late.",
        "Ask Teo. Poor Teo! Nothing was said. Everybody knows that.",
    ],
)
def test_what_the_packet_holds_may_be_said_in_any_words(text: str) -> None:
    assert over(the_mast(), text) == ""


@pytest.mark.parametrize(
    "place", ["{} did it.", "I asked {} of it.", "The mast? Ask {}!", "“{}”, he said.", "({} knows)"]
)
@pytest.mark.parametrize("name", ["Odo Fenn", "Odo", "the supervisor", "the seed vault", "the star chart", "ODO"])
def test_whom_and_what_of_the_world_it_does_not_hold_may_not_be_named(place: str, name: str) -> None:
    assert "which the packet does not hold" in over(the_mast(), place.format(name))


@pytest.mark.parametrize(
    "text",
    [
        "I had it from a merchant named Marchegus.",
        "Marchegus told me.",
        "It is iced. Marchegus Brown fell off it.",
        "I come from a small town in America.",
        "Ask the wife of Marchegus.",
    ],
)
def test_whom_a_model_makes_up_is_in_no_packet(text: str) -> None:
    assert over(the_mast(), text).startswith(("spoke of “Marchegus”", "spoke of “Brown”", "spoke of “America”"))


def test_a_child_is_not_yet_the_child_that_everybody_calls_so() -> None:
    stage = a_stage(cast=(*a_stage().cast, Character(id="pip", name="Pip", aliases=("the child",))))
    pulled = a_scene(an_observation(statement="the player pulled a child out of the sea"), line="Why?", world=stage)
    assert over(pulled, "You pulled a child out of the sea.") == ""
    assert "Pip" in over(pulled, "It was the child that you pulled out.")


def test_who_was_asked_about_may_be_named() -> None:
    assert over(the_mast("Where is Odo Fenn?"), "I have not seen Odo Fenn.") == ""
    assert over(the_mast("Who is Marchegus?"), "I know no Marchegus.") == ""


def test_a_story_may_be_told_by_its_rung_and_by_no_other() -> None:
    took = a_scene(an_observation(statement="the player took a lamp"), line="What did I do?", world=WORLD)
    assert over(took, "You took a lamp.") == ""
    assert "robbed the stores" in over(took, "You robbed the stores, that is what you did.")
    assert "gang of thieves" in over(took, "They say you belong to a gang of thieves.")


def test_german_writes_every_noun_with_a_capital_and_names_are_still_names() -> None:
    assert over(the_mast(), "Der Mast ist vereist, und das Eis ist dick, und die Leiter ist auch nicht gut.") == ""
    assert "Odo Fenn" in over(the_mast(), "Das weiß ich nicht, das hat der Odo Fenn gesagt und nicht ich.")


@pytest.mark.parametrize(
    "text",
    [
        "오도 펜이 그렇게 말했어요.", "奥多·芬告诉我的。", "اودو فن به من گفت", "Me lo dijo Odo Fenn.",
        "O\u200bdo Fenn did it.", "\u041edo Fenn did it.", "I asked odo.",
    ],
)  # fmt: skip
def test_a_name_is_a_name_in_other_scripts_and_in_disguise(text: str) -> None:
    assert "Odo Fenn" in over(the_mast(), text)


def test_other_languages_may_say_what_the_packet_holds() -> None:
    assert over(the_mast(), "El mástil está helado.") == ""
    assert "Marchegus" in over(the_mast(), "Me lo dijo Marchegus.")


async def test_the_packets_own_line_is_delivered_and_another_is_dropped_for_the_templates() -> None:
    station = await the_station()
    template = TemplateResponder()
    judging = Judging(claim_reader=READER, embedder=NoMeanings())

    async def say(text: str):
        stored = await station.ask("Who broke the relay?")
        return await say_line(
            station.playthrough_id, stored.packet_id, ScriptedResponder({}, default=text, name="http_chat:tiny"),
            stand_in=template, open_uow=station.stores.open_uow, judging=judging,
        )  # fmt: skip

    kept = await say("You owned up to it.")
    assert (kept.reply.text, kept.reply.responder, kept.reply.fallback) == (
        "You owned up to it.",
        "http_chat:tiny",
        False,
    )
    dropped = await say("Old Marchegus broke it, and he told me so himself.")
    assert (dropped.reply.responder, dropped.scorecard.responder, dropped.reply.fallback) == (
        "template",
        "template",
        True,
    )
    assert (
        dropped.reply.note == "http_chat:tiny spoke of “Marchegus”, which the packet does not hold; the template spoke"
    )
    assert "Marchegus" not in dropped.reply.text
    async with station.stores.open_uow(station.playthrough_id) as uow:
        entries, _ = await uow.ledger.load_all()
    assert not any("Marchegus" in e.statement for e in entries)
    assert any("You owned up to it." in e.statement for e in entries)
