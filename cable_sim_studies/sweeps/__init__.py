"""Sweeps: all cases of a matrix, on all cores or on a cluster; results survive a crash."""
