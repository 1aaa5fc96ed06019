"""The mirror: who told whom, as a graph."""
