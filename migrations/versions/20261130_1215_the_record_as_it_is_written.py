"""The record's JSON as it is written: it is read whole, so that it need not be taken apart and put together again."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "e71b20c94a5d"
down_revision = "b81e5d20c7f3"
branch_labels = None
depends_on = None

COLUMNS = (
    ("ledger_entry", "content"), ("amendment", "body"), ("event", "body"), ("event", "receipt"), ("outbox", "body"),
)  # fmt: skip


def upgrade() -> None:
    for table, column in COLUMNS:
        op.alter_column(table, column, type_=postgresql.JSON(astext_type=sa.Text()), postgresql_using=f"{column}::json")


def downgrade() -> None:
    for table, column in reversed(COLUMNS):
        op.alter_column(
            table, column, type_=postgresql.JSONB(astext_type=sa.Text()), postgresql_using=f"{column}::jsonb"
        )
