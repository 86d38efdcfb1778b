"""Placing a body elsewhere, or giving it another velocity, between two ticks of a machine.

Only a body that nothing but cables ties to the world can be placed. All bodies that joints and
cables tie to it move along as one rigid body: a load with its slings and its hook. So no joint and
no sling is torn. The cables that hold it from outside must not be stretched by more than a
thousandth, and it may not be placed in ground or boxes.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from transforms3d.quaternions import qconjugate, qmult, rotate_vector

from cable_sim.errors import CommandError
from cable_sim.machine.machine import Machine
from cable_sim.sim.observation import Observation
from cable_sim.sim.simulator import Simulator
from cable_sim.spec import Scene
from cable_sim.spec.quantities import WORLD

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
            check_room(machine.simulator, own)
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


def check_room(simulator: Simulator, own: Iterable[str]) -> None:
    """Raise CommandError for bodies in what stops them: ground, boxes, obstacles."""
    moved = {1 + simulator.names.index("bodies", name) for name in own}
    for depth, names, bodies in simulator.overlaps():
        inside = [body in moved for body in bodies]
        if depth > DEPTH and inside[0] != inside[1]:
            one, other = names if inside[0] else names[::-1]
            raise CommandError(
                f"{one!r} can't be put there: it would be {depth:.3g} m in {other!r}"
            )
