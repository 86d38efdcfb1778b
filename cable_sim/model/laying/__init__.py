"""Curves at which ropes hang and lie at the start."""
