"""What rests on an entry, drafts, and what events brought about, each by an index."""

import sqlalchemy as sa
from alembic import op

revision = "d81b6f03c7aa"
down_revision = "a4c07de2b915"
branch_labels = None
depends_on = None

BACKFILL = """
INSERT INTO must_have (playthrough_id, world_id, knower, sort, party, entry_id, seq)
SELECT e.playthrough_id, e.world_id, '', 'rests_on', b.entry_id, e.entry_id, e.seq
FROM ledger_entry e CROSS JOIN LATERAL (
    SELECT json_array_elements_text(coalesce(e.content -> 'derived_from', '[]'))
    UNION SELECT json_array_elements_text(coalesce(e.content -> 'members', '[]')) WHERE e.kind = 'contradiction'
    UNION SELECT json_array_elements_text(coalesce(e.content -> 'evidence', '[]')) WHERE e.kind = 'relationship_delta'
) b (entry_id)
"""


def upgrade() -> None:
    op.create_index(
        "ix_ledger_entry_drafts",
        "ledger_entry",
        ["playthrough_id", "seq"],
        unique=False,
        postgresql_where=sa.text("quarantined"),
    )
    op.create_index(op.f("ix_amendment_playthrough_id_seq"), "amendment", ["playthrough_id", "seq"], unique=False)
    for table in ("must_have", "ledger_entry"):
        op.execute(f"ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY")
    op.execute(BACKFILL)
    for table in ("must_have", "ledger_entry"):
        op.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")


def downgrade() -> None:
    op.execute("ALTER TABLE must_have NO FORCE ROW LEVEL SECURITY")
    op.execute("DELETE FROM must_have WHERE sort = 'rests_on'")
    op.execute("ALTER TABLE must_have FORCE ROW LEVEL SECURITY")
    op.drop_index(op.f("ix_amendment_playthrough_id_seq"), table_name="amendment")
    op.drop_index("ix_ledger_entry_drafts", table_name="ledger_entry")
