"""Migrations: bring a database up to date, and say whether it is."""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path

import psycopg
from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy.exc import DBAPIError

from ledger_service.domain.errors import StoreSetupError, StoreUnavailableError, StoreVersionError

OLDEST = 150_000


def find_migrations() -> Path:
    """Return the folder of migrations: inside the wheel, else of the checkout."""
    shipped = Path(str(files("ledger_service") / "shipped" / "migrations"))
    return shipped if shipped.is_dir() else Path(str(files("ledger_service"))).parent / "migrations"


def _config(admin_url: str) -> Config:
    config = Config(stdout=io.StringIO(), output_buffer=io.StringIO())
    config.set_main_option("script_location", str(find_migrations()).replace("%", "%%"))
    config.set_main_option("sqlalchemy.url", sqlalchemy_url(admin_url).replace("%", "%%"))
    return config


def sqlalchemy_url(url: str) -> str:
    """Return the same URL as SQLAlchemy wants it: one driver for both colours."""
    return "postgresql+psycopg://" + url.split("://", 1)[1]


def head() -> str:
    """Return the newest revision that this version of the product knows."""
    return str(ScriptDirectory(str(find_migrations())).get_current_head())


def migrate(admin_url: str, *, revision: str = "head", app_user: str | None = None) -> None:
    """Bring a database to a revision; again is fine. Then let the service's own user act as the roles it needs.

    Raises:
        StoreUnavailableError: the server cannot be reached.
        StoreVersionError: it is older than PostgreSQL 15.
        StoreSetupError: the role may not do what a migration needs.
    """
    with _translated():
        with psycopg.connect(admin_url, connect_timeout=5) as connection:
            _check_version(connection)
        command.upgrade(_config(admin_url), revision)
        if app_user is not None:
            _grant(admin_url, app_user)


def downgrade(admin_url: str, revision: str) -> None:
    """Take a database back to an older revision; `base` drops everything."""
    with _translated():
        command.downgrade(_config(admin_url), revision)


def check(admin_url: str) -> None:
    """Raise where the schema in code and the one that the migrations make differ."""
    command.check(_config(admin_url))


def current(url: str) -> str | None:
    """Return a database's revision, or None where it was never migrated."""
    with _translated("CONTINUITY_POSTGRES_URL"), psycopg.connect(url, connect_timeout=5) as connection:
        there = connection.execute("SELECT to_regclass('alembic_version')").fetchone()
        if there is None or there[0] is None:
            return None
        row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
        return None if row is None else str(row[0])


def _grant(admin_url: str, app_user: str) -> None:
    from psycopg import sql  # noqa: PLC0415

    if app_user in {"continuity_app", "continuity_worker", "continuity_console"}:
        return
    with psycopg.connect(admin_url, autocommit=True) as connection:
        query = sql.SQL("GRANT continuity_app, continuity_worker, continuity_console TO {}").format(
            sql.Identifier(app_user)
        )
        connection.execute(query)


def _check_version(connection: psycopg.Connection[tuple[object, ...]]) -> None:
    if connection.info.server_version < OLDEST:
        found = connection.info.server_version // 10_000
        raise StoreVersionError(f"this is PostgreSQL {found}; it takes 15 or newer", cure="upgrade the server")


@contextmanager
def _translated(setting: str = "CONTINUITY_POSTGRES_ADMIN_URL") -> Iterator[None]:
    try:
        yield
    except psycopg.OperationalError as error:
        cure = f"check {setting} and that the server runs"
        raise StoreUnavailableError(_first_line(error), cure=cure) from error
    except (psycopg.Error, DBAPIError) as error:
        cure = "run the migrations as a role that owns the database and may create roles"
        raise StoreSetupError(f"the migration failed: {_first_line(error)}", cure=cure) from error


def _first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]
