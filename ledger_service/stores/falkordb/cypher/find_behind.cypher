// Every version that an entry goes back to, at any depth and each of them once, with the tellings behind it.
// $entry_id: str
MATCH (asked:Entry {id: $entry_id})
CALL algo.BFS(asked, -1, 'HEARD_FROM') YIELD nodes
UNWIND nodes AS v
RETURN v.id, v.statement, v.holder, v.how, v.by, v.confidence, v.seq, v.tick, v.severity, v.place, v.hearsay,
       [(v)-[f:HEARD_FROM]->(t) | [f.id, t.id, f.teller, f.listener, f.origin, f.seq, f.tick, f.place, f.offered, f.outcome,
                                f.severity, f.said]]
