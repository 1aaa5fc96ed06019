"""Five axes, their verdicts and findings, and the stage at fault."""

from enum import StrEnum

from msgspec import Struct

from ledger_service.domain.ids import CharacterId, EntryId
from ledger_service.domain.judging import Judgement


class Axis(StrEnum):
    """What a scorecard asks, in the order in which a fault shows."""

    LEDGER = "ledger_validity"
    SELECTION = "selection_validity"
    RESPONSE = "response_validity"
    VOICE = "voice_continuity"
    GAMEPLAY = "gameplay_validity"


class State(StrEnum):
    """A verdict's outcome. Masked: an earlier axis failed. Unscored: not enough to judge."""

    PASS = "pass"  # noqa: S105
    FAIL = "fail"
    MASKED = "masked"
    UNSCORED = "unscored"


class Severity(StrEnum):
    """How bad a finding is; a `minor` one does not fail its axis."""

    MINOR = "minor"
    MAJOR = "major"
    CRITICAL = "critical"


class Code(StrEnum):
    """What a finding found."""

    BAD_SOURCE = "bad_source"
    BAD_OWNER = "bad_owner"
    BAD_CONFIDENCE = "bad_confidence"
    BAD_EXPIRY = "bad_expiry"
    BAD_VISIBILITY = "bad_visibility"
    BAD_STATUS = "bad_status"
    OVERDUE = "overdue"
    MISSING_ENTRY = "missing_entry"
    SECRET_SELECTED = "secret_selected"  # noqa: S105
    STALE_SELECTED = "stale_selected"
    NOISE_SELECTED = "noise_selected"
    MISSING_FLAG = "missing_flag"
    WRONG_FLAG = "wrong_flag"
    NOT_REPRODUCIBLE = "not_reproducible"
    LEAK = "leak"
    CONTRADICTS_ENTRY = "contradicts_entry"
    HEARSAY_PROMOTED = "hearsay_promoted"
    ATTRIBUTION_WRONG = "attribution_wrong"
    OWNER_SWAPPED = "owner_swapped"
    FALSE_COMPLETION_ACCEPTED = "false_completion_accepted"
    STATUS_WRONG = "status_wrong"
    INVENTED_MEMORY = "invented_memory"
    SIDE_TAKEN = "side_taken"
    PROMISE_INVENTED = "promise_invented"
    STALE_FACT = "stale_fact"
    OBEYED_INJECTION = "obeyed_injection"
    FORGOTTEN = "forgotten"
    EMPTY_REPLY = "empty_reply"
    OUTCOME_MISMATCH = "outcome_mismatch"
    TONE_WRONG = "tone_wrong"
    VOICE_BREAK = "voice_break"
    NOT_AFFIRMED = "not_affirmed"
    NOT_DENIED = "not_denied"
    NOT_HEDGED = "not_hedged"
    NOT_UNKNOWN = "not_unknown"


class Aligned(Struct, frozen=True, kw_only=True):
    """An entry that some words speak of: how well they fit, from 0 to 1, and by what."""

    entry_id: EntryId
    score: float
    reason: str


class Finding(Struct, frozen=True, kw_only=True):
    """One thing found, with the words and entries that show it."""

    code: Code
    explanation: str
    severity: Severity = Severity.MAJOR
    span: str = ""
    """The quoted words of the reply; empty where no words show it."""
    start: int | None = None
    entry_ids: tuple[EntryId, ...] = ()
    aligned: tuple[Aligned, ...] = ()
    """Every entry that its words speak of, best first: selected, acted on, withheld or out of date alike."""


class Verdict(Struct, frozen=True, kw_only=True):
    """One axis's outcome, never a bare number."""

    axis: Axis
    state: State
    findings: tuple[Finding, ...] = ()
    why: str = ""
    """Why it is masked or unscored."""


class Fault(StrEnum):
    """The earliest stage that failed."""

    NONE = "none"
    HARNESS = "harness"
    PROBE_DEFECT = "probe_defect"
    LEDGER = "ledger"
    SELECTION = "selection"
    GENERATION = "generation"
    GAMEPLAY = "gameplay"
    VOICE = "voice"
    JUDGE_DISPUTE = "judge_dispute"


class Overruling(Struct, frozen=True, kw_only=True):
    """A reviewer's word that a finding is none."""

    finding: Finding
    by: str
    why: str


class Scorecard(Struct, frozen=True, kw_only=True):
    """Five verdicts on one line, and the stage at fault."""

    verdicts: tuple[Verdict, ...]
    fault: Fault
    evidence: str = ""
    """What shows that it is this stage and no later one."""
    responder: str = ""
    signals: tuple[Axis, ...] = ()
    """Axes that failed and are only to be noted: the probe says that they decide nothing."""
    judged: Judgement | None = None
    """What a judge said of what rules left open, with what it cost; it decides nothing unless it may gate."""
    overruled: tuple[Overruling, ...] = ()
    """Findings that a reviewer took out, oldest first."""

    @property
    def passed(self) -> bool:
        """Nothing failed."""
        return self.fault is Fault.NONE

    def verdict(self, axis: Axis) -> Verdict:
        """Return the verdict of one axis."""
        return next(v for v in self.verdicts if v.axis == axis)


class EntryWant(Struct, frozen=True, kw_only=True):
    """What a probe says of an entry in the ledger; what is empty is left open."""

    entry_id: EntryId
    status: str = ""
    band: str = ""
    owner: CharacterId = ""
    known_to: tuple[CharacterId, ...] = ()
    unknown_to: tuple[CharacterId, ...] = ()


class ClaimWant(Struct, frozen=True, kw_only=True):
    """How a line should hold a claim: affirm, deny, hedge, unknown or disown."""

    stance: str
    entry_id: EntryId = ""
    """The entry whose statement it is; else the text says it."""
    text: str = ""


class VoiceWant(Struct, frozen=True, kw_only=True):
    """How a line should sound."""

    says: tuple[str, ...] = ()
    never_says: tuple[str, ...] = ()
    least_words: int = 0
    most_words: int = 0
    """0 is any number."""


class Gold(Struct, frozen=True, kw_only=True):
    """What a probe or a case says the packet should hold."""

    must_include: tuple[EntryId, ...] = ()
    must_exclude: dict[EntryId, str] = {}
    """Entry ids, with the reason expected (empty is any)."""
    flags: tuple[str, ...] = ()
    """`kind` or `kind:topic`."""
    flags_must_exclude: tuple[str, ...] = ()
    act_only: tuple[EntryId, ...] = ()
    """What the speaker must act on, and must not say."""
    ledger: tuple[EntryWant, ...] = ()
    reply: tuple[ClaimWant, ...] = ()
    voice: VoiceWant = VoiceWant()
    gameplay: dict[str, str] = {}
    """Actions, with the outcome expected: granted or refused."""
    signals: tuple[Axis, ...] = ()
    """Axes that are noted where they fail, and fail nothing."""

    @property
    def names(self) -> tuple[EntryId, ...]:
        """Every entry that it speaks of."""
        named = (*self.must_include, *self.must_exclude, *self.act_only, *(w.entry_id for w in self.ledger))
        return tuple(dict.fromkeys((*named, *(w.entry_id for w in self.reply if w.entry_id))))
