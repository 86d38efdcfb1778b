"""Gantry cranes for containers: rubber-tyred in a yard, or ship-to-shore on a quay."""
