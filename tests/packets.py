"""Packets for tests, built as the service builds them but without a store."""

from collections.abc import Iterable
from typing import Any

from ledger_service.domain.amendments import Amendment
from ledger_service.domain.candidates import Candidates
from ledger_service.domain.entries import LedgerEntry
from ledger_service.domain.ids import group_scope
from ledger_service.domain.moments import Moment
from ledger_service.domain.packets import ContextPacket
from ledger_service.domain.playthroughs import Occurrence, StoryState
from ledger_service.domain.story_time import StoryTime
from ledger_service.domain.visibility import Membership
from ledger_service.domain.worlds import World
from ledger_service.readers.line_reader import PatternLineReader
from ledger_service.reconcile.pipeline import reconcile, seal
from ledger_service.responders.prompt import JinjaPrompt
from tests.builders import a_moment, a_world

READER = PatternLineReader()
PROMPT = JinjaPrompt()


def a_packet(
    entries: Iterable[LedgerEntry],
    *,
    line: str = "",
    amendments: Iterable[Amendment] = (),
    world: World | None = None,
    happened: Iterable[str] = (),
    off_branch: Iterable[str] = (),
    memberships: Iterable[Membership] | None = None,
    **moment: Any,
) -> ContextPacket:
    world = world or a_world()
    asked: Moment = a_moment(**moment)
    if memberships is None:
        memberships = [Membership(group=group_scope(g.id), who=who) for g in world.groups for who in g.members]
    state = StoryState(
        at=asked.at,
        seq=asked.seq,
        occurrences=tuple(Occurrence(name=name, seq=asked.seq) for name in happened),
        memberships=tuple(memberships),
        world_version="test",
    )
    intent = READER.read(line, world=world, speaker=asked.speaker, audience=asked.audience)
    asked = a_moment(**{**moment, "line": line, "intent": intent})
    candidates = Candidates(
        entries=tuple(entries),
        amendments=tuple(amendments),
        world=world,
        state=state,
        off_branch=frozenset(off_branch),
    )
    packet = reconcile(candidates, asked)
    return seal(packet, PROMPT.prompt(packet, world))


def reason_of(packet: ContextPacket, entry: LedgerEntry) -> str:
    """Where an entry ended: `selected`, `act_only`, or the reason for which it was withheld."""
    if any(s.entry_id == entry.entry_id for s in packet.selected):
        return "selected"
    if any(a.entry_id == entry.entry_id for a in packet.act_only):
        return "act_only"
    return next(str(w.reason) for w in packet.withheld if w.entry_id == entry.entry_id)


def amended(entry: LedgerEntry, status: str, **fields: Any) -> Amendment:
    return Amendment(
        **{"entry_id": entry.entry_id, "status": status, "cause_seq": 50, "at": StoryTime(tick=50), **fields}
    )
