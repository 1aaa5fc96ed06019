// Mirror a batch: entries with who holds them, then tellings; every part merges by id, so that again changes nothing.
// $entries: list of maps (id, kind, statement, origin, seq, tick, hops, severity, millionths, place, hearsay)
// $holds: list of maps (who, id, millionths, tick)
// $tellings: list of maps (id, from, to, teller, listener, tick, seq, place, millionths, outcome, origin)
CALL {
  UNWIND $entries AS e
  MERGE (r:Rumour {id: e.id})
  SET r.kind = e.kind, r.statement = e.statement, r.origin = e.origin, r.seq = e.seq, r.tick = e.tick, r.hops = e.hops,
      r.severity = e.severity, r.confidence = e.millionths, r.place = e.place, r.source = e.source, r.by = e.by,
      r.holder = e.holder
  MERGE (o:Event {id: e.origin})
  MERGE (r)-[g:ORIGIN]->(o)
  RETURN count(r) AS mirrored
}
CALL {
  UNWIND $holds AS h
  MERGE (c:Character {id: h.who})
  MERGE (r:Rumour {id: h.id})
  MERGE (c)-[b:HOLDS]->(r)
  SET b.confidence = h.millionths, b.since = h.tick, b.last_reinforced = h.tick
  RETURN count(b) AS held
}
CALL {
  UNWIND $tellings AS t
  MERGE (v:Rumour {id: t.from})
  MERGE (w:Rumour {id: t.to})
  MERGE (w)-[f:HEARD_FROM {id: t.id}]->(v)
  SET f.teller = t.teller, f.listener = t.listener, f.tick = t.tick, f.seq = t.seq, f.place = t.place,
      f.offered = t.millionths, f.outcome = t.outcome, f.origin = t.origin
  RETURN count(f) AS told
}
RETURN mirrored, held, told
