"""Cameras that have a whole crane or scene in the picture, and projection of points to pixels."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cable_sim.cranes.crane import Crane
from cable_sim.errors import CableSimError
from cable_sim.rendering.bodies import Array, Extent

Shades = NDArray[np.float32]
OBLIQUE = (-0.62, 0.78, -0.12)
AHEAD = (-0.12, 0.97, -0.2)
ASLANT = (-0.33, 0.87, -0.34)
"""Directions of the first view: of a crane, of a machine with a seated operator, of a scene.

The axes of such a machine point right, away and up. A scene that nobody drives is seen from above
the supports of a wire, past the things in front of it.
"""

FIELD = np.deg2rad(38.0)
"""Vertical field of view [rad] of a 50 mm lens, which keeps a tall crane's lines upright."""
MARGIN = 0.9
"""Share of the view that the crane may fill."""
NEAR = 1e-3
"""Least visible depth, over the distance from camera to target [-]."""


class Camera(NamedTuple):
    """A pinhole camera: its position and target [m], and the size of its picture [pixels].

    The direction ``up``, the world's if left out, is up in the picture. A point at depth d along
    the view, x to the right and y up of its axis, is seen at

        u = w/2 + f x / d,      v = h/2 - f y / d,      f = (h/2) / tan(field / 2),

    u to the right and v down from the upper left corner. Along a line or across a plane in space
    1/d is linear in u and v, which is how depths are interpolated.
    """

    position: Array
    target: Array
    width: int
    height: int
    up: tuple[float, float, float] = (0.0, 0.0, 1.0)

    @property
    def axes(self) -> Array:
        """Return the unit vectors to the right, up and forward, as the rows of (3, 3)."""
        forward = (self.target - self.position) / np.linalg.norm(self.target - self.position)
        right = np.cross(forward, self.up)
        right /= np.linalg.norm(right)
        return np.stack([right, np.cross(right, forward), forward])

    @property
    def focal_length(self) -> float:
        """Focal length f of the projection [pixels]."""
        return 0.5 * self.height / float(np.tan(0.5 * FIELD))

    @property
    def near(self) -> float:
        """Least visible depth [m]."""
        return NEAR * float(np.linalg.norm(self.target - self.position))

    def enlarged(self, factor: int) -> "Camera":
        """Return the camera with so many pixels for one, in either direction."""
        return self._replace(width=factor * self.width, height=factor * self.height)

    def depth(self, points: Array) -> Array:
        """Return the depths (...) of points (..., 3) along the view [m]."""
        depths: Array = (points - self.position) @ self.axes[2]
        return depths

    def project(self, points: Array) -> Array:
        """Return u, v [pixels] and 1/d [1/m] of points (..., 3) [m].

        1/d is not above 0 for points that are not in front of the camera.
        """
        x, y, depth = np.moveaxis((points - self.position) @ self.axes.T, -1, 0)
        inverse = 1.0 / np.where(np.abs(depth) < self.near, -self.near, depth)
        scale = self.focal_length * inverse
        return np.stack(
            [0.5 * self.width + scale * x, 0.5 * self.height - scale * y, inverse], axis=-1
        )

    def rays(self) -> list[Array]:
        """Return x, y and z (height, width) of the view directions of pixel centres, of depth 1."""
        u, v = self._offsets()
        right, up, forward = self.axes
        return [u * right[i] + (v * up[i] + forward[i]) for i in range(3)]

    def pixel_sizes(self, depth: Shades, down: Shades) -> list[Shades]:
        """Return the sizes of pixels in x and y [m], where rays meet a level plane.

        ``depth`` is that of the plane [m], ``down`` the rays' z; both are (height, width). On the
        plane x = d r_x with d = h / r_z, and the ray r is linear in u and v. So

            dx/du = d (a_x r_z - r_x a_z) / (f r_z),      a the vector to the right,

        and likewise for v with the vector up. In the bracket of dx/du the terms with u cancel,
        in that of dx/dv those with v.
        """
        u, v = self._offsets()
        right, up, forward = self.axes
        scale = np.abs(depth / (np.float32(self.focal_length) * down)) + np.float32(1e-12)
        sizes = []
        for i in (0, 1):
            across = right[i] * (v * up[2] + forward[2]) - right[2] * (v * up[i] + forward[i])
            upward = up[i] * (u * right[2] + forward[2]) - up[2] * (u * right[i] + forward[i])
            square = (across**2).astype(np.float32) + (upward**2).astype(np.float32)
            sizes.append(scale * np.sqrt(square) + np.float32(1e-12))
        return sizes

    def _offsets(self) -> tuple[Array, Array]:
        """Return the pixel centres' offsets right (width,) and up (height, 1) at depth 1."""
        u = np.arange(self.width, dtype=np.float64) + 0.5 - 0.5 * self.width
        v = 0.5 * self.height - np.arange(self.height, dtype=np.float64) - 0.5
        return u / self.focal_length, v[:, None] / self.focal_length


