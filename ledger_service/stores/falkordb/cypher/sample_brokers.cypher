// How many shortest ways of trust lead through each character, counted from a sample that the seed fixes.
// $samples: int
// $seed: int
MATCH (m:Mirror {filling: ''})
CALL algo.betweenness({nodeLabels: ['Character'], relationshipTypes: ['TRUSTS'], samplingSize: $samples,
                       samplingSeed: $seed}) YIELD node, score
WHERE NOT 'Player' IN labels(node)
RETURN node.id, score
