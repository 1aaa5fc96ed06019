"""Gossip: hours go by, stories go round, and whoever believes one can say why."""
