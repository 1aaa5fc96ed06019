"""Runs of probes in the console: whose world they are of, when they began, and what heat maps add up as columns."""

import sqlalchemy as sa
from alembic import op

revision = "9e27c1d4b6f0"
down_revision = "f2a97c41d06e"
branch_labels = None
depends_on = None

APP, CONSOLE = "continuity_app", "continuity_console"
GIVEN = "string_to_array(coalesce(current_setting('continuity.worlds', true), ''), ',')"
MINE = f"(world_id = ANY ({GIVEN}) OR '*' = ANY ({GIVEN}))"
OF_RUN = ("probe_batch", "probe_cell", "probe_attempt")
AXES = " || ".join(f"left(body #>> '{{scorecard,verdicts,{i},state}}', 1)" for i in range(5))
MADE = (
    ("probe_run", "world_id", sa.Text(), "split_part(body ->> 'world_version', '@', 1)"),
    ("probe_cell", "pressure", sa.Text(), "body ->> 'pressure'"),
    ("probe_cell", "paraphrase", sa.Integer(), "(body ->> 'paraphrase')::integer"),
    ("probe_attempt", "axes", sa.Text(), AXES),
    ("probe_attempt", "subtype", sa.Text(), "body ->> 'subtype'"),
    ("probe_attempt", "entry", sa.Text(), "body ->> 'entry'"),
)


def upgrade() -> None:
    for table, name, sort, made in MADE:
        op.add_column(table, sa.Column(name, sort, sa.Computed(made, persisted=True), nullable=True))
    op.add_column("probe_run", sa.Column("begun_at", sa.DateTime(timezone=True), nullable=True))
    op.alter_column("probe_run", "begun_at", server_default=sa.text("now()"))
    op.create_index(op.f("ix_probe_run_world_id_run_no"), "probe_run", ["world_id", "run_no"])
    op.execute("ALTER TABLE probe_run ENABLE ROW LEVEL SECURITY")
    op.execute(f"CREATE POLICY service ON probe_run TO {APP} USING (true) WITH CHECK (true)")
    op.execute(f"CREATE POLICY given_worlds ON probe_run FOR SELECT TO {CONSOLE} USING ({MINE})")
    for table in OF_RUN:  # the runs that the policy above lets one see, and no others
        seen = "run_id IN (SELECT r.run_id FROM probe_run r)"
        op.execute(f"CREATE POLICY given_worlds ON {table} FOR SELECT TO {CONSOLE} USING ({seen})")
    op.execute(f"GRANT SELECT ON probe_run, {', '.join(OF_RUN)} TO {CONSOLE}")


def downgrade() -> None:
    op.execute(f"REVOKE SELECT ON probe_run, {', '.join(OF_RUN)} FROM {CONSOLE}")
    for table in OF_RUN:
        op.execute(f"DROP POLICY given_worlds ON {table}")
    op.execute("DROP POLICY given_worlds ON probe_run")
    op.execute("DROP POLICY service ON probe_run")
    op.execute("ALTER TABLE probe_run DISABLE ROW LEVEL SECURITY")
    op.drop_index(op.f("ix_probe_run_world_id_run_no"), table_name="probe_run")
    op.drop_column("probe_run", "begun_at")
    for table, name, _, _ in MADE:
        op.drop_column(table, name)
