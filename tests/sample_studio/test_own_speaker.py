"""A speaker of the studio's own, and playthroughs in plain tests."""

import pytest

from ledger_service.domain.errors import StoryFileError


@pytest.fixture(scope="session")
def continuity_speaker():
    async def parrot(packet):
        return f"You said: {packet.line}"

    return parrot


def test_a_line_comes_from_the_speaker_of_the_studio(continuity_playthrough):
    harbour = continuity_playthrough("harbour")
    asked = harbour.ask("Who mended the net?", speaker="teo")
    assert [s.statement for s in asked.packet.selected][:1] == ["player mended the torn net"]
    assert harbour.speak(asked).text == "You said: Who mended the net?"


@pytest.mark.parametrize("time", range(3))
def test_each_test_has_a_playthrough_of_its_own(continuity_playthrough, time):
    harbour = continuity_playthrough("harbour")
    assert harbour.state.at.scene == 0
    harbour.pass_scenes(time + 1)
    assert harbour.state.at.scene == time + 1


def test_a_story_that_is_not_there_is_named_with_those_that_are(continuity_playthrough):
    with pytest.raises(StoryFileError, match=r"harbor/world.yaml: .* \(there are: harbour, maelin, village\)"):
        continuity_playthrough("harbor")


def test_stories_that_come_with_the_ledger_can_be_played_too(continuity_playthrough):
    maelin = continuity_playthrough("maelin")
    assert maelin.find("confession.2")[0].statement.startswith("player admitted")
