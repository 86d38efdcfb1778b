"""Many worlds of one scene at once."""
