"""Sweeps: all cases of a matrix, on all cores or on a cluster, with results that survive an
interruption."""
