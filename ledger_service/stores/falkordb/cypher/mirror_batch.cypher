// Mirror a batch with one query, merged by id, so that again changes nothing; no row where the graph is not as expected.
// $filling: str
// $events: list of {id, fields}
// $rumours: list of {id, fields}
// $origins: list of {id, origin}
// $places: list of {id, place}
// $holds: list of {id, who, millionths, since, reinforced, seq}
// $groups: list of {id, who, millionths, since, reinforced, seq}
// $witnessed: list of {id, who, millionths, since, reinforced, seq}
// $heard: list of {id, heard, told, listener, fields}
// $beliefs: list of {id, who, millionths, tick, seq}, the latest for each
// $dropped: list of {id, told, listener, fields}
// $present: list of {who, place, seq}, the latest for each
// $absent: list of {who, seq}
MATCH (m:Mirror {filling: $filling})
CALL {
  UNWIND $events AS row
  MERGE (e:Entry:Event {id: row.id})
  ON CREATE SET e += row.fields
  RETURN count(row) AS events
}
CALL {
  UNWIND $rumours AS row
  MERGE (e:Entry:Rumour {id: row.id})
  ON CREATE SET e += row.fields
  RETURN count(row) AS rumours
}
CALL {
  UNWIND $origins AS row
  MATCH (e:Entry {id: row.id})
  MATCH (root:Entry {id: row.origin})
  MERGE (e)-[o:ORIGIN]->(root)
  RETURN count(row) AS origins
}
CALL {
  UNWIND $places AS row
  MATCH (e:Entry {id: row.id})
  MERGE (p:Place {id: row.place})
  MERGE (e)-[a:AT]->(p)
  RETURN count(row) AS places
}
CALL {
  UNWIND $holds AS row
  MATCH (e:Entry {id: row.id})
  MERGE (c:Character {id: row.who})
  MERGE (c)-[h:HOLDS]->(e)
  ON CREATE SET h.confidence = row.millionths, h.since = row.since, h.last_reinforced = row.reinforced, h.seq = row.seq
  RETURN count(row) AS held
}
CALL {
  UNWIND $groups AS row
  MATCH (e:Entry {id: row.id})
  MERGE (g:Group {id: row.who})
  MERGE (g)-[h:HOLDS]->(e)
  ON CREATE SET h.confidence = row.millionths, h.since = row.since, h.last_reinforced = row.reinforced, h.seq = row.seq
  RETURN count(row) AS shared
}
CALL {
  UNWIND $witnessed AS row
  MATCH (e:Entry {id: row.id})
  MERGE (c:Character {id: row.who})
  MERGE (c)-[h:HOLDS]->(e)
  ON CREATE SET h.confidence = row.millionths, h.since = row.since, h.last_reinforced = row.reinforced, h.seq = row.seq
  MERGE (c)-[w:WITNESSED]->(e)
  RETURN count(row) AS witnessed
}
CALL {
  UNWIND $heard AS row
  MATCH (e:Entry {id: row.heard})
  MATCH (t:Entry {id: row.told})
  MERGE (e)-[f:HEARD_FROM {id: row.id}]->(t)
  ON CREATE SET f += row.fields
  RETURN count(row) AS heard
}
CALL {
  UNWIND $beliefs AS row
  MATCH (e:Entry {id: row.id})
  MATCH (c:Character {id: row.who})-[h:HOLDS]->(e)
  WHERE h.seq < row.seq
  SET h.last_reinforced = row.tick, h.confidence = row.millionths, h.seq = row.seq
  RETURN count(row) AS beliefs
}
CALL {
  UNWIND $dropped AS row
  MATCH (t:Entry {id: row.told})
  MERGE (c:Character {id: row.listener})
  MERGE (c)-[d:LEFT_ASIDE {id: row.id}]->(t)
  ON CREATE SET d += row.fields
  RETURN count(row) AS dropped
}
CALL {
  UNWIND $present AS row
  MERGE (c:Character {id: row.who})
  WITH c, row
  WHERE coalesce(c.at_seq, -1) < row.seq
  OPTIONAL MATCH (c)-[a:AT]->(before:Place)
  DELETE a
  SET c.at_seq = row.seq
  MERGE (p:Place {id: row.place})
  CREATE (c)-[n:AT]->(p)
  RETURN count(row) AS present
}
CALL {
  UNWIND $absent AS row
  MATCH (c:Character {id: row.who})-[a:AT]->(before:Place)
  WHERE coalesce(c.at_seq, -1) < row.seq
  DELETE a
  SET c.at_seq = row.seq
  RETURN count(row) AS absent
}
RETURN m.filling
