"""Cables, their models, nodes, winches and ropes by name."""
