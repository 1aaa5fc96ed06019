// Every telling's id, for comparing with the record.
MATCH (w:Rumour)-[f:HEARD_FROM]->(v:Rumour)
RETURN f.id
