// Take over a copy of a template: it is now being filled under a token, from the world as of an event.
// $filling: str
// $seq: int
MATCH (m:Mirror {filling: 'template'})
SET m.filling = $filling, m.world_seq = $seq, m.whole = false
RETURN m.id
