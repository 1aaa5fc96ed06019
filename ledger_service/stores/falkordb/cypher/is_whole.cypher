// One row where the graph holds all that the record held when it was filled, and all that was mirrored since.
MATCH (m:Mirror {filling: ''})
RETURN m.id
