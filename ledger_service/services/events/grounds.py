"""What conditions rest on while something is recorded: of the whole ledger, only what they ask about."""

import re
from collections.abc import Iterable
from typing import Final

from msgspec import Struct

from ledger_service.domain.amendments import Amendment
from ledger_service.domain.candidates import reach_of
from ledger_service.domain.conditions import Scope, compile_condition
from ledger_service.domain.entries import LedgerEntry
from ledger_service.domain.events import Deed, GameEvent, Happened, event_kind
from ledger_service.domain.ids import PLAYER, CharacterId
from ledger_service.domain.ledger import Ledger
from ledger_service.domain.playthroughs import StoryState
from ledger_service.domain.questions import Questions, variables_of
from ledger_service.domain.story_time import StoryTime
from ledger_service.domain.vocabulary import entries_named_in
from ledger_service.domain.worlds import World
from ledger_service.ports import UnitOfWork

_COMMITMENT: Final = "commitment"
_FEW: Final = 8
"""So many commitments are looked up by name; for more, all of them are loaded at once."""
_KIND_BY_FUNCTION: Final = {
    "standing": "relationship_delta", "open": _COMMITMENT, "fulfilled": _COMMITMENT, "broken": _COMMITMENT,
    "knows": _COMMITMENT, "felt": "emotional_residue",
}  # fmt: skip
_ENTRY_ID: Final = re.compile(r"e[0-9a-f]{20}")
_NAME: Final = r"\s*[\"']([^\"']*)[\"']\s*"
_OPINION: Final = re.compile(rf"\bopinion\((?:{_NAME})?[^,()]*(?:,{_NAME})?")


class Grounds(Struct, frozen=True, kw_only=True):
    """Entries and amendments that conditions ask about."""

    entries: tuple[LedgerEntry, ...] = ()
    amendments: tuple[Amendment, ...] = ()

    def scope(
        self, state: StoryState, world: World, *, at: StoryTime, event: GameEvent | None = None,
        ended: Iterable[Amendment] = (),
    ) -> Scope:  # fmt: skip
        """Return what conditions see: the whole ledger, not what some character knows of it, and the event, if any."""
        ledger = Ledger(
            self.entries, (*self.amendments, *ended), roster=state.roster, at_seq=state.seq, tick=at.tick,
            forgetting=world.forgetting,
        )  # fmt: skip
        questions = Questions(ledger, live=ledger.live(), state=state, world=world)
        variables = variables_of(state, world, at=at) | {"event": {} if event is None else variables_of_event(event)}
        return Scope(variables, questions.functions)


async def grounds_of(
    conditions: Iterable[str],
    state: StoryState,
    uow: UnitOfWork,
    *,
    judges: Iterable[CharacterId] = (),
    judged: Iterable[str] = (),
) -> Grounds:
    """Load the kinds that conditions ask about, the entries that they name, and what opinions in them rest on.

    Whom an opinion is of and about is read from the conditions, beside those given.
    """
    sources = tuple(conditions)
    asked = {f for source in sources for f in compile_condition(source).functions()}
    names = _few_names(sources)
    kinds = {kind for name, kind in _KIND_BY_FUNCTION.items() if name in asked} - ({_COMMITMENT} if names else set())
    found = [await uow.ledger.load_conditional(sorted(kinds))] if kinds else []
    for name in names:
        commitments = await uow.ledger.find_commitments(name)
        found += [await uow.ledger.get([c.entry_id for c in commitments])] if commitments else []
    ids = {i for source in sources for i in _ENTRY_ID.findall(source)}
    if ids:
        found.append(await uow.ledger.get(sorted(ids)))
    if "opinion" in asked:
        named = [pair for source in sources for pair in _OPINION.findall(source)]
        people = {who for who, _ in named if who} | set(judges)
        about = sorted({PLAYER, *judged} | {whom for _, whom in named if whom})
        reaches = [reach_of(who, state.roster, at_seq=state.seq) for who in sorted(people)]
        found += [await uow.ledger.find_stories(reach, about, at_seq=state.seq) for reach in reaches]
    return Grounds(
        entries=tuple(e for entries, _ in found for e in entries),
        amendments=tuple(dict.fromkeys(a for _, amendments in found for a in amendments)),
    )


def _few_names(sources: Iterable[str]) -> tuple[str, ...]:
    """Return the names of commitments that conditions ask for, where that is all they ask of any; else none."""
    asked = [entries_named_in(source) for source in sources]
    names = {name for named in asked if named is not None for name in named}
    return tuple(sorted(names)) if None not in asked and len(names) <= _FEW else ()


def variables_of_event(event: GameEvent) -> dict[str, object]:
    """`event.name` is the declared event's, else the kind; beside it stand its fields, who took part and where."""
    match event:
        case Happened():
            return {**event.fields, **_parts(event), "name": event.name}
        case Deed(ladder=ladder, subject=subject):
            return {**_parts(event), "ladder": ladder or "", "subject": subject or "", "name": event_kind(event)}
        case _:
            return {"name": event_kind(event)}


def _parts(event: Deed | Happened) -> dict[str, object]:
    return {"actor": event.actor or "", "target": event.target or "", "place": event.place or ""}
