// One entry, with the tellings that made it or bore it out.
// $entry_id: str
MATCH (m:Mirror {filling: ''})
MATCH (v:Entry {id: $entry_id})
RETURN v.id, v.statement, v.holder, v.how, v.by, v.confidence, v.seq, v.tick, v.severity, v.place, v.hearsay,
       [(v)-[f:HEARD_FROM]->(t) | [f.id, t.id, f.teller, f.listener, f.origin, f.seq, f.tick, f.place, f.offered, f.outcome,
                                f.severity, f.said]]
