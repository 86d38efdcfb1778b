"""Several cranes in one world."""
