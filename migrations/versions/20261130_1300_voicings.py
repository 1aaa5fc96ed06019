"""How tellings were put by a model."""

import sqlalchemy as sa
from alembic import op

revision = "5be17d20c9f4"
down_revision = "c93f4a6e1b28"
branch_labels = None
depends_on = None

APP, CONSOLE = "continuity_app", "continuity_console"
CURRENT = "nullif(current_setting('continuity.playthrough', true), '')"
GIVEN = "string_to_array(coalesce(current_setting('continuity.worlds', true), ''), ',')"
MINE = f"(world_id = ANY ({GIVEN}) OR '*' = ANY ({GIVEN}))"
NOT_NARROWED = f"nullif(current_setting('continuity.worlds', true), '') IS NULL OR {MINE}"


def upgrade() -> None:
    op.create_table(
        "voicing",
        sa.Column("playthrough_id", sa.Text(), nullable=False),
        sa.Column("world_id", sa.Text(), nullable=False),
        sa.Column("telling_id", sa.Text(), nullable=False),
        sa.Column("voice", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("dropped", sa.Text(), nullable=False),
        sa.CheckConstraint("(text = '') <> (dropped = '')", name=op.f("ck_voicing_either")),
        sa.PrimaryKeyConstraint("playthrough_id", "telling_id", name=op.f("pk_voicing")),
    )
    _secure()


def _secure() -> None:
    """Let the service add to one playthrough at a time and change nothing, and the console read given worlds."""
    op.execute("ALTER TABLE voicing ENABLE ROW LEVEL SECURITY")
    op.execute("ALTER TABLE voicing FORCE ROW LEVEL SECURITY")
    op.execute(
        f"CREATE POLICY own ON voicing TO {APP} USING (playthrough_id = {CURRENT})"
        f" WITH CHECK (playthrough_id = {CURRENT})"
    )
    op.execute(
        f"CREATE POLICY within_given_worlds ON voicing AS RESTRICTIVE TO {APP}"
        f" USING ({NOT_NARROWED}) WITH CHECK ({NOT_NARROWED})"
    )
    op.execute(f"CREATE POLICY given_worlds ON voicing FOR SELECT TO {CONSOLE} USING ({MINE})")
    op.execute(
        f"CREATE POLICY one_history ON voicing AS RESTRICTIVE FOR SELECT TO {CONSOLE}"
        f" USING ({CURRENT} IS NULL OR playthrough_id = {CURRENT})"
    )
    op.execute(f"GRANT SELECT, INSERT, DELETE ON voicing TO {APP}")
    op.execute(f"GRANT SELECT ON voicing TO {CONSOLE}")


def downgrade() -> None:
    op.drop_table("voicing")
