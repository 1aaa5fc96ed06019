// Mark a graph as being filled under a token; nothing is read from it, and nobody else writes to it, until it is whole.
// $filling: str
MERGE (m:Mirror {id: 'mirror'})
SET m.filling = $filling
RETURN m.filling
