// The versions with these ids, as they were told.
// $ids: list of entry ids
UNWIND $ids AS id
MATCH (r:Rumour {id: id})
RETURN r.id, r.kind, r.statement, r.confidence, r.seq, r.tick, r.severity, r.place, r.source, r.by, r.holder
