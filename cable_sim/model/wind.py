"""Packing of all that the wind acts on: patches of bodies, and ropes."""

from typing import Any

import numpy as np

from cable_sim.model.basis.bodies import BodyIndex
from cable_sim.model.basis.chains import lumped_cables
from cable_sim.model.basis.columns import floats, ints
from cable_sim.model.basis.frames import Array
from cable_sim.spec import Body, Cable, Drag, Scene


def strength(scene: Scene, body: Body, drag: Drag) -> Array:
    """Return (3,) 1/2 rho cd A along the body's axes [kg/m]."""
    areas = drag.areas if drag.areas is not None else body.shape.areas  # type: ignore[union-attr]
    return 0.5 * scene.air.density * drag.cd * np.array(areas)


def per_length(scene: Scene, cable: Cable) -> float:
    """Return 1/2 rho cd d of a cable [kg/m^2]."""
    return 0.5 * scene.air.density * cable.cd * float(cable.diameter)


def most_impulses(scene: Scene) -> float:
    """Return the most wind impulses on one body: one of a patch, two at a node of a cable."""
    count = {body.name: len(body.drag) for body in scene.bodies}
    carried = {obstacle.name: obstacle.body for obstacle in scene.obstacles}
    for cable in scene.cables:
        if cable.cd > 0.0 and not cable.model.segments:
            for name in [node.body for node in cable.nodes] + [
                carried[t] for t in cable.touches
            ] * cable.contacts:
                count[name] = count.get(name, 0) + 2
    return float(max(count.values(), default=0))


def pack_wind(scene: Scene, index: BodyIndex) -> dict[str, Any]:
    """Model arrays of the wind."""
    patches = [
        (body, drag) for body in scene.bodies if body.motion == "dynamic" for drag in body.drag
    ]
    return {
        "wind.profile": np.array(
            [scene.air.reference_height, scene.air.exponent, most_impulses(scene)]
        ),
        "wind.drag_body": ints(index.row[body.name] for body, _ in patches),
        "wind.drag_patch": floats(
            [(*strength(scene, *patch), *patch[1].centre) for patch in patches], 6
        ),
        "wind.cable_drag": floats(
            0.0 if cable.model.segments else per_length(scene, cable) for cable in scene.cables
        ),
        "wind.rope_drag": floats(
            per_length(scene, cable) / cable.density for cable in lumped_cables(scene)
        ),
    }
