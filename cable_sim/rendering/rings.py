"""Radius rings on the ground round the slewing axes of cranes, a round number of metres apart."""

import numpy as np

from cable_sim.rendering import meshes
from cable_sim.rendering.bodies import Array, body_meshes, ground_height, pose_of
from cable_sim.rendering.ground import Rings, grid_step
from cable_sim.spec import Joint, Scene
from cable_sim.spec.quantities import WORLD

Drawn = dict[str, meshes.Mesh]
UPRIGHT = 1e-9
"""Largest tilt of an axis that is taken for upright [-]."""


def radius_rings(scene: Scene) -> tuple[Rings, ...]:
    """Return the rings of each driven upright hinge over endless level ground.

    They go as far as its body reaches, with all that it carries on joints; a jib that luffs can be
    level. Hinges of bodies that do not stand in the world have none, because their axis moves, but
    for those on a mast that bends.
    """
    driven = {drive.on for drive in scene.drives}
    hinges = [joint for joint in scene.joints if joint.name in driven and _slews(scene, joint)]
    if not hinges or ground_height(scene) is None:
        return ()
    drawn = body_meshes(scene)
    found = []
    for hinge in hinges:
        center = np.array(hinge.point[:2])
        reach = _reach(scene, drawn, hinge.child, center)
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


def _reach(scene: Scene, drawn: Drawn, body: str, center: Array) -> float:
    """Return the largest distance from an upright axis (2,) [m] that the drawing of a body gets,
    with those of all that it carries."""
    found = _farthest(scene, drawn, body, center)
    for joint in (joint for joint in scene.joints if joint.parent == body):
        reach = _reach(scene, drawn, joint.child, center)
        if joint.kind == "hinge" and not _is_upright(joint):
            carried = _carried_bodies(scene, joint.child)
            length = max(_farthest(scene, drawn, b, np.array(joint.point)) for b in carried)
            reach = max(reach, float(np.linalg.norm(joint.point[:2] - center)) + length)
        found = max(found, reach)
    return found


def _farthest(scene: Scene, drawn: Drawn, body: str, point: Array) -> float:
    """Return the largest distance of a body's drawing from a point (3,), or from an upright axis
    (2,) [m]; 0 without a drawing."""
    if body not in drawn:
        return 0.0
    position, orientation = pose_of(scene, body)
    vertices = drawn[body].vertices @ meshes.rotation_matrix(orientation).T + position
    return float(np.linalg.norm(vertices[:, : point.size] - point, axis=1).max())


def _slews(scene: Scene, joint: Joint) -> bool:
    """Return True for an upright hinge on the world, or on what is fixed there, bent or not."""
    held = {fixed.child: fixed.parent for fixed in scene.joints if fixed.kind == "fixed"}
    on = joint.parent
    while on in held:
        on = held.pop(on)
    return joint.kind == "hinge" and on == WORLD and _is_upright(joint)


def _is_upright(joint: Joint) -> bool:
    """Return True if a joint's axis is upright."""
    x, y, z = joint.axis
    return x * x + y * y <= UPRIGHT * z * z
