// Declare a template whole: from here on it is only read and copied.
MATCH (m:Mirror {filling: 'template'})
SET m.whole = true
RETURN m.id
