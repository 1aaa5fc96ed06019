// The most trusted ways of a story from a teller to a listener, from listener to teller, all of the same least cost.
// $teller: str
// $listener: str
// $most_hops: int
MATCH (m:Mirror {filling: ''})
MATCH (teller:Character {id: $teller})
MATCH (listener:Character {id: $listener})
CALL algo.SPpaths({sourceNode: listener, targetNode: teller, relTypes: ['TRUSTS'], relDirection: 'outgoing',
                   weightProp: 'cost', maxLen: $most_hops, pathCount: 0}) YIELD path, pathWeight
RETURN [n IN nodes(path) | n.id], pathWeight
