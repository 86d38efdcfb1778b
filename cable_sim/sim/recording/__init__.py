"""Recordings of runs, their files, and logs of real machines."""
