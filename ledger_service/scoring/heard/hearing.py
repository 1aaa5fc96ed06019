"""A reply as it is heard: its claims beside the packet it was said on, with what each claim speaks of."""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property, lru_cache, wraps
from typing import Final, TypeVar, cast

from msgspec.structs import replace

from ledger_service.domain.entries import (
    Commitment,
    Contradiction,
    EmotionalResidue,
    Hearsay,
    LedgerEntry,
    RelationshipDelta,
    SourceKind,
)
from ledger_service.domain.ids import PLAYER, CharacterId, EntryId
from ledger_service.domain.ledger import Ledger
from ledger_service.domain.packets import ContextPacket, Flag, FlagKind, Reason, Selected
from ledger_service.domain.replies import Claim, Reply, Stance
from ledger_service.domain.rubric import Code, Finding, Severity
from ledger_service.domain.terms import content_terms, stem, term_set, words
from ledger_service.domain.worlds import World
from ledger_service.scoring.heard.alignment import Near
from ledger_service.scoring.heard.facts import Fact, Topic
from ledger_service.scoring.words.overlap import akin, kindred, shared

_HIDDEN: Final = frozenset(
    {Reason.NOT_VISIBLE, Reason.GATE_NOT_MET, Reason.DERIVED_FROM_HIDDEN, Reason.IDENTITY_NOT_LINKED}
)  # fmt: skip
"""Reasons for which the very content must not be heard."""
STALE: Final = frozenset(
    {
        Reason.SUPERSEDED, Reason.EXPIRED, Reason.RETRACTED, Reason.SUSPENDED, Reason.OFF_BRANCH,
        Reason.SAME_ORIGIN_ECHO, Reason.QUARANTINED,
    }
)  # fmt: skip
"""Reasons for which something was so, or was said, and may not be used as if it held."""
SECOND_HAND: Final = frozenset({SourceKind.TOLD_BY, SourceKind.OVERHEARD, SourceKind.PLAYER_CLAIM})
SAID_PLAINLY: Final = frozenset({Stance.ASSERT, Stance.DENY, Stance.GRANT, Stance.THANK, Stance.PROMISE})
_NOT_FACTS: Final = (Commitment, EmotionalResidue, RelationshipDelta, Contradiction)
"""Entries that are no plain facts: what is owed, felt, thought of somebody, or in dispute."""
_SHORT_ANSWER: Final = 2
_QUESTION_MARKS: Final = str.maketrans("？؟", "??")
"""What asks in other scripts, as rules look for it."""
_T = TypeVar("_T")
_ENDS: Final = re.compile(r"[.!?…*\n。！？؟]")


