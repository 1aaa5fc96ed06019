"""The place of a packet among all is indexed as an expression, so that no list of one playthrough is read through it."""

import sqlalchemy as sa
from alembic import op

revision = "f2a97c41d06e"
down_revision = "d81b6f03c7aa"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.drop_index(op.f("ix_packet_packet_no"), table_name="packet")
    op.create_index("ix_packet_of_all", "packet", [sa.literal_column("(packet_no + 0)")])


def downgrade() -> None:
    op.drop_index("ix_packet_of_all", table_name="packet")
    op.create_index(op.f("ix_packet_packet_no"), "packet", ["packet_no"])
