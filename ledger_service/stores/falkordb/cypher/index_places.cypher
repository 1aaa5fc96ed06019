// Index places by id, for equality only: where there are many, everybody who moves would have to look through them all.
CREATE INDEX FOR (p:Place) ON (p.id)
