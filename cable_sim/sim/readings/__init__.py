"""Readings of a running scene: views, channels, energies, pictures of its memory."""
