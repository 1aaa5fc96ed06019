"""The template speaker: says what a packet holds, as this character to this listener, and nothing besides."""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from msgspec import Struct

from ledger_service.domain.confidence import Band, band_of
from ledger_service.domain.entries import Status
from ledger_service.domain.ids import NARRATOR, CharacterId
from ledger_service.domain.moments import AskKind, ClaimKind, LineClaim
from ledger_service.domain.packets import CommitmentLine, ContextPacket, Flag, FlagKind, Selected
from ledger_service.domain.replies import Reply
from ledger_service.domain.terms import stem, term_set, words
from ledger_service.domain.worlds import Character, VoiceCard, World
from ledger_service.responders.grammar import Persons, contracted, expanded, persons_of, promised, sentence, spoken
from ledger_service.responders.tone import opening_of, parting_of

_SECOND_HAND: Final = frozenset({"told_by", "overheard", "player_claim", "generated_line"})
_STANCES: Final = frozenset({"emotional_residue", "relationship_delta", "contradiction", "commitment"})
_MOST_FACTS: Final = 2
_NOT_KNOWN: Final = {
    AskKind.WHO: "I do not know who",
    AskKind.CULPRIT: "I have no name to give you",
    AskKind.WHEN: "I do not know when",
    AskKind.WHERE: "I do not know where",
    AskKind.WHY: "I do not know why",
}


class _Line(Struct, frozen=True, kw_only=True):
    """A sentence to be said, and how much it matters; what matters least goes first when there is no room."""

    text: str
    weight: int


class TemplateResponder:
    """Always works: no model, no network, and the same line for the same packet."""

    name = "template"

    async def reply(self, packet: ContextPacket, world: World) -> Reply:
        """Speak from the packet alone."""
        return Reply(text=line_of(packet, world), responder=self.name)


def line_of(packet: ContextPacket, world: World) -> str:
    """Return the line: the answer first, then what is due, in the speaker's register and mood."""
    speech = _Speech(packet, world)
    return _in_voice(list(speech.lines()), packet, speech.card)


