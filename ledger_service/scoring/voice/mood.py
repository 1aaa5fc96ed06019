"""Whether a line bears the feeling that is still there: cheer or ease over one that should be seen, or too much of it.

What shows a mood is listed by how plainly it does: a grin or a drink on the house says more than a door held open.
"""

import re
from collections.abc import Iterator
from typing import Final

from ledger_service.domain.entries import Intensity
from ledger_service.domain.feelings import family_of
from ledger_service.domain.packets import ContextPacket, ResidueLine
from ledger_service.domain.rubric import Code, Finding, Severity
from ledger_service.scoring.voice.manners import manner, manners

_SPOILT: Final = frozenset({"anger", "grief", "fear", "shame"})
_BRAZEN: Final = frozenset({"fear", "shame"})
_PLAIN: Final = 2
_SLIGHT: Final = 1
_NEEDED: Final = {Intensity.HIGH: 2, Intensity.MEDIUM: 3}
"""How much cheer it takes to fail a line, by how strong what is felt still is; a trace may be ignored."""
_TOO_MUCH: Final = {Intensity.LOW: 2, Intensity.MEDIUM: 2}
"""How many outbursts are more than what is felt; what is strong may colour everything."""


_GLAD: Final = manner("glad")
"""Cheer, welcome, ease or forgiveness that is plain by itself."""
_WARM: Final = manner("warm")
"""What only adds to cheer."""
_BOLD: Final = manner("bold")
"""Bravado and brazenness, which are cheer over fear and over shame."""
_COLD: Final = manner("cold")
"""What shows that something is felt, whatever else is said."""
_OUTBURSTS: Final = manners("outbursts")
_NO: Final = re.compile(
    r"(?:\b(?:no|not|never|nothing|nor|hardly|stop|stopped|less)|n['’]t|n['’])\s+(?:\w+\s+){0,2}$", re.IGNORECASE
)
_BEFORE: Final = 30


def tone(packet: ContextPacket, text: str) -> Iterator[Finding]:
    """Find a felt residue that is ignored, or overplayed for its intensity."""
    felt = [r for r in packet.residue if _family(r) != "warmth"]
    finding = next((f for r in felt if (f := _ignored(r, text) or _overplayed(r, felt, text))), None)
    if finding is not None:
        yield finding


def _family(residue: ResidueLine) -> str:
    return family_of(residue.emotion) or family_of(residue.statement)


def _ignored(residue: ResidueLine, text: str) -> Finding | None:
    """Find cheer over a feeling that should be seen, where nothing else in the line shows it."""
    needed, family = _NEEDED.get(Intensity(residue.intensity)), _family(residue)
    if needed is None or family not in _SPOILT or _COLD.search(text):
        return None
    needed += family == "grief" and needed == _PLAIN
    glad, warm = _shown(_GLAD, text), _shown(_WARM, text)
    glad += [*_BOLD.finditer(text)] if family in _BRAZEN else []
    if not glad and len(warm) <= needed:
        return None
    if _PLAIN * len(glad) + _SLIGHT * len(warm) < needed:
        return None
    why = f"{residue.emotion} ({residue.intensity}) is still there, and the line is warm"
    return _of(min((*glad, *warm), key=lambda m: m.start()), why)


def _shown(pattern: re.Pattern[str], text: str) -> list[re.Match[str]]:
    """Return what a text shows of a mood, each only once, but for what it says no to."""
    found = {m.group().casefold(): m for m in pattern.finditer(text)}
    return [m for m in found.values() if not _NO.search(text[max(0, m.start() - _BEFORE) : m.start()])]


def _overplayed(residue: ResidueLine, felt: list[ResidueLine], text: str) -> Finding | None:
    """Find several outbursts over what is only a trace, or visible; nothing stronger may be felt beside it."""
    most = _TOO_MUCH.get(Intensity(residue.intensity))
    if most is None or any(r.intensity == Intensity.HIGH for r in felt):
        return None
    bursts = [m for pattern in _OUTBURSTS if (m := pattern.search(text)) is not None]
    if len(bursts) < most:
        return None
    why = f"{residue.emotion or 'what is felt'} is only {residue.intensity}, and the line is beside itself"
    return _of(min(bursts, key=lambda m: m.start()), why)


def _of(match: re.Match[str], why: str) -> Finding:
    return Finding(
        code=Code.TONE_WRONG, explanation=why, severity=Severity.MAJOR, span=match.group(), start=match.start()
    )
