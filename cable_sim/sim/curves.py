"""Lengths and points of spans as an observation shows them."""

import numpy as np

from cable_sim.model.frames import Array
from cable_sim.model.types import Model, State, Workspace


def arcs(m: Model, s: State, w: Workspace) -> Array:
    """(k,) lengths of all spans along their curves [m]."""
    if s.wave.size == 0:
        return w.span_length
    return np.where(m.span_wave_start >= 0, w.span_arc, w.span_length)


def curves(m: Model, s: State, w: Workspace) -> Array:
    """(p, 3) points of all waves in the world, in the order of the model, then all masses [m]."""
    if s.wave.size == 0:
        return s.particle_position
    spans = np.flatnonzero(m.span_wave_start >= 0)
    k = np.repeat(spans, m.span_intervals[spans] + 1)
    points = np.arange(k.size) - m.span_wave_start[k]
    x = (points / np.maximum(m.span_intervals[k], 1))[:, None]
    beyond = w.node_position[np.minimum(k + 1, len(w.node_position) - 1)]
    chord = (1.0 - x) * w.node_position[k] + x * beyond
    second = np.cross(w.span_direction[k], w.span_normal[k])
    points_of_waves = chord + s.wave[0][:, None] * w.span_normal[k] + s.wave[1][:, None] * second
    return np.concatenate([points_of_waves, s.particle_position])
