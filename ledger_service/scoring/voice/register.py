"""Whether a line keeps to its speaker's register: several marks of a manner of speaking that the card has none of."""

from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from ledger_service.domain.rubric import Code, Finding, Severity
from ledger_service.domain.worlds import VoiceCard
from ledger_service.scoring.voice.manners import manner, manners

_MARKS: Final = 2
"""How many different marks of a manner it takes: one may be a word that anybody uses now and then."""


class Manner(Struct, frozen=True, kw_only=True):
    """A way of speaking, how it is called, and the list of what a card says of those who speak so."""

    name: str
    called: str
    of_register: str
    only_against: bool = False
    """It breaks a voice only where the card says the opposite: plain folk are everywhere."""


_MANNERS: Final = (
    Manner(name="flowery", called="flowery", of_register="speaks_flowery"),
    Manner(name="gushing", called="gushing", of_register="speaks_gushing"),
    Manner(name="formal", called="stiff and official", of_register="speaks_formal"),
    Manner(name="modern", called="of today's talk", of_register="speaks_modern"),
    Manner(name="technical", called="a machine's or a report's", of_register="speaks_technical"),
    Manner(name="obliging", called="that of a counter or a help desk", of_register="speaks_obliging"),
    Manner(name="pirate", called="a stage sailor's", of_register="speaks_pirate"),
    Manner(name="folksy", called="homely", of_register="speaks_high", only_against=True),
)


def out_of_register(text: str, card: VoiceCard) -> Iterator[Finding]:
    """Find a manner of speaking that neither the register nor the sample lines of the card show."""
    if not card.register or not card.samples:
        return
    for kind in _MANNERS:
        said = [m for pattern in manners(kind.name) if (m := pattern.search(text)) is not None]
        if len(said) >= _MARKS and not _is_shown(kind, card):
            first = min(said, key=lambda m: m.start())
            why = f"it is {kind.called}, and nothing on the card is: {first.group()}"
            yield Finding(
                code=Code.VOICE_BREAK, explanation=why, severity=Severity.MAJOR, span=first.group(), start=first.start()
            )
            return


def _is_shown(kind: Manner, card: VoiceCard) -> bool:
    """Say whether a card has this manner: named in its register, or shown in a sample, a favourite, an address."""
    named = manner(kind.of_register).search(card.register) is not None
    if kind.only_against and not named:
        return True
    own = " ".join((*card.samples, *card.favourites, *card.address))
    return (named and not kind.only_against) or any(p.search(own) for p in manners(kind.name))
