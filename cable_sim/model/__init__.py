"""Compilation of a spec into arrays: the only floor that sees both the spec and the kernels."""