class _Speech:
    """One packet being put into words; keeps what has been said, so that nothing is said twice."""

    def __init__(self, packet: ContextPacket, world: World) -> None:
        self.packet = packet
        self.world = world
        self.character = world.find_character(packet.speaker) or Character(id="somebody", name=packet.speaker)
        self.card = self.character.voice
        self.persons: Persons = persons_of(world, packet.speaker, packet.audience)
        self.items = {s.entry_id: s for s in packet.selected}
        self.said: set[str] = set()
        self.topic = _topic(packet)

    def lines(self) -> Iterator[_Line]:
        """Yield sentences in the order in which they are said."""
        if self.packet.speaker == NARRATOR:
            yield from self._narrated()
            return
        opened = self.packet.intent.greeting
        if opened:
            yield _Line(text=opening_of(self.packet, greeting=True), weight=9)
        for part in (self._premises, self._consequences, self._contradictions, self._facts, self._unknown):
            for line in part():
                opened = True
                yield line
        due = list(self._due())
        if not opened and (self._asked or not due):
            yield _Line(text=opening_of(self.packet, greeting=False), weight=9)
        yield from due
        parting = parting_of(self.packet)
        if parting:
            yield _Line(text=parting, weight=2)

    @property
    def _asked(self) -> bool:
        return bool(self.packet.intent.asks) or self.packet.line.rstrip().endswith("?")

    def _say(self, text: str) -> str:
        return spoken(text, self.persons, now=self.packet.at.tick)

    def _narrated(self) -> Iterator[_Line]:
        facts = list(self._facts())
        yield from facts or [_Line(text="Nothing new comes to light", weight=9)]

    def _premises(self) -> Iterator[_Line]:
        """Put right what the line takes for granted and the record does not."""
        wrong = {f.topic: f for f in self.packet.flags if f.kind is FlagKind.FALSE_PREMISE}
        unborne = {f.topic for f in self.packet.flags if f.kind is FlagKind.UNSUPPORTED_CLAIM}
        for claim in (*self.packet.intent.presupposes, *self.packet.intent.asserts):
            flag = wrong.get(claim.label)
            if flag is not None:
                yield from self._denied(claim, flag)
            elif claim.label in unborne and claim.kind in {ClaimKind.DONE, ClaimKind.STATE}:
                yield _Line(text="You say so; I have nothing here that bears it out", weight=8)

    def _denied(self, claim: LineClaim, flag: Flag) -> Iterator[_Line]:
        match claim.kind:
            case ClaimKind.DONE | ClaimKind.PLACED:
                yield _Line(text="No, that is not done", weight=9)
                yield from self._still_owed(flag.entry_ids)
                yield from self._evidence(claim)
            case ClaimKind.PROMISED | ClaimKind.OWED | ClaimKind.DUE:
                yield _Line(text="No, that was never mine to do", weight=9)
                yield from self._still_owed(flag.entry_ids)
            case ClaimKind.WITNESSED:
                yield _Line(text="I did not see that for myself", weight=9)
                for item in (self.items[i] for i in flag.entry_ids if i in self.items):
                    yield from self._once(item, 8)
            case ClaimKind.ALONE:
                yield _Line(text="I have no record of such a talk, only the two of us", weight=9)
            case ClaimKind.DEED | ClaimKind.SHARED:
                yield _Line(text="I have no record of any such thing", weight=9)
            case ClaimKind.MET:
                yield _Line(text="We have not met before, that I know of", weight=9)
            case _:
                yield _Line(text="I have no record of saying that", weight=9)

    def _still_owed(self, entry_ids: Sequence[str]) -> Iterator[_Line]:
        for commitment in self.packet.commitments:
            if commitment.entry_id in entry_ids and commitment.entry_id not in self.said:
                self.said.add(commitment.entry_id)
                yield _Line(text=self._commitment(commitment), weight=8)

    def _evidence(self, claim: LineClaim) -> Iterator[_Line]:
        """Add the newest thing the speaker saw for themselves that speaks of what is owed."""
        owed = {term for c in self.packet.commitments if c.entry_id in self.said for term in term_set(c.statement)}
        seen = [s for s in self._observed() if set(claim.topic) & owed & term_set(s.statement)]
        seen = [s for s in seen if "disputed" not in s.notes and s.entry_id not in self._open_questions]
        for item in sorted(seen, key=lambda s: (-s.seq, s.rank))[:1]:
            yield from self._once(item, 5)

    @property
    def _open_questions(self) -> set[str]:
        return {i for f in self.packet.flags if f.kind is FlagKind.CONTRADICTION for i in f.entry_ids}

    def _observed(self) -> list[Selected]:
        return [
            s for s in self.packet.selected
            if s.kind == "observation" and s.how not in _SECOND_HAND and '"' not in s.statement
        ]  # fmt: skip

    def _once(self, item: Selected, weight: int) -> Iterator[_Line]:
        if item.entry_id not in self.said:
            self.said.add(item.entry_id)
            yield _Line(text=self._fact(item), weight=weight)

    def _consequences(self) -> Iterator[_Line]:
        """Grant or refuse what is asked for, by the rule's own words; honour what speaks for the asker first."""
        for consequence in (c for c in self.packet.consequences if c.asked):
            if consequence.outcome == "granted":
                price = f", at {consequence.price}" if consequence.price else ""
                yield _Line(text=f"Yes, you may {self._action(consequence.action)}{price}", weight=9)
                if consequence.would_change:
                    yield _Line(text=f"It is dearer since {self._say(consequence.because)}", weight=6)
                continue
            yield from self._credit()
            yield _Line(text=f"No, not now: {self._say(consequence.because)}", weight=9)
            named = {c for rule in self.world.rules if rule.id == consequence.rule for c in rule.commitments}
            yield from self._rests_on(named)
            if consequence.would_change:
                yield _Line(text=f"That changes when {self._say(consequence.would_change)}", weight=6)

    def _action(self, action: str) -> str:
        return next((a.name for a in self.world.actions if a.id == action), action.replace("_", " "))

    def _credit(self) -> Iterator[_Line]:
        """Give the listener what they have earned: what they did, and what it is worth to the speaker."""
        earned = [
            s for s in self.packet.selected
            if s.kind == "relationship_delta" and float(s.fields.get("amount", "0")) > 0
            and s.fields.get("towards") == self.persons.listener
        ]  # fmt: skip
        for delta in earned[:1]:
            deed = next((s for s in self._observed() if s.tick == delta.tick and s.fields.get("said_by")), None)
            if deed is not None:
                yield from self._once(deed, 7)
            yield from self._once(delta, 7)

    def _rests_on(self, names: set[str]) -> Iterator[_Line]:
        """Say which open commitments between the two a refusal rests on."""
        if not names:
            return
        for commitment in self.packet.commitments:
            between = {commitment.owner, commitment.to} == {self.persons.speaker, self.persons.listener}
            matches = any(stem(part) in term_set(commitment.statement) for name in names for part in words(name))
            if commitment.status == Status.OPEN and between and matches and commitment.entry_id not in self.said:
                self.said.add(commitment.entry_id)
                yield _Line(text=self._commitment(commitment), weight=7)

    def _contradictions(self) -> Iterator[_Line]:
        """Tell both sides of an open question that the line touches, and settle neither."""
        for flag in (f for f in self.packet.flags if f.kind is FlagKind.CONTRADICTION):
            sides = [self.items[i] for i in flag.entry_ids if i in self.items]
            sides = [s for s in sides if s.kind != "contradiction"]
            if len(sides) > 1 and self._touches(flag, sides):
                self.said |= set(flag.entry_ids)
                told = "; against that, ".join(self._side(s) for s in sides)
                yield _Line(text=f"There are two accounts, and I have not settled on either: {told}", weight=9)

    def _touches(self, flag: Flag, sides: list[Selected]) -> bool:
        """Say whether the line is about what is open, and does not merely share a word with it."""
        line = self.topic | set(self.packet.intent.terms)
        shared = set().union(*(term_set(s.statement) & line for s in sides))
        return bool(term_set(flag.topic) & line) or len(shared) > 1

    def _side(self, item: Selected) -> str:
        said = self._say(item.statement)
        if item.teller is None or self._names_teller(item):
            return said
        who = "you tell me" if item.teller == self.persons.listener else f"{self._named(item.teller)} says"
        return f"{who} that {said}"

    def _names_teller(self, item: Selected) -> bool:
        """Say whether the statement itself already says who says so."""
        said = words(item.statement)
        return item.teller is not None and said[:1] == words(item.teller)[-1:] and "says" in said[:3]

    def _facts(self) -> Iterator[_Line]:
        """Say what is known of what the line asks or names; a bare statement wants no recital."""
        if self._dodges():
            return
        if not (self._asked or self.packet.speaker == NARRATOR):
            yield from self._named_commitments()
            return
        found = [s for s in self.packet.selected if s.entry_id not in self.said and self._bears(s)]
        plain = [s for s in found if s.kind not in _STANCES and not self._only_quoted(s, found)]
        for commitment in self.packet.commitments:
            if commitment.entry_id not in self.said and any(commitment.entry_id == s.entry_id for s in found):
                self.said.add(commitment.entry_id)
                yield _Line(text=self._commitment(commitment), weight=8)
        for i, item in enumerate(plain[:_MOST_FACTS]):
            yield from self._once(item, 8 - i)
        if not plain:
            for item in [s for s in found if s.kind == "relationship_delta"][:_MOST_FACTS]:
                yield from self._once(item, 6)

    def _named_commitments(self) -> Iterator[_Line]:
        """Say how a commitment stands that a bare statement or request is plainly about."""
        for commitment in self.packet.commitments:
            if commitment.entry_id not in self.said and self._shared(commitment.statement) > 1:
                self.said.add(commitment.entry_id)
                yield _Line(text=self._commitment(commitment), weight=8)

    def _dodges(self) -> bool:
        """Say whether what must not be said is the closest answer; then nothing is put in its place."""
        hidden = max((self._shared(a.statement) for a in self.packet.act_only), default=0)
        return hidden > 0 and hidden >= max((self._shared(s.statement) for s in self.packet.selected), default=0)

    def _shared(self, statement: str) -> int:
        return len(term_set(statement) & self.topic)

    def _bears(self, item: Selected) -> bool:
        return self._shared(item.statement) > 0 or item.parts.entities > 0

    def _only_quoted(self, item: Selected, found: list[Selected]) -> bool:
        """What was said word for word goes without saying where what it came to is there too."""
        return '"' in item.statement and (len(found) > 1 or bool(self.said))

    def _fact(self, item: Selected) -> str:
        """Say an item with its teller and how sure it is, and with its time where that is asked."""
        said = self._say(item.statement)
        if (
            any(ask.kind is AskKind.WHEN for ask in self.packet.intent.asks)
            or "how long" in self.packet.line.casefold()
        ):
            said = f"{said}, {item.fields.get('event_at', item.fields.get('when', '')).split(', ')[-1]}".rstrip(", ")
        if item.how in _SECOND_HAND or item.teller is not None:
            return self._heard(item, said)
        if item.how == "inferred" and item.kind != "relationship_delta":
            return f"I take it that {said}; nobody told me so"
        return said if said.startswith("I ") else self._with_doubt(item, said)

    def _with_doubt(self, item: Selected, said: str) -> str:
        match band_of(item.confidence):
            case Band.CONFIRMED:
                return said
            case Band.LIKELY:
                return f"as far as I know, {said}"
            case Band.UNVERIFIED:
                return f"I think {said}, but I am not sure"
            case Band.DOUBTFUL:
                return f"it may be that {said}; I would not build on it"

    def _heard(self, item: Selected, said: str) -> str:
        if item.teller == self.persons.listener:
            return f"you told me that {said}; I have only your word for it"
        if self._names_teller(item):
            return f"{said}; I cannot swear to it"
        source = f"{self._named(item.teller)} told me that" if item.teller is not None else "I heard it said that"
        doubt = "I was not there" if item.confidence >= 0.7 else "I cannot swear to it"  # noqa: PLR2004
        return f"{source} {said}; {doubt}"

    def _named(self, who: CharacterId) -> str:
        found = self.world.find_character(who)
        name = found.name if found is not None else who.replace("_", " ")
        return name if name.startswith("the ") else name[:1].upper() + name[1:]

    def _commitment(self, commitment: CommitmentLine) -> str:
        who = self._subject(commitment.owner)
        deed = promised(commitment.statement, self.persons, now=self.packet.at.tick)
        said = f"{who} said {self._pronoun(commitment.owner)} would {deed}" if deed else (
            f"{who} gave {self._possessive(commitment.owner)} word: {self._say(commitment.statement)}"
        )  # fmt: skip
        return f"{said}, {self._standing_of(commitment)}"

    def _standing_of(self, commitment: CommitmentLine) -> str:
        match commitment.status:
            case Status.OPEN if commitment.due_now:
                return "and that is due now"
            case Status.OPEN:
                return "and that is still open"
            case Status.FULFILLED:
                return "and that was done"
            case Status.BROKEN:
                return "and that word was broken"
            case Status.RELEASED:
                return "and that was let go"
            case _:
                return "but that has run out"

    def _subject(self, who: CharacterId) -> str:
        return {self.persons.speaker: "I", self.persons.listener: "you"}.get(who) or self._named(who)

    def _pronoun(self, who: CharacterId) -> str:
        return {self.persons.speaker: "I", self.persons.listener: "you"}.get(who, "they")

    def _possessive(self, who: CharacterId) -> str:
        return {self.persons.speaker: "my", self.persons.listener: "your"}.get(who, "their")

    def _unknown(self) -> Iterator[_Line]:
        """Say that there is no record, in the shape of what was asked."""
        denied = any(f.kind is FlagKind.FALSE_PREMISE for f in self.packet.flags)
        if denied or not any(f.kind is FlagKind.NO_RECORD for f in self.packet.flags):
            return
        kinds = [ask.kind for ask in self.packet.intent.asks]
        text = next((_NOT_KNOWN[k] for k in kinds if k in _NOT_KNOWN), "I have no record of that")
        yield _Line(text=text, weight=9)

    def _due(self) -> Iterator[_Line]:
        """Bring up what falls due now, unless it has been said."""
        due = {i for f in self.packet.flags if f.kind is FlagKind.EFFECT_DUE for i in f.entry_ids}
        for commitment in self.packet.commitments:
            if commitment.entry_id in due and commitment.entry_id not in self.said and self._is_ours(commitment):
                self.said.add(commitment.entry_id)
                yield _Line(text=self._commitment(commitment), weight=6)

    def _is_ours(self, commitment: CommitmentLine) -> bool:
        return {commitment.owner, commitment.to} == {self.persons.speaker, self.persons.listener}


