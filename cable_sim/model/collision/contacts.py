"""Things that touch, and the pairs of them that a scene names.

An obstacle stops the bodies that carry ends or eyes of the ropes that touch it, and those in its
``stops``. A rope keeps off a solid by its radius, to which it sees all faces moved out. So do its
ends and eyes: each is a point that meets the solid as the rope sees it.
"""

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

import numpy as np

from cable_sim.errors import warn
from cable_sim.model.basis.frames import Array, unit
from cable_sim.spec import Body, BoxContact, Cable, Obstacle, Scene, Surface
from cable_sim.spec.collision import Touch
from cable_sim.spec.quantities import WORLD


class End(NamedTuple):
    """End or eye of a rope, at a position in the frame of the body with this name [m]."""

    name: str
    position: tuple[float, float, float]


class Cover(NamedTuple):
    """Obstacle of this name as a rope sees it: moved out by the radius of the rope [m]."""

    name: str
    obstacle: Obstacle
    distance: float


Thing = Body | Obstacle | Surface | End | Cover
"""Thing with a shape that others touch."""


class NamedPair(NamedTuple):
    """Two things that touch, and how they do.

    ``ropes`` are the names of those because of which an obstacle stops a body, None for pairs of
    contacts and surfaces.
    """

    first: Thing
    second: Thing
    touch: Touch
    ropes: tuple[str, ...] | None = None

    @property
    def stops_shape(self) -> bool:
        """True if an obstacle stops the shape of a body."""
        return self.ropes is not None and isinstance(self.second, Obstacle)


class Touching(NamedTuple):
    """Things of a scene that touch others, and the pairs of them that have a way of their own."""

    things: list[Thing]
    pairs: list[NamedPair]

    def name_pairs(self) -> dict[tuple[int, int], NamedPair]:
        """Return the pairs by the places i < j of their things."""
        place = {id(thing): i for i, thing in enumerate(self.things)}
        ends = [sorted((place[id(pair.first)], place[id(pair.second)])) for pair in self.pairs]
        return {(i, j): pair for (i, j), pair in zip(ends, self.pairs, strict=True)}

    @property
    def touches(self) -> list[Touch]:
        """Ways in which the pairs touch, each once."""
        return list(dict.fromkeys(pair.touch for pair in self.pairs))


def box_pairs(scene: Scene) -> list[NamedPair]:
    """Return the pairs of the scene's ``contacts``; a body has priority over an obstacle."""
    known: dict[str, Thing] = {obstacle.name: obstacle for obstacle in scene.obstacles}
    known |= {body.name: body for body in scene.bodies}
    return [
        NamedPair(known[contact.box], known[other], _touch(contact))
        for contact in scene.contacts
        for other in contact.others
    ]


def find_touching(scene: Scene) -> Touching:
    """Return what touches: bodies, obstacles, surfaces, then ends of ropes, and what these meet.

    With a ``collision`` the pairs are those of ends on bodies without a shape.
    """
    pairs = list(_stop_pairs(scene))
    every: tuple[Thing, ...] = (*scene.bodies, *scene.obstacles, *scene.surfaces)
    if scene.collision is None:
        bodies = [body for body in scene.bodies if body.collides]
        meetings = product(scene.surfaces, bodies)
        tops = [NamedPair(top, body, _touch(top)) for top, body in meetings]
        pairs = [*box_pairs(scene), *tops, *pairs]
        paired = {id(thing) for pair in pairs for thing in pair[:2]}
        own = [thing for thing in every if id(thing) in paired]
    else:
        pairs = [pair for pair in pairs if isinstance(pair.first, End)]
        own = [thing for thing in every if is_met(thing)]
    met = {id(thing): thing for pair in pairs for thing in pair[:2]}
    ends = [thing for kind in (End, Cover) for thing in met.values() if isinstance(thing, kind)]
    return Touching([*own, *ends], pairs)


def is_met(thing: Thing) -> bool:
    """Return True for a thing that others meet in a scene with a ``collision``."""
    if isinstance(thing, Body):
        return thing.shape is not None and thing.collides is not False
    return thing.stops_bodies if isinstance(thing, Obstacle) else True


def _stop_pairs(scene: Scene) -> Iterator[NamedPair]:
    """Yield the pairs of bodies and obstacles that stop them, with shapes, ends and eyes.

    With a ``collision`` shapes meet anyway, so bodies that have one are left out; others touch as
    all do.
    """
    bodies = {body.name: body for body in scene.bodies}
    known = {obstacle.name: obstacle for obstacle in scene.obstacles}
    touches = {
        mu: scene.collision.default if scene.collision else Touch(friction=mu)
        for mu in {obstacle.body_friction for obstacle in scene.obstacles}
    }
    ends: dict[tuple[str, tuple[float, float, float]], End] = {}
    covers: dict[tuple[str, float], Cover] = {}
    for (name, solid), cables in _find_stops(scene).items():
        body = bodies[name]
        obstacle = known[solid]
        touch = touches[obstacle.body_friction]
        ropes = tuple(cable.name for cable in cables)
        if body.shape is not None:
            if scene.collision is not None:
                continue
            yield NamedPair(body, obstacle, touch, ropes)
        for cable in cables:
            away = 0.5 * float(cable.diameter)
            cover = covers.setdefault((solid, away), Cover(solid, obstacle, away))
            for node in cable.nodes:
                if node.body == name:
                    key = name, node.position
                    yield NamedPair(ends.setdefault(key, End(*key)), cover, touch, ropes)


def _find_stops(scene: Scene) -> dict[tuple[str, str], list[Cable]]:
    """Return the names of bodies and of obstacles that stop them, with the cables that they do it
    for."""
    known = {obstacle.name: obstacle for obstacle in scene.obstacles}
    joined = {frozenset((joint.parent, joint.child)) for joint in scene.joints}
    boxes = {frozenset((pair.first.name, pair.second.name)) for pair in box_pairs(scene)}
    moves = {WORLD: False} | {body.name: body.motion == "dynamic" for body in scene.bodies}
    found: dict[tuple[str, str], list[Cable]] = {}

    def may_meet(name: str, obstacle: Obstacle) -> bool:
        own = name in (WORLD, obstacle.body) or frozenset((name, obstacle.body)) in joined
        paired = frozenset((name, obstacle.name)) in boxes
        return (moves[name] or moves[obstacle.body]) and not own and not paired

    for cable in scene.cables:
        carriers = dict.fromkeys((*(node.body for node in cable.nodes), *cable.model.attaches))
        for obstacle in map(known.__getitem__, cable.touches):
            for name in carriers if obstacle.stops_bodies else ():
                if may_meet(name, obstacle):
                    found.setdefault((name, obstacle.name), []).append(cable)
    for obstacle in scene.obstacles:
        for name in obstacle.stops:
            if may_meet(name, obstacle):
                found.setdefault((name, obstacle.name), [])
    return found


def _touch(given: BoxContact | Surface) -> Touch:
    """Return how things touch by a contact or on a surface."""
    return Touch(
        friction=given.friction, stiffness=given.stiffness, damping_time=given.damping_time
    )


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
            warn(
                f"body {body.name!r} collides, but the scene has no surface, and no contact or "
                "obstacle names it: it passes through everything; add surfaces or contacts, or "
                "leave out collides",
                3,
            )
