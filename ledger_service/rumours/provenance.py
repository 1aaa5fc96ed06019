"""The chain behind a belief: what each hop cost or added, its branches, and how it is told step by step."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter

import msgspec
from msgspec import Struct

from ledger_service.domain.confidence import band_of, corroborated
from ledger_service.domain.ids import EntryId
from ledger_service.domain.rumours import ChainLink, ProvenanceChain
from ledger_service.domain.story_time import day_of, hour_of_day

NOTICED = 0.005
"""Smaller changes vanish in two decimals."""
_FIRST_HAND = {
    "derived": "worked it out",
    "witnessed": "saw it",
    "document": "read it",
    "self": "knows it of themselves",
    "engine": "is told by the game",
    "inferred": "concluded it",
    "overheard": "overheard it",
}


class Naming(Struct, frozen=True, kw_only=True):
    """What people and places are called, and how high and which way the ladder of a story goes."""

    people: Mapping[str, str] = {}
    places: Mapping[str, str] = {}
    bands: Mapping[str, str] = {}
    rungs: int = 0
    """How many wordings the story's ladder has; 0 where it has none."""
    hides_rungs: bool = False
    """A character is told in which words they heard it, not that there are others."""
    praises: bool = False
    """The higher the rung, the better for whom it is about."""

    def person(self, who: str) -> str:
        """Return what somebody is called."""
        return self.people.get(who) or (who if who else "those who were there")

    def place(self, place: str | None) -> str:
        """Return what a place is called; nothing for nowhere."""
        return self.places.get(place, place.replace("_", " ")) if place else ""

    def band(self, confidence: float) -> str:
        """Return what a confidence is called."""
        band = str(band_of(confidence))
        return self.bands.get(band, band)


class Strand(Struct, frozen=True, kw_only=True):
    """One way back: from a version, by first tellers, to who saw it or to what another strand has already told."""

    links: tuple[ChainLink, ...]
    """Nearest first."""
    joins: EntryId | None = None
    """The version that it bears out; None for the belief's own way back."""
    leaves: EntryId | None = None
    """The version, of an earlier strand, that it comes from; None where it ends with its own witness."""


def strands(chain: ProvenanceChain) -> tuple[Strand, ...]:
    """Part a chain into its ways back, so that each telling stands in exactly one; the first is the belief's own."""
    told = _told(chain)
    found: list[Strand] = []
    shown: set[EntryId] = set()
    waiting: list[tuple[EntryId | None, ChainLink]] = [(None, told[chain.entry_id][0])] if chain.links else []
    while waiting:
        joins, link = waiting.pop(0)
        links, leaves = _back(link, told, shown)
        found.append(Strand(links=tuple(links), joins=joins, leaves=leaves))
        fresh = links if joins is None else links[1:]
        shown.update(k.entry_id for k in fresh)
        waiting += [(k.entry_id, other) for k in fresh for other in told[k.entry_id][1:]]
    return tuple(found)


def _back(
    link: ChainLink, told: Mapping[EntryId, Sequence[ChainLink]], shown: set[EntryId]
) -> tuple[list[ChainLink], EntryId | None]:
    links, passed = [link], {link.entry_id}
    while True:
        source = links[-1].told_by_entry
        if source is None or source not in told or source in passed:
            return links, None
        if source in shown:
            return links, source
        passed.add(source)
        links.append(told[source][0])


Held = Mapping[EntryId, Sequence[tuple[int, float, float]]]
"""Of each version, oldest first: after which event, how sure its holder was, and how sure by independent witnesses."""


def retrace(chain: ProvenanceChain, held: Held | None = None) -> ProvenanceChain:
    """Say of each hop how sure the teller was, how sure it left the holder, and what was lost or gained.

    A change is always against the first teller, whose wording the holder has: what the retelling cost, and what others
    who told the same have added to that. What `held` does not say is worked out from what each telling offered.
    """
    told = _told(chain)
    courses = {entry_id: _course(links, (held or {}).get(entry_id, ())) for entry_id, links in told.items()}
    passed_on = _passed_on(chain)
    links = [_as_known(k, passed_on) for group in told.values() for k in _retraced(group, courses)]
    return msgspec.structs.replace(chain, links=tuple(links))


def _told(chain: ProvenanceChain) -> dict[EntryId, list[ChainLink]]:
    told: dict[EntryId, list[ChainLink]] = defaultdict(list)
    for link in chain.links:
        told[link.entry_id].append(link)
    return told


def _passed_on(chain: ProvenanceChain) -> dict[EntryId, tuple[str, ...]]:
    """Return who passed each version on, in the order in which they first did."""
    found: dict[EntryId, dict[str, None]] = defaultdict(dict)
    for link in sorted(chain.links, key=lambda k: (k.seq, k.tick)):
        if link.told_by_entry is not None and link.teller is not None:
            found[link.told_by_entry].setdefault(link.teller)
    return {entry_id: tuple(tellers) for entry_id, tellers in found.items()}


def _as_known(link: ChainLink, passed_on: Mapping[EntryId, tuple[str, ...]]) -> ChainLink:
    """Name those who knew it themselves and passed it on; who did a deed need not be among them."""
    if link.teller is not None:
        return link
    witnesses = link.witnesses or passed_on.get(link.entry_id, ())
    holder = link.holder if link.holder in witnesses or not witnesses else witnesses[0]
    return msgspec.structs.replace(link, holder=holder, witnesses=witnesses)


