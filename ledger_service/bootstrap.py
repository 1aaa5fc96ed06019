"""Composition root: settings in, a running application out; what was opened is closed."""

import contextlib
import logging
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import TypeVar
from urllib.parse import unquote, urlparse

import anyio
import anyio.to_thread
import httpx
from anyio.streams.memory import MemoryObjectSendStream
from msgspec import Struct
from msgspec.structs import replace

from ledger_service.domain.errors import ContentError, SettingError, StoreSetupError, StoreVersionError
from ledger_service.domain.ids import CharacterId
from ledger_service.domain.probe_runs import RunPlan
from ledger_service.domain.terms import stem
from ledger_service.domain.transcripts import Recorded
from ledger_service.domain.worlds import World
from ledger_service.ports import (
    Accounts,
    ClaimReader,
    Judge,
    NewProcess,
    OpenUnitOfWork,
    OutsideMemory,
    Passwords,
    ProbeJobs,
    RemembersElsewhere,
    Responder,
    Voice,
)
from ledger_service.readers.claims import PatternClaimReader
from ledger_service.readers.embedder import WordLlamaEmbedder
from ledger_service.readers.judge import ChatJudge, JudgeSettings
from ledger_service.readers.languages import UNKNOWN
from ledger_service.readers.languages import language_of as read_language
from ledger_service.readers.line_reader import PatternLineReader
from ledger_service.readers.remembering import RememberingClaimReader, RememberingLineReader
from ledger_service.reporting.comic_strip import draw as draw_comic
from ledger_service.reporting.graph_layout import lay_out
from ledger_service.reporting.render import Worked, write_page
from ledger_service.reporting.run_files import write_reports as write_run_reports
from ledger_service.reporting.run_files import write_whole
from ledger_service.responders.grammar import persons_of, spoken
from ledger_service.responders.http_chat import ChatSettings, HttpChatResponder
from ledger_service.responders.http_memory import HttpMemory, MemorySettings
from ledger_service.responders.lane import Lane, LaneSettings
from ledger_service.responders.peers import PEERS, open_peer
from ledger_service.responders.peers.careful import CarefulMemory
from ledger_service.responders.prompt import JinjaPrompt
from ledger_service.responders.remembering import RememberingResponder
from ledger_service.responders.scripted import ScriptedResponder
from ledger_service.responders.template import TemplateResponder
from ledger_service.responders.transcript import TranscriptResponder
from ledger_service.services.build_packet import Reading
from ledger_service.services.desk import Desk
from ledger_service.services.mirror_rumours import run_mirror
from ledger_service.services.revoice_tellings import WAITING, run_revoicing
from ledger_service.services.score_reply import Judging
from ledger_service.settings import Settings, environment
from ledger_service.stores.doctor import Finding, examine_disk, examine_graph, examine_record
from ledger_service.stores.embedded import embedded_stores
from ledger_service.stores.falkordb.client import GraphClient
from ledger_service.stores.falkordb.rumour_graph import FalkorRumourGraph
from ledger_service.stores.falkordb.worlds import WorldTemplates
from ledger_service.stores.memory import MemoryStores
from ledger_service.stores.new_process import ReloadProcess
from ledger_service.stores.passwords import Argon2Passwords
from ledger_service.stores.postgres import migrate as migrations
from ledger_service.stores.postgres.api_keys import PostgresApiKeys
from ledger_service.stores.postgres.bench_load import (
    VERBS,
    WORDS,
    bare_round_trip,
    load_ledger,
    settle_statistics,
)
from ledger_service.stores.postgres.bench_runs import cells_for, load_tries
from ledger_service.stores.postgres.outbox import PostgresMirrorQueue
from ledger_service.stores.postgres.unit_of_work import PostgresStores
from ledger_service.stores.probe_files import ProbeFiles, Story
from ledger_service.stores.rehearsal import rehearse
from ledger_service.stores.worker_process import WorkerProcess

