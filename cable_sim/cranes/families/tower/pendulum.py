"""Length of the pendulum of a load on slings below the hook block of a tower crane."""

from typing import TYPE_CHECKING

from cable_sim.cranes.parts.pendulum import (
    PendulumLength,
    Rods,
    below_hook,
    bodies_of,
    falls_stiffness,
)
from cable_sim.spec.scene import GRAVITY

if TYPE_CHECKING:
    from cable_sim.cranes.crane import Crane


def length_below_hook(crane: "Crane") -> PendulumLength:
    """Return the length for two rods: falls with the block down to the hook, and slings with the
    load."""
    file = crane.details
    block, load = bodies_of(crane, "hook_block", "load")
    weight = GRAVITY * (block.mass + load.mass)
    above = file.reeving.hook_below_axle - file.reeving.axle_above_block
    below = file.rig.slings.height + 0.5 * file.rig.load.size[2]

    def length(hoist: float, across: bool = False) -> float:
        hook = hoist + weight / falls_stiffness(crane, hoist)
        return below_hook(block, load, Rods(hook - above, hook, below), across)

    return length
