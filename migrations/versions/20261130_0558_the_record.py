"""The record: worlds, playthroughs, history, ledger, packets, outbox, keys, and who may see which rows."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "132d6e28ff55"
down_revision = None
branch_labels = None
depends_on = None


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
APP, WORKER, CONSOLE, OWNER = "continuity_app", "continuity_worker", "continuity_console", "continuity_owner"
CURRENT = "nullif(current_setting('continuity.playthrough', true), '')"
GIVEN = "world_id = ANY (string_to_array(coalesce(current_setting('continuity.worlds', true), ''), ','))"


def secure() -> None:
    """Put every table of a playthrough's data under row-level security, for the roles that the service uses."""
    for role in (APP, WORKER, CONSOLE, OWNER):
        op.execute(
            f"DO $$ BEGIN IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '{role}') "
            f"THEN CREATE ROLE {role} NOLOGIN; END IF; END $$"
        )
    for table in (*IN_HISTORY, *OWN, "playthrough", "lineage", "outbox"):
        op.execute(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY")
        op.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")
    for table in IN_HISTORY:
        inside = (
            f"EXISTS (SELECT 1 FROM lineage l WHERE l.playthrough_id = {CURRENT} "
            f"AND l.ancestor_id = {table}.playthrough_id AND {table}.seq <= l.until_seq)"
        )
        op.execute(f"CREATE POLICY reads_lineage ON {table} FOR SELECT TO {APP} USING ({inside})")
        op.execute(f"CREATE POLICY writes_own ON {table} FOR INSERT TO {APP} WITH CHECK (playthrough_id = {CURRENT})")
        op.execute(f"CREATE POLICY erases_own ON {table} FOR DELETE TO {APP} USING (playthrough_id = {CURRENT})")
    op.execute(
        f"CREATE POLICY closes_own ON must_have FOR UPDATE TO {APP} USING (playthrough_id = {CURRENT}) "
        f"WITH CHECK (playthrough_id = {CURRENT})"
    )
    for table in (*OWN, "lineage", "outbox"):
        op.execute(
            f"CREATE POLICY own ON {table} TO {APP} USING (playthrough_id = {CURRENT}) "
            f"WITH CHECK (playthrough_id = {CURRENT})"
        )
    op.execute(
        f"CREATE POLICY own ON playthrough TO {APP} USING (playthrough_id = {CURRENT}) WITH CHECK (playthrough_id = {CURRENT})"
    )
    op.execute(f"CREATE POLICY all_batches ON outbox TO {WORKER} USING (true) WITH CHECK (true)")
    for table in (*IN_HISTORY, *OWN, "playthrough", "lineage"):
        op.execute(f"CREATE POLICY given_worlds ON {table} FOR SELECT TO {CONSOLE} USING ({GIVEN})")
    op.execute(f"GRANT SELECT, INSERT, DELETE ON {', '.join((*IN_HISTORY, *OWN))} TO {APP}")
    op.execute(f"GRANT SELECT, INSERT, UPDATE, DELETE ON playthrough, lineage, outbox TO {APP}")
    op.execute(f"GRANT UPDATE (closed_seq) ON must_have TO {APP}")
    op.execute(f"GRANT SELECT, INSERT ON world TO {APP}")
    op.execute(f"GRANT SELECT, INSERT, UPDATE ON api_key TO {APP}")
    op.execute(f"GRANT SELECT, UPDATE, DELETE ON outbox TO {WORKER}")
    op.execute(f"GRANT SELECT ON world, {', '.join((*IN_HISTORY, *OWN))}, playthrough, lineage TO {CONSOLE}")
    op.execute(f"GRANT SELECT ON alembic_version TO {APP}, {WORKER}, {CONSOLE}")
    list_playthroughs()


def list_playthroughs() -> None:
    """Let the service list playthroughs by name, and nothing that they hold."""
    op.execute("CREATE POLICY names_only ON playthrough FOR SELECT TO CURRENT_USER USING (true)")
    op.execute("CREATE POLICY forks_only ON lineage FOR SELECT TO CURRENT_USER USING (true)")
    op.execute(
        "CREATE FUNCTION list_playthroughs(after_id text, at_most integer) RETURNS TABLE (playthrough_id text, world_id text, "
        "world_version text, opening_world text, title text, parent_id text, forked_at_seq bigint) LANGUAGE sql STABLE SECURITY DEFINER "
        "SET search_path = public AS $$ SELECT playthrough_id, world_id, world_version, opening_world, title, parent_id, forked_at_seq "
        "FROM playthrough WHERE playthrough_id > coalesce(after_id, '') ORDER BY playthrough_id LIMIT at_most $$"
    )
    op.execute(
        "CREATE FUNCTION count_forks(of_id text) RETURNS bigint LANGUAGE sql STABLE SECURITY DEFINER "
        "SET search_path = public AS $$ SELECT count(*) FROM lineage WHERE ancestor_id = of_id AND playthrough_id <> of_id $$"
    )
    for function in ("list_playthroughs(text, integer)", "count_forks(text)"):
        op.execute(f"REVOKE ALL ON FUNCTION {function} FROM PUBLIC")
        op.execute(f"GRANT EXECUTE ON FUNCTION {function} TO {APP}, {CONSOLE}")


def upgrade() -> None:
    op.create_table(
        "amendment",
        sa.Column("playthrough_id", sa.Text(), nullable=False),
        sa.Column("world_id", sa.Text(), nullable=False),
        sa.Column("entry_id", sa.Text(), nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("by", postgresql.ARRAY(sa.Text()), nullable=False),
        sa.Column("knowers", postgresql.ARRAY(sa.Text()), nullable=True),
        sa.Column("body", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.PrimaryKeyConstraint("playthrough_id", "entry_id", "seq", "status", name=op.f("pk_amendment")),
    )
    op.create_table(
        "api_key",
        sa.Column("key_hash", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("label", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("role IN ('game','reviewer','admin')", name=op.f("ck_api_key_role")),
        sa.PrimaryKeyConstraint("key_hash", name=op.f("pk_api_key")),
        sa.UniqueConstraint("label", name=op.f("uq_api_key_label")),
    )
    op.create_table(
        "entry_ending",
        sa.Column("playthrough_id", sa.Text(), nullable=False),
        sa.Column("world_id", sa.Text(), nullable=False),
        sa.Column("sort", sa.Text(), nullable=False),
        sa.Column("at_value", sa.BigInteger(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("entry_id", sa.Text(), nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("sort IN ('tick','scene','turn','event')", name=op.f("ck_entry_ending_sort")),
    )
    op.create_index("ix_entry_ending_due", "entry_ending", ["playthrough_id", "sort", "name", "at_value"], unique=False)
    op.create_table(
        "entry_term",
        sa.Column("playthrough_id", sa.Text(), nullable=False),
        sa.Column("world_id", sa.Text(), nullable=False),
        sa.Column("knower", sa.Text(), nullable=False),
        sa.Column("term", sa.Text(), nullable=False),
        sa.Column("entry_id", sa.Text(), nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
    )
    op.create_index(
        "ix_entry_term_newest",
        "entry_term",
        ["playthrough_id", "knower", "term", sa.literal_column("seq DESC"), "entry_id"],
        unique=True,
    )
    op.create_table(
        "event",
        sa.Column("playthrough_id", sa.Text(), nullable=False),
        sa.Column("world_id", sa.Text(), nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column("key", sa.Text(), nullable=True),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("tick", sa.Integer(), nullable=False),
        sa.Column("scene", sa.Integer(), nullable=False),
        sa.Column("turn", sa.Integer(), nullable=False),
        sa.Column("body", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("receipt", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("hash", sa.Text(), nullable=False),
        sa.CheckConstraint("seq >= 1", name=op.f("ck_event_seq_from_one")),
        sa.CheckConstraint("tick >= 0 AND scene >= 0 AND turn >= 0", name=op.f("ck_event_story_time")),
        sa.PrimaryKeyConstraint("playthrough_id", "seq", name=op.f("pk_event")),
        sa.UniqueConstraint("playthrough_id", "key", name=op.f("uq_event_playthrough_id_key")),
    )
    op.create_table(
        "knower",
        sa.Column("playthrough_id", sa.Text(), nullable=False),
        sa.Column("world_id", sa.Text(), nullable=False),
        sa.Column("knower", sa.Text(), nullable=False),
        sa.Column("entry_id", sa.Text(), nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("playthrough_id", "knower", "entry_id", name=op.f("pk_knower")),
    )
    op.create_index(
        "ix_knower_newest",
        "knower",
        ["playthrough_id", "knower", sa.literal_column("seq DESC"), "entry_id"],
        unique=False,
    )
    op.create_table(
        "ledger_entry",
        sa.Column("playthrough_id", sa.Text(), nullable=False),
        sa.Column("world_id", sa.Text(), nullable=False),
        sa.Column("entry_id", sa.Text(), nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column("tick", sa.Integer(), nullable=False),
        sa.Column("scene", sa.Integer(), nullable=False),
        sa.Column("turn", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("statement", sa.Text(), nullable=False),
        sa.Column("source_kind", sa.Text(), nullable=False),
        sa.Column("source_by", sa.Text(), nullable=True),
        sa.Column("source_event_seq", sa.BigInteger(), nullable=True),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("confidence", sa.Double(), nullable=False),
        sa.Column("slot_subject", sa.Text(), nullable=True),
        sa.Column("slot_predicate", sa.Text(), nullable=True),
        sa.Column("slot_object", sa.Text(), nullable=True),
        sa.Column("slot_polarity", sa.Boolean(), nullable=True),
        sa.Column("slot_from_tick", sa.Integer(), nullable=True),
        sa.Column("slot_until_tick", sa.Integer(), nullable=True),
        sa.Column("disclosure", sa.Text(), nullable=False),
        sa.Column("unaware", postgresql.ARRAY(sa.Text()), nullable=False),
        sa.Column("expires", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("subject", sa.Text(), nullable=True),
        sa.Column("place", sa.Text(), nullable=True),
        sa.Column("origin", sa.Text(), nullable=False),
        sa.Column("protected", sa.Boolean(), nullable=False),
        sa.Column("quarantined", sa.Boolean(), nullable=False),
        sa.Column("name", sa.Text(), nullable=True),
        sa.Column("content", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("embedding", sa.LargeBinary(), nullable=False),
        sa.CheckConstraint("disclosure IN ('open','guarded','secret')", name=op.f("ck_ledger_entry_disclosure")),
        sa.CheckConstraint(
            "kind <> 'commitment' OR (content ->> 'owner' <> '' AND content ->> 'to' <> '')",
            name=op.f("ck_ledger_entry_owner"),
        ),
        sa.CheckConstraint(
            "kind IN ('observation','hearsay','commitment','relationship_delta','contradiction','emotional_residue')",
            name=op.f("ck_ledger_entry_kind"),
        ),
        sa.CheckConstraint(
            "source_kind IN ('witnessed','told_by','overheard','document','inferred','engine','self','player_claim','generated_line','derived')",
            name=op.f("ck_ledger_entry_source_kind"),
        ),
        sa.CheckConstraint("statement <> ''", name=op.f("ck_ledger_entry_statement")),
        sa.CheckConstraint(
            "(slot_subject IS NULL) = (slot_predicate IS NULL) AND (slot_subject IS NULL) = (slot_object IS NULL)",
            name=op.f("ck_ledger_entry_slot_is_whole"),
        ),
        sa.CheckConstraint("confidence >= 0 AND confidence <= 1", name=op.f("ck_ledger_entry_confidence")),
        sa.PrimaryKeyConstraint("playthrough_id", "entry_id", name=op.f("pk_ledger_entry")),
    )
    op.create_index(
        op.f("ix_ledger_entry_playthrough_id_name"),
        "ledger_entry",
        ["playthrough_id", "name"],
        unique=False,
        postgresql_where=sa.text("name IS NOT NULL"),
    )
    op.create_index(
        op.f("ix_ledger_entry_playthrough_id_origin_seq"), "ledger_entry", ["playthrough_id", "origin", "seq"]
    )
    op.create_index(op.f("ix_ledger_entry_playthrough_id_kind_seq"), "ledger_entry", ["playthrough_id", "kind", "seq"])
    op.create_index(op.f("ix_ledger_entry_playthrough_id_seq"), "ledger_entry", ["playthrough_id", "seq"], unique=False)
    op.create_index(
        op.f("ix_ledger_entry_playthrough_id_slot_predicate_slot_object_seq"),
        "ledger_entry",
        ["playthrough_id", "slot_predicate", "slot_object", "seq"],
        unique=False,
    )
    op.create_index(
        op.f("ix_ledger_entry_playthrough_id_slot_predicate_slot_subject_seq"),
        "ledger_entry",
        ["playthrough_id", "slot_predicate", "slot_subject", "seq"],
        unique=False,
    )
    op.create_table(
        "lineage",
        sa.Column("playthrough_id", sa.Text(), nullable=False),
        sa.Column("world_id", sa.Text(), nullable=False),
        sa.Column("ancestor_id", sa.Text(), nullable=False),
        sa.Column("until_seq", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("playthrough_id", "ancestor_id", name=op.f("pk_lineage")),
    )
    op.create_table(
        "must_have",
        sa.Column("playthrough_id", sa.Text(), nullable=False),
        sa.Column("world_id", sa.Text(), nullable=False),
        sa.Column("knower", sa.Text(), nullable=False),
        sa.Column("sort", sa.Text(), nullable=False),
        sa.Column("party", sa.Text(), nullable=False),
        sa.Column("entry_id", sa.Text(), nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column("closed_seq", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("playthrough_id", "entry_id", "knower", "sort", "party", name=op.f("pk_must_have")),
    )
    op.create_index(
        "ix_must_have_open",
        "must_have",
        ["playthrough_id", "knower", "sort", "party", sa.literal_column("seq DESC"), "entry_id"],
        unique=False,
        postgresql_where=sa.text("closed_seq IS NULL"),
    )
    op.create_index(
        "ix_must_have_closed",
        "must_have",
        ["playthrough_id", "knower", "sort", "party", "closed_seq"],
        unique=False,
        postgresql_where=sa.text("closed_seq IS NOT NULL"),
    )
    op.create_table(
        "outbox",
        sa.Column("playthrough_id", sa.Text(), nullable=False),
        sa.Column("world_id", sa.Text(), nullable=False),
        sa.Column("outbox_id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("body", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.PrimaryKeyConstraint("outbox_id", name=op.f("pk_outbox")),
    )
    op.create_index(op.f("ix_outbox_playthrough_id"), "outbox", ["playthrough_id"], unique=False)
    op.create_table(
        "packet",
        sa.Column("playthrough_id", sa.Text(), nullable=False),
        sa.Column("world_id", sa.Text(), nullable=False),
        sa.Column("packet_id", sa.Text(), nullable=False),
        sa.Column("packet_no", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column("speaker", sa.Text(), nullable=False),
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("body", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("moment", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.PrimaryKeyConstraint("playthrough_id", "packet_id", name=op.f("pk_packet")),
    )
    op.create_index(op.f("ix_packet_playthrough_id_packet_no"), "packet", ["playthrough_id", "packet_no"], unique=False)
    op.create_table(
        "save",
        sa.Column("playthrough_id", sa.Text(), nullable=False),
        sa.Column("world_id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("seq >= 0", name=op.f("ck_save_seq_in_history")),
        sa.PrimaryKeyConstraint("playthrough_id", "name", name=op.f("pk_save")),
    )
    op.create_table(
        "telling",
        sa.Column("playthrough_id", sa.Text(), nullable=False),
        sa.Column("world_id", sa.Text(), nullable=False),
        sa.Column("telling_id", sa.Text(), nullable=False),
        sa.Column("from_entry", sa.Text(), nullable=False),
        sa.Column("to_entry", sa.Text(), nullable=True),
        sa.Column("teller", sa.Text(), nullable=False),
        sa.Column("listener", sa.Text(), nullable=False),
        sa.Column("origin", sa.Text(), nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column("tick", sa.Integer(), nullable=False),
        sa.Column("place", sa.Text(), nullable=True),
        sa.Column("offered_millionths", sa.Integer(), nullable=False),
        sa.Column("outcome", sa.Text(), nullable=False),
        sa.CheckConstraint("offered_millionths BETWEEN 0 AND 1000000", name=op.f("ck_telling_offered")),
        sa.CheckConstraint("teller <> listener", name=op.f("ck_telling_two_people")),
        sa.PrimaryKeyConstraint("playthrough_id", "telling_id", name=op.f("pk_telling")),
    )
    op.create_index(op.f("ix_telling_playthrough_id_seq"), "telling", ["playthrough_id", "seq"], unique=False)
    op.create_index(op.f("ix_telling_playthrough_id_to_entry"), "telling", ["playthrough_id", "to_entry"], unique=False)
    op.create_table(
        "world",
        sa.Column("world_version", sa.Text(), nullable=False),
        sa.Column("world_id", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("body", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("added_no", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.PrimaryKeyConstraint("world_version", name=op.f("pk_world")),
    )
    op.create_index(op.f("ix_world_world_id_added_no"), "world", ["world_id", "added_no"], unique=False)
    op.create_table(
        "playthrough",
        sa.Column("playthrough_id", sa.Text(), nullable=False),
        sa.Column("world_id", sa.Text(), nullable=False),
        sa.Column("world_version", sa.Text(), nullable=False),
        sa.Column("opening_world", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("parent_id", sa.Text(), nullable=True),
        sa.Column("forked_at_seq", sa.BigInteger(), nullable=True),
        sa.Column("story_state", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.CheckConstraint("(parent_id IS NULL) = (forked_at_seq IS NULL)", name=op.f("ck_playthrough_fork_is_whole")),
        sa.ForeignKeyConstraint(["world_version"], ["world.world_version"], name=op.f("fk_playthrough_world_version")),
        sa.PrimaryKeyConstraint("playthrough_id", name=op.f("pk_playthrough")),
    )
    op.create_index(op.f("ix_playthrough_parent_id"), "playthrough", ["parent_id"], unique=False)
    op.create_table(
        "reply",
        sa.Column("playthrough_id", sa.Text(), nullable=False),
        sa.Column("world_id", sa.Text(), nullable=False),
        sa.Column("reply_id", sa.Text(), nullable=False),
        sa.Column("packet_id", sa.Text(), nullable=False),
        sa.Column("reply_no", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("responder", sa.Text(), nullable=False),
        sa.Column("body", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.ForeignKeyConstraint(
            ["playthrough_id", "packet_id"],
            ["packet.playthrough_id", "packet.packet_id"],
            name=op.f("fk_reply_playthrough_id_packet_id"),
        ),
        sa.PrimaryKeyConstraint("playthrough_id", "reply_id", name=op.f("pk_reply")),
    )
    op.create_index(
        op.f("ix_reply_playthrough_id_packet_id_reply_no"),
        "reply",
        ["playthrough_id", "packet_id", "reply_no"],
        unique=False,
    )
    op.create_table(
        "scorecard",
        sa.Column("playthrough_id", sa.Text(), nullable=False),
        sa.Column("world_id", sa.Text(), nullable=False),
        sa.Column("reply_id", sa.Text(), nullable=False),
        sa.Column("fault", sa.Text(), nullable=False),
        sa.Column("body", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.ForeignKeyConstraint(
            ["playthrough_id", "reply_id"],
            ["reply.playthrough_id", "reply.reply_id"],
            name=op.f("fk_scorecard_playthrough_id_reply_id"),
        ),
        sa.PrimaryKeyConstraint("playthrough_id", "reply_id", name=op.f("pk_scorecard")),
    )
    secure()


def downgrade() -> None:
    for table in IN_HISTORY:
        op.execute(f"DROP POLICY reads_lineage ON {table}")
    op.execute("DROP FUNCTION list_playthroughs(text, integer)")
    op.execute("DROP FUNCTION count_forks(text)")
    op.drop_table("scorecard")
    op.drop_index(op.f("ix_reply_playthrough_id_packet_id_reply_no"), table_name="reply")
    op.drop_table("reply")
    op.drop_index(op.f("ix_playthrough_parent_id"), table_name="playthrough")
    op.drop_table("playthrough")
    op.drop_index(op.f("ix_world_world_id_added_no"), table_name="world")
    op.drop_table("world")
    op.drop_index(op.f("ix_telling_playthrough_id_to_entry"), table_name="telling")
    op.drop_index(op.f("ix_telling_playthrough_id_seq"), table_name="telling")
    op.drop_table("telling")
    op.drop_table("save")
    op.drop_index(op.f("ix_packet_playthrough_id_packet_no"), table_name="packet")
    op.drop_table("packet")
    op.drop_index(op.f("ix_outbox_playthrough_id"), table_name="outbox")
    op.drop_table("outbox")
    op.drop_index("ix_must_have_closed", table_name="must_have")
    op.drop_index("ix_must_have_open", table_name="must_have")
    op.drop_table("must_have")
    op.drop_table("lineage")
    op.drop_index(op.f("ix_ledger_entry_playthrough_id_slot_predicate_slot_subject_seq"), table_name="ledger_entry")
    op.drop_index(op.f("ix_ledger_entry_playthrough_id_slot_predicate_slot_object_seq"), table_name="ledger_entry")
    op.drop_index(op.f("ix_ledger_entry_playthrough_id_seq"), table_name="ledger_entry")
    op.drop_index(
        op.f("ix_ledger_entry_playthrough_id_name"),
        table_name="ledger_entry",
        postgresql_where=sa.text("name IS NOT NULL"),
    )
    op.drop_table("ledger_entry")
    op.drop_index("ix_knower_newest", table_name="knower")
    op.drop_table("knower")
    op.drop_table("event")
    op.drop_index("ix_entry_term_newest", table_name="entry_term")
    op.drop_table("entry_term")
    op.drop_index("ix_entry_ending_due", table_name="entry_ending")
    op.drop_table("entry_ending")
    op.drop_table("api_key")
    op.drop_table("amendment")
