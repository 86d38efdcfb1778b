"""Wires that cross wires."""
