"""Surroundings of hoist ropes that can fall: hybrid wires lie on the load and on the ground.

A massless rope over a load that stands is just slack. A hybrid wire falls, and has to know what is
below it. The hook has to come down on the load, too, or the rope would never go slack.
"""

import dataclasses
from collections.abc import Mapping
from typing import Any

from cable_sim.spec import Box, Cable, Obstacle, Scene
from cable_sim.spec import Ground as RopeGround

EDGES = 4
"""Most edges of loads that a rope bends over between two of its nodes: twice those of a strand that
lies across one."""


def lay_falling_ropes(scene: Scene, lies_on: tuple[str, ...], outlines: Mapping[str, Box]) -> Scene:
    """Return the scene in which hybrid wires lie on bodies that are boxes, and on the ground.

    ``lies_on`` are the names of these bodies: the load and what holds it. ``outlines`` are those of
    bodies that come down on them or on the ground, but have no shape of their own; their visuals
    show them. It is the same scene if no cable is a hybrid wire.
    """
    if not any(cable.model.adaptive for cable in scene.cables):
        return scene
    bodies = tuple(
        dataclasses.replace(body, shape=outlines[body.name], collides=True, drawn=False)
        if body.name in outlines and body.shape is None
        else body
        for body in scene.bodies
    )
    solids = tuple(
        Obstacle(f"{body.name}_solid", body.shape, body.name, color=body.color)
        for body in bodies
        if body.name in lies_on and isinstance(body.shape, Box)
    )
    names = tuple(solid.name for solid in solids)
    ground = _find_ground(scene)
    return dataclasses.replace(
        scene,
        bodies=bodies,
        obstacles=(*scene.obstacles, *solids),
        cables=tuple(_lay(cable, names, ground) for cable in scene.cables),
    )


def _lay(cable: Cable, solids: tuple[str, ...], ground: RopeGround | None) -> Cable:
    """Return a cable, a hybrid wire with the solids and the ground that it lies on."""
    layer: Any = cable.model
    if not layer.adaptive:
        return cable
    lying: dict[str, Any] = {layer.name: dataclasses.replace(layer, ground=ground)}
    return dataclasses.replace(
        cable,
        touches=(*cable.touches, *solids),
        contacts=cable.contacts if cable.touches else EDGES,
        **lying,
    )


def _find_ground(scene: Scene) -> RopeGround | None:
    """Return the level surface without end as a ground for ropes; None without one."""
    for surface in scene.surfaces:
        if surface.is_ground:
            return RopeGround(surface.point, surface.normal, surface.friction)
    return None
