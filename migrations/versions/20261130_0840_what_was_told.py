"""What was told: the wording, its rung and the witnesses that each telling goes back to; tellings by story."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "5c1d0e7a9b24"
down_revision = "132d6e28ff55"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add what the rumour engine needs of a telling."""
    op.add_column("telling", sa.Column("severity", sa.Integer(), nullable=False, server_default="1"))
    op.add_column("telling", sa.Column("statement", sa.Text(), nullable=False, server_default=""))
    op.add_column("telling", sa.Column("roots", postgresql.ARRAY(sa.Text()), nullable=False, server_default="{}"))
    op.create_check_constraint(op.f("ck_telling_severity"), "telling", "severity >= 1")
    op.create_index(op.f("ix_telling_playthrough_id_origin"), "telling", ["playthrough_id", "origin"])


def downgrade() -> None:
    """Forget it again."""
    op.drop_index(op.f("ix_telling_playthrough_id_origin"), "telling")
    op.drop_constraint(op.f("ck_telling_severity"), "telling")
    for name in ("roots", "statement", "severity"):
        op.drop_column("telling", name)