__all__ = [
    "NAMED_BY",
    "Application",
    "MemoryStores",
    "Places",
    "Story",
    "Worked",
    "as_said",
    "bare_round_trip",
    "baseline_file",
    "bench_words",
    "bring_up_to_date",
    "cells_for",
    "copying_graph",
    "desk_of",
    "draw_comic",
    "examine",
    "find_shipped",
    "find_story",
    "honest_speaker",
    "keep_running",
    "language_of",
    "lay_out",
    "load_ledger",
    "load_story",
    "load_tries",
    "new_record",
    "open_application",
    "open_claim_reader",
    "open_judging",
    "open_peers",
    "open_places",
    "open_reading",
    "probe_jobs",
    "rehearse",
    "reload_process",
    "remembered_judging",
    "remembered_reading",
    "reports_folder",
    "run_migrations",
    "settle_statistics",
    "shipped_matrices",
    "single",
    "transcript_speaker",
    "write_page",
    "write_run_reports",
    "write_whole",
]

LOOK_SECONDS = 1.0
"""How often a service that runs looks whether its embedded servers still do."""
LONGEST_WAIT_SECONDS = 60.0
_log = logging.getLogger("continuity")
NAMED_BY = {"http_chat": "CONTINUITY_CHAT_MODEL", "http_memory": "CONTINUITY_MEMORY_NAME"}
"""Subjects of probes that the settings of each machine name."""
NO_GRAPH = "unix:///nowhere/falkordb.sock"

_T = TypeVar("_T")


class Places(Struct, frozen=True, kw_only=True):
    """Where the stores are, embedded or real."""

    app_url: str
    admin_url: str | None
    worker_url: str | None
    console_url: str | None = None
    graph_url: str
    graph_fault: str | None = None
    is_embedded: bool = False
    revive: Callable[[], tuple[str, ...]] | None = None
    """Starts again what is embedded and has ended, and names it."""


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


@contextlib.contextmanager
def open_places(settings: Settings, *, graph: bool = True):  # type: ignore[no-untyped-def]  # noqa: ANN201
    """Start what is embedded, or take the URLs that the settings give; yield `Places`.

    Raises:
        StoreSetupError: the embedded record cannot be started here.
    """
    if settings.postgres_url is not None and settings.falkordb_url is not None:
        yield _real(settings, settings.falkordb_url)
        return
    with embedded_stores(
        settings.home, record=settings.postgres_url is None, graph=graph and settings.falkordb_url is None
    ) as stores:
        graph_url = settings.falkordb_url or stores.falkordb_url or NO_GRAPH
        if settings.postgres_url is not None:
            yield _real(settings, graph_url)
            return
        yield Places(
            app_url=stores.postgres_url("continuity_app"),
            admin_url=stores.postgres_url("continuity_owner"),
            worker_url=stores.postgres_url("continuity_worker"),
            console_url=stores.postgres_url("continuity_console"),
            graph_url=graph_url,
            graph_fault=None if stores.falkordb_fault is None else str(stores.falkordb_fault),
            is_embedded=True,
            revive=stores.revive,
        )


def _real(settings: Settings, graph_url: str) -> Places:
    return Places(
        app_url=settings.postgres_url or "", admin_url=settings.postgres_admin_url, worker_url=None, graph_url=graph_url
    )


def bring_up_to_date(places: Places) -> None:
    """Migrate the embedded record; a real server is only looked at.

    Raises:
        StoreVersionError: a real server whose schema is not up to date, with the cure.
    """
    if migrations.current(places.app_url) == migrations.head():
        return
    if not places.is_embedded or places.admin_url is None:
        raise StoreVersionError("the schema is not up to date", cure="run `continuity migrate`")
    migrations.migrate(places.admin_url)


def run_migrations(places: Places) -> str:
    """Migrate, with the admin URL, and return the revision."""
    if places.admin_url is None:
        raise StoreVersionError("no role may migrate", cure="set CONTINUITY_POSTGRES_ADMIN_URL")
    user = unquote(urlparse(places.app_url).username or "")
    migrations.migrate(places.admin_url, app_user=None if places.is_embedded else user)
    return migrations.head()


def open_reading() -> Reading:
    """Return the adapters that read lines and render prompts; they need no store."""
    return Reading(reader=PatternLineReader(), embedder=WordLlamaEmbedder(), renderer=JinjaPrompt())


def open_claim_reader() -> ClaimReader:
    """Return the reader of replies, loaded; it needs no store."""
    reader = PatternClaimReader()
    reader.warm()
    return reader


