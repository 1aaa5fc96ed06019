"""Revisions of worlds: every time one was saved, in which words and by whom; the newest is what its name stands for."""

import sqlalchemy as sa
from alembic import op

revision = "d4715c0be92a"
down_revision = "1d5f8b3ca927"
branch_labels = None
depends_on = None

APP, CONSOLE = "continuity_app", "continuity_console"
GIVEN = "string_to_array(coalesce(current_setting('continuity.worlds', true), ''), ',')"
MINE = f"(world_id = ANY ({GIVEN}) OR '*' = ANY ({GIVEN}))"
NOT_NARROWED = f"nullif(current_setting('continuity.worlds', true), '') IS NULL OR {MINE}"


def upgrade() -> None:
    op.create_table(
        "world_revision",
        sa.Column("world_id", sa.Text(), nullable=False),
        sa.Column("revision_no", sa.BigInteger(), nullable=False),
        sa.Column("world_version", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=True),
        sa.Column("saved_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["world_version"], ["world.world_version"], name=op.f("fk_world_revision_world_version")
        ),
        sa.PrimaryKeyConstraint("world_id", "revision_no", name=op.f("pk_world_revision")),
    )
    op.execute(
        "INSERT INTO world_revision (world_id, revision_no, world_version, title, author)"
        " SELECT world_id, row_number() OVER (PARTITION BY world_id ORDER BY added_no), world_version, title, ''"
        " FROM world"
    )
    op.alter_column("world_revision", "saved_at", server_default=sa.text("now()"))
    _secure()


def _secure() -> None:
    """Let the service add within the worlds that are named, and change nothing; and the console read given worlds."""
    op.execute("ALTER TABLE world_revision ENABLE ROW LEVEL SECURITY")
    op.execute(f"CREATE POLICY service ON world_revision TO {APP} USING (true) WITH CHECK (true)")
    op.execute(
        f"CREATE POLICY within_given_worlds ON world_revision AS RESTRICTIVE TO {APP}"
        f" USING ({NOT_NARROWED}) WITH CHECK ({NOT_NARROWED})"
    )
    op.execute(f"CREATE POLICY given_worlds ON world_revision FOR SELECT TO {CONSOLE} USING ({MINE})")
    op.execute(f"GRANT SELECT, INSERT ON world_revision TO {APP}")
    op.execute(f"GRANT SELECT ON world_revision TO {CONSOLE}")


def downgrade() -> None:
    op.drop_table("world_revision")
