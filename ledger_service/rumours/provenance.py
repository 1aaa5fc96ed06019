"""The chain behind a belief, told step by step."""

from collections.abc import Callable

from ledger_service.domain.confidence import band_of
from ledger_service.domain.rumours import ChainLink, ProvenanceChain


def in_words(chain: ProvenanceChain, *, name_of: Callable[[str], str] = lambda who: who) -> list[str]:
    """Tell a chain from the belief back to who saw it, a sentence for each step."""
    return [_sentence(link, name_of) for link in chain.links]


def _sentence(link: ChainLink, name_of: Callable[[str], str]) -> str:
    holder = name_of(link.holder) if link.holder else "those who were there"
    sure = f"{band_of(link.confidence)}, {link.confidence:.2f}"
    where = f" at {link.place.replace('_', ' ')}" if link.place else ""
    if link.teller is not None:
        verb = "said it themselves" if link.how == "player_claim" else f"told {holder}"
        return f"tick {link.tick}{where}: {name_of(link.teller)} {verb}: {link.statement} ({sure})"
    how = {
        "witnessed": "saw it",
        "document": "read it",
        "self": "knows it of themselves",
        "engine": "is told by the game",
    }
    return f"tick {link.tick}{where}: {holder} {how.get(link.how, link.how)}: {link.statement} ({sure})"
