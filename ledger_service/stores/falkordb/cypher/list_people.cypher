// A page of characters by inner id: whom each trusts how much, and where they are, for comparing with the record.
// $first: int
// $past: int
MATCH (c:Character)
WHERE id(c) >= $first AND id(c) < $past
RETURN c.id, c.name, [(c)-[t:TRUSTS]->(u) | [u.id, t.trust, t.cost]], [(c)-[s:STRONGLY_TRUSTS]->(v) | [v.id, s.cost]],
       [(c)-[a:AT]->(p:Place) | p.id]
