"""What differs between two packets: entries that came, went or changed reason, flags, consequences."""

from msgspec import Struct

from ledger_service.domain.packets import Consequence, ContextPacket


class Change(Struct, frozen=True, kw_only=True):
    """One thing that stands otherwise in the second packet."""

    what: str
    """`entry`, `flag`, `consequence` or `standing`."""
    name: str
    before: str
    """How it stood; empty where it was not there."""
    after: str
    statement: str = ""


def difference(before: ContextPacket, after: ContextPacket) -> tuple[Change, ...]:
    """Return every change, by kind and name; two packets of one hash have none."""
    statements = {s.entry_id: s.statement for p in (before, after) for s in p.selected}
    tables = [("entry", _entries), ("flag", _flags), ("consequence", _consequences), ("standing", _standings)]
    changes: list[Change] = []
    for what, table in tables:
        old, new = table(before), table(after)
        changes += [
            Change(
                what=what,
                name=name,
                before=old.get(name, ""),
                after=new.get(name, ""),
                statement=statements.get(name, ""),
            )
            for name in sorted(old.keys() | new.keys())
            if old.get(name) != new.get(name)
        ]
    return tuple(changes)


def _entries(packet: ContextPacket) -> dict[str, str]:
    withheld = {w.entry_id: f"withheld: {w.reason}" for w in packet.withheld}
    acted = {a.entry_id: "act only" for a in packet.act_only}
    return withheld | acted | {s.entry_id: f"selected, {s.status}" for s in packet.selected}


def _flags(packet: ContextPacket) -> dict[str, str]:
    return {f.label: f.detail or "raised" for f in packet.flags}


def _spoken(consequence: Consequence) -> str:
    price = f" at {consequence.price}" if consequence.price else ""
    return f"{consequence.outcome}{price}: {consequence.because}"


def _consequences(packet: ContextPacket) -> dict[str, str]:
    return {f"{c.action} ({c.rule})": _spoken(c) for c in packet.consequences}


def _standings(packet: ContextPacket) -> dict[str, str]:
    return {f"{s.from_whom} to {s.to}, {s.scope}": "absent" if s.absent else f"{s.amount:+g}" for s in packet.standings}
