"""What the graph keeps of a write: entries, tellings, who trusts whom and who is where; all of it idempotent."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec
from msgspec import Struct

from ledger_service.domain.ids import CharacterId, EntryId, PlaceId
from ledger_service.domain.rumours import Telling, Version
from ledger_service.domain.trust import Pair


class MirrorEntry(Struct, frozen=True, kw_only=True):
    """One entry as the graph keeps it: a version, where it goes back to, and who holds it how surely."""

    version: Version
    kind: str
    origin: EntryId
    hops: int = 0
    holders: dict[str, int] = {}
    """Knower to confidence in millionths."""
    witnesses: tuple[str, ...] = ()
    """Those of them who were there."""
    is_story: bool = False
    """It is something that people pass on."""
    corrects: EntryId | None = None


class MirrorBelief(Struct, frozen=True, kw_only=True):
    """How sure somebody is of an entry since an event."""

    entry_id: EntryId
    who: str
    millionths: int
    reinforced_at: int
    seq: int


class MirrorName(Struct, frozen=True, kw_only=True):
    """Somebody or somewhere of the world; without a name, no longer."""

    id: str
    name: str | None = None
    region: str | None = None


class MirrorTrust(Struct, frozen=True, kw_only=True):
    """How much a listener believes a teller, and what that costs a story on its way."""

    listener: CharacterId
    teller: CharacterId
    millionths: int
    cost: int
    """-ln trust in millionths, and never 0."""
    is_strong: bool = False


class MirrorRule(Struct, frozen=True, kw_only=True):
    """A rule of the world, of whatever sort; without a sort, no longer."""

    id: str
    sort: str | None = None
    """`rule` (what is granted), `custom` (what is taken for what) or `notice` (what goes up where)."""
    about: str = ""
    """The action, event or story that it is about."""
    holds_when: str = ""
    ends_when: str = ""
    says: str = ""
    keepers: tuple[CharacterId, ...] = ()
    """Who applies it, where that is not anybody."""
    place: PlaceId | None = None


class MirrorWorld(Struct, frozen=True, kw_only=True):
    """The world since an event: whole where a graph is begun, else what another version changed."""

    seq: int
    cast: tuple[MirrorName, ...] = ()
    places: tuple[MirrorName, ...] = ()
    trusts: tuple[MirrorTrust, ...] = ()
    ended: tuple[Pair, ...] = ()
    """Trust that is no more."""
    weakened: tuple[Pair, ...] = ()
    """Trust that is no longer strong."""
    rules: tuple[MirrorRule, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Nothing in it differs."""
        return not (self.cast or self.places or self.trusts or self.ended or self.weakened or self.rules)


class MirrorPresence(Struct, frozen=True, kw_only=True):
    """Where somebody is since an event; None is nowhere."""

    who: CharacterId
    place: PlaceId | None
    seq: int


class MirrorNotice(Struct, frozen=True, kw_only=True):
    """That an entry is a notice: by which rule it hangs, where, and since when."""

    entry_id: EntryId
    notice: str
    place: PlaceId | None
    posted: int


class MirrorEnding(Struct, frozen=True, kw_only=True):
    """That an entry is over, since when; of a notice, that it is down."""

    entry_id: EntryId
    tick: int


class MirrorBatch(Struct, frozen=True, kw_only=True):
    """What one write leaves for the graph; to mirror it again changes nothing."""

    entries: tuple[MirrorEntry, ...] = ()
    tellings: tuple[Telling, ...] = ()
    beliefs: tuple[MirrorBelief, ...] = ()
    worlds: tuple[MirrorWorld, ...] = ()
    """In the order in which they came."""
    present: tuple[MirrorPresence, ...] = ()
    """Those who are elsewhere now than before."""
    notices: tuple[MirrorNotice, ...] = ()
    endings: tuple[MirrorEnding, ...] = ()
    """The graph keeps those of notices."""
    anew: bool = False
    """The whole graph is to be made anew from the record: a branch has a history before its first own event."""

    @property
    def is_empty(self) -> bool:
        """There is nothing for the graph in it."""
        written = self.entries or self.tellings or self.beliefs or self.notices or self.endings
        return not (written or self.worlds or self.present or self.anew)


def merged(batches: Iterable[MirrorBatch]) -> MirrorBatch:
    """Put batches that follow one another into one.

    >>> merged([MirrorBatch(), MirrorBatch(anew=True)]).anew
    True
    """
    taken = tuple(batches)
    return MirrorBatch(
        entries=tuple(e for batch in taken for e in batch.entries),
        tellings=tuple(t for batch in taken for t in batch.tellings),
        beliefs=tuple(b for batch in taken for b in batch.beliefs),
        worlds=tuple(w for batch in taken for w in batch.worlds),
        present=latest(p for batch in taken for p in batch.present),
        notices=tuple(n for batch in taken for n in batch.notices),
        endings=tuple(e for batch in taken for e in batch.endings),
        anew=any(batch.anew for batch in taken),
    )


