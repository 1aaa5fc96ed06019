"""A packet in words that a writer reads: how something is known, how surely, to whom it may be said, what ends it."""

import re
from collections.abc import Iterable, Mapping
from typing import Final

from ledger_service.domain import expiry as e
from ledger_service.domain.confidence import Band, band_of
from ledger_service.domain.entries import (
    Commitment,
    Contradiction,
    EmotionalResidue,
    LedgerEntry,
    RelationshipDelta,
    kind_of,
)
from ledger_service.domain.ids import ENGINE, GROUP_PREFIX, PUBLIC, CharacterId, EntryId
from ledger_service.domain.moments import ClaimKind, Intent
from ledger_service.domain.packets import Consequence, ContextPacket, Flag, FlagKind, Reason
from ledger_service.domain.story_time import day_of, hour_of_day
from ledger_service.domain.visibility import DisclosureMode, Knower
from ledger_service.domain.worlds import World
from ledger_service.rumours.provenance import Naming

_SURE: Final = {
    Band.CONFIRMED: "is certain", Band.LIKELY: "is fairly sure", Band.UNVERIFIED: "is not sure",
    Band.DOUBTFUL: "doubts it",
}  # fmt: skip
_WITHHELD: Final = {
    Reason.NOT_VISIBLE: "{me} does not know it",
    Reason.DERIVED_FROM_HIDDEN: "it is made of something that {me} cannot see",
    Reason.OFF_BRANCH: "it belongs to a future that was left",
    Reason.RETRACTED: "it was taken back",
    Reason.QUARANTINED: "it is a draft that nobody has confirmed",
    Reason.SUSPENDED: "a reviewer set it aside",
    Reason.SAME_ORIGIN_ECHO: "it is {me}'s own story, come back",
    Reason.SUPERSEDED: "something else has taken its place",
    Reason.EXPIRED: "it is over",
    Reason.CURRENT_QUESTION: "it rests on nothing but the line that is being answered",
    Reason.STYLE_OF_OTHER: "it is how somebody else speaks",
    Reason.IDENTITY_NOT_LINKED: "{me} does not know that this is the same person",
    Reason.OTHER_SUBJECT: "it is about somebody whom nobody is speaking of",
    Reason.GATE_NOT_MET: "it may not be said to everybody who listens",
    Reason.OFF_TOPIC: "it has nothing to do with the line, and there was no room to spare",
    Reason.OVER_BUDGET: "others mattered more, and there was no more room",
}
_FLAGS: Final = {
    FlagKind.NO_RECORD: "nothing on record answers “{topic}”",
    FlagKind.FALSE_PREMISE: "the line takes for granted what the record denies: {topic}",
    FlagKind.UNSUPPORTED_CLAIM: "the line claims what nothing on record bears out: {topic}",
    FlagKind.CONTRADICTION: "two things on record cannot both hold: {topic}",
    FlagKind.SUPERSEDED: "what the line speaks of has been replaced: {topic}",
    FlagKind.EFFECT_DUE: "something falls due now: {topic}",
    FlagKind.IDENTITY_UNLINKED: "the speaker does not know who this is: {topic}",
}
_IN_OWN_WORDS: Final = frozenset({FlagKind.EFFECT_DUE, FlagKind.SUPERSEDED})
_TAKEN: Final = {
    ClaimKind.DONE: "that it has been done", ClaimKind.SAID: "that the speaker said so",
    ClaimKind.ALONE: "that the two were alone together", ClaimKind.MET: "that the two have met",
    ClaimKind.PROMISED: "that the speaker promised it", ClaimKind.OWED: "that the speaker owes it",
    ClaimKind.DUE: "that it is still the speaker's to do", ClaimKind.WITNESSED: "that the speaker was there",
    ClaimKind.DEED: "that the speaker did it", ClaimKind.SHARED: "that the two did it together",
    ClaimKind.STATE: "that it is so", ClaimKind.PLACED: "that it is where it was to be brought",
}  # fmt: skip
_STANDING: Final = re.compile(r"standing\('(\w+)',\s*'(\w+)',\s*'(\w+)'\)\s*>=?\s*(-?[\d.]+)")
_OPINION: Final = re.compile(r"opinion\('(\w+)'(?:,\s*'\w+')?\)\s*(>=?)\s*(-?[\d.]+)")
_OPEN: Final = re.compile(r"!\s*open\('([^']+)'\)")


def clock(tick: int) -> str:
    """Return story time as people say it.

    >>> clock(34)
    'day 2, 10:00'
    """
    return f"day {day_of(tick)}, {hour_of_day(tick):02d}:00"


def names(who: Iterable[str], naming: Naming) -> str:
    """Return people as a list in words.

    >>> names(["a", "b", "c"], Naming())
    'a, b and c'
    """
    called = [scope(one, naming) for one in who]
    return called[0] if len(called) == 1 else f"{', '.join(called[:-1])} and {called[-1]}" if called else "nobody"


