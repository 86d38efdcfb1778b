"""Words of a crane's file."""
