"""Radius rings on the ground round the slewing axes of cranes, a round number of metres apart."""

import numpy as np

from cable_sim.rendering import meshes
from cable_sim.rendering.bodies import body_meshes, ground_height, pose_of
from cable_sim.rendering.ground import Rings, grid_step
from cable_sim.spec import Joint, Scene

UPRIGHT = 1e-9
"""Largest tilt of an axis that is taken for upright [-]."""


def radius_rings(scene: Scene) -> tuple[Rings, ...]:
    """Return the rings of each driven upright hinge over endless level ground.

    They go as far as its body reaches. Hinges of bodies that do not stand in the world have none,
    because their axis moves.
    """
    driven = {drive.on for drive in scene.drives}
    hinges = [joint for joint in scene.joints if joint.name in driven and _slews(joint)]
    if not hinges or ground_height(scene) is None:
        return ()
    drawn = body_meshes(scene)
    found = []
    for hinge in hinges:
        if hinge.child not in drawn:
            continue
        center = np.array(hinge.point[:2])
        position, orientation = pose_of(scene, hinge.child)
        turned = drawn[hinge.child].vertices @ meshes.rotation_matrix(orientation).T + position
        reach = float(np.linalg.norm(turned[:, :2] - center, axis=1).max())
        step = grid_step(reach)
        found.append(Rings(center, step, int(reach / step)))
    return tuple(found)


def _slews(joint: Joint) -> bool:
    """Return True for an upright hinge that stands in the world."""
    x, y, z = joint.axis
    return joint.kind == "hinge" and joint.parent == "world" and x * x + y * y <= UPRIGHT * z * z
