"""The record denied in other words: another state, number, kind or opinion than is on record, and the clean twins."""

import pytest

from ledger_service.domain.replies import Reply
from ledger_service.domain.rubric import Code
from ledger_service.scoring.response_validity import response_validity
from tests.builders import a_commitment, a_relationship_delta, an_observation
from tests.speaking import Scene, a_scene

PUMP = an_observation(entry_id="pump", statement="player repaired the cistern pump", seq=2)
GLASS = an_observation(entry_id="glass", statement="player returned the barometer with its glass cracked", seq=3)
SHED = an_observation(entry_id="shed", statement="the coal shed is locked", seq=4)
ROPES = an_observation(entry_id="ropes", statement="the hauler delivered fourteen coils of rope", seq=5)
MASTS = an_observation(entry_id="masts", statement="player painted mast three", seq=6)
FLOUR = a_commitment(
    entry_id="flour", statement="teo will bring maelin two sacks of flour", owner="teo", to="maelin", seq=7
)  # fmt: skip
RIDGE = an_observation(entry_id="ridge", statement="player marked the ridge path alone in the fog", seq=8)
TALLY = a_relationship_delta(entry_id="tally", statement="maelin trusts the player's soundings", seq=9)
CHARTS = an_observation(entry_id="charts", statement="maelin does not trust printed charts", seq=10)
WINDOW = an_observation(entry_id="window", statement="the hail broke the left window of the hut", seq=11)
DOG = an_observation(entry_id="dog", statement="the supply dog is asleep in the porch", seq=12)
PORCH = an_observation(
    entry_id="porch", statement="maelin and the player have talked alone once, in the porch at tick 4", seq=13
)  # fmt: skip
MAST = an_observation(entry_id="mast", statement="player climbed out of the flooded shaft with the lost anchor", seq=14)
ALL = (PUMP, GLASS, SHED, ROPES, MASTS, FLOUR, RIDGE, TALLY, CHARTS, WINDOW, DOG, PORCH, MAST)


def contradicted(line: str, text: str) -> set[str]:
    scene: Scene = a_scene(*ALL, line=line)
    reply = Reply(text=text, responder="test")
    verdict = response_validity(
        scene.packet, reply, scene.claims(text), world=scene.world, ledger=scene.ledger, asked=scene.asked
    )  # fmt: skip
    return {i for f in verdict.findings if f.code is Code.CONTRADICTS_ENTRY for i in f.entry_ids}


DENIED = [
    ("How is the cistern?", "Dry as chalk. The pump's still stuck where you left it, and I carry snow.", "pump"),
    ("Any word on the pump?", "That pump won't turn for anybody. I kicked it this morning.", "pump"),
    ("What became of the barometer?", "The barometer came home from you without a scratch, glass and all.", "glass"),
    ("Where is the coal?", "In the shed, and the coal shed stands wide open to whoever is cold.", "shed"),
    ("Did the rope come?", "It did. Nine coils of rope, and I counted them off the sledge myself.", "ropes"),
    ("How's my paint holding?", "On mast five? Well enough. Mast five you painted, and mast five has held.", "masts"),
    ("What is Teo bringing?", "Flour, and not before time. Six sacks of it, on my word.", "flour"),
    ("What is Teo bringing?", "Two sacks of lentils, and he wants the sacks back.", "flour"),
    ("Was the ridge hard going?", "You marked that ridge path with Teo holding the line for you all the way.", "ridge"),
    ("Have you a chart of the bay?", "A printed chart, yes. I'd stake the boat on every line of it.", "charts"),
    ("Why is it cold in here?", "The hail took the right window of the hut, and I have no putty.", "window"),
    (
        "Is the pump mended?",
        "Nobody's repaired that pump, friend. It came right by itself when the frost went.",
        "pump",
    ),
    (
        "Did you like my coat of paint?",
        "What coat? You never laid a brush on mast three, and the rust says so.",
        "masts",
    ),
    ("How did you like my paint?", "What paint? The masts are bare as bones.", "masts"),
    ("Where is that barometer?", "You tell me. I've been asking for the barometer since the thaw.", "glass"),
    ("We've never had a word alone, have we?", "Never once. There's always somebody at the stove.", "porch"),
    ("Did the dog keep watch?", "That dog has never once shut an eye on this porch, fog or no fog.", "dog"),
    ("Is that the dog I hear?", "The dog's wide awake in the porch, howling at your boots.", "dog"),
    ("Do you trust me with the lead line?", "With a sounding? I'd sooner hand the line to the dog than you.", "tally"),
    ("What do you make of my soundings?", "Your soundings? I check behind you every time, and so I should.", "tally"),
]
KEPT = [
    ("How is the cistern?", "Full. You repaired the pump, and it has not missed a stroke."),
    ("Any word on the pump?", "It was stuck, once. You repaired it, and I have forgotten the noise."),
    ("What became of the barometer?", "You brought it back with a cracked glass. The needle still tells the truth."),
    ("Where is the coal?", "In the shed. It's locked, so wipe your boots and ask me for it."),
    ("Where is the coal?", "The shed would stand open if I let it, and then where would we be?"),
    ("Did the rope come?", "Fourteen coils, and at least nine of them dry. I call that a good day."),
    ("How's my paint holding?", "Mast three wears it well. Mast five wants scraping before anyone paints."),
    ("What is Teo bringing?", "Two sacks of flour. If he could carry six, he would."),
    ("Was the ridge hard going?", "You marked it alone, in fog, while the two of us sat here and burned the toast."),
    ("Shall I take the soundings?", "Take them. I would not trust Teo with a bucket, but your figures hold water."),
    ("Have you a chart of the bay?", "A printed one. I'd not stake a boot on it."),
    ("Why is it cold in here?", "The hail had the left window. The right one rattles out of sympathy."),
    ("Is the pump mended?", "It is, and nobody's touched it since you had it apart."),
    (
        "We've never had a word alone, have we?",
        "Never but the once, in the porch, and the kettle heard every word of it.",
    ),
    ("Did you like my coat of paint?", "On mast three, yes. Nobody has painted the others in my time."),
    ("How was the shaft?", "You came up with the anchor, and the shaft is dry by now, I should think."),
    ("What do you make of these charts?", "I read them, I fold them up, and I take a sounding."),
    ("Is the pump running?", "Aye. It wheezed and dripped for a year, and then you repaired it."),
    ("May I take a sounding?", "You may. I've no feel for them myself, and yours come out."),
    ("Where is the coal?", "Keep the shed open while you shovel; I lock it after."),
    ("Is that the dog I hear?", "It's asleep in the porch. You hear my knees."),
    ("Is that the dog I hear?", "No, the dog is asleep. I am the one who is wide awake."),
    ("Do you trust me with the lead line?", "A sounding of yours I'd write down with my eyes shut."),
    ("Do you trust me with the lead line?", "I doubted you at first. These days I take your word for every fathom."),
    ("Must I see to the locked coal shed?", "No. The lock is mine to see to."),
    ("Shall I sign for the soundings?", "If I doubted you I'd have sent Teo, and you may tell him so."),
]


@pytest.mark.parametrize(("line", "text", "entry"), DENIED)
def test_the_record_is_denied_in_other_words(line: str, text: str, entry: str) -> None:
    assert entry in contradicted(line, text)


@pytest.mark.parametrize(("line", "text"), KEPT)
def test_the_same_thing_told_as_it_is_on_record_is_no_fault(line: str, text: str) -> None:
    assert contradicted(line, text) == set()
