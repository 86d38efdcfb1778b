"""Names of the bodies in the picture, and the width of the ground's grid, for those who want them.

All pages share them. Each page has a frame of its own around them, which it shows or hides.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cable_sim.machine.pictures.frame import Frame
from cable_sim.rendering.bodies import Extent
from cable_sim.rendering.camera import OBLIQUE, overview_camera
from cable_sim.rendering.ground import grid_step
from cable_sim.spec import Body, Scene
from cable_sim.viewer.drawing.drawing import STILL

FOLDER = "/labels"
"""Node above the labels in the tree of the page; hiding it hides them."""
MOST = 60
"""Largest number of bodies that have names in the picture: more could not be read."""
VIEW = 820, 900
LETTER = 6.5
LINE = 20.0
"""Size of the view of a usual page, width of a letter and height of a label [pixels]."""
ASIDE = 0.8
"""Distance of the grid's label from the middle of the scene, over its radius [-]."""


class Labels:
    """Labels of a viser scene.

    Parameters
    ----------
    api: scene of a viser server.
    scene: whose bodies.
    extent: of the whole scene.
    """

    def __init__(self, api: Any, scene: Scene, extent: Extent) -> None:
        self._scale = extent.scale
        self._handles: dict[str, Any] = {}
        self._sent: dict[str, NDArray[np.float64]] = {}
        step = grid_step(extent.radius)
        toward = np.array(OBLIQUE[:2]) / np.hypot(*OBLIQUE[:2])  # the eye of the first view
        corner = np.round((extent.center[:2] + ASIDE * extent.radius * toward) / step) * step
        middle = (corner[0] + 0.5 * step, corner[1], extent.ground)
        _add(api, "ground", f"grid {step:g} m", self._scale * np.array(middle))
        for body in readable(scene.bodies[:MOST], extent):
            place = np.array(body.position)
            text = body.name.replace("_", " ")
            self._handles[body.name] = _add(api, f"bodies/{body.name}", text, self._scale * place)
            self._sent[body.name] = place

    def update(self, frame: Frame) -> None:
        """Move the labels with the bodies of the frame."""
        for name, handle in self._handles.items():
            if name not in frame.poses:
                continue
            place = np.asarray(frame.poses[name][0], dtype=float)
            if np.isfinite(place).all() and np.abs(place - self._sent[name]).max() >= STILL:
                handle.position = self._scale * place
                self._sent[name] = place.copy()


def readable(bodies: Sequence[Body], extent: Extent) -> list[Body]:
    """Return the bodies whose names do not hide one another in a first view.

    Of two that do, the later one stays: a load comes after what carries it.
    """
    places = np.array([body.position for body in bodies]).reshape(-1, 3)
    seen = overview_camera(extent, *VIEW).project(places)[:, :2]
    kept: list[int] = []
    for i in reversed(range(len(bodies))):
        apart = np.abs(seen[kept] - seen[i])
        width = [0.5 * LETTER * (len(bodies[i].name) + len(bodies[k].name) + 2) for k in kept]
        if ((apart[:, 0] > width) | (apart[:, 1] > LINE)).all():
            kept.append(i)
    return [bodies[i] for i in sorted(kept)]


def _add(api: Any, name: str, text: str, place: NDArray[np.float64]) -> Any:
    """Add a label in front of everything, at a place in units of the page."""
    return api.add_label(f"{FOLDER}/{name}", text, position=place, anchor="bottom-center")
