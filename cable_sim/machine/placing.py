"""Placing a body elsewhere, or giving it another velocity, between two ticks of a machine.

Only a body that nothing but cables ties to the world can be placed. All bodies that joints and
cables tie to it move along as one rigid body: a load with its slings and its hook. So no joint and
no sling is torn. The cables that hold it from outside must not be stretched by more than a
thousandth, and it may not be placed in ground or boxes.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from transforms3d.quaternions import qconjugate, qmult, quat2mat, rotate_vector

from cable_sim.errors import CommandError
from cable_sim.machine.extents import Block, block
from cable_sim.machine.machine import Machine
from cable_sim.model.solid_contacts import overlap
from cable_sim.sim.observation import Observation
from cable_sim.spec import Body, Heightfield, Mesh, Obstacle, Scene, Surface
from cable_sim.spec.quantities import WORLD

Array = NDArray[np.float64]

STRAIN = 1e-3
"""Largest strain [-] of cables after placing, over before or over their rope.

Ropes at work have such a strain.
"""
DEPTH = 0.01
"""Largest depth of a placed body in ground or boxes [m]."""
MOST_SPEED = 100.0
MOST_SPIN = 100.0
"""Largest speed [m/s] and angular velocity [rad/s] that a body can be given."""


def place(
    machine: Machine,
    body: str,
    position: ArrayLike | None = None,
    orientation: ArrayLike | None = None,
    velocity: ArrayLike | None = None,
    angular_velocity: ArrayLike | None = None,
) -> Observation:
    """Set a body's position [m], orientation, velocity [m/s] and angular velocity [rad/s].

    They are in the world frame, the orientation is a quaternion (w, x, y, z). Values left out stay;
    the velocities are those at the new place. All numbers have to be finite, and the quaternion a
    unit one. Raises SpecError for an unknown body. Raises CommandError, and changes nothing, for a
    body that is held, for a place that is taken or out of its cables' reach, and for a velocity
    that is too high.
    """
    _check_speed(body, velocity, MOST_SPEED, "m/s")
    _check_speed(body, angular_velocity, MOST_SPIN, "rad/s")
    before = machine.observe()
    saved = machine.save()
    changed = machine.save()
    own = connected_bodies(machine.crane.scene, before, body)
    _move(changed.simulator.state, before, body, own, position, orientation)
    _drive(changed.simulator.state, before, body, own, velocity, angular_velocity)
    machine.simulator.shift_bodies(changed.simulator, own)
    after = machine.restore(changed)
    try:
        if position is not None or orientation is not None:
            _check_cables(machine.crane.scene, own, before, after)
            check_room(machine.crane.scene, own, after)
    except CommandError:
        machine.restore(saved)
        raise
    return after


def connected_bodies(scene: Scene, seen: Observation, body: str) -> tuple[str, ...]:
    """Return the names of the bodies that joints and cables tie to a body, itself included.

    Raises CommandError if any of them is held.
    """
    seen.names.index("bodies", body)
    joints = [j for j, is_open in zip(scene.joints, seen.joint_open, strict=True) if not is_open]
    prescribed = {b.name for b in scene.bodies if b.motion == "prescribed"}
    held = _reachable_bodies({WORLD, *prescribed}, ([j.parent, j.child] for j in joints))
    if body in prescribed:
        raise CommandError(f"{body!r} can't be moved: it follows a prescribed velocity")
    if body in held:
        names = ", ".join(repr(j.name) for j in joints if body in (j.parent, j.child))
        raise CommandError(
            f"{body!r} can't be moved: it is held by joint {names}; command its axis instead"
        )
    ties = [[j.parent, j.child] for j in joints]
    ties += [
        [node.body for node in cable.nodes if node.kind != "loose" and node.body not in held]
        for cable, off in zip(scene.cables, seen.cable_off, strict=True)
        if not off
    ]
    return tuple(sorted(_reachable_bodies({body}, ties)))


def _reachable_bodies(start: set[str], ties: Iterable[list[str]]) -> set[str]:
    """Return the bodies that are tied to the start, directly or through others."""
    found = set(start)
    left = [set(tie) for tie in ties]
    while True:
        touching = [tie for tie in left if tie & found]
        if not touching:
            return found
        left = [tie for tie in left if not tie & found]
        found.update(*touching)


def _check_speed(body: str, value: ArrayLike | None, most: float, unit: str) -> None:
    """Refuse a speed that no step can follow."""
    speed = 0.0 if value is None else float(np.linalg.norm(value))
    if not speed <= most:
        raise CommandError(
            f"{body!r} can't have a velocity of {speed:g} {unit}; at most {most:g} {unit}"
        )


def _move(
    state: Any,
    before: Observation,
    body: str,
    own: Iterable[str],
    position: ArrayLike | None,
    orientation: ArrayLike | None,
) -> None:
    """Write the new poses of a body and of the bodies tied to it into a state.

    With them go the velocities that are observed there now.
    """
    old = before.body(body)
    place = old.position if position is None else np.asarray(position, float)
    turn = np.array([1.0, 0.0, 0.0, 0.0])
    if orientation is not None:
        turn = qmult(orientation, qconjugate(old.orientation))
    for name in own:
        b = 1 + before.names.index("bodies", name)
        there = before.body(name)
        state.bodies.position[b] = place + rotate_vector(there.position - old.position, turn)
        made = qmult(turn, there.orientation)
        state.bodies.orientation[b] = made / np.linalg.norm(made)
        state.bodies.velocity[b] = [*there.velocity, *there.angular_velocity]


def _drive(
    state: Any,
    before: Observation,
    body: str,
    own: Iterable[str],
    velocity: ArrayLike | None,
    spin: ArrayLike | None,
) -> None:
    """Write new velocities into a state with the new poses: those of a rigid motion."""
    if velocity is None and spin is None:
        return
    positions = state.bodies.position
    velocities = state.bodies.velocity
    here = 1 + before.names.index("bodies", body)
    old = before.body(body)
    linear = np.asarray(old.velocity if velocity is None else velocity, float)
    angular = np.asarray(old.angular_velocity if spin is None else spin, float)
    for name in own:
        b = 1 + before.names.index("bodies", name)
        velocities[b] = [*(linear + np.cross(angular, positions[b] - positions[here])), *angular]


def _check_cables(
    scene: Scene, own: Iterable[str], before: Observation, after: Observation
) -> None:
    """Refuse a place out of the cables' reach, or one that leaves masses of cables behind."""
    moved = set(own)
    for cable, off in zip(scene.cables, after.cable_off, strict=True):
        if off or not moved & {node.body for node in cable.nodes if node.kind != "loose"}:
            continue
        if cable.made_of_masses or cable.touches:
            what = "runs over obstacles" if cable.touches else "is made of masses"
            raise CommandError(
                f"{', '.join(sorted(moved))} can't be moved: {cable.name!r}, which {what}, "
                "would not follow"
            )
        was = before.cable(cable.name)
        made = after.cable(cable.name)
        longest = max(was.length, made.length_paid_out) * (1.0 + STRAIN)
        if not cable.driven and made.length > longest:
            raise CommandError(
                f"{', '.join(sorted(moved))} can't be put there: {cable.name!r} would have to be "
                f"{made.length:.6g} m long, and it has {made.length_paid_out:.6g} m"
            )


