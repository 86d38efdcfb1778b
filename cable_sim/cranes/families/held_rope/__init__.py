"""A rope that a hand holds."""
