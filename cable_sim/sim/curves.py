"""Lengths and points of spans as an observation shows them."""

import numpy as np

from cable_sim.model.frames import Array
from cable_sim.model.types import Model, State, Workspace


def arcs(m: Model, s: State, w: Workspace) -> Array:
    """Return the lengths (k,) of all spans along their curves [m]."""
    if s.waves.displacement.size == 0:
        return w.spans.length
    return np.where(m.waves.start >= 0, w.spans.arc, w.spans.length)


def curves(m: Model, s: State, w: Workspace) -> Array:
    """Return the points (p, 3) of all waves in the world, in model order, then all masses [m]."""
    if s.waves.displacement.size == 0:
        return s.particles.position
    spans = np.flatnonzero(m.waves.start >= 0)
    k = np.repeat(spans, m.waves.intervals[spans] + 1)
    points = np.arange(k.size) - m.waves.start[k]
    x = (points / np.maximum(m.waves.intervals[k], 1))[:, None]
    beyond = w.nodes.position[np.minimum(k + 1, len(w.nodes.position) - 1)]
    chord = (1.0 - x) * w.nodes.position[k] + x * beyond
    second = np.cross(w.spans.direction[k], w.spans.normal[k])
    across, down = s.waves.displacement[:, :, None]
    points_of_waves = chord + across * w.spans.normal[k] + down * second
    return np.concatenate([points_of_waves, s.particles.position])
