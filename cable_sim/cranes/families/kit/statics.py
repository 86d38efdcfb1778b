"""Statics of a crane of parts: tensions of its ropes, and efforts of its drives, at rest.

Coordinates q are those of the joints and the heights of the hooks. With the weights' potential U
and the lengths L_r of the ropes, virtual work says

    dU/dq_j + sum_r T_r dL_r/dq_j = Q_j,

with Q_j = 0 for a hook and for a joint that only ropes hold. These equations give the tensions; of
ropes that share what they carry, those of least square. Q_j of a driven joint is what its drive or
spring has to hold. A span from a to b with the unit vector u along it has

    dL/dq = u . (db/dq - da/dq).
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from cable_sim.cranes.families.kit.tree import Array, Tree
from cable_sim.errors import SpecError
from cable_sim.spec.nodes import Node
from cable_sim.spec.scene import GRAVITY

LEAST_LEVER = 1e-12
"""Derivative of a rope's length below which it holds nothing [m/m, m/rad]."""


class Hung(NamedTuple):
    """A hook at rest: its centre of mass in the world (3,) [m], its heading [rad], and the weight
    on its ropes [N]."""

    centre: Array
    heading: float
    weight: float


class Rest(NamedTuple):
    """Tension of each rope [N], and effort that each joint has to be held with [N or N m]."""

    tension: dict[str, float]
    effort: dict[str, float]


def solve_rest(
    tree: Tree,
    ropes: Mapping[str, Sequence[Node]],
    hooks: Mapping[str, Hung],
    driven: Sequence[str],
) -> Rest:
    """Return the forces at rest.

    ``driven`` are the joints that drives or springs hold. Raises SpecError for a rope that would
    have to push.
    """
    joints = {joint.name: part for part, joint in tree.joints()}
    names = [*joints, *hooks]
    lever = np.array(
        [
            [_lever(tree, ropes[rope], hooks, joints.get(name, ""), name) for rope in ropes]
            for name in names
        ]
    ).reshape(len(names), len(ropes))
    lift = np.array(
        [_lift(tree, joints[name]) if name in joints else hooks[name].weight for name in names]
    )
    free = [i for i, name in enumerate(names) if name not in driven]
    tension = np.linalg.lstsq(lever[free], -lift[free], rcond=None)[0]
    for name, value in zip(ropes, tension.tolist(), strict=True):
        if value < -1e-6 * max(1.0, np.abs(tension).max()):
            raise SpecError(
                f"ropes.{name}: would have to push with {-value:.4g} N to hold what hangs on it"
            )
    held = lift + lever @ tension
    return Rest(
        dict(zip(ropes, np.maximum(tension, 0.0).tolist(), strict=True)),
        {name: float(held[i]) for i, name in enumerate(names) if name in joints},
    )


def _lift(tree: Tree, part: str) -> float:
    """Return dU/dq of the parts that a joint moves [N or N m]."""
    total = 0.0
    for name, other in tree.parts.items():
        if other.mass is not None and tree.carries(part, name):
            rise = tree.velocity(part, name, tree.centre(name))[2]
            total += other.mass * GRAVITY * float(rise)
    return total


def _lever(
    tree: Tree, nodes: Sequence[Node], hooks: Mapping[str, Hung], part: str, name: str
) -> float:
    """Return dL/dq of a rope by the joint of a part, or by the height of the hook of that name."""
    points = [node_point(tree, hooks, node) for node in nodes]
    rates = [
        tree.velocity(part, node.body, point) if part else _rising(node.body == name)
        for node, point in zip(nodes, points, strict=True)
    ]
    total = 0.0
    for i in range(len(nodes) - 1):
        way = points[i + 1] - points[i]
        total += float(way @ (rates[i + 1] - rates[i])) / float(np.linalg.norm(way))
    return total if abs(total) > LEAST_LEVER else 0.0


def _rising(moves: bool) -> Array:
    """Return the velocity of a point of a hook that rises, or of any other."""
    return np.array((0.0, 0.0, 1.0 if moves else 0.0))


def node_point(tree: Tree, hooks: Mapping[str, Hung], node: Node) -> Array:
    """Return the place of a node in the world (3,) [m]."""
    if node.body in hooks:
        hung = hooks[node.body]
        cos, sin = np.cos(hung.heading), np.sin(hung.heading)
        x, y, z = node.position
        return hung.centre + np.array((cos * x - sin * y, sin * x + cos * y, z))
    pose = tree.poses[node.body]
    centre = tree.parts[node.body].centre if node.body in tree.parts else (0.0, 0.0, 0.0)
    return pose.point(np.add(node.position, centre))
