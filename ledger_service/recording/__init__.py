"""A game event or a reply in, ledger entries out."""
