"""The shape of a case file, for editors: what `probing.cases` reads, with the names that it knows."""

from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta, Struct

from ledger_service.domain.entries import KINDS, Channel, Form, Intensity, SourceKind, Status
from ledger_service.domain.slots import Predicate
from ledger_service.probing.cases import KIND_NAMES, SOURCE_NAMES, STATUS_NAMES


def _one_of(*names: str) -> Meta:
    return Meta(pattern=f"^({'|'.join(names)})$")


Names = str | list[str]
"""One name, or several."""
_Kind = Annotated[str, _one_of(*KINDS, *KIND_NAMES)]
_Status = Annotated[str, _one_of(*(str(s) for s in Status), *STATUS_NAMES)]
_Source = Annotated[str, _one_of(*(str(s) for s in SourceKind), *SOURCE_NAMES)]
_Expiry = Annotated[str, Meta(description="`never`, or `tick:N`, `scenes:N`, `turns:N`, `event:NAME`, joined by `|`.")]
_GATE: Final = "`event:NAME`, `tick:N`, `scene:N`, `listener:NAME`, `kept:KEY`, `standing:SCOPE>=N`, or a condition."
_Gate = Annotated[str | dict[str, Any] | None, Meta(description=_GATE)]
_Expected = Annotated[str, Meta(description="The key of an entry, `flag:KIND`, `flag:KIND:word`, or `field:KEY.name`.")]


class CaseNow(Struct, kw_only=True):
    """When the line is said."""

    tick: int = 0
    scene: int = 0
    turn: int = 0
    branch: str | None = None
    reloads: int = 0


class CaseSource(Struct, kw_only=True):
    """Where an entry comes from."""

    kind: _Source
    by: str | None = None
    channel: Channel | None = None
    via: Names | None = None
    inputs: Names | None = msgspec.field(default=None, name="from")


class CaseSlot(Struct, kw_only=True):
    """The claim in a form that can be compared."""

    subject: str | float | bool
    predicate: str
    object: str | float | bool
    polarity: bool = True
    from_tick: int | None = None
    until_tick: int | None = None


class CaseEntry(Struct, kw_only=True):
    """An entry of the ledger, by a key that the case refers to it by."""

    key: str
    type: _Kind
    claim: str
    visible_to: Names
    at: int = 0
    at_scene: int = 0
    at_turn: int = 0
    source: CaseSource | None = None
    confidence: Annotated[float, Meta(ge=0, le=1)] = 1.0
    status: _Status | None = None
    superseded_by: str | None = None
    supersedes: Names | None = None
    derived_from: Names | None = None
    origin: str | None = None
    expires: _Expiry | None = None
    disclosure: str | dict[str, Any] | None = None
    disclose_to: Names | None = None
    disclose_when: _Gate = None
    unaware: Names | None = None
    slot: CaseSlot | None = None
    subject: str | None = None
    about: Names | None = None
    place: str | None = None
    channel: Channel | None = None
    event_at: int | None = None
    raw: str | None = None
    said_by: str | None = None
    said_to: Names | None = None
    style_of: str | None = None
    voice_of: str | None = None
    protected: bool = False
    branch: str | None = None
    current: bool = False
    utterance: str | None = None
    claimed_value: str | None = None
    believed_value: str | None = None
    hops: int | None = None
    severity: int | None = None
    owner: str | None = None
    to: str | None = None
    name: str | None = None
    witnesses: Names | None = None
    form: Form | None = None
    trigger: str | None = None
    due: str | int | None = None
    giver: str | None = msgspec.field(default=None, name="from")
    axis: str | None = None
    delta: float | None = None
    scope: str | None = None
    members: Names | None = None
    holder: str | None = None
    emotion: str | None = None
    intensity: Intensity | None = None


class CaseFile(Struct, kw_only=True):
    """One case: its entries, its moment, the line, and what the packet must and must not hold."""

    id: str
    now: CaseNow
    entries: list[CaseEntry]
    speaker: str
    player_line: str
    paraphrases: list[str] = []
    listener: str | None = None
    audience: Names | None = None
    pov: str | None = None
    packet_must_include: list[_Expected] = []
    packet_must_exclude: list[str] = []
    exclude_because: dict[str, str] = {}
    flags_must_exclude: list[str] = []
    events: list[str] = []
    groups: dict[str, list[str | dict[str, Any]]] = {}
    predicates: dict[str, Predicate | None] = {}
    state: dict[str, Any] = {}
    kind: str | None = None
    good_reply: str | None = None
    bad_reply: str | None = None
    note: str | None = None
