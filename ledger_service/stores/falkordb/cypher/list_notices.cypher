// A page of notices by inner id: where each hangs or hung, since when and until when, for comparing with the record.
// $first: int
// $past: int
MATCH (n:Notice)
WHERE id(n) >= $first AND id(n) < $past
RETURN n.id, n.notice, [(n)-[a:AT]->(p:Place) | p.id], n.posted, n.taken_down
