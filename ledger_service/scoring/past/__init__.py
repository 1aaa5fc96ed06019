"""Faults about what was, and what no longer is."""
