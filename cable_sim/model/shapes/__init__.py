"""Shapes of bodies as arrays: convex parts, hulls, heightfields."""
