// Who holds what, how surely, for comparing with the record.
MATCH (c:Character)-[b:HOLDS]->(r:Rumour)
RETURN r.id, c.id, b.confidence
