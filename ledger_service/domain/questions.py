"""What conditions can ask: of the whole ledger, or of as much of it as one viewer can tell."""

from collections.abc import Callable, Collection, Iterable
from functools import cached_property

from ledger_service.domain.entries import Commitment, EmotionalResidue, LedgerEntry, RelationshipDelta, Status
from ledger_service.domain.ids import PLAYER, CharacterId
from ledger_service.domain.ledger import Ledger, find_all, standing
from ledger_service.domain.opinions import Opinion, opinion_in
from ledger_service.domain.playthroughs import StoryState
from ledger_service.domain.story_time import StoryTime, hour_of_day
from ledger_service.domain.worlds import World


def variables_of(state: StoryState, world: World, *, at: StoryTime) -> dict[str, object]:
    """Return what every condition may name, whoever asks."""
    return {
        "state": {**world.state, **state.values},
        "scene": at.scene,
        "tick": at.tick,
        "turn": at.turn,
        "hour": hour_of_day(at.tick),
    }


class Questions:
    """The functions of conditions over some entries: what is recorded, or what one viewer knows of it."""

    def __init__(
        self,
        ledger: Ledger,
        *,
        live: Iterable[LedgerEntry],
        state: StoryState,
        world: World,
        viewer: CharacterId | None = None,
        names_of: Callable[[CharacterId], Collection[str]] = lambda _: (),
    ) -> None:
        """Ask the `live` entries of a ledger; with a viewer, as that viewer can tell, and by their names for people."""
        self._ledger = ledger
        self._live = tuple(live)
        self._state = state
        self._world = world
        self._viewer = viewer
        self._names_of = names_of
        self._opinions: dict[tuple[str, str], Opinion] = {}
        self._asked: dict[tuple[str, str], Opinion] = {}

    @cached_property
    def deltas(self) -> list[RelationshipDelta]:
        """The live relationship deltas."""
        return find_all(self._live, RelationshipDelta)

    @cached_property
    def commitments(self) -> list[Commitment]:
        """The commitments, however they stand."""
        return find_all(self._live, Commitment)

    @cached_property
    def functions(self) -> dict[str, Callable[..., object]]:
        """The functions by the names that conditions call them by."""
        return {
            "standing": lambda a, b, scope: float(standing(self.deltas, a, b, scope)),
            "opinion": self._thinks,
            "knows": self._knows,
            "open": lambda name: self._stands(name, Status.OPEN),
            "fulfilled": lambda name: self._stands(name, Status.FULFILLED),
            "broken": lambda name: self._stands(name, Status.BROKEN),
            "happened": self._state.happened,
            "felt": self._feels,
        }

    def opinion(self, who: CharacterId, about: str = PLAYER) -> Opinion:
        """Return what somebody thinks of somebody."""
        key = (who, about)
        if key not in self._opinions:
            self._opinions[key] = opinion_in(
                self._ledger, who, about, world=self._world, viewer=self._viewer, names=self._names_of(about)
            )
        return self._opinions[key]

    def take_asked(self) -> tuple[Opinion, ...]:
        """Return the opinions that conditions have asked for since this was last called, in the order of asking."""
        asked = tuple(self._asked.values())
        self._asked = {}
        return asked

    def _thinks(self, who: CharacterId, about: str = PLAYER) -> float:
        found = self.opinion(who, about)
        self._asked[who, about] = found
        return found.value

    def _stands(self, name: str, status: Status) -> bool:
        """Say whether a commitment, by name or id, stands so."""
        named = (c for c in self.commitments if name in {c.name, c.entry_id})
        return any(self._ledger.status_of(c, viewer=self._viewer) is status for c in named)

    def _knows(self, who: CharacterId, name: str) -> bool:
        """Say whether somebody knows an entry, by its id, or the commitment of that name."""
        named = (e for e in self._live if name in {e.entry_id, getattr(e, "name", None)})
        return any(self._ledger.knower_of(e, who) is not None for e in named)

    def _feels(self, who: CharacterId, emotion: str) -> bool:
        residue = find_all(self._live, EmotionalResidue)
        return any(r.holder == who and r.emotion == emotion for r in residue)
