"""The ready steps of features, by what they speak of."""
