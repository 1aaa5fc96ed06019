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
    """Return where everybody is, as rows for the graph."""
    return tuple(MirrorPresence(who=w, place=p, seq=state.seq) for w, p in whereabouts(state, world).items())


def moves(before: StoryState, after: StoryState, old: World, new: World) -> tuple[MirrorPresence, ...]:
    """Return who is elsewhere after some events than before them."""
    if (before.at.tick, before.places, before.world_version) == (after.at.tick, after.places, after.world_version):
        return ()
    was, now = whereabouts(before, old), whereabouts(after, new)
    return tuple(
        MirrorPresence(who=who, place=now.get(who), seq=after.seq)
        for who in dict.fromkeys((*was, *now))
        if was.get(who) != now.get(who)
    )
