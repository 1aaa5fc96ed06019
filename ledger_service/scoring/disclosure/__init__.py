"""Faults of giving away, and of obeying."""
