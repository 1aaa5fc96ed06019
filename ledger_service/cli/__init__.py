"""The `continuity` command."""
