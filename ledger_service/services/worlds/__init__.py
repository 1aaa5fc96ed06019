"""Worlds as files: checked, revised, and tried out on what was played in them."""
