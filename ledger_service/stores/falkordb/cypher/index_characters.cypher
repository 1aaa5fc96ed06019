// Index characters by id, for equality only.
CREATE INDEX FOR (c:Character) ON (c.id)
