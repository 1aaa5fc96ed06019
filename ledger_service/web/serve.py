"""Serve the application with uvicorn, and refuse to stand open to others without a key."""

import gc
import logging

import anyio
import uvicorn

from ledger_service.bootstrap import bring_up_to_date, open_application, open_places, single
from ledger_service.domain.errors import SettingError
from ledger_service.settings import LOOP, Settings
from ledger_service.web.app import create_app


def serve(settings: Settings) -> None:
    """Serve until stopped.

    Raises:
        SettingError: bound to other machines while there is no key.
    """
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    with open_places(settings) as places:
        bring_up_to_date(places)

        async def run() -> None:
            async with open_application(settings, places, mirror=True) as application:
                if not settings.is_loopback and not await application.api_keys.list_all():
                    cure = "make one with `continuity key add NAME --role admin`, or serve on 127.0.0.1"
                    raise SettingError(
                        "CONTINUITY_HOST", f"{settings.host} is open to others and there is no key", cure=cure
                    )
                config = uvicorn.Config(
                    create_app(application),
                    host=settings.host,
                    port=settings.port,
                    log_level="warning",
                    access_log=False,
                    timeout_graceful_shutdown=5,
                    lifespan="off",
                )
                _settle_memory()
                print(f"serving http://{settings.host}:{settings.port}/v1  (Ctrl-C stops)", flush=True)  # noqa: T201
                await uvicorn.Server(config).serve()

        try:
            anyio.run(run, backend_options=LOOP)
        except BaseExceptionGroup as group:
            raise single(group) from None
        except KeyboardInterrupt:
            return


def _settle_memory() -> None:
    """Keep what the start left out of collections: one over all of it would hold up some request for 0.2 s."""
    gc.collect()
    gc.freeze()
