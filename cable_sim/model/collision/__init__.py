"""Contact of shapes as arrays."""
