"""Whether a reply gives something a value, or somebody a share, other than the one on record."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from ledger_service.domain.replies import Claim, Stance
from ledger_service.domain.rubric import Code, Finding
from ledger_service.domain.terms import stem, words
from ledger_service.scoring.heard.facts import Fact
from ledger_service.scoring.heard.hearing import SAID_PLAINLY, Hearing, found

_SHARES: Final = re.compile(
    r"([\w']+) (?:gets?|takes?|has|have|keeps?|receives?|(?:will|shall) (?:get|have|take|keep|receive)|owes?|pays?)"
    r" ((?:\d+ [a-z]+(?:,? and |, ?| )?)+)",
    re.IGNORECASE,
)
_SHARE: Final = re.compile(r"(\d+) ([a-z]+)", re.IGNORECASE)

_NAME: Final = "name"
_UNIT: Final = re.compile(r"^ \d+ ?([a-z]{1,8}) $")
_MEASURE: Final = re.compile(r"\b(\d+)( ?)([a-z]{1,8})\b")
_DAYS: Final = (
    re.compile(r"the \d{1,2}(?:st|nd|rd|th)"),
    re.compile(r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"),
)
_ENOUGH: Final = 2
Things = dict[str, dict[str, set[str]]]
Shares = dict[tuple[str, str], int]


def values(hearing: Hearing) -> Iterator[Finding]:
    """Find values that are on record, and of no one thing together: of each thing, another one stands there."""
    facts = [f for f in hearing.selected if f.entry.slot is not None and f.entry.slot.polarity]
    things = _things(facts)
    if not things:
        return
    asked = _named(_norm(hearing.packet.line), things)
    for claim in hearing.claims:
        said = _named(_norm(claim.text), things) if claim.stance in SAID_PLAINLY else {}
        if claim.negative and _only_touches(claim, said):
            continue
        wrong = _denied(said, asked, things) if claim.negative else _misfit(said, asked, things)
        if wrong is not None:
            subject, predicate = wrong
            right = ", ".join(sorted(things[subject][predicate]))
            ids = tuple(
                f.entry_id for f in facts
                if f.entry.slot is not None and (f.entry.slot.subject, f.entry.slot.predicate) == wrong
            )  # fmt: skip
            stated = ", ".join(sorted(said[predicate]))
            why = f"the {predicate} of {subject} is {right}" + ("" if claim.negative else f", not {stated}")
            yield found(Code.CONTRADICTS_ENTRY, claim, why, *ids)
            return


def _only_touches(claim: Claim, said: dict[str, set[str]]) -> bool:
    """Say whether a no names the thing and is about something else: "you came back without the sensor"."""
    names = {stem(word) for name in said.get(_NAME, ()) for word in words(name)}
    return set(said) == {_NAME} and bool(set(claim.terms) - names)


def _things(facts: list[Fact]) -> Things:
    """Return what is on record of each subject: predicate to values; its own name is one of them."""
    things: Things = {}
    for fact in facts:
        slot = fact.entry.slot
        if slot is not None:
            thing = things.setdefault(slot.subject, {_NAME: {slot.subject}})
            thing.setdefault(slot.predicate, set()).add(slot.object)
    return things


def _named(said: str, things: Things) -> dict[str, set[str]]:
    """Return the values that a text names, by predicate."""
    named: dict[str, set[str]] = {}
    for thing in things.values():
        for predicate, listed in thing.items():
            values_listed = frozenset(listed)
            hits = {value for value in listed if _has(said, value)} | _measures(said, values_listed)
            hits |= _days(said, values_listed)
            if hits:
                named.setdefault(predicate, set()).update(hits)
    return named


def _denied(said: dict[str, set[str]], asked: dict[str, set[str]], things: Things) -> tuple[str, str] | None:
    """Return the thing and the predicate of which a claim says that it is not what it is on record as."""
    wanted = {**{p: v for p, v in asked.items() if p not in said}, **said}
    for subject in sorted(things) if said and len(wanted) >= _ENOUGH else ():
        if all(p in things[subject] and _alike(things[subject][p], v) for p, v in wanted.items()):
            return subject, sorted(said)[-1]
    return None


def _alike(on_record: set[str], said: set[str]) -> bool:
    """Say whether one of the values said is on record, however its words are joined."""
    return not {_norm(v).replace(" ", "") for v in on_record}.isdisjoint(_norm(v).replace(" ", "") for v in said)


def _measures(said: str, listed: frozenset[str]) -> set[str]:
    """Return numbers in the units of a predicate's values, also where no value has that number."""
    units = {unit for value in listed for unit in _UNIT.findall(_norm(value))}
    units |= {"am", "pm"} if units & {"am", "pm"} else set()
    return {f"{n}{gap}{unit}" for n, gap, unit in _MEASURE.findall(said) if unit in units}


