"""Packets as they are written: text that is never searched need not be taken apart and compressed anew."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "5c0f1e7a92b4"
down_revision = "a47c9d20be13"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for column in ("body", "moment"):
        op.alter_column(
            "packet", column, type_=postgresql.JSON(astext_type=sa.Text()), postgresql_using=f"{column}::json"
        )


def downgrade() -> None:
    for column in ("moment", "body"):
        op.alter_column(
            "packet", column, type_=postgresql.JSONB(astext_type=sa.Text()), postgresql_using=f"{column}::jsonb"
        )
