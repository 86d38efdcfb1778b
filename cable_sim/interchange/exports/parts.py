"""Parts of a scene for the formats of models: what carries each body, its solids, and the rest."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from transforms3d.quaternions import qmult, rotate_vector

from cable_sim.rendering.meshes import quaternions_from_z
from cable_sim.spec import Body, Cylinder, Joint, Scene
from cable_sim.spec.quantities import WORLD
from cable_sim.spec.shapes.shapes import Shape

Four = tuple[float, float, float, float]
Three = tuple[float, float, float]


class Solid(NamedTuple):
    """A shape on a body, or in the world: position [m] and orientation (w, x, y, z) there, colour
    with opacity, whether it touches others and is drawn, and its friction [-]."""

    name: str
    body: str
    shape: Shape
    position: Three
    orientation: Four
    color: Four
    touches: bool
    drawn: bool
    friction: float


def carrier_of(scene: Scene, body: str) -> Joint | None:
    """Return the joint that carries a body in a tree of all; None for one that is free or stands.

    It is the first whose child the body is, and that is closed.
    """
    return next((j for j in scene.joints if j.child == body and not j.open), None)


def stands(body: Body) -> bool:
    """Return True if a body is prescribed: no model moves it."""
    return body.motion == "prescribed"


def closing_joints(scene: Scene, left_out: list[str]) -> list[Joint]:
    """Return the joints that close loops; note the open ones."""
    left_out += [f"joint {j.name!r}: starts open, and is left out" for j in scene.joints if j.open]
    closed = (j for j in scene.joints if not j.open)
    return [joint for joint in closed if carrier_of(scene, joint.child) is not joint]


def solids_of(scene: Scene) -> Iterator[Solid]:
    """Yield the solids of a scene: shapes of bodies, obstacles, and visuals."""
    touch = dict(scene.collision.things) if scene.collision else {}
    collides = scene.collision is not None

    def friction(name: str) -> float:
        if scene.collision is None:
            return 0.0
        return touch.get(name, scene.collision.default).friction

    still: Three = (0.0, 0.0, 0.0)
    level: Four = (1.0, 0.0, 0.0, 0.0)
    for body in scene.bodies:
        touches = collides if body.collides is None else body.collides
        if body.shape is not None and (touches or body.drawn):
            place = body.name, body.name, body.shape, still, level
            yield Solid(*place, (*body.color, 1.0), touches, body.drawn, friction(body.name))
    for one in scene.obstacles:
        at = one.name, one.body, one.shape, one.position, one.orientation
        yield Solid(*at, (*one.color, 1.0), collides, one.drawn, friction(one.name))
    known = {WORLD, *(body.name for body in scene.bodies)}
    for look in scene.visuals:
        if look.body in known:
            on = look.name, look.body, look.shape, look.position, look.orientation
            yield Solid(*on, (*look.color, look.opacity), False, True, 0.0)


def pieces_of(solid: Solid) -> Iterator[Solid]:
    """Yield a solid as shapes that every format knows: of a lattice, each bar as a cylinder."""
    if solid.shape.kind != "segments":
        yield solid
        return
    for one, other in np.asarray(solid.shape.ends, float):
        way = other - one
        if way.any():
            place = solid.position + rotate_vector(0.5 * (one + other), solid.orientation)
            turn = qmult(solid.orientation, quaternions_from_z(way))
            bar = Cylinder(solid.shape.radius, float(np.linalg.norm(way)))
            yield solid._replace(shape=bar, position=tuple(place), orientation=tuple(turn))


def note_others(scene: Scene, left_out: list[str]) -> None:
    """Note the parts of a scene that no format has."""
    others = [f"carriage {carriage.name!r}" for carriage in scene.carriages]
    others += [f"motion of {motion.of!r}" for motion in scene.motions]
    others += [f"contact of box {contact.box!r}" for contact in scene.contacts]
    others += [f"drag of body {body.name!r}" for body in scene.bodies if body.drag]
    if scene.collision:
        others += [f"touch of {one!r} and {two!r}" for one, two, _ in scene.collision.pairs]
    left_out += [f"{other}: is left out" for other in others]
    moving = [b for b in scene.bodies if stands(b) and (any(b.velocity) or any(b.angular_velocity))]
    left_out += [f"body {b.name!r}: moves as prescribed; it stands in the model" for b in moving]
