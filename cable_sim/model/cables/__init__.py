"""Cables as arrays: their models, wheels, paths and what they touch."""
