// How many nodes there are; none is ever deleted, so their inner ids run from 0 to here.
MATCH (n)
RETURN count(n)
