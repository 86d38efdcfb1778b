"""Where to look from, so that all of a crane or of a scene is in the picture, and what is seen
where from there."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cable_sim.cranes.crane import Crane
from cable_sim.rendering.bodies import Extent

Array = NDArray[np.float64]
OBLIQUE, AHEAD, ASLANT = (-0.62, 0.78, -0.12), (-0.12, 0.97, -0.2), (-0.33, 0.87, -0.34)
"""Where the first look at a crane goes, that at a machine whose axes are right, away and up for who
sits before it, and
that at a scene that nobody drives: on top of what a wire runs over, and past what stands before
it."""

FIELD = np.deg2rad(38.0)
"""Vertical field of view: that of a 50 mm lens, which keeps a tall crane's lines upright."""
MARGIN = 0.9
"""Share of the view that the crane may fill."""
NEAR = 1e-3
"""Depth, over the distance from camera to target, before which nothing is seen."""


class Camera(NamedTuple):
    """A pinhole camera: its place, what it looks at [m], and the size of its picture [pixels]; up
    is up in the world.

    A point at depth d along the view, x to the right and y up of its axis, is seen at

        u = w/2 + f x / d,      v = h/2 - f y / d,      f = (h/2) / tan(field / 2),

    u to the right and v down from the upper left corner. Along a line or across a plane in space
    1/d is linear in u and v, which is how depths are interpolated.
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
        """Where points (..., 3) [m] are seen: u, v [pixels] and 1/d [1/m]; 1/d is not above 0 for
        what is not before the camera."""
        x, y, depth = np.moveaxis((points - self.position) @ self.axes.T, -1, 0)
        inverse = 1.0 / np.where(np.abs(depth) < self.near, -self.near, depth)
        scale = self.focal_length * inverse
        return np.stack(
            [0.5 * self.width + scale * x, 0.5 * self.height - scale * y, inverse], axis=-1
        )

    def rays(self) -> Array:
        """Directions (height, width, 3) in which the middles of the pixels look, of depth 1."""
        u = (np.arange(self.width) + 0.5 - 0.5 * self.width) / self.focal_length
        v = (0.5 * self.height - np.arange(self.height) - 0.5) / self.focal_length
        right, up, forward = self.axes
        return u[None, :, None] * right + v[:, None, None] * up + forward


class Window(NamedTuple):
    """The free part of a view: how far it goes from the view's centre to each side, over half the
    view's height.

    Negative is beyond the centre. By default a square in the middle.
    """

    left: float = 1.0
    right: float = 1.0
    below: float = 1.0
    above: float = 1.0


SQUARE = Window()


def whole(
    extent: Extent, width: int, height: int, along: tuple[float, float, float] = OBLIQUE
) -> Camera:
    """The camera that has all of an extent in its picture, and looks along a direction."""
    side = width / height
    return Camera(*overview(extent, Window(side, side), along), width, height)


def overview(
    extent: Extent, window: Window = SQUARE, along: tuple[float, float, float] = OBLIQUE
) -> tuple[Array, Array]:
    """Camera position and the point it looks at [m] so that all of the crane fills a window; it
    looks ``along``.

    With t = tan(field / 2), a point x beside, y above and z behind the looked-at one is seen at x /
    (t (d + z)) and y / (t (d + z)) from the view's centre. What is seen is put in the window's
    middle m, at the depth of the looked-at
    point: x = X + m t d. With half the window's size h, a point between m - h and m + h is so from
        a distance of

        d >= max(X / t - (m + h) z, (m - h) z - X / t) / h

    on, and likewise above and below.
    """
    forward = np.array(along) / np.linalg.norm(along)
    across = np.cross(forward, [0.0, 0.0, 1.0])
    across /= np.linalg.norm(across)
    tangent = MARGIN * np.tan(0.5 * FIELD)
    behind = extent.corners @ forward - extent.center @ forward
    distance, target = 1e-3, (extent.center @ forward) * forward
    middles = []
    for axis, low, high in (
        (across, -window.left, window.right),
        (np.cross(across, forward), -window.below, window.above),
    ):
        seen = extent.corners @ axis
        center = 0.5 * (seen.min() + seen.max())  # of what is seen rather than of the box around it
        away, half = (seen - center) / tangent, 0.5 * (high - low)
        distance = max(
            distance, float(np.maximum(away - high * behind, low * behind - away).max() / half)
        )
        middles.append(0.5 * (low + high) * axis)
        target = target + center * axis
    target = target - tangent * distance * sum(middles)
    return target - distance * forward, target


def first_look(crane: Crane) -> tuple[float, float, float]:
    """Direction of the overview."""
    if crane.suspension:
        return OBLIQUE
    return AHEAD if crane.axes else ASLANT
