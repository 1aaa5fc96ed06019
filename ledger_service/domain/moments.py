"""A moment: who is about to speak, to whom, at what point, and what was just said to them."""

from enum import StrEnum

from msgspec import Struct

from ledger_service.domain.errors import EmptyScopeError
from ledger_service.domain.ids import NARRATOR, CharacterId
from ledger_service.domain.story_time import StoryTime


class AskKind(StrEnum):
    """What sort of answer a question wants."""

    WHO = "who"
    WHAT = "what"
    WHEN = "when"
    WHERE = "where"
    WHY = "why"
    HOW = "how"
    WHETHER = "whether"
    ABOUT = "about"
    """Tell me about it."""
    RECORD = "record"
    """What do you have down about it."""
    CULPRIT = "culprit"
    """Who is behind it."""


class Ask(Struct, frozen=True, kw_only=True):
    """A question: what sort of answer, about which words, and about whom."""

    kind: AskKind
    topic: tuple[str, ...] = ()
    """Stems of the content words."""
    label: str = ""
    """The topic in words, for a flag."""
    subject: str | None = None
    """The person it is about, where it is about one."""
    negative: bool = False
    """It asks for what is not, must not or cannot be."""
    deed: str = ""
    """Stem of what was done, where it asks who did it: only an entry that names the doer answers it."""
    words: bool = False
    """It asks what somebody said: that they talked is no answer."""


class ClaimKind(StrEnum):
    """What the player's line takes for granted or says."""

    STATE = "state"
    DONE = "done"
    """Something that was to be done has been."""
    PLACED = "placed"
    """Something is where it was to be brought; nothing more is made of it."""
    SAID = "said"
    """The speaker said something to the player earlier."""
    ALONE = "alone"
    """The two were alone together."""
    MET = "met"
    """The two have met before."""
    PROMISED = "promised"
    """The speaker promised something."""
    OWED = "owed"
    """The speaker owes something."""
    DUE = "due"
    """It is the speaker who is still to do something, not the one who asks."""
    WITNESSED = "witnessed"
    """The speaker was there."""
    DEED = "deed"
    """The speaker did something."""
    SHARED = "shared"
    """The two did or lived through something together."""


class LineClaim(Struct, frozen=True, kw_only=True):
    """Something the line asserts or presupposes."""

    kind: ClaimKind
    topic: tuple[str, ...] = ()
    label: str = ""
    owner: CharacterId | None = None
    negative: bool = False


class Intent(Struct, frozen=True, kw_only=True):
    """What a line is read as. Slots and entities read from text serve recall and flags only."""

    terms: tuple[str, ...] = ()
    mentions: tuple[str, ...] = ()
    """Ids of characters, places, things and actions that the line names."""
    actions: tuple[str, ...] = ()
    """Actions that the line asks for."""
    asserts: tuple[LineClaim, ...] = ()
    presupposes: tuple[LineClaim, ...] = ()
    asks: tuple[Ask, ...] = ()
    anaphora: tuple[str, ...] = ()
    """Pronouns and `that X` left to be resolved against what the speaker knows."""
    greeting: bool = False
    reader: str = ""
    """The reader's name and version; part of the packet's hash."""


class Moment(Struct, frozen=True, kw_only=True):
    """Everything about the coming line that is not in the ledger."""

    speaker: CharacterId
    audience: tuple[CharacterId, ...]
    at: StoryTime
    seq: int
    """The last event that the packet may rest on."""
    pov: CharacterId | None = None
    """Through whose eyes a narrator sees."""
    line: str = ""
    line_seq: int | None = None
    """The utterance being answered, where it has been posted."""
    intent: Intent = Intent()
    present: tuple[CharacterId, ...] = ()
    presented_as: dict[CharacterId, str] = {}
    """Under which name somebody of the audience shows themselves to the speaker."""
    action: str | None = None
    """The action that the player intends, where the game says so."""

    def __post_init__(self) -> None:
        if not self.speaker:
            raise EmptyScopeError("speaker")
        if not self.audience or not all(self.audience):
            raise EmptyScopeError("audience")
        if self.speaker == NARRATOR and not self.pov:
            raise EmptyScopeError("pov of the narrator")

    @property
    def viewer(self) -> CharacterId:
        """The character whose knowledge counts."""
        return self.pov or self.speaker
