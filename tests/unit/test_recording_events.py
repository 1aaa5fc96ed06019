"""What each kind of event leaves."""

from ledger_service.domain.entries import (
    Commitment,
    EmotionalResidue,
    Hearsay,
    Observation,
    RelationshipDelta,
    Source,
    SourceKind,
    Status,
)
from ledger_service.domain.events import (
    Act,
    ActKind,
    CommitmentMade,
    Deed,
    DocumentRead,
    EntriesPosted,
    EntryDraft,
    Felt,
    GroupJoined,
    GroupLeft,
    Happened,
    Inferred,
    Moved,
    RelationshipChanged,
    SceneChanged,
    StateSet,
    TimePassed,
    Utterance,
    WorldChanged,
)
from ledger_service.services.playthroughs.open_playthrough import add_world
from tests.builders import a_slot, a_world
from tests.playing import Play, who


def test_a_sentence_leaves_one_active_proof_that_it_was_said() -> None:
    play = Play()
    (said,) = play.left_by(Utterance(speaker="maelin", to=("orla",), text="I fixed it"))
    assert isinstance(said, Observation)
    assert said.statement == 'maelin said "I fixed it" to orla'
    assert (said.said_by, said.said_to, said.source.quote) == ("maelin", ("orla",), "I fixed it")
    assert play.status(said) is Status.ACTIVE


def test_a_long_sentence_is_quoted_whole_and_stated_short() -> None:
    (said,) = Play().left_by(Utterance(speaker="maelin", to=("orla",), text="x" * 4_000))
    assert len(said.statement) == 4_000
    assert said.source.quote == "x" * 4_000


def test_what_the_player_asserts_is_a_weak_claim_that_each_hearer_holds_for_themselves() -> None:
    act = Act(kind=ActKind.ASSERTS, statement="the sensor is back", slot=a_slot("sensor", "is_at", "mast"))
    left = Play().left_by(Utterance(speaker="player", to=("maelin", "orla"), text="it is back", acts=(act,)))
    claims = [e for e in left if isinstance(e, Hearsay)]
    assert [who(c) for c in claims] == [{"maelin"}, {"orla"}]
    assert {(c.source.kind, c.confidence, c.teller) for c in claims} == {(SourceKind.PLAYER_CLAIM, 0.3, "player")}
    assert len({c.entry_id for c in claims}) == 2


def test_a_world_may_say_what_a_players_claim_is_worth() -> None:
    act = Act(kind=ActKind.ASSERTS, statement="the sensor is back")
    play = Play(a_world(confidence_by_source={"player_claim": 0.1}))
    left = play.left_by(Utterance(speaker="player", to=("maelin",), text="it is back", acts=(act,)))
    assert left[-1].confidence == 0.1


def test_what_a_character_asserts_is_worth_their_word_to_each_hearer() -> None:
    act = Act(kind=ActKind.ASSERTS, statement="the storm has passed")
    left = Play().left_by(Utterance(speaker="maelin", to=("orla", "brun"), text="it passed", acts=(act,)))
    assert {k.who: e.confidence for e in left if isinstance(e, Hearsay) for k in e.knowers} == {
        "orla": 0.45,
        "brun": 0.45,
    }


def test_an_admission_proves_that_it_was_admitted_and_claims_the_rest() -> None:
    act = Act(kind=ActKind.ADMITS, statement="player admitted it", slot=a_slot("relay", "killed_by", "player"))
    _, admitted, claim = Play().left_by(Utterance(speaker="player", to=("maelin",), text="it was me", acts=(act,)))
    assert isinstance(admitted, Observation)
    assert admitted.slot is None
    assert set(admitted.about) == {"relay", "player"}
    assert (claim.source.kind, claim.slot) == (SourceKind.PLAYER_CLAIM, act.slot)


def test_a_promise_in_a_sentence_is_a_commitment_of_the_speaker() -> None:
    act = Act(kind=ActKind.PROMISES, statement="player will bring it back")
    _, promise = Play().left_by(Utterance(speaker="player", to=("maelin",), text="I will", acts=(act,)))
    assert isinstance(promise, Commitment)
    assert (promise.owner, promise.to, who(promise)) == ("player", "maelin", {"player", "maelin"})


def test_a_question_leaves_only_that_it_was_asked() -> None:
    act = Act(kind=ActKind.ASKS, statement="where is the sensor")
    assert len(Play().left_by(Utterance(speaker="player", to=("maelin",), text="where?", acts=(act,)))) == 1


def test_a_document_is_known_to_its_reader_and_who_read_along() -> None:
    (read,) = Play().left_by(
        DocumentRead(reader="maelin", document="log", statement="it acknowledges", witnesses=("brun",))
    )
    assert who(read) == {"maelin", "brun"}
    assert (read.source.kind, read.source.by, read.confidence) == (SourceKind.DOCUMENT, "log", 1.0)


