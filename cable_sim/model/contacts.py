"""Things that touch, and the pairs of them that a scene without a ``collision`` names."""

import warnings
from itertools import product
from typing import NamedTuple

import numpy as np

from cable_sim.errors import CableSimWarning
from cable_sim.model.frames import Array, unit
from cable_sim.spec import Body, BoxContact, Obstacle, Scene, Surface
from cable_sim.spec.collision import Touch

Thing = Body | Obstacle | Surface
"""Thing with a shape that others touch."""


class NamedPair(NamedTuple):
    """Two things that a scene without a ``collision`` lets touch, and how they do."""

    first: Thing
    second: Thing
    touch: Touch


def box_pairs(scene: Scene) -> list[NamedPair]:
    """Return the pairs of the scene's ``contacts``; a body has priority over an obstacle."""
    known: dict[str, Thing] = {obstacle.name: obstacle for obstacle in scene.obstacles}
    known |= {body.name: body for body in scene.bodies}
    return [
        NamedPair(known[contact.box], known[other], _touch(contact))
        for contact in scene.contacts
        for other in contact.others
    ]


def named_pairs(scene: Scene) -> list[NamedPair]:
    """Return the pairs of things that touch in a scene without a ``collision``."""
    bodies = [body for body in scene.bodies if body.collides]
    meetings = product(scene.surfaces, bodies)
    return box_pairs(scene) + [NamedPair(top, body, _touch(top)) for top, body in meetings]


def _touch(given: BoxContact | Surface) -> Touch:
    """Return how things touch by a contact or on a surface."""
    return Touch(
        friction=given.friction, stiffness=given.stiffness, damping_time=given.damping_time
    )


def list_things(scene: Scene) -> list[Thing]:
    """Return the things that touch others: bodies, then obstacles, then surfaces."""
    if scene.collision is None:
        paired = {id(thing) for pair in named_pairs(scene) for thing in pair[:2]}
        every: tuple[Thing, ...] = (*scene.bodies, *scene.obstacles, *scene.surfaces)
        return [thing for thing in every if id(thing) in paired]
    bodies = [
        body for body in scene.bodies if body.shape is not None and body.collides is not False
    ]
    obstacles = [obstacle for obstacle in scene.obstacles if obstacle.stops_bodies]
    return [*bodies, *obstacles, *scene.surfaces]


def surface_axes(surface: Surface) -> Array:
    """Return tangent, tangent, normal as rows.

    The first tangent is the world's x axis laid on the plane, or its y axis.
    """
    normal = unit(surface.normal)
    reference = np.array([1.0, 0.0, 0.0]) if abs(normal[0]) < 0.9 else np.array([0.0, 1.0, 0.0])
    tangent = unit(reference - (reference @ normal) * normal)
    return np.array([tangent, np.cross(normal, tangent), normal])


def warn_of_lone_bodies(scene: Scene) -> None:
    """Warn of bodies that collide in a scene without anything that they could touch."""
    boxes = {name for contact in scene.contacts for name in (contact.box, *contact.others)}
    stopped = {name for obstacle in scene.obstacles for name in obstacle.stops}
    for body in () if scene.surfaces or scene.collision else scene.bodies:
        if body.collides and body.name not in boxes | stopped:
            warnings.warn(
                f"body {body.name!r} collides, but the scene has no surface, and no contact or "
                "obstacle names it: it passes through everything; add surfaces or contacts, or "
                "leave out collides",
                CableSimWarning,
                stacklevel=3,
            )
