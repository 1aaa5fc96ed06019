"""The stage: one playthrough in plain calls, through the same door as the game."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Protocol, cast

from msgspec import Struct

from ledger_service.bootstrap import MemoryStores
from ledger_service.domain.entries import Commitment, LedgerEntry
from ledger_service.domain.events import EventReceipt, GameEvent, HourPassed, SceneChanged, TimePassed, Utterance
from ledger_service.domain.ids import PLAYER, CharacterId, PlaythroughId
from ledger_service.domain.ledger import Ledger
from ledger_service.domain.packets import ContextPacket
from ledger_service.domain.playthroughs import StoryState
from ledger_service.domain.replies import Claim, Reply
from ledger_service.domain.rubric import Scorecard
from ledger_service.domain.worlds import World
from ledger_service.ports import Responder, StoredPacket, UnitOfWork
from ledger_service.probing.documents import History, read_steps
from ledger_service.probing.source import read_source
from ledger_service.services.events.play_story import Labels, play_history
from ledger_service.services.events.record_event import record_events
from ledger_service.services.events.story_state import story_state, world_of
from ledger_service.services.gossip.explain_opinion import OpinionView, explain_opinion, view_of
from ledger_service.services.packets.build_packet import PacketRequest, Reading, build_packet
from ledger_service.services.packets.review_packet import Review, review_packet
from ledger_service.services.playthroughs.open_playthrough import fork_playthrough, load_save, save_point
from ledger_service.services.playthroughs.transfer_playthrough import export_playthrough, import_playthrough
from ledger_service.services.replies.score_reply import Judging, read_claims, score_reply
from ledger_service.services.replies.speak import speak
from ledger_service.studio.meaning import find, find_promise, people, someone


class Call(Protocol):
    """Runs something asynchronous to its end."""

    def __call__(self, function: Callable[..., Awaitable[Any]], /, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401
        """Return what it comes to."""
        ...


class Tools(Struct, frozen=True, kw_only=True):
    """What every playthrough of a run is read and judged with."""

    call: Call
    reading: Reading
    judging: Judging
    responder: Responder


class Asked(Struct, frozen=True, kw_only=True):
    """A packet, and what became of every entry that it does not hold."""

    stored: StoredPacket
    review: Review
    world: World

    @property
    def packet(self) -> ContextPacket:
        """The packet."""
        return self.stored.packet


class Stage:
    """One playthrough of a story."""

    def __init__(self, record: MemoryStores, playthrough_id: PlaythroughId, labels: Labels, tools: Tools) -> None:
        self._open_uow = record.open_uow
        self._tools = tools
        self._main = playthrough_id
        self.playthrough_id = playthrough_id
        self.labels = labels
        """The entries that each labelled event left."""

    @property
    def state(self) -> StoryState:
        """Where the story stands."""
        return cast("StoryState", self._ask(story_state))

    @property
    def world(self) -> World:
        """The world as it is now."""
        version = self.state.world_version
        return cast("World", self._ask(lambda uow: world_of(uow, version)))

    @property
    def ledger(self) -> Ledger:
        """Everything that is on record, as it stands now."""
        state, world = self.state, self.world
        entries, amendments = self._ask(lambda uow: uow.ledger.load_all())
        return Ledger(
            entries, amendments, roster=state.roster, at_seq=state.seq, tick=state.at.tick,
            forgetting=world.forgetting, occurrences=state.occurrences,
        )  # fmt: skip

    def _ask(self, question: Callable[[UnitOfWork], Awaitable[Any]]) -> Any:  # noqa: ANN401
        async def asked() -> Any:  # noqa: ANN401
            async with self._open_uow(self.playthrough_id) as uow:
                return await question(uow)

        return self._tools.call(asked)

    def tell(self, *events: GameEvent) -> tuple[EventReceipt, ...]:
        """Report events, all or nothing."""
        found = self._tools.call(
            record_events, self.playthrough_id, events, open_uow=self._open_uow, embedder=self._tools.reading.embedder
        )
        return cast("tuple[EventReceipt, ...]", found)

    def play(self, events: str, *, file: str = "events") -> None:
        """Report events written as a history is: a YAML list, which may carry labels and refer to earlier ones."""
        source = read_source(events.encode(), file)
        if not isinstance(source.values, list):
            raise source.error("$", "events are a list")
        history = History(source=source, steps=read_steps(source, source.values, at="$", known=self.labels))
        self.labels = self._tools.call(
            play_history, self.playthrough_id, history, open_uow=self._open_uow,
            embedder=self._tools.reading.embedder, known=self.labels,
        )  # fmt: skip

    def pass_scenes(self, scenes: int) -> None:
        """Let scenes change."""
        self.tell(*[SceneChanged()] * scenes)

    def pass_hours(self, hours: int, *, gossip: bool = False) -> tuple[EventReceipt, ...]:
        """Let hours go by; with gossip, those who meet in them talk."""
        return self.tell(*[HourPassed()] * hours) if gossip else self.tell(TimePassed(hours=hours))

    def save(self, name: str) -> None:
        """Name this point of the story."""
        self._tools.call(save_point, self.playthrough_id, name, open_uow=self._open_uow)

    def load(self, name: str) -> None:
        """Go on from a named point; what came after it has not happened there."""
        loaded = self._tools.call(load_save, self.playthrough_id, name, open_uow=self._open_uow)
        self.playthrough_id = loaded.playthrough_id

    def reload(self) -> None:
        """Save the story whole and take it in again: all that is remembered is what the document says."""
        document = self._tools.call(export_playthrough, self.playthrough_id, open_uow=self._open_uow)
        embedder = self._tools.reading.embedder
        loaded = self._tools.call(import_playthrough, document, open_uow=self._open_uow, embedder=embedder)
        self.playthrough_id = loaded.playthrough_id

    def branch(self, *, after: str | None = None) -> None:
        """Go on in a branch, from here or from right after an entry; the main story stays as it is."""
        at_seq = None if after is None else max(e.seq for e in self.find(after))
        made = self._tools.call(fork_playthrough, self.playthrough_id, open_uow=self._open_uow, at_seq=at_seq)
        self.playthrough_id = made.playthrough_id

    def back_to_main(self) -> None:
        """Go on where the story was before any branch."""
        self.playthrough_id = self._main

    def ask(
        self,
        line: str,
        *,
        speaker: CharacterId,
        asker: CharacterId = PLAYER,
        listeners: Sequence[CharacterId] = (),
        posted: bool = False,
    ) -> Asked:
        """Return what somebody may draw on to answer a line; posted, the line is on record as said before that."""
        seq = None
        if posted:
            to = (speaker, *(who for who in listeners if who != asker))
            seq = self.tell(Utterance(speaker=asker, to=to, text=line))[0].seq
        said = {"line": line} if seq is None else {"line_seq": seq}
        audience = tuple(dict.fromkeys((asker, *listeners)))
        request = PacketRequest(speaker=speaker, audience=audience, **said)
        reading = self._tools.reading
        stored = self._tools.call(build_packet, self.playthrough_id, request, open_uow=self._open_uow, reading=reading)
        review = self._tools.call(review_packet, self.playthrough_id, stored.packet_id, open_uow=self._open_uow)
        return Asked(stored=stored, review=review, world=self.world)

    def speak(self, asked: Asked) -> Reply:
        """Return the line that the run's speaker says on a packet."""
        return cast("Reply", self._tools.call(speak, asked.packet, asked.world, self._tools.responder))

    def claims(self, asked: Asked, reply: Reply) -> tuple[Claim, ...]:
        """Return what a line says, as it is read."""
        return read_claims(asked.packet, reply, world=asked.world, reader=self._tools.judging.claim_reader)

    def judge(self, asked: Asked, reply: Reply, *, delivered: bool = False) -> Scorecard:
        """Return the five verdicts on a line; a delivered one is on record as said."""
        scored = self._tools.call(
            score_reply, self.playthrough_id, asked.stored.packet_id, reply, open_uow=self._open_uow,
            judging=self._tools.judging, delivered=delivered,
        )  # fmt: skip
        return cast("Scorecard", scored.scorecard)

    def someone(self, name: str) -> CharacterId:
        """Return whom a name means (see `meaning.someone`)."""
        return someone(name, self.world)

    def people(self, names: str) -> tuple[CharacterId, ...]:
        """Return whom a list of names means: `Pip, Bertha and Ilsa`."""
        return people(names, self.world)

    def find(self, words: str) -> tuple[LedgerEntry, ...]:
        """Return the entries that some words mean (see `meaning.find`)."""
        return find(words, self.ledger, self.labels)

    def find_promise(self, words: str) -> Commitment:
        """Return the promise that some words mean (see `meaning.find_promise`)."""
        return find_promise(words, self.ledger, self.labels)

    def opinion(self, who: CharacterId, *, about: CharacterId = PLAYER) -> OpinionView:
        """Return what somebody thinks of somebody, with the stories that it rests on."""
        found = self._tools.call(explain_opinion, self.playthrough_id, who, open_uow=self._open_uow, about=about)
        return view_of(found)

    def versions(self, words: str) -> tuple[LedgerEntry, ...]:
        """Return every version of the stories that some words mean, however they have been retold since."""
        ledger = self.ledger
        roots = {e.root for e in find(words, ledger, self.labels)}
        return tuple(e for e in ledger.entries.values() if e.root in roots)
