"""Who tells whom this hour, and what each listener makes of it: trust, echo guard, sceptics, corroboration."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec
from msgspec import Struct

from ledger_service.domain.amendments import Belief
from ledger_service.domain.confidence import MILLION, retold
from ledger_service.domain.ids import CharacterId, EntryId, PlaceId
from ledger_service.domain.rumours import (
    Heard,
    Holding,
    Refusal,
    RefusalReason,
    Telling,
    TellingOutcome,
    first_heard,
    telling_of,
)
from ledger_service.domain.worlds import Corroboration, World
from ledger_service.rumours.belief import Offer, believe, independent
from ledger_service.rumours.distortion import Wording, passed_on, rung_of
from ledger_service.rumours.draws import draw
from ledger_service.rumours.stories import Stories, Version, with_belief

NewId = Callable[[CharacterId], EntryId]
Told = frozenset[tuple[CharacterId, CharacterId, EntryId]]
"""(listener, teller, origin) of every telling that was heard before."""


class Opportunity(Struct, frozen=True, kw_only=True):
    """A teller with a story beside a listener who trusts them."""

    teller: CharacterId
    listener: CharacterId
    entry_id: EntryId
    """The teller's version."""
    origin: EntryId
    place: PlaceId | None = None
    wording: str | None = None
    """The words that a game put into the teller's mouth; else the ladder decides."""
    at_most: float = 1.0
    """How surely it is put, where that is less than how sure the teller is."""


class Chances(Struct, frozen=True, kw_only=True):
    """What could be told in an hour, and what could not, by trust and by what was heard before."""

    open: tuple[Opportunity, ...] = ()
    refusals: tuple[Refusal, ...] = ()


class Hour(Struct, frozen=True, kw_only=True):
    """What came of an hour's talk, in the order in which it was decided."""

    heard: tuple[Heard, ...] = ()
    refusals: tuple[Refusal, ...] = ()


def find_chances(
    rooms: Mapping[PlaceId, Sequence[CharacterId]], holdings: Iterable[Holding], told: Told, world: World
) -> Chances:
    """Return every possible telling among those who are together, in the order of (origin, listener, teller)."""
    stories: dict[CharacterId, dict[EntryId, Holding]] = defaultdict(dict)
    for holding in sorted(holdings, key=lambda h: (h.who, h.origin, h.entry_id)):
        stories[holding.who].setdefault(holding.origin, holding)
    trusted = world.trust_by_pair
    chances: list[Opportunity] = []
    refusals: list[Refusal] = []
    for place, people in rooms.items():
        for teller in people:
            known = stories.get(teller, {})
            for listener in people if known else ():
                if teller == listener:
                    continue
                trust = trusted.get((listener, teller), 0.0)
                for origin, held in known.items():
                    reason = _no_chance(trust, has_told=(listener, teller, origin) in told)
                    if reason is None:
                        chances.append(
                            Opportunity(
                                teller=teller, listener=listener, entry_id=held.entry_id, origin=origin, place=place
                            )
                        )
                    else:
                        refusals.append(_refusal(teller, listener, held.entry_id, origin, reason))
    chances.sort(key=lambda c: (c.origin, c.listener, c.teller))
    return Chances(open=tuple(chances), refusals=tuple(refusals))


def _no_chance(trust: float, *, has_told: bool) -> RefusalReason | None:
    if trust <= 0:
        return RefusalReason.NOT_TRUSTED
    return RefusalReason.ALREADY_HEARD if has_told else None


def _refusal(
    teller: CharacterId, listener: CharacterId, entry_id: EntryId, origin: EntryId, reason: RefusalReason
) -> Refusal:
    return Refusal(teller=teller, listener=listener, entry_id=entry_id, origin=origin, reason=reason)


