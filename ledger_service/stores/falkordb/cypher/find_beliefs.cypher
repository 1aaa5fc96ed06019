// What somebody holds that can be passed on, before any of it fades.
// $who: str
MATCH (c:Character {id: $who})-[h:HOLDS]->(e)
WHERE e.story
RETURN e.id, e.origin, e.statement, e.severity, h.confidence, h.last_reinforced, e.seq
