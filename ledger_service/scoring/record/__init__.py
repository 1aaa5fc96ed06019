"""Faults against what is on record for certain."""
