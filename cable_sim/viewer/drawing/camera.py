"""Views of the page: an overview of the crane, and views that follow a part of it."""

from typing import Any

import numpy as np

from cable_sim.cranes.crane import Crane
from cable_sim.machine.pictures.frame import Frame
from cable_sim.rendering.bodies import Array, Extent
from cable_sim.rendering.camera import Window, overview, overview_direction
from cable_sim.rendering.meshes import rotation_matrix
from cable_sim.rendering.onboard import driver_view
from cable_sim.spec.quantities import Vector

ORIGIN = (0.0, 0.0, 0.0)
CURVES = 266.0
PANEL = 314.0
"""Widths of a page that the curves take on its left, and the panel on its right [pixels]."""
LEAST = 0.2
"""Least share of a page's width that is left for the view between the two."""
USUAL = 1400.0, 900.0
"""Width and height [pixels] of a page that has not reported its own yet."""
NARROW = 576.0
SHEET = 0.4
"""Largest width [pixels] of a narrow page, and share of its height that a sheet covers from below.

On a narrow page viser shows panel and curves in that sheet, the curves when they are asked for.
"""
DENSE = 2.0
UPRIGHT = 0.66
"""Most pixels of a picture for one of a page, as on phones; largest width over height of a phone.

A page reports the pixels of its picture, and not how many there are for one of its own.
"""
SETTLED = 1e-3
"""Distance of two camera positions that count as one, in radii of the scene."""
PART_DISTANCE = 9.0
"""First distance [m] to a part that is followed, so that a trolley of 6 m is all in view.

It is less in a smaller scene, and more in a larger one.
"""


def views(crane: Crane) -> tuple[str, ...]:
    """Return the names of the views: overview, parts, and the cab if there is one."""
    return ("overview", *_places(crane), *(("cab",) if crane.cab else ()))


def first_view(crane: Crane, extent: Extent) -> tuple[Array, Array]:
    """Return position and target [m] of the camera of a page that has not reported its size."""
    return overview(extent, free_window(*USUAL), overview_direction(crane))


class Rider:
    """Camera of one client that follows the chosen part of the crane.

    The part's motion is added to the user's own camera motion; only the cab holds the camera.

    Parameters
    ----------
    camera: of a viser client; it works in units of the page, everything here in metres.
    """

    def __init__(self, camera: Any, crane: Crane, extent: Extent) -> None:
        self._camera = camera
        self._crane = crane
        self._extent = extent
        self.view = "overview"
        self._last: Array | None = None
        self._opened = float(camera.image_width)

    def choose(self, view: str, frame: Frame | None) -> None:
        """Jump to one of the :func:`views`; a view of a part waits for a frame that shows it."""
        self.view = view
        self._last = None
        if view == "overview":
            self._aim(*self._overview())
        elif frame is not None:
            self.follow(frame)

    def reframe(self, extent: Extent) -> None:
        """Take another extent, and show it anew in the overview."""
        self._extent = extent
        self.choose(self.view, None)

    def settle(self) -> None:
        """Aim the overview again on a page that fell back to :func:`first_view`.

        A page turns to that when it is ready, which may be after it was given a view of its own.
        """
        first, _ = first_view(self._crane, self._extent)
        at = np.asarray(self._camera.position) / self._extent.scale
        near = SETTLED * self._extent.radius
        if (
            self.view == "overview"
            and np.abs(at - first).max() < near <= np.abs(self._overview()[0] - first).max()
        ):
            self._aim(*self._overview())

    def _overview(self) -> tuple[Array, Array]:
        """Return position and target [m] that show the whole crane on a page of this size."""
        width, height = float(self._camera.image_width), float(self._camera.image_height)
        window = free_window(width, height, docked=width < self._opened)
        return overview(self._extent, window, overview_direction(self._crane))

    def follow(self, frame: Frame) -> None:
        """Move the camera with the chosen part."""
        if self.view == "overview":
            return
        if self.view == "cab":
            self._aim(*driver_view(self._crane, frame))
            return
        target = _part(self._crane, self.view, frame)
        if target is None:
            return
        if self._last is None:
            size = self._extent.radius
            away = max(0.16 * size, min(0.4 * size, PART_DISTANCE))
            below = _is_below(self._crane, self.view)
            offset = away * np.array([0.55, -1.0, -0.1 if below else 0.35])
            self._aim(target + offset, target)
        elif np.abs(target - self._last).max() < 1e-3:
            return
        else:
            # The offset alone is the user's: the page's report lags behind, but by the same in both
            # points.
            offset = (
                np.asarray(self._camera.position) - np.asarray(self._camera.look_at)
            ) / self._extent.scale
            self._aim(target + offset, target)
        self._last = target

    def _aim(self, position: Array, target: Array) -> None:
        """Move the camera to a position and turn it to a target."""
        if (
            np.isfinite(position).all()
            and np.isfinite(target).all()
            and np.abs(position - target).max() > 1e-3
        ):
            self._camera.position = self._extent.scale * position
            self._camera.look_at = self._extent.scale * target


def free_window(width: float, height: float, docked: bool = False) -> Window:
    """Return the free window of the view on a page of that size [pixels].

    The first report of a page has the width with curves and panel. Once they are ``docked``, the
    width is that of the view between them.
    """
    height = max(height, 1.0)
    phone = width <= DENSE * NARROW and width <= UPRIGHT * height
    if not docked and (width <= NARROW or phone):
        side = max(width, 1.0) / height
        return Window(side, side, below=1.0 - 2.0 * SHEET)
    between = width if docked else max(width - PANEL - CURVES, LEAST * width)
    side = 0.98 * between / height
    return Window(side, side)


def _places(crane: Crane) -> dict[str, tuple[str, Vector]]:
    """Return the body and the place in its frame [m] that the view of each part follows.

    They are the hook, or what the crane has in its place, and what carries it, such as a trolley,
    or a jib at its tip.
    """
    hung = crane.suspension
    if hung is None:
        return {crane.watched.replace("_", " "): (crane.watched, ORIGIN)} if crane.watched else {}
    hook, carrier = (
        body.removeprefix(f"{hung.name}_").replace("_", " ") for body in (hung.hook, hung.trolley)
    )
    return {hook: (hung.hook, ORIGIN), carrier: (hung.trolley, hung.trolley_point)}


def _is_below(crane: Crane, view: str) -> bool:
    """Return True if a part is seen from below: what carries the hook, but for a trolley with the
    cab, which runs on top of its girders."""
    body, _ = _places(crane)[view]
    carries = crane.suspension is not None and body == crane.suspension.trolley
    return carries and (crane.cab is None or crane.cab.body != body)


def _part(crane: Crane, view: str, frame: Frame) -> Array | None:
    """Return the position of the followed part [m], or None if the frame does not contain it."""
    name, place = _places(crane)[view]
    if name not in frame.poses:
        return None
    origin, orientation = frame.poses[name]
    position = np.asarray(origin + rotation_matrix(orientation) @ np.array(place), dtype=float)
    return position if np.isfinite(position).all() else None
