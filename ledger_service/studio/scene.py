"""A scene: who talks to whom in a feature, the packet that came of it, the line that was said, and how a step fails."""

from collections.abc import Callable
from typing import NoReturn

import pytest

from ledger_service.domain.ids import PLAYER, CharacterId
from ledger_service.domain.packets import ContextPacket
from ledger_service.domain.replies import Reply
from ledger_service.domain.rubric import Scorecard
from ledger_service.studio.showing import line_in_words, packet_in_words
from ledger_service.studio.stage import Asked, Stage


class Scene:
    """What the steps of one scenario share."""

    def __init__(self, open_stage: Callable[..., Stage], step: Callable[[], str]) -> None:
        self._open = open_stage
        self._step = step
        self._stage: Stage | None = None
        self._asked: Asked | None = None
        self._reply: Reply | None = None
        self._card: Scorecard | None = None
        self.speaker: CharacterId | None = None
        self.asker: CharacterId = PLAYER
        self.listeners: tuple[CharacterId, ...] = ()

    def begin(self, story: str, *, seed: int | None = None, history: bool = True) -> None:
        """Take a clean playthrough of a story."""
        self._stage = self._open(story, seed=seed, history=history)

    @property
    def stage(self) -> Stage:
        """The playthrough."""
        if self._stage is None:
            self.fail('No story has begun. Begin with: Given the ledger of "NAME"')
        return self._stage

    def talk(self, asker: CharacterId, speaker: CharacterId) -> None:
        """Let somebody turn to somebody; those who only listened to another talk are gone."""
        if (asker, speaker) != (self.asker, self.speaker):
            self.listeners = ()
        self.asker, self.speaker = asker, speaker

    def ask(self, line: str, *, posted: bool) -> None:
        """Let the asker say a line to the speaker, and hand the speaker what they may draw on."""
        if self.speaker is None:
            self.fail('Nobody is spoken to. Name them: When the player asks NAME "..."')
        stage = self.stage
        self._asked = stage.ask(line, speaker=self.speaker, asker=self.asker, listeners=self.listeners, posted=posted)
        self._reply = self._card = None

    def answer(self, text: str) -> None:
        """Let the speaker's line be this."""
        self._reply, self._card = Reply(text=text, responder="the feature"), None
        self.asked.packet  # noqa: B018  (there has to be one)

    @property
    def asked(self) -> Asked:
        """The packet of the last line, with its review."""
        if self._asked is None:
            self.fail('Nothing has been said yet. Ask first: When the player asks NAME "..."')
        return self._asked

    @property
    def packet(self) -> ContextPacket:
        """The packet of the last line."""
        return self.asked.packet

    @property
    def reply(self) -> Reply:
        """The line that was said on it, by the run's speaker where the feature gives none."""
        if self._reply is None:
            self._reply = self.stage.speak(self.asked)
        return self._reply

    @property
    def card(self) -> Scorecard:
        """The five verdicts on it."""
        if self._card is None:
            self._card = self.stage.judge(self.asked, self.reply)
        return self._card

    def deliver(self) -> None:
        """Put the line on record as said."""
        self._card = self.stage.judge(self.asked, self.reply, delivered=True)

    def statement(self, entry_id: str) -> str:
        """Return what an entry says."""
        return self.asked.review.statements.get(entry_id, entry_id)

    def fail(self, why: str) -> NoReturn:
        """Fail the step: say where it stands, what is not so, and everything that the packet and the line say."""
        __tracebackhide__ = True
        parts = [self._step(), why]
        if self._asked is not None:
            parts += ["", packet_in_words(self._asked.review)]
        if self._reply is not None:
            parts.append(line_in_words(self._reply, self._card))
        pytest.fail("\n".join(part for i, part in enumerate(parts) if part or i > 1), pytrace=False)
