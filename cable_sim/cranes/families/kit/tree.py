"""Kinematic tree of a crane's parts: poses, places and their Jacobians.

With R_p and p_p the turn and origin of what carries a part, ``at`` a and the unit axis e of its
joint with the coordinate q, the part has

    hinge       R = R_p Rot(e, q),   p = p_p + R_p a,
    slide       R = R_p,             p = p_p + R_p (a + q e).

A part that stands free may be off its ``at`` by a way along x, a height, and a turn about y, the
coordinates ``<part>.surge``, ``.rise`` and ``.pitch``; zero where nothing gives them.

A point x on the part or on what it carries moves with q by the world's axis z = R_p e as

    hinge       dx/dq = z x (x - p),        slide       dx/dq = z.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from transforms3d.axangles import axangle2mat

from cable_sim.cranes.families.kit.words.carriers import carried, carriers, root_of
from cable_sim.cranes.families.kit.words.parts import Part, PartJoint
from cable_sim.cranes.families.kit.words.spec import KitFile
from cable_sim.spec.quantities import WORLD, Vector

Array = NDArray[np.float64]


class Pose(NamedTuple):
    """Origin (3,) [m] and rotation matrix (3, 3) of a frame in the world."""

    origin: Array
    turn: Array

    def point(self, place: ArrayLike) -> Array:
        """Return a place of the frame in the world (3,) [m]."""
        return self.origin + self.turn @ np.asarray(place, float)


class Place(NamedTuple):
    """A place in the frame of a body, whose origin is its centre of mass, or of the world [m]."""

    body: str
    position: Vector


class Freedom(NamedTuple):
    """A coordinate: what it moves with all that this carries, along or about an axis (3,) through
    an origin (3,) [m] in the world."""

    name: str
    part: str
    axis: Array
    origin: Array
    turns: bool


GROUND = Pose(np.zeros(3), np.eye(3))
FREE = (("surge", 0, False), ("rise", 2, False), ("roll", 0, True), ("pitch", 1, True))
"""Coordinates of a part that stands free: name, axis of the world, and whether it turns."""


def coordinates_at_start(file: KitFile) -> dict[str, float]:
    """Return the coordinates of all joints at the start, by their names [rad or m]."""
    start = file.rig.start.at
    axis_on = file.axis_on
    found = {}
    for joint in file.part_on:
        key = axis_on.get(joint, joint)
        degrees = f"{key}_deg"
        given = start.get(key, 0.0)
        found[joint] = float(np.radians(start[degrees])) if degrees in start else given
    return found


class Tree:
    """Poses of all parts of a crane at given coordinates of its joints.

    Parameters
    ----------
    parts: by name.
    coordinates: of the joints, by their names [rad or m].
    hooks: poses of the hooks by name, once these are known; before, parts on hooks have no poses.
    """

    def __init__(
        self,
        parts: Mapping[str, Part],
        coordinates: Mapping[str, float],
        hooks: Mapping[str, Pose] | None = None,
    ) -> None:
        self.parts = parts
        self.coordinates = coordinates
        self.hooks = hooks or {}
        self.poses: dict[str, Pose] = {WORLD: GROUND, **self.hooks}
        for name in parts:
            for part in reversed([*carriers(parts, name)]):
                if part not in self.poses and parts[part].on in self.poses:
                    self.poses[part] = self._pose(part)

    def _pose(self, name: str) -> Pose:
        """Return the pose of a part on what carries it."""
        part = self.parts[name]
        below = self.poses[part.on]
        if part.joint is None:
            surge, rise, pitch = (
                self.coordinates.get(f"{name}.{word}", 0.0) for word in ("surge", "rise", "pitch")
            )
            turn = below.turn @ axangle2mat((0.0, 1.0, 0.0), pitch) if pitch else below.turn
            return Pose(below.point(np.add(part.at, (surge, 0.0, rise))), turn)
        axis = unit(part.joint.axis)
        q = self.coordinates[part.joint.name]
        if part.joint.kind == "hinge":
            return Pose(below.point(part.at), below.turn @ axangle2mat(axis, q, is_normalized=True))
        return Pose(below.point(np.asarray(part.at) + q * axis), below.turn)

    def centre(self, name: str) -> Array:
        """Return the centre of mass of a part (3,) [m]."""
        return self.poses[name].point(self.parts[name].centre)

    def place(self, name: str, position: Vector) -> Place:
        """Return a place of a part's frame on the body that the part is on."""
        at = np.asarray(position, float)
        while name in self.parts and not self.parts[name].moves:
            at = at + self.parts[name].at
            name = self.parts[name].on
        if name in self.parts:
            at = at - self.parts[name].centre
        return Place(name, vector(at))

    def joints(self) -> Iterator[tuple[str, PartJoint]]:
        """Yield part and joint of all that move on one."""
        for name, part in self.parts.items():
            if part.joint is not None:
                yield name, part.joint

    def axis(self, name: str) -> Array:
        """Return the unit axis of a part's joint in the world (3,)."""
        part = self.parts[name]
        assert part.joint is not None
        return self.poses[part.on].turn @ unit(part.joint.axis)

    def carries(self, carrier: str, name: str) -> bool:
        """Return True if a part is the carrier or stands on it; the carrier may be a hook."""
        chain = (*carriers(self.parts, name), root_of(self.parts, name))
        return name in self.parts and carrier in chain

    def freedoms(self) -> Iterator[Freedom]:
        """Yield the coordinates of joints and of ends of beams, and of parts that stand free those
        that weights and ropes can move: surge, rise, roll and pitch."""
        for name, joint in self.joints():
            turns = joint.kind == "hinge"
            yield Freedom(joint.name, name, self.axis(name), self.poses[name].origin, turns)
        yield from self.beam_ends()
        yield from self.riders()
        for name, part in self.parts.items():
            if part.free:
                origin = self.poses[name].origin
                for word, i, turns in FREE:
                    yield Freedom(f"{name}.{word}", name, np.eye(3)[i], origin, turns)

    def beam_ends(self) -> Iterator[Freedom]:
        """Yield three ways and three turns of the end of each beam, along the world's axes."""
        for name, part in self.parts.items():
            if part.is_mast:
                end = self.poses[carried(self.parts, name)[0]].origin
                for i in range(6):
                    yield Freedom(f"{name}.{i}", name, np.eye(3)[i % 3], end, i >= 3)

    def rail_of(self, name: str) -> str:
        """Return the part along whose beam another one slides; empty for none."""
        part = self.parts[name]
        carrier = self.parts.get(part.on)
        bends = carrier is not None and carrier.beam is not None and carrier.beam.span is not None
        return part.on if bends and part.joint and part.joint.kind == "prismatic" else ""

    def riders(self) -> Iterator[Freedom]:
        """Yield three ways and three turns of each part that slides along a beam, in the world."""
        for name in self.parts:
            if self.rail_of(name):
                origin = self.poses[name].origin
                for i in range(6):
                    yield Freedom(f"{name}.{i}", name, np.eye(3)[i % 3], origin, i >= 3)

    def beam_weights(self) -> Iterator[tuple[str, float, Array]]:
        """Yield part, mass [kg] and centre (3,) [m] of each beam that a part with a joint has."""
        for name, part in self.parts.items():
            if part.beam and part.beam.span:
                mass, middle = part.beam.hung
                yield name, mass, self.poses[name].point(middle)

    def velocity(self, freedom: Freedom, body: str, point: Array) -> Array:
        """Return the derivative (3,) of a point of a body by a coordinate."""
        if body != freedom.part and not self.carries(freedom.part, body):
            return np.zeros(3)
        if freedom.turns:
            return np.cross(freedom.axis, point - freedom.origin)
        return freedom.axis


def unit(axis: ArrayLike) -> Array:
    """Return a vector of unit length along another one (3,)."""
    vector = np.asarray(axis, float)
    return vector / np.linalg.norm(vector)


def vector(array: ArrayLike) -> Vector:
    """Return three numbers as a plain tuple."""
    x, y, z = np.asarray(array, float).tolist()
    return x, y, z
