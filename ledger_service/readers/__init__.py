"""Adapters that read."""
