// A page of entries by inner id: join those to their origins that were written before them.
// $first: int
// $past: int
MATCH (e:Entry)
WHERE id(e) >= $first AND id(e) < $past AND e.origin <> e.id
MATCH (root:Entry {id: e.origin})
MERGE (e)-[o:ORIGIN]->(root)
RETURN count(o)
