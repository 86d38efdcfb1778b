"""The simulator node: parameters, physics thread, requests, statistics."""
