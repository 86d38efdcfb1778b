"""Ropes of a machine: drums, slack, overload, slings and spreaders."""
