// A page of the world's rules by inner id, with who keeps them and where, for comparing with the record.
// $first: int
// $past: int
MATCH (r:Rule)
WHERE id(r) >= $first AND id(r) < $past AND r.sort IS NOT NULL
RETURN r.id, r.sort, r.about, r.holds_when, r.ends_when, r.says, [(r)-[k:KEPT_BY]->(c:Character) | c.id],
       [(r)-[a:AT]->(p:Place) | p.id]
