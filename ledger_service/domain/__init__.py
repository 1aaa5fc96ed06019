"""What a continuity ledger is: frozen values and small predicates on them."""
