"""Voice continuity: is it still this speaker, in the mood they are in, and nobody else?"""

import re
from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from ledger_service.domain.packets import ContextPacket
from ledger_service.domain.replies import MOST_READ, Reply
from ledger_service.domain.rubric import Axis, Code, Finding, Severity, State, Verdict
from ledger_service.domain.worlds import VoiceCard, World
from ledger_service.scoring.voice.mood import tone
from ledger_service.scoring.voice.register import out_of_register
from ledger_service.scoring.voice.stylometry import likeness

_STAGE: Final = re.compile(r"\*[^*\n]+\*")
_CONTRACTION: Final = re.compile(
    r"\b\w+n['’]t\b|\b\w+['’](?:re|ve|ll|m)\b|\b(?:i|you|he|she|we|they)['’]d\b"
    r"|\b(?:it|that|there|he|she|what|who|where|here|let|how)['’]s\b",
    re.IGNORECASE,
)
_OUT_OF_WORLD: Final = re.compile(
    r"\bas an? (?:ai|assistant|language model)\b|\blanguage model\b|\b(?:lol|omg|lmao|tbh|vibes|bestie|emoji|npc)\b"
    r"|\bhow (?:can|may) i (?:help|assist) you today\b|\bi(?:'m| am) (?:just )?(?:an ai|a chatbot)\b",
    re.IGNORECASE,
)
_ARCHAIC: Final = re.compile(
    r"\b(?:verily|forsooth|thou|thee|thy|thine|hath|doth|prithee|methinks|goodly|milord|hither|thither|betwixt"
    r"|mayhap|perchance|good my (?:lord|lady))\b",
    re.IGNORECASE,
)
_SLANG_ALONE: Final = frozenset({"whatever", "like", "right"})
_ALONE: Final = r"(?=\s*(?:[.,!?;…]|$))"
"""Such a word is slang only where nothing follows that it belongs to: `whatever.`, not `whatever regiment`."""
_SEVERAL: Final = 2
_FEW_WORDS: Final = (
    (re.compile(r"\bvery few words\b", re.IGNORECASE), 30),
    (re.compile(r"\bfew words\b", re.IGNORECASE), 40),
)
_MUCH_TOO_LONG: Final = 1.5


def voice_continuity(packet: ContextPacket, reply: Reply, *, world: World) -> Verdict:
    """Judge the line by the speaker's card and by what they feel."""
    character = world.find_character(packet.speaker)
    if character is None or character.voice == VoiceCard():
        return Verdict(axis=Axis.VOICE, state=State.UNSCORED, why=f"there is no voice card for {packet.speaker}")
    text = reply.text[:MOST_READ]
    findings = (*_findings(packet, text, character.voice, world), *_length(reply.text, character.voice))
    failed = any(f.severity is not Severity.MINOR for f in findings)
    style = likeness(_STAGE.sub(" ", text), packet.speaker, {c.id: c.voice.samples for c in world.cast})
    if style.is_somebody_else:
        why = f"its manner is nearer to {style.nearest}'s ({style.other:.2f}) than to the speaker's ({style.own:.2f})"
        findings = (*findings, Finding(code=Code.VOICE_BREAK, explanation=why, severity=Severity.MINOR))
    state = State.FAIL if failed else State.PASS
    if state is State.PASS and len(text) < len(reply.text):
        why = f"only the first {MOST_READ} of its {len(reply.text)} letters were read"
        return Verdict(axis=Axis.VOICE, state=State.UNSCORED, findings=findings, why=why)
    if state is State.PASS and style.why and _only_samples(character.voice):
        state = State.UNSCORED
    return Verdict(axis=Axis.VOICE, state=state, findings=findings, why=f"style: {style.why}" if style.why else "")


def _only_samples(card: VoiceCard) -> bool:
    """Say whether a card says nothing that a line could be held against but sample lines."""
    return replace(card, samples=()) == VoiceCard()


