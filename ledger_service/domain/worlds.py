"""A world: cast, places, schedules, trust, rules, voices, ladders, predicates; immutable by content hash."""

from collections.abc import Iterable
from enum import StrEnum
from functools import cached_property
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from ledger_service.domain.confidence import DEFAULT_BY_SOURCE, Confidence
from ledger_service.domain.ids import PLAYER, CharacterId, PlaceId, WorldId, digest
from ledger_service.domain.slots import Predicate
from ledger_service.domain.story_time import HOURS_A_DAY, hour_of_day

Name = Annotated[str, Meta(pattern=r"^[a-z][a-z0-9_]{0,63}$", description="Lower case, digits and underscores.")]
Hour = Annotated[int, Meta(ge=0, le=24)]


class VoiceCard(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How somebody speaks."""

    register: str = ""
    taboo: tuple[str, ...] = ()
    favourites: tuple[str, ...] = ()
    address: tuple[str, ...] = ()
    """How they address the player."""
    min_words: int = 1
    max_words: int = 80
    samples: tuple[str, ...] = ()
    contractions: bool | None = None
    """False where they never say `don't`."""


class Stay(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A stretch of the day at a place: hours [from_hour, until_hour)."""

    place: PlaceId
    from_hour: Hour
    until_hour: Hour


class Character(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, dict=True):
    """Somebody in the story."""

    id: Name
    name: str
    aliases: tuple[str, ...] = ()
    voice: VoiceCard = VoiceCard()
    schedule: tuple[Stay, ...] = ()
    home: PlaceId | None = None
    can_testify: bool = True
    """False for animals and the like: what they see never becomes knowledge of anybody."""
    exaggeration: Annotated[float, Meta(ge=0, le=1)] = 0.0
    """How likely a retelling steps up one rung of its ladder."""
    sceptic: Annotated[int, Meta(ge=1)] = 1
    """How many different tellers it takes."""

    def place_at(self, tick: int) -> PlaceId | None:
        """Return where the schedule puts them at a tick, else their home."""
        return self.day[hour_of_day(tick)]

    @cached_property
    def day(self) -> tuple[PlaceId | None, ...]:
        """Return where the schedule puts them at each hour of the day; the first stay that fits an hour has it."""
        places = [self.home] * HOURS_A_DAY
        for stay in reversed(self.schedule):
            for hour in _hours(stay.from_hour, stay.until_hour):
                places[hour] = stay.place
        return tuple(places)


class Place(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Somewhere that people can be."""

    id: Name
    name: str
    region: str = ""
    aliases: tuple[str, ...] = ()


class Thing(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An object or topic that lines speak of."""

    id: Name
    name: str
    aliases: tuple[str, ...] = ()


class Group(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A group and who is in it when the story starts."""

    id: Name
    members: tuple[CharacterId, ...] = ()


class Trust(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How much a listener believes a teller, from 0 to 1."""

    listener: CharacterId
    teller: CharacterId
    trust: Confidence


class Action(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Something the player can ask of a character, with the words that ask for it."""

    id: Name
    name: str
    words: tuple[str, ...] = ()
    by: tuple[CharacterId, ...] = ()
    """Who can grant it; empty is anybody."""

    def is_granted_by(self, who: CharacterId) -> bool:
        """Say whether somebody can grant it."""
        return not self.by or who in self.by


class Rule(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """When an action is granted."""

    id: Name
    action: Name
    grant_when: str
    """CEL."""
    because: str
    """What a refusal rests on, in words."""
    scopes: tuple[str, ...] = ()
    """Scopes of standing that the rule needs; a packet shows them even where there is none."""
    commitments: tuple[str, ...] = ()
    """Names of commitments that the rule depends on."""
    would_change: str = ""
    """What would turn the outcome, in words."""
    factor: str = ""
    """CEL for a number: how many times its usual price what is granted costs; none is the usual price."""


class Custom(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How some take what they witness: a gift from one already distrusted reads as a bribe."""

    id: Name
    event: Name = "deed"
    """A declared event, or any deed."""
    when: str
    """CEL, asked for each `witness`, who then records `reads_as` and not what the event says."""
    reads_as: Annotated[str, Meta(min_length=1, max_length=1_000)]
    """What they record; {actor} and {target} stand for names."""
    ladder: Name | None = None
    """The ladder that retellings of it climb."""


class Notice(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A notice, which goes up at a place by a rule, is read by whoever passes, and is taken down again."""

    id: Name
    place: PlaceId
    text: Annotated[str, Meta(max_length=1_000)] = ""
    """What it says; none is the wording of its rung."""
    ladder: Name | None = None
    rung: Annotated[int, Meta(ge=1)] = 1
    subject: str | None = None
    """The person it is about, where its ladder does not say."""
    by: CharacterId | None = None
    """Who puts it up; none is nobody in the story."""
    post_when: str
    """CEL; it goes up with the event by which this becomes true."""
    remove_when: str = ""
    """CEL; it comes down with the event after which this is true; none is never."""


Weight = Annotated[float, Meta(ge=-1, le=1)]


class Ladder(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Wordings of one story, from mild to wild; a retelling may step up one rung."""

    id: Name
    rungs: Annotated[tuple[str, ...], Meta(min_length=2)]
    weights: tuple[Weight, ...] = ()
    """What believing each rung does to an opinion of whom it is about: blame below 0, praise above; none is 0."""
    subject: str | None = None
    """Whom its stories are about, where an event does not say."""

    def wording(self, severity: int) -> str:
        """Return the wording of a rung, the first being 1."""
        return self.rungs[min(severity, len(self.rungs)) - 1]

    def weight(self, severity: int) -> float:
        """Return what a rung does to an opinion."""
        return self.weights[min(severity, len(self.weights)) - 1] if self.weights else 0.0


class Corroboration(StrEnum):
    """How several tellers of one story add up."""

    EACH_TELLER = "each_teller"
    """1 - (1 - old)(1 - new) for every different teller."""
    INDEPENDENT_ROOTS = "independent_roots"
    """The same over groups of tellings that share no witness; within a group the surest counts."""


class Gossip(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How stories travel in this world."""

    stories_a_meeting: Annotated[int, Meta(ge=1, le=50)] = 3
    """How many stories one passes to another in an hour, the most salient first."""
    corroboration: Corroboration = Corroboration.EACH_TELLER
    strong_trust: Annotated[float, Meta(ge=0, le=1)] = 0.6
    """From here on trust counts as strong: cliques are held together by it."""


class Forgetting(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How beliefs fade: c0 x kept^midnights, from the first midnight `after_hours` after it was last heard."""

    kept: Annotated[float, Meta(gt=0, le=1)] = 0.97
    floor: Confidence = 0.05
    after_hours: Annotated[int, Meta(ge=0)] = 24
    kinds: tuple[str, ...] = ("hearsay",)


class DeclaredEvent(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An event that the game may report as `happened`."""

    name: Name
    means: str = ""


class World(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, dict=True):
    """Everything that does not change during a playthrough; an edit makes a new version."""

    id: Name
    title: str
    cast: Annotated[tuple[Character, ...], Meta(min_length=1)]
    places: tuple[Place, ...] = ()
    things: tuple[Thing, ...] = ()
    groups: tuple[Group, ...] = ()
    trust: tuple[Trust, ...] = ()
    predicates: dict[str, Predicate] = {}
    events: tuple[DeclaredEvent, ...] = ()
    state: dict[str, str | int | float | bool] = {}
    """State keys and what they are when the story starts."""
    actions: tuple[Action, ...] = ()
    rules: tuple[Rule, ...] = ()
    customs: tuple[Custom, ...] = ()
    notices: tuple[Notice, ...] = ()
    ladders: tuple[Ladder, ...] = ()
    gossip: Gossip = Gossip()
    forgetting: Forgetting = Forgetting()
    confidence_by_source: dict[str, Confidence] = {}
    band_names: dict[str, str] = {}
    max_items: Annotated[int, Meta(ge=1, le=200)] = 24
    max_tokens: Annotated[int, Meta(ge=50, le=32_000)] = 1_200

    def find_character(self, character: CharacterId) -> Character | None:
        """Return somebody of the cast; the player is always there."""
        if character == PLAYER and PLAYER not in self.people:
            return Character(id=PLAYER, name="the player")
        return self.people.get(character)

    def trust_of(self, listener: CharacterId, teller: CharacterId) -> float | None:
        """Return how much a listener believes a teller; None where there is no trust edge."""
        return self.trust_by_pair.get((listener, teller))

    def find_ladder(self, ladder_id: str | None) -> Ladder | None:
        """Return a ladder by its id."""
        return next((ladder for ladder in self.ladders if ladder.id == ladder_id), None)

    @cached_property
    def people(self) -> dict[CharacterId, Character]:
        """Return the cast by id."""
        return {c.id: c for c in self.cast}

    @cached_property
    def trust_by_pair(self) -> dict[tuple[CharacterId, CharacterId], float]:
        """Return trust by (listener, teller)."""
        return {(t.listener, t.teller): t.trust for t in reversed(self.trust)}

    @cached_property
    def region_by_place(self) -> dict[PlaceId, str]:
        """Return the region of each place."""
        return {p.id: p.region for p in self.places}

    @cached_property
    def frequenters(self) -> dict[str, tuple[Character, ...]]:
        """Return, by region, those whose schedule or home takes them there, in the order of the cast."""
        found: dict[str, list[Character]] = {}
        for someone in self.cast:
            for region in self.haunts[someone.id]:
                found.setdefault(region, []).append(someone)
        return {region: tuple(people) for region, people in found.items()}

    @cached_property
    def haunts(self) -> dict[CharacterId, frozenset[str]]:
        """Return the regions that the schedule or home of each of the cast takes them to."""
        return {
            c.id: frozenset(self.region_of(p) for p in {c.home, *(s.place for s in c.schedule)} if p) for c in self.cast
        }

    def subject_of(self, subject: str | None, ladder_id: str | None) -> str | None:
        """Return whom a story is about: as it says itself, else as its ladder says."""
        ladder = self.find_ladder(ladder_id)
        return subject if subject is not None or ladder is None else ladder.subject

    def default_confidence(self, source: str) -> float:
        """Return the confidence of a source that says nothing else."""
        return self.confidence_by_source.get(source, DEFAULT_BY_SOURCE.get(source, 1.0))

    def place_by_schedule(self, character: CharacterId, tick: int) -> PlaceId | None:
        """Return where a character's schedule puts them at a tick, else their home."""
        found = self.find_character(character)
        if found is None:
            return None
        return found.place_at(tick)

    def region_of(self, place: PlaceId | None) -> str:
        """Return the region of a place; places without one share a region."""
        return self.region_by_place.get(place or "", "")


def _hours(start: int, end: int) -> Iterable[int]:
    return range(start, end) if start <= end else (*range(start, HOURS_A_DAY), *range(end))


def version_of(world: World) -> WorldId:
    """Return the world's version: a hash of everything in it."""
    return f"{world.id}@{digest(msgspec.json.encode(world, order='deterministic').decode())[:12]}"
