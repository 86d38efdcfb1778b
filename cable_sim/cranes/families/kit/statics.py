"""Statics of a crane of parts: tensions of its ropes, and efforts of its drives, at rest.

Coordinates q are those of the joints, the heights of the hooks, and the tilts of spreaders. With
the weights' potential U and the lengths L_r of the ropes, virtual work says

    dU/dq_j + sum_r T_r dL_r/dq_j = Q_j,

with Q_j = 0 for a hook, for a joint that only ropes hold, and for a part that stands free, on which
the ground adds -F_p dz_p/dq_j for each pad. These equations give tensions and forces of the ground;
where they are too few, those of least square, as of equal springs. A spreader has Q_j = 0 for its
roll and pitch, too: on four falls with the half spacings a and b, and its weight aside by (x, y),
the tensions of least square go as 1 + x x_i / a^2 + y y_i / b^2, those of a stiff body. Q_j of a
driven joint is what its drive or spring has to hold. A span from a to b with the unit vector u
along it has

    dL/dq = u . (db/dq - da/dq).

A rope has another tension on the other side of a wheel with friction: its strands count as ropes. A
strand of known tension adds T dL/dq to dU/dq, and a span that sags half of its weight across the
chord for each end, as the elevation cable does. A line adds what of it hangs on its tie.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from cable_sim.cranes.families.kit.strands import End, Hung, Strand
from cable_sim.cranes.families.kit.tree import Array, Freedom, Tree
from cable_sim.errors import SpecError
from cable_sim.spec.scene import GRAVITY

ROUNDING = 1e-6
"""Share of the largest force by which another may have the wrong sign [-]."""
LEAST_LEVER = 1e-12
"""Derivative of a rope's length below which it holds nothing [m/m, m/rad]."""


class Rest(NamedTuple):
    """Forces at rest: tension of each strand by its name [N], effort that each coordinate has to be
    held with [N or N m], force of the ground on each part that stands on it [N], and what is left
    over on what nothing else holds (n,) [N or N m]."""

    tension: dict[str, float]
    effort: dict[str, float]
    ground: dict[str, float]
    left: Array


def solve_rest(
    tree: Tree,
    strands: Sequence[Strand],
    hooks: Mapping[str, Hung],
    driven: Sequence[str],
    ties: Sequence[End] = (),
) -> Rest:
    """Return the forces at rest, if the crane can be at rest there: see ``left``.

    ``driven`` are the joints that drives or springs hold; on the ``ties`` hang lines.
    """
    hung = [freedom for name, hook in hooks.items() for freedom in hook.freedoms(name)]
    freedoms = [*tree.freedoms(), *hung]
    pads = [name for name, part in tree.parts.items() if part.is_pad]
    levers = np.array([[_lever(tree, s, freedom) for s in strands] for freedom in freedoms])
    levers = levers.reshape(len(freedoms), len(strands))
    rises = [[-tree.velocity(f, pad, tree.centre(pad))[2] for pad in pads] for f in freedoms]
    lever = np.hstack([levers, np.array(rises).reshape(len(freedoms), len(pads))])
    lift = np.array([_lift(tree, hooks, strands, freedom) for freedom in freedoms])
    lift += [sum(_share(tree, freedom, end) for end in ties) for freedom in freedoms]
    unknown = [i for i, s in enumerate(strands) if s.tension is None]
    unknown += range(len(strands), lever.shape[1])
    forces = np.zeros(lever.shape[1])
    forces[: len(strands)] = [s.tension or 0.0 for s in strands]
    lift += lever @ forces
    free = [i for i, freedom in enumerate(freedoms) if freedom.name not in driven]
    found = np.linalg.lstsq(lever[np.ix_(free, unknown)], -lift[free], rcond=None)[0]
    forces[unknown] = found
    total = lift + lever[:, unknown] @ found
    held = dict(zip((f.name for f in freedoms), total.tolist(), strict=True))
    tension = dict(zip((s.name for s in strands), forces[: len(strands)].tolist(), strict=True))
    ground = dict(zip(pads, forces[len(strands) :].tolist(), strict=True))
    return Rest(tension, held, ground, total[free])


def check_signs(rest: Rest) -> Rest:
    """Return the forces without what rounding leaves of them.

    Raises SpecError for ropes that would have to push, and for a crane that tips over.
    """
    checked = []
    for what, forces in (("ropes", rest.tension), ("parts", rest.ground)):
        least = -ROUNDING * max(map(abs, forces.values()), default=0.0)
        for name, force in forces.items():
            if force < least:
                told = "to push" if what == "ropes" else "to be pulled down: the crane tips over"
                raise SpecError(f"{what}.{name}: would have {told}, with {-force:.4g} N")
        checked.append({name: max(force, 0.0) for name, force in forces.items()})
    return rest._replace(tension=checked[0], ground=checked[1])


def _lift(
    tree: Tree, hooks: Mapping[str, Hung], strands: Sequence[Strand], freedom: Freedom
) -> float:
    """Return dU/dq of what a coordinate moves [N or N m]."""
    if freedom.part in hooks:
        return hooks[freedom.part].lift(freedom)
    parts = sum(
        part.mass * GRAVITY * float(tree.velocity(freedom, name, tree.centre(name))[2])
        for name, part in tree.parts.items()
        if part.mass is not None
    )
    parts += sum(
        mass * GRAVITY * float(tree.velocity(freedom, name, middle)[2])
        for name, mass, middle in tree.beam_weights()
    )
    return parts + sum(_share(tree, freedom, end) for strand in strands for end in strand.loads())


def _share(tree: Tree, freedom: Freedom, end: End) -> float:
    """Return what the load of an end adds to dU/dq [N or N m]."""
    return float(end.load @ tree.velocity(freedom, end.body, end.point))


def _lever(tree: Tree, strand: Strand, freedom: Freedom) -> float:
    """Return dL/dq of a strand by a coordinate."""
    points = strand.points
    rates = [tree.velocity(freedom, b, p) for b, p in zip(strand.bodies, points, strict=True)]
    total = 0.0
    for i in range(len(points) - 1):
        way = points[i + 1] - points[i]
        total += float(way @ (rates[i + 1] - rates[i])) / float(np.linalg.norm(way))
    return total if abs(total) > LEAST_LEVER else 0.0
