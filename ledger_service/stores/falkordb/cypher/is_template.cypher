// One row where a template is there and whole.
MATCH (m:Mirror {filling: 'template', whole: true})
RETURN m.id
