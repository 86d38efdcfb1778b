"""A body put elsewhere, or given another velocity, while a machine runs: by hand, so to speak,
between two ticks.

What can be put is what nothing but cables ties to the world. All that hangs together with it, by
joints and by cables,
moves along as one rigid body: a load with its slings and its hook. So no joint is torn, and no
sling. The cables that hold it from outside must not be stretched by that beyond a thousandth, nor
may it be put into ground or boxes.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from transforms3d.quaternions import qconjugate, qmult, rotate_vector

from cable_sim.errors import CommandError
from cable_sim.machine.extents import Block, block
from cable_sim.machine.machine import Machine
from cable_sim.sim.observation import Observation
from cable_sim.spec import Body, Scene, Surface
from cable_sim.spec.quantities import WORLD

Array = NDArray[np.float64]

STRAIN = 1e-3
"""By which cables may be longer afterwards than before, or than their rope; ropes at work are
strained so much."""
DEPTH = 0.01
"""By which a body may be put into ground or boxes [m]."""
MOST_SPEED, MOST_SPIN = 100.0, 100.0
"""That a body can be given [m/s], [rad/s]."""


def place(
    machine: Machine,
    body: str,
    position: ArrayLike | None = None,
    orientation: ArrayLike | None = None,
    velocity: ArrayLike | None = None,
    angular_velocity: ArrayLike | None = None,
) -> Observation:
    """Give a body position [m], orientation (w, x, y, z), velocity [m/s] and angular velocity
    [rad/s], world frame.

    What is left out stays; the velocities count where the body then is. Raises CommandError, and
    changes nothing, for a body that is held, for a place that its cables do not reach or that is
    taken, and for a velocity that is too high; SpecError for an unknown body. All numbers have to
    be finite, and the quaternion a unit one.
    """
    _check_speed(body, velocity, MOST_SPEED, "m/s")
    _check_speed(body, angular_velocity, MOST_SPIN, "rad/s")
    before, saved, changed = machine.observe(), machine.save(), machine.save()
    own = hanging_together(machine.crane.scene, before, body)
    _move(changed.simulator.state, before, body, own, position, orientation)
    _drive(changed.simulator.state, before, body, own, velocity, angular_velocity)
    after = machine.restore(changed)
    try:
        if position is not None or orientation is not None:
            _check_cables(machine.crane.scene, own, before, after)
            _check_room(machine.crane.scene, own, after)
    except CommandError:
        machine.restore(saved)
        raise
    return after


def hanging_together(scene: Scene, seen: Observation, body: str) -> tuple[str, ...]:
    """Names of the bodies that joints and cables tie to a body, itself included; CommandError if
    any of it is held."""
    seen.names.index("bodies", body)
    joints = [j for j, is_open in zip(scene.joints, seen.joint_open, strict=True) if not is_open]
    prescribed = {b.name for b in scene.bodies if b.motion == "prescribed"}
    held = _reached({WORLD, *prescribed}, ([j.parent, j.child] for j in joints))
    if body in prescribed:
        raise CommandError(f"{body!r} can't be put elsewhere: it follows a prescribed velocity")
    if body in held:
        names = ", ".join(repr(j.name) for j in joints if body in (j.parent, j.child))
        raise CommandError(
            f"{body!r} can't be put elsewhere: it is held by joint {names}; command its axis "
            "instead"
        )
    ties = [[j.parent, j.child] for j in joints]
    ties += [
        [node.body for node in cable.nodes if node.kind != "loose" and node.body not in held]
        for cable, off in zip(scene.cables, seen.cable_off, strict=True)
        if not off
    ]
    return tuple(sorted(_reached({body}, ties)))


def _reached(start: set[str], ties: Iterable[list[str]]) -> set[str]:
    """What is tied to the start, directly or through others."""
    found, left = set(start), [set(tie) for tie in ties]
    while True:
        touching = [tie for tie in left if tie & found]
        if not touching:
            return found
        left = [tie for tie in left if not tie & found]
        found.update(*touching)


def _check_speed(body: str, value: ArrayLike | None, most: float, unit: str) -> None:
    """Refuse what no step can follow."""
    speed = 0.0 if value is None else float(np.linalg.norm(value))
    if not speed <= most:
        raise CommandError(
            f"{body!r} can't have a velocity of {speed:g} {unit}; at most {most:g} {unit}"
        )


def _move(
    state: Any, before: Observation, body: str, own: Iterable[str], position: ArrayLike | None,
    orientation: ArrayLike | None,
) -> None:  # fmt: skip
    """Write the new poses of a body and of what goes with it into a state."""
    old = before.body(body)
    place = old.position if position is None else np.asarray(position, float)
    turn = np.array([1.0, 0.0, 0.0, 0.0])
    if orientation is not None:
        turn = qmult(orientation, qconjugate(old.orientation))
    for name in own:
        b, there = 1 + before.names.index("bodies", name), before.body(name)
        state.bodies.position[b] = place + rotate_vector(there.position - old.position, turn)
        made = qmult(turn, there.orientation)
        state.bodies.orientation[b] = made / np.linalg.norm(made)


def _drive(
    state: Any, before: Observation, body: str, own: Iterable[str], velocity: ArrayLike | None,
    spin: ArrayLike | None,
) -> None:  # fmt: skip
    """Write new velocities into a state, in which the poses are the new ones: those of a rigid
    motion."""
    if velocity is None and spin is None:
        return
    positions, velocities = state.bodies.position, state.bodies.velocity
    here, old = 1 + before.names.index("bodies", body), before.body(body)
    linear = np.asarray(old.velocity if velocity is None else velocity, float)
    angular = np.asarray(old.angular_velocity if spin is None else spin, float)
    for name in own:
        b = 1 + before.names.index("bodies", name)
        velocities[b] = [*(linear + np.cross(angular, positions[b] - positions[here])), *angular]


def _check_cables(
    scene: Scene, own: Iterable[str], before: Observation, after: Observation
) -> None:
    """Refuse a place that cables do not reach, or would leave their masses behind in."""
    moved = set(own)
    for cable, off in zip(scene.cables, after.cable_off, strict=True):
        if off or not moved & {node.body for node in cable.nodes if node.kind != "loose"}:
            continue
        if cable.lumped or cable.hybrid or cable.touches:
            what = "runs over obstacles" if cable.touches else "is made of masses"
            raise CommandError(
                f"{', '.join(sorted(moved))} can't be put elsewhere: {cable.name!r}, which {what}, "
                "would not follow"
            )
        was, made = before.cable(cable.name), after.cable(cable.name)
        longest = max(was.length, made.length_paid_out) * (1.0 + STRAIN)
        if not cable.driven and made.length > longest:
            raise CommandError(
                f"{', '.join(sorted(moved))} can't be put there: {cable.name!r} would have to be "
                f"{made.length:.6g} m "
                f"long, and it has {made.length_paid_out:.6g} m"
            )


def _check_room(scene: Scene, own: Iterable[str], after: Observation) -> None:
    """Refuse a place in the ground, or in a box that the body can touch."""
    moved, boxes = set(own), _boxes(scene, after)
    for body in scene.bodies:
        for surface in scene.surfaces if body.collides and body.name in moved else ():
            depth = _depth(body, surface, after)
            if depth > DEPTH:
                raise CommandError(
                    f"{body.name!r} can't be put there: it would be {depth:.3g} m in "
                    f"{surface.name!r}"
                )
    for contact in scene.contacts:
        for other in contact.others:
            (carrier, one), (other_carrier, another) = boxes[contact.box], boxes[other]
            if (carrier in moved) != (other_carrier in moved) and one.overlaps(another, DEPTH):
                raise CommandError(
                    f"{contact.box!r} and {other!r} can't be put there: they would be in each other"
                )


def _boxes(scene: Scene, seen: Observation) -> dict[str, tuple[str, Block]]:
    """What carries each box that contacts may name, and the box in the world; a body before an
    obstacle."""
    made = {}
    for obstacle in scene.obstacles if scene.contacts else ():
        solid = block(obstacle.shape, obstacle.position, obstacle.orientation)
        made[obstacle.name] = obstacle.body, _in_world(solid, obstacle.body, seen)
    for body in scene.bodies if scene.contacts else ():
        if body.shape is not None:
            made[body.name] = body.name, _in_world(block(body.shape), body.name, seen)
    return made


def _in_world(solid: Block, carrier: str, seen: Observation) -> Block:
    """A box of a body, in the world."""
    return solid if carrier == WORLD else solid.moved(*seen.body(carrier)[:2])


def _depth(body: Body, surface: Surface, seen: Observation) -> float:
    """How deep the lowest point of a body is below a surface that it is on [m]; 0 where it is
    beside or beyond."""
    assert body.shape is not None  # what collides has one
    normal = np.asarray(surface.normal, float) / np.linalg.norm(surface.normal)
    solid = _in_world(block(body.shape), body.name, seen)
    if body.shape.kind == "sphere":
        points = (solid.centre - body.shape.radius * normal)[None]
    else:
        points = solid.corners
    offset = points - np.asarray(surface.point)
    depths, beside = -offset @ normal, np.abs(offset[:, :2]) > np.asarray(surface.extent)
    below = (depths > 0.0) & (depths <= surface.thickness) & ~beside.any(axis=1)
    return float(depths[below].max(initial=0.0))
