"""Continuity ledger: typed claims in, context packets out, verdicts on what was said."""
