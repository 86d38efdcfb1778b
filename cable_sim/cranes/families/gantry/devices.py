"""Sensors and limiters of a gantry crane on four ropes.

*Load.* Of each rope the pin at its dead end on the trolley carries one of two falls. While the
hoist runs, the other differs from that by the loss of one wheel, so that the load reads 1 % off at
0.98; at rest it does not.
"""

from typing import Any

from cable_sim.cranes.crane import Axis
from cable_sim.cranes.families.gantry.limiter_spec import GantryLimiters
from cable_sim.cranes.families.gantry.spec import GantryCrane
from cable_sim.cranes.parts.devices import Quantity
from cable_sim.cranes.parts.instruments import UP, devices
from cable_sim.spec.scene import GRAVITY

SIDES = (1.0, 1.0, -1.0, -1.0)
"""Signs of the ropes about the middle of the runway's length, anticlockwise from above.

The first two are on the side of +y.
"""
LEAST_TOLD = 0.3
"""Share of the rated load, with the spreader, below which eccentricity is not reported [-].

A lighter spreader may stand on something.
"""


def gantry_devices(
    spec: GantryCrane, axes: tuple[Axis, ...], ropes: tuple[str, ...]
) -> dict[str, Any]:
    """The fields of a crane with these devices; empty for a file without sensors and limiters."""
    if spec.sensors is None and spec.limiters is None:
        return {}
    limits = spec.limiters or GantryLimiters()
    pulls = tuple(f"{rope}.pull" for rope in ropes)
    sensors = spec.sensors.sensors(axes, ropes) if spec.sensors else ()
    per_rope = spec.n_falls / len(ropes)
    least = LEAST_TOLD * (spec.crane.rated_load + spec.spreader_mass) * GRAVITY / per_rope
    quantities = (
        *limits.hoist_quantities(next(axis for axis in axes if axis.name == "hoist"), ropes),
        Quantity("load", "sum", pulls, (per_rope / GRAVITY,) * len(ropes), -spec.spreader_mass),
        Quantity("load.share", "sum", ("load",), (1.0 / spec.crane.rated_load,)),
        Quantity("eccentricity", "larger_share", pulls, SIDES, least),
        Quantity("pull.largest", "largest", pulls),
        Quantity("pull.rate", "rate", ("pull.largest",), window=limits.snag_window),
        Quantity("pull.spread", "sum", ("pull.largest", "pull.least"), (1.0, -1.0)),
    )
    limiters = [*limits.hoist_limiters()]
    brake: dict[str, Any] = {"stop": 0, "emergency_brake": True}
    for name, quantity, effects in (
        ("load_limiter", "load.share", {"blocks": (UP,)}),
        ("eccentric_load", "eccentricity", {"blocks": (UP,)}),
        ("snag_protection", "pull.rate", brake),
        ("rope_monitor", "pull.spread", brake),
    ):
        if threshold := getattr(limits, name):
            limiters.append(threshold.limiter(name, quantity, **effects))
    return devices(sensors, quantities, tuple(limiters))
