// What people hold that can be passed on, and what they were told by whom: one row for each of them who holds anything.
// $people: list of str
MATCH (m:Mirror {filling: ''})
UNWIND $people AS who
MATCH (c:Character {id: who})
RETURN who, [(c)-[h:HOLDS]->(e) WHERE e.story | [e.id, e.origin, e.corrects, e.seq]],
       [(c)-[g:HOLDS]->(mine)-[f:HEARD_FROM]->(theirs) WHERE f.listener = who | [f.teller, f.origin]],
       [(c)-[d:LEFT_ASIDE]->(aside) WHERE d.outcome = 'ignored' | [d.teller, d.origin]]
