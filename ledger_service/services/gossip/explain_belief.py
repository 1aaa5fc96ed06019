"""Explain a belief: find it, follow it back, say what each hop cost; to a character, only up to their own teller."""

from collections import defaultdict
from collections.abc import Iterable
from functools import partial

from msgspec import Struct, structs

from ledger_service.domain.amendments import Amendment
from ledger_service.domain.entries import Hearsay, LedgerEntry, Observation
from ledger_service.domain.errors import ContentError, NoBeliefError, UnknownCharacterError, UnknownEntryError
from ledger_service.domain.ids import PLAYER, PUBLIC, CharacterId, EntryId, PlaythroughId
from ledger_service.domain.ledger import Ledger
from ledger_service.domain.opinions import rung_of
from ledger_service.domain.playthroughs import StoryState
from ledger_service.domain.rumours import ChainLink, ProvenanceChain, build_chain, version_of_entry
from ledger_service.domain.visibility import Knower
from ledger_service.domain.worlds import World
from ledger_service.ports import OpenUnitOfWork, RumourGraph, UnitOfWork
from ledger_service.rumours.provenance import Naming, retrace
from ledger_service.services.events.story_state import story_state, world_of


class Question(Struct, frozen=True, kw_only=True):
    """Which belief is asked about: an entry by its id, or the strongest that somebody holds."""

    entry_id: EntryId | None = None
    holder: CharacterId | None = None
    """Whose belief; a character asks about their own."""
    about: str | None = None
    """Whom or what it is about."""
    origin: EntryId | None = None
    """The entry that it goes back to, in whatever wording."""
    as_character: CharacterId | None = None
    """Who asks, within the story: only their own teller is named to them."""
    is_asked_now: bool = False
    """They are asked within the story, where the dead and the unconscious answer nothing; else one looks back."""


class Explanation(Struct, frozen=True, kw_only=True):
    """Everything that a belief goes back to, with what people and places are called."""

    chain: ProvenanceChain
    naming: Naming


async def explain_belief(
    playthrough_id: PlaythroughId,
    entry_id: EntryId,
    *,
    open_uow: OpenUnitOfWork,
    graph: RumourGraph | None = None,
    as_character: CharacterId | None = None,
) -> ProvenanceChain:
    """Return what an entry goes back to, from the record or (where one is given) the graph; it says which store spoke.

    To a character only their own teller is named.

    Raises:
        UnknownEntryError: there is no such entry, or the character does not know it.
        GraphUnavailableError: the graph was asked and is away.
    """
    question = Question(entry_id=entry_id, as_character=as_character)
    return (await answer_why(playthrough_id, question, open_uow=open_uow, graph=graph)).chain


async def answer_why(
    playthrough_id: PlaythroughId, question: Question, *, open_uow: OpenUnitOfWork, graph: RumourGraph | None = None
) -> Explanation:
    """Find the belief that is asked about and follow it back to who saw it, to any depth.

    Raises:
        ContentError: the question names neither an entry nor a holder, or a holder other than the one who asks;
            or who is asked now is dead or unconscious.
        UnknownCharacterError: whose belief is asked about, or who asks, is nobody of this world.
        NoBeliefError: the holder believes nothing of the kind.
        UnknownEntryError: there is no such entry or origin, or the character does not know it.
        GraphUnavailableError: the graph was asked and is away.
    """
    holder = question.holder or question.as_character
    if question.as_character is not None and holder != question.as_character:
        raise ContentError("holder", "a character can be asked only why they themselves believe something")
    if question.entry_id is None and holder is None:
        raise ContentError("holder", "say whose belief is meant, or name an entry")
    async with open_uow(playthrough_id) as uow:
        state = await story_state(uow)
        world = await world_of(uow, state.world_version)
        _check_people(question, state, world)
        if question.entry_id is None:
            entry_id = await _strongest(uow, holder or "", question, state, world)
        else:
            entry_id = question.entry_id
        found = await _behind(uow, entry_id, None if graph is None else await graph.chain(playthrough_id, entry_id))
    fold = partial(Ledger, found.entries, found.amendments, roster=state.roster, at_seq=state.seq)
    ledger, now = fold(), fold(tick=state.at.tick, forgetting=world.forgetting)
    asked = ledger.entries[entry_id]
    knower = None if holder is None else ledger.knower_of(asked, holder)
    if question.as_character is not None and knower is None:
        raise UnknownEntryError(entry_id)
    own = None if knower is None else structs.replace(knower, who=holder or knower.who)
    links = (k if own is None else _as_held(k, own) for k in found.chain.links)
    chain = retrace(structs.replace(found.chain, links=tuple(links)), _held(found.amendments))
    chain = structs.replace(chain, links=tuple(_on_its_rung(_faded(k, now), ledger, world) for k in chain.links))
    naming = naming_of(world, asked)
    if question.as_character is None or own is None:
        return Explanation(chain=chain, naming=naming)
    return Explanation(chain=own_teller_only(chain, own), naming=structs.replace(naming, hides_rungs=True))


def _check_people(question: Question, state: StoryState, world: World) -> None:
    groups = {*(g.id for g in world.groups), *(m.group for m in state.memberships)}
    for role, who in (("holder", question.holder), ("character", question.as_character)):
        if who is not None and who not in {PUBLIC, *groups} and world.find_character(who) is None:
            raise UnknownCharacterError(who, role, allowed=tuple(c.id for c in world.cast))
    asked = question.as_character if question.is_asked_now else None
    fate = "" if asked is None else state.fate_of(asked)
    if fate:
        raise ContentError("as_character", f"{asked} is {fate}, and answers nothing; a reviewer asks by `holder`")


