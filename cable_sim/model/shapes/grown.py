"""Convex solids that are moved out by a distance."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cable_sim.model.basis.frames import Array


class Grown(NamedTuple):
    """Solid moved out by a distance [m].

    Faces (f, 4): outward unit normals and distances from the origin; corners (n, 3); both ends of
    the edges that cables may bend over; and (f,) True for inner faces.
    """

    faces: Array
    corners: Array
    edges: list[tuple[Array, Array]]
    inner: NDArray[np.bool_]

    def move(self, turn: Array, position: Array) -> "Grown":
        """Return the solid turned by a matrix and moved by a vector [m]."""
        normals = self.faces[:, :3] @ turn.T
        return Grown(
            np.column_stack([normals, self.faces[:, 3] + normals @ position]),
            self.corners @ turn.T + position,
            [(turn @ a + position, turn @ b + position) for a, b in self.edges],
            self.inner,
        )
