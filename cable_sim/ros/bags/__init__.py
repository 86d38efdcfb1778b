"""Recordings: written, read and played again."""
