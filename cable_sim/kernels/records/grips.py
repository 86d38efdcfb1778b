"""Records of what holds the rope of massless and elevation cables by friction."""

from typing import NamedTuple

from cable_sim.kernels.records.arrays import Floats, Ints


class Grips(NamedTuple):
    """Room for the grips of cables: contact nodes with friction, and sheaves with losses."""

    start: Ints
    """(c + 1,) first of the places for grips of each cable; one without friction has none."""
    row: Ints
    """(g,) row of each place."""


class GripWork(NamedTuple):
    """Grips of the step; those of a cable take the first of its places, in order."""

    counts: Ints
    """(c,) grips of each cable."""
    node: Ints
    """(g,)."""
    loss: Floats
    """(g,) kappa."""
    beyond: Floats
    """(g,) unstretched rope behind it [m]."""
    share: Floats
    """(g,) share of the rope that is behind it."""
