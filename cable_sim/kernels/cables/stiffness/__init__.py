"""Bending and torsion of cables."""