def open_judging(reading: Reading) -> Judging:
    """Return what replies are read and judged with where no store and no judge is needed."""
    return Judging(claim_reader=open_claim_reader(), embedder=reading.embedder)


def remembered_reading(reading: Reading) -> Reading:
    """Return what lines are read with, so that the same line to the same speaker is read once."""
    return replace(reading, reader=RememberingLineReader(reading.reader))


def remembered_judging(judging: Judging) -> Judging:
    """Return what replies are judged with, so that the same line of the same speaker is read once."""
    return replace(judging, claim_reader=RememberingClaimReader(judging.claim_reader))


def with_judge(
    use: Callable[[Judge], Awaitable[_T]], *, url: str, model: str, key: str | None = None, subject: str = ""
) -> _T:
    """Run something with a judge, which needs no store."""

    async def run() -> _T:
        async with httpx.AsyncClient() as client:
            return await use(ChatJudge(JudgeSettings(url=url, model=model, key=key, subject=subject), client))

    return anyio.run(run)


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


def probe_jobs(places: Places) -> ProbeJobs:
    """Return the queue of jobs for runs of probes."""
    from ledger_service.stores.postgres.probe_jobs import PostgresProbeJobs  # noqa: PLC0415  (for a worker alone)

    return PostgresProbeJobs(places.worker_url or places.app_url)


async def keep_running(places: Places) -> None:
    """Start embedded servers again when they end, until cancelled; real ones are not ours to start."""
    if places.revive is not None:
        await _keep_running(places.revive)


async def _keep_running(revive: Callable[[], tuple[str, ...]]) -> None:
    """Start the embedded servers again when they end, until cancelled; patient while one cannot be started."""
    wait = LOOK_SECONDS
    while True:
        await anyio.sleep(wait)
        try:
            for name in await anyio.to_thread.run_sync(revive):
                _log.warning("%s had ended, and was started again", name)
        except StoreSetupError as error:
            wait = min(wait * 2, LONGEST_WAIT_SECONDS)
            _log.warning("%s (%s); tried again in %.0f s", error, error.cure, wait)
        else:
            wait = LOOK_SECONDS


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


def examine(settings: Settings) -> tuple[Finding, ...]:
    """Look at disk, record and graph, and say of each thing how it is and what to do about it."""
    disk = examine_disk(settings.home)
    with open_places(settings) as places:
        if places.is_embedded:
            bring_up_to_date(places)
        record = examine_record(places.app_url, head=migrations.head(), worker_url=places.worker_url)
        graph_url = None if places.graph_url == NO_GRAPH else places.graph_url
        graph = examine_graph(graph_url, fault=places.graph_fault or "it was not started")
    return (disk, *record, *graph)


def find_shipped(name: str) -> Path:
    """Return a shipped folder such as `probes`: inside the wheel, else of the checkout."""
    shipped = Path(str(files("ledger_service") / "shipped" / name))
    return shipped if shipped.is_dir() else Path(str(files("ledger_service"))).parent / name


def honest_speaker() -> Responder:
    """Return the speaker that says what a packet holds and nothing besides; it needs no store and no model."""
    return TemplateResponder()


@contextlib.asynccontextmanager
async def open_peers(
    settings: Settings, names: Sequence[str] = (), *, filtered: bool = False
) -> AsyncIterator[tuple[list[RemembersElsewhere], list[str]]]:
    """Open the memory systems that are installed, or those named; yield them, and why others are not there.

    `filtered` opens each once more, behind a filter of what entries say of themselves.

    Raises:
        SettingError: one that is named is not there.
    """
    async with httpx.AsyncClient(timeout=None) as client:  # noqa: S113  (each call has a deadline over all of it)
        found: list[RemembersElsewhere] = []
        absent: list[str] = []
        vectors = WordLlamaEmbedder().vectors
        for name in names or (*PEERS, *(["http_memory"] if settings.memory_url else [])):
            try:
                memory = http_memory(settings, client) if name == "http_memory" else open_peer(name, vectors)
            except SettingError as error:
                if names:
                    raise
                absent.append(f"{error}: {error.cure}")
            else:
                found.append(RememberingResponder(memory))
                if filtered:
                    found.append(RememberingResponder(CarefulMemory(memory)))
        yield found, absent


