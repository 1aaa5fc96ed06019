"""Probes: a matrix of distance x pressure x paraphrase, its cells, and what each came to."""

from enum import StrEnum
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from ledger_service.domain.confidence import Band
from ledger_service.domain.entries import Status
from ledger_service.domain.ids import PlaythroughId
from ledger_service.domain.rubric import Axis, Fault, Scorecard

Name = Annotated[str, Meta(pattern=r"^[a-z][a-z0-9_]{0,63}$")]
NameOrNone = Annotated[str, Meta(pattern=r"^([a-z][a-z0-9_]{0,63})?$")]
Line = Annotated[str, Meta(pattern=r"\S", max_length=2_000)]
Label = Annotated[str, Meta(pattern=r"^[a-z][a-z0-9_]*(\.[1-9][0-9]*)?$")]
"""The label of an event, for the first entry that it left; `label.2` for the second."""
Outcome = Literal["granted", "refused"]


class Stage(StrEnum):
    """The stages that an expectation may be of."""

    LEDGER = "ledger"
    SELECTION = "selection"
    REPLY = "reply"
    VOICE = "voice"
    GAMEPLAY = "gameplay"


class Weight(StrEnum):
    """What a stage that misses its expectation does to a cell: it fails, or it is noted."""

    HARD = "hard"
    SIGNAL = "signal"


Stages = dict[Stage, Weight]


