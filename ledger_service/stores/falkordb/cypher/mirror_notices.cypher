// Mark the entries that are notices, and since when each is down; of what is no notice, nothing is kept.
// $filling: str
// $posted: list of {id, notice, tick, down}
// $over: list of {id, tick}, the earliest for each
MATCH (m:Mirror {filling: $filling})
CALL {
  UNWIND $posted AS row
  MATCH (e:Entry {id: row.id})
  SET e:Notice, e.notice = row.notice, e.posted = row.tick, e.taken_down = coalesce(row.down, e.taken_down)
  RETURN count(row) AS posted
}
CALL {
  UNWIND $over AS row
  MATCH (e:Entry {id: row.id})
  WHERE e.notice IS NOT NULL AND coalesce(e.taken_down, row.tick + 1) > row.tick
  SET e.taken_down = row.tick
  RETURN count(row) AS over
}
RETURN posted, over
