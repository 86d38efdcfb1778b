"""Lockstep of controllers with the node."""