def latest(present: Iterable[MirrorPresence]) -> tuple[MirrorPresence, ...]:
    """Return the last word on where each is.

    >>> here = [MirrorPresence(who="pip", place=p, seq=n) for n, p in enumerate(("inn", "well"))]
    >>> [p.place for p in latest(here)]
    ['well']
    """
    return tuple({p.who: p for p in sorted(present, key=lambda p: p.seq)}.values())


def slices(batch: MirrorBatch, *, rows: int) -> Iterable[MirrorBatch]:
    """Cut a batch into pieces of so many rows: the world first, and tellings and beliefs after their entries.

    A batch that is small enough stays whole.
    """
    lists: dict[str, Sequence[object]] = {
        "present": batch.present, "entries": batch.entries, "notices": batch.notices, "endings": batch.endings,
        "tellings": batch.tellings, "beliefs": batch.beliefs,
    }  # fmt: skip
    if sum(map(len, lists.values())) <= rows:
        yield batch
        return
    if batch.worlds:
        yield MirrorBatch(worlds=batch.worlds)
    for part in _cut(lists, rows):
        yield msgspec.structs.replace(MirrorBatch(), **part)


def _cut(lists: Mapping[str, Sequence[object]], rows: int) -> Iterator[dict[str, Sequence[object]]]:
    """Yield so many rows at a time, each by the name of its list, one list after the other."""
    for name, whole in lists.items():
        for start in range(0, len(whole), rows):
            yield {name: whole[start : start + rows]}


def world_slices(world: MirrorWorld, *, rows: int) -> Iterable[MirrorWorld]:
    """Cut a world into pieces of so many rows: people and places, then trust, then what is no more; a small one stays.

    >>> crowd = MirrorWorld(seq=1, cast=tuple(MirrorName(id=f"c{n}") for n in range(5)), ended=(("c0", "c1"),))
    >>> [(len(w.cast), len(w.ended)) for w in world_slices(crowd, rows=3)]
    [(3, 0), (2, 0), (0, 1)]
    """
    lists: dict[str, Sequence[object]] = {
        "cast": world.cast, "places": world.places, "trusts": world.trusts, "ended": world.ended,
        "weakened": world.weakened, "rules": world.rules,
    }  # fmt: skip
    if sum(map(len, lists.values())) <= rows:
        yield world
        return
    for part in _cut(lists, rows):
        yield msgspec.structs.replace(MirrorWorld(seq=world.seq), **part)


WorldState = dict[str, dict[str, int]]
"""What the graph holds of the world, for comparing: by what it is, each by name."""


def world_state(
    cast: Iterable[MirrorName],
    places: Iterable[MirrorName],
    trusts: Iterable[MirrorTrust],
    present: Iterable[tuple[CharacterId, PlaceId]],
    rules: Iterable[MirrorRule] = (),
) -> WorldState:
    """Put down a world as it is, by the names under which a difference is told."""
    every = {f"{t.listener}|{t.teller}": t for t in trusts}
    return {
        "character": {f"{c.id}|{c.name}": 1 for c in cast},
        "place": {f"{p.id}|{p.name}|{p.region or ''}": 1 for p in places},
        "trust": {name: t.millionths for name, t in every.items()},
        "cost of trust": {name: t.cost for name, t in every.items()},
        "strong trust": {name: t.cost for name, t in every.items() if t.is_strong},
        "presence": {f"{who}|{place}": 1 for who, place in present},
        "rule": {_rule_state(rule): 1 for rule in rules},
    }


def _rule_state(rule: MirrorRule) -> str:
    keepers = ",".join(sorted(rule.keepers))
    return "|".join(
        (rule.id, rule.sort or "", rule.about, rule.holds_when, rule.ends_when, rule.says, keepers, rule.place or "")
    )


STILL_UP = -1


def ended_at(endings: Iterable[MirrorEnding]) -> dict[EntryId, int]:
    """Return since when each is over: the first ending counts, as it does for what hangs."""
    down: dict[EntryId, int] = {}
    for ending in endings:
        down[ending.entry_id] = min(ending.tick, down.get(ending.entry_id, ending.tick))
    return down


def notice_state(notices: Iterable[MirrorNotice], endings: Iterable[MirrorEnding]) -> dict[str, int]:
    """Put down the notices that hang or hung, each with the hour since when it is down.

    >>> up = MirrorNotice(entry_id="e1", notice="wanted", place="gate", posted=9)
    >>> notice_state([up], [MirrorEnding(entry_id="e1", tick=12), MirrorEnding(entry_id="e7", tick=10)])
    {'e1|wanted|gate|9': 12}
    """
    down = ended_at(endings)
    return {f"{n.entry_id}|{n.notice}|{n.place or ''}|{n.posted}": down.get(n.entry_id, STILL_UP) for n in notices}
