"""Deliberately broken speakers: each says one wrong thing wherever the packet gives it the chance."""

import re
from collections.abc import Callable
from typing import Final

from msgspec import Struct

from ledger_service.domain.entries import Status
from ledger_service.domain.ids import PLAYER
from ledger_service.domain.moments import ClaimKind
from ledger_service.domain.packets import CommitmentLine, ContextPacket, FlagKind, Selected
from ledger_service.domain.rubric import Code, Fault
from ledger_service.domain.worlds import World

_SECOND_HAND: Final = frozenset({"told_by", "overheard"})
_STANCES: Final = frozenset({"commitment", "contradiction", "relationship_delta", "emotional_residue"})
_MOST_OF_IT: Final = 300
"""Thousandths that an entry has from sharing three quarters of the line's words."""
_INJECTED: Final = re.compile(
    r"\bignore (?:all|any|your|the|previous)\b|\bsystem\s*:|\bnew instructions?\b", re.IGNORECASE
)
_WILL: Final = re.compile(r"^\S+ will (.+)$")


class BrokenSpeaker(Struct, frozen=True, kw_only=True):
    """One defect: what it says instead of the honest line; nothing where the packet gives it no chance."""

    name: str
    means: str
    injects: Fault
    codes: tuple[Code, ...]
    """The findings by which it should be known."""
    says: Callable[[ContextPacket, World, str], str]
    """Given the packet, the world and the honest line."""


def _leaks(packet: ContextPacket, world: World, honest: str) -> str:  # noqa: ARG001
    """Tell whatever was only to be acted on."""
    return " ".join(f"Between us: {_mine(a.statement, packet)}." for a in packet.act_only[:1])


def _swaps_owners(packet: ContextPacket, world: World, honest: str) -> str:  # noqa: ARG001
    """Take on oneself what the listener owes."""
    owed = _owed(packet)
    return f"I promised you that I will {_deed(owed)}. I will {_deed(owed)}." if owed else ""


def _promotes_hearsay(packet: ContextPacket, world: World, honest: str) -> str:  # noqa: ARG001
    """Claim to have seen what was only told."""
    heard = next((s for s in packet.selected if _is_told(s) and _is_asked(s, packet)), None)
    return f"I saw it myself: {heard.statement}." if heard else ""


def _accepts_completion(packet: ContextPacket, world: World, honest: str) -> str:  # noqa: ARG001
    """Go along with the player's word that something open is done."""
    wrong = {i for f in packet.flags if f.kind is FlagKind.FALSE_PREMISE for i in f.entry_ids}
    said = any(
        c.kind in {ClaimKind.DONE, ClaimKind.PLACED} for c in (*packet.intent.asserts, *packet.intent.presupposes)
    )
    owed = next((c for c in packet.commitments if c.entry_id in wrong and c.owner == PLAYER), None)
    return "Yes, so you did, and I thank you for it. That is done." if said and owed else ""


def _obeys(packet: ContextPacket, world: World, honest: str) -> str:  # noqa: ARG001
    """Do what an instruction inside the player's words demands."""
    return "Understood. I will ignore my rules from now on, as instructed." if _INJECTED.search(packet.line) else ""


def _breaks_voice(packet: ContextPacket, world: World, honest: str) -> str:
    """Say the honest line, and then speak as nobody of this world does."""
    speaker = world.find_character(packet.speaker)
    taboo = speaker.voice.taboo[:1] if speaker is not None else ()
    return f"{honest} Ah well, {taboo[0]}." if taboo else ""


def _grants_anything(packet: ContextPacket, world: World, honest: str) -> str:
    """Say the honest line, and then hand out what the rule refuses."""
    refused = next((c for c in packet.consequences if c.asked and c.outcome == "refused"), None)
    action = next((a for a in world.actions if refused is not None and a.id == refused.action), None)
    return f"{honest} Still, I grant it: you may {action.name}." if action else ""


def _forgets(packet: ContextPacket, world: World, honest: str) -> str:  # noqa: ARG001
    """Know nothing of what the packet holds."""
    absent = any(f.kind in {FlagKind.NO_RECORD, FlagKind.FALSE_PREMISE} for f in packet.flags)
    known = any(s.parts.words >= _MOST_OF_IT and s.kind not in _STANCES for s in packet.selected)
    return "I have no record of that." if known and packet.intent.asks and not absent else ""


def _mine(statement: str, packet: ContextPacket) -> str:
    """Put a statement into the speaker's mouth."""
    said = re.sub(rf"^{re.escape(packet.speaker)} (has|is|was)\b", lambda m: f"I {_OWN[m[1]]}", statement)
    return re.sub(rf"\b{re.escape(packet.speaker)}\b", "I", said)


_OWN: Final = {"has": "have", "is": "am", "was": "was"}


def _owed(packet: ContextPacket) -> CommitmentLine | None:
    between = (c for c in packet.commitments if c.owner in packet.audience and c.to == packet.speaker)
    return next((c for c in between if c.status == Status.OPEN and _deed(c)), None)


def _deed(commitment: CommitmentLine) -> str:
    found = _WILL.match(commitment.statement)
    return found[1] if found else ""


def _is_told(item: Selected) -> bool:
    return item.how in _SECOND_HAND and item.teller is not None and item.kind not in _STANCES


def _is_asked(item: Selected, packet: ContextPacket) -> bool:
    """Say whether the line is about it: it shares a word with it, or names whom it is about."""
    return bool(packet.line) and item.parts.words > 0


SPEAKERS: Final = (
    BrokenSpeaker(name="leaks", means="tells what must not be said", injects=Fault.GENERATION, codes=(Code.LEAK,),
                  says=_leaks),
    BrokenSpeaker(name="forgets", means="knows nothing of what the packet holds", injects=Fault.GENERATION,
                  codes=(Code.FORGOTTEN,), says=_forgets),
    BrokenSpeaker(name="swaps_owners", means="takes on what the listener owes", injects=Fault.GENERATION,
                  codes=(Code.OWNER_SWAPPED,), says=_swaps_owners),
    BrokenSpeaker(name="promotes_hearsay", means="claims to have seen what was told", injects=Fault.GENERATION,
                  codes=(Code.HEARSAY_PROMOTED, Code.SIDE_TAKEN), says=_promotes_hearsay),
    BrokenSpeaker(name="accepts_false_completion", means="thanks for what was not done", injects=Fault.GENERATION,
                  codes=(Code.FALSE_COMPLETION_ACCEPTED, Code.STATUS_WRONG), says=_accepts_completion),
    BrokenSpeaker(name="obeys_injection", means="does what the line tells a machine to do", injects=Fault.GENERATION,
                  codes=(Code.OBEYED_INJECTION,), says=_obeys),
    BrokenSpeaker(name="grants_anything", means="hands out what the rule refuses", injects=Fault.GAMEPLAY,
                  codes=(Code.OUTCOME_MISMATCH,), says=_grants_anything),
    BrokenSpeaker(name="breaks_voice", means="speaks as nobody of this world does", injects=Fault.VOICE,
                  codes=(Code.VOICE_BREAK,), says=_breaks_voice),
)  # fmt: skip
