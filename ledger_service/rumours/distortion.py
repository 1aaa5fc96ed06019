"""The ladder: how a wording steps up as it is passed on. The engine decides; nobody's model may."""

from msgspec import Struct

from ledger_service.domain.worlds import Ladder


class Wording(Struct, frozen=True, kw_only=True):
    """What is said, and on which rung of its ladder it stands."""

    statement: str
    severity: int = 1


def passed_on(held: Wording, ladder: Ladder | None, *, exaggeration: float, drawn: float) -> Wording:
    """Return what a teller makes of a wording: one rung up where the draw falls below their exaggeration, else as held.

    >>> ladder = Ladder(id="theft", rungs=("took an apple", "stole a basket"))
    >>> passed_on(Wording(statement="took an apple"), ladder, exaggeration=0.8, drawn=0.79).statement
    'stole a basket'
    >>> passed_on(Wording(statement="took an apple"), ladder, exaggeration=0.8, drawn=0.8).statement
    'took an apple'
    """
    if ladder is None or held.severity >= len(ladder.rungs) or drawn >= exaggeration:
        return held
    return Wording(statement=ladder.wording(held.severity + 1), severity=held.severity + 1)


def rung_of(statement: str, ladder: Ladder | None, *, otherwise: int) -> int:
    """Return the rung that a wording stands on, where it is one of the ladder's."""
    rungs = ladder.rungs if ladder is not None else ()
    return rungs.index(statement) + 1 if statement in rungs else otherwise
