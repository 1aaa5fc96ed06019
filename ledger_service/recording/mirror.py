"""What a write leaves for the graph: entries and tellings, and of the world what it changed."""

from collections.abc import Iterable

from ledger_service.domain.amendments import Amendment, Belief
from ledger_service.domain.confidence import telling_cost, to_millionths
from ledger_service.domain.entries import Hearsay, LedgerEntry, SourceKind, kind_of
from ledger_service.domain.ids import CharacterId, PlaceId
from ledger_service.domain.mirror import (
    MirrorBatch,
    MirrorBelief,
    MirrorEntry,
    MirrorName,
    MirrorPresence,
    MirrorTrust,
    MirrorWorld,
)
from ledger_service.domain.playthroughs import StoryState
from ledger_service.domain.rumours import Telling, is_story, version_of_entry
from ledger_service.domain.trust import Pair, trust_among_talkers
from ledger_service.domain.worlds import World


def mirror_batch(
    entries: Iterable[LedgerEntry], tellings: Iterable[Telling], amendments: Iterable[Amendment] = ()
) -> MirrorBatch:
    """Return entries of every kind, since any may be passed on, with who holds them, and how they travelled."""
    beliefs = tuple(_belief(a, a.belief) for a in amendments if a.belief is not None)
    return MirrorBatch(entries=tuple(_mirrored(e) for e in entries), tellings=tuple(tellings), beliefs=beliefs)


def _belief(amendment: Amendment, belief: Belief) -> MirrorBelief:
    return MirrorBelief(
        entry_id=amendment.entry_id,
        who=belief.who,
        millionths=to_millionths(belief.confidence),
        reinforced_at=belief.reinforced_at,
        seq=amendment.cause_seq,
    )


def _mirrored(entry: LedgerEntry) -> MirrorEntry:
    held = {k.who: to_millionths(entry.confidence if k.confidence is None else k.confidence) for k in entry.knowers}
    return MirrorEntry(
        version=version_of_entry(entry),
        kind=kind_of(entry),
        origin=entry.root,
        hops=entry.hops if isinstance(entry, Hearsay) else 0,
        holders=held,
        is_story=is_story(entry),
        corrects=entry.corrects,
        witnesses=tuple(k.who for k in entry.knowers if k.how == SourceKind.WITNESSED),
    )


def whole_world(world: World, *, seq: int) -> MirrorWorld:
    """Return everything of a world that the graph keeps."""
    return MirrorWorld(
        seq=seq,
        cast=tuple(MirrorName(id=c.id, name=c.name) for c in world.cast),
        places=tuple(MirrorName(id=p.id, name=p.name, region=p.region or None) for p in world.places),
        trusts=tuple(_trusts(world).values()),
    )


def _trusts(world: World) -> dict[Pair, MirrorTrust]:
    return {
        (listener, teller): MirrorTrust(
            listener=listener,
            teller=teller,
            millionths=to_millionths(trust),
            cost=telling_cost(trust),
            is_strong=trust >= world.gossip.strong_trust,
        )
        for (listener, teller), trust in trust_among_talkers(world).items()
    }


def world_change(old: World, new: World, *, seq: int) -> MirrorWorld:
    """Return what another version of the world changes."""
    before, after = whole_world(old, seq=seq), whole_world(new, seq=seq)
    was, now = _trusts(old), _trusts(new)
    return MirrorWorld(
        seq=seq,
        cast=_changed(before.cast, after.cast),
        places=_changed(before.places, after.places),
        trusts=tuple(t for pair, t in now.items() if was.get(pair) != t),
        ended=tuple(pair for pair in was if pair not in now),
        weakened=tuple(pair for pair, t in was.items() if t.is_strong and not (pair in now and now[pair].is_strong)),
    )


def _changed(before: Iterable[MirrorName], after: Iterable[MirrorName]) -> tuple[MirrorName, ...]:
    was, now = {n.id: n for n in before}, {n.id: n for n in after}
    gone = tuple(MirrorName(id=name) for name in was if name not in now)
    return (*(n for n in now.values() if was.get(n.id) != n), *gone)


def whereabouts(state: StoryState, world: World) -> dict[CharacterId, PlaceId]:
    """Return where everybody is who is anywhere: the cast by `moved` or schedule, the player where they went."""
    found = {c.id: place for c in world.cast if (place := c.place_at(state.at.tick)) is not None}
    return found | state.places


def presence_of(state: StoryState, world: World) -> tuple[MirrorPresence, ...]:
    """Return where everybody is, as rows for the graph; in a region that is behind, where they were last watched."""
    people = dict.fromkeys((*world.people, *state.places))
    found = ((who, _last_seen(who, state, world)) for who in people)
    return tuple(MirrorPresence(who=who, place=place, seq=state.seq) for who, place in found if place is not None)


def moves(before: StoryState, after: StoryState, old: World, new: World) -> tuple[MirrorPresence, ...]:
    """Return who is elsewhere in the graph after some events than before; regions that stay behind cost nothing."""
    found = ((who, _last_seen(who, after, new)) for who in _who_may_have_moved(before, after, old, new))
    return tuple(
        MirrorPresence(who=who, place=place, seq=after.seq)
        for who, place in found
        if place != _last_seen(who, before, old)
    )


def _last_seen(who: CharacterId, state: StoryState, world: World) -> PlaceId | None:
    """Return where somebody is, or was when a region that they keep to was last watched."""
    someone = world.people.get(who)
    if who in state.places or someone is None:
        return state.places.get(who)
    if not state.talked:
        return someone.place_at(state.at.tick)
    regions = {world.region_of(p) for p in (someone.home, *(s.place for s in someone.schedule)) if p is not None}
    ticks = [state.talked.get(region, state.at.tick) for region in regions]
    return someone.place_at(max(ticks, default=state.at.tick))


def _who_may_have_moved(before: StoryState, after: StoryState, old: World, new: World) -> Iterable[CharacterId]:
    """Return all whom time, a region that was watched or caught up with, a `moved` or another world may have moved."""
    moved = [who for who in {**before.places, **after.places} if before.places.get(who) != after.places.get(who)]
    if before.world_version != after.world_version:
        return dict.fromkeys((*old.people, *new.people, *moved))
    if (before.at.tick, before.talked) == (after.at.tick, after.talked):
        return moved
    if not (before.talked or after.talked):
        return dict.fromkeys((*new.people, *moved))
    near = [r for r in new.frequenters if r not in after.talked or before.talked.get(r) != after.talked[r]]
    return dict.fromkeys((*(c.id for region in near for c in new.frequenters[region]), *moved))
