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
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from cable_sim.spec.nodes import Node
from cable_sim.spec.quantities import Vector
from cable_sim.spec.ropes import Rope


def fall_spans(
    nodes: Sequence[Node], upper: str = "trolley", lower: str = "hook_block"
) -> tuple[int, ...]:
    """Return the spans that carry the block: those between the bodies ``upper`` and ``lower``."""
    pairs = enumerate(zip(nodes, nodes[1:], strict=False))
    return tuple(i for i, (a, b) in pairs if {a.body, b.body} == {upper, lower})


def path_points(
    nodes: Sequence[Node], origins: Mapping[str, Vector], yaw: float = 0.0
) -> NDArray[np.float64]:
    """Points of the path (n, 3) [m], with the bodies upright at their ``origins`` [m], the block
    turned by ``yaw``."""
    turned = np.array(
        [(math.cos(yaw), -math.sin(yaw), 0.0), (math.sin(yaw), math.cos(yaw), 0.0), (0.0, 0.0, 1.0)]
    )
    at = [turned @ node.position if node.body == "hook_block" else node.position for node in nodes]
    return np.array(
        [np.add(origins[node.body], place) for node, place in zip(nodes, at, strict=True)]
    )


def holding_tension(
    nodes: Sequence[Node], origins: Mapping[str, Vector], weight: float, yaw: float = 0.0
) -> float:
    """Tension [N] with which all falls together hold a weight [N] at rest: ``weight / sum of
    cos(slope)``."""
    spans = np.diff(path_points(nodes, origins, yaw), axis=0)[list(fall_spans(nodes))]
    return float(weight / np.sum(np.abs(spans[:, 2]) / np.linalg.norm(spans, axis=1)))


def yaw_torque(
    nodes: Sequence[Node], origins: Mapping[str, Vector], rope: Rope, weight: float, yaw: float
) -> float:
    """Torque about its axis on a block that hangs turned by ``yaw`` [N m]: of the rope's lay and of
    the falls."""
    points = path_points(nodes, origins, yaw)
    falls = fall_spans(nodes)
    lengths = np.linalg.norm(np.diff(points, axis=0), axis=1)
    tension = holding_tension(nodes, origins, weight, yaw)
    twist = -len(falls) * yaw
    unstretched = (lengths.sum() + rope.torque_arm * twist) / (1.0 + tension / rope.ea)
    torque = rope.torque_arm * tension + rope.gj / unstretched * twist
    total = 0.0
    for i in falls:
        lower, upper = (
            (points[i], points[i + 1])
            if nodes[i].body == "hook_block"
            else (points[i + 1], points[i])
        )
        x, y, _ = lower - origins["hook_block"]
        u, v, w = (upper - lower) / lengths[i]
        total += tension * (x * v - y * u) + torque * w
    return float(total)


def resting_yaw(
    nodes: Sequence[Node], origins: Mapping[str, Vector], rope: Rope, weight: float
) -> float:
    """Yaw at which the block comes to rest under a weight [N], within a quarter turn of the lay's
    sense [rad].

    0 for a rope that swivels, and for a block that does not come to rest there.
    """
    quarter = math.copysign(0.5 * math.pi, rope.torque_arm)
    if (
        getattr(nodes[-1], "swivel", False)
        or yaw_torque(nodes, origins, rope, weight, quarter) * quarter >= 0.0
    ):
        return 0.0
    from scipy.optimize import brentq  # slow to import, and most ropes swivel

    return float(
        brentq(lambda yaw: yaw_torque(nodes, origins, rope, weight, yaw), 0.0, quarter, xtol=1e-14)
    )
