// Leave a mark that only an emptied server lacks, and answer with the one that was there first.
// $mark: str
MERGE (b:Birth {id: 'birth'})
ON CREATE SET b.mark = $mark
RETURN b.mark
