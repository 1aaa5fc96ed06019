"""What a try cost as a column: how far a run is must not take all its tries apart."""

import sqlalchemy as sa
from alembic import op

revision = "a4c07de2b915"
down_revision = "5be17d20c9f4"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("probe_attempt", sa.Column("cost", sa.Double(), server_default=sa.text("0"), nullable=False))
    op.execute("ALTER TABLE probe_attempt NO FORCE ROW LEVEL SECURITY")
    op.execute("UPDATE probe_attempt SET cost = (body->>'cost')::float8 WHERE body ? 'cost'")
    op.execute("ALTER TABLE probe_attempt FORCE ROW LEVEL SECURITY")


def downgrade() -> None:
    op.drop_column("probe_attempt", "cost")
