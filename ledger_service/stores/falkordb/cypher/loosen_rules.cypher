// Let go of who keeps some rules and where, before another version of the world says it anew.
// $filling: str
// $seq: int
// $ids: list of str
MATCH (m:Mirror {filling: $filling})
WHERE m.world_seq <= $seq
UNWIND $ids AS id
MATCH (r:Rule {id: id})-[k:KEPT_BY|AT]->(x)
DELETE k
RETURN count(k)
