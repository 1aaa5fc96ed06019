"""Probe files in, cells out, tallies back."""
