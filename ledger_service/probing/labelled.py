"""Labelled replies: literal lines with the verdicts and findings they should get, one self-contained item each."""

import hashlib
from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec
from msgspec import Struct

from ledger_service.domain.entries import LedgerEntry
from ledger_service.domain.errors import MalformedError
from ledger_service.domain.ids import EntryId
from ledger_service.domain.packets import ActOnly, Consequence, ContextPacket, Reason, ScoreParts, Selected, Withheld
from ledger_service.domain.worlds import VoiceCard, World
from ledger_service.probing.cases import Case, decode_case

AXES: Final = ("response", "voice", "gameplay")
_NOT_OF_A_CASE: Final = frozenset({"packet", "expected", "half", "aims_at", "overruled"})


class Label(Struct, frozen=True, kw_only=True):
    """A finding that the line should get."""

    code: str
    span: str = ""
    entry: EntryId | None = None
    also: tuple[str, ...] = ()
    """Codes that a careful checker may give instead."""

    def allows(self, code: str) -> bool:
        """Say whether a code is right for it."""
        return code == self.code or code in self.also


class Labelled(Struct, frozen=True, kw_only=True):
    """One labelled reply, decoded."""

    id: str
    lang: str
    difficulty: str
    half: str
    """`tuning` or `test`."""
    reply: str
    aims_at: str
    expected: dict[str, str]
    """pass, fail or na for each axis."""
    labels: tuple[Label, ...]
    case: Case
    raw: dict[str, Any]


def half_of(name: str) -> str:
    """Say to which half an item belongs, by the hash of its id.

    >>> half_of("cal-001")
    'test'
    """
    return "test" if hashlib.sha256(name.encode()).digest()[0] % 2 else "tuning"


def decode_labelled(values: object) -> Iterator[Labelled]:
    """Decode a file of labelled replies.

    Raises:
        MalformedError: what is not such a file, or an item that cannot be read, with its id.
    """
    if not isinstance(values, Mapping) or not isinstance(values.get("items"), list):
        raise MalformedError("replies", "needs `items`, a list of labelled replies, and their `ledgers`")
    ledgers = values.get("ledgers") or {}
    for item in values["items"]:
        yield _item(item, ledgers if isinstance(ledgers, Mapping) else {})


def _item(item: Any, ledgers: Mapping[str, Any]) -> Labelled:  # noqa: ANN401
    name = item.get("id") if isinstance(item, Mapping) else None
    if not isinstance(name, str):
        raise MalformedError("items", "each item needs an `id`")
    expected = item.get("expected")
    if not isinstance(expected, Mapping) or not isinstance(item.get("reply"), str):
        raise MalformedError(f"item {name}", "needs `reply` and `expected`")
    if not isinstance(item.get("packet"), Mapping):
        raise MalformedError(f"item {name}", "needs `packet` with include, act_only and withheld_because")
    bare = {key: value for key, value in item.items() if key not in _NOT_OF_A_CASE}
    ledger = ledgers.get(item.get("ledger")) or {}
    try:
        labels = msgspec.convert(expected.get("findings") or [], tuple[Label, ...])
    except msgspec.ValidationError as error:
        raise MalformedError(f"item {name}, expected.findings", str(error)) from error
    return Labelled(
        id=name,
        lang=str(item.get("lang", "en")),
        difficulty=str(item.get("difficulty", "")),
        half=str(item.get("half") or "test"),
        reply=item["reply"],
        aims_at=str(item.get("aims_at") or next((label.code for label in labels), "")),
        expected={axis: str(expected.get(axis, "na")) for axis in AXES},
        labels=labels,
        case=decode_case({**bare, "groups": ledger.get("groups", {})}),
        raw=dict(item),
    )


def packet_as_labelled(item: Labelled, built: ContextPacket) -> ContextPacket:
    """Return the packet as the label gives it: labels judge the line, and take the packet as correct."""
    there = {s.entry_id: s for s in built.selected}
    entries = {e.entry_id: e for e in item.case.candidates.entries}
    given, outcomes = item.raw["packet"], item.raw.get("consequences") or {}
    return msgspec.structs.replace(
        built,
        selected=tuple(there.get(key) or _select(entries[key], i) for i, key in enumerate(given["include"])),
        act_only=tuple(
            ActOnly(entry_id=k, kind="observation", statement=entries[k].statement, why="")
            for k in given.get("act_only") or ()
        ),
        withheld=tuple(
            Withheld(entry_id=k, reason=Reason(r)) for k, r in (given.get("withheld_because") or {}).items()
        ),
        consequences=tuple(
            Consequence(action=a, outcome=o, rule=outcomes.get("because", ""), because="", asked=True)
            for a, o in outcomes.items()
            if a != "because"
        ),
        hash="",
    )


def _select(entry: LedgerEntry, rank: int) -> Selected:
    return Selected(
        entry_id=entry.entry_id, kind="observation", statement=entry.statement, rank=rank, parts=ScoreParts(),
        band="", confidence=entry.confidence, status="active", how=entry.source.kind, tick=entry.at.tick,
    )  # fmt: skip


def world_with_card(item: Labelled) -> World:
    """Return the item's world, with the speaker's voice card in it."""
    world = item.case.candidates.world
    card = msgspec.convert(item.raw.get("voice_card", {}), VoiceCard)
    speaker = item.raw["speaker"]
    cast = tuple(msgspec.structs.replace(c, voice=card) if c.id == speaker else c for c in world.cast)
    return msgspec.structs.replace(world, cast=cast)
