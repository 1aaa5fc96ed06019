"""Playthroughs: opened, branched, carried out and in, and told again."""
