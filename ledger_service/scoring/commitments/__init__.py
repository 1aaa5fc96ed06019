"""Faults about who owes what, and how far that has got."""
