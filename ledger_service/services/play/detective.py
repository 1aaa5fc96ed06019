"""The detective: one teller at a time says whom they had a story from, and no more, back to whoever saw it."""

from typing import Final

from msgspec import Struct

from ledger_service.domain.confidence import Band, band_of
from ledger_service.domain.entries import LedgerEntry
from ledger_service.domain.errors import ContentError, MalformedError, NoBeliefError
from ledger_service.domain.ids import PLAYER, CharacterId, EntryId, PlaceId, PlaythroughId
from ledger_service.domain.rumours import ChainLink
from ledger_service.domain.visibility import DisclosureMode
from ledger_service.ports import OpenUnitOfWork
from ledger_service.rumours.provenance import first_hand
from ledger_service.services.gossip.explain_belief import Question, answer_why
from ledger_service.services.play.player_acts import Spot, check_here

MOST_ASKED: Final = 30
_BETWEEN: Final = "."


class Trail(Struct, frozen=True, kw_only=True):
    """A story that is followed back, by where it begins, and who was asked about it so far, in this order."""

    origin: EntryId
    asked: tuple[CharacterId, ...] = ()

    def __str__(self) -> str:
        """Return it as an address keeps it.

        >>> str(Trail(origin="e1", asked=("ilsa", "bertha")))
        'e1.ilsa.bertha'
        """
        return _BETWEEN.join((self.origin, *self.asked))

    def and_then(self, who: CharacterId) -> "Trail":
        """Return it with one more who was asked; twice is once."""
        return Trail(origin=self.origin, asked=tuple(dict.fromkeys((*self.asked, who))))


def read_trail(text: str) -> Trail | None:
    """Read a trail as an address keeps it; None where there is none.

    >>> read_trail("e1.ilsa"), read_trail("")
    (Trail(origin='e1', asked=('ilsa',)), None)

    Raises:
        MalformedError: it is longer than anybody asks.
    """
    origin, *asked = text.split(_BETWEEN)
    if len(asked) > MOST_ASKED:
        raise MalformedError("trail", f"at most {MOST_ASKED} people are asked about one story")
    return Trail(origin=origin, asked=tuple(asked)) if origin else None


class Source(Struct, frozen=True, kw_only=True):
    """Whom somebody had it from, when and where."""

    teller: CharacterId
    tick: int
    place: PlaceId | None
    said: str


class Answer(Struct, frozen=True, kw_only=True):
    """What somebody says when asked how they come to believe a story."""

    who: CharacterId
    entry_id: EntryId | None = None
    statement: str = ""
    """In the words in which they hold it."""
    confidence: float = 0.0
    sources: tuple[Source, ...] = ()
    first_hand: str = ""
    """How they know it by themselves, where nobody told them."""
    why_not: str = ""
    """Why they say nothing."""

    @property
    def is_root(self) -> bool:
        """Whether it goes no further back: nobody told them, or the player did."""
        return bool(self.first_hand) or any(s.teller == PLAYER for s in self.sources)

    @property
    def band(self) -> Band:
        """How sure they are, in a word."""
        return band_of(self.confidence)


class Traced(Struct, frozen=True, kw_only=True):
    """How far a story was followed back."""

    trail: Trail
    answers: tuple[Answer, ...] = ()

    @property
    def is_at_root(self) -> bool:
        """Whether somebody who was asked had it from nobody."""
        return any(answer.is_root for answer in self.answers)

    @property
    def named(self) -> tuple[CharacterId, ...]:
        """Who was named and not asked yet."""
        tellers = dict.fromkeys(s.teller for answer in self.answers for s in answer.sources)
        return tuple(who for who in tellers if who != PLAYER and who not in self.trail.asked)


async def follow(playthrough_id: PlaythroughId, trail: Trail, *, open_uow: OpenUnitOfWork) -> Traced:
    """Return what everybody who was asked answers, each naming their own tellers alone."""
    answers = [await _answer(playthrough_id, trail.origin, who, open_uow=open_uow) for who in trail.asked]
    return Traced(trail=trail, answers=tuple(answers))


async def ask(
    playthrough_id: PlaythroughId, trail: Trail, who: CharacterId, spot: Spot, *, open_uow: OpenUnitOfWork
) -> tuple[Trail, Answer]:
    """Ask one more, who must be here.

    Raises:
        ContentError: they are not here, or too many were asked.
        UnknownCharacterError: it is nobody of this world.
    """
    check_here(who, spot)
    if len(trail.asked) >= MOST_ASKED:
        raise ContentError("trail", f"at most {MOST_ASKED} people are asked about one story; begin anew")
    answer = await _answer(playthrough_id, trail.origin, who, open_uow=open_uow)
    return trail.and_then(who), answer


async def _answer(
    playthrough_id: PlaythroughId, origin: EntryId, who: CharacterId, *, open_uow: OpenUnitOfWork
) -> Answer:  # fmt: skip
    question = Question(holder=who, origin=origin, as_character=who)
    try:
        chain = (await answer_why(playthrough_id, question, open_uow=open_uow)).chain
    except NoBeliefError:
        return Answer(who=who, why_not="knows nothing of it")
    async with open_uow(playthrough_id) as uow:
        (entry,), _ = await uow.ledger.get((chain.entry_id,))
    if not may_be_said(entry):
        return Answer(who=who, why_not="says nothing of it")
    return _said(who, entry, chain.links)


def may_be_said(entry: LedgerEntry) -> bool:
    """Say whether somebody who knows an entry may tell the player; what stands under a condition they do not."""
    told = entry.disclosure
    if PLAYER in entry.unaware:
        return False
    return told.mode is DisclosureMode.OPEN or (PLAYER in told.to and not told.when)


def _said(who: CharacterId, entry: LedgerEntry, links: tuple[ChainLink, ...]) -> Answer:
    own = links[0]
    return Answer(
        who=who,
        entry_id=entry.entry_id,
        statement=own.statement,
        confidence=own.confidence if own.left is None else own.left,
        sources=tuple(
            Source(teller=k.teller, tick=k.tick, place=k.place, said=k.said or k.statement) for k in links if k.teller
        ),
        first_hand="" if own.teller else first_hand(own.how),
    )
