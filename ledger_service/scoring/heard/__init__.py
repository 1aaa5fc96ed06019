"""A reply as it is heard: clauses, what they speak of, who is named, what is left open."""
