"""The simulator node: its start, parameter server and end."""
