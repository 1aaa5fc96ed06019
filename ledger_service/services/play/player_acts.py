"""What the player can do somewhere: deeds, gifts and stories that the world itself offers, and the events they are."""

from typing import Final, assert_never

from msgspec import Struct

from ledger_service.domain.entries import Channel
from ledger_service.domain.errors import ContentError
from ledger_service.domain.events import Deed, Happened, Moved, Told
from ledger_service.domain.ids import PLAYER, CharacterId, EntryId, PlaceId
from ledger_service.domain.worlds import Ladder, World

LONGEST: Final = 500
"""So many letters of what the player says or gives are taken."""
A_GIFT: Final = "a gift"
AMENDS: Final = "the player has made amends"
_TARGET: Final = "{target}"


class Offer(Struct, frozen=True, kw_only=True):
    """A deed that the world has a ladder for, or a story that can be whispered, in its mildest words."""

    ladder: str
    statement: str
    weight: float
    """What seeing it does to an opinion: blame below 0, praise above."""


class Spot(Struct, frozen=True, kw_only=True):
    """Where the player is, None being nowhere yet, and who could be spoken to there."""

    place: PlaceId | None
    people: tuple[CharacterId, ...] = ()


class Go(Struct, frozen=True, kw_only=True):
    """Go somewhere."""

    to: PlaceId


class Do(Struct, frozen=True, kw_only=True):
    """Do one of the deeds that the world has a ladder for."""

    ladder: str
    is_unseen: bool = False
    """With nobody looking on."""


class Give(Struct, frozen=True, kw_only=True):
    """Give somebody something, by an event that the world declares."""

    event: str
    to: CharacterId
    what: str = ""


class Whisper(Struct, frozen=True, kw_only=True):
    """Tell one person something that nobody else hears; it is the player's word and no more."""

    to: CharacterId
    say: str = ""
    """Blank: the mildest words of the ladder."""
    ladder: str = ""
    about: str = PLAYER


class Clear(Struct, frozen=True, kw_only=True):
    """Put a story right, before everybody here or before one of them."""

    origin: EntryId
    say: str = ""
    before: CharacterId = ""
    """One listener; blank is everybody here."""


Act = Go | Do | Give | Whisper | Clear


def deeds_of(world: World) -> tuple[Offer, ...]:
    """Return what the player can do of which the world has an opinion: what a custom makes of a deed is no deed."""
    readings = {custom.ladder for custom in world.customs}
    return tuple(
        _offer(ladder)
        for ladder in world.ladders
        if ladder.weight(1) and ladder.id not in readings and ladder.subject in {None, PLAYER}
    )


def stories_of(world: World) -> tuple[Offer, ...]:
    """Return the stories that can be whispered."""
    return tuple(map(_offer, world.ladders))


def gifts_of(world: World) -> tuple[str, ...]:
    """Return the declared events by which something is given: those that a custom reads as done to somebody."""
    read = {custom.event for custom in world.customs if _TARGET in custom.reads_as}
    return tuple(event.name for event in world.events if event.name in read)


def _offer(ladder: Ladder) -> Offer:
    return Offer(ladder=ladder.id, statement=ladder.wording(1), weight=ladder.weight(1))


def event_of(act: Act, spot: Spot, world: World) -> Moved | Deed | Happened | Told:
    """Return what the game reports when the player does it.

    Raises:
        ContentError: it is not on offer, somebody is not here, the player is nowhere yet, or a text is too long.
    """
    if spot.place is None and not isinstance(act, Go):
        raise ContentError("place", "the player is nowhere yet: go somewhere first")
    match act:
        case Go(to=to):
            return Moved(who=PLAYER, to=to)
        case Do():
            return _deed(act, spot, world)
        case Give():
            return _gift(act, spot, world)
        case Whisper():
            return _whisper(act, spot, world)
        case Clear():
            return _amends(act, spot)
        case _:
            assert_never(act)


def _deed(act: Do, spot: Spot, world: World) -> Deed:
    offer = next((one for one in deeds_of(world) if one.ladder == act.ladder), None)
    if offer is None:
        raise ContentError("deed", f"{act.ladder!r} is nothing that the player can do in this world")
    channel = Channel.PRIVATE if act.is_unseen else Channel.OPEN
    return Deed(
        actor=PLAYER, place=spot.place, statement=offer.statement, ladder=offer.ladder, subject=PLAYER, channel=channel
    )


def _gift(act: Give, spot: Spot, world: World) -> Happened:
    if act.event not in gifts_of(world):
        raise ContentError("event", f"{act.event!r} gives nobody anything in this world")
    check_here(act.to, spot)
    what = _text("what", act.what) or A_GIFT
    giver, taker = (_name(who, world) for who in (PLAYER, act.to))
    said = f"{giver} gave {taker} {what}"
    return Happened(name=act.event, actor=PLAYER, target=act.to, place=spot.place, statement=said)


def _whisper(act: Whisper, spot: Spot, world: World) -> Told:
    check_here(act.to, spot)
    ladder = world.find_ladder(act.ladder)
    if act.ladder and ladder is None:
        raise ContentError("ladder", f"{act.ladder!r} is no ladder of this world")
    say = _text("say", act.say) or (ladder.wording(1) if ladder is not None else "")
    if not say:
        raise ContentError("say", "is blank: say what is to be whispered, or choose one of the stories")
    return Told(
        teller=PLAYER, listener=act.to, statement=say, place=spot.place, channel=Channel.PRIVATE,
        ladder=act.ladder or None, subject=act.about if ladder is None else _subject(ladder),
    )  # fmt: skip


def _subject(ladder: Ladder) -> str | None:
    """A ladder says whom its stories are about; one that weighs and does not say so is about the player."""
    return ladder.subject or (PLAYER if ladder.weight(1) else None)


def _amends(act: Clear, spot: Spot) -> Deed:
    say = _text("say", act.say) or AMENDS
    if act.before:
        check_here(act.before, spot)
    channel = Channel.PRIVATE if act.before else Channel.OPEN
    return Deed(
        actor=PLAYER, place=spot.place, target=act.before or None, statement=say, subject=PLAYER, corrects=act.origin,
        channel=channel,
    )  # fmt: skip


def check_here(who: CharacterId, spot: Spot) -> None:
    """Refuse somebody who is elsewhere, or who can be told nothing.

    Raises:
        ContentError: they cannot be spoken to here.
    """
    if who not in spot.people:
        raise ContentError("who", f"{who or 'nobody'} is not here to be spoken to")


def _text(name: str, given: str) -> str:
    text = " ".join(given.split())
    if len(text) > LONGEST:
        raise ContentError(name, f"has {len(text):,} letters, and at most {LONGEST} are taken")
    return text


def _name(who: CharacterId, world: World) -> str:
    found = world.find_character(who)
    return who if found is None else found.name
