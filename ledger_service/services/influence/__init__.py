"""Who is believed, which way a story takes, and what a spymaster makes of it."""
