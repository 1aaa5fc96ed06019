"""Serve the application with uvicorn, and refuse to stand open to others without a key."""

import gc
import logging
import secrets
import socket
from collections.abc import Callable

import anyio
import uvicorn
from msgspec import Struct

from ledger_service.bootstrap import Application, bring_up_to_date, open_application, open_places, single
from ledger_service.domain.errors import SettingError
from ledger_service.settings import LOOP, Settings
from ledger_service.web.app import create_app

NOISY = ("psycopg", "psycopg.pool")
"""What they warn of, a lost connection, is answered to whoever asked."""


class _Server(uvicorn.Server):
    """A server that says when it can be reached."""

    def __init__(self, config: uvicorn.Config, say: Callable[[], None]) -> None:
        super().__init__(config)
        self._say = say

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to listen, and say so."""
        await super().startup(sockets)
        if self.started:
            self._say()


class Serving(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Where the service can be reached."""

    serving: str
    """The JSON interface."""
    console: str
    first_run: str | None = None
    """Where the first admin comes in, once, while nobody has an account."""


def serve(settings: Settings, *, announce: Callable[[Serving], None]) -> None:
    """Serve until stopped; `announce` is told the addresses once they can be reached.

    Raises:
        SettingError: the address cannot be listened on, or is open to other machines while there is no key.
    """
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    for name in NOISY:
        logging.getLogger(name).setLevel(logging.ERROR)
    with _listening(settings.host, settings.port) as listener, open_places(settings) as places:
        bring_up_to_date(places)

        async def run() -> None:
            async with open_application(settings, places, mirror=True) as application:
                await _check_open(application)
                first_run = await _first_run(application)
                config = uvicorn.Config(
                    create_app(application, first_run=first_run),
                    log_level="warning",
                    access_log=False,
                    timeout_graceful_shutdown=5,
                    lifespan="off",
                )
                _settle_memory()
                where = _where(settings.host, listener, first_run)
                await _Server(config, lambda: announce(where)).serve([listener])

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


def _listening(host: str, port: int) -> socket.socket:
    """Return a socket that is bound, so that what is said of the address is so.

    Raises:
        SettingError: it cannot be.
    """
    try:
        return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        cure = "choose another with --port (0 takes a free one) or --host, or stop what listens there"
        why = f"{host}:{port} cannot be listened on: {error.strerror or error}"
        raise SettingError("CONTINUITY_HOST, CONTINUITY_PORT", why, cure=cure) from None
    except (UnicodeError, OverflowError) as error:
        raise SettingError("CONTINUITY_HOST", f"{host!r} is no address: {error}", cure="leave it out") from None


def _where(host: str, listener: socket.socket, first_run: str | None) -> Serving:
    shown = f"[{host}]" if ":" in host else host
    root = f"http://{shown}:{listener.getsockname()[1]}"
    link = None if first_run is None else f"{root}/first-run/{first_run}"
    return Serving(serving=f"{root}/v1", console=f"{root}/", first_run=link)


async def _first_run(application: Application) -> str | None:
    """Return the secret of a link for the first admin; only who can read this machine's terminal is told it."""
    is_needed = application.settings.is_loopback and await application.accounts.is_empty()
    return secrets.token_urlsafe(24) if is_needed else None


async def _check_open(application: Application) -> None:
    """See that nobody can call from elsewhere without a key that is in use."""
    settings = application.settings
    if settings.is_loopback or any(not revoked for _, _, revoked in await application.api_keys.list_all()):
        return
    cure = "make one with `continuity key add NAME --role admin`, or serve on 127.0.0.1"
    raise SettingError("CONTINUITY_HOST", f"{settings.host} is open to others and there is no key in use", cure=cure)
