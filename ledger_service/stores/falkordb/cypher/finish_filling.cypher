// Mark a graph as whole, unless somebody else began to fill it meanwhile.
// $filling: str
MATCH (m:Mirror {filling: $filling})
SET m.filling = ''
RETURN m.id
