"""Solids of a crane, and how they touch what is around it."""

from collections.abc import Collection

import numpy as np
from numpy.typing import ArrayLike
from transforms3d.quaternions import mat2quat

from cable_sim.cranes.rigging.rig import Ground
from cable_sim.spec import Box, Collision, Obstacle, Touch


def beam(
    name: str, body: str, start: ArrayLike, end: ArrayLike, sides: tuple[float, float]
) -> Obstacle:
    """Return a beam between two points of a body's frame (3,) [m], which visuals show.

    ``sides`` are its breadth, which is level, and its height [m].
    """
    first, last = np.asarray(start, float), np.asarray(end, float)
    length = float(np.linalg.norm(last - first))
    along = (last - first) / length
    side = np.cross((0.0, 0.0, 1.0) if abs(along[2]) < 0.9 else (-1.0, 0.0, 0.0), along)
    side /= np.linalg.norm(side)
    w, x, y, z = mat2quat(np.column_stack([along, side, np.cross(along, side)])).tolist()
    a, b, c = (0.5 * (first + last)).tolist()
    return Obstacle(name, Box(length, *sides), body, (a, b, c), (w, x, y, z), drawn=False)


def touch_all(
    ground: Ground,
    structure: Collection[str],
    pairs: Collection[tuple[str, str, Touch]] = (),
    things: Collection[tuple[str, Touch]] = (),
) -> Collision:
    """Return the contact of everything, all as soft and rough as the ground.

    ``structure`` are the names of solids that the crane is built of, which never touch one another.
    """
    touch = touch_as(ground)
    ignore = (tuple(structure),) if len(structure) > 1 else ()
    return Collision(touch, tuple(pairs), ignore, things=tuple(things))


def touch_as(ground: Ground, friction: float | None = None) -> Touch:
    """Return how things touch that are as soft as the ground, with its friction or another [-]."""
    return Touch(
        friction=ground.friction if friction is None else friction,
        stiffness=ground.stiffness,
        damping_time=ground.damping_time,
    )
