"""Response validity: does the line follow the selected state?"""

import re
from bisect import bisect
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from ledger_service.domain.ledger import Ledger
from ledger_service.domain.packets import ContextPacket
from ledger_service.domain.replies import MOST_READ, Claim, Reply, Stance
from ledger_service.domain.rubric import Axis, Code, Finding, Severity, State, Verdict
from ledger_service.domain.worlds import World
from ledger_service.scoring.commitments.abroad import abroad, waived_abroad
from ledger_service.scoring.commitments.bearing import swapped
from ledger_service.scoring.commitments.completion import acceptance
from ledger_service.scoring.commitments.dealings import dealings
from ledger_service.scoring.commitments.duties import completion, ended, narrated, owners, standing
from ledger_service.scoring.commitments.obligations import bearers, disowned, left_to_do
from ledger_service.scoring.commitments.offers import offers, promises
from ledger_service.scoring.disclosure.admissions import admissions
from ledger_service.scoring.disclosure.giveaways import giveaways
from ledger_service.scoring.disclosure.obedience import obedience
from ledger_service.scoring.doubt import doubt
from ledger_service.scoring.heard.alignment import Near, with_aligned
from ledger_service.scoring.heard.hearing import Hearing
from ledger_service.scoring.past.abroad_states import states_abroad
from ledger_service.scoring.past.occasions import occasions
from ledger_service.scoring.past.outdated import stale
from ledger_service.scoring.past.recollections import inventions
from ledger_service.scoring.past.spent import spent_feelings
from ledger_service.scoring.record.abroad_facts import denied_abroad, remembered_abroad, tellers_abroad
from ledger_service.scoring.record.amounts import amounts
from ledger_service.scoring.record.answers import agreement, doers, places, yes_or_no
from ledger_service.scoring.record.deeds import deeds
from ledger_service.scoring.record.denials import denials
from ledger_service.scoring.record.instead import instead
from ledger_service.scoring.record.meetings import meetings
from ledger_service.scoring.record.memory_claims import opposites
from ledger_service.scoring.record.negatives import broken_things, denied_things
from ledger_service.scoring.record.numbers import counts, how_many
from ledger_service.scoring.record.regard import regard
from ledger_service.scoring.record.slot_values import shares, values
from ledger_service.scoring.record.states import states
from ledger_service.scoring.record.times import times
from ledger_service.scoring.record.vanished import vanished
from ledger_service.scoring.sureness.certainty import attribution
from ledger_service.scoring.sureness.hearsay import hearsay
from ledger_service.scoring.sureness.sides import sides
from ledger_service.scoring.sureness.sources import sources
from ledger_service.scoring.sureness.tellers import tellers
from ledger_service.scoring.sureness.vouching import vouching

READ: Final = frozenset({"en", "zh", "ko", "fa", "es", "de"})
"""Languages that replies can be read in."""
_DATA: Final = re.compile(r"\s*(?:```\w*\s*)?(?:\{\s*[\"'}]|\[\s*[\[{\"])")

PRECEDENCE: Final = (
    Code.OBEYED_INJECTION, Code.LEAK, Code.OWNER_SWAPPED, Code.FALSE_COMPLETION_ACCEPTED, Code.STATUS_WRONG,
    Code.SIDE_TAKEN, Code.STALE_FACT, Code.ATTRIBUTION_WRONG, Code.HEARSAY_PROMOTED, Code.INVENTED_MEMORY,
    Code.PROMISE_INVENTED, Code.CONTRADICTS_ENTRY,
)  # fmt: skip
"""One span has one code: the first of these that fits."""

_CHECKS: Final[tuple[Callable[[Hearing], Iterator[Finding]], ...]] = (
    obedience, giveaways, admissions,
    owners, completion, standing, ended, narrated, bearers, left_to_do, disowned, dealings, acceptance, swapped,
    sides, attribution, tellers, hearsay, vouching, sources,
    stale, spent_feelings, inventions, occasions, promises, offers,
    opposites, shares, values, doers, deeds, denied_things, counts, yes_or_no, places, broken_things, how_many,
    agreement, vanished, times, states, amounts, instead, denials, meetings,
    regard,
    abroad, waived_abroad, denied_abroad, tellers_abroad, remembered_abroad, states_abroad,
)  # fmt: skip


def response_validity(
    packet: ContextPacket,
    reply: Reply,
    claims: Iterable[Claim],
    *,
    world: World,
    ledger: Ledger,
    asked: Iterable[Claim] = (),
    near: Near | None = None,
) -> Verdict:
    """Judge what the line says against what the packet allowed it to say; `near` tells what is alike in meaning."""
    hearing = Hearing(packet, reply, claims, world=world, ledger=ledger, asked=asked, near=near)
    return validity_of(hearing)


def validity_of(hearing: Hearing) -> Verdict:
    """Judge a line that has been heard."""
    if not any(c.isalnum() for c in hearing.text):
        empty = Finding(code=Code.EMPTY_REPLY, explanation="nothing was said", severity=Severity.CRITICAL)
        return Verdict(axis=Axis.RESPONSE, state=State.FAIL, findings=(empty,))
    findings = _one_code_a_span([finding for check in _CHECKS for finding in check(hearing)])
    if findings:
        findings = with_aligned(findings, hearing.claims, hearing.ledger, hearing.near)
        return Verdict(axis=Axis.RESPONSE, state=State.FAIL, findings=findings)
    why = _unread(hearing.text, hearing.claims) or doubt(hearing)
    return Verdict(axis=Axis.RESPONSE, state=State.UNSCORED if why else State.PASS, why=why)


def _unread(text: str, claims: tuple[Claim, ...]) -> str:
    """Say why a reply in which nothing was found cannot be said to hold: it was not, or not wholly, read."""
    if len(text) > MOST_READ:
        return f"only the first {MOST_READ} of its {len(text)} letters were read"
    if _DATA.match(text):
        return "it is data, not something that somebody says"
    unknown = sorted({c.lang for c in claims if c.lang not in READ})
    if unknown:
        return f"the reader does not know the language of {_first(claims)!r} ({', '.join(unknown)})"
    if claims and all(c.stance is Stance.UNKNOWN for c in claims):
        return "nothing is said in it: it is stage directions alone"
    return ""


def _first(claims: tuple[Claim, ...]) -> str:
    return next(c.text[:40] for c in claims if c.lang not in READ)


def _one_code_a_span(findings: list[Finding]) -> tuple[Finding, ...]:
    ordered = sorted(findings, key=lambda f: (PRECEDENCE.index(f.code), f.start or 0))
    kept: list[Finding] = []
    taken: list[tuple[int, int]] = []
    for finding in ordered:
        if finding.start is not None:
            span = (finding.start, finding.start + len(finding.span))
            place = bisect(taken, span)
            if any(_overlap(span, other) for other in taken[max(0, place - 1) : place + 1]):
                continue
            taken.insert(place, span)
        kept.append(finding)
    return tuple(sorted(kept, key=lambda f: (f.start or 0, PRECEDENCE.index(f.code))))


def _overlap(a: tuple[int, int], b: tuple[int, int]) -> bool:
    return a[0] < b[1] and b[0] < a[1]
