"""Recordings: writing, reading and replaying."""
