"""Adapters that speak."""
