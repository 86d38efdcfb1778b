"""Coordinates of a scene: the numbers of its state that move, in one vector.

They are three displacements [m] and three turns [rad] of each free body about its centre of mass,
in the world frame; the rope that a free winch has paid out [m]; the displacements of masses in
ropes [m]; and those of points of spans that oscillate, across their chord [m].
"""

import numpy as np
from numpy.typing import NDArray

from cable_sim.kernels.cables.elevation.chords import FREE
from cable_sim.kernels.multibody.bodies import DYNAMIC, WINCH
from cable_sim.kernels.records.world import Control, Floats, Ints, Model, State, Workspace
from cable_sim.model.cables.variants import shift_start

MOMENT = 1e-6
"""Time in which poses are displaced by velocities [s]; no rope of springs divides it."""


class Coordinates:
    """Places of the coordinates in the arrays of a state.

    Parameters
    ----------
    model, state: of the scene; the spans that oscillate are those of this state.
    """

    def __init__(self, model: Model, state: State) -> None:
        self._model = model
        kind = model.bodies.kind
        moves = np.zeros((kind.size, 6), np.bool_)
        moves[(kind == DYNAMIC) & (model.bodies.inverse_mass > 0.0)] = True
        moves[(kind == WINCH) & (model.bodies.inverse_mass > 0.0), 0] = True
        self.bodies: Ints = np.flatnonzero(moves)
        """Numbers in the flattened (b, 6) velocities."""
        heavy = np.repeat(model.ropes.particle_inverse_mass > 0.0, 3)
        self._particles = np.flatnonzero(heavy)
        self._waves = np.flatnonzero(_wave_points(model, state))
        self.size = self.bodies.size + self._particles.size + self._waves.size
        self._split = np.cumsum([self.bodies.size, self._particles.size])

    def row_of(self, body: int) -> NDArray[np.bool_]:
        """Return a mask of the coordinates of a row of the bodies."""
        own = np.zeros(self.size, np.bool_)
        own[: self.bodies.size] = self.bodies // 6 == body
        return own

    def particle_of(self, coordinate: int) -> int:
        """Return the mass of a rope that a coordinate moves; -1 for none."""
        own = coordinate - self.bodies.size
        return int(self._particles[own]) // 3 if 0 <= own < self._particles.size else -1

    def velocities(self, state: State) -> Floats:
        """Return the velocities of all coordinates [m/s, rad/s]."""
        arrays = (state.bodies.velocity, state.particles.velocity, state.waves.rate)
        places = (self.bodies, self._particles, self._waves)
        return np.concatenate([a.ravel()[p] for a, p in zip(arrays, places, strict=True)])

    def set_velocities(self, values: Floats, state_out: State) -> None:
        """Set the velocities of all coordinates [m/s, rad/s], and all others to zero."""
        arrays = (state_out.bodies.velocity, state_out.particles.velocity, state_out.waves.rate)
        places = (self.bodies, self._particles, self._waves)
        for array, place, part in zip(arrays, places, np.split(values, self._split), strict=True):
            array[...] = 0.0
            array.reshape(-1)[place] = part

    def displace(self, values: Floats, state_out: State, control: Control, work: Workspace) -> None:
        """Move the poses of a state by a displacement [m, rad]; its velocities are zero then."""
        self.set_velocities(values / MOMENT, state_out)
        shift_start(self._model, state_out, control, work, 2.0 * MOMENT)
        self.set_velocities(np.zeros(self.size), state_out)

    def inverse_mass(self, inverse_inertia: Floats) -> Floats:
        """Return M^-1 (n, n); points of spans, whose mass is that of their span, count as 1 kg.

        ``inverse_inertia`` (b, 3, 3) is that in the world [1/(kg m^2)].
        """
        count = self._model.bodies.kind.size
        whole = np.zeros((count, 6, 6))
        whole[:, [0, 1, 2], [0, 1, 2]] = self._model.bodies.inverse_mass[:, None]
        whole[:, 3:, 3:] = inverse_inertia
        body, axis = np.divmod(self.bodies, 6)
        inverse = np.eye(self.size)
        near = body[:, None] == body[None, :]
        n = self.bodies.size
        inverse[:n, :n] = np.where(near, whole[body[:, None], axis[:, None], axis[None, :]], 0.0)
        rows = np.arange(n, n + self._particles.size)
        inverse[rows, rows] = self._model.ropes.particle_inverse_mass[self._particles // 3]
        return inverse


def _wave_points(model: Model, state: State) -> NDArray[np.bool_]:
    """Return a (2, p) mask of the points of spans that oscillate, without their ends."""
    inner = np.zeros(state.waves.displacement.shape, np.bool_)
    for c in np.flatnonzero(model.waves.oscillates):
        for k in range(model.cables.node_start[c], model.cables.node_start[c + 1] - 1):
            begin = model.waves.start[k]
            if begin >= 0 and state.spans.waves[k]:
                both = 2 if model.waves.kind[c] == FREE else 1
                inner[:both, begin + 1 : begin + model.waves.intervals[k]] = True
    return inner
