"""The view: everything that the steps of a packet look at, as one speaker could tell it at one moment."""

from collections.abc import Collection, Mapping
from functools import cached_property, partial

from ledger_service.domain.candidates import STORY, Candidates, must_have_keys, must_have_places
from ledger_service.domain.conditions import Scope
from ledger_service.domain.entries import Commitment, LedgerEntry, RelationshipDelta, Status
from ledger_service.domain.ids import GROUP_PREFIX, CharacterId, EntryId
from ledger_service.domain.ledger import LIVE, Ledger, standing
from ledger_service.domain.moments import Moment
from ledger_service.domain.questions import Questions, variables_of
from ledger_service.domain.terms import stem
from ledger_service.domain.visibility import Knower


class View:
    """Candidates and moment together, with what follows from both worked out once."""

    def __init__(self, candidates: Candidates, moment: Moment) -> None:
        self.candidates = candidates
        self.moment = moment
        self.world = candidates.world
        self.state = candidates.state
        self.viewer = moment.viewer
        self.ledger = Ledger(
            candidates.entries,
            candidates.amendments,
            roster=candidates.state.roster,
            at_seq=moment.seq,
            tick=moment.at.tick,
            forgetting=candidates.world.forgetting,
        )
        self._statuses: dict[EntryId, Status] = {}
        self._knowers: dict[EntryId, Knower | None] = {}

    @property
    def considered(self) -> tuple[LedgerEntry, ...]:
        """Every entry there is, in the order in which they came."""
        return tuple(sorted(self.ledger.entries.values(), key=lambda e: (e.seq, e.entry_id)))

    def status_of(self, entry: LedgerEntry) -> Status:
        """Return an entry's status as the viewer can tell it; every step asks, so it is worked out once."""
        found = self._statuses.get(entry.entry_id)
        if found is None:
            found = self._statuses[entry.entry_id] = self.ledger.status_of(entry, viewer=self.viewer)
        return found

    def knower_of(self, entry: LedgerEntry) -> Knower | None:
        """Return how the viewer knows an entry, or None where they do not."""
        if entry.entry_id not in self._knowers:
            self._knowers[entry.entry_id] = self.ledger.knower_of(entry, self.viewer)
        return self._knowers[entry.entry_id]

    def sees(self, entry: LedgerEntry) -> bool:
        """Say whether the viewer knows an entry at all."""
        return self.knower_of(entry) is not None

    @cached_property
    def visible_live(self) -> tuple[LedgerEntry, ...]:
        """What the viewer knows and may still draw on, said aloud or not."""
        return tuple(e for e in self.ledger.entries.values() if self.sees(e) and self.status_of(e) in LIVE)

    @cached_property
    def linked(self) -> frozenset[frozenset[str]]:
        """Pairs of names that the viewer knows to be one person."""
        same_as = {name for name, predicate in self.world.predicates.items() if predicate.same_as}
        return frozenset(
            frozenset({e.slot.subject, e.slot.object})
            for e in self.visible_live
            if e.slot is not None and e.slot.predicate in same_as and e.slot.polarity
        )

    @cached_property
    def disguised(self) -> dict[CharacterId, str]:
        """Those of the audience whom the viewer takes for somebody else."""
        shown = self.moment.presented_as
        return {who: name for who, name in shown.items() if frozenset({who, name}) not in self.linked}

    @cached_property
    def audience_names(self) -> frozenset[str]:
        """The audience as presented: under the name they show, and under their own where the viewer knows it."""
        names: set[str] = set()
        for who in self.moment.audience:
            shown = self.moment.presented_as.get(who)
            names |= {shown} if shown is not None else set()
            names |= set() if who in self.disguised else {who}
        return frozenset(names)

    @cached_property
    def inanimate(self) -> frozenset[str]:
        """Things and places: what is about them is about nobody."""
        return frozenset(thing.id for thing in self.world.things) | frozenset(place.id for place in self.world.places)

    @cached_property
    def concerned(self) -> frozenset[str]:
        """Whom this moment is about: speaker and audience, their other names, and the groups they are in."""
        people = {self.viewer, self.moment.speaker, *self.audience_names}
        aliases = {name for pair in self.linked if pair & people for name in pair}
        scopes = {g for who in people for g in self.ledger.roster.groups_of(who, at_seq=self.moment.seq)}
        return frozenset(people | aliases | scopes | {scope.removeprefix(GROUP_PREFIX) for scope in scopes})

    @cached_property
    def mentioned(self) -> frozenset[str]:
        """Ids and stems that the line names."""
        return frozenset(self.moment.intent.mentions) | frozenset(self.moment.intent.terms)

    def is_mentioned(self, name: str) -> bool:
        """Say whether the line names somebody or something, by id or by word."""
        parts = name.replace("_", " ").casefold().split()
        return name in self.mentioned or (bool(parts) and all(stem(part) in self.mentioned for part in parts))

    @cached_property
    def must_have(self) -> frozenset[tuple[str, str]]:
        """The (sort, party) pairs that matter to this moment whatever was said; stories only to opinions."""
        return frozenset(key for key in must_have_keys(self.moment) if key[0] != STORY)

    def is_must_have(self, entry: LedgerEntry) -> bool:
        """Say whether an entry matters to this moment whatever was said."""
        return not self.must_have.isdisjoint(must_have_places(entry))

    def names_of(self, who: CharacterId) -> frozenset[str]:
        """Return the names under which the viewer knows somebody who is here; a mask keeps their own name out."""
        return _names(who, self.moment.presented_as, self.disguised)

    @cached_property
    def questions(self) -> Questions:
        """What conditions can ask of what the viewer knows."""
        return Questions(
            self.ledger,
            live=self.visible_live,
            state=self.state,
            world=self.world,
            viewer=self.viewer,
            # No method of this view: what conditions hold is out of the garbage collector's sight, and would keep it.
            names_of=partial(_names, presented_as=self.moment.presented_as, disguised=self.disguised),
        )

    @property
    def deltas(self) -> list[RelationshipDelta]:
        """The live relationship deltas that the viewer knows."""
        return self.questions.deltas

    def standing(self, from_whom: CharacterId, to: CharacterId, scope: str) -> float:
        """Sum the live deltas that the viewer knows of."""
        return standing(self.deltas, from_whom, to, scope)

    @property
    def commitments(self) -> list[Commitment]:
        """The commitments that the viewer knows, however they stand."""
        return self.questions.commitments

    def is_due(self, commitment: Commitment) -> bool:
        """Say whether an open commitment's time has come: its trigger happened, or its tick is here."""
        if self.status_of(commitment) is not Status.OPEN:
            return False
        triggered = commitment.trigger is not None and any(
            o.name == commitment.trigger and o.seq > commitment.seq for o in self.state.occurrences
        )
        return triggered or (commitment.due is not None and self.moment.at.tick >= commitment.due)

    @cached_property
    def scope(self) -> Scope:
        """What conditions see: the game's state, and the ledger as far as the viewer knows it."""
        variables = variables_of(self.state, self.world, at=self.moment.at) | {
            "speaker": self.moment.speaker,
            "listener": self.moment.audience[0],
            "present": list(self.moment.present or (self.moment.speaker, *self.moment.audience)),
        }
        return Scope(variables, self.questions.functions)


def _names(who: CharacterId, presented_as: Mapping[CharacterId, str], disguised: Collection[str]) -> frozenset[str]:
    shown = presented_as.get(who)
    own = frozenset({who} if who not in disguised else ())
    return own if shown is None else own | {shown}
