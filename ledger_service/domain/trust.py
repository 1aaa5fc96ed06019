"""Who believes whom among those who pass stories on by themselves: the ground of routes, ranks and plans."""

from ledger_service.domain.ids import PLAYER, CharacterId
from ledger_service.domain.worlds import World

Pair = tuple[CharacterId, CharacterId]
"""A listener and a teller."""


def talkers_of(world: World) -> tuple[CharacterId, ...]:
    """Return those of the cast who pass stories on: not the player, whose words the game reports, and no dog."""
    return tuple(sorted(c.id for c in world.cast if c.id != PLAYER and c.can_testify))


def trust_among_talkers(world: World) -> dict[Pair, float]:
    """Return how much a listener believes a teller, by (listener, teller).

    Where the trust is 0, nothing is ever passed on, and the pair is left out.
    """
    talkers = set(talkers_of(world))
    return {
        pair: trust
        for pair, trust in world.trust_by_pair.items()
        if trust > 0 and pair[0] != pair[1] and talkers.issuperset(pair)
    }
