"""Crane families, a folder each: spec, build, devices, look."""
