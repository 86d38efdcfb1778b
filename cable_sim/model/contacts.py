"""Pairs of things that a scene names, and pairs of a touching point and a surface with their rows.

Boxes meet finite surfaces as boxes.
"""

import warnings
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from cable_sim.errors import CableSimWarning
from cable_sim.model.bodies import BodyIndex
from cable_sim.model.frames import Array, unit
from cable_sim.model.rows import RowTable
from cable_sim.spec import Body, Box, BoxContact, Obstacle, Scene, Sphere, Surface
from cable_sim.spec.collision import Touch
from cable_sim.spec.shapes import Cylinder, Polyhedron

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
    slabs = [surface for surface in scene.surfaces if surface.is_slab]
    boxes = [body for body in scene.bodies if body.collides and isinstance(body.shape, Box)]
    meetings = product(slabs, boxes)
    return box_pairs(scene) + [NamedPair(slab, box, _touch(slab)) for slab, box in meetings]


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


def touching_points(
    shape: Box | Sphere | Cylinder | Polyhedron,
) -> tuple[list[tuple[float, ...]], float]:
    """Points of a shape in the body frame [m], and their radius [m]."""
    if isinstance(shape, Sphere):
        return [(0.0, 0.0, 0.0)], shape.radius
    if isinstance(shape, Polyhedron):
        return list(shape.corners), 0.0
    assert isinstance(shape, Box), "the spec lets no cylinders collide"
    half = (0.5 * shape.x, 0.5 * shape.y, 0.5 * shape.z)
    corners = product((-1.0, 1.0), repeat=3)
    return [
        tuple(sign * length for sign, length in zip(signs, half, strict=True)) for signs in corners
    ], 0.0


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


def pack_contacts(scene: Scene, index: BodyIndex, rows: RowTable) -> dict[str, Any]:
    """Model arrays of surfaces and contact pairs; adds their rows."""
    pairs = []
    for body in scene.bodies:
        if scene.collision or not body.collides or body.shape is None:
            continue
        points, radius = touching_points(body.shape)
        planes = [
            (s, surface)
            for s, surface in enumerate(scene.surfaces)
            if not (surface.is_slab and isinstance(body.shape, Box))
        ]
        for (s, surface), point in product(planes, points):
            owner = [index.row[body.name]]
            normal = rows.add_contact(
                owner, compliance=1.0 / surface.stiffness, damping_time=surface.damping_time
            )
            pairs.append((owner[0], point, radius, s, normal))
    count = len(pairs)
    surfaces = scene.surfaces
    return {
        "contacts.body": np.array([pair[0] for pair in pairs], dtype=np.int64),
        "contacts.point": np.array([pair[1] for pair in pairs], dtype=float).reshape(count, 3),
        "contacts.radius": np.array([pair[2] for pair in pairs], dtype=float),
        "contacts.surface": np.array([pair[3] for pair in pairs], dtype=np.int64),
        "contacts.row": np.array([pair[4] for pair in pairs], dtype=np.int64),
        "surfaces.point": np.array([surface.point for surface in surfaces]).reshape(
            len(surfaces), 3
        ),
        "surfaces.axes": np.array([surface_axes(surface) for surface in surfaces]).reshape(
            len(surfaces), 3, 3
        ),
        "surfaces.extent": np.array([surface.extent for surface in surfaces]).reshape(
            len(surfaces), 2
        ),
        "surfaces.thickness": np.array([surface.thickness for surface in surfaces]),
        "surfaces.friction": np.array([surface.friction for surface in surfaces]),
    }
