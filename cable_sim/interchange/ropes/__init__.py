"""Ropes of ours in the models of other engines."""