def _findings(packet: ContextPacket, text: str, card: VoiceCard, world: World) -> Iterator[Finding]:
    yield from _words_against(text, card.taboo, "never says")
    yield from _each(text, _OUT_OF_WORLD, "nobody in this world says")
    if card.contractions is False or re.search(r"\bno contractions\b", card.register, re.IGNORECASE):
        yield from _each(text, _CONTRACTION, "this speaker uses no contractions")
    yield from _out_of_its_time(text, world)
    yield from out_of_register(text, card)
    yield from _others(packet, text, card, world)
    yield from tone(packet, text)


def _of(code: Code, match: re.Match[str], why: str, severity: Severity = Severity.MAJOR) -> Finding:
    return Finding(code=code, explanation=why, severity=severity, span=match.group(), start=match.start())


def _each(text: str, pattern: re.Pattern[str], why: str) -> Iterator[Finding]:
    match = pattern.search(text)
    if match is not None:
        yield _of(Code.VOICE_BREAK, match, f"{why}: {match.group()}")


def _words_against(text: str, listed: tuple[str, ...], why: str) -> Iterator[Finding]:
    for word in listed:
        alone = _ALONE if word.casefold() in _SLANG_ALONE else ""
        match = re.search(rf"(?<!\w){re.escape(word)}(?!\w){alone}", text, re.IGNORECASE)
        if match is not None:
            yield _of(Code.VOICE_BREAK, match, f"this speaker {why} {word!r}")


def _out_of_its_time(text: str, world: World) -> Iterator[Finding]:
    """Find several words of another age, where no card of the cast has one."""
    said = list(_ARCHAIC.finditer(text))
    cards = (c.voice for c in world.cast)
    shown = " ".join(word for card in cards for word in (card.register, *card.samples, *card.favourites))
    if len({match.group().casefold() for match in said}) >= _SEVERAL and not _ARCHAIC.search(shown):
        yield _of(Code.VOICE_BREAK, said[0], f"it is of another age than the speaker's own lines: {said[0].group()}")


def _others(packet: ContextPacket, text: str, card: VoiceCard, world: World) -> Iterator[Finding]:
    """Find how somebody else addresses people, or several of their favourite words."""
    own = {w.casefold() for w in (*card.address, *card.favourites)}
    for other in world.cast:
        if other.id == packet.speaker:
            continue
        for word in other.voice.address:
            match = re.search(rf",\s*{re.escape(word)}(?=[,.!?]|$)|^{re.escape(word)},", text, re.IGNORECASE)
            if match is not None and word.casefold() not in own:
                yield _of(Code.VOICE_BREAK, match, f"it is {other.name} who says {word!r} to people")
        hits = [w for w in other.voice.favourites if w.casefold() not in own and _says(text, w)]
        if len(hits) > 1:
            why = f"it sounds like {other.name}: {', '.join(hits)}"
            yield Finding(
                code=Code.VOICE_BREAK, explanation=why, span=hits[0], start=text.casefold().find(hits[0].casefold())
            )


def _says(text: str, word: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text, re.IGNORECASE) is not None


def _length(text: str, card: VoiceCard) -> Iterator[Finding]:
    """Hold the spoken words against the card's band; far outside it fails, just outside is noted."""
    spoken = len(_STAGE.sub(" ", text).split())
    most = min([card.max_words, *(limit for pattern, limit in _FEW_WORDS if pattern.search(card.register))])
    if spoken > most:
        severity = Severity.MAJOR if spoken > most * _MUCH_TOO_LONG or most < card.max_words else Severity.MINOR
        yield Finding(code=Code.VOICE_BREAK, explanation=f"{spoken} words, at most {most} expected", severity=severity)
    elif spoken < card.min_words:
        why = f"{spoken} words, at least {card.min_words} expected"
        yield Finding(code=Code.VOICE_BREAK, explanation=why, severity=Severity.MINOR)
