"""Radius rings on the ground round the slewing axes of cranes, a round number of metres apart."""

import numpy as np
from numpy.typing import NDArray

from cable_sim.rendering import meshes
from cable_sim.rendering.bodies import body_meshes, ground_height, pose_of
from cable_sim.rendering.ground import Rings, grid_step
from cable_sim.spec import Joint, Scene

UPRIGHT = 1e-9
"""Largest tilt of an axis that is taken for upright [-]."""


def radius_rings(scene: Scene) -> tuple[Rings, ...]:
    """Return the rings of each driven upright hinge over endless level ground.

    They go as far as its body reaches, with all that it carries on joints. Hinges of bodies that do
    not stand in the world have none, because their axis moves.
    """
    driven = {drive.on for drive in scene.drives}
    hinges = [joint for joint in scene.joints if joint.name in driven and _slews(joint)]
    if not hinges or ground_height(scene) is None:
        return ()
    drawn = body_meshes(scene)
    found = []
    for hinge in hinges:
        center = np.array(hinge.point[:2])
        carried = [body for body in _carried_bodies(scene, hinge.child) if body in drawn]
        reach = max((_reach(scene, body, drawn[body], center) for body in carried), default=0.0)
        if reach == 0.0:
            continue
        step = grid_step(reach)
        found.append(Rings(center, step, int(reach / step)))
    return tuple(found)


def _carried_bodies(scene: Scene, body: str) -> list[str]:
    """Return a body and those that stand on it by joints."""
    found = [body]
    for one in found:
        found += [j.child for j in scene.joints if j.parent == one and j.child not in found]
    return found


def _reach(scene: Scene, body: str, mesh: meshes.Mesh, center: NDArray[np.float64]) -> float:
    """Return the largest distance of a body's drawing from an upright axis [m]."""
    position, orientation = pose_of(scene, body)
    turned = mesh.vertices @ meshes.rotation_matrix(orientation).T + position
    return float(np.linalg.norm(turned[:, :2] - center, axis=1).max())


def _slews(joint: Joint) -> bool:
    """Return True for an upright hinge that stands in the world."""
    x, y, z = joint.axis
    return joint.kind == "hinge" and joint.parent == "world" and x * x + y * y <= UPRIGHT * z * z
