// Put a world's rules into a graph, with who keeps them and where; an older world than is there does nothing.
// $filling: str
// $seq: int
// $rules: list of {id, fields, keepers, places}
MATCH (m:Mirror {filling: $filling})
WHERE m.world_seq <= $seq
UNWIND $rules AS row
MERGE (r:Rule {id: row.id})
SET r.sort = row.fields.sort, r.about = row.fields.about, r.holds_when = row.fields.holds_when,
    r.ends_when = row.fields.ends_when, r.says = row.fields.says
FOREACH (who IN row.keepers | MERGE (c:Character {id: who}) MERGE (r)-[k:KEPT_BY]->(c))
FOREACH (place IN row.places | MERGE (p:Place {id: place}) MERGE (r)-[a:AT]->(p))
RETURN count(r)
