"""Surroundings of hoist ropes that can fall: hybrid wires lie on the load and on the ground.

A massless rope over a load that stands is just slack. A hybrid wire falls, and has to know what is
below it.

A rope that is a hybrid wire only while it is slack has the same surroundings at all times. While it
is taut it does not touch them.
"""

import dataclasses
from collections.abc import Collection, Iterable
from typing import Any

from cable_sim.cranes.crane import RopeModels
from cable_sim.cranes.rigging.tackle import swivel_end
from cable_sim.spec import Box, Cable, Hybrid, Obstacle, Scene
from cable_sim.spec import Ground as RopeGround

EDGES = 4
"""Most edges of loads that a rope bends over between two of its nodes: twice those of a strand that
lies across one."""


def rope_when_slack(rope: Cable) -> RopeModels:
    """Return a rope with the hybrid wire that it is while slack.

    The dead end of such a wire swivels: with masses it carries no torque.
    """
    nodes = swivel_end(rope.nodes)
    return RopeModels(rope, dataclasses.replace(rope, nodes=nodes, elevation=None, hybrid=Hybrid()))


def lay_falling_ropes(
    scene: Scene, lies_on: Collection[str], when_slack: Iterable[RopeModels] = ()
) -> dict[str, Any]:
    """Return ``scene`` and ``when_slack`` of a crane whose slack ropes lie on boxes and ground.

    ``lies_on`` are the names of the bodies that are boxes: the load and what holds it. The scene is
    the same if no rope is a hybrid wire, now or when slack.
    """
    pairs = tuple(when_slack)
    wires = [cable for cable in scene.cables if cable.model.adaptive]
    wires += [pair.slack for pair in pairs]
    if not wires:
        return {"scene": scene, "when_slack": ()}
    solids = tuple(
        Obstacle(f"{body.name}_solid", body.shape, body.name, color=body.color, stops_bodies=False)
        for body in scene.bodies
        if body.name in lies_on and isinstance(body.shape, Box)
    )
    names = tuple(solid.name for solid in solids)
    ground = _find_ground(scene)
    laid = dataclasses.replace(
        scene,
        obstacles=(*scene.obstacles, *solids),
        cables=tuple(_lay(cable, names, ground) for cable in scene.cables),
    )
    falling = tuple(pair._replace(slack=_lay(pair.slack, names, ground)) for pair in pairs)
    return {"scene": laid, "when_slack": falling}


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