class Hearing:
    """Everything that the checks of a reply look at, worked out once."""

    def __init__(
        self,
        packet: ContextPacket,
        reply: Reply,
        claims: Iterable[Claim],
        *,
        world: World,
        ledger: Ledger,
        asked: Iterable[Claim] = (),
        near: Near | None = None,
    ) -> None:
        line = packet.line.translate(_QUESTION_MARKS)
        packet = packet if line == packet.line else replace(packet, line=line)
        self.packet = packet
        self.text = reply.text
        self.claims = tuple(claims)
        self.world = world
        self.ledger = ledger
        self.viewer: CharacterId = packet.pov or packet.speaker
        self.listener: CharacterId = PLAYER if PLAYER in packet.audience else packet.audience[0]
        names = {self.viewer, packet.speaker, self.listener, PLAYER}
        self._own_names = {stem(part) for who in names for part in words(who)}
        self._second_hand: dict[EntryId, bool] = {}
        self._tellers: dict[EntryId, frozenset[str]] = {}
        self._terms = {c.text: frozenset(c.terms) - self._own_names for c in self.claims if c.lang != "en"}
        """The stems of texts that were asked for; those of a clause in another language are what its words mean."""
        self.near = near
        """How near in meaning each entry is to a text; it tells where to look, and decides nothing."""
        self.topics: dict[int, tuple[Topic, ...]] = {}
        """What each clause is about, by where it begins, once that was asked."""
        self.worked_out: dict[object, object] = {}
        """What checks worked out of it, by what did so: see `once`."""
        self.asked = tuple(asked)
        """The line that is answered, read as the listener's claims."""
        read = frozenset(t for claim in self.asked for t in claim.terms)
        self.line_terms = (frozenset(content_terms(packet.line)) | read) - self._own_names
        self.claims = tuple(self._resolved(claim) for claim in self.claims)

    def _resolved(self, claim: Claim) -> Claim:
        """Return a claim of `it` or `them` with what the line asked about: a short answer means that."""
        open_ = claim.says("leaves_open")
        meant = (
            claim.says("points_back")
            and not open_
            and not (self.asks("asks_source") or self.asks("who_says"))
            and 0 < len(claim.terms) <= _SHORT_ANSWER
            and claim.stance in SAID_PLAINLY
        )
        return replace(claim, terms=(*claim.terms, *sorted(self.line_terms - set(claim.terms)))) if meant else claim

    @cached_property
    def names(self) -> frozenset[str]:
        """Stems of the names of those who talk."""
        return frozenset(self._own_names)

    @cached_property
    def cast_names(self) -> frozenset[str]:
        """Stems of the names of everybody."""
        return frozenset(stem(part) for c in self.world.cast for name in (c.id, c.name) for part in words(name))

    def terms_of(self, text: str) -> frozenset[str]:
        """Return the content stems of a text, but for the names of those who talk."""
        found = self._terms.get(text)
        if found is None:
            found = self._terms[text] = _terms_but(text, self.names)
        return found

    def _facts(self, ids: Iterable[EntryId]) -> tuple[Fact, ...]:
        found = (self.ledger.entries[i] for i in ids if i in self.ledger.entries)
        return tuple(Fact(entry=e, terms=self.terms_of(e.statement)) for e in found)

    def fact_of(self, entry_id: EntryId) -> Fact:
        """Return an entry of the ledger as it is held against words."""
        return self._facts((entry_id,))[0]

    @cached_property
    def items(self) -> dict[EntryId, Selected]:
        """What was selected, by id."""
        return {s.entry_id: s for s in self.packet.selected}

    @cached_property
    def selected(self) -> tuple[Fact, ...]:
        """What may be said."""
        return self._facts(self.items)

    @cached_property
    def hidden(self) -> tuple[Fact, ...]:
        """What must not be heard: what is acted on only, and what the speaker does not know or may not say."""
        return self._facts(hidden_in(self.packet))

    @cached_property
    def kept(self) -> tuple[Fact, ...]:
        """What of the hidden things the speaker knows, and keeps to themselves."""
        known = (f for f in self.hidden if self.ledger.knower_of(f.entry, self.viewer) is not None)
        return tuple(f for f in known if f.terms)

    @cached_property
    def sentences(self) -> tuple[tuple[Claim, ...], ...]:
        """The claims, those of one sentence together."""
        found: list[list[Claim]] = []
        for claim in self.claims:
            if found and not _ENDS.search(self.text, found[-1][-1].end - 1, claim.start):
                found[-1].append(claim)
            else:
                found.append([claim])
        return tuple(map(tuple, found))

    @cached_property
    def said(self) -> tuple[tuple[Claim, ...], ...]:
        """The sentences without what is shown and not said."""
        rows = (tuple(c for c in row if c.stance is not Stance.UNKNOWN) for row in self.sentences)
        return tuple(row for row in rows if row)

    def around(self, claim: Claim) -> str:
        """Return the words of the sentence that a claim is in."""
        row = next((row for row in self.sentences if row[0].start <= claim.start <= row[-1].start), (claim,))
        return self.text[row[0].start : row[-1].end]

    @cached_property
    def stale(self) -> tuple[Fact, ...]:
        """What no longer holds."""
        return self._facts(w.entry_id for w in self.packet.withheld if w.reason in STALE)

    @cached_property
    def echoes(self) -> frozenset[EntryId]:
        """What is only somebody's repeating of what is on record from whom they have it."""
        return frozenset(w.entry_id for w in self.packet.withheld if w.reason is Reason.SAME_ORIGIN_ECHO)

    @cached_property
    def everything(self) -> tuple[Fact, ...]:
        """All that the packet considered, whether it may be said or not."""
        return self._facts(self.ledger.entries)

    def nearness(self, claim: Claim) -> Mapping[EntryId, int]:
        """Return how near in meaning entries are to a clause, said after the line that it answers, in thousandths."""
        said = claim.text if claim.lang == "en" else " ".join(claim.terms)
        abroad = any(c.lang != "en" for c in self.asked)
        line = " ".join(t for c in self.asked for t in c.terms) if abroad else self.packet.line
        return self.near(f"{line} {said}") if self.near is not None and said.strip() else {}

    @cached_property
    def of_others(self) -> tuple[Fact, ...]:
        """What is known of somebody who is not being spoken of."""
        return self._facts(w.entry_id for w in self.packet.withheld if w.reason is Reason.OTHER_SUBJECT)

    @cached_property
    def hearsay(self) -> tuple[Fact, ...]:
        """What the speaker has at second hand, and was never shown."""
        return tuple(f for f in self.selected if self.is_second_hand(f))

    @cached_property
    def certain(self) -> tuple[Fact, ...]:
        """Plain facts that the speaker has from nobody else: nothing owed, felt, thought of somebody, or in dispute."""
        return tuple(f for f in self.selected if not isinstance(f.entry, _NOT_FACTS) and not self.is_second_hand(f))

    @cached_property
    def asked_hearsay(self) -> tuple[tuple[Fact, frozenset[str]], ...]:
        """What is doubtful hearsay and touched by a question, with what of it the question says."""
        if "?" not in self.packet.line and not self.asks("attribute"):
            return ()
        doubtful = (f for f in self.hearsay if not f.is_sure and not f.is_negative)
        touched = ((f, kindred(self.line_terms, f.terms)) for f in doubtful)
        return tuple((fact, asked) for fact, asked in touched if asked)

    def is_second_hand(self, fact: Fact) -> bool:
        """Say whether the speaker has it from somebody."""
        if fact.entry_id not in self._second_hand:
            knower = self.ledger.knower_of(fact.entry, self.viewer)
            told = fact.entry.source.kind in SECOND_HAND or isinstance(fact.entry, Hearsay)
            self._second_hand[fact.entry_id] = told or (knower is not None and knower.how in SECOND_HAND)
        return self._second_hand[fact.entry_id]

    def tellers(self, fact: Fact) -> frozenset[str]:
        """Return from whom the speaker has it."""
        found = self._tellers.get(fact.entry_id)
        if found is None:
            found = self._tellers[fact.entry_id] = self._told_by(fact)
        return found

    def _told_by(self, fact: Fact) -> frozenset[str]:
        knower = self.ledger.knower_of(fact.entry, self.viewer)
        teller = fact.entry.teller if isinstance(fact.entry, Hearsay) else None
        item = self.items.get(fact.entry_id)
        named = {teller, fact.entry.source.by, knower.from_whom if knower else None, item.teller if item else None}
        return frozenset(who for who in named if who)

    @cached_property
    def all_tellers(self) -> frozenset[str]:
        """Everybody from whom the speaker has something that they only heard."""
        return frozenset().union(*(self.tellers(f) for f in self.hearsay))

    @cached_property
    def mentioned(self) -> frozenset[str]:
        """Everybody and everything that the reply names anywhere."""
        return frozenset(name for claim in self.claims for name in claim.mentions)

    @cached_property
    def commitments(self) -> tuple[Commitment, ...]:
        """The commitments that may be spoken of."""
        return tuple(f.entry for f in self.selected if isinstance(f.entry, Commitment))

    def status_of(self, entry: LedgerEntry) -> str:
        """Return an entry's status as the speaker can tell it."""
        return self.ledger.status_of(entry, viewer=self.viewer)

    @cached_property
    def spoken_of(self) -> frozenset[str]:
        """Every stem that may be said without giving anything away: of selected text, and of the line itself."""
        return self.live_terms | self.line_terms

    def flags(self, kind: FlagKind) -> tuple[Flag, ...]:
        """Return the packet's flags of a kind."""
        return tuple(f for f in self.packet.flags if f.kind is kind)

    @cached_property
    def live_terms(self) -> frozenset[str]:
        """Every stem of what may be said, without the line."""
        return frozenset().union(*(f.terms for f in self.selected))

    @cached_property
    def hidden_and_spoken_of(self) -> frozenset[str]:
        """What of the hidden things' words may be said anyway."""
        return shared(self.spoken_of, frozenset().union(*(f.terms for f in self.hidden)))

    @cached_property
    def best_of_line(self) -> float:
        """How much of what may be said the line holds, of what it holds most of."""
        said = akin(self.line_terms, self.live_terms)
        return max((len(f.terms & said) / len(f.terms) for f in self.selected if f.terms), default=0.0)

    @cached_property
    def told_of(self) -> frozenset[str]:
        """Every stem of everything on record, whoever knows it."""
        return frozenset().union(*(term_set(e.statement) for e in self.ledger.entries.values()))

    @cached_property
    def is_qualified(self) -> bool:
        """Somewhere the reply doubts, or says whose word something is."""
        return any(c.stance in {Stance.HEDGE, Stance.ATTRIBUTE} for c in self.claims)

    @cached_property
    def given(self) -> frozenset[str]:
        """Every cue that the reply gives anywhere."""
        return frozenset().union(*(c.cues for c in self.claims))

    def with_line(self, claim: Claim) -> frozenset[str]:
        """Return the stems of a claim, and of the line that it answers."""
        return frozenset(claim.terms) | self.line_terms

    @property
    def denies(self) -> bool:
        """Somewhere the reply says no."""
        return any(c.stance in {Stance.DENY, Stance.REFUSE} for c in self.claims)

    def says(self, cue: str, *, asked: bool = False) -> Claim | None:
        """Return the first claim that gives a cue; questions only where asked for."""
        skip = {Stance.QUOTE} if asked else {Stance.QUOTE, Stance.ASK}
        return next((c for c in self.claims if c.stance not in skip and c.says(cue)), None)

    def asks(self, cue: str) -> bool:
        """Say whether the line that is answered gives a cue."""
        return any(c.says(cue) for c in self.asked)