class _Course(Struct, frozen=True):
    """How sure a holder was of a version: after each telling, and at each event that changed it."""

    after: tuple[float, ...]
    points: tuple[tuple[int, float], ...]
    independent: float | None

    @property
    def now(self) -> float:
        return self.points[-1][1]

    def before(self, seq: int) -> float:
        """Return how sure they were when an event began."""
        return self.points[max(0, bisect_left(self.points, seq, key=itemgetter(0)) - 1)][1]


def _course(links: Sequence[ChainLink], recorded: Sequence[tuple[int, float, float]]) -> _Course:
    """Add tellings up one by one; at the end of each event the record has the last word."""
    known = {links[0].seq: links[0].confidence} | {seq: sure for seq, sure, _ in recorded}
    after: list[float] = []
    sure = 0.0
    for n, link in enumerate(links):
        sure = corroborated((sure, link.offered or 0.0))
        if n + 1 == len(links) or links[n + 1].seq != link.seq:
            sure = known.setdefault(link.seq, sure)
        after.append(round(sure, 6))
    points = sorted((seq, round(c, 6)) for seq, c in known.items())
    return _Course(tuple(after), tuple(points), round(recorded[-1][2], 6) if recorded else None)


def _retraced(group: Sequence[ChainLink], courses: Mapping[EntryId, _Course]) -> Iterable[ChainLink]:
    course = courses[group[0].entry_id]
    whole = {"confidence": course.now, "independent": course.independent}
    first: float | None = None
    for n, link in enumerate(group):
        teller = courses.get(link.told_by_entry or "")
        teller_held = None if teller is None else teller.before(link.seq)
        first = teller_held if n == 0 else first
        change = None if first is None else round(course.after[n] - first, 6)
        named = "" if change is None else named_change(change, tellers=n + 1)
        if named and n + 1 == len(group) and course.now < course.after[n]:
            named += f", lowered to {course.now:.2f} by a correction"
        yield msgspec.structs.replace(
            link, **whole, teller_held=teller_held, after=course.after[n], change=change, named=named
        )


def named_change(change: float, *, tellers: int = 1) -> str:
    """Name what a hop did to how sure people are.

    >>> named_change(-0.55), named_change(0.3, tellers=2)
    ('lost 0.55 in the retelling', 'gained 0.30 by a second teller')
    >>> named_change(-0.05, tellers=3), named_change(0.0)
    ('still lost 0.05 with 2 more tellers', 'lost nothing in the retelling')
    """
    amount = f"{abs(change):.2f}"
    if tellers == 1:
        return f"lost {amount if change < -NOTICED else 'nothing'} in the retelling"
    others = "a second teller" if tellers == 2 else f"{tellers - 1} more tellers"  # noqa: PLR2004
    return f"still lost {amount} with {others}" if change < -NOTICED else f"gained {amount} by {others}"


def when_in_words(tick: int) -> str:
    """Say when something was, as a day and an hour, and as the game's tick.

    >>> when_in_words(34)
    'day 2, 10:00 (tick 34)'
    """
    return f"day {day_of(tick)}, {hour_of_day(tick):02d}:00 (tick {tick})"


def first_hand(how: str) -> str:
    """Say how somebody knows what nobody told them.

    >>> first_hand("witnessed"), first_hand("by_magic")
    ('saw it', 'by magic')
    """
    return _FIRST_HAND.get(how, how.replace("_", " "))


def in_words(chain: ProvenanceChain, *, naming: Naming | None = None) -> list[str]:
    """Tell a chain from the belief back to who saw it, a sentence for each step; further branches come after."""
    called = naming or Naming()
    holders = {link.entry_id: called.person(link.holder) for link in chain.links}
    lines: list[str] = []
    for n, way in enumerate(strands(chain), start=1):
        if way.joins is not None:
            lines.append(f"branch {n}, to {holders[way.joins]}:")
        lines += [_sentence(k, called, again=way.joins is not None and k is way.links[0]) for k in way.links]
        if way.leaves is not None:
            lines.append(f"(and {holders[way.leaves]} had it as told above)")
    return lines


def _sentence(link: ChainLink, called: Naming, *, again: bool) -> str:
    holder = called.person(link.holder)
    where = f" at {called.place(link.place)}" if link.place else ""
    if link.teller is None:
        did = f"{known_to(link, called)} {first_hand(link.how)}"
    else:
        did = f"{called.person(link.teller)} told {holder}{' the same' if again else ''}"
    heard = link.said or link.statement if again else link.statement
    return f"{when_in_words(link.tick)}{where}: {did}: {heard} ({', '.join(_notes(link, called, again=again))})"


def known_to(link: ChainLink, called: Naming) -> str:
    """Name everybody who knew it themselves and passed it on, the first of them first."""
    people = [called.person(w) for w in dict.fromkeys((link.holder, *link.witnesses))]
    return people[0] if len(people) == 1 else f"{', '.join(people[:-1])} and {people[-1]}"


def _notes(link: ChainLink, called: Naming, *, again: bool) -> Iterable[str]:
    sure = link.confidence if link.after is None else link.after
    yield f"{called.band(sure)}, {sure:.2f}"
    if called.rungs and not called.hides_rungs:
        rung = link.said_severity if again and link.said else link.severity
        yield f"rung {rung} of {max(called.rungs, rung)}"
    if link.named:
        yield link.named
    if again and link.independent is not None and sure == link.confidence and sure - link.independent >= NOTICED:
        yield f"{link.independent:.2f} if only independent witnesses count"
    if link.depth == 0 and not again and link.left is not None and link.confidence - link.left >= NOTICED:
        yield f"faded to {link.left:.2f} since"
