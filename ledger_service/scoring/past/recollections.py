"""Whether a reply remembers what was not: a deed, a talk or a visit between people that no record bears out."""

from collections.abc import Iterator
from typing import Final

from ledger_service.domain.moments import ClaimKind
from ledger_service.domain.packets import FlagKind
from ledger_service.domain.replies import Claim, Stance
from ledger_service.domain.rubric import Code, Finding
from ledger_service.domain.terms import words
from ledger_service.scoring.heard.hearing import SAID_PLAINLY, Hearing, found
from ledger_service.scoring.words.overlap import akin, kindred, shared
from ledger_service.scoring.words.verbs import tells_of

_NOT_RECALLED: Final = frozenset({Stance.ASK, Stance.QUOTE, Stance.DENY, Stance.REFUSE})
_MEMORIES: Final = frozenset({ClaimKind.SAID, ClaimKind.ALONE, ClaimKind.MET, ClaimKind.SHARED})
_SHOWN: Final = frozenset({Stance.ASK, Stance.QUOTE, Stance.UNKNOWN})
_ONE_OF_US: Final = frozenset("i me my we us our you your thee he she him her they them".split())
_MOST_OF_IT: Final = 0.5


def inventions(hearing: Hearing) -> Iterator[Finding]:
    """Find a shared past that no record bears out."""
    put = [c for c in hearing.packet.intent.presupposes if c.kind in _MEMORIES]
    absent = bool(hearing.flags(FlagKind.FALSE_PREMISE) or hearing.flags(FlagKind.NO_RECORD))
    pressed = presses_a_memory(hearing)
    if _disowns(hearing):
        return
    if not (put or absent or pressed):
        yield from _volunteered(hearing)
        return
    everything = hearing.live_terms if absent else hearing.spoken_of
    for claim in hearing.claims:
        own = frozenset(claim.terms) - hearing.names
        recalled = claim.says("recalls") and not claim.negative and len(own) > 1 and not shared(everything, own)
        if claim.stance in _NOT_RECALLED - {Stance.DENY}:
            continue
        if (recalled or (pressed and _is_recalled(claim))) and not _retells(hearing, claim):
            yield found(Code.INVENTED_MEMORY, claim, "no record of it, and the line takes it as shared memory")
            return


def _retells(hearing: Hearing, claim: Claim) -> bool:
    """Say whether a clause, or one before it, says what may be said: what is added to that is colour."""
    so_far = [c for c in hearing.claims if c.start <= claim.start and c.stance not in _SHOWN]
    said = (frozenset(c.terms) - hearing.names - hearing.cast_names for c in so_far)
    return any(len(akin(f.terms, own)) >= _MOST_OF_IT * len(own) for own in said if own for f in hearing.selected)


def _volunteered(hearing: Hearing) -> Iterator[Finding]:
    """Find what two people did with each other at some time, told unasked, that nothing on record comes near."""
    known = hearing.spoken_of
    for claim in hearing.claims:
        told = (
            claim.says("did_together")
            and claim.says("some_time")
            and _is_of_people(claim)
            and claim.stance in SAID_PLAINLY
        )
        own = frozenset(claim.terms) - hearing.names - hearing.cast_names
        if told and not claim.negative and not claim.says("past_unlike") and own and not kindred(known, own):
            yield found(Code.INVENTED_MEMORY, claim, "no record of it, and the line takes it as shared memory")
            return


def _is_of_people(claim: Claim) -> bool:
    """Say whether a clause names somebody, or says I, you or we: faces may run together, and lovers may quarrel."""
    return bool(claim.mentions) or not _ONE_OF_US.isdisjoint(words(claim.text.casefold()))


def presses_a_memory(hearing: Hearing) -> bool:
    """Say whether the line recalls something that the two did together, and that is not on record."""
    return hearing.asks("shared_past") and not _on_record(hearing)


def _is_recalled(claim: Claim) -> bool:
    """Say whether a clause tells of it, or says that it is remembered."""
    if claim.says("past_unlike"):
        return False
    told = (claim.says("together") or tells_of(claim.text)) and not (claim.negative and claim.says("denied_past"))
    return told or (
        not claim.negative
        and (
            (claim.says("both_of_us") and _is_of_people(claim)) or claim.says("affirms_memory") or claim.says("echoes")
        )
    )


def _disowns(hearing: Hearing) -> bool:
    """Say whether anything in the reply says that it was not so."""
    return any(_says_not_so(c) for c in hearing.claims if not c.says("affirms_memory"))


def _says_not_so(claim: Claim) -> bool:
    denies = claim.stance in {Stance.DENY, Stance.REFUSE} and not _begins_with_yes(claim)
    return denies or (claim.stance is not Stance.ASK and (claim.says("dreamt") or claim.says("denied_past")))


def _begins_with_yes(claim: Claim) -> bool:
    """Say whether a clause tells of it before it says no to something else: `you spilled it, and I never ...`."""
    return claim.says("together") and not claim.says("denied_past")


def _on_record(hearing: Hearing) -> bool:
    """Say whether what the line recalls is something that the speaker has on record."""
    return any(len(shared(hearing.line_terms, f.terms)) > 1 and not f.is_negative for f in hearing.selected)
