"""Rows and their solution, bodies, joints, drives and wind."""
