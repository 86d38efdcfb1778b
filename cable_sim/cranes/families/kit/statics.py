"""Statics of a crane of parts: tensions of its ropes, and efforts of its drives, at rest.

Coordinates q are those of the joints and the heights of the hooks. With the weights' potential U
and the lengths L_r of the ropes, virtual work says

    dU/dq_j + sum_r T_r dL_r/dq_j = Q_j,

with Q_j = 0 for a hook, for a joint that only ropes hold, and for a part that stands free, on which
the ground adds -F_p dz_p/dq_j for each pad. These equations give tensions and forces of the ground;
where they are too few, those of least square, as of equal springs. Q_j of a driven joint is what
its drive or spring has to hold. A span from a to b with the unit vector u along it has

    dL/dq = u . (db/dq - da/dq).
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from cable_sim.cranes.families.kit.tree import Array, Freedom, Tree
from cable_sim.errors import SpecError
from cable_sim.spec.nodes import Node
from cable_sim.spec.scene import GRAVITY

UP = np.array((0.0, 0.0, 1.0))
ROUNDING = 1e-6
"""Share of the largest force by which another may have the wrong sign [-]."""
LEAST_LEVER = 1e-12
"""Derivative of a rope's length below which it holds nothing [m/m, m/rad]."""


class Hung(NamedTuple):
    """A hook at rest: its centre of mass in the world (3,) [m], its heading [rad], and the weight
    on its ropes [N]."""

    centre: Array
    heading: float
    weight: float


class Rest(NamedTuple):
    """Forces at rest: tension of each rope [N], effort that each joint has to be held with [N or
    N m], and force of the ground on each part that stands on it [N]."""

    tension: dict[str, float]
    effort: dict[str, float]
    ground: dict[str, float]


def solve_rest(
    tree: Tree,
    ropes: Mapping[str, Sequence[Node]],
    hooks: Mapping[str, Hung],
    driven: Sequence[str],
) -> Rest:
    """Return the forces at rest.

    ``driven`` are the joints that drives or springs hold. Raises SpecError for a rope that would
    have to push, and for a crane that tips over.
    """
    hung = [Freedom(name, name, UP, hook.centre, False) for name, hook in hooks.items()]
    freedoms = [*tree.freedoms(), *hung]
    pads = [name for name, part in tree.parts.items() if part.is_pad]
    lever = np.zeros((len(freedoms), len(ropes) + len(pads)))
    for i, freedom in enumerate(freedoms):
        lever[i, : len(ropes)] = [_lever(tree, nodes, hooks, freedom) for nodes in ropes.values()]
        rises = [tree.velocity(freedom, pad, tree.centre(pad))[2] for pad in pads]
        lever[i, len(ropes) :] = [-rise for rise in rises]
    lift = np.array([_lift(tree, hooks, freedom) for freedom in freedoms])
    free = [i for i, freedom in enumerate(freedoms) if freedom.name not in driven]
    forces = np.linalg.lstsq(lever[free], -lift[free], rcond=None)[0]
    held = dict(zip((f.name for f in freedoms), (lift + lever @ forces).tolist(), strict=True))
    tension = dict(zip(ropes, forces[: len(ropes)].tolist(), strict=True))
    ground = dict(zip(pads, forces[len(ropes) :].tolist(), strict=True))
    _check_signs(tension, ground)
    return Rest(tension, {joint.name: held[joint.name] for _, joint in tree.joints()}, ground)


def _check_signs(tension: dict[str, float], ground: dict[str, float]) -> None:
    """Refuse ropes that push, and ground that pulls; what rounding leaves of them is made 0."""
    for what, forces in (("ropes", tension), ("parts", ground)):
        least = -ROUNDING * max(map(abs, forces.values()), default=0.0)
        for name, force in forces.items():
            if force < least:
                told = "to push" if what == "ropes" else "to be pulled down: the crane tips over"
                raise SpecError(f"{what}.{name}: would have {told}, with {-force:.4g} N")
            forces[name] = max(force, 0.0)


def _lift(tree: Tree, hooks: Mapping[str, Hung], freedom: Freedom) -> float:
    """Return dU/dq of what a coordinate moves [N or N m]."""
    if freedom.part in hooks:
        return hooks[freedom.part].weight
    return sum(
        part.mass * GRAVITY * float(tree.velocity(freedom, name, tree.centre(name))[2])
        for name, part in tree.parts.items()
        if part.mass is not None
    )


def _lever(tree: Tree, nodes: Sequence[Node], hooks: Mapping[str, Hung], freedom: Freedom) -> float:
    """Return dL/dq of a rope by a coordinate."""
    points = [node_point(tree, hooks, node) for node in nodes]
    rates = [tree.velocity(freedom, n.body, p) for n, p in zip(nodes, points, strict=True)]
    total = 0.0
    for i in range(len(nodes) - 1):
        way = points[i + 1] - points[i]
        total += float(way @ (rates[i + 1] - rates[i])) / float(np.linalg.norm(way))
    return total if abs(total) > LEAST_LEVER else 0.0


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
