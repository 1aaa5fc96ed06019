"""Adapters that keep things."""
