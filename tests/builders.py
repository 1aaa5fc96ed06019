"""Values for tests: one line states what matters, the rest is filled in."""

from collections.abc import Mapping, Sequence
from typing import Any

from ledger_service.domain.entries import (
    Commitment,
    Contradiction,
    EmotionalResidue,
    Hearsay,
    LedgerEntry,
    Observation,
    RelationshipDelta,
    Source,
    SourceKind,
)
from ledger_service.domain.ids import EntryId, entry_id_of
from ledger_service.domain.moments import Moment
from ledger_service.domain.playthroughs import StoryState
from ledger_service.domain.slots import Predicate, Slot
from ledger_service.domain.story_time import StoryTime
from ledger_service.domain.visibility import Knower
from ledger_service.domain.worlds import Character, DeclaredEvent, Group, Place, Stay, Trust, World

WITNESSED = Source(kind=SourceKind.WITNESSED, by="maelin")
TOLD = Source(kind=SourceKind.TOLD_BY, by="orla")


def known_by(*who: str, since: int = 1) -> tuple[Knower, ...]:
    return tuple(Knower(who=w, since_seq=since) for w in who)


def a_slot(subject: str = "relay", predicate: str = "is", object_: str = "broken", **overrides: Any) -> Slot:
    return Slot(subject=subject, predicate=predicate, object=object_, **overrides)


def _common(overrides: Mapping[str, Any]) -> dict[str, Any]:
    seq = overrides.get("seq", 1)
    fields: dict[str, Any] = {
        "entry_id": entry_id_of(seq=seq, ordinal=1, holder=overrides.get("statement", "")),
        "source": WITNESSED,
        "knowers": known_by("maelin"),
        "seq": seq,
        "at": StoryTime(tick=seq),
    }
    return fields | dict(overrides)


def an_observation(**overrides: Any) -> Observation:
    return Observation(**_common({"statement": "the relay is broken", **overrides}))


def a_hearsay(**overrides: Any) -> Hearsay:
    given = {"statement": "they say the relay is broken", "source": TOLD, "teller": "orla", "confidence": 0.5}
    return Hearsay(**_common({**given, **overrides}))


def a_commitment(**overrides: Any) -> Commitment:
    given = {"statement": "the player will bring the sensor back", "owner": "player", "to": "maelin"}
    return Commitment(**_common({**given, "knowers": known_by("maelin", "player"), **overrides}))


def a_relationship_delta(**overrides: Any) -> RelationshipDelta:
    given = {"statement": "maelin thinks more of the player", "from_whom": "maelin", "to": "player", "amount": 1.0}
    return RelationshipDelta(**_common({**given, **overrides}))


def a_residue(**overrides: Any) -> EmotionalResidue:
    given = {"statement": "maelin is embarrassed", "holder": "maelin", "emotion": "embarrassment"}
    return EmotionalResidue(**_common({**given, **overrides}))


def a_contradiction(*members: EntryId, **overrides: Any) -> Contradiction:
    given = {"statement": "the log and the night watch disagree", "members": members or ("e1", "e2")}
    return Contradiction(**_common({**given, **overrides}))


ONE_OF_EACH: tuple[LedgerEntry, ...] = (
    an_observation(), a_hearsay(), a_commitment(), a_relationship_delta(), a_residue(), a_contradiction(),
)  # fmt: skip


def a_moment(**overrides: Any) -> Moment:
    given: dict[str, Any] = {"speaker": "maelin", "audience": ("player",), "at": StoryTime(tick=100), "seq": 100}
    return Moment(**{**given, **overrides})


def a_state(**overrides: Any) -> StoryState:
    return StoryState(**overrides)


def a_world(**overrides: Any) -> World:
    """Five people at a station: a loner with a schedule, a dog that cannot testify, a crew with two members."""
    given: dict[str, Any] = {
        "id": "station",
        "title": "The station",
        "cast": (
            Character(id="player", name="Player", home="mast"),
            Character(id="maelin", name="Maelin", home="station"),
            Character(id="orla", name="Orla", home="station"),
            Character(
                id="tovi", name="Tovi", home="harbour", schedule=(Stay(place="station", from_hour=8, until_hour=12),)
            ),
            Character(id="brun", name="Brun", home="cellar"),
            Character(id="rex", name="Rex the dog", home="station", can_testify=False),
        ),
        "places": (
            Place(id="station", name="Station", region="hill"),
            Place(id="mast", name="Mast", region="hill"),
            Place(id="harbour", name="Harbour", region="coast"),
            Place(id="cellar", name="Cellar", region="coast"),
        ),
        "groups": (Group(id="crew", members=("maelin", "orla")),),
        "trust": (
            Trust(listener="orla", teller="maelin", trust=0.5),
            Trust(listener="tovi", teller="orla", trust=0.8),
        ),
        "predicates": {
            "is": Predicate(functional=True, fluent=True),
            "is_at": Predicate(functional=True, fluent=True),
            "killed_by": Predicate(functional=True),
            "married_to": Predicate(functional=True, symmetric=True),
            "owns": Predicate(exclusive_with=("sold",)),
            "sold": Predicate(exclusive_with=("owns",)),
            "goes_as": Predicate(same_as=True),
        },
        "events": (
            DeclaredEvent(name="private_debrief"),
            DeclaredEvent(name="sensor_returned"),
            DeclaredEvent(name="storm"),
        ),
        "state": {"power": True, "alarm": 0},
    }
    return World(**{**given, **overrides})


class PlainEmbedder:
    """An embedder that measures nothing but remembers how often it was asked."""

    name = "plain-1"

    def __init__(self) -> None:
        self.calls = 0

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        self.calls += 1
        return [text.encode()[:4] for text in texts]

    def similarity(self, line: str, meanings: Mapping[EntryId, bytes]) -> dict[EntryId, int]:
        return {entry_id: 1_000 if line.encode()[:4] == meaning else 0 for entry_id, meaning in meanings.items()}
