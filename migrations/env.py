"""Run migrations: one transaction each, one runner at a time, and never long behind a lock."""

from alembic import context
from sqlalchemy import create_engine, text
from sqlalchemy.pool import NullPool

from ledger_service.stores.postgres.tables import metadata

ADVISORY_LOCK = 7_261_904
LOCK_TIMEOUT = "5s"
STATEMENT_TIMEOUT = "120s"


def run() -> None:
    engine = create_engine(context.config.get_main_option("sqlalchemy.url"), poolclass=NullPool)
    with engine.connect() as connection:
        connection.execute(text(f"SET lock_timeout = '{LOCK_TIMEOUT}'"))
        connection.execute(text(f"SET statement_timeout = '{STATEMENT_TIMEOUT}'"))
        connection.execute(text("SELECT pg_advisory_lock(:lock)"), {"lock": ADVISORY_LOCK})
        connection.commit()
        context.configure(
            connection=connection,
            target_metadata=metadata,
            transaction_per_migration=True,
            compare_server_default=True,
        )
        with context.begin_transaction():
            context.run_migrations()
        connection.execute(text("SELECT pg_advisory_unlock(:lock)"), {"lock": ADVISORY_LOCK})
        connection.commit()
    engine.dispose()


run()
