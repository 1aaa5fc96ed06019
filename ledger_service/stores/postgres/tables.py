"""The schema: every table, its checks and indexes. Statements over it are SQL text in the stores beside."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Computed,
    DateTime,
    Double,
    ForeignKeyConstraint,
    Identity,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    PrimaryKeyConstraint,
    Table,
    Text,
    UniqueConstraint,
    func,
    text,
)
from sqlalchemy.dialects.postgresql import ARRAY, JSON, JSONB

NAMING = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    "pk": "pk_%(table_name)s",
}
metadata = MetaData(naming_convention=NAMING)

_KINDS = "'observation','hearsay','commitment','relationship_delta','contradiction','emotional_residue'"
_SOURCES = (
    "'witnessed','told_by','overheard','document','inferred','engine','self','player_claim','generated_line','derived'"
)


def _whose() -> list[Column[str]]:
    """Columns that every table of a playthrough's data begins with."""
    return [Column("playthrough_id", Text, nullable=False), Column("world_id", Text, nullable=False)]


def _story_time() -> list[Column[int]]:
    return [Column(name, Integer, nullable=False) for name in ("tick", "scene", "turn")]


world = Table(
    "world",
    metadata,
    Column("world_version", Text, nullable=False),
    Column("world_id", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("body", JSONB, nullable=False),
    Column("added_no", BigInteger, Identity(always=True), nullable=False),
    PrimaryKeyConstraint("world_version"),
    Index(None, "world_id", "added_no"),
)

world_revision = Table(
    "world_revision",
    metadata,
    Column("world_id", Text, nullable=False),
    Column("revision_no", BigInteger, nullable=False),
    Column("world_version", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("author", Text, nullable=False),
    Column("source", Text),
    Column("saved_at", DateTime(timezone=True), server_default=text("now()")),
    PrimaryKeyConstraint("world_id", "revision_no"),
    ForeignKeyConstraint(["world_version"], ["world.world_version"]),
)

playthrough = Table(
    "playthrough",
    metadata,
    *_whose(),
    Column("world_version", Text, nullable=False),
    Column("opening_world", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("parent_id", Text),
    Column("forked_at_seq", BigInteger),
    Column("story_state", JSONB, nullable=False),
    Column("opened_no", BigInteger, Identity(always=True), nullable=False),
    PrimaryKeyConstraint("playthrough_id"),
    ForeignKeyConstraint(["world_version"], ["world.world_version"]),
    CheckConstraint("(parent_id IS NULL) = (forked_at_seq IS NULL)", name="fork_is_whole"),
    Index(None, "parent_id"),
    Index(None, "opened_no"),
)

lineage = Table(
    "lineage",
    metadata,
    *_whose(),
    Column("ancestor_id", Text, nullable=False),
    Column("until_seq", BigInteger, nullable=False),
    PrimaryKeyConstraint("playthrough_id", "ancestor_id"),
)

save = Table(
    "save",
    metadata,
    *_whose(),
    Column("name", Text, nullable=False),
    Column("seq", BigInteger, nullable=False),
    PrimaryKeyConstraint("playthrough_id", "name"),
    CheckConstraint("seq >= 0", name="seq_in_history"),
)

event = Table(
    "event",
    metadata,
    *_whose(),
    Column("seq", BigInteger, nullable=False),
    Column("key", Text),
    Column("kind", Text, nullable=False),
    *_story_time(),
    Column("body", JSON, nullable=False),
    Column("receipt", JSON, nullable=False),
    Column("hash", Text, nullable=False),
    PrimaryKeyConstraint("playthrough_id", "seq"),
    UniqueConstraint("playthrough_id", "key"),
    CheckConstraint("seq >= 1", name="seq_from_one"),
    CheckConstraint("tick >= 0 AND scene >= 0 AND turn >= 0", name="story_time"),
)

ledger_entry = Table(
    "ledger_entry",
    metadata,
    *_whose(),
    Column("entry_id", Text, nullable=False),
    Column("seq", BigInteger, nullable=False),
    *_story_time(),
    Column("kind", Text, nullable=False),
    Column("statement", Text, nullable=False),
    Column("source_kind", Text, nullable=False),
    Column("source_by", Text),
    Column("source_event_seq", BigInteger),
    Column("channel", Text, nullable=False),
    Column("confidence", Double, nullable=False),
    Column("slot_subject", Text),
    Column("slot_predicate", Text),
    Column("slot_object", Text),
    Column("slot_polarity", Boolean),
    Column("slot_from_tick", Integer),
    Column("slot_until_tick", Integer),
    Column("disclosure", Text, nullable=False),
    Column("unaware", ARRAY(Text), nullable=False),
    Column("expires", JSONB, nullable=False),
    Column("subject", Text),
    Column("place", Text),
    Column("origin", Text, nullable=False),
    Column("protected", Boolean, nullable=False),
    Column("quarantined", Boolean, nullable=False),
    Column("name", Text),
    Column("content", JSON, nullable=False),
    Column("embedding", LargeBinary, nullable=False),
    PrimaryKeyConstraint("playthrough_id", "entry_id"),
    CheckConstraint(f"kind IN ({_KINDS})", name="kind"),
    CheckConstraint(f"source_kind IN ({_SOURCES})", name="source_kind"),
    CheckConstraint("confidence >= 0 AND confidence <= 1", name="confidence"),
    CheckConstraint("statement <> ''", name="statement"),
    CheckConstraint("disclosure IN ('open','guarded','secret')", name="disclosure"),
    CheckConstraint(
        "(slot_subject IS NULL) = (slot_predicate IS NULL) AND (slot_subject IS NULL) = (slot_object IS NULL)",
        name="slot_is_whole",
    ),
    CheckConstraint("kind <> 'commitment' OR (content ->> 'owner' <> '' AND content ->> 'to' <> '')", name="owner"),
    Index(None, "playthrough_id", "seq"),
    Index(None, "playthrough_id", "slot_predicate", "slot_subject", "seq"),
    Index(None, "playthrough_id", "slot_predicate", "slot_object", "seq"),
    Index(None, "playthrough_id", "origin", "seq"),
    Index(None, "playthrough_id", "kind", "seq"),
    Index(None, "playthrough_id", "name", postgresql_where=text("name IS NOT NULL")),
    Index("ix_ledger_entry_drafts", "playthrough_id", "seq", postgresql_where=text("quarantined")),
)

knower = Table(
    "knower",
    metadata,
    *_whose(),
    Column("knower", Text, nullable=False),
    Column("entry_id", Text, nullable=False),
    Column("seq", BigInteger, nullable=False),
    PrimaryKeyConstraint("playthrough_id", "knower", "entry_id"),
    Index("ix_knower_newest", "playthrough_id", "knower", text("seq DESC"), "entry_id"),
)

must_have = Table(
    "must_have",
    metadata,
    *_whose(),
    Column("knower", Text, nullable=False),
    Column("sort", Text, nullable=False),
    Column("party", Text, nullable=False),
    Column("entry_id", Text, nullable=False),
    Column("seq", BigInteger, nullable=False),
    Column("closed_seq", BigInteger),
    PrimaryKeyConstraint("playthrough_id", "entry_id", "knower", "sort", "party"),
    Index(
        "ix_must_have_open",
        "playthrough_id",
        "knower",
        "sort",
        "party",
        text("seq DESC"),
        "entry_id",
        postgresql_where=text("closed_seq IS NULL"),
    ),
    Index(
        "ix_must_have_closed",
        "playthrough_id",
        "knower",
        "sort",
        "party",
        "closed_seq",
        postgresql_where=text("closed_seq IS NOT NULL"),
    ),
)

entry_term = Table(
    "entry_term",
    metadata,
    *_whose(),
    Column("knower", Text, nullable=False),
    Column("term", Text, nullable=False),
    Column("entry_id", Text, nullable=False),
    Column("seq", BigInteger, nullable=False),
    Index("ix_entry_term_newest", "playthrough_id", "knower", "term", text("seq DESC"), "entry_id", unique=True),
)

entry_ending = Table(
    "entry_ending",
    metadata,
    *_whose(),
    Column("sort", Text, nullable=False),
    Column("at_value", BigInteger, nullable=False),
    Column("name", Text, nullable=False),
    Column("entry_id", Text, nullable=False),
    Column("seq", BigInteger, nullable=False),
    CheckConstraint("sort IN ('tick','scene','turn','event')", name="sort"),
    Index("ix_entry_ending_due", "playthrough_id", "sort", "name", "at_value"),
)

amendment = Table(
    "amendment",
    metadata,
    *_whose(),
    Column("entry_id", Text, nullable=False),
    Column("seq", BigInteger, nullable=False),
    Column("status", Text, nullable=False),
    Column("by", ARRAY(Text), nullable=False),
    Column("knowers", ARRAY(Text)),
    Column("body", JSON, nullable=False),
    PrimaryKeyConstraint("playthrough_id", "entry_id", "seq", "status"),
    Index(None, "playthrough_id", "seq"),
)

telling = Table(
    "telling",
    metadata,
    *_whose(),
    Column("telling_id", Text, nullable=False),
    Column("from_entry", Text, nullable=False),
    Column("to_entry", Text),
    Column("teller", Text, nullable=False),
    Column("listener", Text, nullable=False),
    Column("origin", Text, nullable=False),
    Column("seq", BigInteger, nullable=False),
    Column("tick", Integer, nullable=False),
    Column("place", Text),
    Column("offered_millionths", Integer, nullable=False),
    Column("outcome", Text, nullable=False),
    Column("severity", Integer, nullable=False, server_default="1"),
    Column("statement", Text, nullable=False, server_default=""),
    Column("roots", ARRAY(Text), nullable=False, server_default="{}"),
    PrimaryKeyConstraint("playthrough_id", "telling_id"),
    CheckConstraint("severity >= 1", name="severity"),
    CheckConstraint("offered_millionths BETWEEN 0 AND 1000000", name="offered"),
    CheckConstraint("teller <> listener", name="two_people"),
    Index(None, "playthrough_id", "to_entry"),
    Index(None, "playthrough_id", "origin"),
    Index(None, "playthrough_id", "seq"),
)

packet = Table(
    "packet",
    metadata,
    *_whose(),
    Column("packet_id", Text, nullable=False),
    Column("packet_no", BigInteger, Identity(always=True), nullable=False),
    Column("seq", BigInteger, nullable=False),
    Column("speaker", Text, nullable=False),
    Column("hash", Text, nullable=False),
    Column("body", JSON, nullable=False),  # read and written whole: as JSONB it would be taken apart for nothing
    Column("moment", JSON, nullable=False),
    PrimaryKeyConstraint("playthrough_id", "packet_id"),
    Index(None, "playthrough_id", "packet_no"),
    Index("ix_packet_of_all", text("(packet_no + 0)")),  # an expression: a list of one playthrough must not choose it
    Index(None, "packet_id"),
)

reply = Table(
    "reply",
    metadata,
    *_whose(),
    Column("reply_id", Text, nullable=False),
    Column("packet_id", Text, nullable=False),
    Column("reply_no", BigInteger, Identity(always=True), nullable=False),
    Column("responder", Text, nullable=False),
    Column("body", JSONB, nullable=False),
    PrimaryKeyConstraint("playthrough_id", "reply_id"),
    ForeignKeyConstraint(["playthrough_id", "packet_id"], ["packet.playthrough_id", "packet.packet_id"]),
    Index(None, "playthrough_id", "packet_id", "reply_no"),
)

scorecard = Table(
    "scorecard",
    metadata,
    *_whose(),
    Column("reply_id", Text, nullable=False),
    Column("fault", Text, nullable=False),
    Column("body", JSONB, nullable=False),
    Column("row_no", Integer, nullable=False, server_default="1"),
    PrimaryKeyConstraint("playthrough_id", "reply_id", "row_no"),
    ForeignKeyConstraint(["playthrough_id", "reply_id"], ["reply.playthrough_id", "reply.reply_id"]),
)

packet_review = Table(
    "packet_review",
    metadata,
    *_whose(),
    Column("packet_id", Text, nullable=False),
    Column("review_no", BigInteger, Identity(always=True), nullable=False),
    Column("at", DateTime(timezone=True), nullable=False, server_default=func.now()),
    Column("who", Text, nullable=False),
    Column("mark", Text, nullable=False),
    Column("said", Text, nullable=False),
    Column("other_id", Text),
    PrimaryKeyConstraint("playthrough_id", "packet_id", "review_no"),
    ForeignKeyConstraint(["playthrough_id", "packet_id"], ["packet.playthrough_id", "packet.packet_id"]),
    CheckConstraint("mark IN ('note','approved','flagged','cleared','corrected')", name="mark"),
)

voicing = Table(
    "voicing",
    metadata,
    *_whose(),
    Column("telling_id", Text, nullable=False),
    Column("voice", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("dropped", Text, nullable=False),
    PrimaryKeyConstraint("playthrough_id", "telling_id"),
    CheckConstraint("(text = '') <> (dropped = '')", name="either"),
)

outbox = Table(
    "outbox",
    metadata,
    *_whose(),
    Column("outbox_id", BigInteger, Identity(always=True), nullable=False),
    Column("body", JSON, nullable=False),
    PrimaryKeyConstraint("outbox_id"),
    Index(None, "playthrough_id"),
)

api_key = Table(
    "api_key",
    metadata,
    Column("key_hash", Text, nullable=False),
    Column("role", Text, nullable=False),
    Column("label", Text, nullable=False),
    Column("created_at", DateTime(timezone=True), nullable=False, server_default=func.now()),
    Column("revoked_at", DateTime(timezone=True)),
    PrimaryKeyConstraint("key_hash"),
    UniqueConstraint("label"),
    CheckConstraint("role IN ('game','reviewer','admin')", name="role"),
)

account = Table(
    "account",
    metadata,
    Column("account_id", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("role", Text, nullable=False),
    Column("password_hash", Text, nullable=False),
    Column("created_at", DateTime(timezone=True), nullable=False, server_default=func.now()),
    Column("disabled_at", DateTime(timezone=True)),
    PrimaryKeyConstraint("account_id"),
    UniqueConstraint("name"),
    CheckConstraint("role IN ('writer','qa','engineer','admin')", name="role"),
)

account_world = Table(
    "account_world",
    metadata,
    Column("account_id", Text, nullable=False),
    Column("world_id", Text, nullable=False),
    PrimaryKeyConstraint("account_id", "world_id"),
    ForeignKeyConstraint(["account_id"], ["account.account_id"]),
)

session = Table(
    "session",
    metadata,
    Column("session_hash", Text, nullable=False),
    Column("account_id", Text, nullable=False),
    Column("created_at", DateTime(timezone=True), nullable=False, server_default=func.now()),
    Column("expires_at", DateTime(timezone=True), nullable=False),
    PrimaryKeyConstraint("session_hash"),
    ForeignKeyConstraint(["account_id"], ["account.account_id"]),
    Index(None, "account_id"),
)

audit = Table(
    "audit",
    metadata,
    Column("audit_no", BigInteger, Identity(always=True), nullable=False),
    Column("at", DateTime(timezone=True), nullable=False, server_default=func.now()),
    Column("who", Text, nullable=False),
    Column("action", Text, nullable=False),
    Column("subject", Text, nullable=False),
    Column("world_id", Text),
    Column("detail", JSONB, nullable=False),
    PrimaryKeyConstraint("audit_no"),
    Index(None, "who", "audit_no"),
    Index(None, "action", "audit_no"),
)

probe_run = Table(
    "probe_run",
    metadata,
    Column("run_id", Text, nullable=False),
    Column("run_no", BigInteger, Identity(always=True), nullable=False),
    Column("state", Text, nullable=False),
    Column("planned", Integer, nullable=False),
    Column("body", JSONB, nullable=False),
    Column("ground", JSONB),
    Column("offered", Boolean, nullable=False, server_default=text("false")),
    Column("world_id", Text, Computed("split_part(body ->> 'world_version', '@', 1)", persisted=True)),
    Column("begun_at", DateTime(timezone=True), server_default=text("now()")),
    PrimaryKeyConstraint("run_id"),
    CheckConstraint("state IN ('active','paused','cancelled')", name="state"),
    Index(None, "run_no"),
    Index(None, "world_id", "run_no"),
)

probe_batch = Table(
    "probe_batch",
    metadata,
    Column("run_id", Text, nullable=False),
    Column("batch_no", Integer, nullable=False),
    Column("distance", Text, nullable=False),
    Column("fence", BigInteger, nullable=False),
    Column("done", Boolean, nullable=False),
    Column("branch", JSONB),
    PrimaryKeyConstraint("run_id", "batch_no"),
    ForeignKeyConstraint(["run_id"], ["probe_run.run_id"]),
)

probe_cell = Table(
    "probe_cell",
    metadata,
    Column("run_id", Text, nullable=False),
    Column("cell_no", Integer, nullable=False),
    Column("batch_no", Integer, nullable=False),
    Column("state", Text, nullable=False),
    Column("packet_hash", Text, nullable=False),
    Column("body", JSONB, nullable=False),
    Column("pressure", Text, Computed("body ->> 'pressure'", persisted=True)),
    Column("paraphrase", Integer, Computed("(body ->> 'paraphrase')::integer", persisted=True)),
    PrimaryKeyConstraint("run_id", "cell_no"),
    ForeignKeyConstraint(["run_id", "batch_no"], ["probe_batch.run_id", "probe_batch.batch_no"]),
    CheckConstraint("state IN ('pass','fail','error','unscored','skipped','pending')", name="state"),
    Index(None, "run_id", "batch_no", "state", "cell_no"),
)

_AXES = " || ".join(f"left(body #>> '{{scorecard,verdicts,{i},state}}', 1)" for i in range(5))
"""The five verdicts by their first letters, in the order of the axes; null where nothing was judged."""
probe_attempt = Table(
    "probe_attempt",
    metadata,
    Column("run_id", Text, nullable=False),
    Column("cell_no", Integer, nullable=False),
    Column("repeat", Integer, nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("state", Text, nullable=False),
    Column("fault", Text, nullable=False),
    Column("fence", BigInteger, nullable=False),
    Column("body", JSONB, nullable=False),
    Column("cost", Double, nullable=False, server_default=text("0")),
    Column("axes", Text, Computed(_AXES, persisted=True)),
    Column("subtype", Text, Computed("body ->> 'subtype'", persisted=True)),
    Column("entry", Text, Computed("body ->> 'entry'", persisted=True)),
    Column("confirmed", Text, Computed("body #>> '{beside,confirmed}'", persisted=True)),
    Column("reference", Text, Computed("body #>> '{beside,reference,passed}'", persisted=True)),
    Column("responder", Text, Computed("body ->> 'responder'", persisted=True)),
    PrimaryKeyConstraint("run_id", "cell_no", "repeat", "attempt"),
    Index(
        "ix_probe_attempt_added_up", "run_id", "cell_no",
        postgresql_include=[
            "repeat", "attempt", "state", "fault", "subtype", "entry", "axes", "cost", "confirmed", "reference",
            "responder",
        ],
    ),
    ForeignKeyConstraint(["run_id", "cell_no"], ["probe_cell.run_id", "probe_cell.cell_no"]),
    CheckConstraint("state IN ('pass','fail','error','unscored')", name="state"),
    Index(
        "uq_probe_attempt_finished", "run_id", "cell_no", "repeat", unique=True, postgresql_where=text("state <> 'error'")
    ),
)  # fmt: skip

IN_HISTORY = (
    "event", "ledger_entry", "knower", "must_have", "entry_term", "entry_ending", "amendment", "telling", "save"
)  # fmt: skip
"""Tables whose rows a fork reads through its ancestors, up to where it left them."""

OF_PLAYTHROUGH = (
    *IN_HISTORY,
    "playthrough",
    "lineage",
    "packet",
    "reply",
    "scorecard",
    "packet_review",
    "voicing",
    "outbox",
)
"""Every table that holds a playthrough's data; each is under row-level security."""

OF_RUN = ("probe_batch", "probe_cell", "probe_attempt")
"""Every table that holds what a run of probes came to; a transaction sees the rows of one run."""
