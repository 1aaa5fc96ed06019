"""Re-voicing: another wording of a telling may sound like its teller, and may not change whom, how many or how bad."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final

from msgspec import Struct

from ledger_service.domain.ids import PLAYER
from ledger_service.domain.rumours import Telling
from ledger_service.domain.terms import content_terms
from ledger_service.domain.worlds import Ladder, World

LONGEST: Final = 300
KEPT: Final = 0.5
"""Of the words that carry what was told, so many are still there."""
_NUMBERS: Final = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
    "eleven": 11, "twelve": 12, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "hundred": 100, "hundreds": 200,
    "thousand": 1_000, "thousands": 2_000, "dozen": 12, "dozens": 24, "twice": 2, "thrice": 3, "half": 1, "both": 2,
}  # fmt: skip
_WORD: Final = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_DENIES: Final = re.compile(r"\b(?:not|never|nobody|nothing|none|without)\b|n['’]t\b", re.IGNORECASE)
_HEDGES: Final = frozenset({"maybe", "perhaps", "possibly", "allegedly", "supposedly", "might", "could"})
_GRAVE: Final = frozenset(
    (
        "kill killed kills murder murdered murders murderer stab stabbed burn burned burnt fire blood dead death died"
        " poison poisoned hanged tortured raped maimed crippled army war gang thief thieves robber robbers bandit"
        " bandits traitor devil demon hero saint saved rescued"
    ).split()
)
"""Words that make a story another one; they stand in a new wording only where they stood in what was told."""


class Order(Struct, frozen=True, kw_only=True):
    """What a model is asked: how somebody would say what was told."""

    system: str
    told: str


def order_for(telling: Telling, world: World) -> Order:
    """Return what to ask for a telling: nothing but its own words and its teller's manner go out."""
    teller = world.find_character(telling.teller)
    listener = world.find_character(telling.listener)
    name = teller.name if teller is not None else telling.teller
    to = listener.name if listener is not None else telling.listener
    manner = f" in this manner: {teller.voice.register}" if teller is not None and teller.voice.register else ""
    return Order(
        system=(
            f"Say in one sentence what {name} tells {to}{manner}. Keep every name and number, and make it neither"
            " better nor worse. Answer with the sentence and nothing else."
        ),
        told=telling.statement,
    )


def unfit(text: str, telling: Telling, *, world: World, ladder: Ladder | None, nearness: Mapping[int, int]) -> str:
    """Say why a wording may not stand for a telling; nothing where it may.

    `nearness` is how close in meaning it is to each rung of the ladder, in thousandths.
    """
    told = telling.statement
    if not text.strip() or "\n" in text.strip() or len(text) > LONGEST:
        return "is no single sentence"
    if _named(text, world) != _named(told, world):
        return "names somebody or something else"
    if stranger := _stranger(text, told, world):
        return f"names {stranger!r}, which nobody told"
    if _numbers(text) != _numbers(told):
        return "counts otherwise"
    if bool(_DENIES.search(text)) != bool(_DENIES.search(told)) or _doubts(text) != _doubts(told):
        return "denies or doubts what was told"
    if worse := (_words(text) & _GRAVE) - _words(told):
        return f"changes how bad it is ({', '.join(sorted(worse))})"
    return _another_rung(text, telling, ladder, nearness) or _another_story(text, told)


def _another_rung(text: str, telling: Telling, ladder: Ladder | None, nearness: Mapping[int, int]) -> str:
    if ladder is None or telling.statement not in ladder.rungs:
        return ""
    mine = set(content_terms(telling.statement))
    said = set(content_terms(text))
    for rung, wording in enumerate(ladder.rungs, start=1):
        if rung != telling.severity and said & (set(content_terms(wording)) - mine):
            return f"speaks of rung {rung}"
    nearest = max(nearness, key=lambda rung: (nearness[rung], rung == telling.severity), default=telling.severity)
    return "" if nearest == telling.severity else f"sounds like rung {nearest}"


def _another_story(text: str, told: str) -> str:
    carried = set(content_terms(told))
    if len(carried & set(content_terms(text))) < KEPT * len(carried):
        return "tells something else"
    return ""


def _words(text: str) -> set[str]:
    return {word.casefold() for word in _WORD.findall(text)}


def _doubts(text: str) -> bool:
    return bool(_words(text) & _HEDGES)


def _numbers(text: str) -> Counter[int]:
    return Counter(n for word in _WORD.findall(text.casefold()) if (n := _number(word)) is not None)


def _number(word: str) -> int | None:
    if word.isdecimal():
        return int(word)
    return _NUMBERS.get(word)


def _names(world: World) -> Iterable[tuple[str, str]]:
    """Yield every name that the world has for anybody or anything, with what it names."""
    yield from ((PLAYER, name) for name in ("the player", "player"))
    named = (
        *((c.id, c.name, c.aliases) for c in world.cast),
        *((p.id, p.name, p.aliases) for p in world.places),
        *((t.id, t.name, t.aliases) for t in world.things),
    )
    for what, name, aliases in named:
        yield from ((what, called) for called in (name, *aliases, *name.split()[:1]))


def _named(text: str, world: World) -> frozenset[str]:
    said = f" {' '.join(_WORD.findall(text.casefold()))} "
    found = ((who, " ".join(_WORD.findall(name.casefold()))) for who, name in _names(world))
    return frozenset(who for who, name in found if name not in {"the", "a", "an"} and f" {name} " in said)


def _stranger(text: str, told: str, world: World) -> str:
    """Return the first word written like a name, within the sentence, that neither the telling nor the world has."""
    known = _words(told) | {word for _, name in _names(world) for word in _words(name)}
    inside = list(_WORD.finditer(text))[1:]
    found = (
        m[0] for m in inside if m[0][0].isupper() and m[0] not in {"I", "I'm", "I’m", "I'd", "I’d", "I've", "I’ve"}
    )
    return next((word for word in found if word.casefold() not in known and not _begins(text, word)), "")


def _begins(text: str, word: str) -> bool:
    """Say whether a word only begins a further sentence, where every word is written so."""
    return re.search(rf"[.!?…]['\"”’)]*\s+{re.escape(word)}\b", text) is not None
