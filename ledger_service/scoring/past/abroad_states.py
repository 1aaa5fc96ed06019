"""Whether a reply in another language than English has something in the state that it is not in, or no longer is."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from msgspec.structs import replace

from ledger_service.domain.entries import Commitment, EmotionalResidue, RelationshipDelta
from ledger_service.domain.replies import Claim, Stance
from ledger_service.domain.rubric import Code, Finding
from ledger_service.domain.terms import content_terms
from ledger_service.scoring.heard.facts import Fact, Topic
from ledger_service.scoring.heard.hearing import Hearing, found
from ledger_service.scoring.heard.topics import topics
from ledger_service.scoring.past.succession import Matter, ids_of, matter_of
from ledger_service.scoring.record.abroad_facts import told_now
from ledger_service.scoring.words.overlap import akin
from ledger_service.scoring.words.poles import Said, Told, told
from ledger_service.scoring.words.poles.abroad import said_abroad

_FIRST_FEW: Final = 3
_FEW: Final = 3
_NEARLY: Final = 0.75
_SPOKEN: Final = 0.15
_NOT_STATES: Final = (Commitment, EmotionalResidue)


def states_abroad(hearing: Hearing) -> Iterator[Finding]:
    """Find a state of something that is not the one on record, or that was on record once and no longer is."""
    claims = told_now(hearing)
    if not claims:
        return
    known = {f.entry_id: of for f in hearing.certain if (of := told(f.entry.statement))}
    passed, before = _passed(hearing), _before(hearing)
    if not (known or passed):
        return
    for claim in claims:
        meant = _with_named(claim, before.get(claim.start), hearing)
        for topic in _about(hearing, meant):
            matter = passed.get(topic.fact.entry_id)
            if matter is not None and (_is_as_before(hearing, meant, matter) or _is_still_so(hearing, claim, matter)):
                why = "it no longer holds, and the line uses it as if it did"
                yield found(Code.STALE_FACT, claim, why, matter.old.entry_id)
                return
            of = known.get(topic.fact.entry_id, {})
            if any(_is_other(hearing, meant, topic.fact, kind, on_record) for kind, on_record in sorted(of.items())):
                why = f"the record says otherwise: {topic.fact.entry.statement}"
                yield found(Code.CONTRADICTS_ENTRY, claim, why, topic.fact.entry_id)
                return


def _passed(hearing: Hearing) -> dict[str, Matter]:
    """Return what no longer holds, by its own id and by that of what came after it."""
    matters = [matter_of(hearing, f) for f in hearing.stale if not isinstance(f.entry, _NOT_STATES)]
    return {entry_id: m for m in matters for entry_id in ids_of(m)}


def _with_named(claim: Claim, before: Claim | None, hearing: Hearing) -> Claim:
    """Return a clause that names nothing on record with what the one just before it names: `the bridge? It is shut`."""
    rated = topics(hearing, claim)
    if before is None or len(before.terms) > _FEW or (rated and rated[0].words >= _SPOKEN):
        return claim
    return replace(claim, terms=(*claim.terms, *before.terms), start=before.start)


def _before(hearing: Hearing) -> dict[int, Claim]:
    """Return what is said before each clause, by where that begins."""
    said = [c for c in hearing.claims if c.stance is not Stance.UNKNOWN]
    return {c.start: before for before, c in pairwise(said)}


def _about(hearing: Hearing, claim: Claim) -> list[Topic]:
    """Return what a clause is most likely about, by its own words, of what may be said or once could be."""
    rated = topics(hearing, claim)[:_FIRST_FEW]
    near = (t for t in rated if t.score >= _NEARLY * rated[0].score)
    return [t for t in near if t.words >= _SPOKEN]


def _state(claim: Claim, kind: str) -> Said | None:
    return said_abroad(claim.text, claim.lang, kind, negative=claim.negative)


def _is_other(hearing: Hearing, claim: Claim, fact: Fact, kind: str, on_record: Told) -> bool:
    """Say whether a clause has the thing itself in the other state, and nothing else that may be said has it so."""
    state = _state(claim, kind)
    if state is None or state.yes == on_record.yes or not _names_thing(hearing, claim, fact, on_record):
        return False
    others = (f for f in hearing.selected if f is not fact and akin(f.terms, fact.terms - hearing.cast_names))
    told_too = any(of.yes == state.yes for f in others if (of := told(f.entry.statement).get(kind)) is not None)
    return not told_too and not _says_both(hearing, kind, on_record.yes)


def _names_thing(hearing: Hearing, claim: Claim, fact: Fact, on_record: Told) -> bool:
    thing = fact.terms - akin(on_record.by, fact.terms) - hearing.cast_names - hearing.names
    return bool(akin(claim.terms, thing) or (not claim.subject and akin(hearing.line_terms, thing) and len(thing) == 1))


def _says_both(hearing: Hearing, kind: str, yes: bool) -> bool:  # noqa: FBT001
    """Say whether another clause tells of the other state: then one of the two is of before, or of another."""
    states = (_state(c, kind) for c in hearing.claims if c.lang != "en")
    return any(state is not None and state.yes == yes for state in states)


def _is_as_before(hearing: Hearing, claim: Claim, matter: Matter) -> bool:
    """Say whether a clause has a thing in the state that it was in, and nothing in the reply tells what came after."""
    if not akin(claim.terms, matter.thing - hearing.cast_names) or _tells_after(hearing, matter):
        return False
    of = told(matter.old.entry.statement)
    states = ((kind, state.yes) for kind in of if (state := _state(claim, kind)) is not None)
    return any(yes == of[kind].yes and not _says_both(hearing, kind, not yes) for kind, yes in states)


def _is_still_so(hearing: Hearing, claim: Claim, matter: Matter) -> bool:
    """Say whether a clause has a thing be unchanged, or be what the two who talk no longer are to each other."""
    if _tells_after(hearing, matter):
        return False
    if isinstance(matter.old.entry, RelationshipDelta):
        return matter.old.entry_id == topics(hearing, claim)[0].fact.entry_id and bool(
            akin(claim.terms, matter.old.terms - hearing.cast_names - hearing.names)
        )
    alike = claim.negative == matter.old.is_negative
    return alike and claim.says("unchanged") and bool(akin(claim.terms, matter.thing - hearing.cast_names))


def _tells_after(hearing: Hearing, matter: Matter) -> bool:
    """Say whether the reply tells anywhere what came after, or that it was so once."""
    new = (
        frozenset[str]()
        if matter.new is None
        else matter.only_new | frozenset(content_terms(matter.new.entry.statement)) - matter.old.terms
    )
    once = ("past", "no_longer", "told_past")
    about = [c for c in hearing.claims if akin(c.terms, matter.old.terms | new)]
    return any(any(c.says(cue) for cue in once) or akin(c.terms, new) for c in about)
