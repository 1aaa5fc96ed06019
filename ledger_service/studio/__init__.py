"""A pytest plugin: a studio's features, held against its own world in its own repository."""