def _days(said: str, listed: frozenset[str]) -> set[str]:
    """Return days in the way of a predicate's values (the 3rd, a weekday), also where no value is that day."""
    ways = (way for way in _DAYS if any(way.fullmatch(_norm(value).strip()) for value in listed))
    return {match.group().strip() for way in ways for match in way.finditer(said)}


def _misfit(said: dict[str, set[str]], asked: dict[str, set[str]], things: Things) -> tuple[str, str] | None:
    """Return the thing that a claim is nearest to and the predicate in which it says something else, if none fits."""
    wanted = {**{p: v for p, v in asked.items() if p not in said}, **said}
    if not said or len(wanted) < _ENOUGH:
        return None
    best: tuple[int, str, list[str]] | None = None
    for subject in sorted(things):
        thing = things[subject]
        fits = [p for p, v in wanted.items() if p in thing and _alike(thing[p], v)]
        off = [p for p, v in said.items() if p in thing and not _alike(thing[p], v)]
        if not off and fits:
            return None
        if fits and (best is None or len(fits) > best[0]):
            best = (len(fits), subject, off)
    return (best[1], best[2][0]) if best is not None else None


def shares(hearing: Hearing) -> Iterator[Finding]:
    """Find the parts of a bargain put on the wrong party, or other parts than were agreed."""
    agreed = [(f, _agreed(f.entry.statement)) for f in hearing.selected]
    for claim in hearing.claims:
        said = _parts(hearing, claim.text) if claim.stance in SAID_PLAINLY | {Stance.ATTRIBUTE} else {}
        for fact, parts in agreed:
            wrong = [key for key, n in said.items() if key in parts and parts[key] != n]
            if not wrong:
                continue
            swapped = any(
                n == said[at] for at in wrong for (who, what), n in parts.items() if who != at[0] and what == at[1]
            )
            code = Code.OWNER_SWAPPED if swapped else Code.CONTRADICTS_ENTRY
            why = "; ".join(f"{who}'s {what} is {parts[who, what]}, not {said[who, what]}" for who, what in wrong)
            yield found(code, claim, why, fact.entry_id)
            break


@lru_cache(maxsize=4_096)
def _agreed(statement: str) -> Shares:
    """Return who gets how much of what, as the record has it."""
    return {
        (who.casefold(), what.casefold().removesuffix("s")): int(n)
        for who, listed in _SHARES.findall(statement)
        for n, what in _SHARE.findall(listed)
    }


def _parts(hearing: Hearing, text: str) -> Shares:
    """Return who gets how much of what, as a clause says, `I` and `you` resolved."""
    people = {"i": str(hearing.viewer), "you": str(hearing.listener)}
    return {(people.get(who, who), what): n for (who, what), n in _agreed(text).items()}


@lru_cache(maxsize=8_192)
def _norm(text: str) -> str:
    return " " + " ".join(re.findall(r"[^\W_]+", text.casefold())) + " "


def _has(said: str, name: str) -> bool:
    wanted = _norm(name)
    return len(wanted.strip()) > 1 and wanted in said
