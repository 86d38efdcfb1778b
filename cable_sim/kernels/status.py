"""Status flags of a step; several may be set. ``sim/simulator.py`` turns them into sentences."""

SOLVED, NOT_CONVERGED, LOST_PIVOT, NOT_FINITE, NODES_MET, CONTACTS_FULL = 0, 1, 2, 4, 8, 16
TOO_FINE, WIRE_BROKE, DRUM_FULL, DRUM_EMPTY = 32, 64, 128, 256
END_INSIDE = 512
TORQUE_LOST = 1024
STRAIGHTENED = 2048
TOO_FAST, OVERSTRAINED = 8192, 16384
STOPS = NOT_FINITE | TOO_FAST | OVERSTRAINED
"""With one of these a run ends."""