class _Found(Struct, frozen=True):
    """A chain, and what the record holds of its versions."""

    chain: ProvenanceChain
    entries: tuple[LedgerEntry, ...]
    amendments: tuple[Amendment, ...]


async def _behind(uow: UnitOfWork, entry_id: EntryId, mirrored: ProvenanceChain | None) -> _Found:
    """Return what an entry goes back to: as the graph has it, where it was asked, else from the record."""
    if mirrored is None:
        found = await uow.tellings.behind(entry_id)
        entries, amendments = found.entries, found.amendments
        versions = map(version_of_entry, entries)
        chain = build_chain(entry_id, versions, found.tellings, store=uow.tellings.name)
    else:
        chain = mirrored
        entries, amendments = await uow.ledger.get(tuple(dict.fromkeys((entry_id, *(k.entry_id for k in chain.links)))))
    if not any(e.entry_id == entry_id for e in entries):
        raise UnknownEntryError(entry_id)
    return _Found(chain, entries, amendments)


def _held(amendments: Iterable[Amendment]) -> dict[EntryId, list[tuple[int, float, float]]]:
    """Return how sure the holder of each version was since which event, oldest first."""
    held: dict[EntryId, list[tuple[int, float, float]]] = defaultdict(list)
    for a in sorted(amendments, key=lambda a: a.cause_seq):
        if a.belief is not None:
            held[a.entry_id].append((a.cause_seq, a.belief.confidence, a.belief.independent))
    return held


async def _strongest(
    uow: UnitOfWork, holder: CharacterId, question: Question, state: StoryState, world: World
) -> EntryId:
    """Return the surest live belief that fits, the newest of equals, of the newest that the holder has."""
    if question.origin is not None and question.as_character is None:
        await _check_there(question.origin, uow)
    scopes = (holder, PUBLIC, *sorted(state.roster.groups_of(holder, at_seq=state.seq)))
    found = await uow.tellings.find_holdings(scopes)
    fits = [h.entry_id for h in found if question.origin in {None, h.origin}]
    entries, amendments = await uow.ledger.get(tuple(dict.fromkeys(fits)))
    ledger = Ledger(
        entries, amendments, roster=state.roster, at_seq=state.seq, tick=state.at.tick, forgetting=world.forgetting
    )
    beliefs = [
        e
        for e in ledger.live()
        if isinstance(e, Hearsay | Observation)
        and ledger.knower_of(e, holder) is not None
        and (question.about is None or is_about(e, question.about))
    ]
    if not beliefs:
        raise NoBeliefError(_holds_none(holder, question, world))
    return max(beliefs, key=lambda e: (e.confidence, e.seq, e.entry_id)).entry_id


async def _check_there(entry_id: EntryId, uow: UnitOfWork) -> None:
    """See that there is such an entry; who asks within the story learns no more than that they know nothing of it."""
    found, _ = await uow.ledger.get((entry_id,))
    if not found:
        raise UnknownEntryError(entry_id)


def _holds_none(holder: CharacterId, question: Question, world: World) -> str:
    """Say what it is that somebody holds nothing of, and where nothing could be: of what nobody has heard."""
    origin = "" if question.origin is None else f" that goes back to {question.origin!r}"
    if question.about is None:
        return f"{holder} holds no belief{origin}"
    known = world.find_character(question.about) or question.about in {
        *(p.id for p in world.places), *(g.id for g in world.groups),
    }  # fmt: skip
    unheard = "" if known else f", and the world has no person, place or group {question.about!r}"
    return f"{holder} holds no belief about {question.about!r}{origin}{unheard}"


def is_about(entry: LedgerEntry, name: str) -> bool:
    """Say whether an entry is about somebody or something, by what it declares."""
    slot = entry.slot
    return name in {entry.subject, *entry.about, *((slot.subject, slot.object) if slot is not None else ())}


def _as_held(link: ChainLink, knower: Knower) -> ChainLink:
    """Let what was seen be held by the one whose belief is asked about."""
    if link.depth > 0 or link.teller is not None:
        return link
    return structs.replace(link, holder=knower.who, witnesses=(knower.who,))


def _on_its_rung(link: ChainLink, ledger: Ledger, world: World) -> ChainLink:
    """Let what was seen or read stand on the rung that its wording is of."""
    entry = None if link.teller is not None else ledger.entries.get(link.entry_id)
    ladder = None if entry is None else world.find_ladder(entry.ladder)
    if entry is None or ladder is None:
        return link
    return structs.replace(link, severity=rung_of(entry, ladder))


def _faded(link: ChainLink, now: Ledger) -> ChainLink:
    entry = now.entries.get(link.entry_id)
    return link if entry is None else structs.replace(link, left=round(entry.confidence, 6))


def naming_of(world: World, entry: LedgerEntry | None = None) -> Naming:
    """Return what a world calls its people, places and bands, and the ladder that a story climbs."""
    ladder = None if entry is None else world.find_ladder(entry.ladder)
    player = world.find_character(PLAYER)
    return Naming(
        people={c.id: c.name for c in world.cast} | ({} if player is None else {PLAYER: player.name}),
        places={p.id: p.name for p in world.places},
        bands=dict(world.band_names),
        rungs=0 if ladder is None else len(ladder.rungs),
        praises=ladder is not None and sum(ladder.weights) > 0,
    )


def own_teller_only(chain: ProvenanceChain, knower: Knower) -> ProvenanceChain:
    """Cut a chain to the knower's own version and who told it; what lies behind the teller is not theirs to know."""
    own = (
        structs.replace(
            link,
            holder=knower.who,
            teller=link.teller or knower.from_whom,
            told_by_entry=None,
            teller_held=None,
            change=None,
            named="",
            independent=None,
            witnesses=(),
        )
        for link in chain.links
        if link.depth == 0
    )
    return structs.replace(chain, links=tuple(own))
