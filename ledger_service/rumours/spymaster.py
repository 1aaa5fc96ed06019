"""The spymaster: where to be seen doing good, or to whom to whisper, so that a story reaches somebody; and in words."""

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Final

from msgspec import Struct

from ledger_service.domain.events import GameEvent
from ledger_service.domain.ids import CharacterId, PlaceId
from ledger_service.domain.story_time import day_of, hour_of_day
from ledger_service.domain.worlds import Ladder, World
from ledger_service.rumours.influence import Network, Route, likeliest_route

PLANS: Final = 3
TRIED: Final = 3
"""So many openings of each kind are rehearsed."""

Presence = Mapping[int, Mapping[PlaceId, Sequence[CharacterId]]]
"""By hour (a tick) and place: who is there, awake, and passes stories on."""


Idle = frozenset[tuple[int, CharacterId]]
"""(tick, who) of those who are at home for want of anything in their schedule."""


class Means(StrEnum):
    """How a story is begun."""

    DEED = "deed"
    """Be seen doing it."""
    WHISPER = "whisper"
    """Tell one person."""


class Story(Struct, frozen=True, kw_only=True):
    """What is to reach the target: the words, and the ladder that retellings climb."""

    statement: str
    ladder: str | None = None


class Opening(Struct, frozen=True, kw_only=True):
    """A moment at which a story could be begun."""

    means: Means
    tick: int
    place: PlaceId
    to: tuple[CharacterId, ...]
    """Who would see it, or be told."""
    route: Route
    """The most trusted way to the target from any of them, among those who meet within a day."""


class Hop(Struct, frozen=True, kw_only=True):
    """One telling on the way to the target."""

    teller: CharacterId
    listener: CharacterId
    trust: float
    tick: int
    place: PlaceId | None
    offered: float


class Plan(Struct, frozen=True, kw_only=True):
    """What to do, when and where, and what comes of it if nothing else happens meanwhile."""

    means: Means
    wait_hours: int
    """Hours to let go by first."""
    tick: int
    hour: int
    place: PlaceId
    to: tuple[CharacterId, ...]
    event: GameEvent
    """What the game reports when it is done."""
    hops: tuple[Hop, ...]
    """The way by which the target has it in these words."""
    also: tuple[CharacterId, ...]
    """Who else tells the target by then: a sceptic waits for them."""
    then_hours: int
    """Hours after it until the target believes it."""
    reaches_at: int
    confidence: float
    """How sure the target is then."""
    wording: str
    """As the target has it."""
    sentence: str = ""


class Believed(Struct, frozen=True, kw_only=True):
    """Somebody whom the target believes."""

    who: CharacterId
    trust: float
    place: PlaceId | None = None
    tick: int | None = None
    """Where and when they are next found, today or tomorrow; None where they are nowhere."""


def praise_of(world: World) -> Story:
    """Return something good to be told of the player: the mildest rung of the first ladder that praises."""
    praising = next((ladder for ladder in world.ladders if _praises(ladder)), None)
    if praising is None:
        return Story(statement="the player did something good")
    return Story(statement=praising.rungs[0], ladder=praising.id)


def _praises(ladder: Ladder) -> bool:
    return bool(ladder.weights) and ladder.weights[0] > 0


def meeting(network: Network, presence: Presence) -> Network:
    """Return what is left of a network between those who are somewhere together."""
    together = {
        (a, b) for rooms in presence.values() for people in rooms.values() for a in people for b in people if a != b
    }
    return Network(people=network.people, trust={pair: t for pair, t in network.trust.items() if pair in together})


def openings(target: CharacterId, presence: Presence, network: Network, *, idle: Idle = frozenset()) -> list[Opening]:
    """Return where a story could be begun, the most promising of each kind first.

    Promising is what the most trusted way leaves of it; only the first moment with the same people counts, and none
    at which the target is there. Whoever is merely at home is called upon only where nobody else can help.
    """
    meet = meeting(network, presence)
    ways = {who: likeliest_route(meet, who, target) for who in network.people if who != target}
    found: dict[tuple[Means, tuple[CharacterId, ...]], Opening] = {}
    for tick, rooms in sorted(presence.items()):
        for place, people in sorted(rooms.items()):
            for means, to in _ways_in(sorted(people), target):
                if all((tick, who) in idle for who in to):
                    continue
                known = [way for who in to if (way := ways[who]) is not None]
                if known and (means, to) not in found:
                    best = min(known, key=lambda w: (-w.carried, w.people))
                    found[means, to] = Opening(means=means, tick=tick, place=place, to=to, route=best)
    if not found and idle:
        return openings(target, presence, network)
    chosen = [_promising([o for o in found.values() if o.means is means]) for means in Means]
    return [opening for of_kind in chosen for opening in of_kind]


