// The stories that people hold and could pass on: one row for each of them who holds any.
// $people: list of str
MATCH (m:Mirror {filling: ''})
UNWIND $people AS who
MATCH (c:Character {id: who})
MATCH (c)-[h:HOLDS]->(e)
WHERE e.story
RETURN who, collect([e.id, e.origin, e.corrects, e.seq])
