"""What shows of failed tries as columns, and an index that holds all that is added up of a run's tries."""

import sqlalchemy as sa
from alembic import op

revision = "1d5f8b3ca927"
down_revision = "9e27c1d4b6f0"
branch_labels = None
depends_on = None

MADE = (
    ("confirmed", "body #>> '{beside,confirmed}'"),
    ("reference", "body #>> '{beside,reference,passed}'"),
    ("responder", "body ->> 'responder'"),
)
INDEX = (
    "CREATE INDEX ix_probe_attempt_added_up ON probe_attempt (run_id, cell_no) INCLUDE (repeat, attempt, state, fault,"
    " subtype, entry, axes, cost, confirmed, reference, responder)"
)


def upgrade() -> None:
    for name, made in MADE:
        op.add_column("probe_attempt", sa.Column(name, sa.Text(), sa.Computed(made, persisted=True), nullable=True))
    op.execute(INDEX)


def downgrade() -> None:
    op.drop_index("ix_probe_attempt_added_up", table_name="probe_attempt")
    for name, _ in MADE:
        op.drop_column("probe_attempt", name)
