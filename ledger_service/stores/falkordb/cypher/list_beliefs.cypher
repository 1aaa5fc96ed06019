// A page of entries by inner id: who holds each how surely, and the tellings on it, for comparing with the record.
// $first: int
// $past: int
MATCH (e:Entry)
WHERE id(e) >= $first AND id(e) < $past
RETURN e.id, [(c)-[h:HOLDS]->(e) | [c.id, h.confidence]], [(e)-[f:HEARD_FROM]->(t) | f.id],
       [(l)-[d:LEFT_ASIDE]->(e) | d.id]