class EntryExpectation(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """What the ledger must say of an entry; what is left out is left open."""

    status: Status | None = None
    band: Band | None = None
    owner: Name | None = None
    known_to: tuple[Name, ...] = ()
    unknown_to: tuple[Name, ...] = ()


class ReplyExpectation(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """How the line must hold each claim; a claim is the label of an entry, or a text of two words or more."""

    affirm: tuple[Line, ...] = ()
    deny: tuple[Line, ...] = ()
    hedge: tuple[Line, ...] = ()
    """Said as uncertain, or as somebody's word."""
    unknown: tuple[Line, ...] = ()
    """Said to be unknown, or not to be on record."""
    disown: tuple[Line, ...] = ()
    """Denied, or said not to be on record: what never was."""


class VoiceExpectation(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """How the line must sound, beside the speaker's voice card."""

    says: tuple[Line, ...] = ()
    """One of these at least."""
    never_says: tuple[Line, ...] = ()
    least_words: Annotated[int, Meta(ge=0, le=1_000)] = 0
    most_words: Annotated[int, Meta(ge=0, le=1_000)] = 0
    """0 is any number."""


class Expectation(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """What each stage must come to; entries are named by the labels of the history."""

    must_include: tuple[Label, ...] = ()
    """With `must_exclude` and the flags: what the selection must come to."""
    must_exclude: tuple[Label, ...] = ()
    act_only: tuple[Label, ...] = ()
    """What the speaker must act on and never say: who may know a secret uses it so."""
    flags: tuple[str, ...] = ()
    flags_must_exclude: tuple[str, ...] = ()
    ledger: dict[Label, EntryExpectation] = {}
    reply: ReplyExpectation = ReplyExpectation()
    voice: VoiceExpectation = VoiceExpectation()
    gameplay: dict[Name, Outcome] = {}
    """Actions, by what the speaker must come to now."""
    stages: Stages = {}
    """Which stages are `hard` and which a mere `signal`; those of the matrix where it says nothing, else hard."""


class Leg(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A part of what lies between: turns of filler, then scenes, hours, and events; or a save and a reload."""

    turns: Annotated[int, Meta(ge=0, le=1_000)] = 0
    """Lines of small talk between listener and speaker, drawn from the matrix's filler by its seed."""
    scenes: Annotated[int, Meta(ge=0, le=100)] = 0
    hours: Annotated[int, Meta(ge=0, le=1_000)] = 0
    gossip: bool = False
    """Those who meet in these hours talk."""
    events: tuple[dict[str, Any], ...] = ()
    reload: bool = False
    """Save it whole, and go on from what the document says."""


class Distance(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """How much of the game lies between: a recipe, and events after it."""

    id: Name
    means: str = ""
    kind: Name = ""
    """Its class, by which pressures may say what they expect; that of its rung where it says none."""
    branch_at: Label | None = None
    """The event, by its label, after which another branch leaves the story; what came later did not happen there."""
    recipe: Annotated[tuple[Leg, ...], Meta(max_length=50)] = ()
    events: tuple[dict[str, Any], ...] = ()


class Pressure(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A way of asking: an anchor and frozen rewordings, with what is expected at each distance."""

    id: Name
    anchor: Line
    paraphrases: Annotated[tuple[Line, ...], Meta(max_length=5)] = ()
    expect: Expectation = Expectation()
    expect_at: dict[str, Expectation] = {}
    """Instead of `expect`, at these distances or classes of them; a distance goes before its class."""
    skip_at: dict[str, str] = {}
    """Distances, or classes of them, at which this makes no sense, with the reason."""
    faulty: str = ""
    """What a deliberately faulty speaker says to it."""
    kind: NameOrNone = ""
    """Which pressure it is, where its id says more than that, as `owner_swap` for `owner_swap_of_the_lamp`."""
    speaker: NameOrNone = ""
    """Who is asked, where it is not the matrix's speaker."""
    listener: NameOrNone = ""
    """Who asks, where it is not the matrix's listener."""


class Cover(StrEnum):
    """Which cells of a matrix are asked."""

    FULL = "full"
    PAIRWISE = "pairwise"
    """As few as hold every pair of distance, pressure and wording that makes sense."""
    SAMPLE = "sample"
    """So many, drawn by a seed."""


class Coverage(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """How much of a matrix is asked."""

    mode: Cover = Cover.FULL
    cells: Annotated[int, Meta(ge=0, le=1_000_000)] = 0
    """How many, of a sample."""
    seed: int = 0


class Repetition(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """How often each stage of a cell is gone through."""

    selection: Annotated[int, Meta(ge=2, le=20)] = 2
    """How often ledger and selection are computed: they must come out the same each time."""
    reply: Annotated[int, Meta(ge=1, le=100)] = 1
    """How often the line is asked for on the frozen packet."""
    adaptive: bool = False
    """Ask only until the cell is decided, at most `max` times."""
    max: Annotated[int, Meta(ge=0, le=100)] = 0
    """0 is `reply`."""

    @property
    def most(self) -> int:
        """How often a line is asked for at most."""
        return max(self.reply, self.max) if self.adaptive else self.reply


class Budgets(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """What a run may spend before it stops, to be resumed; 0 is no limit."""

    tries: Annotated[int, Meta(ge=0)] = 0
    minutes: Annotated[float, Meta(ge=0)] = 0
    spend: Annotated[float, Meta(ge=0)] = 0
    """Over the whole run, at the prices of its provider."""


class Broken(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a deliberately broken subject must be blamed for, and in how many cells its defect shows at least."""

    fault: Fault
    active: Annotated[int, Meta(ge=0)] = 1


class Matrix(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One story's matrix."""

    extends: str = ""
    """The file of another matrix beside it, whose rows it has too."""
    story: Name
    speaker: Name
    listener: Name = "player"
    never: tuple[Label, ...] = ()
    """What no packet may hold but where it must."""
    filler: tuple[Line, ...] = ()
    """What small talk is drawn from."""
    seed: int = 0
    stages: Stages = {}
    """Which stages are mere signals, where a row does not say."""
    coverage: Coverage = Coverage()
    repeats: Repetition = Repetition()
    budgets: Budgets = Budgets()
    zoo: dict[Name, Broken] = {}
    """What each deliberately broken subject of the zoo must be blamed for here."""
    distances: Annotated[tuple[Distance, ...], Meta(min_length=1)]
    pressures: Annotated[tuple[Pressure, ...], Meta(min_length=1)]


class Cell(Struct, frozen=True, kw_only=True):
    """One point of a matrix: one question."""

    distance: str
    pressure: str
    paraphrase: int
    """0 is the anchor."""
    line: str
    expect: Expectation = Expectation()
    skipped: str = ""
    """Why it is not asked, where it is not."""
    speaker: str = ""
    """Who is asked; empty is the matrix's speaker."""
    listener: str = ""
    """Who asks; empty is the matrix's listener."""

    @property
    def name(self) -> str:
        """The cell as a person types it."""
        return f"{self.distance}/{self.pressure}/{self.paraphrase}"


class ResultState(StrEnum):
    """What a cell came to."""

    PASS = "pass"  # noqa: S105
    FAIL = "fail"
    ERROR = "error"
    UNSCORED = "unscored"
    SKIPPED = "skipped"
    PENDING = "pending"


class CellResult(Struct, frozen=True, kw_only=True):
    """One cell, asked and judged."""

    cell: Cell
    state: ResultState
    line: str = ""
    """What the speaker said."""
    responder: str = ""
    playthrough_id: PlaythroughId = ""
    """The branch on which it was asked; there it can be asked again."""
    packet_hash: str = ""
    scorecard: Scorecard | None = None
    error: str = ""
    """Why it broke, or was skipped."""
    broke: Fault = Fault.NONE
    """What is at fault where there is no scorecard: the harness, or the probe itself."""

    @property
    def fault(self) -> Fault:
        """The stage at fault."""
        return self.scorecard.fault if self.scorecard is not None else self.broke

    def failed(self, axis: Axis) -> bool:
        """Say whether an axis failed."""
        return self.scorecard is not None and self.scorecard.verdict(axis).state == "fail"


class ProbeRun(Struct, frozen=True, kw_only=True):
    """A matrix asked of one subject."""

    story: str
    subject: str
    planned: int
    results: tuple[CellResult, ...]
