"""The elevation cable for any rigid-body engine: states of its nodes in, forces on them out.

Garcia-Fernandez et al. 2008, sections 3.1 and 3.3, with the signs of misprints 13 to 15: the first
layer is a damped spring over all nodes,

    T = max(0, EA / L (l - L) + c (dl/dt - dL/dt))      for l > L, else 0,

and pulls node i with T (d_i - d_{i-1}); the second gives the spans their curves
(``kernels/cables/elevation/elevation.py``), whose arc lengths take the place of the chords in l,
and whose ends pull across. It is explicit: the engine's step must resolve the cable's stretch, k
h^2 / m < 4. Inside this package a :class:`~cable_sim.sim.simulator.Simulator` solves the same cable
implicitly; use this one to hang a load of another engine on it.

Misprints are numbered as in docs/theory/misprints.md.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cable_sim.errors import ModelError
from cable_sim.kernels.cables.elevation.chords import transport_normal
from cable_sim.kernels.cables.elevation.elevation import STABLE_RATIO
from cable_sim.kernels.cables.elevation.wave import (
    EULER,
    TRAPEZOIDAL,
    arc_length,
    damped_step,
    explicit_step,
    factorise_tridiagonal,
    implicit_step,
)
from cable_sim.model.basis.frames import triad
from cable_sim.spec import Elevation

Array = NDArray[np.float64]


class Pull(NamedTuple):
    """Forces of the cable at one instant: tension [N], forces on the nodes (n, 3) [N], length [m].

    The length is that along its curves.
    """

    tension: float
    forces: Array
    length: float


class CableForces:
    """A cable over any number of nodes that slides over all but the first and last.

    Parameters
    ----------
    positions: of the nodes (n, 3) at the start [m].
    ea: axial stiffness [N].
    length: unstretched [m]; may be changed at any time.
    damping: c [N s/m].
    layer: how the spans sag and oscillate; None leaves them straight. Its ``density`` must be
        given.
    gravity: (3,) [m/s^2], for the spans' weight.

    Raises ModelError for fewer than two nodes, nodes on one another, and values that are not
    positive.
    """

    def __init__(
        self,
        positions: ArrayLike,
        ea: float,
        length: float,
        damping: float = 0.0,
        layer: Elevation | None = None,
        gravity: ArrayLike = (0.0, 0.0, -9.81),
    ) -> None:
        points = np.asarray(positions, dtype=float)
        _check_points(points)
        _check_material(ea, length, damping, layer)
        self.ea = float(ea)
        self.length = float(length)
        self.damping = float(damping)
        self.layer = layer
        self.gravity = np.asarray(gravity, dtype=float)
        self.energy_lost = 0.0
        count = layer.points if layer else 2
        self._wave = np.zeros((len(points) - 1, 2, count))
        self._rate = np.zeros((len(points) - 1, 2, count))
        self._normal = np.array([triad(chord)[0] for chord in np.diff(points, axis=0)])
        self._scratch = np.zeros((3, count))
        self._velocity = None
        self._arcs = np.linalg.norm(np.diff(points, axis=0), axis=1)

    def pull(self, positions: ArrayLike, velocities: ArrayLike, length_rate: float = 0.0) -> Pull:
        """Return tension and forces at these positions [m] and velocities [m/s].

        ``length_rate`` is dL/dt [m/s].
        """
        points = np.asarray(positions, dtype=float)
        speeds = np.asarray(velocities, dtype=float)
        chords = np.diff(points, axis=0)
        lengths = np.linalg.norm(chords, axis=1)
        directions = chords / lengths[:, None]
        self._bend(lengths, directions)
        path = float(self._arcs.sum())
        rate = float(np.einsum("ij,ij->", directions, np.diff(speeds, axis=0)))
        tension = 0.0
        if path > self.length:
            tension = max(
                0.0,
                self.ea / self.length * (path - self.length) + self.damping * (rate - length_rate),
            )
        forces = np.zeros_like(points)
        forces[:-1] += tension * directions
        forces[1:] -= tension * directions
        if self.layer is not None:
            self._pull_across(tension, lengths, directions, forces)
        return Pull(tension, forces, path)

    def advance(
        self, h: float, tension: float, positions: ArrayLike, velocities: ArrayLike
    ) -> None:
        """Advance the curves by a step ``h`` [s] under the tension [N] of :meth:`pull`."""
        if self.layer is None or not self.layer.density:
            return
        points = np.asarray(positions, dtype=float)
        speeds = np.asarray(velocities, dtype=float)
        before = speeds if self._velocity is None else self._velocity
        load = self.gravity - (speeds - before) / h - self.layer.damping * speeds
        self._velocity = speeds.copy()
        chords = np.diff(points, axis=0)
        lengths = np.linalg.norm(chords, axis=1)
        for k, (chord, length) in enumerate(zip(chords, lengths, strict=True)):
            stiffness = tension / self.layer.density * ((self.layer.points - 1) / length) ** 2
            if self.layer.scheme == "explicit" and stiffness * h * h >= STABLE_RATIO**2:
                self._straighten(k, tension, length)
                continue
            axes = (self._normal[k], np.cross(chord / length, self._normal[k]))
            for i, axis in enumerate(axes[: 1 if self.layer.planar else 2]):
                self._step(h, k, i, stiffness, float(load[k] @ axis), float(load[k + 1] @ axis))

    def curve(self, positions: ArrayLike) -> Array:
        """Return the line to draw (points, 3) [m], always with the same number of points."""
        points = np.asarray(positions, dtype=float)
        parts = []
        for k, chord in enumerate(np.diff(points, axis=0)):
            x = np.linspace(0.0, 1.0, self._wave.shape[2])[:, None]
            second = np.cross(chord / np.linalg.norm(chord), self._normal[k])
            across = (
                self._wave[k, 0][:, None] * self._normal[k] + self._wave[k, 1][:, None] * second
            )
            parts.append((points[k] + x * chord + across)[:-1])
        return np.concatenate([*parts, points[-1:]])

    def _bend(self, lengths: Array, directions: Array) -> None:
        """Compute normals and arc lengths at the present chords."""
        for k, (length, direction) in enumerate(zip(lengths, directions, strict=True)):
            self._normal[k] = transport_normal(tuple(self._normal[k]), tuple(direction))
            self._arcs[k] = arc_length(
                length, 0.0, self._wave[k, 0], self._wave[k, 1], self._scratch[0]
            )

    def _pull_across(
        self, tension: float, lengths: Array, directions: Array, forces: Array
    ) -> None:
        """Add the curves' pull on their ends across the chords, and half an interval's weight."""
        assert self.layer is not None and self.layer.density
        intervals = self.layer.points - 1
        for k, (length, direction) in enumerate(zip(lengths, directions, strict=True)):
            axes = np.array([self._normal[k], np.cross(direction, self._normal[k])])
            weight = self.gravity - (self.gravity @ direction) * direction
            weight = 0.5 * self.layer.density * length / intervals * weight
            forces[k] += tension * intervals / length * (self._wave[k, :, 1] @ axes) + weight
            forces[k + 1] += tension * intervals / length * (self._wave[k, :, -2] @ axes) + weight

    def _straighten(self, k: int, tension: float, length: float) -> None:
        """Suspend the curve of span k."""
        assert self.layer is not None and self.layer.density
        piece = length / (self.layer.points - 1)
        self.energy_lost += 0.5 * self.layer.density * piece * float((self._rate[k] ** 2).sum())
        self.energy_lost += tension * float(self._arcs[k] - length)
        self._wave[k] = 0.0
        self._rate[k] = 0.0

    def _step(
        self, h: float, k: int, i: int, stiffness: float, load_0: float, load_1: float
    ) -> None:
        """Advance one component of span k by a step."""
        assert self.layer is not None
        wave = self._wave[k, i]
        rate = self._rate[k, i]
        damping = self.layer.damping
        tight = stiffness * h * h >= STABLE_RATIO**2
        if self.layer.scheme == "explicit" or (self.layer.scheme == "adaptive" and not tight):
            explicit_step(h, stiffness, damping, load_0, load_1, wave, rate)
            return
        share_of, step = (
            (TRAPEZOIDAL, implicit_step)
            if self.layer.scheme == "implicit"
            else (EULER, damped_step)
        )
        factorise_tridiagonal(h, share_of * h * h * stiffness, damping, *self._scratch[:2])
        step(h, stiffness, damping, (load_0, load_1), self._scratch, wave, rate)


def _check_points(points: Array) -> None:
    """Raise ModelError unless these are the nodes of at least one span, (n, 3) [m]."""
    if points.ndim != 2 or points.shape[0] < 2 or points.shape[1] != 3:
        raise ModelError(
            f"positions of shape {points.shape} are not allowed; two nodes (n, 3) or more are"
        )
    if not np.linalg.norm(np.diff(points, axis=0), axis=1).all():
        raise ModelError(
            "two neighbouring nodes are at the same point; a span needs a length above 0 m"
        )


def _check_material(ea: float, length: float, damping: float, layer: Elevation | None) -> None:
    """Raise ModelError unless the cable is elastic, has a length, and its layer a density."""
    for name, value in (("ea", ea), ("length", length)):
        if not (math.isfinite(value) and value > 0.0):
            raise ModelError(f"{name} = {value} is not allowed; it must be above 0, and finite")
    if not (math.isfinite(damping) and damping >= 0.0):
        raise ModelError(f"damping = {damping} is not allowed; it must be 0 or above, and finite")
    if layer is not None and layer.density is None:
        raise ModelError(
            "layer: density: give the mass per length [kg/m]; there is no rope that has one"
        )
