"""Score rows: a card that a reviewer overruled is kept beside the one before it, the last one counts."""

import sqlalchemy as sa
from alembic import op

revision = "a47c9d20be13"
down_revision = "8f2b6c41d7e9"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Number the rows of a reply's scores."""
    op.add_column("scorecard", sa.Column("row_no", sa.Integer(), nullable=False, server_default="1"))
    op.drop_constraint(op.f("pk_scorecard"), "scorecard", type_="primary")
    op.create_primary_key(op.f("pk_scorecard"), "scorecard", ["playthrough_id", "reply_id", "row_no"])


def downgrade() -> None:
    """Keep the last row alone."""
    op.execute(
        "DELETE FROM scorecard s USING scorecard later WHERE later.playthrough_id = s.playthrough_id"
        " AND later.reply_id = s.reply_id AND later.row_no > s.row_no"
    )
    op.drop_constraint(op.f("pk_scorecard"), "scorecard", type_="primary")
    op.create_primary_key(op.f("pk_scorecard"), "scorecard", ["playthrough_id", "reply_id"])
    op.drop_column("scorecard", "row_no")
