"""Playing: the village, and anybody of a cast talked to as the player."""
