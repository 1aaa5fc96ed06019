"""Runs of probe matrices: a run, its batches with their fences, its cells, and every try."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "8f2b6c41d7e9"
down_revision = "5c1d0e7a9b24"
branch_labels = None
depends_on = None

APP = "continuity_app"
OF_RUN = ("probe_batch", "probe_cell", "probe_attempt")
CURRENT = "nullif(current_setting('continuity.run', true), '')"


def upgrade() -> None:
    op.create_table(
        "probe_run",
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("run_no", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("planned", sa.Integer(), nullable=False),
        sa.Column("body", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("ground", postgresql.JSONB(astext_type=sa.Text()), nullable=True),
        sa.CheckConstraint("state IN ('active','paused','cancelled')", name=op.f("ck_probe_run_state")),
        sa.PrimaryKeyConstraint("run_id", name=op.f("pk_probe_run")),
    )
    op.create_index(op.f("ix_probe_run_run_no"), "probe_run", ["run_no"])
    op.create_table(
        "probe_batch",
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("batch_no", sa.Integer(), nullable=False),
        sa.Column("distance", sa.Text(), nullable=False),
        sa.Column("fence", sa.BigInteger(), nullable=False),
        sa.Column("done", sa.Boolean(), nullable=False),
        sa.Column("branch", postgresql.JSONB(astext_type=sa.Text()), nullable=True),
        sa.ForeignKeyConstraint(["run_id"], ["probe_run.run_id"], name=op.f("fk_probe_batch_run_id")),
        sa.PrimaryKeyConstraint("run_id", "batch_no", name=op.f("pk_probe_batch")),
    )
    op.create_table(
        "probe_cell",
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("cell_no", sa.Integer(), nullable=False),
        sa.Column("batch_no", sa.Integer(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("packet_hash", sa.Text(), nullable=False),
        sa.Column("body", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.CheckConstraint(
            "state IN ('pass','fail','error','unscored','skipped','pending')", name=op.f("ck_probe_cell_state")
        ),
        sa.ForeignKeyConstraint(
            ["run_id", "batch_no"],
            ["probe_batch.run_id", "probe_batch.batch_no"],
            name=op.f("fk_probe_cell_run_id_batch_no"),
        ),
        sa.PrimaryKeyConstraint("run_id", "cell_no", name=op.f("pk_probe_cell")),
    )
    op.create_index(
        op.f("ix_probe_cell_run_id_batch_no_state_cell_no"), "probe_cell", ["run_id", "batch_no", "state", "cell_no"]
    )
    op.create_table(
        "probe_attempt",
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("cell_no", sa.Integer(), nullable=False),
        sa.Column("repeat", sa.Integer(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("fault", sa.Text(), nullable=False),
        sa.Column("fence", sa.BigInteger(), nullable=False),
        sa.Column("body", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.CheckConstraint("state IN ('pass','fail','error','unscored')", name=op.f("ck_probe_attempt_state")),
        sa.ForeignKeyConstraint(
            ["run_id", "cell_no"],
            ["probe_cell.run_id", "probe_cell.cell_no"],
            name=op.f("fk_probe_attempt_run_id_cell_no"),
        ),
        sa.PrimaryKeyConstraint("run_id", "cell_no", "repeat", "attempt", name=op.f("pk_probe_attempt")),
    )
    op.create_index(
        "uq_probe_attempt_finished",
        "probe_attempt",
        ["run_id", "cell_no", "repeat"],
        unique=True,
        postgresql_where=sa.text("state <> 'error'"),
    )
    _secure()


def _secure() -> None:
    """Let a transaction see the rows of the one run that it names."""
    for table in OF_RUN:
        op.execute(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY")
        op.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")
        op.execute(
            f"CREATE POLICY own_run ON {table} TO {APP} USING (run_id = {CURRENT}) WITH CHECK (run_id = {CURRENT})"
        )
    op.execute(f"GRANT SELECT, INSERT, UPDATE ON probe_run, {', '.join(OF_RUN)} TO {APP}")


def downgrade() -> None:
    for table in ("probe_attempt", "probe_cell", "probe_batch", "probe_run"):
        op.drop_table(table)
