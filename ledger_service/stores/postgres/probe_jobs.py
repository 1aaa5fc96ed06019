"""Jobs that wake workers for runs of probes: the queue of procrastinate, served by the worker's login."""

import contextlib
import logging
from collections.abc import Awaitable, Callable
from typing import Final

import anyio
import psycopg
from procrastinate import App, PsycopgConnector
from procrastinate.exceptions import ConnectorException
from procrastinate.jobs import Status
from procrastinate.worker import Worker

QUEUE: Final = "probes"
TASK: Final = "probe_batch"
SCHEMA: Final = "continuity_queue"
STALLED_SECONDS: Final = 60
AWAY_SECONDS: Final = 2.0
HelpWith = Callable[[str], Awaitable[None]]
Until = Callable[[], Awaitable[object]]
_log = logging.getLogger("continuity")


class PostgresProbeJobs:
    """The queue. A job says that a run has a batch to ask; whether it has is decided by the lease alone."""

    def __init__(self, url: str) -> None:
        self._url = url

    async def serve(self, help_with: HelpWith, *, at_once: int, until: Until) -> None:
        """Serve; a queue that is away is waited for, and what its jobs were for is found by looking at the runs."""
        while True:
            try:
                return await self._serve(help_with, at_once=at_once, until=until)
            except (ConnectorException, psycopg.Error) as error:
                _log.warning("the queue of probes is away: %s", error)
            with anyio.move_on_after(AWAY_SECONDS):
                await until()
                return None

    async def _serve(self, help_with: HelpWith, *, at_once: int, until: Until) -> None:
        async with self._app().open_async() as app:

            @app.task(name=TASK, queue=QUEUE)
            async def probe_batch(run_id: str) -> None:
                await help_with(run_id)

            await _clear_stalled(app)
            worker = Worker(
                app, queues=[QUEUE], concurrency=at_once, delete_jobs="always", install_signal_handlers=False
            )
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(_stop, worker, until)
                await worker.run()  # type: ignore[no-untyped-call]
                tasks.cancel_scope.cancel()

    def _app(self) -> App:
        given = str(psycopg.conninfo.conninfo_to_dict(self._url).get("options") or "")
        options = f"{given} -c role=continuity_worker -c search_path={SCHEMA},public".strip()
        connector = PsycopgConnector(conninfo=self._url, kwargs={"options": options}, min_size=1, max_size=4, timeout=5)
        return App(connector=connector)


async def _stop(worker: Worker, until: Until) -> None:
    await until()
    worker.stop()  # type: ignore[no-untyped-call]


async def _clear_stalled(app: App) -> None:
    """Forget jobs whose worker was killed: what is left of their runs is found by looking at the runs."""
    for job in await app.job_manager.get_stalled_jobs(queue=QUEUE, seconds_since_heartbeat=STALLED_SECONDS):
        with contextlib.suppress(ConnectorException):
            await app.job_manager.finish_job(job, status=Status.FAILED, delete_job=True)