def _topic(packet: ContextPacket) -> set[str]:
    asked = {term for ask in packet.intent.asks for term in ask.topic}
    claimed = {term for claim in (*packet.intent.presupposes, *packet.intent.asserts) for term in claim.topic}
    return asked | claimed or set(packet.intent.terms)


def _in_voice(lines: list[_Line], packet: ContextPacket, card: VoiceCard) -> str:
    """Keep to the card: no taboo word, the length it allows, its forms, its way of addressing the player."""
    formed = [_Line(text=_form(line.text, card), weight=line.weight) for line in lines]
    kept = [line for line in formed if not _has_taboo(line.text, card)] or [_Line(text="No.", weight=1)]
    while len(kept) > 1 and _length(kept) > card.max_words:
        kept.remove(min(reversed(kept), key=lambda line: line.weight))
    if _length(kept) < card.min_words:
        kept.append(_Line(text=_form("That is all I have to say of it", card), weight=1))
    return _addressed(" ".join(line.text for line in kept), packet, card)


def _form(text: str, card: VoiceCard) -> str:
    change: Callable[[str], str] = expanded if card.contractions is False else contracted
    return sentence(change(text))


def _length(lines: list[_Line]) -> int:
    return sum(len(line.text.split()) for line in lines)


def _has_taboo(text: str, card: VoiceCard) -> bool:
    said = f" {' '.join(words(text))} "
    return any(f" {' '.join(words(word))} " in said for word in card.taboo)


def _addressed(text: str, packet: ContextPacket, card: VoiceCard) -> str:
    """Put one of the speaker's words for the player behind the first sentence's last word."""
    if not card.address:
        return text
    word = card.address[packet.seq % len(card.address)]
    end = next((i for i, c in enumerate(text) if c in ".!?" and text[i + 1 : i + 2] in {"", " "}), None)
    return text if end is None or '"' in text[: end + 1] else f"{text[:end]}, {word}{text[end:]}"
