"""Step 2, applied with each event: commitments that a condition now shows to be fulfilled or broken."""

from collections.abc import Iterable

from ledger_service.domain.amendments import Amendment
from ledger_service.domain.conditions import Scope
from ledger_service.domain.entries import Commitment, Status
from ledger_service.domain.ledger import Ledger
from ledger_service.domain.story_time import StoryTime


def settle(
    commitments: Iterable[Commitment],
    ledger: Ledger,
    *,
    scope: Scope,
    seq: int,
    at: StoryTime,
    witnesses: frozenset[str],
) -> list[Amendment]:
    """Return what became of open commitments; broken outranks fulfilled, since a broken word cannot be kept.

    Who was there can tell, and so can both parties.
    """
    found = []
    for commitment in commitments:
        if ledger.status_of(commitment) is not Status.OPEN:
            continue
        status, condition = _outcome(commitment, scope)
        if status is not None:
            told = tuple(sorted(witnesses | {commitment.owner, commitment.to}))
            found.append(
                Amendment(
                    entry_id=commitment.entry_id, status=status, cause_seq=seq, at=at, knowers=told, reason=condition
                )
            )
    return found


def _outcome(commitment: Commitment, scope: Scope) -> tuple[Status | None, str]:
    for condition, status in ((commitment.broken_when, Status.BROKEN), (commitment.fulfilled_when, Status.FULFILLED)):
        if condition and scope.holds(condition):
            return status, condition
    return None, ""
