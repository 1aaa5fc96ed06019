"""Opinions: what somebody thinks of somebody, from the stories about them that they hold."""

import math
from collections import defaultdict
from collections.abc import Collection, Iterable

from msgspec import Struct

from ledger_service.domain.candidates import MUST_HAVE, closes, story_subject
from ledger_service.domain.entries import Hearsay, LedgerEntry
from ledger_service.domain.ids import PUBLIC, CharacterId, EntryId
from ledger_service.domain.ledger import LIVE, Ledger
from ledger_service.domain.worlds import Ladder, World


class Weighed(Struct, frozen=True, kw_only=True):
    """One story in an opinion: what its wording weighs, and how surely it is held."""

    entry_id: EntryId
    weight: float
    """Blame below 0, praise above, by the rung of its ladder."""
    confidence: float
    """How sure the holder is of it now."""

    @property
    def contribution(self) -> float:
        """What it would make of the opinion alone."""
        return round(self.weight * self.confidence, 6)


class Opinion(Struct, frozen=True, kw_only=True):
    """What somebody thinks of somebody, from -1 to 1, and the stories that it rests on, strongest first."""

    who: CharacterId
    about: str
    value: float = 0.0
    praise: float = 0.0
    blame: float = 0.0
    evidence: tuple[Weighed, ...] = ()


def opinion_from(who: CharacterId, about: str, stories: Iterable[Weighed]) -> Opinion:
    """Return praise less blame, whatever the order of the stories; without any it is 0.

    Praise is 1 - prod(1 - weight x confidence) over the stories that praise, blame the same over those that blame,
    with the size of their weights. So each further story adds less, and neither side passes 1.

    >>> theft = Weighed(entry_id="e1", weight=-0.5, confidence=0.6)
    >>> rescue = Weighed(entry_id="e2", weight=0.4, confidence=1.0)
    >>> opinion_from("ilsa", "player", (theft,)).value
    -0.3
    >>> opinion_from("ilsa", "player", (theft, theft)).value
    -0.51
    >>> opinion_from("ilsa", "player", (rescue, theft)).value
    0.1
    """
    held = sorted((s for s in stories if s.contribution), key=lambda s: (-abs(s.contribution), s.entry_id))
    praise = _together(s.contribution for s in held if s.contribution > 0)
    blame = _together(-s.contribution for s in held if s.contribution < 0)
    return Opinion(
        who=who, about=about, value=round(praise - blame, 6), praise=praise, blame=blame, evidence=tuple(held)
    )


def _together(shares: Iterable[float]) -> float:
    return round(1.0 - math.prod(1.0 - share for share in sorted(shares)), 6)


def opinion_in(
    ledger: Ledger,
    who: CharacterId,
    about: str,
    *,
    world: World,
    viewer: CharacterId | None = None,
    names: Collection[str] = (),
) -> Opinion:
    """Return somebody's opinion from a ledger; with a viewer, as far as that viewer can tell.

    `names` are those under which they know whom it is about, where that is not by the name itself. Of each, the newest
    `MUST_HAVE` stories count that nothing has closed, which are those that a packet is sure to consider.
    """
    eyes = viewer or who
    told = (e for name in sorted(set(names) or {about}) for e in _newest(ledger, who, name, eyes))
    stories = _first_of_each(e for e in told if ledger.status_of(e, viewer=eyes) in LIVE)
    return opinion_from(who, about, (_weighed(e, ledger, who, world) for e in stories))


def _newest(ledger: Ledger, who: CharacterId, name: str, eyes: CharacterId) -> list[LedgerEntry]:
    scopes = ledger.roster.groups_of(eyes, at_seq=ledger.at_seq) | {eyes, PUBLIC}
    held = [
        e
        for e in ledger.entries.values()
        if story_subject(e) == name
        and ledger.knower_of(e, who) is not None
        and (eyes == who or ledger.knower_of(e, eyes) is not None)
        and not any(closes(a, scopes) for a in ledger.amendments_of(e.entry_id))
    ]
    return sorted(held, key=lambda e: (-e.seq, e.entry_id))[:MUST_HAVE]


def _first_of_each(entries: Iterable[LedgerEntry]) -> list[LedgerEntry]:
    """Return one version of each story: the one at first hand, else the one held longest."""
    versions: dict[EntryId, list[LedgerEntry]] = defaultdict(list)
    for entry in entries:
        versions[entry.root].append(entry)
    return [min(of, key=lambda e: (isinstance(e, Hearsay), e.seq, e.entry_id)) for of in versions.values()]


def _weighed(entry: LedgerEntry, ledger: Ledger, who: CharacterId, world: World) -> Weighed:
    ladder = world.find_ladder(entry.ladder)
    knower = ledger.knower_of(entry, who)
    own = None if knower is None or ledger.belief_of(entry.entry_id) is not None else knower.confidence
    return Weighed(
        entry_id=entry.entry_id,
        weight=ladder.weight(rung_of(entry, ladder)) if ladder is not None else 0.0,
        confidence=entry.confidence if own is None else own,
    )


def rung_of(entry: LedgerEntry, ladder: Ladder) -> int:
    """Return the rung on which an entry stands: that of its wording, else the severity it was told with."""
    if entry.statement in ladder.rungs:
        return ladder.rungs.index(entry.statement) + 1
    return entry.severity if isinstance(entry, Hearsay) else 1
