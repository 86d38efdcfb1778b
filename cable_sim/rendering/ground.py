"""The ground of a picture: a plane that fades into haze, with a grid of round metres; and sky."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cable_sim.rendering.bodies import Array, Extent
from cable_sim.rendering.camera import Camera
from cable_sim.spec import Scene

Shades = NDArray[np.float32]
LEVEL = 1e-9
"""Least slope of a view that meets the ground [-]."""
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

    colors: Shades
    inverse: Shades


def round_down(value: float) -> float:
    """Return 1, 2 or 5 times a power of ten, the largest that is not above a value."""
    power = 10.0 ** math.floor(math.log10(value))
    return power * max(step for step in (1.0, 2.0, 5.0) if step * power <= value * (1.0 + 1e-9))


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
    view = [component.astype(np.float32) for component in camera.rays()]
    height = np.float32(camera.position[2] - extent.ground)
    slope = -view[2] / height if height else np.zeros_like(view[2])
    there = (slope > 0.0) & (np.abs(view[2]) > LEVEL)
    depth = np.divide(1.0, slope, out=np.zeros_like(slope), where=there)
    places = [np.float32(camera.position[i]) + depth * view[i] for i in (0, 1)]
    away = sum((places[i] - np.float32(extent.center[i])) ** 2 for i in (0, 1))
    share = np.exp(away / np.float32(-((FADING * extent.radius) ** 2))) * there
    pixels = camera.pixel_sizes(depth, view[2])
    darker = _grid(places, pixels, grid_step(extent.radius))
    for around in rings:
        np.maximum(darker, _rings(places, around), out=darker)
    lines = share * (1.0 - darker)
    up = np.clip(view[2] / np.sqrt(view[0] ** 2 + view[1] ** 2 + view[2] ** 2), 0.0, 0.5)
    colors = np.empty((*slope.shape, 3), dtype=np.float32)
    plane = (PALE + (1.0 - PALE) * ground_color(scene)).astype(np.float32)
    for i, tint in enumerate((ZENITH - HAZE).astype(np.float32)):
        sky = np.float32(HAZE[i]) + (2.0 * tint) * up
        colors[..., i] = (1.0 - share) * sky + lines * plane[i]
    return Ground(colors, np.where(there, slope, np.float32(0.0)))


def _grid(places: list[Shades], pixels: list[Shades], step: float) -> Shades:
    """Return the share (h, w) by which grid lines darken the plane.

    The lines are one pixel wide. Places along x and y, and the sizes of a pixel there, are in m.
    """
    darker = np.zeros_like(places[0])
    for cells, strength in LINES:
        for place, pixel in zip(places, pixels, strict=True):
            covered = _lines(place, pixel, cells * step)
            np.maximum(darker, np.float32(strength) * covered, out=darker)
    return darker


def _rings(places: list[Shades], rings: Rings) -> Shades:
    """Return the share (h, w) by which radius rings darken the plane; places are as above."""
    x, y = (place - np.float32(at) for place, at in zip(places, rings.center, strict=True))
    radius = np.hypot(x, y)
    width, strength = RING
    pixel = np.hypot(*np.gradient(radius)) + np.float32(1e-12)
    within = (radius > 0.5 * rings.step) & (radius < (rings.number + 0.5) * rings.step)
    return np.where(
        within, np.float32(strength) * _lines(radius, pixel, rings.step, width), np.float32(0.0)
    )


def _lines(values: Shades, pixel: Shades, step: float, width: float = 1.0) -> Shades:
    """Return the share (h, w) of lines in pixels: they are where a value is a multiple of ``step``.

    Values and the size of a pixel there are in m, the width of a line in pixels. Where lines are as
    close as pixels, there are none.
    """
    apart = np.float32(step)
    line = values / apart
    line -= np.rint(line)
    covered = np.clip(np.float32(0.5 * (width + 1.0)) - np.abs(line) * (apart / pixel), 0.0, 1.0)
    near = np.clip(1.5 - (4.0 / apart) * pixel, 0.0, 1.0)
    return np.asarray(covered * near, dtype=np.float32)
