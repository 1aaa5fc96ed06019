"""Jobs that wake workers: the queue of procrastinate 3.10 in a schema of its own, and runs that are offered to it."""

from importlib.resources import files

import sqlalchemy as sa
from alembic import op

revision = "3d90c5ab17f2"
down_revision = "e71b20c94a5d"
branch_labels = None
depends_on = None

APP, WORKER, QUEUE = "continuity_app", "continuity_worker", "continuity_queue"
JOB = "ROW('probes', 'probe_batch', 0, NULL, NULL, jsonb_build_object('run_id', run), NULL)"


def upgrade() -> None:
    op.add_column("probe_run", sa.Column("offered", sa.Boolean(), server_default=sa.text("false"), nullable=False))
    op.execute(f"CREATE SCHEMA {QUEUE}")
    op.execute(f"SET LOCAL search_path = {QUEUE}, public")
    schema = (files("procrastinate") / "sql" / "schema.sql").read_text()
    op.get_bind().connection.driver_connection.execute(schema)  # as it is written: no parameter is meant by its "%"
    op.execute(f"GRANT USAGE ON SCHEMA {QUEUE} TO {WORKER}")
    op.execute(f"GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {QUEUE} TO {WORKER}")
    op.execute(f"GRANT USAGE ON ALL SEQUENCES IN SCHEMA {QUEUE} TO {WORKER}")
    op.execute("RESET search_path")
    op.execute(
        "CREATE FUNCTION offer_probe_work(run text, jobs integer) RETURNS void LANGUAGE sql SECURITY DEFINER"
        f" SET search_path = {QUEUE}, pg_temp AS $$ SELECT procrastinate_defer_jobs_v1(array_agg({JOB}"
        "::procrastinate_job_to_defer_v1)) FROM generate_series(1, least(jobs, 1000)) HAVING count(*) > 0 $$"
    )
    op.execute("REVOKE ALL ON FUNCTION offer_probe_work(text, integer) FROM PUBLIC")
    op.execute(f"GRANT EXECUTE ON FUNCTION offer_probe_work(text, integer) TO {APP}")


def downgrade() -> None:
    op.execute("DROP FUNCTION offer_probe_work(text, integer)")
    op.execute(f"DROP SCHEMA {QUEUE} CASCADE")
    op.drop_column("probe_run", "offered")
