"""The adapter that writes reports."""