def _ways_in(people: Sequence[CharacterId], target: CharacterId) -> Iterable[tuple[Means, tuple[CharacterId, ...]]]:
    if target in people:
        return
    yield Means.DEED, tuple(people)
    yield from ((Means.WHISPER, (who,)) for who in people)


def _promising(found: Iterable[Opening]) -> list[Opening]:
    """Order openings; those through somebody else come before more of the same."""
    ordered = sorted(found, key=lambda o: (-o.route.carried, o.tick, o.place, o.to))
    first: dict[CharacterId, Opening] = {}
    for opening in ordered:
        first.setdefault(opening.route.people[0], opening)
    rest = [o for o in ordered if o not in first.values()]
    return [*first.values(), *rest][:TRIED]


def choose(plans: Iterable[Plan]) -> tuple[Plan, ...]:
    """Return the best plans, surest and soonest first: one of each kind where there is one, then one through others."""
    ordered = sorted(plans, key=lambda p: (-p.confidence, p.reaches_at, p.tick, p.means, p.to))
    kept: list[Plan] = []
    for means in Means:
        kept += [p for p in ordered if p.means is means][:1]
    while len(kept) < min(PLANS, len(ordered)):
        through = {p.hops[0].teller for p in kept}
        rest = [p for p in ordered if p not in kept]
        kept.append(min(rest, key=lambda p: p.hops[0].teller in through))
    return tuple(p for p in ordered if p in kept)


def believed_by(
    target: CharacterId, network: Network, presence: Presence, *, idle: Idle = frozenset()
) -> tuple[Believed, ...]:
    """Return whom somebody believes, most first, and where each is next found without them, at home if nowhere else."""
    trusted = [(trust, teller) for (listener, teller), trust in network.trust.items() if listener == target]
    found = []
    for trust, who in sorted(trusted, key=lambda pair: (-pair[0], pair[1])):
        seen = [
            ((tick, who) in idle, tick, place)
            for tick, rooms in presence.items()
            for place, people in rooms.items()
            if who in people and target not in people
        ]
        _, tick, place = min(seen, default=(True, None, None))
        found.append(Believed(who=who, trust=trust, place=place, tick=tick))
    return tuple(found)


class Calling(Struct, frozen=True, kw_only=True):
    """What people and places are called."""

    people: Mapping[str, str] = {}
    places: Mapping[str, str] = {}

    def person(self, who: str) -> str:
        """Return what somebody is called."""
        return self.people.get(who, who)

    def place(self, place: str | None) -> str:
        """Return where that is, in words."""
        return "" if place is None else f" at {self.places.get(place, place)}"


def calling_of(world: World) -> Calling:
    """Return what a world calls its people and places."""
    return Calling(people={c.id: c.name for c in world.cast}, places={p.id: p.name for p in world.places})


def _clock(tick: int, *, seen_from: int | None = None) -> str:
    """Say when something is; on the same day as something else, only the hour."""
    day = "" if seen_from is not None and day_of(seen_from) == day_of(tick) else f" on day {day_of(tick)}"
    return f"{hour_of_day(tick):02d}:00{day}"


def _listed(people: Sequence[CharacterId], called: Calling) -> str:
    *others, last = (called.person(who) for who in people)
    return f"{', '.join(others)} and {last}" if others else last


def trusts_in_words(target: CharacterId, believed: Sequence[Believed], called: Calling) -> str:
    """Say whom somebody believes most, and where that person is found."""
    if not believed:
        return f"{called.person(target)} trusts nobody, so that nothing reaches them."
    most = believed[0]
    who = called.person(most.who)
    where = "" if most.tick is None else f"; {who} is{called.place(most.place)} at {_clock(most.tick)}"
    return f"{called.person(target)} trusts {who} most, {most.trust:.2f}{where}."


def in_words(plan: Plan, target: CharacterId, called: Calling) -> str:
    """Tell a plan in one sentence for what to do and one for what comes of it."""
    people = _listed(plan.to, called)
    act = f"Be seen doing good by {people}" if plan.means is Means.DEED else f"Whisper to {people}"
    away = "one hop" if len(plan.hops) == 1 else f"{len(plan.hops)} hops"
    told = ", ".join(
        f"{called.person(h.teller)} tells {called.person(h.listener)} ({h.trust:.2f}){called.place(h.place)}"
        f" at {_clock(h.tick, seen_from=plan.tick)}"
        for h in plan.hops
    )
    also = f", and so {'does' if len(plan.also) == 1 else 'do'} {_listed(plan.also, called)}" if plan.also else ""
    return (
        f"{act}{called.place(plan.place)} at {_clock(plan.tick)}, {away} away: {told}{also}."
        f" {called.person(target)} believes it from {_clock(plan.reaches_at)}, {plan.confidence:.2f}."
    )
