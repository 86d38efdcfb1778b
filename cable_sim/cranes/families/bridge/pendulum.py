"""Length of the pendulum of the bob of a bridge crane."""

from typing import TYPE_CHECKING

from cable_sim.cranes.parts.pendulum import (
    PendulumLength,
    bodies_of,
    falls_stiffness,
    length_below_axle,
)
from cable_sim.spec.scene import GRAVITY

if TYPE_CHECKING:
    from cable_sim.cranes.crane import Crane


def length_on_a_rope(crane: "Crane") -> PendulumLength:
    """Return the length with the stretch of the falls; a bob tied at its middle is a point."""
    (bob,) = bodies_of(crane, "hook_block")
    axle = crane.details.rig.bob.axle

    def length(hoist: float, across: bool = False) -> float:
        depth = hoist + bob.mass * GRAVITY / falls_stiffness(crane, hoist)
        return length_below_axle(bob, depth, axle, across)

    return length
