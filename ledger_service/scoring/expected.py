"""What a probe expects of each stage beyond the rules: entries, claims and how they are held, words, outcomes."""

from collections.abc import Iterable, Iterator
from typing import Final

from msgspec.structs import replace

from ledger_service.domain.confidence import band_of
from ledger_service.domain.entries import Commitment, LedgerEntry
from ledger_service.domain.ledger import Ledger
from ledger_service.domain.packets import ContextPacket
from ledger_service.domain.replies import Claim, Reply, Stance
from ledger_service.domain.rubric import Axis, ClaimWant, Code, EntryWant, Finding, Gold, State, Verdict
from ledger_service.domain.terms import words
from ledger_service.scoring.heard.hearing import Hearing
from ledger_service.scoring.words.overlap import cover, says_no

_ABOUT: Final = 0.6
"""How much of a claim's words a sentence has to say to be about it."""
_SHORT: Final = 2
"""Words of content in a bare answer, at most."""
_DOUBTFUL: Final = frozenset({Stance.HEDGE, Stance.ATTRIBUTE})
_NO_CLAIM: Final = frozenset({Stance.ASK, Stance.QUOTE, Stance.UNKNOWN})
_CODES: Final = {
    "affirm": Code.NOT_AFFIRMED, "deny": Code.NOT_DENIED, "hedge": Code.NOT_HEDGED, "unknown": Code.NOT_UNKNOWN,
    "disown": Code.NOT_DENIED,
}  # fmt: skip
_MEANS: Final = {
    "affirm": "said as it is", "deny": "denied", "hedge": "said as uncertain or as somebody's word",
    "unknown": "said to be unknown", "disown": "denied, or said not to be on record",
}  # fmt: skip


def with_expected(verdict: Verdict, findings: Iterable[Finding]) -> Verdict:
    """Add to a verdict what a probe expects of its stage and does not find."""
    found = tuple(findings)
    if not found:
        return verdict
    return replace(verdict, state=State.FAIL, findings=(*verdict.findings, *found), why="")


def of_ledger(packet: ContextPacket, ledger: Ledger, gold: Gold | None) -> Iterator[Finding]:
    """Yield what the ledger says otherwise of an entry than the probe."""
    for want in gold.ledger if gold is not None else ():
        entry = ledger.entries.get(want.entry_id)
        if entry is None:
            yield _entry(Code.MISSING_ENTRY, want, "the ledger should hold it, and does not")
            continue
        yield from _entry_findings(entry, want, packet, ledger)


def _entry_findings(entry: LedgerEntry, want: EntryWant, packet: ContextPacket, ledger: Ledger) -> Iterator[Finding]:
    status = str(ledger.status_of(entry, viewer=packet.pov or packet.speaker))
    if want.status and status != want.status:
        yield _entry(Code.BAD_STATUS, want, f"it is {status}, and should be {want.status}")
    band = str(band_of(entry.confidence))
    if want.band and band != want.band:
        yield _entry(Code.BAD_CONFIDENCE, want, f"it is {band}, and should be {want.band}")
    owner = entry.owner if isinstance(entry, Commitment) else ""
    if want.owner and owner != want.owner:
        yield _entry(Code.BAD_OWNER, want, f"it is owed by {owner or 'nobody'}, and should be by {want.owner}")
    for who in want.known_to:
        if not ledger.knows(who, entry.entry_id):
            yield _entry(Code.BAD_VISIBILITY, want, f"{who} should know it, and does not")
    for who in want.unknown_to:
        if ledger.knows(who, entry.entry_id):
            yield _entry(Code.BAD_VISIBILITY, want, f"{who} knows it, and should not")


def _entry(code: Code, want: EntryWant, why: str) -> Finding:
    return Finding(code=code, explanation=why, entry_ids=(want.entry_id,))


def of_reply(hearing: Hearing, gold: Gold | None) -> Iterator[Finding]:
    """Yield the claims that the line should hold in some way, and does not."""
    for want in gold.reply if gold is not None else ():
        entry = hearing.ledger.entries.get(want.entry_id)
        text = want.text or (entry.statement if entry is not None else "")
        about = [c for c in hearing.claims if _is_about(c, hearing.terms_of(text), hearing)]
        if not _is_held(want, text, about, hearing.claims):
            ids = (want.entry_id,) if want.entry_id else ()
            span = about[0].text if about else ""
            why = f"“{text}” should be {_MEANS[want.stance]}"
            yield Finding(code=_CODES[want.stance], explanation=why, span=span, entry_ids=ids,
                          start=about[0].start if about else None)  # fmt: skip


