"""Strands of the ropes of a crane of parts at rest: a rope between its ends and its wheels with
friction.

*Length.* A rope with the weight w per length sags in each span of the chord l, and the direction d,
as a parabola does. Its unstretched length L0 says which tension T it has on its way:

    L0 (1 + T / EA) = sum l + w^2 (1 - d_z^2) l^3 / (24 T^2).
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from transforms3d.axangles import axangle2mat

from cable_sim.cranes.families.kit.tree import Array, Freedom, Pose, Tree
from cable_sim.cranes.families.kit.words.spec import KitRope
from cable_sim.spec import Elevation, Wheel
from cable_sim.spec.cables.nodes import Node
from cable_sim.spec.scene import GRAVITY

UP = np.array((0.0, 0.0, 1.0))
SHORTEST = Elevation().shortest
"""Chord of the shortest span that sags [m]."""


class Hung(NamedTuple):
    """A hook at rest: its centre of mass in the world (3,) [m], its heading [rad], and the weight
    on its ropes [N].

    ``yaw`` is the angle by which the torque of its rope turns it further [rad]. One that ``tilts``
    is held level by its ropes, and has its weight ``aside`` of its centre, in the world (3,) [m].
    """

    centre: Array
    heading: float
    weight: float
    yaw: float = 0.0
    tilts: bool = False
    aside: Array = np.zeros(3)

    @property
    def pose(self) -> Pose:
        """Pose of its frame."""
        turn = axangle2mat(UP, self.heading + self.yaw, is_normalized=True)
        return Pose(self.centre, turn)

    def freedoms(self, name: str) -> Iterator[Freedom]:
        """Yield its coordinates: its height, and roll and pitch of one that tilts."""
        yield Freedom(name, name, UP, self.centre, False)
        for word, axis in (("roll", np.eye(3)[0]), ("pitch", np.eye(3)[1])) if self.tilts else ():
            yield Freedom(f"{name}.{word}", name, axis, self.centre, True)

    def lift(self, freedom: Freedom) -> float:
        """Return dU/dq of its weight by one of its coordinates [N or N m]."""
        rate = np.cross(freedom.axis, self.aside) if freedom.turns else freedom.axis
        return self.weight * float(rate @ UP)


class End(NamedTuple):
    """An end of a span that sags, or of a line that hangs.

    Its body, its place in the world (3,) [m], and its downward load, as a vector up (3,) [N].
    """

    body: str
    point: Array
    load: Array


class Strand(NamedTuple):
    """A strand of a rope.

    Parameters
    ----------
    name: of the rope; behind a wheel with friction, that of the wheel.
    bodies, points: of its nodes, and their places in the world (3,) [m].
    tension: if it is known [N].
    weight: of the rope where it sags [N/m].
    """

    name: str
    bodies: list[str]
    points: list[Array]
    tension: float | None = None
    weight: float = 0.0

    def spans(self) -> Iterator[tuple[float, Array]]:
        """Yield chord [m] and direction (3,) of each span."""
        for a, b in pairwise(self.points):
            length = float(np.linalg.norm(b - a))
            yield length, (b - a) / length

    def loads(self) -> Iterator[End]:
        """Yield the ends of the spans that sag."""
        for k, (length, along) in enumerate(self.spans()):
            if self.weight and length >= SHORTEST:
                load = 0.5 * self.weight * length * (UP - along[2] * along)
                for i in (k, k + 1):
                    yield End(self.bodies[i], self.points[i], load)

    def tension_of(self, length: float, ea: float) -> float:
        """Return its tension with an unstretched length [m] and an axial stiffness [N].

        It is negative where a straight rope is too long to pull.
        """
        spans = [*self.spans()]
        way = sum(chord for chord, _ in spans)
        sag = sum(
            self.weight**2 * (1.0 - along[2] ** 2) * chord**3 / 24.0
            for chord, along in spans
            if chord >= SHORTEST
        )
        if sag == 0.0:
            return ea * (way / length - 1.0)
        from scipy.optimize import brentq  # slow to import, and few ropes sag

        return float(
            brentq(lambda t: way + sag / t**2 - length * (1.0 + t / ea), 1.0, ea, xtol=1e-9)
        )


def strands_of(
    name: str, rope: KitRope, tree: Tree, hooks: Mapping[str, Hung], nodes: Sequence[Node]
) -> Iterator[Strand]:
    """Yield the strands of a rope. The tension of one that is too long to pull is negative."""
    weight = rope.rope.mass_per_metre * GRAVITY if rope.model != "massless" else 0.0
    places = [node_point(tree, hooks, node) for node in nodes]
    strand = Strand(name, [], [], rope.pretension, weight)
    for k, node in enumerate(nodes):
        if not isinstance(node, Wheel):
            strand.bodies.append(node.body)
            strand.points.append(places[k])
            continue
        axis = tree.poses[node.body].turn @ node.axis
        comes = tangent_point(places[k], axis, node.radius, places[k - 1], arrives=True)
        leaves = tangent_point(places[k], axis, node.radius, places[k + 1], arrives=False)
        yield strand._replace(bodies=[*strand.bodies, node.body], points=[*strand.points, comes])
        strand = Strand(node.name, [node.body], [leaves], None, weight)
    if rope.length is not None:
        strand = strand._replace(tension=strand.tension_of(rope.length, rope.rope.ea))
    yield strand


def tangent_point(centre: Array, axis: Array, radius: float, other: Array, arrives: bool) -> Array:
    """Return where a rope from or to a point (3,) [m] touches a wheel, which it turns right-handed
    about its axis.

    With the distance D of the point in the wheel's plane, the radius there is at acos(R / D) from
    the line to it.
    """
    axis = axis / np.linalg.norm(axis)
    out = other - centre
    out = out - (out @ axis) * axis
    distance = float(np.linalg.norm(out))
    out = out / distance
    cos = radius / distance
    sin = math.sqrt(1.0 - cos * cos) * (1.0 if arrives else -1.0)
    return np.asarray(centre + radius * (cos * out + sin * np.cross(axis, out)))


def turned(point: ArrayLike, angle: float) -> Array:
    """Return a point (3,) turned about the vertical [rad]."""
    x, y, z = np.asarray(point, float)
    cos = math.cos(angle)
    sin = math.sin(angle)
    return np.array((cos * x - sin * y, sin * x + cos * y, z))


def node_point(tree: Tree, hooks: Mapping[str, Hung], node: Node) -> Array:
    """Return the place of a node in the world (3,) [m]."""
    if node.body in hooks:
        hung = hooks[node.body]
        return np.asarray(hung.centre + turned(node.position, hung.heading + hung.yaw))
    pose = tree.poses[node.body]
    centre = tree.parts[node.body].centre if node.body in tree.parts else (0.0, 0.0, 0.0)
    return pose.point(np.add(node.position, centre))
