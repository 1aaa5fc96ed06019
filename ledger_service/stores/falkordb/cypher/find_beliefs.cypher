// What somebody holds that can be passed on, the surest first, before any of it fades.
// $who: str
// $most: int
MATCH (c:Character {id: $who})-[h:HOLDS]->(e:Entry {story: true})
RETURN e.id, e.origin, e.statement, e.severity, h.confidence, h.last_reinforced
ORDER BY h.confidence DESC, e.seq DESC, e.id
LIMIT $most
