"""A wire wound about a block, as in figures 3 and 14 of Servin et al. 2011."""

import math
from typing import Literal

from cable_sim.errors import SpecError
from cable_sim.scenes.catalogue import scene
from cable_sim.spec import Anchor, Body, Box, Cable, Hybrid, Loose, Obstacle, Scene
from cable_sim.spec.quantities import Vector

SIDE = 0.8
DEPTH = 1.0
"""Sides of the block [m]: across the axis of the winding, and along it, which is along y."""
PITCH = 0.12
"""Pitch of the winding [m]."""
TAIL = 0.2
"""Length of the wire behind the last edge [m], which lies on the block.

A longer one would hang down and be wound up again.
"""
DIAMETER = 0.004
OFF = 1e-4
"""Diameter of the wire, and initial distance of its path from the block [m]."""


def winding(turns: int) -> list[Vector]:
    """Return the corners of the path about the block [m].

    They go under it from the left, up, over it, and so on to the upper left.
    """
    most = int(DEPTH / PITCH)
    if not 1 <= turns <= most:
        raise SpecError(f"wrapped_block: turns must be 1 to {most}, not {turns}")
    out = 0.5 * (SIDE + DIAMETER) + OFF
    count = 4 * turns
    corners = ((-out, -out), (out, -out), (out, out), (-out, out))
    return [
        (x, 0.25 * PITCH * (i - 0.5 * (count - 1)), z) for i, (x, z) in enumerate(turns * corners)
    ]


@scene
def wrapped_block(
    friction: float = 0.5,
    mass: float = 100.0,
    wire: float = 1.0,
    length: float = 10.0,
    turns: int = 2,
    law: Literal["coulomb", "hmr_2011"] = "hmr_2011",
) -> Scene:
    """A block falls out of the wire that is wound about it: it turns, and the wire comes off edge
    by edge.

    Servin et al. 2011, figures 3 and 14, a block of 100 kg in a wire of 1 kg and 10 m; all other
    dimensions are chosen here, and the wire is softer than steel. It hangs on a hook straight above
    the block's left side, and starts with contact nodes alone, one on each edge that it goes over,
    without slack. Its other end is free and lies on the block. With friction the block rolls down
    the wire, without it the wire runs through. Both let it go in the end.

    ``friction`` of the block [-], its ``mass`` [kg], the ``wire``'s mass [kg] and ``length`` [m],
    ``turns`` about the block [-], ``law`` of friction: hmr_2011, the paper's, or coulomb.
    """
    corners = winding(turns)
    wound = sum(math.dist(a, b) for a, b in zip(corners, corners[1:], strict=False))
    left, front, low = corners[0]
    _, back, high = corners[-1]
    up = length - wound - TAIL + low
    if up < SIDE:
        raise SpecError(
            f"wrapped_block: length must be more than {wound + TAIL + SIDE - low:.2f}, not {length}"
        )
    block = Box(SIDE, DEPTH, SIDE)
    return Scene(
        name="wrapped_block",
        bodies=(Body("block", mass, shape=block),),
        obstacles=(Obstacle("block", block, body="block", friction=friction),),
        cables=(
            Cable(
                "wire",
                (Anchor("world", (left, front, up)), Loose((left, back, high - TAIL))),
                ea=1e5,
                length=length,
                damping_time=0.02,
                diameter=DIAMETER,
                touches=("block",),
                contacts=4 * turns + 12,
                hybrid=Hybrid(
                    density=wire / length,
                    path=tuple(corners),
                    wound=True,
                    friction_law=law,
                    damping=0.5,
                ),
            ),
        ),
    )
