"""Side views of a scene with hybrid wires, seen along y: masses black, contact nodes yellow, as in
the paper."""

from typing import Any

import numpy as np

from cable_sim import Scene
from cable_sim.sim.observation import Observation
from validation.harness.outlines import corners, outline, rotation

UPRIGHT = (1.0, 0.0, 0.0, 0.0)


def draw_scene(axes: Any, scene: Scene, seen: Observation) -> None:
    """Draw bodies, obstacles and what else there is to see, and wires as observed."""
    at = {
        body.name: (seen.body(body.name).position, seen.body(body.name).orientation)
        for body in scene.bodies
    }
    solids = [
        (body.name, body.shape, (0.0, 0.0, 0.0), UPRIGHT) for body in scene.bodies if body.shape
    ]
    solids += [(part.body, part.shape, part.position, part.orientation) for part in scene.drawn]
    for body, shape, position, orientation in solids:
        place, turn = at.get(body, (np.zeros(3), np.array(UPRIGHT)))
        points = (
            place
            + (corners(shape) @ rotation(np.array(orientation)).T + position) @ rotation(turn).T
        )
        axes.fill(
            *outline(points).T, facecolor="#c9d3de", edgecolor="#3b4754", linewidth=0.7, alpha=0.8
        )
    for cable in scene.cables:
        view = seen.cable(cable.name)
        axes.plot(view.curve[:, 0], view.curve[:, 2], color="#d9682b", linewidth=1.0)
        axes.plot(
            view.mass_position[:, 0], view.mass_position[:, 2], "o", color="black", markersize=2.5
        )
        axes.plot(
            view.contact_position[:, 0],
            view.contact_position[:, 2],
            "o",
            color="#e8c020",
            markersize=4.0,
        )
    axes.grid(False)
