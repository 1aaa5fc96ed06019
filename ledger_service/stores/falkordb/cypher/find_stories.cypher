// The newest versions of stories: who holds each how surely, and who told it to them.
// $most: int
MATCH (e:Entry {story: true})
WITH e ORDER BY e.seq DESC, e.id LIMIT $most
RETURN e.id, e.origin, e.statement, e.severity, e.tick, e.hearsay, [(c)-[h:HOLDS]->(e) | [c.id, h.confidence]],
       [(e)-[f:HEARD_FROM]->(t) | [f.teller, f.listener, f.tick, f.outcome, t.id]]