def http_memory(settings: Settings, client: httpx.AsyncClient) -> OutsideMemory:
    """Return the outside memory that the settings name.

    Raises:
        SettingError: none is named.
    """
    if not settings.memory_url:
        cure = "set it to a memory system that answers as `continuity schema memory` says"
        raise SettingError("CONTINUITY_MEMORY_URL", "http_memory has nobody to ask", cure=cure)
    asks = MemorySettings(
        url=settings.memory_url, name=settings.memory_name, key=settings.memory_key,
        deadline_s=settings.memory_deadline_s,
    )  # fmt: skip
    return HttpMemory(asks, client)


def transcript_speaker(recorded: Mapping[str, Recorded]) -> Responder:
    """Return the speaker that says what was said elsewhere, cell by cell."""
    return TranscriptResponder(recorded)


def new_record() -> OpenUnitOfWork:
    """Return an empty record in memory, for dry runs; nothing of it is kept."""
    return MemoryStores().open_uow


def language_of(text: str) -> str:
    """Return the language of a sentence; empty where it cannot be told."""
    found = read_language(text, default="")
    return "" if found == UNKNOWN else found


def as_said(statement: str, world: World, by: CharacterId, to: CharacterId, tick: int) -> str:
    """Put a statement as somebody of a world says it to somebody at a tick: `I`, `you`, and the verbs that go along."""
    return spoken(statement, persons_of(world, by, (to,)), now=tick)


def desk_of(app: Application, run: RunPlan) -> Desk:
    """Return what a run is asked with.

    Raises:
        ContentError: the model that this machine would ask is another than the run's.
    """
    name = run.settings.subject
    kind = "scripted" if name == "faulty" else name.partition(":")[0]
    responder = (
        transcript_speaker(run.settings.transcript)
        if kind == "transcript"
        else app.responder(kind, run.settings.lines, asks_once=True)
    )
    if kind in NAMED_BY and responder.name != name:
        raise ContentError("subject", f"the run asks {name}, and {NAMED_BY[kind]} here says {responder.name}")
    return Desk(
        runs=app.stores.probe_runs,
        open_uow=app.open_uow,
        reading=remembered_reading(app.reading),
        reading_again=remembered_reading(app.reading),
        judging=remembered_judging(app.judging),
        graph=app.graph,
        responder=responder,
        reference=None if kind == "template" else app.responder("template"),
        repeatable=kind not in {"http_chat", "transcript"},
        afresh=reload_process(),
    )


def reload_process(*, shares_record: bool = True) -> NewProcess:
    """Return how a save is loaded in a new process: from the record that it opens itself, or from a document."""
    return ReloadProcess(shares_record=shares_record)


def load_story(name: str, *, matrix: str = "matrix.yaml") -> Story:
    """Read a shipped story: its world, history and one of its matrices.

    Raises:
        StoryFileError: with file, line and path.
    """
    return ProbeFiles(find_shipped("probes")).load(name, matrix=matrix)


def shipped_matrices() -> dict[str, tuple[str, ...]]:
    """Return the files of the matrices that are shipped, by story."""
    return ProbeFiles(find_shipped("probes")).list_matrices()


def find_story(name: str) -> Story:
    """Read a shipped story by its name, or one of your own by its folder.

    Raises:
        StoryFileError: with file, line and path.
    """
    folder = Path(name)
    return ProbeFiles(folder.parent).load(folder.name) if "/" in name else load_story(name)


def baseline_file(settings: Settings, story: str, subject: str) -> Path:
    """Return where the baseline of a story and subject is kept."""
    folder = reports_folder(settings).parent / "baselines"
    folder.mkdir(parents=True, exist_ok=True)
    safe = re.sub(r"[^A-Za-z0-9_.-]+", "_", subject)
    return folder / f"{story}.{safe}.json"


def reports_folder(settings: Settings) -> Path:
    """Return where reports go: `reports/runs` of a checkout, else under the home."""
    checkout = Path(str(files("ledger_service"))).parent
    inside = (checkout / "pyproject.toml").exists() and (checkout / "reports").is_dir()
    return (checkout if inside else settings.home) / "reports" / "runs"


def bench_words() -> tuple[list[str], list[str]]:
    """Return the stems of the words that a measured ledger is made of."""
    return [stem(w) for w in WORDS], [stem(v) for v in VERBS]
