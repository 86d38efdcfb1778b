"""Reeving: path of the hoist rope over drum, trolley and hook block, and values derived from it.

A wheel that turns the rope by half a circle appears as its two tangent points: the first carries
the wheel's loss, the second is a smooth eye. So the falls hang where the wheel's rim is, and the
rope across the wheel has constant length.

*Block yaw.* A laid rope under the tension T of n falls puts the torque n M, M = k_t d T + (GJ /
L_rope) twist, on the block, whose yaw psi twists the rope by -n psi. The falls hold against it
because yaw makes them lean: with the ends of a fall at p on the trolley and at q on the block, in
plan from the block's axis at psi = 0, and h between their heights, each gives T (p . q) sin(psi) /
h. With falls S_t apart at the trolley and S_b at the block, p . q is S_t S_b / 4 for each of the
two, and with the weight W = n T

    W S_t S_b sin(psi) / (4 h) = W (k_t d - GJ n psi / (L_rope T)),

which has no solution beyond h = S_t S_b / (4 k_t d) but after several turns: the falls wrap around
one another, the block is cabled. At equal spacing S this is the known S^2 / (4 k_t d). On more
falls S_t S_b stands for four times the mean of p . q; at equal spacing S is then their diagonal
(Wire Rope Corporation of America, "How to evaluate block stability due to rigging geometry"). That
wrapped falls touch is not modelled.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from cable_sim.spec.cables.nodes import Node
from cable_sim.spec.cables.ropes import Rope

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]


def fall_spans(
    nodes: Sequence[Node], upper: str = "trolley", lower: str = "hook_block"
) -> tuple[int, ...]:
    """Return the spans that carry the block: those between the bodies ``upper`` and ``lower``."""
    pairs = enumerate(zip(nodes, nodes[1:], strict=False))
    return tuple(i for i, (a, b) in pairs if {a.body, b.body} == {upper, lower})


def uprightness(points: Array, falls: Sequence[int]) -> float:
    """Return the lift of a rope over its tension [-]: the sum of the cosines of the slopes of its
    ``falls``, spans between the points (n, 3) [m], against the vertical."""
    spans = np.diff(points, axis=0)[list(falls)]
    return float(np.sum(np.abs(spans[:, 2]) / np.linalg.norm(spans, axis=1)))


def yaw_torque(points: Array, on_block: Flags, rope: Rope, weight: float, yaw: float) -> float:
    """Return the torque about its axis on a block that hangs turned by ``yaw`` [N m]: of the rope's
    lay and of the falls.

    ``points`` (n, 3) are those of the rope's path from the block's centre of mass, at yaw 0 [m];
    ``on_block`` (n,) tells which of them turn with it.
    """
    cos, sin = math.cos(yaw), math.sin(yaw)
    turn = np.array([(cos, -sin, 0.0), (sin, cos, 0.0), (0.0, 0.0, 1.0)])
    points = np.where(on_block[:, None], points @ turn.T, points)
    spans = np.diff(points, axis=0)
    lengths = np.linalg.norm(spans, axis=1)
    falls = np.flatnonzero(on_block[:-1] != on_block[1:])
    tension = weight / uprightness(points, falls.tolist())
    twist = -falls.size * yaw
    unstretched = (lengths.sum() + rope.torque_arm * twist) / (1.0 + tension / rope.ea)
    torque = rope.torque_arm * tension + rope.gj / unstretched * twist
    total = 0.0
    for i in falls:
        up = -1.0 if on_block[i + 1] else 1.0
        x, y, _ = points[i] if on_block[i] else points[i + 1]
        u, v, w = up * spans[i] / lengths[i]
        total += tension * (x * v - y * u) + torque * w
    return float(total)


def resting_yaw(points: Array, on_block: Flags, rope: Rope, weight: float) -> float:
    """Return the yaw at which the block comes to rest under a weight [N], within a quarter turn of
    the lay's sense [rad]; see :func:`yaw_torque`.

    0 for a block that does not come to rest there.
    """
    quarter = math.copysign(0.5 * math.pi, rope.torque_arm)
    if yaw_torque(points, on_block, rope, weight, quarter) * quarter >= 0.0:
        return 0.0
    from scipy.optimize import brentq  # slow to import, and most ropes swivel

    return float(
        brentq(
            lambda yaw: yaw_torque(points, on_block, rope, weight, yaw), 0.0, quarter, xtol=1e-14
        )
    )
