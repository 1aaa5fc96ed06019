"""What reviewers say of a packet; and packets by their place among all, and by their id alone."""

import sqlalchemy as sa
from alembic import op

revision = "c93f4a6e1b28"
down_revision = "3d90c5ab17f2"
branch_labels = None
depends_on = None

APP, CONSOLE = "continuity_app", "continuity_console"
CURRENT = "nullif(current_setting('continuity.playthrough', true), '')"
GIVEN = "string_to_array(coalesce(current_setting('continuity.worlds', true), ''), ',')"
MINE = f"(world_id = ANY ({GIVEN}) OR '*' = ANY ({GIVEN}))"
NOT_NARROWED = f"nullif(current_setting('continuity.worlds', true), '') IS NULL OR {MINE}"


def upgrade() -> None:
    op.create_table(
        "packet_review",
        sa.Column("playthrough_id", sa.Text(), nullable=False),
        sa.Column("world_id", sa.Text(), nullable=False),
        sa.Column("packet_id", sa.Text(), nullable=False),
        sa.Column("review_no", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("who", sa.Text(), nullable=False),
        sa.Column("mark", sa.Text(), nullable=False),
        sa.Column("said", sa.Text(), nullable=False),
        sa.Column("other_id", sa.Text(), nullable=True),
        sa.CheckConstraint(
            "mark IN ('note','approved','flagged','cleared','corrected')", name=op.f("ck_packet_review_mark")
        ),
        sa.ForeignKeyConstraint(
            ["playthrough_id", "packet_id"],
            ["packet.playthrough_id", "packet.packet_id"],
            name=op.f("fk_packet_review_playthrough_id_packet_id"),
        ),
        sa.PrimaryKeyConstraint("playthrough_id", "packet_id", "review_no", name=op.f("pk_packet_review")),
    )
    op.create_index(op.f("ix_packet_packet_no"), "packet", ["packet_no"])
    op.create_index(op.f("ix_packet_packet_id"), "packet", ["packet_id"])
    _secure()


def _secure() -> None:
    """Let the service add to one playthrough at a time and change nothing, and the console read given worlds."""
    op.execute("ALTER TABLE packet_review ENABLE ROW LEVEL SECURITY")
    op.execute("ALTER TABLE packet_review FORCE ROW LEVEL SECURITY")
    op.execute(
        f"CREATE POLICY own ON packet_review TO {APP} USING (playthrough_id = {CURRENT})"
        f" WITH CHECK (playthrough_id = {CURRENT})"
    )
    op.execute(
        f"CREATE POLICY within_given_worlds ON packet_review AS RESTRICTIVE TO {APP}"
        f" USING ({NOT_NARROWED}) WITH CHECK ({NOT_NARROWED})"
    )
    op.execute(f"CREATE POLICY given_worlds ON packet_review FOR SELECT TO {CONSOLE} USING ({MINE})")
    op.execute(
        f"CREATE POLICY one_history ON packet_review AS RESTRICTIVE FOR SELECT TO {CONSOLE}"
        f" USING ({CURRENT} IS NULL OR playthrough_id = {CURRENT})"
    )
    op.execute(f"GRANT SELECT, INSERT, DELETE ON packet_review TO {APP}")
    op.execute(f"GRANT SELECT ON packet_review TO {CONSOLE}")


def downgrade() -> None:
    op.drop_index(op.f("ix_packet_packet_id"), table_name="packet")
    op.drop_index(op.f("ix_packet_packet_no"), table_name="packet")
    op.drop_table("packet_review")
