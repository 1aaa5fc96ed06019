"""What differs between two packets, in sentences: what came, what went and why, what is refused now, who stands how."""

from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from ledger_service.domain.entries import LedgerEntry
from ledger_service.domain.ids import EntryId
from ledger_service.domain.packets import ContextPacket, Reason
from ledger_service.reconcile.difference import Change, difference
from ledger_service.rumours.provenance import Naming
from ledger_service.services.packets.packet_words import clock, names, why_withheld

_SIGNS: Final = {"came": "+", "went": "−", "changed": "≠"}
Statements = Mapping[EntryId, LedgerEntry]


class Difference(Struct, frozen=True, kw_only=True):
    """One thing that is otherwise in the second packet."""

    sort: str
    """`came`, `went` or `changed`."""
    said: str
    statement: str = ""
    entry_id: EntryId = ""

    @property
    def sign(self) -> str:
        """A sign for it, for who sees no colours."""
        return _SIGNS[self.sort]


class Compared(Struct, frozen=True, kw_only=True):
    """Two packets beside one another."""

    moment: tuple[Difference, ...]
    entries: tuple[Difference, ...]
    flags: tuple[Difference, ...]
    consequences: tuple[Difference, ...]
    standings: tuple[Difference, ...]

    @property
    def is_same(self) -> bool:
        """Nothing differs."""
        return not (self.moment or self.entries or self.flags or self.consequences or self.standings)


def compare(
    before: ContextPacket, after: ContextPacket, *, old: Statements, new: Statements, naming: Naming
) -> Compared:  # fmt: skip
    """Say what is otherwise in the second packet; an entry of one id may read otherwise on another branch."""
    changes = difference(before, after)
    return Compared(
        moment=_moment(before, after, naming),
        entries=(*_entries(changes, after, old, new, naming), *_rewordings(before, after, old, new, changes)),
        flags=tuple(_plain(c, _topic(c.name)) for c in changes if c.what == "flag"),
        consequences=tuple(
            _plain(c, c.name.partition(" (")[0].replace("_", " ")) for c in changes if c.what == "consequence"
        ),
        standings=tuple(_plain(c, c.name.replace("_", " ")) for c in changes if c.what == "standing"),
    )


def _moment(before: ContextPacket, after: ContextPacket, naming: Naming) -> tuple[Difference, ...]:
    pairs = (
        ("speaker", naming.person(before.speaker), naming.person(after.speaker)),
        ("listeners", names(before.audience, naming), names(after.audience, naming)),
        ("line", f"“{before.line}”", f"“{after.line}”"), ("time", clock(before.at.tick), clock(after.at.tick)),
        ("scene", str(before.at.scene), str(after.at.scene)), ("last event", str(before.seq), str(after.seq)),
        ("version of the world", before.world_version[:12], after.world_version[:12]),
        ("how lines are read", before.intent.reader, after.intent.reader),
    )  # fmt: skip
    return tuple(
        Difference(sort="changed", said=f"{word}: {old} before, {new} now") for word, old, new in pairs if old != new
    )


def _entries(
    changes: tuple[Change, ...], after: ContextPacket, old: Statements, new: Statements, naming: Naming
) -> tuple[Difference, ...]:
    me = after.pov or after.speaker
    found = []
    for change in changes:
        entry = new.get(change.name) or old.get(change.name)
        if change.what == "entry" and (_may(change.before) or _may(change.after)):
            sort = "changed" if _may(change.before) and _may(change.after) else "came" if _may(change.after) else "went"
            statement = change.statement or (entry.statement if entry is not None else change.name)
            said = _turned(change, me, naming)
            found.append(Difference(sort=sort, said=said, statement=statement, entry_id=change.name))
    order = ("went", "came", "changed")
    return tuple(sorted(found, key=lambda d: order.index(d.sort)))


def _turned(change: Change, me: str, naming: Naming) -> str:
    """Say what an entry was and is; where only its status is another, that alone."""
    if change.before.startswith("selected, ") and change.after.startswith("selected, "):
        now, was = (state.removeprefix("selected, ") for state in (change.after, change.before))
        return f"it is {now}; before, it was {was}"
    return f"{_state(change.after, me, naming)}; before, {_state(change.before, me, naming)}"


def _may(state: str) -> bool:
    """Say whether it is drawn on or acted on, either of which a reader cares for."""
    return state.startswith("selected") or state == "act only"


def _state(state: str, me: str, naming: Naming) -> str:
    head, _, rest = state.partition(": ")
    if head == "withheld":
        return f"held back, because {why_withheld(Reason(rest), me, naming)}"
    if state.startswith("selected"):
        return f"{naming.person(me)} may say it"
    return f"{naming.person(me)} acts on it and never says it" if state else "it was not looked at"


def _rewordings(
    before: ContextPacket, after: ContextPacket, old: Statements, new: Statements, changes: tuple[Change, ...]
) -> tuple[Difference, ...]:
    told = {c.name for c in changes}
    both = {s.entry_id for s in before.selected} & {s.entry_id for s in after.selected} - told
    pairs = [(i, old[i].statement, new[i].statement) for i in sorted(both) if i in old and i in new]
    return tuple(
        Difference(sort="changed", said=f"reads otherwise; before, “{was}”", statement=now, entry_id=i)
        for i, was, now in pairs
        if was != now
    )


def _plain(change: Change, name: str) -> Difference:
    sort = "came" if not change.before else "went" if not change.after else "changed"
    said = {
        "came": f"{name}: {change.after}", "went": f"{name}: no longer ({change.before})",
        "changed": f"{name}: {change.after}; before, {change.before}",
    }  # fmt: skip
    return Difference(sort=sort, said=said[sort].replace("_", " "))


def _topic(label: str) -> str:
    kind, _, topic = label.partition(":")
    return f"{kind.replace('_', ' ')} “{topic.replace('_', ' ')}”"
