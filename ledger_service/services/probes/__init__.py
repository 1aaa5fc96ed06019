"""Probes: matrices checked, run on many machines, looked into and compared."""
