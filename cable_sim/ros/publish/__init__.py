"""Messages that the node publishes."""
