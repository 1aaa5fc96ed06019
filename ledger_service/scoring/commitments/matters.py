"""Which commitment a clause speaks of: by its own words, by what it points back to, by the line that it answers."""

from functools import lru_cache
from typing import Final

from msgspec import Struct

from ledger_service.domain.clipped import spelt
from ledger_service.domain.entries import Commitment
from ledger_service.domain.replies import Claim, Stance
from ledger_service.domain.terms import stem
from ledger_service.scoring.heard.hearing import Hearing, once
from ledger_service.scoring.words.overlap import akin, kindred, plain
from ledger_service.scoring.words.wording import cue

_DEED: Final = cue("deed")
_TERM: Final = cue("term")
"""When, how often and for what it is to be done: words that many commitments have."""
_POINTS: Final = cue("points")
_A_DEBT: Final = cue("a_debt")
"""What a line says that speaks of something promised or owed, and does not say what."""
_PROMISED: Final = cue("promised")
"""What somebody is to do, told by whose it is alone."""
_FORMS: Final = frozenset(stem(w) for w in "without new old over few first".split())
_HELD: Final = 4
"""Clauses for which it stays clear what is spoken of, once it was said."""
_HALF: Final = 0.5
_TWO: Final = 2
_LIGHT: Final = frozenset(stem(w) for w in "have make take give get set do bring go come keep".split())
"""Deeds that say too little to tell one commitment from another."""


class Matter(Struct, frozen=True, kw_only=True):
    """A commitment, and its parts: what is to be done, and to what."""

    commitment: Commitment
    deed: frozenset[str]
    things: frozenset[str]
    """What it is to be done to, and with; when it falls due is left out."""

    @property
    def owner(self) -> str:
        """Who is to do it."""
        return str(self.commitment.owner)

    @property
    def to(self) -> str:
        """Whom it is owed to."""
        return str(self.commitment.to)


class Spoken(Struct, frozen=True, kw_only=True):
    """A clause of a reply, with the commitment that it speaks of."""

    claim: Claim
    matter: Matter | None = None
    named: bool = False
    """It says so in its own words; otherwise it goes on about what was spoken of."""
    before: str = ""
    """What its sentence says before it."""
    speaker: str = ""
    """Who says it."""
    first: bool = False
    """Nothing was said before it."""


@once
def matters(hearing: Hearing) -> tuple[Matter, ...]:
    """Return the commitments that may be spoken of, in their parts."""
    return tuple(_matter(hearing, c) for c in hearing.commitments)


def _matter(hearing: Hearing, commitment: Commitment) -> Matter:
    terms = hearing.terms_of(core(commitment.statement))
    match = _DEED.search(commitment.statement)
    deed = frozenset({stem(match[1].casefold())}) & terms if match else frozenset()
    return Matter(commitment=commitment, deed=deed, things=terms - deed - _FORMS - hearing.cast_names)


@lru_cache(maxsize=4_096)
def core(statement: str) -> str:
    """Leave out when something is to be done.

    >>> core("ada will grease the winch before the boats go out")
    'ada will grease the winch'
    """
    return _TERM.sub("", statement)


def named_in(said: frozenset[str], given: tuple[Matter, ...]) -> Matter | None:
    """Return the commitment that some words name: most of its things, and no other's as many."""
    things = frozenset[str]().union(*(m.things for m in given))
    plainly, touched = kindred(said, things), akin(said, things)
    done = kindred(said, frozenset[str]().union(*(m.deed for m in given)) - _LIGHT) if given else frozenset[str]()
    rated = [(_share(plainly, touched, done, m), m) for m in given]
    most = max((share for share, _ in rated), default=0.0)
    best = [m for share, m in rated if share == most] if most > 0 else []
    return best[0] if len(best) == 1 else None


def _share(plainly: frozenset[str], touched: frozenset[str], done: frozenset[str], matter: Matter) -> float:
    """Return how much of a commitment some words name; the deed alone is enough where it is one of its own."""
    hits, deed = len(touched & matter.things), bool(done & matter.deed)
    whole = len(matter.things) + 1
    if not plainly & matter.things and hits + deed < _TWO:
        return _HALF / whole if deed and not matter.things else 0.0
    return (hits + (_HALF if deed else 0.0)) / whole


def of_line(hearing: Hearing, given: tuple[Matter, ...]) -> Matter | None:
    """Return the commitment that the line which is answered speaks of, or the only one where it says `the promise`."""
    return named_in(hearing.line_terms, given) or _only_one(hearing, given)


def _only_one(hearing: Hearing, given: tuple[Matter, ...]) -> Matter | None:
    """Return the only commitment, or somebody's only one, where the line speaks of what was promised or is owed."""
    owners = {"my": hearing.listener, "i": hearing.listener, "your": hearing.viewer, "you": hearing.viewer}
    for claim in hearing.asked:
        match = _A_DEBT.search(spelt(claim.text)) if claim.lang == "en" else None
        if match is not None:
            owner = owners.get((match["whose"] or match["who"] or "").casefold())
            theirs = [m for m in given if m.owner == owner] or given
            return theirs[0] if len(theirs) == 1 else None
    return None


@once
def spoken(hearing: Hearing) -> tuple[Spoken, ...]:
    """Return every clause that is said, with the commitment it speaks of."""
    found: list[Spoken] = []
    given = matters(hearing)
    if not given:
        return ()
    about, since, before = of_line(hearing, given), 0, ""
    for claim in hearing.claims:
        stage = claim.stance is Stance.UNKNOWN
        own = None if stage else named_in(frozenset(claim.terms), given) or _by_owner(hearing, claim, given, about)
        since = 0 if own is not None else since + 1
        about = own or (about if since <= _HELD else None)
        first = not any(c.claim.stance is not Stance.UNKNOWN for c in found)
        found.append(
            Spoken(claim=claim, matter=about, named=own is not None, before=before, first=first, speaker=hearing.viewer)
        )
        text = plain(claim.text)
        before = "" if stage or text.rstrip("\"'”’)").endswith((".", "!", "?", "…")) else f"{before} {text}"
    return tuple(found)


def _by_owner(hearing: Hearing, claim: Claim, given: tuple[Matter, ...], about: Matter | None) -> Matter | None:
    """Return the one commitment of somebody, where a clause tells it by whose it is: `what you said you'd bring me`."""
    match = _PROMISED.search(claim.text)
    if match is None:
        return None
    whose = (match["who"] or match["whose"]).casefold()
    owner = {"you": hearing.listener, "your": hearing.listener, "i": hearing.viewer, "my": hearing.viewer}.get(whose)
    theirs = [m for m in given if m.owner == owner]
    return about if about in theirs else theirs[0] if len(theirs) == 1 else None


def points(text: str) -> bool:
    """Say whether a clause points to something instead of naming it: `it`, `that`, `your word`."""
    return _POINTS.search(text) is not None
