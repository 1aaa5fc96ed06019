"""Whether one version of what the record leaves open is told as settled."""

import re
from collections.abc import Iterator
from itertools import chain
from typing import Final

from ledger_service.domain.entries import Contradiction, Status
from ledger_service.domain.ids import EntryId
from ledger_service.domain.replies import Claim, Stance
from ledger_service.domain.rubric import Code, Finding
from ledger_service.domain.terms import stem, words
from ledger_service.scoring.heard.facts import Fact
from ledger_service.scoring.heard.hearing import Hearing, found
from ledger_service.scoring.heard.openness import is_open, left_open, on_no_ones_word
from ledger_service.scoring.heard.topics import topics
from ledger_service.scoring.words.overlap import akin, cover, shared

_HALF: Final = 0.5
_TWO: Final = 2
_NEARLY: Final = 0.15
_SHORT_ANSWER: Final = 3
_SURE: Final = 0.6
_SAID: Final = 0.3
_BEFORE: Final = 2
_HEAD: Final = 4
_OWNERS: Final = re.compile(r"\b(\w+)(?: \w+)?['’]s\b")
_HE: Final = re.compile(r"\W*(?:(?:and|but|so|then),? )*(?:he|she|it|they|that|the \w+|his|her)\b", re.IGNORECASE)
_NOT_PLAIN: Final = frozenset({Stance.ASK, Stance.QUOTE, Stance.HEDGE, Stance.ATTRIBUTE})
_CONCLUDES: Final = re.compile(r"\W*(?:but|so|still|anyway|then|yet)\b", re.IGNORECASE)
_INSISTS: Final = re.compile(r"\b(?:i swear|believe me|honest|please)\b", re.IGNORECASE)


class _Dispute:
    """An open contradiction as a reply is held against it: its versions, and whether the line is about it."""

    def __init__(self, hearing: Hearing, fact: Fact, members: list[Fact]) -> None:
        self.fact = fact
        self.members = members
        self.ids: frozenset[EntryId] = frozenset({fact.entry_id, *(m.entry_id for m in members)})
        self.every = frozenset().union(fact.terms, *(m.terms for m in members))
        insists = "?" in hearing.packet.line or _INSISTS.search(hearing.packet.line) is not None
        self.asked = bool(shared(hearing.line_terms, self.every)) and insists
        self.touched = len(akin(hearing.line_terms, self.every)) >= _TWO

    def holds(self, hearing: Hearing, claim: Claim) -> bool:
        """Say whether a clause is about it as likely as about anything else."""
        rated = topics(hearing, claim)
        return any(t.fact.entry_id in self.ids and t.score >= rated[0].score - _NEARLY for t in rated[: _TWO + 1])

    def says_much(self, hearing: Hearing, claim: Claim) -> bool:
        """Say whether a clause alone says a good part of a version, in two words at least."""
        own = hearing.terms_of(claim.text)
        best = (t for t in topics(hearing, claim)[:_TWO] if t.fact.entry_id in self.ids)
        return any(t.words >= _SAID and len(akin(own, t.fact.terms)) >= _TWO for t in best)

    def is_named(self, hearing: Hearing, claim: Claim) -> bool:
        """Say whether a clause is about it by a word of its own."""
        return self.holds(hearing, claim) and bool(akin(hearing.terms_of(claim.text), self.every))

    def speaks_of_a_teller(self, hearing: Hearing, claim: Claim) -> bool:
        """Say whether a clause names one whose word a version is, by name or as the contradiction has it."""
        tellers = frozenset(chain.from_iterable(hearing.tellers(m) for m in self.members))
        heads = {stem(w) for w in words(claim.text)[:_HEAD]} & self.fact.terms
        return not tellers.isdisjoint(claim.mentions) or bool(
            heads & {stem(w) for w in _OWNERS.findall(self.fact.entry.statement)}
        )


def sides(hearing: Hearing) -> Iterator[Finding]:
    """Find one version of an open contradiction told as settled."""
    for fact in hearing.selected:
        entry = fact.entry
        if not isinstance(entry, Contradiction) or hearing.status_of(entry) != Status.UNRESOLVED:
            continue
        members = [f for f in hearing.everything if f.entry_id in entry.members]
        claim = _taken(hearing, _Dispute(hearing, fact, members))
        if claim is not None:
            yield found(Code.SIDE_TAKEN, claim, "it settles what the record leaves open", entry.entry_id)


def _taken(hearing: Hearing, dispute: _Dispute) -> Claim | None:
    """Return the clause that settles it, where nothing that comes after leaves the other version open."""
    if _tells_both(hearing):
        return None
    for at, claim in enumerate(hearing.claims):
        if (_settles(hearing, claim, dispute) or _concludes(hearing, at, dispute)) and not _left_open(hearing, at):
            return claim
    return None


