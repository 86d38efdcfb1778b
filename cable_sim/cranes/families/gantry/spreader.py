"""A spreader with turning twistlocks: the joint that stands for them; and all that touches."""

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from cable_sim.cranes.crane import Twistlocks
from cable_sim.cranes.parts.solids import beam, touch_all, touch_as
from cable_sim.spec import Box, Collision, Joint, Obstacle, Polyhedron, Segments, Visual
from cable_sim.spec.quantities import WORLD, Vector

if TYPE_CHECKING:
    from cable_sim.cranes.families.gantry.spec import GantryCrane

SOLID = re.compile("(girder|leg|sill|portal_beam|trolley_side|hull)_.*|cab|cabins")
"""Names of what is drawn that is a solid, too."""


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
    return Twistlocks("twistlocks", "spreader", "container")


def gantry_solids(visuals: Iterable[Visual]) -> Iterator[Obstacle]:
    """Yield the solids of crane and ship: some of the boxes and bars that are drawn."""
    for shown in visuals:
        if SOLID.fullmatch(shown.name) and isinstance(shown.shape, Segments):
            ((start, end),) = shown.shape.ends
            side = 2.0 * shown.shape.radius
            yield beam(shown.name, shown.body, start, end, (side, side))
        elif SOLID.fullmatch(shown.name) and isinstance(shown.shape, Box | Polyhedron):
            yield Obstacle(shown.name, shown.shape, shown.body, shown.position, drawn=False)


def gantry_collision(spec: "GantryCrane", solids: Iterable[Obstacle]) -> Collision:
    """Return the contact of everything; twistlocks that turn let go of what then touches."""
    own = [solid.name for solid in solids if solid.body != WORLD]
    ground = spec.site.ground
    locked = [("spreader", "container", touch_as(ground))] if spec.rig.twistlocks else []
    return touch_all(ground, own, locked)
