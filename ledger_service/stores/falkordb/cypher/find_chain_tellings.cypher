// Every telling that made or bore out these versions; asked level by level, it has no hop limit.
// $ids: list of entry ids
UNWIND $ids AS id
MATCH (w:Rumour {id: id})-[f:HEARD_FROM]->(v:Rumour)
RETURN f.id, v.id, w.id, f.teller, f.listener, f.origin, f.seq, f.tick, f.place, f.offered, f.outcome