def _left_open(hearing: Hearing, at: int) -> bool:
    """Say whether the rest leaves it open; what a `but` or a `so` leads away from does not."""
    rest = hearing.claims[at:] if _CONCLUDES.match(hearing.claims[at].text) else hearing.claims
    return any(c.says("leaves_open") for c in rest)


def _tells_both(hearing: Hearing) -> bool:
    """Say whether two words are told beside each other, and neither is believed."""
    told = [c for c in hearing.claims if c.stance is Stance.ATTRIBUTE or c.says("told")]
    settled = ("settles", "closes", "takes_side", "rules_on")
    return len(told) >= _TWO and not any(c.says(cue) for c in hearing.claims for cue in settled)


def _settles(hearing: Hearing, claim: Claim, dispute: _Dispute) -> bool:
    about = dispute.touched or (dispute.asked and len(hearing.claims) <= _SHORT_ANSWER)
    if _rules_on(hearing, claim, dispute.members) and (dispute.asked or dispute.touched):
        return True
    if claim.says("closes") and (dispute.asked or shared(claim.terms, dispute.every)):
        return True
    if claim.stance in _NOT_PLAIN or (is_open(claim) and not on_no_ones_word(claim)):
        return False
    near = any(_is_told(claim, m) for m in dispute.members) or (
        claim.stance is not Stance.REFUSE
        and (about or dispute.says_much(hearing, claim))
        and _names_one(hearing, claim, dispute.members)
    )
    if near and dispute.holds(hearing, claim):
        return not _on_its_word(hearing, claim, dispute) and not left_open(hearing, claim, dispute.fact)
    if not claim.says("settles"):
        return False
    return bool(shared(claim.terms, dispute.every)) or (dispute.asked and dispute.holds(hearing, claim))


def _concludes(hearing: Hearing, at: int, dispute: _Dispute) -> bool:
    """Say whether a clause ends the matter, or speaks against one whose word is in dispute, where it is spoken of."""
    claim = hearing.claims[at]
    if claim.stance in {Stance.ASK, Stance.QUOTE, Stance.UNKNOWN} or claim.says("unsure"):
        return False
    near = hearing.claims[max(0, at - _BEFORE) : at + 1]
    sure = dispute.asked and topics(hearing, claim)[0].score >= _SURE
    spoken_of = dispute.touched or sure or any(dispute.is_named(hearing, c) for c in near)
    if claim.says("takes_side"):
        of = claim if akin(hearing.terms_of(claim.text), dispute.every) or at == 0 else hearing.claims[at - 1]
        return spoken_of and dispute.holds(hearing, of)
    meant = dispute.speaks_of_a_teller(hearing, claim) or (dispute.asked and dispute.touched and _HE.match(claim.text))
    return claim.says("discredits") and bool(meant) and (spoken_of or dispute.asked)


def _on_its_word(hearing: Hearing, claim: Claim, dispute: _Dispute) -> bool:
    """Say whether a clause names one whose word a version is, and neither concludes nor speaks against anybody."""
    named = any(
        who in claim.mentions and hearing.terms_of(who.replace("_", " ")).isdisjoint(m.terms)
        for m in dispute.members
        for who in hearing.tellers(m) - {hearing.viewer, hearing.listener}
    )
    return named and not any(claim.says(cue) for cue in ("takes_side", "discredits", "rules_on", "settles"))


def _is_told(claim: Claim, member: Fact) -> bool:
    return cover(claim.terms, member.terms) >= _HALF and len(shared(claim.terms, member.terms)) > 1


def _rules_on(hearing: Hearing, claim: Claim, members: list[Fact]) -> bool:
    """Say whether a clause says of one whose word is in dispute that they are right, wrong or lying."""
    if claim.stance in {Stance.ASK, Stance.QUOTE, Stance.HEDGE} or not claim.says("rules_on"):
        return False
    tellers = {who for m in members for who in (hearing.tellers(m) or {m.entry.source.by})}
    said = {stem(w) for w in words(claim.text)}
    return any({stem(w) for w in words(str(who).replace("_", " "))} & said for who in tellers if who)


def _names_one(hearing: Hearing, claim: Claim, members: list[Fact]) -> bool:
    """Say whether a clause says what only one of two versions does, and nobody else's word is in the reply for it."""
    if len(members) != _TWO or claim.stance is Stance.UNKNOWN:
        return False
    one, other = (shared(claim.terms, m.terms) for m in members)
    only, rest = one - other, other - one
    beside = {t for c in hearing.claims if c.stance in {Stance.ATTRIBUTE, Stance.HEDGE} for t in c.terms}
    said = (only or rest) - hearing.line_terms - beside
    return bool(said) and not (only and rest)
