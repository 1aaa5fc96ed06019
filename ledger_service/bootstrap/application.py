"""The running application: everything that use cases are called with, opened on the stores and closed again."""

import contextlib
from collections.abc import AsyncIterator
from functools import partial

import anyio
import anyio.to_thread
import httpx
from anyio.streams.memory import MemoryObjectSendStream
from msgspec import Struct

from ledger_service.bootstrap.places import Places, keep_running
from ledger_service.bootstrap.reading import open_claim_reader, open_reading
from ledger_service.bootstrap.speaking import http_memory
from ledger_service.domain.errors import SettingError
from ledger_service.ports import (
    Accounts,
    ClaimReader,
    Judge,
    OpenUnitOfWork,
    Passwords,
    Responder,
    Voice,
)
from ledger_service.readers.judge import ChatJudge, JudgeSettings
from ledger_service.responders.http_chat import ChatSettings, HttpChatResponder
from ledger_service.responders.lane import Lane, LaneSettings
from ledger_service.responders.remembering import RememberingResponder
from ledger_service.responders.scripted import ScriptedResponder
from ledger_service.responders.template import TemplateResponder
from ledger_service.services.gossip.mirror_rumours import run_mirror
from ledger_service.services.gossip.revoice_tellings import WAITING, run_revoicing
from ledger_service.services.packets.build_packet import Reading
from ledger_service.services.replies.score_reply import Judging
from ledger_service.settings import Settings, environment
from ledger_service.stores.falkordb.client import GraphClient
from ledger_service.stores.falkordb.rumour_graph import FalkorRumourGraph
from ledger_service.stores.falkordb.worlds import WorldTemplates
from ledger_service.stores.passwords import Argon2Passwords
from ledger_service.stores.postgres.api_keys import PostgresApiKeys
from ledger_service.stores.postgres.outbox import PostgresMirrorQueue
from ledger_service.stores.postgres.unit_of_work import PostgresStores
from ledger_service.stores.worker_process import WorkerProcess


class Application(Struct, frozen=True, kw_only=True):
    """Everything that use cases are called with."""

    settings: Settings
    places: Places
    open_uow: OpenUnitOfWork
    stores: PostgresStores
    mirror_queue: PostgresMirrorQueue
    api_keys: PostgresApiKeys
    accounts: Accounts
    passwords: Passwords
    graph: FalkorRumourGraph
    reading: Reading
    claim_reader: ClaimReader
    http: httpx.AsyncClient
    lane: Lane
    """What everybody here who asks the chat model keeps to."""
    probe_lane: Lane
    """The same for runs of probes, whose workers everywhere share its minutes."""
    worker: WorkerProcess | None = None
    """What asks offered runs of probes beside the service; None where it does not."""
    told: MemoryObjectSendStream[str] | None = None
    """Where an hour leaves its playthrough for the chat model to put its tellings; None where nobody does."""

    def leave_for_the_voice(self, playthrough_id: str) -> None:
        """Let the chat model put what was told when it gets round to it; where too many wait, it is left as told."""
        if self.told is not None:
            with contextlib.suppress(anyio.WouldBlock):
                self.told.send_nowait(playthrough_id)

    def voice(self) -> Voice:
        """Return the chat model, to put tellings in other words.

        Raises:
            SettingError: there is no endpoint to ask.
        """
        return self._chat(asks_once=True)

    @property
    def judging(self) -> Judging:
        """What a reply is read and recorded with."""
        return Judging(
            claim_reader=self.claim_reader,
            embedder=self.reading.embedder,
            judge=self.judge,
            judge_may_gate=self.settings.judge_may_gate,
        )

    @property
    def judge(self) -> Judge | None:
        """Whoever is asked where rules cannot tell; nobody, unless the settings name one."""
        if self.settings.judge_url is None:
            return None
        asked = JudgeSettings(
            url=self.settings.judge_url,
            model=self.settings.judge_model,
            key=self.settings.judge_key,
            timeout_s=self.settings.judge_deadline_s,
        )
        return ChatJudge(asked, self.http)

    def responder(self, name: str, lines: dict[str, str] | None = None, *, asks_once: bool = False) -> Responder:
        """Return a speaker by name: template, scripted (with its lines) or http_chat (by the settings).

        One that asks once leaves it to others to try again, and to keep every try.

        Raises:
            SettingError: http_chat without an endpoint to ask, or a speaker that there is not.
        """
        match name:
            case "scripted":
                return ScriptedResponder(lines or {})
            case "http_chat":
                return self._chat(asks_once=asks_once)
            case "http_memory":
                return RememberingResponder(http_memory(self.settings, self.http))
            case "template":
                return TemplateResponder()
            case _:
                there = "template, scripted, http_chat and http_memory"
                raise SettingError("speaker", f"there is no {name!r}; there are {there}")

    def _chat(self, *, asks_once: bool) -> HttpChatResponder:
        if not self.settings.chat_url:
            cure = "set it to an OpenAI-compatible endpoint, or let the template speak (--speak template)"
            raise SettingError("CONTINUITY_CHAT_URL", "http_chat has no endpoint to ask", cure=cure)
        chat = ChatSettings(
            url=self.settings.chat_url,
            model=self.settings.chat_model,
            key=self.settings.chat_key,
            deadline_s=self.settings.chat_deadline_s,
            asks_once=asks_once,
            price_in=self.settings.chat_price_in,
            price_out=self.settings.chat_price_out,
        )
        return HttpChatResponder(chat, self.http, self.probe_lane if asks_once else self.lane)


