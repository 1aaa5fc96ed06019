"""Context packets: what a speaker may draw on, what was held back and why, and what the record says of the line."""

from enum import StrEnum

import msgspec
from msgspec import Struct

from ledger_service.domain.ids import CharacterId, EntryId, digest
from ledger_service.domain.moments import Intent
from ledger_service.domain.opinions import Opinion
from ledger_service.domain.story_time import StoryTime
from ledger_service.domain.terms import stem, words


class Reason(StrEnum):
    """Why an entry was withheld."""

    NOT_VISIBLE = "not_visible"
    DERIVED_FROM_HIDDEN = "derived_from_hidden"
    OFF_BRANCH = "off_branch"
    RETRACTED = "retracted"
    QUARANTINED = "quarantined"
    SUSPENDED = "suspended"
    SAME_ORIGIN_ECHO = "same_origin_echo"
    SUPERSEDED = "superseded"
    EXPIRED = "expired"
    CURRENT_QUESTION = "current_question_is_not_evidence"
    STYLE_OF_OTHER = "style_of_other"
    IDENTITY_NOT_LINKED = "identity_not_linked"
    OTHER_SUBJECT = "other_subject"
    GATE_NOT_MET = "gate_not_met"
    OFF_TOPIC = "off_topic"
    OVER_BUDGET = "over_budget"


class FlagKind(StrEnum):
    """What the record says of the line itself."""

    NO_RECORD = "no_record"
    FALSE_PREMISE = "false_premise"
    UNSUPPORTED_CLAIM = "unsupported_claim"
    CONTRADICTION = "contradiction"
    SUPERSEDED = "superseded"
    EFFECT_DUE = "effect_due"
    IDENTITY_UNLINKED = "identity_unlinked"


class Withheld(Struct, frozen=True, kw_only=True):
    """An entry held back, and why."""

    entry_id: EntryId
    reason: Reason
    detail: str = ""


class ActOnly(Struct, frozen=True, kw_only=True):
    """Something the speaker knows and must not say; it shapes tone and consequence, never the prompt."""

    entry_id: EntryId
    kind: str
    statement: str
    why: str


class ScoreParts(Struct, frozen=True, kw_only=True):
    """What a score is made of, in thousandths."""

    must: int = 0
    entities: int = 0
    words: int = 0
    meaning: int = 0
    recency: int = 0
    salience: int = 0

    @property
    def total(self) -> int:
        """The score, in thousandths."""
        return self.must + self.entities + self.words + self.meaning + self.recency + self.salience


class Selected(Struct, frozen=True, kw_only=True):
    """Something the speaker may draw on and say."""

    entry_id: EntryId
    kind: str
    statement: str
    rank: int
    parts: ScoreParts
    band: str
    confidence: float
    status: str
    how: str
    """How the speaker knows it."""
    tick: int
    seq: int = 0
    teller: CharacterId | None = None
    """The speaker's own teller, and nobody deeper."""
    notes: tuple[str, ...] = ()
    """Such as `second hand`, `disputed`, `due now`."""
    fields: dict[str, str] = {}
    """What else must be printed: said_by, said_to, event_at, owner, to, scope ..."""
    rests_on: tuple[EntryId, ...] = ()
    tokens: int = 0


class Flag(Struct, frozen=True, kw_only=True):
    """An absence, a false premise, an open question: facts about the record that a packet can state."""

    kind: FlagKind
    topic: str
    entry_ids: tuple[EntryId, ...] = ()
    detail: str = ""

    @property
    def label(self) -> str:
        """The flag as one word-like text, `kind:topic`."""
        return f"{self.kind}:{self.topic.replace(' ', '_')}"

    def meets(self, expected: str) -> bool:
        """Say whether it is `kind`, or `kind:topic` by at least one content word or by an entry id.

        >>> Flag(kind=FlagKind.NO_RECORD, topic="broke lighthouse").meets("no_record:the_lighthouse")
        True
        """
        kind, _, topic = expected.partition(":")
        shared = {stem(w) for w in words(topic)} & {stem(w) for w in words(self.topic)}
        return kind == self.kind and (not topic or topic in self.entry_ids or bool(shared))


