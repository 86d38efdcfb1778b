"""Tree of the crane's frames, for TF and the robot description.

Every body of the scene has a frame of its own name, with its origin at the centre of mass as
everywhere in the package. The tree's root is ``base_link``, which coincides with the scene's world.
The axis of a hinge may pass beside the child's centre of mass. It then gets a frame of its own,
``<joint>_axis``, because the robot description can turn a frame only about its own origin. Bodies
without a chain of hinges, slides and fixed joints to the base are ``floating``: hook block and
load, which hang on ropes, nodes of beams and what slides along them, and a container that
twistlocks can release.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from transforms3d.quaternions import axangle2quat, qconjugate, qmult, rotate_vector

from cable_sim.cranes.crane import Axis, Crane
from cable_sim.errors import SpecError
from cable_sim.spec import Body, Joint
from cable_sim.spec.quantities import WORLD

Array = NDArray[np.float64]

BASE = "base_link"
IDENTITY = np.array([1.0, 0.0, 0.0, 0.0])
_ON_AXIS = 1e-9
"""Largest distance [m] at which a centre of mass counts as on the axis."""


@dataclass(frozen=True)
class Link:
    """Frame and the joint that ties it to its parent, at joint coordinate zero.

    ``position`` [m] and ``orientation`` (w, x, y, z) place the frame in the parent's; ``axis`` is
    in the frame itself. ``kind`` is a joint type of URDF; ``lower`` and ``upper`` bound the
    coordinate [rad or m].
    """

    name: str
    parent: str
    joint: str
    kind: str
    position: Array
    orientation: Array
    axis: Array | None = None
    lower: float = -np.inf
    upper: float = np.inf


def rotate_back(orientation: Array, vector: ArrayLike) -> Array:
    """Return a world vector in the frame of ``orientation`` (w, x, y, z), frame to world: R^T v."""
    return rotate_vector(vector, qconjugate(orientation))


def unit_quaternion(orientation: ArrayLike) -> Array:
    """Return a quaternion scaled to length one."""
    q = np.asarray(orientation, dtype=float)
    return q / np.linalg.norm(q)


def links(crane: Crane) -> tuple[Link, ...]:
    """Return all frames below the base, each after its parent; see the head of this file."""
    bodies = {body.name: body for body in crane.scene.bodies}
    holders: dict[str, Joint] = {}
    unlocks = crane.twistlocks.joint if crane.twistlocks else None
    for joint in crane.scene.joints:
        stiff = joint.kind != "fixed" or not joint.compliance
        holds = joint.kind != "ball" and stiff and not joint.rail
        if holds and not joint.open and joint.name != unlocks:
            holders.setdefault(joint.child, joint)
    made: dict[str, tuple[Link, ...]] = {}

    def make(name: str, below: tuple[str, ...]) -> None:
        """Make the frames of a body, after those of its parent.

        A loop of joints is cut where it closes.
        """
        joint = holders.get(name)
        if name in made:
            return
        if joint is None or joint.parent in below:
            made[name] = (_floating_link(bodies[name]),)
            return
        if joint.parent != WORLD:
            make(joint.parent, (*below, name))
        made[name] = _joint_links(crane, bodies[name], bodies.get(joint.parent), joint)

    for name in bodies:
        make(name, ())
    return tuple(link for chain in made.values() for link in chain)


def floating_bodies(crane: Crane) -> tuple[str, ...]:
    """Return the names of the bodies that no chain of joints ties to the base."""
    return tuple(link.name for link in links(crane) if link.kind == "floating")


def _floating_link(body: Body) -> Link:
    """Return the frame of a body that moves freely, placed as at the start."""
    return Link(
        body.name,
        BASE,
        f"{body.name}_floating",
        "floating",
        np.asarray(body.position, float),
        unit_quaternion(body.orientation),
    )


def _joint_links(crane: Crane, body: Body, parent: Body | None, joint: Joint) -> tuple[Link, ...]:
    """Return the frame of a body on a joint.

    If the joint's axis passes beside the body's frame, a frame on the axis precedes it.
    """
    parent_name = BASE if parent is None else parent.name
    origin = np.zeros(3) if parent is None else np.asarray(parent.position, float)
    turn = IDENTITY if parent is None else unit_quaternion(parent.orientation)
    position = np.asarray(body.position, float)
    orientation = unit_quaternion(body.orientation)
    if joint.kind == "fixed":
        place = rotate_back(turn, position - origin)
        facing = qmult(qconjugate(turn), orientation)
        return (Link(body.name, parent_name, joint.name, "fixed", place, facing),)
    name, sense, start, lower, upper = _coordinate(crane, joint)
    axis = sense * np.asarray(joint.axis, float) / np.linalg.norm(joint.axis)
    offset = np.zeros(3)
    if joint.kind == "prismatic":
        kind = "prismatic"
        place = position - start * axis
        facing = orientation
    else:
        kind = "revolute" if np.isfinite([lower, upper]).all() else "continuous"
        point = np.asarray(joint.point, float)
        place = point + axis * (axis @ (position - point))
        offset = rotate_back(orientation, position - place)
        facing = qmult(axangle2quat(axis, -start, is_normalized=True), orientation)
    beside = np.linalg.norm(offset) > _ON_AXIS
    own = Link(
        f"{joint.name}_axis" if beside else body.name,
        parent_name,
        name,
        kind,
        rotate_back(turn, place - origin),
        qmult(qconjugate(turn), facing),
        rotate_back(facing, axis),
        lower,
        upper,
    )
    if not beside:
        return (own,)
    return own, Link(body.name, own.name, f"{body.name}_mount", "fixed", offset, IDENTITY)


def _coordinate(crane: Crane, joint: Joint) -> tuple[str, float, float, float, float]:
    """Return name, sense, value at the start and bounds of a joint's coordinate in joint_states.

    For a joint that an axis of the crane drives these are the axis' own.
    """
    axis = driving_axis(crane, joint)
    if axis is None:
        return joint.name, 1.0, joint.position, joint.lower, joint.upper
    if abs(axis.ratio) != 1.0:
        raise SpecError(
            f"axis {axis.name!r}: a ratio of {axis.ratio:g} on joint {joint.name!r} can't be "
            "drawn; use 1"
        )
    ends = sorted((end - axis.zero) / axis.ratio for end in (joint.lower, joint.upper))
    return axis.joint, axis.ratio, (joint.position - axis.zero) / axis.ratio, ends[0], ends[1]


def driving_axis(crane: Crane, joint: Joint) -> Axis | None:
    """Return the axis of the crane whose drive acts on the joint, if any."""
    drives = {drive.name: drive.on for drive in crane.scene.drives}
    return next((axis for axis in crane.axes if drives.get(axis.drive) == joint.name), None)


def passive_joints(crane: Crane) -> tuple[str, ...]:
    """Return the joints with a coordinate that no axis drives.

    joint_states has them too, for the description.
    """
    return tuple(
        j.name for j in crane.scene.joints if j.has_coordinate and driving_axis(crane, j) is None
    )
