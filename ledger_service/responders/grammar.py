"""Statements as somebody would say them to somebody: I, you, and the verbs that go with them."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from msgspec import Struct

from ledger_service.domain.ids import PLAYER, CharacterId
from ledger_service.domain.story_time import HOURS_A_DAY, in_words
from ledger_service.domain.terms import IRREGULAR
from ledger_service.domain.worlds import World

_QUOTED: Final = re.compile(r"(\"[^\"]*\"|“[^”]*”)")
_TOKEN: Final = re.compile(r"[\w'’-]+|[^\w\s]+|\s+")
_TICK: Final = re.compile(r"\b(?P<prep>at|by|on|from|until|to|since|after|before) tick (?P<tick>\d+)", re.IGNORECASE)
_LINKING: Final = frozenset(
    "and but or that because who when while as if where though although so whether since than then after before until "
    "which what how why".split()
)
_AUXILIARY: Final = frozenset(
    "is was has had does did do will would can could may might shall should must be are were have cannot isn't wasn't "
    "hasn't doesn't won't didn't".split()
)
_ADVERBS: Final = frozenset("always never still also really now once only just already often almost not rather".split())
_AGREE: Final = {
    "is": ("am", "are"), "was": ("was", "were"), "has": ("have", "have"), "does": ("do", "do"),
    "isn't": ("am not", "aren't"), "wasn't": ("wasn't", "weren't"), "hasn't": ("haven't", "haven't"),
    "doesn't": ("don't", "don't"),
}  # fmt: skip
_NOT_VERBS: Final = frozenset("this his its us as yes less thus always perhaps towards besides unless news".split())
_PRONOUNS: Final = {"she", "he", "her", "him", "his", "hers", "herself", "himself"}
_SUBJECT, _OBJECT, _POSSESSIVE, _REFLEXIVE = "subject", "object", "possessive", "reflexive"
_FORMS: Final = {
    "speaker": {_SUBJECT: "I", _OBJECT: "me", _POSSESSIVE: "my", _REFLEXIVE: "myself"},
    "listener": {_SUBJECT: "you", _OBJECT: "you", _POSSESSIVE: "your", _REFLEXIVE: "yourself"},
}
_AFTER_OBJECT: Final = _LINKING | frozenset(
    "in on at to from by with for of into about over under off out up down away again too either there here".split()
)


class Persons(Struct, frozen=True, kw_only=True):
    """Who speaks to whom, and under which names statements speak of them and of everybody else."""

    speaker: CharacterId
    listener: CharacterId
    names: tuple[tuple[str, CharacterId, str], ...]
    """(name as written, whose it is, how it is said), longest first."""


def persons_of(world: World, speaker: CharacterId, audience: Sequence[CharacterId]) -> Persons:
    """Work out who `I` and `you` are; of several listeners, the player is spoken to."""
    listener = PLAYER if PLAYER in audience or not audience else audience[0]
    names: dict[str, tuple[CharacterId, str]] = {PLAYER: (PLAYER, "the player")}
    for character in world.cast:
        for written in (character.id, character.id.replace("_", " "), character.name.removeprefix("the ")):
            names[written.casefold()] = (character.id, character.name)
    ordered = sorted(names.items(), key=lambda row: (-len(row[0]), row[0]))
    return Persons(speaker=speaker, listener=listener, names=tuple((n, who, shown) for n, (who, shown) in ordered))


def spoken(statement: str, persons: Persons, *, now: int) -> str:
    """Say a statement as the speaker says it to the listener; quoted words stay as they were.

    >>> from ledger_service.domain.worlds import Character, World
    >>> p = persons_of(World(id="w", title="", cast=(Character(id="maelin", name="Maelin"),)), "maelin", ["player"])
    >>> spoken("player admitted damaging the relay", p, now=0)
    'you admitted damaging the relay'
    >>> spoken("maelin trusts the player more for owning up", p, now=0)
    'I trust you more for owning up'
    >>> spoken("the player was seen with maelin's lamp", p, now=0)
    'you were seen with my lamp'
    """
    timed = _TICK.sub(lambda match: _when(match, now), statement.strip().rstrip("."))
    parts = _QUOTED.split(timed)
    return "".join(part if i % 2 else _turn(part, persons) for i, part in enumerate(parts))


def _when(match: re.Match[str], now: int) -> str:
    prep, tick = match["prep"].casefold(), int(match["tick"])
    if tick <= now and prep == "at":
        return in_words(now - tick)
    if tick <= now:
        return f"{prep} {in_words(now - tick)}"
    ahead = tick - now
    span = f"{ahead} hour{'s' if ahead > 1 else ''}" if ahead < HOURS_A_DAY else f"{ahead // HOURS_A_DAY} days"
    return f"within {span}" if prep == "by" else f"in {span}" if prep == "at" else f"{prep} {span} from now"


@lru_cache(maxsize=512)
def _pattern(persons: Persons) -> re.Pattern[str]:
    names = "|".join(re.escape(name) for name, _, _ in persons.names)
    return re.compile(rf"(?<![\w-])(?:the )?({names})(['’]s)?(?![\w-])", re.IGNORECASE)


class _Turner:
    """Walks over one stretch of text, putting persons in and making the next verb agree."""

    def __init__(self, text: str, persons: Persons) -> None:
        self.text = text
        self.persons = persons
        self.named = {who for _, who in self._found()}

    def _found(self) -> list[tuple[str, CharacterId]]:
        known = {name: who for name, who, _ in self.persons.names}
        return [(m.group(), known[m[1].casefold()]) for m in _pattern(self.persons).finditer(self.text)]

    def turned(self) -> str:
        known = {name: (who, shown) for name, who, shown in self.persons.names}
        out: list[str] = []
        at = 0
        for match in _pattern(self.persons).finditer(self.text):
            who, shown = known[match[1].casefold()]
            out.append(self.text[at : match.start()])
            at = match.end()
            role = self._role(who)
            if role is None:
                out.append(_third(match, shown))
                continue
            form = _POSSESSIVE if match[2] else self._form(match)
            out.append(_FORMS[role][form])
            if form == _SUBJECT:
                verb, at = self._agreed(at, role)
                out.append(verb)
        return self._pronouns("".join(out) + self.text[at:])

    def _role(self, who: CharacterId) -> str | None:
        return "speaker" if who == self.persons.speaker else "listener" if who == self.persons.listener else None

    def _form(self, match: re.Match[str]) -> str:
        """Tell a subject from an object by what stands before and after it."""
        before = re.findall(r"[\w'’-]+|[,;:]", self.text[: match.start()])
        after = re.findall(r"[\w'’-]+", self.text[match.end() :])
        if not before or before[-1] in {",", ";", ":"}:
            return _SUBJECT
        rest = [w for w in after if w.casefold() not in _ADVERBS]
        followed = bool(rest) and _looks_finite(rest[0].casefold())
        joined = bool(rest) and rest[0].casefold() == "and" and before[-1].casefold() in {"that", "because", "when"}
        return _SUBJECT if followed or joined else _OBJECT

    def _agreed(self, at: int, role: str) -> tuple[str, int]:
        """Return the words up to and with the verb, the verb made to agree, and where they end."""
        words = list(re.finditer(r"[\w'’-]+", self.text[at:]))
        for match in words:
            word = match.group().casefold()
            if word in _ADVERBS or word.endswith("ly"):
                continue
            end = at + match.end()
            return self.text[at : at + match.start()] + _agree(match.group(), role), end
        return "", at

    def _pronouns(self, text: str) -> str:
        """Turn she and he into I or you, where the statement speaks of nobody else they could be."""
        ours = {who for who in self.named if who != PLAYER} or self.named
        if len(ours) != 1 or self._role(next(iter(ours))) is None:
            return text
        role = self._role(next(iter(ours))) or ""
        tokens = _TOKEN.findall(text)
        for i, token in enumerate(tokens):
            if token.casefold() in _PRONOUNS:
                tokens[i] = _FORMS[role][_pronoun_form(token.casefold(), tokens[i + 1 :])]
                if token.casefold() in {"she", "he"}:
                    _agree_next(tokens, i + 1, role)
        return "".join(tokens)


def _third(match: re.Match[str], shown: str) -> str:
    """Name somebody who is not here, with the article that the statement gave them."""
    article = match.group()[:4] if match.group()[:4].casefold() == "the " else ""
    if shown.startswith("the "):
        return f"{article or 'the '}{shown[4:]}{match[2] or ''}"
    return f"{article}{shown if article else shown[:1].upper() + shown[1:]}{match[2] or ''}"


def _turn(text: str, persons: Persons) -> str:
    turned = _Turner(text, persons).turned()
    turned = re.sub(r"\b(?:I|me) and you\b", "you and I", turned)
    role = "speaker" if re.match(r"I\b", turned) else "listener" if re.match(r"you\b", turned) else None
    return _second_verbs(turned, role) if role else turned


def _second_verbs(text: str, role: str) -> str:
    """Make a verb agree that shares the subject: `I am hurt and trust you less`."""
    pattern = re.compile(r"\b(and|but|or) (\w+s)(?= (?:the|a|an|you|me|my|your|it|them|that|to)\b)")
    return pattern.sub(lambda m: f"{m[1]} {_agree(m[2], role)}", text)


def _looks_finite(word: str) -> bool:
    return word in _AUXILIARY or word in IRREGULAR or word.endswith("ed") or (
        word.endswith("s") and not word.endswith(("ss", "'s")) and word not in _NOT_VERBS
    )  # fmt: skip


def _agree(verb: str, role: str) -> str:
    """Give a verb of the third person the form that goes with I or you.

    >>> [_agree(v, "speaker") for v in ("is", "trusts", "carries", "does", "watches", "took", "loses")]
    ['am', 'trust', 'carry', 'do', 'watch', 'took', 'lose']
    """
    word = verb.casefold()
    if word in _AGREE:
        return _AGREE[word][0 if role == "speaker" else 1]
    if word in _NOT_VERBS or word in IRREGULAR or not word.endswith("s") or word.endswith("ss"):
        return verb
    if word.endswith("ies"):
        return verb[:-3] + "y"
    return verb[:-2] if word.endswith(("shes", "ches", "xes", "zes", "sses", "oes")) else verb[:-1]


def _agree_next(tokens: list[str], start: int, role: str) -> None:
    for i in range(start, len(tokens)):
        word = tokens[i].casefold()
        if word.strip() and word not in _ADVERBS:
            tokens[i] = _agree(tokens[i], role)
            return


def _pronoun_form(pronoun: str, following: list[str]) -> str:
    if pronoun in {"she", "he"}:
        return _SUBJECT
    if pronoun in {"herself", "himself"}:
        return _REFLEXIVE
    if pronoun == "his":
        return _POSSESSIVE
    nxt = next((t for t in following if t.strip()), "")
    owns = pronoun == "her" and nxt[:1].isalpha() and nxt.casefold() not in _AFTER_OBJECT | _ADVERBS
    return _POSSESSIVE if owns else _OBJECT


def promised(statement: str, persons: Persons, *, now: int) -> str | None:
    """Return what somebody said they would do, as an infinitive's rest: `return the missing sensor`.

    None where the statement is no "somebody will ...".
    """
    said = spoken(statement, persons, now=now)
    match = re.match(r"(?:you|I|[\w' -]+?) (?:will|shall|is to|am to|are to) (.+)$", said)
    return match[1] if match else None


_CONTRACT: Final = (
    ("I am", "I'm"), ("I have(?= (?:not|never|only|your|no))", "I've"), ("I will", "I'll"), ("I would", "I'd"),
    ("you have(?= (?:not|never))", "you've"), ("you are", "you're"), ("that is", "that's"), ("it is", "it's"),
    ("do not", "don't"), ("does not", "doesn't"), ("did not", "didn't"), ("is not", "isn't"), ("are not", "aren't"),
    ("was not", "wasn't"), ("were not", "weren't"), ("have not", "haven't"), ("has not", "hasn't"),
    ("will not", "won't"), ("would not", "wouldn't"), ("cannot", "can't"), ("could not", "couldn't"),
)  # fmt: skip
_EXPAND: Final = (
    ("can't", "cannot"), ("won't", "will not"), ("shan't", "shall not"), (r"(\w+)n't", r"\1 not"), ("I'm", "I am"),
    (r"(\w+)'re", r"\1 are"), (r"(\w+)'ve", r"\1 have"), (r"(\w+)'ll", r"\1 will"),
    (r"\b(it|that|there|he|she|what|who|where|here)'s", r"\1 is"), (r"\b(I|you|he|she|we|they)'d", r"\1 would"),
)  # fmt: skip


def contracted(text: str) -> str:
    r"""Use the short forms of everyday speech, outside quotes.

    >>> contracted('I do not know. You said "I do not".')
    'I don\'t know. You said "I do not".'
    """
    return _outside_quotes(text, _CONTRACT)


def expanded(text: str) -> str:
    """Use the full forms of formal speech, outside quotes.

    >>> expanded("I can't, and it's late.")
    'I cannot, and it is late.'
    """
    return _outside_quotes(text, _EXPAND)


def _outside_quotes(text: str, rules: Sequence[tuple[str, str]]) -> str:
    parts = _QUOTED.split(text)
    for pattern, short in rules:
        for i in range(0, len(parts), 2):
            parts[i] = re.sub(
                rf"(?<!\w){pattern}\b", lambda m, s=short: _same_case(m, s), parts[i], flags=re.IGNORECASE
            )
    return "".join(parts)


def _same_case(match: re.Match[str], replacement: str) -> str:
    said = match.expand(replacement)
    return said[0].upper() + said[1:] if match.group()[0].isupper() else said


def sentence(text: str) -> str:
    """Put a text into the shape of a sentence: capital, full stop."""
    bare = text.strip()
    if not bare:
        return ""
    return bare[0].upper() + bare[1:] + ("" if bare[-1] in ".!?…" else ".")
