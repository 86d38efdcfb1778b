"""Hybrid wires: masses that come and go, and the segments between them."""