def check_room(scene: Scene, own: Iterable[str], after: Observation) -> None:
    """Raise CommandError for bodies in the ground, or in a box or solid that stops them."""
    moved = set(own)
    boxes = _boxes(scene, after)
    for body in scene.bodies:
        for surface in scene.surfaces if body.collides and body.name in moved else ():
            depth = _depth(body, surface, after)
            if depth > DEPTH:
                raise CommandError(
                    f"{body.name!r} can't be put there: it would be {depth:.3g} m in "
                    f"{surface.name!r}"
                )
    for obstacle in scene.obstacles:
        for name in moved.intersection(obstacle.stops):
            _check_outside(scene, name, obstacle, after)
    for contact in scene.contacts:
        for other in contact.others:
            carrier, one = boxes[contact.box]
            other_carrier, another = boxes[other]
            if (carrier in moved) != (other_carrier in moved) and one.overlaps(another, DEPTH):
                raise CommandError(
                    f"{contact.box!r} and {other!r} can't be put there: they would overlap"
                )


def _check_outside(scene: Scene, name: str, obstacle: Obstacle, seen: Observation) -> None:
    """Raise CommandError for a body in an obstacle that stops it.

    Solids that are divided into parts are left out: what is in one of them is pushed out.
    """
    if isinstance(obstacle.shape, Mesh | Heightfield):
        return
    (body,) = (body for body in scene.bodies if body.name == name)
    depth = overlap(body, obstacle, _pose(name, seen), _pose(obstacle.body, seen))
    if depth > DEPTH:
        raise CommandError(
            f"{name!r} can't be put there: it would be {depth:.3g} m in {obstacle.name!r}"
        )


def _pose(body: str, seen: Observation) -> tuple[Array, Array]:
    """Return position (3,) [m] and rotation matrix (3, 3) of a body or the world."""
    if body == WORLD:
        return np.zeros(3), np.eye(3)
    position, orientation = seen.body(body)[:2]
    return np.asarray(position, float), quat2mat(orientation)


def _boxes(scene: Scene, seen: Observation) -> dict[str, tuple[str, Block]]:
    """Return carrier and box in the world, by the name that contacts use.

    A body has priority over an obstacle.
    """
    made = {}
    for obstacle in scene.obstacles if scene.contacts else ():
        solid = block(obstacle.shape, obstacle.position, obstacle.orientation)
        made[obstacle.name] = obstacle.body, _world_block(solid, obstacle.body, seen)
    for body in scene.bodies if scene.contacts else ():
        if body.shape is not None:
            made[body.name] = body.name, _world_block(block(body.shape), body.name, seen)
    return made


def _world_block(solid: Block, carrier: str, seen: Observation) -> Block:
    """Return a box of a body, in the world."""
    return solid if carrier == WORLD else solid.move(*seen.body(carrier)[:2])


def _depth(body: Body, surface: Surface, seen: Observation) -> float:
    """Return the depth of a body's lowest point below its surface [m]; 0 beside or beyond it."""
    assert body.shape is not None  # what collides has one
    normal = np.asarray(surface.normal, float) / np.linalg.norm(surface.normal)
    solid = _world_block(block(body.shape), body.name, seen)
    if body.shape.kind == "sphere":
        points = (solid.centre - body.shape.radius * normal)[None]
    elif body.shape.kind == "polyhedron":
        position, orientation = seen.body(body.name)[:2]
        points = position + np.array(body.shape.corners) @ quat2mat(orientation).T
    else:
        points = solid.corners
    offset = points - np.asarray(surface.point)
    depths = -offset @ normal
    beside = np.abs(offset[:, :2]) > np.asarray(surface.extent)
    below = (depths > 0.0) & (depths <= surface.thickness) & ~beside.any(axis=1)
    return float(depths[below].max(initial=0.0))