def _is_about(claim: Claim, terms: frozenset[str], hearing: Hearing) -> bool:
    """Say whether a sentence speaks of a claim; a bare yes or no speaks of what the line asked."""
    if cover(claim.terms, terms) >= _ABOUT:
        return True
    answers = claim.stance is Stance.DENY or claim.says("negates") or claim.says("affirms")
    is_bare = answers and len(claim.terms) <= _SHORT
    return is_bare and not _is_ignorance(claim) and cover(hearing.with_line(claim), terms) >= _ABOUT


def _is_held(want: ClaimWant, text: str, about: list[Claim], every: tuple[Claim, ...]) -> bool:
    """Say whether the sentences about a claim hold it as they should; what is unknown may be said of nothing at all."""
    negative = says_no(text)
    told = [c for c in about if c.stance not in _NO_CLAIM]
    match want.stance:
        case "affirm":
            return any(_agrees(c, negative) and c.stance is not Stance.HEDGE for c in told)
        case "deny":
            return any(not _agrees(c, negative) and not _is_ignorance(c) for c in told)
        case "hedge":
            return any(c.stance in _DOUBTFUL for c in told)
        case "disown":
            return _is_held(replace(want, stance="deny"), text, about, every) or _is_held(
                replace(want, stance="unknown"), text, about, every
            )
        case _:
            held = any(_agrees(c, negative) and c.stance not in _DOUBTFUL for c in told if not _is_ignorance(c))
            return not held and any(_is_ignorance(c) for c in every)


def _agrees(claim: Claim, negative: bool) -> bool:  # noqa: FBT001  (a polarity, held against another)
    return (claim.negative or claim.stance in {Stance.DENY, Stance.REFUSE}) == negative


def _is_ignorance(claim: Claim) -> bool:
    return claim.stance is Stance.UNKNOWN or claim.says("knows_not") or claim.says("forgets")


def of_voice(reply: Reply, gold: Gold | None) -> Iterator[Finding]:
    """Yield where the words are not as the probe wants them."""
    if gold is None:
        return
    want, said = gold.voice, f" {' '.join(words(reply.text))} "
    if want.says and not any(_holds(said, text) for text in want.says):
        yield _voice(f"none of these is said: {', '.join(want.says)}")
    for text in want.never_says:
        if _holds(said, text):
            yield _voice(f"“{text}” should not be said", span=text if text in reply.text else "")
    count = len(reply.text.split())
    if count < want.least_words:
        yield _voice(f"{count} words, and at least {want.least_words} are wanted")
    if want.most_words and count > want.most_words:
        yield _voice(f"{count} words, and at most {want.most_words} are wanted")


def _holds(said: str, text: str) -> bool:
    return f" {' '.join(words(text))} " in said


def _voice(why: str, span: str = "") -> Finding:
    return Finding(code=Code.VOICE_BREAK, explanation=why, span=span)


def of_gameplay(packet: ContextPacket, claims: Iterable[Claim], gold: Gold | None) -> Iterator[Finding]:
    """Yield the actions that the rules have otherwise than expected, and those of which the line says nothing."""
    came = {c.action: c for c in packet.consequences}
    said = {_outcome(c) for c in claims}
    for action, wanted in gold.gameplay.items() if gold is not None else ():
        is_so = ""
        if action not in came:
            is_so = "no rule of the speaker's bears on it"
        elif came[action].outcome != wanted:
            is_so = f"the rules have it {came[action].outcome}"
        elif came[action].asked and wanted not in said:
            is_so = "the line does not say so"
        if is_so:
            yield Finding(code=Code.OUTCOME_MISMATCH, explanation=f"{action} should be {wanted}, and {is_so}")


def _outcome(claim: Claim) -> str:
    if claim.stance is Stance.GRANT:
        return "granted"
    return "refused" if claim.stance is Stance.REFUSE or claim.says("withholds") else ""


def acts_on(packet: ContextPacket, gold: Gold | None) -> Iterator[Finding]:
    """Yield what the speaker should act on and never say, and does not."""
    acted = {a.entry_id for a in packet.act_only}
    for entry_id in gold.act_only if gold is not None else ():
        if entry_id not in acted:
            yield Finding(code=Code.MISSING_ENTRY, explanation="it should be acted on only", entry_ids=(entry_id,))


AXES: Final = {
    "ledger": Axis.LEDGER, "selection": Axis.SELECTION, "reply": Axis.RESPONSE, "voice": Axis.VOICE,
    "gameplay": Axis.GAMEPLAY,
}  # fmt: skip
"""What a probe file calls the stages."""