class Talk:
    """Decides tellings one by one against what people hold; every decision counts for the next."""

    def __init__(self, stories: Stories, world: World, *, seed: int, new_id: NewId) -> None:
        self._stories = stories
        self._gossip = world.gossip
        self._forgetting = world.forgetting
        self._people = world.people
        self._ladders = {ladder.id: ladder for ladder in world.ladders}
        self._trust = world.trust_by_pair
        self._seed = seed
        self._new_id = new_id

    def hour(self, chances: Iterable[Opportunity], *, tick: int) -> Hour:
        """Decide an hour: everybody speaks from what they held when it began."""
        before = dict(self._stories.versions)
        refusals: list[Refusal] = []
        by_pair: dict[tuple[CharacterId, CharacterId], list[tuple[Opportunity, Version]]] = defaultdict(list)
        for chance in chances:
            version = before.get((chance.teller, chance.origin))
            if version is None or not version.is_live or version.since >= tick:
                continue
            reason = self._held_back(chance, version)
            if reason is None:
                by_pair[chance.listener, chance.teller].append((chance, version))
            else:
                refusals.append(self._refuse(chance, reason))
        chosen: list[tuple[Opportunity, Version]] = []
        for offered in by_pair.values():
            offered.sort(key=lambda pair: self._salience(pair[1], tick))
            chosen += offered[: self._gossip.stories_a_meeting]
            later = offered[self._gossip.stories_a_meeting :]
            refusals += [self._refuse(chance, RefusalReason.LATER) for chance, _ in later]
        heard: list[Heard] = []
        for chance, version in sorted(chosen, key=lambda p: (p[0].origin, p[0].listener, p[0].teller)):
            decided = self.decide(chance, version, tick=tick)
            if decided.outcome is TellingOutcome.ECHO:
                refusals.append(self._refuse(chance, RefusalReason.ECHO))
                continue
            heard.append(decided)
        kept = _without_those_that_count(heard)
        sceptics = [h for h in kept if h.outcome is TellingOutcome.IGNORED]
        refusals += [_refusal(h.teller, h.listener, h.told, h.origin, RefusalReason.SCEPTIC) for h in sceptics]
        return Hour(heard=kept, refusals=tuple(refusals))

    def _held_back(self, chance: Opportunity, version: Version) -> RefusalReason | None:
        if not version.may_be_told(chance.listener):
            return RefusalReason.PRIVATE
        if self._is_echo(chance.listener, version):
            return RefusalReason.ECHO
        own = self._stories.versions.get((chance.listener, version.origin))
        return RefusalReason.WITHDRAWN if own is not None and own.is_withdrawn else None

    def _refuse(self, chance: Opportunity, reason: RefusalReason) -> Refusal:
        return _refusal(chance.teller, chance.listener, chance.entry_id, chance.origin, reason)

    def _salience(self, version: Version, tick: int) -> tuple[int, float, int, EntryId]:
        """Order stories: the wilder first, then the surer, the newer, and by id."""
        return (-version.severity, -version.left_at(tick, self._forgetting), -version.seq, version.origin)

    def _is_echo(self, listener: CharacterId, version: Version) -> bool:
        """Say whether the listener saw it themselves, or the teller's version goes back through theirs.

        Having learnt since that it was wrong makes it no less their own.
        """
        own = self._stories.versions.get((listener, version.origin))
        if own is None:
            return False
        return not own.offers or self._stories.goes_back_to(version.entry_id, own.entry_id)

    def decide(self, chance: Opportunity, version: Version, *, tick: int) -> Heard:
        """Decide one telling, and let it count."""
        teller, listener = chance.teller, chance.listener
        sure = min(version.left_at(tick, self._forgetting), chance.at_most)
        said = self._wording(chance, version, tick)
        heard = Heard(
            teller=teller,
            listener=listener,
            told=version.entry_id,
            origin=version.origin,
            tick=tick,
            place=chance.place,
            offered=retold(sure, self._trust.get((listener, teller))),
            outcome=TellingOutcome.ECHO,
            statement=said.statement,
            severity=said.severity,
            hops=version.hops + 1,
            roots=version.roots,
            ladder=version.ladder,
            corrects=version.corrects,
            unaware=version.unaware,
        )
        if self._is_echo(listener, version):
            return heard
        own = self._stories.versions.get((listener, version.origin))
        if own is not None and own.is_withdrawn:
            return msgspec.structs.replace(heard, outcome=TellingOutcome.UNCHANGED, held=own.entry_id)
        if own is not None and own.is_live:
            return self._corroborated(heard, own)
        return self._believed(heard, version)

    def _wording(self, chance: Opportunity, version: Version, tick: int) -> Wording:
        ladder = self._ladders.get(version.ladder or "")
        if chance.wording is not None:
            rung = rung_of(chance.wording, ladder, otherwise=version.severity)
            return Wording(statement=chance.wording, severity=rung)
        teller = self._people.get(chance.teller)
        drawn = draw(
            self._seed, tick=tick, teller=chance.teller, listener=chance.listener, origin=version.origin
        )  # fmt: skip
        rung = rung_of(version.statement, ladder, otherwise=version.severity)
        held = Wording(statement=version.statement, severity=rung)
        return passed_on(held, ladder, exaggeration=teller.exaggeration if teller else 0.0, drawn=drawn)

    def _corroborated(self, heard: Heard, own: Version) -> Heard:
        """Bear out what the listener holds: the first wording stays, and the same teller again changes nothing."""
        if heard.teller in {o.teller for o in own.offers}:
            return msgspec.structs.replace(heard, outcome=TellingOutcome.UNCHANGED, held=own.entry_id)
        return self._take_in(heard, own, (*own.offers, _offer(heard)), TellingOutcome.CORROBORATED)

    def _believed(self, heard: Heard, version: Version) -> Heard:
        """Make it the listener's own, unless they are a sceptic and it takes more tellers."""
        pending = tuple(self._stories.pending.get((heard.listener, heard.origin), ()))
        offers = (*(_offered_before(t) for t in pending), _offer(heard))
        listener = self._people.get(heard.listener)
        if self._count(offers) < (listener.sceptic if listener else 1):
            again = heard.teller in {t.teller for t in pending}
            ignored = TellingOutcome.UNCHANGED if again else TellingOutcome.IGNORED
            heard = msgspec.structs.replace(heard, outcome=ignored)
            if not again:
                self._stories.note(telling_of(heard, seq=0))
            return heard
        heard = msgspec.structs.replace(heard, pending=pending)
        own = Version(
            entry_id=self._new_id(heard.listener),
            who=heard.listener,
            origin=heard.origin,
            statement=first_heard(heard).statement,
            seq=version.seq,
            confidence=0.0,
            reinforced_at=heard.tick,
            roots=(),
            severity=first_heard(heard).severity,
            hops=heard.hops,
            ladder=version.ladder,
            corrects=version.corrects,
            unaware=version.unaware,
            since=heard.tick,
            fades="hearsay" in self._forgetting.kinds,
        )
        outcome = TellingOutcome.CORRECTED if own.corrects is not None else TellingOutcome.BELIEVED
        return self._take_in(heard, own, offers, outcome)

    def _count(self, offers: Sequence[Offer]) -> int:
        """Count tellers: every different one, or every group that shares no witness."""
        if self._gossip.corroboration is Corroboration.INDEPENDENT_ROOTS:
            return len(independent(offers))
        return len({o.teller for o in offers})

    def _take_in(self, heard: Heard, own: Version, offers: tuple[Offer, ...], outcome: TellingOutcome) -> Heard:
        doubts = self._stories.doubts(heard.listener, heard.origin)
        belief = believe(heard.listener, offers, doubts=doubts, corroboration=self._gossip.corroboration)
        held = with_belief(own, offers, belief.confidence, belief.reinforced_at)
        self._stories.hold(held)
        decided = msgspec.structs.replace(heard, held=own.entry_id, belief=belief, outcome=outcome)
        for telling in (*heard.pending, telling_of(decided, seq=0)):
            self._stories.note(msgspec.structs.replace(telling, to_entry=own.entry_id, outcome=outcome))
        return msgspec.structs.replace(decided, lowered=self.lowered_by(held))

    def lowered_by(self, correction: Version) -> tuple[tuple[EntryId, Belief], ...]:
        """Make its holder less sure of the story that a correction puts right; who saw it themselves knows better."""
        wrong = self._stories.versions.get((correction.who, correction.corrects or ""))
        if wrong is None or not wrong.offers or not wrong.is_live:
            return ()
        doubts = self._stories.doubts(wrong.who, wrong.origin)
        belief = believe(wrong.who, wrong.offers, doubts=doubts, corroboration=self._gossip.corroboration)
        self._stories.hold(with_belief(wrong, wrong.offers, belief.confidence, wrong.reinforced_at))
        return ((wrong.entry_id, msgspec.structs.replace(belief, reinforced_at=wrong.reinforced_at)),)


def _without_those_that_count(heard: Sequence[Heard]) -> tuple[Heard, ...]:
    """Leave out what was put aside and, in the same hour, counted after all: it comes with the telling that did it."""
    counted = {(t.teller, t.listener, t.origin) for h in heard for t in h.pending}
    aside = TellingOutcome.IGNORED
    return tuple(h for h in heard if h.outcome is not aside or (h.teller, h.listener, h.origin) not in counted)


def _offer(heard: Heard) -> Offer:
    return Offer(teller=heard.teller, confidence=heard.offered, roots=heard.roots, tick=heard.tick)


def _offered_before(telling: Telling) -> Offer:
    confidence = telling.offered_millionths / MILLION
    return Offer(teller=telling.teller, confidence=confidence, roots=telling.roots, tick=telling.tick)
