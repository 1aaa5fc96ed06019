// One row, to show that queries are answered, with the mark that a server loses when it loses its graphs.
MATCH (b:Birth)
RETURN b.mark