def once(work_out: Callable[[Hearing], _T]) -> Callable[[Hearing], _T]:
    """Let what is worked out of a hearing be kept with it, so that each check after the first finds it there."""

    @wraps(work_out)
    def kept(hearing: Hearing) -> _T:
        if work_out not in hearing.worked_out:
            hearing.worked_out[work_out] = work_out(hearing)
        return cast("_T", hearing.worked_out[work_out])

    return kept


@lru_cache(maxsize=8_192)
def _terms_but(text: str, names: frozenset[str]) -> frozenset[str]:
    """Return the content stems of a text but for some names; what is on record is asked for with each reply."""
    return term_set(text) - names


def hidden_in(packet: ContextPacket) -> tuple[EntryId, ...]:
    """Return what must not be heard: what is acted on only, and what the speaker does not know or may not say."""
    withheld = (w.entry_id for w in packet.withheld if w.reason in _HIDDEN)
    return (*(a.entry_id for a in packet.act_only), *withheld)


def found(
    code: Code, claim: Claim, explanation: str, *entry_ids: EntryId, severity: Severity = Severity.MAJOR
) -> Finding:
    """Write a finding on a claim's words."""
    return Finding(
        code=code, explanation=explanation, severity=severity, span=claim.text, start=claim.start, entry_ids=entry_ids
    )
