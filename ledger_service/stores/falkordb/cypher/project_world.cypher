// Put a world into a graph with one query, or what another version of it changes; an older one than is there does nothing.
// $filling: str
// $seq: int
// $cast: list of {id, name}
// $places: list of {id, name, region}
// $trusts: list of {listener, teller, trust, cost}
// $strong: list of {listener, teller, cost}
// $ended: list of {listener, teller}
// $weakened: list of {listener, teller}
MATCH (m:Mirror {filling: $filling})
WITH m, m.world_seq <= $seq AS fresh
CALL {
  WITH fresh
  UNWIND CASE WHEN fresh THEN $cast ELSE [] END AS row
  MERGE (c:Character {id: row.id})
  SET c.name = row.name
  RETURN count(row) AS people
}
CALL {
  WITH fresh
  UNWIND CASE WHEN fresh THEN $places ELSE [] END AS row
  MERGE (p:Place {id: row.id})
  SET p.name = row.name, p.region = row.region
  RETURN count(row) AS places
}
CALL {
  WITH fresh
  UNWIND CASE WHEN fresh THEN $trusts ELSE [] END AS row
  MERGE (listener:Character {id: row.listener})
  MERGE (teller:Character {id: row.teller})
  MERGE (listener)-[t:TRUSTS]->(teller)
  SET t.trust = row.trust, t.cost = row.cost
  RETURN count(row) AS trusts
}
CALL {
  WITH fresh
  UNWIND CASE WHEN fresh THEN $strong ELSE [] END AS row
  MERGE (listener:Character {id: row.listener})
  MERGE (teller:Character {id: row.teller})
  MERGE (listener)-[s:STRONGLY_TRUSTS]->(teller)
  SET s.cost = row.cost
  RETURN count(row) AS strong
}
CALL {
  WITH fresh
  UNWIND CASE WHEN fresh THEN $ended ELSE [] END AS row
  MATCH (listener:Character {id: row.listener})-[t:TRUSTS]->(teller:Character {id: row.teller})
  DELETE t
  RETURN count(row) AS ended
}
CALL {
  WITH fresh
  UNWIND CASE WHEN fresh THEN $weakened ELSE [] END AS row
  MATCH (listener:Character {id: row.listener})-[s:STRONGLY_TRUSTS]->(teller:Character {id: row.teller})
  DELETE s
  RETURN count(row) AS weakened
}
SET m.world_seq = CASE WHEN fresh THEN $seq ELSE m.world_seq END
RETURN people, places, trusts, strong, ended, weakened
