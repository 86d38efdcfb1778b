"""Side views of a scene: bodies as outlines, cables as lines, seen along y."""

from typing import Any

from cable_sim import Scene
from cable_sim.sim.observation import Observation
from validation.harness.outlines import corners, outline, rotation


def draw_scene(axes: Any, scene: Scene, seen: Observation, alpha: float = 1.0) -> None:
    """Draw bodies and cables as observed; ``alpha`` below 1 for what has been."""
    for body in scene.bodies:
        if body.shape is None:
            continue
        view = seen.body(body.name)
        points = view.position + corners(body.shape) @ rotation(view.orientation).T
        axes.fill(
            *outline(points).T, facecolor="#c9d3de", edgecolor="#3b4754", linewidth=0.9, alpha=alpha
        )
    for cable in scene.cables:
        nodes = seen.cable(cable.name).node_position
        axes.plot(nodes[:, 0], nodes[:, 2], color="#d9682b", linewidth=1.0, alpha=alpha)
