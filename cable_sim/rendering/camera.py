"""Where to look from, so that all of a crane or of a scene is in the picture, and what is seen where from there."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cable_sim.cranes.crane import Crane
from cable_sim.rendering.bodies import Extent

Array = NDArray[np.float64]
OBLIQUE, AHEAD, ASLANT = (-0.62, 0.78, -0.12), (-0.12, 0.97, -0.2), (-0.33, 0.87, -0.34)
"""Where the first look at a crane goes, that at a machine whose axes are right, away and up for who sits before it, and
that at a scene that nobody drives: on top of what a wire runs over, and past what stands before it."""

FIELD = np.deg2rad(38.0)
"""Vertical field of view: that of a 50 mm lens, which keeps a tall crane's lines upright."""
MARGIN = 0.9
"""Share of the view that the crane may fill."""
NEAR = 1e-3
"""Depth, over the distance from camera to target, before which nothing is seen."""


class Camera(NamedTuple):
    """A pinhole camera: its place, what it looks at [m], and the size of its picture [pixels]; up is up in the world.

    A point at depth d along the view, x to the right and y up of its axis, is seen at

        u = w/2 + f x / d,      v = h/2 - f y / d,      f = (h/2) / tan(field / 2),

    u to the right and v down from the upper left corner. Along a line or across a plane in space 1/d is linear in u and
    v, which is how depths are interpolated.
    """

    position: Array
    target: Array
    width: int
    height: int

    @property
    def axes(self) -> Array:
        """Unit vectors to the right, up and forward, the rows of (3, 3)."""
        forward = (self.target - self.position) / np.linalg.norm(self.target - self.position)
        right = np.cross(forward, [0.0, 0.0, 1.0])
        right /= np.linalg.norm(right)
        return np.stack([right, np.cross(right, forward), forward])

    @property
    def focal_length(self) -> float:
        """f above [pixels]."""
        return 0.5 * self.height / float(np.tan(0.5 * FIELD))

    @property
    def near(self) -> float:
        """Depth before which nothing is seen [m]."""
        return NEAR * float(np.linalg.norm(self.target - self.position))

    def project(self, points: Array) -> Array:
        """Where points (..., 3) [m] are seen: u, v [pixels] and 1/d [1/m]; 1/d is not above 0 for what is not before
        the camera."""
        x, y, depth = np.moveaxis((points - self.position) @ self.axes.T, -1, 0)
        inverse = 1.0 / np.where(np.abs(depth) < self.near, -self.near, depth)
        scale = self.focal_length * inverse
        return np.stack([0.5 * self.width + scale * x, 0.5 * self.height - scale * y, inverse], axis=-1)

    def rays(self) -> Array:
        """Directions (height, width, 3) in which the middles of the pixels look, of depth 1."""
        u = (np.arange(self.width) + 0.5 - 0.5 * self.width) / self.focal_length
        v = (0.5 * self.height - np.arange(self.height) - 0.5) / self.focal_length
        right, up, forward = self.axes
        return u[None, :, None] * right + v[:, None, None] * up + forward


def whole(extent: Extent, width: int, height: int, along: tuple[float, float, float] = OBLIQUE) -> Camera:
    """The camera that has all of an extent in its picture, and looks along a direction."""
    side = width / height
    return Camera(*overview(extent, side, side, along), width, height)


def overview(
    extent: Extent, left: float = 0.82, right: float = 1.15, along: tuple[float, float, float] = OBLIQUE
) -> tuple[Array, Array]:
    """Camera position and the point it looks at [m] so that all of the crane fills the view.

    ``left`` and ``right`` are the free width on either side of the view's centre over half its height; on the
    left float the curves. A corner at depth z behind the point and x, y beside it is in view from a distance
    of max(|y|, |x| / side) / tan(field / 2) - z on. It looks ``along`` that direction.
    """
    forward = np.array(along) / np.linalg.norm(along)
    across = np.cross(forward, [0.0, 0.0, 1.0])
    across /= np.linalg.norm(across)
    up = np.cross(across, forward)
    # Centred on what is seen rather than on the box around it.
    x, y = extent.corners @ across, extent.corners @ up
    middle_x = x.min() + (x.max() - x.min()) * left / (left + right)
    target = middle_x * across + 0.5 * (y.min() + y.max()) * up + (extent.center @ forward) * forward
    away = extent.corners - target
    x, y = away @ across, np.abs(away @ up)
    tangent = MARGIN * np.tan(0.5 * FIELD)
    needed = np.maximum(y, np.where(x > 0.0, x / right, -x / left)) / tangent - away @ forward
    return target - max(float(needed.max()), 1e-3) * forward, target


def first_look(crane: Crane) -> tuple[float, float, float]:
    """Direction of the overview."""
    if crane.suspension:
        return OBLIQUE
    return AHEAD if crane.axes else ASLANT
