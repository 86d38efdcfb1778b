"""Frames of a machine for those who draw it."""
