// One row, to show that queries are answered.
RETURN 1
