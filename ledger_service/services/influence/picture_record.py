"""The picture that the spyglass shows while the graph is away: people, trust and the newest stories, of the record."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from ledger_service.domain.entries import Hearsay, LedgerEntry
from ledger_service.domain.ids import PLAYER, CharacterId, EntryId
from ledger_service.domain.ledger import Ledger
from ledger_service.domain.rumours import Telling, is_story
from ledger_service.domain.spyglass import (
    GraphPicture,
    SeenCharacter,
    SeenPlace,
    SeenStory,
    SeenTelling,
    SeenTrust,
)
from ledger_service.ports import BrowseFilter, UnitOfWork
from ledger_service.recording.mirror import whereabouts
from ledger_service.services.reviewing.standpoint import Standpoint

STORIES: Final = 100


async def picture_of_record(here: Standpoint, uow: UnitOfWork) -> GraphPicture:
    """Return what the graph would show, without rules and notices."""
    entries, is_cut = await _stories(here, uow)
    tellings = await uow.tellings.of_origins(tuple(dict.fromkeys(e.root for e in entries)))
    at = whereabouts(here.state, here.world)
    people = dict.fromkeys((PLAYER, *here.world.people, *at))
    strong = here.world.gossip.strong_trust
    return GraphPicture(
        characters=tuple(
            SeenCharacter(id=who, name=here.naming.people.get(who), place=at.get(who), is_player=who == PLAYER)
            for who in sorted(people)
        ),
        places=tuple(SeenPlace(id=p.id, name=p.name, region=p.region) for p in here.world.places),
        trusts=tuple(
            SeenTrust(listener=t.listener, teller=t.teller, trust=t.trust, is_strong=t.trust >= strong)
            for t in sorted(here.world.trust, key=lambda t: (t.listener, t.teller))
        ),
        stories=seen_stories(entries, tellings, here.naming.people),
        nodes=len(people) + len(here.world.places) + len(entries),
        is_cut=is_cut,
    )


async def _stories(here: Standpoint, uow: UnitOfWork) -> tuple[list[LedgerEntry], bool]:
    """Return the newest things that people pass on, unfaded, and whether there are more."""
    found: list[LedgerEntry] = []
    is_cut = False
    for kind in ("hearsay", "observation"):
        page = await uow.browser.page(BrowseFilter(kind=kind, at_seq=here.seq), limit=STORIES)
        is_cut = is_cut or page.next_after is not None
        ledger = Ledger(page.entries, page.amendments, roster=here.state.roster, at_seq=here.seq)
        found += [e for e in (ledger.entries[e.entry_id] for e in page.entries) if is_story(e)]
    newest = sorted(found, key=lambda e: (-e.seq, e.entry_id))
    return newest[:STORIES], is_cut or len(newest) > STORIES


def seen_stories(
    entries: Iterable[LedgerEntry], tellings: Sequence[Telling], people: Mapping[CharacterId, str]
) -> tuple[SeenStory, ...]:
    """Return versions of stories as the graph holds them: its holders are people, and no groups."""
    heard: dict[EntryId, list[Telling]] = defaultdict(list)
    for telling in tellings:
        heard[telling.to_entry or ""].append(telling)
    return tuple(_seen(e, heard.get(e.entry_id, ()), people) for e in entries)


def _seen(entry: LedgerEntry, heard: Iterable[Telling], people: Mapping[CharacterId, str]) -> SeenStory:
    held = {k.who: entry.confidence if k.confidence is None else k.confidence for k in entry.knowers if k.who in people}
    return SeenStory(
        entry_id=entry.entry_id,
        origin=entry.root,
        statement=entry.statement,
        severity=entry.severity if isinstance(entry, Hearsay) else 1,
        tick=entry.at.tick,
        is_hearsay=isinstance(entry, Hearsay),
        holders=dict(sorted(held.items())),
        heard=tuple(
            SeenTelling(teller=t.teller, listener=t.listener, tick=t.tick, outcome=t.outcome, from_entry=t.from_entry)
            for t in heard
        ),
    )
