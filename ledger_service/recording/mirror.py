"""What a write leaves for the graph: entries and tellings, and of the world what it changed."""

from collections.abc import Iterable, Iterator

from ledger_service.domain.amendments import Amendment, Belief
from ledger_service.domain.candidates import CLOSING
from ledger_service.domain.confidence import telling_cost, to_millionths
from ledger_service.domain.entries import Hearsay, LedgerEntry, Observation, SourceKind, kind_of
from ledger_service.domain.ids import CharacterId, PlaceId
from ledger_service.domain.mirror import (
    MirrorBatch,
    MirrorBelief,
    MirrorEnding,
    MirrorEntry,
    MirrorName,
    MirrorNotice,
    MirrorPresence,
    MirrorRule,
    MirrorTrust,
    MirrorWorld,
)
from ledger_service.domain.playthroughs import StoryState
from ledger_service.domain.rumours import Telling, is_story, version_of_entry
from ledger_service.domain.trust import Pair, trust_among_talkers
from ledger_service.domain.worlds import World
from ledger_service.recording.notices import words_of


def mirror_batch(
    entries: Iterable[LedgerEntry], tellings: Iterable[Telling], amendments: Iterable[Amendment] = ()
) -> MirrorBatch:
    """Return entries of every kind, since any may be passed on, with who holds them, and how they travelled."""
    written, changes = tuple(entries), tuple(amendments)
    notices = tuple(_notices(written))
    over = [a for a in changes if a.belief is None and a.status in CLOSING]
    others = {e.entry_id for e in written}.difference(n.entry_id for n in notices)
    return MirrorBatch(
        entries=tuple(_mirrored(e) for e in written),
        tellings=tuple(tellings),
        beliefs=tuple(_belief(a, a.belief) for a in changes if a.belief is not None),
        notices=notices,
        endings=tuple(MirrorEnding(entry_id=a.entry_id, tick=a.at.tick) for a in over if a.entry_id not in others),
    )


def _notices(entries: Iterable[LedgerEntry]) -> Iterator[MirrorNotice]:
    for entry in entries:
        if isinstance(entry, Observation) and entry.notice is not None:
            yield MirrorNotice(
                entry_id=entry.entry_id, notice=entry.notice, place=entry.place, posted=entry.at.tick
            )  # fmt: skip


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
        rules=tuple(_rules(world)),
    )


def _rules(world: World) -> Iterator[MirrorRule]:
    """Yield a world's rules of every sort, with who applies them and where; their names are unique within a sort."""
    granted_by = {a.id: a.by for a in world.actions}
    for rule in world.rules:
        yield MirrorRule(
            id=f"rule:{rule.id}", sort="rule", about=rule.action, holds_when=rule.grant_when, says=rule.because,
            keepers=granted_by.get(rule.action, ()),
        )  # fmt: skip
    for custom in world.customs:
        yield MirrorRule(
            id=f"custom:{custom.id}", sort="custom", about=custom.event, holds_when=custom.when, says=custom.reads_as
        )
    for notice in world.notices:
        yield MirrorRule(
            id=f"notice:{notice.id}", sort="notice", about=notice.ladder or "", holds_when=notice.post_when,
            ends_when=notice.remove_when, says=words_of(notice, world), keepers=(notice.by,) if notice.by else (),
            place=notice.place,
        )  # fmt: skip


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
        rules=_changed_rules(before.rules, after.rules),
    )


def _changed_rules(before: Iterable[MirrorRule], after: Iterable[MirrorRule]) -> tuple[MirrorRule, ...]:
    was, now = {r.id: r for r in before}, {r.id: r for r in after}
    return (*(r for r in now.values() if was.get(r.id) != r), *(MirrorRule(id=name) for name in was if name not in now))


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
    ticks = [state.talked.get(region, state.at.tick) for region in world.haunts[who]]
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
