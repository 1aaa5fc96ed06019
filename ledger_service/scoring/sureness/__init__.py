"""Faults of being too sure, and of naming the wrong teller."""
