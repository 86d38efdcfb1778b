"""Tackles: a rope in n falls between an upper and a lower block, its advantage, and its wheels.

*Advantage.* A wheel of efficiency E passes on E times the tension that comes in. When the load
rises, each fall has E times the tension of the one before, counted from the drum. With the pull F
at the drum, and ``leads`` wheels between the drum and the first fall, n falls carry

    W = F E^leads (1 + E + ... + E^(n-1)) = F E^leads (1 - E^n) / (1 - E),

so the advantage W / F of 4 falls with one lead sheave of E = 0.917 is 3.24, and the lead line
factor F / W is 0.309 (McAllister, "Pipeline Rules of Thumb Handbook", and load tables of mobile
cranes print 3.25 and 0.309). When the load sinks, friction helps the drum: each fall has 1 / E
times the tension of the one before, and the same formula holds with 1 / E for E. Without losses W =
n F both ways.
"""

import dataclasses
import math
from collections.abc import Sequence

from cable_sim.spec import Anchor, Eye, Sheave
from cable_sim.spec.cables.nodes import Node
from cable_sim.spec.quantities import Vector

PIN_RADIUS = 0.04
"""Drawn radius of a node that is only one tangent point of a wheel [m]."""
ALONG = (1.0, 0.0, 0.0)
ACROSS = (0.0, 1.0, 0.0)


def swivel_end(nodes: Sequence[Node]) -> tuple[Node, ...]:
    """Return a rope's nodes with a dead end that swivels."""
    end = nodes[-1]
    assert isinstance(end, Anchor)
    return (*nodes[:-1], dataclasses.replace(end, swivel=True))


def half_turn(
    body: str, first: Vector, second: Vector, efficiency: float, axis: Vector = ACROSS
) -> tuple[Sheave, Eye]:
    """Return the two tangent points of a wheel that turns the rope by half a circle.

    The rope runs on at ``first`` and off at ``second`` [m], in the frame of the ``body``. The
    ``efficiency`` is a share [-]; the length of the ``axis`` does not matter. A wheel of a tackle
    may stand a little aslant to reach the next one's row.
    """
    on = Sheave(body, first, efficiency, radius=PIN_RADIUS, axis=axis, half_turn=True)
    return on, Eye(body, second)


def advantage(n_falls: int, efficiency: float, leads: int = 1, lowering: bool = False) -> float:
    """Load over pull at the drum of a tackle whose rope runs [-]; see above."""
    e = 1.0 / efficiency if lowering else efficiency
    return math.fsum(e ** (leads + k) for k in range(n_falls))


def lead_line_factor(
    n_falls: int, efficiency: float, leads: int = 1, lowering: bool = False
) -> float:
    """Pull at the drum over load [-]: the inverse of the :func:`advantage`."""
    return 1.0 / advantage(n_falls, efficiency, leads, lowering)