def scope(who: str, naming: Naming) -> str:
    """Return what a knower is called, also where that is many or none."""
    if who == PUBLIC:
        return "everybody"
    if who == ENGINE:
        return "nobody in the story"
    return (
        f"the {who.removeprefix(GROUP_PREFIX).replace('_', ' ')}"
        if who.startswith(GROUP_PREFIX)
        else naming.person(who)
    )


def learnt(
    entry: LedgerEntry, me: CharacterId, naming: Naming, *, how: str, teller: CharacterId | None = None
) -> str:  # fmt: skip
    """Say how somebody came to know an entry, where and when."""
    where = f" at {naming.place(entry.place)}" if entry.place else ""
    when = clock(entry.at.tick if entry.event_tick is None else entry.event_tick)
    return f"{_way(entry, me, naming, how=how, teller=teller)}{where}, {when}"


def _way(entry: LedgerEntry, me: CharacterId, naming: Naming, *, how: str, teller: CharacterId | None) -> str:
    who = naming.person(me)
    match entry:
        case RelationshipDelta(from_whom=mine) if mine == me:
            return f"it is how {who} stands to {naming.person(entry.to)}"
        case EmotionalResidue(holder=mine) if mine == me:
            return f"{who} feels it"
        case Contradiction():
            return f"{who} knows both sides"
        case Commitment() if how == "witnessed":
            return f"{who} was there"
        case _ if entry.said_by == me:
            return f"{who} said it{f' to {names(entry.said_to, naming)}' if entry.said_to else ''}"
        case _ if entry.said_by and how == "witnessed":
            return f"{who} heard {naming.person(entry.said_by)} say it"
        case _:
            return _by_source(who, how, entry.source.by, naming.person(teller) if teller else "")


def _by_source(who: str, how: str, by: str | None, teller: str) -> str:
    told = teller or (by or "somebody").replace("_", " ")
    ways = {
        "told_by": f"{told} told {who}", "overheard": f"{who} overheard it{f' from {teller}' if teller else ''}",
        "player_claim": f"{told} claimed it to {who}",
        "document": f"{who} read it in {(by or 'a document').replace('_', ' ')}",
        "inferred": f"{who} concluded it", "derived": f"{who} worked it out from what they know",
        "self": f"{who} knows it of themselves", "engine": f"the story gives it to {who}",
        "generated_line": f"{who} has it from a generated line",
    }  # fmt: skip
    return ways.get(how, f"{who} saw it")


def how_sure(me: CharacterId, confidence: float, naming: Naming) -> str:
    """Say how sure somebody is."""
    return f"{naming.person(me)} {_SURE[band_of(confidence)]}"


def may_say(entry: LedgerEntry, audience: Iterable[CharacterId], naming: Naming, *, teller: CharacterId | None) -> str:
    """Say to whom what was selected may be said, and whom its speaker may name."""
    ears = names(audience, naming)
    to = f" to {ears}, though not to everybody" if entry.disclosure.mode is DisclosureMode.GUARDED else ""
    return f"may say it{to}{f', naming only {naming.person(teller)}' if teller else ''}"


def gate(entry: LedgerEntry, naming: Naming) -> str:
    """Say to whom an entry may be said at all."""
    unaware = f"; {names(entry.unaware, naming)} must not learn it" if entry.unaware else ""
    match entry.disclosure.mode:
        case DisclosureMode.SECRET:
            return f"to nobody: who knows it acts on it, and never says it{unaware}"
        case DisclosureMode.GUARDED:
            to = f"to {names(entry.disclosure.to, naming)}" if entry.disclosure.to else ""
            when = f"where {entry.disclosure.when} holds" if entry.disclosure.when else ""
            return f"{', or '.join(filter(None, (to, when))) or 'to nobody yet'}{unaware}"
        case _:
            return f"to anybody{unaware}"


def knower_in_words(knower: Knower, entry: LedgerEntry, naming: Naming) -> str:
    """Say how one of those who know an entry knows it."""
    if knower.who in {PUBLIC, ENGINE} or knower.who.startswith(GROUP_PREFIX):
        return f"{scope(knower.who, naming)}, since {clock(knower.since_tick)}"
    return learnt(entry, knower.who, naming, how=knower.how, teller=knower.from_whom)


