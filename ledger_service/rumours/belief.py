"""How sure tellings make somebody: adding tellers up, groups that share a witness, and what corrections take."""

import math
from collections.abc import Iterable, Sequence

from msgspec import Struct

from ledger_service.domain.amendments import Belief
from ledger_service.domain.confidence import corroborated
from ledger_service.domain.ids import CharacterId
from ledger_service.domain.worlds import Corroboration


class Offer(Struct, frozen=True, kw_only=True):
    """What one teller's word is worth to the listener: teller's confidence x trust x 0.9, and whom it goes back to."""

    teller: CharacterId
    confidence: float
    roots: tuple[CharacterId, ...]
    tick: int


def independent(offers: Iterable[Offer]) -> list[list[Offer]]:
    """Group offers that share a witness, directly or through one another; no two groups share any.

    >>> a, b = Offer(teller="pip", confidence=0.3, roots=("tomas",), tick=1), Offer(
    ...     teller="tomas", confidence=0.6, roots=("tomas",), tick=2
    ... )
    >>> len(independent([a, b]))
    1
    """
    groups: list[tuple[set[CharacterId], list[Offer]]] = []
    for offer in offers:
        roots, members = set(offer.roots), [offer]
        apart = []
        for theirs, others in groups:
            if theirs.isdisjoint(roots):
                apart.append((theirs, others))
            else:
                roots |= theirs
                members += others
        groups = [*apart, (roots, members)]
    return [members for _, members in groups]


def believe(
    who: CharacterId, offers: Sequence[Offer], *, doubts: Iterable[float], corroboration: Corroboration
) -> Belief:
    """Return how sure these offers make somebody, whatever their order.

    Support is 1 - prod(1 - offer) over all tellers, or over the surest of each independent group; what is believed of
    the corrections then takes its share: support x prod(1 - correction). A correction therefore never raises.

    >>> pip = Offer(teller="pip", confidence=0.324, roots=("tomas",), tick=8)
    >>> tomas = Offer(teller="tomas", confidence=0.63, roots=("tomas",), tick=9)
    >>> b = believe("bertha", (pip, tomas), doubts=(), corroboration=Corroboration.EACH_TELLER)
    >>> round(b.confidence, 2), round(b.independent, 2)
    (0.75, 0.63)
    """
    left = math.prod(1.0 - doubt for doubt in sorted(doubts))
    each = round(corroborated(o.confidence for o in offers) * left, 6)
    surest = [max(o.confidence for o in group) for group in independent(offers)]
    apart = round(corroborated(surest) * left, 6)
    return Belief(
        who=who,
        confidence=apart if corroboration is Corroboration.INDEPENDENT_ROOTS else each,
        independent=apart,
        reinforced_at=max(o.tick for o in offers),
        tellers=tuple(sorted({o.teller for o in offers})),
        roots=tuple(sorted({root for o in offers for root in o.roots})),
    )
