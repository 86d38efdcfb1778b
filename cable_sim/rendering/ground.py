"""The ground of a picture: a plane that fades into haze, with a grid of round metres; and sky."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cable_sim.rendering.bodies import Extent
from cable_sim.rendering.camera import Camera
from cable_sim.spec import Scene

Array = NDArray[np.float64]
SUN = np.array([0.42, -0.55, 0.95])
"""Direction to the sun: from behind the first camera's left shoulder.

So the crane is lit, and its shadow falls sideways into the picture.
"""
HAZE = np.array([0.955, 0.970, 0.985])
ZENITH = np.array([0.78, 0.88, 0.97])
"""Colours of the sky at the horizon and at the zenith."""
FADING = 3.5
"""Distance from the scene's middle, in radii, at which little of the ground's colour is left."""
PALE = 0.35
"""Share of white in the ground's colour. Pictures have no light as bright as the page's sun."""
LINES = ((1.0, 0.10), (5.0, 0.16))
"""Lines of the grid: their spacing in cells, and the share by which they darken the ground."""


RING = (2.0, 0.35)
"""Width of a radius ring [pixels], and the share by which it darkens the ground."""


class Rings(NamedTuple):
    """Rings round a slewing axis: its place in plan (2,) [m], their distance [m], their number."""

    center: Array
    step: float
    number: int


class Ground(NamedTuple):
    """Background of a scene: colours (h, w, 3) in 0...1; 1/depth (h, w) [1/m], 0 for the sky."""

    colors: NDArray[np.float32]
    inverse: Array


def grid_step(size: float) -> float:
    """Return the width of a grid cell [m] for a scene of the given radius [m].

    It is 1, 2 or 5 times a power of ten, so that a scene has some ten cells.
    """
    rough = max(size, 1e-3) / 10.0
    power = 10.0 ** np.floor(np.log10(rough))
    return float(
        next(step * power for step in (1.0, 2.0, 5.0, 10.0) if step * power >= 0.999 * rough)
    )


def ground_color(scene: Scene) -> Array:
    """Return the colour of a scene's endless surface, in the light of its backdrop."""
    color = next(
        (surface.color for surface in scene.surfaces if not np.isfinite(surface.extent[0])),
        (0.6, 0.6, 0.6),
    )
    return 0.5 * np.array(color) + 0.46


def visible_ground(
    camera: Camera, scene: Scene, extent: Extent, rings: Sequence[Rings] = ()
) -> Ground:
    """Return sky and ground as a camera sees them."""
    rays = camera.rays()
    down = np.where(rays[..., 2] < -1e-9, rays[..., 2], -1e-9)
    depth = (extent.ground - camera.position[2]) / down
    there = (rays[..., 2] < -1e-9) & (depth > 0.0)
    places = camera.position[:2] + depth[..., None] * rays[..., :2]
    away = np.linalg.norm(places - extent.center[:2], axis=-1) / (FADING * extent.radius)
    share = np.where(there, np.exp(-(away**2)), 0.0)[..., None]
    darker = _grid(places, grid_step(extent.radius))
    for around in rings:
        darker = np.maximum(darker, _rings(places, around))
    plane = (PALE + (1.0 - PALE) * ground_color(scene)) * (1.0 - darker[..., None])
    above = np.clip(rays[..., 2] / np.linalg.norm(rays, axis=-1), 0.0, 1.0)[..., None]
    sky = HAZE + (ZENITH - HAZE) * np.minimum(2.0 * above, 1.0)
    colors = (sky + share * (plane - sky)).astype(np.float32)
    return Ground(colors, np.where(there, 1.0 / np.maximum(depth, 1e-9), 0.0))


def _grid(places: Array, step: float) -> Array:
    """Return the share (h, w) by which grid lines darken the plane at places (h, w, 2) [m].

    The lines are one pixel wide.
    """
    darker = np.zeros(places.shape[:2])
    for cells, strength in LINES:
        for axis in (0, 1):
            darker = np.maximum(darker, strength * _lines(places[..., axis], cells * step))
    return darker


def _rings(places: Array, rings: Rings) -> Array:
    """Return the share (h, w) by which radius rings darken the plane at places (h, w, 2) [m]."""
    radius = np.linalg.norm(places - rings.center, axis=-1)
    pixels, strength = RING
    within = (radius > 0.5 * rings.step) & (radius < (rings.number + 0.5) * rings.step)
    return np.where(within, strength * _lines(radius, rings.step, pixels), 0.0)


def _lines(values: Array, step: float, pixels: float = 1.0) -> Array:
    """Return the share (h, w) of lines in pixels: they are where a value is a multiple of ``step``.

    Where lines are as close as pixels, there are none.
    """
    pixel = np.hypot(*np.gradient(values)) + 1e-12
    away = np.abs(values - step * np.round(values / step)) / pixel
    near = np.clip(1.5 - 4.0 * pixel / step, 0.0, 1.0)
    return np.clip(0.5 * (pixels + 1.0) - away, 0.0, 1.0) * near
