"""Survey a story: tell it by many seeds, and say when, how surely and how much worse it reaches each of the cast."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean, pstdev

from msgspec import Struct

from ledger_service.domain.entries import Hearsay, LedgerEntry
from ledger_service.domain.errors import ContentError, UnknownCharacterError
from ledger_service.domain.ids import PLAYER, CharacterId
from ledger_service.domain.worlds import World
from ledger_service.ports import OpenUnitOfWork
from ledger_service.probing.documents import History
from ledger_service.services.events.play_story import Labels, play_history
from ledger_service.services.gossip.advance_gossip import Passing, advance_gossip
from ledger_service.services.playthroughs.open_playthrough import add_world, open_playthrough

MOST_SEEDS = 10_000


class Asked(Struct, frozen=True, kw_only=True):
    """What is surveyed: how many seeds, for how long, which stories, and of whom."""

    seeds: int = 50
    """From 0 on."""
    hours: int = 48
    story: str | None = None
    """The label of an event of the history; None is every one that climbs a ladder."""
    to: CharacterId | None = None
    """None is everybody but those who saw it."""


class Arrival(Struct, frozen=True, kw_only=True):
    """How a story first came to somebody, by one seed."""

    seed: int
    story: str
    to: CharacterId
    hours: int
    """Since it happened."""
    severity: int
    confidence: float
    hops: int
    teller: CharacterId


class Spread(Struct, frozen=True, kw_only=True):
    """A mean, the standard deviation around it, and how far it goes either way."""

    mean: float
    deviation: float
    least: float
    most: float


class Reach(Struct, frozen=True, kw_only=True):
    """How one story comes to one character, over all seeds."""

    story: str
    to: CharacterId
    reached: int
    of: int
    hours: Spread | None = None
    severity: Spread | None = None
    confidence: Spread | None = None
    severities: dict[str, int] = {}
    """How often it came on which rung."""
    tellers: dict[CharacterId, int] = {}
    """How often by whom."""


class Survey(Struct, frozen=True, kw_only=True):
    """What came of every seed."""

    world_id: str
    asked: Asked
    reaches: tuple[Reach, ...]
    arrivals: tuple[Arrival, ...]


async def survey_gossip(
    world: World,
    history: History,
    asked: Asked,
    *,
    new_record: Callable[[], OpenUnitOfWork],
    progress: Callable[[int], None] = lambda _: None,
) -> Survey:
    """Play a history and let the hours go by, once for each seed, each on a record of its own.

    Raises:
        ContentError: no seeds or too many, hours that cannot go by, a story that the history does not tell.
        UnknownCharacterError: nobody of that name is in the cast.
    """
    if not 1 <= asked.seeds <= MOST_SEEDS:
        raise ContentError("seeds", f"from 1 to {MOST_SEEDS:,}, not {asked.seeds:,}")
    cast = tuple(c.id for c in world.cast if c.id != PLAYER)
    if asked.to is not None and asked.to not in cast:
        raise UnknownCharacterError(asked.to, "listener", allowed=cast)
    stories = _stories(history, asked)
    arrivals: list[Arrival] = []
    firsthand: set[tuple[str, CharacterId]] = set()
    for seed in range(asked.seeds):
        labels, entries = await _told(world, history, asked, seed=seed, open_uow=new_record())
        roots = {labels[story][0]: story for story in stories if labels[story]}
        mine = [e for e in entries.values() if e.root in roots]
        firsthand |= {(roots[e.root], k.who) for e in mine if not isinstance(e, Hearsay) for k in e.knowers}
        arrivals += [
            _arrival(e, roots[e.root], seed=seed, since=entries[e.root].at.tick) for e in mine if isinstance(e, Hearsay)
        ]
        progress(1)
    wanted = cast if asked.to is None else (asked.to,)
    reaches = tuple(_reach(arrivals, story, who, of=asked.seeds) for story in stories for who in wanted
                    if asked.to is not None or (story, who) not in firsthand)  # fmt: skip
    shown = tuple(a for a in arrivals if a.to in wanted)
    return Survey(world_id=world.id, asked=asked, reaches=reaches, arrivals=shown)


def _stories(history: History, asked: Asked) -> tuple[str, ...]:
    """Return the labels of what is surveyed."""
    told = [s.label for s in history.steps if s.label is not None and s.raw.get("ladder") is not None]
    if asked.story is not None and asked.story not in told:
        raise ContentError("story", f"{asked.story!r} is no story that climbs a ladder; there are {', '.join(told)}")
    return tuple(told) if asked.story is None else (asked.story,)


async def _told(
    world: World, history: History, asked: Asked, *, seed: int, open_uow: OpenUnitOfWork
) -> tuple[Labels, Mapping[str, LedgerEntry]]:
    version = await add_world(world, open_uow=open_uow)
    played = (await open_playthrough(version, open_uow=open_uow, seed=seed)).playthrough_id
    labels = await play_history(played, history, open_uow=open_uow, embedder=None)
    async for _ in advance_gossip(played, Passing(hours=asked.hours), open_uow=open_uow):
        pass
    async with open_uow(played) as uow:
        entries, _ = await uow.ledger.load_all()
    return labels, {e.entry_id: e for e in entries}


def _arrival(entry: Hearsay, story: str, *, seed: int, since: int) -> Arrival:
    return Arrival(
        seed=seed,
        story=story,
        to=entry.knowers[0].who,
        hours=entry.at.tick - since,
        severity=entry.severity,
        confidence=entry.confidence,
        hops=entry.hops,
        teller=entry.teller or "",
    )


def _reach(arrivals: Iterable[Arrival], story: str, who: CharacterId, *, of: int) -> Reach:
    came = [a for a in arrivals if (a.story, a.to) == (story, who)]
    if not came:
        return Reach(story=story, to=who, reached=0, of=of)
    return Reach(
        story=story,
        to=who,
        reached=len(came),
        of=of,
        hours=_spread([a.hours for a in came]),
        severity=_spread([a.severity for a in came]),
        confidence=_spread([a.confidence for a in came]),
        severities={str(rung): n for rung, n in sorted(Counter(a.severity for a in came).items())},
        tellers=dict(Counter(a.teller for a in came).most_common()),
    )


def _spread(figures: Sequence[float]) -> Spread:
    return Spread(
        mean=round(fmean(figures), 2), deviation=round(pstdev(figures), 2), least=min(figures), most=max(figures)
    )