def test_a_conclusion_is_its_owners_and_less_sure() -> None:
    play = Play()
    (seen,) = play.left_by(Deed(actor="maelin", statement="the fuse is blown"))
    (thought,) = play.left_by(Inferred(who="maelin", statement="somebody forced it", derived_from=(seen.entry_id,)))
    assert (who(thought), thought.confidence, thought.derived_from) == ({"maelin"}, 0.6, (seen.entry_id,))


def test_a_happening_without_words_is_known_only_to_have_happened() -> None:
    (seen,) = Play().left_by(Happened(name="sensor_returned", witnesses=("orla",)))
    assert seen.statement == "sensor returned happened"


def test_a_commitment_is_known_to_both_parties_however_far_apart() -> None:
    (made,) = Play().left_by(CommitmentMade(owner="player", to="brun", statement="player will pay"))
    assert {"player", "brun"} <= who(made)


def test_a_stance_and_a_feeling_are_their_holders_own() -> None:
    play = Play()
    (stance,) = play.left_by(
        RelationshipChanged(who="maelin", towards="player", statement="better", scope="honesty", amount=1)
    )
    (feeling,) = play.left_by(Felt(who="maelin", emotion="shame", statement="maelin is ashamed"))
    assert isinstance(stance, RelationshipDelta)
    assert isinstance(feeling, EmotionalResidue)
    assert who(stance) == who(feeling) == {"maelin"}
    assert play.status(feeling) is Status.FELT


def test_time_scene_and_turn_follow_from_events() -> None:
    play = Play()
    play.record(
        TimePassed(hours=5),
        SceneChanged(title="the storm", place="mast"),
        Utterance(speaker="player", to=("maelin",), text="hello"),
        Deed(tick=9, actor="maelin", statement="maelin waves"),
        StateSet(state_key="alarm", value=2),
    )
    state = play.state()
    assert (state.at.tick, state.at.scene, state.at.turn, state.seq) == (9, 1, 1, 5)
    assert state.places["player"] == "mast"
    assert state.values["alarm"] == 2


def test_who_joins_a_group_is_in_it_from_then_and_who_leaves_until_then() -> None:
    play = Play()
    play.record(
        GroupJoined(who="brun", group="crew"), Moved(who="brun", to="mast"), GroupLeft(who="brun", group="crew")
    )
    roster = play.state().roster
    assert [roster.is_member("brun", "crew", at_seq=seq) for seq in range(5)] == [False, True, True, False, False]


def test_joining_twice_is_joining_once() -> None:
    play = Play()
    play.record(GroupJoined(who="brun", group="crew"), GroupJoined(who="brun", group="crew"))
    assert sum(m.who == "brun" for m in play.state().memberships) == 1


def test_hearsay_posted_for_several_is_a_copy_for_each() -> None:
    draft = EntryDraft(kind="hearsay", statement="a gang did it", knowers=("orla", "brun"), teller="maelin")
    left = Play().left_by(EntriesPosted(entries=(draft,)))
    assert [who(e) for e in left] == [{"orla"}, {"brun"}]
    assert len({e.entry_id for e in left}) == 2


def test_a_posted_generated_line_is_a_draft_whatever_the_post_says() -> None:
    play = Play()
    source = Source(kind=SourceKind.GENERATED_LINE, by="maelin")
    draft = EntryDraft(kind="observation", statement="the sensor is found", knowers=("maelin",), source=source)
    (left,) = play.left_by(EntriesPosted(entries=(draft,)))
    assert play.status(left) is Status.QUARANTINED


def test_what_a_post_replaces_is_superseded_for_those_who_can_see_the_newer() -> None:
    play = Play()
    (old,) = play.left_by(Deed(actor="maelin", statement="the mast stands"))
    draft = EntryDraft(
        kind="observation", statement="the mast fell", knowers=("maelin",), supersedes=(old.entry_id,)
    )  # fmt: skip
    play.record(EntriesPosted(entries=(draft,)))
    assert play.status(old, viewer="maelin") is Status.SUPERSEDED
    assert play.status(old, viewer="orla") is Status.ACTIVE


def test_a_story_goes_on_under_a_new_version_of_its_world() -> None:
    play = Play()
    newer = a_world(state={"power": True, "alarm": 0, "mast": "up"})
    version = play.ask(lambda _: add_world(newer, open_uow=play.stores.open_uow))
    play.record(WorldChanged(world_version=version), StateSet(state_key="mast", value="down"))
    assert play.state().world_version == version
    assert play.state(at_seq=0).world_version != version