@contextlib.asynccontextmanager
async def open_application(settings: Settings, places: Places, *, mirror: bool = False) -> AsyncIterator[Application]:
    """Open the application on its stores; with `mirror`, keep the graph up to date meanwhile."""
    stores = PostgresStores(places.app_url, worker_url=places.worker_url, console_url=places.console_url)
    graph = _graph(settings, places, stores)
    http = httpx.AsyncClient(timeout=None)  # noqa: S113  (whoever asks has a deadline over all of it)
    lane = LaneSettings(per_minute=settings.chat_per_minute, in_flight=settings.chat_in_flight)
    await stores.open()
    leave, told = anyio.create_memory_object_stream[str](WAITING)
    puts_tellings = mirror and bool(settings.chat_url)
    worker = WorkerProcess(environment(settings)) if mirror else None
    application = Application(
        settings=settings,
        places=places,
        open_uow=stores.open_uow,
        stores=stores,
        mirror_queue=stores.mirror_queue,
        api_keys=stores.api_keys,
        accounts=stores.accounts,
        passwords=Argon2Passwords(),
        graph=graph,
        reading=open_reading(),
        claim_reader=open_claim_reader(),
        http=http,
        lane=Lane(lane),
        probe_lane=Lane(lane, gate=partial(stores.in_turn, f"chat lane {settings.chat_url}")),
        worker=worker,
        told=leave if puts_tellings else None,
    )
    try:
        async with anyio.create_task_group() as tasks:
            if mirror:
                tasks.start_soon(partial(run_mirror, stores.mirror_queue, graph, open_uow=stores.open_uow))
                tasks.start_soon(keep_running, places)
            if worker is not None:
                tasks.start_soon(worker.stay)
            if puts_tellings:
                putting = partial(run_revoicing, told, voice=application.voice(), open_uow=stores.open_uow)
                tasks.start_soon(partial(putting, embedder=application.reading.embedder))
            yield application
            tasks.cancel_scope.cancel()
    finally:
        leave.close()
        told.close()
        await http.aclose()
        await graph.close()
        await stores.close()


def _graph(settings: Settings, places: Places, stores: PostgresStores) -> FalkorRumourGraph:
    """Return the mirror; where worlds are copied, from templates and one at a time."""
    client = GraphClient(places.graph_url, idle_seconds=round(settings.graph_idle_minutes * 60))
    if settings.graph_opening == "projection":
        return FalkorRumourGraph(client)
    always = settings.graph_opening == "copy_always"
    templates = WorldTemplates(client, one_at_a_time=stores.one_copy_at_a_time, always=always)
    return FalkorRumourGraph(client, templates)


def copying_graph(application: Application) -> FalkorRumourGraph:
    """Return the mirror as it is where worlds are copied, on whatever engine, for measuring."""
    client = application.graph.client
    copies = WorldTemplates(client, one_at_a_time=application.stores.one_copy_at_a_time, always=True)
    return FalkorRumourGraph(client, copies)


def single(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """Return the one error inside a task group's."""
    inner: BaseException = group
    while isinstance(inner, BaseExceptionGroup):
        inner = inner.exceptions[0]
    return inner
