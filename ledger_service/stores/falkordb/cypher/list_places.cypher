// A page of the world's places by inner id, for comparing with the record.
// $first: int
// $past: int
MATCH (p:Place)
WHERE id(p) >= $first AND id(p) < $past AND p.name IS NOT NULL
RETURN p.id, p.name, p.region
