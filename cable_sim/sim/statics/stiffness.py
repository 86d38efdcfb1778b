"""Stiffness and damping of a scene near rest, by central differences of its accelerations."""

import numpy as np

from cable_sim.kernels.records.world import Floats
from cable_sim.sim.statics.probe import Probe

STRETCH = 1e-5
"""Largest displacement of a difference [m, rad]."""
SPEED = 1e-3
"""Largest velocity of a difference [m/s, rad/s]."""


def stiffness(probe: Probe, motions: Floats) -> Floats:
    """Return K = -dx''/dq (k, c) of the free motions x, for motions (n, c) of the coordinates."""
    still = np.zeros(probe.coordinates.size)
    found = np.zeros((probe.motions.shape[1], motions.shape[1]))
    for c, motion in enumerate(motions.T):
        step = probe.largest_step(motion, STRETCH)
        behind = probe.free_accelerations(-step * motion, still)
        found[:, c] = (behind - probe.free_accelerations(step * motion, still)) / (2.0 * step)
    return found


def damping(probe: Probe, motions: Floats) -> Floats:
    """Return D = -dx''/dq' (k, c) of the free motions x, as :func:`stiffness` does K."""
    still = np.zeros(probe.coordinates.size)
    found = np.zeros((probe.motions.shape[1], motions.shape[1]))
    for c, motion in enumerate(motions.T):
        step = SPEED / float(np.abs(motion).max())
        behind = probe.free_accelerations(still, -step * motion)
        found[:, c] = (behind - probe.free_accelerations(still, step * motion)) / (2.0 * step)
    return found
