"""Length of the pendulum of spreader and container below the head block of a gantry crane.

On parallel falls of the length h the head block stays level but for what the ropes stretch.
Spreader and container are one body, m and I, with its middle d below the head block's sheaves. It
tilts against gravity and ropes of the length l, each with n falls on a corner at y from the middle.
With the angles of ``cranes/parts/pendulum.py``

    a = m h^2,   b = m h d,   c = m d^2 + I,   k = m g h,   q = m g d + sum of y^2 n^2 E A / l.

Falls that are further apart above than below, or the other way round, tilt the load as it sways:
they are not meant. Where sheaves stick, as in sways of some tenths of a degree, the load tilts a
little less.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from cable_sim.cranes.parts.pendulum import (
    PendulumLength,
    bodies_of,
    falls_stiffness,
    moments,
    slower_length,
)
from cable_sim.spec.scene import GRAVITY

if TYPE_CHECKING:
    from cable_sim.cranes.crane import Crane


def length_below_head_block(crane: "Crane") -> PendulumLength:
    """Return the length for the load of the crane's file, or for an empty spreader."""
    file = crane.details
    hung = bodies_of(crane, "spreader", "container", "cargo")
    height = file.rig.spreader.height
    depths = [
        height - file.spreader_centre
        if body.name == "spreader"
        else height + 0.5 * file.rig.load.size[2]
        for body in hung
    ]
    mass = sum(body.mass for body in hung)
    middle = sum(body.mass * depth for body, depth in zip(hung, depths, strict=True)) / mass
    apart = sum(body.mass * (depth - middle) ** 2 for body, depth in zip(hung, depths, strict=True))
    inertia = [sum(moments(body)[side] for body in hung) + apart for side in (0, 1)]

    def length(hoist: float, across: bool = False) -> float:
        stiffness = falls_stiffness(crane, hoist)
        h = hoist - height + mass * GRAVITY / stiffness
        corner = 0.5 * file.reeving.head_block_spacing[across]
        return slower_length(
            mass * h**2,
            mass * h * middle,
            mass * middle**2 + inertia[0 if across else 1],
            mass * GRAVITY * h,
            mass * GRAVITY * middle + stiffness * corner**2,
        )

    return length


def spreader_share(crane: "Crane") -> Callable[[float], float]:
    """Return a sway camera's reading over the pendulum's small angle [-], of the hoist's coordinate
    [m].

    It looks at the middle of what the falls carry. A spreader stays level, so its middle, which is
    below its sheaves, goes aside by less than the falls' slope.
    """
    file = crane.details
    hung = crane.suspension
    assert hung is not None
    height = {body.name: body.position[2] for body in crane.scene.bodies}
    above = height[hung.trolley] - height[hung.hook] - file.depth_start
    sheaves = file.rig.spreader.height
    return lambda hoist: (hoist - sheaves) / (hoist + above)
