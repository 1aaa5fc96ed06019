"""Whether one version of what the record leaves open is told as settled."""

import re
from collections.abc import Iterator
from itertools import chain
from typing import Final

from ledger_service.domain.ids import EntryId
from ledger_service.domain.replies import Claim, Stance
from ledger_service.domain.rubric import Code, Finding
from ledger_service.domain.terms import stem, words
from ledger_service.scoring.heard.facts import Fact
from ledger_service.scoring.heard.hearing import Hearing, found
from ledger_service.scoring.heard.openness import is_open, left_open, on_no_ones_word
from ledger_service.scoring.heard.replying import first_words
from ledger_service.scoring.heard.topics import topics
from ledger_service.scoring.sureness.answers import answers
from ledger_service.scoring.sureness.rivals import open_disputes, tells_both
from ledger_service.scoring.words.overlap import akin, cover, shared

_HALF: Final = 0.5
_TWO: Final = 2
_NEARLY: Final = 0.15
_SHORT_ANSWER: Final = 3
_SURE: Final = 0.6
_SAID: Final = 0.3
_LINE: Final = 0.4
_BEFORE: Final = 2
_HEAD: Final = 4
_OWNERS: Final = re.compile(r"\b(\w+)(?: \w+)?['’]s\b")
_HE: Final = re.compile(r"\W*(?:(?:and|but|so|then),? )*(?:he|she|it|they|that|the \w+|his|her)\b", re.IGNORECASE)
_NOT_PLAIN: Final = frozenset({Stance.ASK, Stance.QUOTE, Stance.HEDGE, Stance.ATTRIBUTE})
_CONCLUDES: Final = re.compile(r"\W*(?:but|so|still|anyway|then|yet)\b", re.IGNORECASE)
_WHOEVER: Final = re.compile(
    r"\W*(?:(?:and|but|so|well),? )*"
    r"(?:(?:whoever|whichever)(?:['’]s\b| is| was| of| did| it)|(?:whether|if|unless|suppose)\b)",
    re.IGNORECASE,
)
_NEITHER: Final = re.compile(r"\b(?:neither|nor|both|either|depends|yet)\b", re.IGNORECASE)
_OPENING: Final = 4
_IT_WAS: Final = re.compile(
    r"\b\w+ (?:it|that) (?:was|were|is)\W*$"
    r"|^\W*(?:(?:and|but|so|no|yes|aye|of course),? )*(?:it|that)(?:['’]s| was| is| were) "
    r"|\b(?:did|done) it\b|\b(?:is|was|were) (?:to blame|the (?:cause|culprit|one|reason))\b",
    re.IGNORECASE,
)
_INSISTS: Final = re.compile(r"\b(?:i swear|believe me|honest|please)\b", re.IGNORECASE)


class _Dispute:
    """An open contradiction as a reply is held against it: its versions, and whether the line is about it."""

    def __init__(self, hearing: Hearing, fact: Fact, members: list[Fact]) -> None:
        self.fact = fact
        self.members = members
        self.ids: frozenset[EntryId] = frozenset({fact.entry_id, *(m.entry_id for m in members)})
        self.every = frozenset().union(fact.terms, *(m.terms for m in members))
        insists = "?" in hearing.packet.line or _INSISTS.search(hearing.packet.line) is not None
        insists = insists or hearing.asks("asks_belief")
        covers = {f.entry_id: len(akin(hearing.line_terms, f.terms)) for f in (fact, *members, *hearing.selected)}
        self.led = 0 < max(covers.values()) == max(covers[i] for i in self.ids)
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

    def is_meant(self, hearing: Hearing, claim: Claim) -> bool:
        """Say whether a clause answers a line of it: by a version in its own words, or by `rats it was`."""
        best = topics(hearing, claim)[0]
        own = best.fact.entry_id in self.ids and bool(akin(hearing.terms_of(claim.text), best.fact.terms))
        return own and ((self.asked and best.words >= _HALF) or (self.led and _IT_WAS.search(claim.text) is not None))

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
    for fact, members in open_disputes(hearing):
        claim = _taken(hearing, _Dispute(hearing, fact, list(members)))
        if claim is not None:
            yield found(Code.SIDE_TAKEN, claim, "it settles what the record leaves open", fact.entry_id)


def _taken(hearing: Hearing, dispute: _Dispute) -> Claim | None:
    """Return the clause that settles it, where nothing that comes after leaves the other version open."""
    if _tells_both(hearing):
        return None
    answer = _answer(hearing, dispute)
    if answer is not None:
        return answer
    for at, claim in enumerate(hearing.claims):
        taken = _settles(hearing, claim, dispute) or _concludes(hearing, at, dispute)
        if (
            taken
            and not _WHOEVER.match(claim.text)
            and not _left_open(hearing, at)
            and not _both_told_after(hearing, at, dispute)
        ):
            return claim
    return None


def _answer(hearing: Hearing, dispute: _Dispute) -> Claim | None:
    """Return the clause that answers whose word it is that holds, by a yes, a no or whose."""
    first = first_words(hearing)
    if first is None or first.stance in _NOT_PLAIN or not _is_asked_whose(hearing, dispute):
        return None
    if any(is_open(c) or c.says("leaves_open") or _NEITHER.search(c.text) for c in hearing.claims[:_OPENING]):
        return None
    chosen = hearing.asks("asks_whose_word") and answers(first.text, "whose") and not first.negative
    agreed = hearing.asks("asks_belief") and answers(first.text, "yes", "true", "believed")
    return first if chosen or agreed else None


def _is_asked_whose(hearing: Hearing, dispute: _Dispute) -> bool:
    """Say whether the line asks for a word of this: it is the only thing in dispute, and nothing else is spoken of."""
    if not (hearing.asks("asks_whose_word") or hearing.asks("asks_belief")):
        return False
    only = len(open_disputes(hearing)) == 1
    about = bool(akin(hearing.line_terms, dispute.every)) or not akin(hearing.line_terms, hearing.live_terms)
    return only and about


def _left_open(hearing: Hearing, at: int) -> bool:
    """Say whether the rest leaves it open; what a `but` or a `so` leads away from does not."""
    rest = hearing.claims[at:] if _CONCLUDES.match(hearing.claims[at].text) else hearing.claims
    return any(c.says("leaves_open") for c in rest)


def _both_told_after(hearing: Hearing, at: int, dispute: _Dispute) -> bool:
    """Say whether its sentence or a later one has both versions told, each on somebody's word."""
    start = hearing.claims[at].start
    return any(tells_both(row, hearing, tuple(dispute.members)) for row in hearing.said if row[-1].start >= start)


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
        and (about or dispute.says_much(hearing, claim) or dispute.is_meant(hearing, claim))
        and _names_one(hearing, claim, dispute.members)
    )
    near = near and (claim.lang == "en" or dispute.says_much(hearing, claim))
    if near and dispute.holds(hearing, claim):
        return not _on_its_word(hearing, claim, dispute) and not left_open(hearing, claim, dispute.fact)
    if not claim.says("settles"):
        return False
    best = topics(hearing, claim)[0]
    of_line = dispute.asked or (best.fact.entry_id in dispute.ids and best.with_line >= _LINE and best.score >= _SURE)
    return (of_line or bool(shared(claim.terms, dispute.every))) and dispute.holds(hearing, claim)


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
    known = hearing.line_terms if not claim.negative or claim.subject == hearing.viewer else frozenset()
    said = (only or rest) - known - beside
    return bool(said) and not (only and rest)
