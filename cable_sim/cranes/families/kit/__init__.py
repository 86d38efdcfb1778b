"""Cranes that are put together in a file: a tree of parts, with ropes, axes and devices."""
