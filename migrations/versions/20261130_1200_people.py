"""People: accounts, sessions, worlds given, the audit log; and what the console may read of the record."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "b81e5d20c7f3"
down_revision = "5c0f1e7a92b4"
branch_labels = None
depends_on = None

APP, CONSOLE = "continuity_app", "continuity_console"
IN_HISTORY = (
    "event",
    "ledger_entry",
    "knower",
    "must_have",
    "entry_term",
    "entry_ending",
    "amendment",
    "telling",
    "save",
)
OWN = ("packet", "reply", "scorecard")
CURRENT = "nullif(current_setting('continuity.playthrough', true), '')"
GIVEN = "string_to_array(coalesce(current_setting('continuity.worlds', true), ''), ',')"
MINE = f"(world_id = ANY ({GIVEN}) OR '*' = ANY ({GIVEN}))"
BEFORE = f"world_id = ANY ({GIVEN})"
NOT_NARROWED = f"nullif(current_setting('continuity.worlds', true), '') IS NULL OR {MINE}"
ROLES = "'writer','qa','engineer','admin'"


def upgrade() -> None:
    op.create_table(
        "account",
        sa.Column("account_id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("password_hash", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("disabled_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(f"role IN ({ROLES})", name=op.f("ck_account_role")),
        sa.PrimaryKeyConstraint("account_id", name=op.f("pk_account")),
        sa.UniqueConstraint("name", name=op.f("uq_account_name")),
    )
    op.create_table(
        "account_world",
        sa.Column("account_id", sa.Text(), nullable=False),
        sa.Column("world_id", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["account.account_id"], name=op.f("fk_account_world_account_id")),
        sa.PrimaryKeyConstraint("account_id", "world_id", name=op.f("pk_account_world")),
    )
    op.create_table(
        "session",
        sa.Column("session_hash", sa.Text(), nullable=False),
        sa.Column("account_id", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["account.account_id"], name=op.f("fk_session_account_id")),
        sa.PrimaryKeyConstraint("session_hash", name=op.f("pk_session")),
    )
    op.create_index(op.f("ix_session_account_id"), "session", ["account_id"])
    op.create_table(
        "audit",
        sa.Column("audit_no", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("who", sa.Text(), nullable=False),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("world_id", sa.Text(), nullable=True),
        sa.Column("detail", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.PrimaryKeyConstraint("audit_no", name=op.f("pk_audit")),
    )
    op.create_index(op.f("ix_audit_who_audit_no"), "audit", ["who", "audit_no"])
    op.create_index(op.f("ix_audit_action_audit_no"), "audit", ["action", "audit_no"])
    op.add_column("playthrough", sa.Column("opened_no", sa.BigInteger(), sa.Identity(always=True), nullable=False))
    op.create_index(op.f("ix_playthrough_opened_no"), "playthrough", ["opened_no"])
    op.execute(f"GRANT SELECT, INSERT, UPDATE ON account TO {APP}")
    op.execute(f"GRANT SELECT, INSERT, DELETE ON account_world, session TO {APP}")
    op.execute(f"GRANT SELECT, INSERT ON audit TO {APP}")
    op.execute(f"GRANT SELECT ON audit TO {CONSOLE}")
    _narrow()


def _narrow() -> None:
    """Let whoever names worlds see those worlds alone, and one history where they name a playthrough."""
    for table in ("world", "audit"):
        op.execute(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY")
        op.execute(f"CREATE POLICY given_worlds ON {table} FOR SELECT TO {CONSOLE} USING ({MINE})")
    op.execute(f"CREATE POLICY service ON world TO {APP} USING (true) WITH CHECK (true)")
    op.execute(f"CREATE POLICY service_reads ON audit FOR SELECT TO {APP} USING (true)")
    op.execute(f"CREATE POLICY service_adds ON audit FOR INSERT TO {APP} WITH CHECK (true)")
    for table in ("world", "playthrough", "lineage", "outbox", *OWN):
        op.execute(
            f"CREATE POLICY within_given_worlds ON {table} AS RESTRICTIVE TO {APP}"
            f" USING ({NOT_NARROWED}) WITH CHECK ({NOT_NARROWED})"
        )
    for table in IN_HISTORY:  # reading them goes through `lineage`, which is narrowed already
        op.execute(
            f"CREATE POLICY adds_within_given ON {table} AS RESTRICTIVE FOR INSERT TO {APP} WITH CHECK ({NOT_NARROWED})"
        )
        op.execute(
            f"CREATE POLICY erases_within_given ON {table} AS RESTRICTIVE FOR DELETE TO {APP} USING ({NOT_NARROWED})"
        )
    for table in (*IN_HISTORY, *OWN, "playthrough", "lineage"):
        op.execute(f"ALTER POLICY given_worlds ON {table} USING ({MINE})")
    for table in IN_HISTORY:
        inside = (
            f"EXISTS (SELECT 1 FROM lineage l WHERE l.playthrough_id = {CURRENT} "
            f"AND l.ancestor_id = {table}.playthrough_id AND {table}.seq <= l.until_seq)"
        )
        op.execute(
            f"CREATE POLICY one_history ON {table} AS RESTRICTIVE FOR SELECT TO {CONSOLE}"
            f" USING ({CURRENT} IS NULL OR {inside})"
        )
    for table in OWN:
        op.execute(
            f"CREATE POLICY one_history ON {table} AS RESTRICTIVE FOR SELECT TO {CONSOLE}"
            f" USING ({CURRENT} IS NULL OR playthrough_id = {CURRENT})"
        )
    for function in ("list_playthroughs(text, integer)", "count_forks(text)"):
        op.execute(f"REVOKE EXECUTE ON FUNCTION {function} FROM {CONSOLE}")


def downgrade() -> None:
    for function in ("list_playthroughs(text, integer)", "count_forks(text)"):
        op.execute(f"GRANT EXECUTE ON FUNCTION {function} TO {CONSOLE}")
    for table in (*IN_HISTORY, *OWN):
        op.execute(f"DROP POLICY one_history ON {table}")
    for table in (*IN_HISTORY, *OWN, "playthrough", "lineage"):
        op.execute(f"ALTER POLICY given_worlds ON {table} USING ({BEFORE})")
    for table in IN_HISTORY:
        op.execute(f"DROP POLICY adds_within_given ON {table}")
        op.execute(f"DROP POLICY erases_within_given ON {table}")
    for table in ("world", "playthrough", "lineage", "outbox", *OWN):
        op.execute(f"DROP POLICY within_given_worlds ON {table}")
    op.execute("DROP POLICY given_worlds ON world")
    op.execute("DROP POLICY service ON world")
    op.execute("ALTER TABLE world DISABLE ROW LEVEL SECURITY")
    op.drop_column("playthrough", "opened_no")
    for table in ("audit", "session", "account_world", "account"):
        op.drop_table(table)
