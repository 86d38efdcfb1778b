"""Ropes made of masses, and the chains that solve them."""
