"""Whom and what a line names that its packet does not hold: nobody hears of them by a line that a model made up."""

import re
from collections.abc import Iterable
from typing import Final

from ledger_service.domain.packets import ContextPacket
from ledger_service.domain.replies import Claim
from ledger_service.domain.terms import is_stopword, stem, term_set, words
from ledger_service.domain.worlds import Character, Place, Thing, World

_NOUNS_ARE_CAPITAL: Final = frozenset({"de"})
_PIECE: Final = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*|[.!?…:;\n\"“”«»()*\[\]—-]|[^\w\s]")
_BEGINS: Final = frozenset('.!?…:;\n"“”«»()*[]—-')
_ANYBODYS: Final = frozenset("god lord lady i monday tuesday wednesday thursday friday saturday sunday".split())
_TALK: Final = frozenset("word truth trouble rumour talk news folk people work business".split())
_VERBS: Final = frozenset(
    """
    is was has had did does will would could can may might must says said tells told knows knew thinks thought wants
    wanted came comes went goes took takes saw sees made makes gave gives brought brings heard hears found finds lives
    lived works worked owns owned keeps kept left stole steals bought sold asked asks and
    """.split()
)
"""What follows a name that begins a sentence, and hardly ever another word."""


def outsiders(
    text: str, claims: Iterable[Claim], visible: Iterable[Claim], packet: ContextPacket, world: World
) -> tuple[str, ...]:
    """Return what a line names that is in nothing its speaker was handed; `visible` is the prompt, read alike.

    Of the world, that is anybody, any place and any thing, under whatever name, and any story in an authored wording.
    Names that are of nobody in the world count too: whom a model invents is in no packet.
    """
    said = tuple(claims)
    handed = {who for claim in visible for who in claim.mentions} | {packet.speaker, *packet.audience}
    named = {who: None for claim in said for who in claim.mentions if who not in handed}
    named |= dict.fromkeys(_by_whole_name(text, packet, world))
    ladders = (rung for ladder in world.ladders for rung in ladder.rungs)
    return (
        *(_name_of(who, world) for who in named),
        *_told(text, ladders, packet),
        *_strangers(text, said, packet, world),
    )


def _by_whole_name(text: str, packet: ContextPacket, world: World) -> Iterable[str]:
    """Yield those named in full of whom the packet has a word at most: `a child` is not yet `the child`."""
    said, handed = _plain(text), _plain(f"{packet.prompt} {packet.line}")
    present = {packet.speaker, *packet.audience}
    for one in _everything(world):
        names = [_plain(name) for name in (one.id, one.name, *one.aliases)]
        is_named = any(name in said for name in names[1:])
        if is_named and one.id not in present and not any(name in handed for name in names):
            yield one.id


def _plain(text: str) -> str:
    return f" {' '.join(words(text))} "


def _name_of(who: str, world: World) -> str:
    return next((x.name for x in _everything(world) if x.id == who), who)


def _everything(world: World) -> tuple[Character | Place | Thing, ...]:
    return (*world.cast, *world.places, *world.things)


def _told(text: str, wordings: Iterable[str], packet: ContextPacket) -> Iterable[str]:
    """Yield the authored wordings that a line tells and no single thing in the packet does."""
    told = term_set(text)
    handed = [term_set(known) for known in (packet.line, *(s.statement for s in packet.selected))]
    for wording in dict.fromkeys(wordings):
        terms = term_set(wording)
        if terms and terms <= told and not any(terms <= known for known in handed):
            yield wording


def _strangers(text: str, claims: tuple[Claim, ...], packet: ContextPacket, world: World) -> Iterable[str]:
    """Yield capitalised names that are of nobody in the world, and stand in nothing the speaker was handed."""
    if any(claim.lang in _NOUNS_ARE_CAPITAL for claim in claims):
        return
    names = (name for x in _everything(world) for name in (x.name, *x.aliases))
    known = {stem(word) for word in words(" ".join((packet.prompt, packet.line, *names)))}
    pieces = _PIECE.findall(text)
    for before, piece, after in zip(["\n", *pieces], pieces, [*pieces[1:], "\n"], strict=False):
        if _is_capital(piece) and not _is_known(piece, known) and (before not in _BEGINS or _is_name(piece, after)):
            yield piece


def _is_capital(piece: str) -> bool:
    return piece[:1].isupper() and len(piece) > 1 and not is_stopword(piece.casefold())


def _is_known(piece: str, known: set[str]) -> bool:
    bare = piece.casefold()
    return bare in _ANYBODYS or {stem(word) for word in words(bare)} <= known


def _is_name(piece: str, after: str) -> bool:
    """Say whether the first word of a sentence is a name by what follows; any other word could begin it as well."""
    return piece.casefold() not in _TALK and after.casefold() in _VERBS