class Window(NamedTuple):
    """The free part of a view: distances from the view's centre to each side, over half its height.

    A negative distance is beyond the centre. The default is a square in the middle.
    """

    left: float = 1.0
    right: float = 1.0
    below: float = 1.0
    above: float = 1.0


SQUARE = Window()


def overview_camera(
    extent: Extent, width: int, height: int, along: tuple[float, float, float] = OBLIQUE
) -> Camera:
    """Return the camera that looks along a direction with all of an extent in its picture."""
    side = width / height
    return Camera(*overview(extent, Window(side, side), along), width, height)


def overview(
    extent: Extent, window: Window = SQUARE, along: tuple[float, float, float] = OBLIQUE
) -> tuple[Array, Array]:
    """Return the camera's position and target [m] for a view ``along`` that fills a window.

    With t = tan(field / 2), a point x beside, y above and z behind the target is seen at
    x / (t (d + z)) and y / (t (d + z)) from the view's centre. The contents are put in the window's
    middle m, at the depth of the target: x = X + m t d. With half the window's size h, a point lies
    between m - h and m + h from a distance of

        d >= max(X / t - (m + h) z, (m - h) z - X / t) / h

    on, and likewise above and below.
    """
    forward = np.array(along) / np.linalg.norm(along)
    across = np.cross(forward, [0.0, 0.0, 1.0])
    across /= np.linalg.norm(across)
    tangent = MARGIN * np.tan(0.5 * FIELD)
    middle = 0.5 * (extent.corners.min(axis=0) + extent.corners.max(axis=0))
    behind = (extent.corners - middle) @ forward
    distance = 1e-3
    target = (middle @ forward) * forward
    middles = []
    for axis, low, high in (
        (across, -window.left, window.right),
        (np.cross(across, forward), -window.below, window.above),
    ):
        seen = extent.corners @ axis
        center = 0.5 * (seen.min() + seen.max())  # of what is seen rather than of the box around it
        away = (seen - center) / tangent
        half = 0.5 * (high - low)
        distance = max(
            distance, float(np.maximum(away - high * behind, low * behind - away).max() / half)
        )
        middles.append(0.5 * (low + high) * axis)
        target = target + center * axis
    target = target - tangent * distance * sum(middles)
    return target - distance * forward, target


def direction(azimuth: float, down: float) -> tuple[float, float, float]:
    """Return the view direction in the world of two angles [deg]: from x towards y, below level.

    Raises CableSimError for angles that are not finite, and for one that looks more than 80 deg up
    or down.
    """
    if not (math.isfinite(azimuth) and abs(down) <= 80.0):
        raise CableSimError(
            f"look {azimuth:g},{down:g}: allowed are two angles [deg], such as 120,10, the second "
            "at most 80 above or below level"
        )
    a, d = math.radians(azimuth), math.radians(down)
    return math.cos(d) * math.cos(a), math.cos(d) * math.sin(a), -math.sin(d)


def overview_direction(crane: Crane) -> tuple[float, float, float]:
    """Return the direction of the overview."""
    if crane.suspension:
        return OBLIQUE
    return AHEAD if crane.axes else ASLANT
