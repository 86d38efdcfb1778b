"""A spreader with turning twistlocks: the joint that stands for them, and the boxes that then touch
one another."""

from typing import TYPE_CHECKING

from cable_sim.cranes.crane import Twistlocks
from cable_sim.cranes.families.gantry.surroundings import CONTAINER
from cable_sim.cranes.families.gantry.yard_look import paint
from cable_sim.spec import Box, BoxContact, Joint, Obstacle
from cable_sim.spec.quantities import Vector

if TYPE_CHECKING:
    from cable_sim.cranes.families.gantry.spec import GantryCrane


def twistlocks_joint(spec: "GantryCrane", spreader: Vector) -> Joint:
    """The joint of spreader and container, for a spreader with its centre of mass at a point
    [m]."""
    assert spec.rig.load is not None
    x, y, z = spreader
    is_open = spec.rig.twistlocks == "open"
    top = (0.0, 0.0, 0.5 * spec.rig.load.size[2]) if is_open else None
    point = (x, y, z - spec.spreader_centre)
    return Joint(
        "twistlocks", "fixed", "container", "spreader", point=point, open=is_open, seat=top
    )


def twistlocks_that_turn(spec: "GantryCrane") -> Twistlocks | None:
    """Return the twistlocks for a machine; None if they hold the container for good."""
    if spec.rig.twistlocks is None:
        return None
    return Twistlocks(
        "twistlocks", "spreader", "container", tuple(stack.name for stack in spec.site.stacks)
    )


def stack_blocks(spec: "GantryCrane") -> tuple[Obstacle, ...]:
    """The stacks as boxes."""
    if spec.rig.twistlocks is None:
        return ()
    blocks = []
    for i, stack in enumerate(spec.site.stacks):
        shape = Box(CONTAINER[0], CONTAINER[1], stack.tiers * CONTAINER[2])
        middle = (*stack.xy, stack.base + 0.5 * shape.z)
        blocks.append(Obstacle(stack.name, shape, position=middle, color=paint(i, stack.tiers - 1)))
    return tuple(blocks)


def container_contacts(spec: "GantryCrane") -> tuple[BoxContact, ...]:
    """Return the contacts of the spreader with container and stacks, and of the container with the
    stacks.

    All are as stiff as the ground.
    """
    if spec.rig.twistlocks is None:
        return ()
    ground = spec.site.ground
    stacks = tuple(stack.name for stack in spec.site.stacks)
    pairs = {"spreader": ("container", *stacks), "container": stacks}
    return tuple(
        BoxContact(box, others, ground.friction, ground.stiffness, ground.damping_time)
        for box, others in pairs.items()
        if others
    )
