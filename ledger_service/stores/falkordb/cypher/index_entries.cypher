// Index entries by id, for equality only: a range on text would give wrong rows.
CREATE INDEX FOR (e:Entry) ON (e.id)
