"""A ledger and a moment in, a context packet out; one verb per step."""