class CommitmentLine(Struct, frozen=True, kw_only=True):
    """A commitment of or to those who talk, with its status now."""

    entry_id: EntryId
    statement: str
    owner: CharacterId
    to: CharacterId
    status: str
    due: int | None = None
    trigger: str | None = None
    due_now: bool = False


class StandingLine(Struct, frozen=True, kw_only=True):
    """Standing in a scope, also where a rule needs one that is absent."""

    from_whom: CharacterId
    to: CharacterId
    scope: str
    amount: float
    absent: bool = False
    reasons: tuple[str, ...] = ()


class ResidueLine(Struct, frozen=True, kw_only=True):
    """A feeling, as tone."""

    entry_id: EntryId
    emotion: str
    intensity: str
    statement: str


class Consequence(Struct, frozen=True, kw_only=True):
    """What the speaker grants or refuses now, by which rule, and what would change that."""

    action: str
    outcome: str
    """`granted` or `refused`."""
    rule: str
    because: str
    would_change: str = ""
    asked: bool = False
    """The line asks for it."""
    factor: float | None = None
    """How many times its usual price it costs, where a rule sets a price."""
    opinions: tuple[Opinion, ...] = ()
    """The opinions that the rule asked for, with the stories that they rest on."""

    @property
    def price(self) -> str:
        """The price in words, where it is not the usual one."""
        return "" if self.factor is None else price_in_words(self.factor)


def price_in_words(factor: float) -> str:
    """Say how a price differs from the usual one; nothing where it does not.

    >>> [price_in_words(f) for f in (1.35, 0.8, 1.0, 0.0)]
    ['35% above the usual price', '20% below the usual price', '', 'no price at all']
    """
    percent = round((factor - 1) * 100)
    if factor <= 0:
        return "no price at all"
    return f"{abs(percent)}% {'above' if percent > 0 else 'below'} the usual price" if percent else ""


class ContextPacket(Struct, frozen=True, kw_only=True):
    """Exactly what a character may draw on for one line. Built only by `reconcile.pipeline`."""

    speaker: CharacterId
    audience: tuple[CharacterId, ...]
    at: StoryTime
    seq: int
    intent: Intent
    pov: CharacterId | None = None
    line: str = ""
    selected: tuple[Selected, ...] = ()
    act_only: tuple[ActOnly, ...] = ()
    withheld: tuple[Withheld, ...] = ()
    flags: tuple[Flag, ...] = ()
    commitments: tuple[CommitmentLine, ...] = ()
    standings: tuple[StandingLine, ...] = ()
    residue: tuple[ResidueLine, ...] = ()
    consequences: tuple[Consequence, ...] = ()
    tokens: int = 0
    prompt: str = ""
    """The rendered prompt; it holds selected text only."""
    world_version: str = ""
    hash: str = ""
    """Hash of everything above but the withheld entries that the speaker cannot see."""

    @property
    def held(self) -> frozenset[EntryId]:
        """The entries that are drawn on or acted on."""
        return frozenset((*(s.entry_id for s in self.selected), *(a.entry_id for a in self.act_only)))


def for_a_game(packet: ContextPacket) -> ContextPacket:
    """Return what a game may see of a packet: nothing that its speaker may not say, not even as evidence."""
    said = {s.entry_id for s in packet.selected}
    consequences = tuple(
        msgspec.structs.replace(c, opinions=tuple(_resting_on(said, o) for o in c.opinions))
        for c in packet.consequences
    )
    return msgspec.structs.replace(packet, withheld=(), act_only=(), consequences=consequences)


def _resting_on(entry_ids: set[EntryId], opinion: Opinion) -> Opinion:
    evidence = tuple(e for e in opinion.evidence if e.entry_id in entry_ids)
    return msgspec.structs.replace(opinion, evidence=evidence)


def hash_of(packet: ContextPacket) -> str:
    """Return the hash of a packet; the ids of playthrough, branch and packet are no part of it."""
    bare = msgspec.structs.replace(packet, hash="")
    return digest(msgspec.json.encode(bare, order="deterministic").decode())
