"""Lines that were read already: the same claims, read once."""

from msgspec.structs import replace

from ledger_service.readers.remembering import MOST_WORLDS, SHORT, RememberingClaimReader, RememberingLineReader
from tests.probing import JUDGING, READING, a_story

WORLD = a_story().world
LINE = "I promised Maelin the sensor, and I have not brought it."


class Counting:
    """A reader that counts how often it reads."""

    def __init__(self) -> None:
        self.times = 0

    def read(self, text, *, world, speaker, audience):
        self.times += 1
        return JUDGING.claim_reader.read(text, world=world, speaker=speaker, audience=audience)


def read(reader, text=LINE, world=WORLD, speaker="player", audience=("maelin",)):
    return reader.read(text, world=world, speaker=speaker, audience=audience)


def test_the_same_line_is_read_once_and_the_same_claims_come_of_it():
    counting = Counting()
    reader = RememberingClaimReader(counting)
    assert read(reader) == read(reader) == read(JUDGING.claim_reader)
    assert read(reader, world=replace(WORLD)) == read(reader), "another copy of the same world"
    assert counting.times == 1


def test_another_line_speaker_audience_or_world_is_another_reading():
    counting = Counting()
    reader = RememberingClaimReader(counting)
    read(reader)
    read(reader, text=f"{LINE} Truly.")
    read(reader, speaker="maelin", audience=("player",))
    read(reader, audience=("player", "maelin"))
    read(reader, world=replace(WORLD, title="Elsewhere"))
    assert counting.times == 5


def test_of_however_many_worlds_only_so_many_are_kept_and_each_is_read_by_its_own():
    class Title:
        def read(self, _, *, world, **__):
            return world.title

    reader = RememberingClaimReader(Title())
    for number in range(3 * MOST_WORLDS):
        assert read(reader, world=replace(WORLD, title=f"world {number}")) == f"world {number}"
        assert len(reader._by_version) <= len(reader._worlds) <= MOST_WORLDS
    assert read(reader, world=replace(WORLD, title="world 0"), text="another line") == "world 0"


def test_a_long_line_is_read_each_time():
    counting = Counting()
    reader = RememberingClaimReader(counting)
    for _ in range(2):
        read(reader, text="I said so. " * (SHORT // 5))
    assert counting.times == 2


def test_a_line_is_read_into_the_same_intent_under_the_same_version():
    reader = RememberingLineReader(READING.reader)
    assert reader.version == READING.reader.version
    for _ in range(2):
        assert read(reader, speaker="maelin", audience=("player",)) == read(
            READING.reader, speaker="maelin", audience=("player",)
        )
