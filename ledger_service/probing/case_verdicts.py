"""Hold packets against what a case expects: includes, excludes for the right reasons, flags, printed fields."""

from collections.abc import Iterable
from typing import Final

import msgspec
from msgspec import Struct

from ledger_service.domain.errors import MalformedError
from ledger_service.domain.packets import ContextPacket, Flag, Selected
from ledger_service.domain.terms import stem, words
from ledger_service.probing.cases import Case


class CaseResult(Struct, frozen=True, kw_only=True):
    """What one case came to, over its anchor and every paraphrase."""

    id: str
    passed: bool = msgspec.field(name="pass")
    included: tuple[str, ...] = ()
    withheld: dict[str, str] = {}
    flags: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    leaked: tuple[str, ...] = ()


def judge_case(case: Case, packets: Iterable[ContextPacket]) -> CaseResult:
    """Hold the packets of a case's anchor and paraphrases against what it expects.

    Every paraphrase must meet the same includes, excludes (for the same reasons) and flags; rank may differ.
    """
    missing: list[str] = []
    leaked: list[str] = []
    shown: ContextPacket | None = None
    for packet in packets:
        shown = shown or packet
        missing += _missing(case, packet)
        leaked += _leaked(case, packet)
    if shown is None:
        raise MalformedError(f"case {case.case_id}", "has no line to ask")
    return CaseResult(
        id=case.case_id,
        passed=not missing and not leaked,
        included=tuple(sorted(case.keys[s.entry_id] for s in shown.selected)),
        withheld=dict(sorted(_withheld(case, shown).items())),
        flags=tuple(flag.label for flag in shown.flags),
        missing=tuple(dict.fromkeys(missing)),
        leaked=tuple(dict.fromkeys(leaked)),
    )


def _withheld(case: Case, packet: ContextPacket) -> dict[str, str]:
    reasons = {case.keys[w.entry_id]: str(w.reason) for w in packet.withheld}
    return reasons | {case.keys[a.entry_id]: "act_only" for a in packet.act_only}


def _missing(case: Case, packet: ContextPacket) -> list[str]:
    selected = {case.keys[s.entry_id]: s for s in packet.selected}
    found = [key for key in case.must_include if key not in selected]
    found += [f"flag:{f}" for f in case.flags if not any(flag_matches(f, flag, case) for flag in packet.flags)]
    for field in case.fields:
        key, _, name = field.partition(".")
        if key not in selected or not _prints(selected[key], name, packet.prompt):
            found.append(f"field:{field}")
    return found


def _leaked(case: Case, packet: ContextPacket) -> list[str]:
    withheld = _withheld(case, packet)
    found = [key for key in case.must_exclude if key not in withheld]
    for key, reason in case.reasons.items():
        if key in withheld and withheld[key] != reason:
            found.append(f"{key} (withheld as {withheld[key]}, not {reason})")
    kinds = {str(flag.kind) for flag in packet.flags}
    return found + [f"flag:{kind}" for kind in case.flags_must_exclude if kind in kinds]


_PRINTED_AS: Final = {"at": "when", "delta": "amount", "subject": "towards"}
"""What a case file calls a field, and what a packet calls it."""


def _prints(item: Selected, name: str, prompt: str) -> bool:
    """Say whether a field of an item stands in the prompt."""
    value = item.fields.get(_PRINTED_AS.get(name, name))
    if value is None:
        value = {
            "source": item.teller or item.how,
            "confidence": item.band,
            "type": item.kind,
            "teller": item.teller,
            "by": item.teller,
            "status": item.status,
            "band": item.band,
            "kind": item.kind,
        }.get(name)
    return value is not None and value in prompt and item.statement in prompt


def flag_matches(expected: str, flag: Flag, case: Case) -> bool:
    """Match a flag by kind, and by at least one content word (or the entry named) where a detail is given."""
    kind, _, detail = expected.partition(":")
    if kind != flag.kind:
        return False
    if not detail or any(case.keys.get(i) == detail for i in flag.entry_ids):
        return True
    return bool({stem(w) for w in words(detail)} & {stem(w) for w in words(flag.topic)})
