"""How news travels, and what becomes of it on the way."""