def ending(entry: LedgerEntry, world: World) -> str:
    """Say what would change or end an entry."""
    parts = [_expiry(entry.expires, world)]
    if isinstance(entry, Commitment):
        parts += [f"it is kept once {entry.fulfilled_when}"] if entry.fulfilled_when else []
        parts += [f"it is broken once {entry.broken_when}"] if entry.broken_when else []
        parts += [f"it falls due with {_event(entry.trigger, world)}"] if entry.trigger else []
        parts += [f"it falls due on {clock(entry.due)}"] if entry.due is not None else []
    if isinstance(entry, Contradiction):
        return "an event or a person settles it; both sides are kept"
    if kind_of(entry) in world.forgetting.kinds:
        parts.append("it does not fade" if entry.protected else "it fades as days go by")
    return "; ".join(filter(None, parts)) or "nothing by itself; an event that says otherwise, or a correction"


def _expiry(when: e.Expiry, world: World) -> str:
    match when:
        case e.AtTick(tick=tick):
            return f"it ends on {clock(tick)}"
        case e.AfterScenes(scenes=n):
            return f"it ends after {n} scene{'s' if n > 1 else ''}"
        case e.AfterTurns(turns=n):
            return f"it ends after {n} turn{'s' if n > 1 else ''}"
        case e.OnEvent(name=name):
            return f"it ends when {_event(name, world)}"
        case e.AnyOf(of=several):
            return ", or ".join(_expiry(one, world) for one in several)
        case e.AllOf(of=several):
            return ", and ".join(_expiry(one, world) for one in several)
        case _:
            return ""


def _event(name: str, world: World) -> str:
    declared = next((event for event in world.events if event.name == name), None)
    return (declared.means if declared is not None and declared.means else "") or name.replace("_", " ")


def why_withheld(reason: Reason, me: CharacterId, naming: Naming) -> str:
    """Say why entries of one reason were held back."""
    return _WITHHELD[reason].format(me=naming.person(me))


def flag_in_words(flag: Flag, statements: Mapping[EntryId, str]) -> str:
    """Say what the record says of the line; of what falls due or was replaced, in its own words."""
    own = next((statements[i] for i in flag.entry_ids if i in statements), "") if flag.kind in _IN_OWN_WORDS else ""
    return _FLAGS[flag.kind].format(topic=own or flag.topic) + (
        f" ({flag.detail.replace('_', ' ')})" if flag.detail else ""
    )


def intent_in_words(intent: Intent, world: World) -> tuple[tuple[str, str], ...]:
    """Return what a line was read as, each with what it is."""
    called = (
        {c.id: c.name for c in world.cast} | {p.id: p.name for p in world.places} | {t.id: t.name for t in world.things}
    )
    actions = {a.id: a.name for a in world.actions}
    asks = "; ".join(f"{a.kind} {a.label}".strip() for a in intent.asks)
    takes = "; ".join(f"{_TAKEN[c.kind]}{f': {c.label}' if c.label else ''}" for c in intent.presupposes)
    says = "; ".join(c.label or str(c.kind) for c in intent.asserts)
    found = (
        ("asks for", ", ".join(actions.get(a, a) for a in intent.actions)), ("asks", asks), ("says", says),
        ("takes for granted", takes),
        ("mentions", ", ".join(called.get(m, actions.get(m, m)) for m in intent.mentions)),
    )  # fmt: skip
    return tuple((word, said) for word, said in found if said)


def consequence_in_words(found: Consequence, packet: ContextPacket, world: World) -> str:
    """Say what is granted or refused, what it needs and has, and what would change it.

    It reads `refuses to use the transmitter: needs standing in reliability of 1, has 0; would change if it comes back`.
    """
    action = next((a.name for a in world.actions if a.id == found.action), found.action.replace("_", " "))
    verb = "grants" if found.outcome == "granted" else "refuses"
    price = f", at {found.price}" if found.price else ""
    needs = "; ".join(_needs(found, packet, world)) if found.outcome != "granted" else ""
    change = f"; would change if {found.would_change}" if found.would_change else ""
    return f"{verb} “{action}”{price}{f': {needs}' if needs else ''}{change}"


def _needs(found: Consequence, packet: ContextPacket, world: World) -> Iterable[str]:
    rule = next((r for r in world.rules if r.id == found.rule), None)
    if rule is None:
        return
    has = {(s.from_whom, s.to, s.scope): s.amount for s in packet.standings}
    for me, other, kind, least in _STANDING.findall(rule.grant_when):
        amount = has.get((me, other, kind), 0.0)
        if amount < float(least):
            yield f"needs standing in {kind.replace('_', ' ')} of {float(least):g}, has {amount:g}"
    opinions = {o.who: o.value for o in found.opinions}
    for who, sign, least in _OPINION.findall(rule.grant_when):
        held = opinions.get(who, 0.0)
        if held < float(least) or (sign == ">" and held == float(least)):
            yield f"needs an opinion of {'more than ' if sign == '>' else ''}{float(least):g}, has {held:g}"
    for name in _OPEN.findall(rule.grant_when):
        if any(c.status == "open" for c in packet.commitments):
            yield f"waits for “{name.replace('_', ' ')}” to be settled"
