"""Prescribed motions, seas, and the files that they are read from."""
