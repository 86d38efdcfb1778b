"""The second layer of elevation cables: waves on their spans."""
