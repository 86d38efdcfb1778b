"""Sensors and limiters of a tower crane.

*Load.* Both ends of the hoist rope are on the jib, and so are their load pins. While the trolley
travels, the rope runs over the wheels of trolley and block all one way, and each takes its loss:
with three wheels at 0.98 the dead end carries 3 % less or more than the falls do, the sense of
travel decides which, and the mean of both ends 0.05 % more. The wheel at the head of the jib, over
which nothing runs then, still holds what it held before: the mean may be wrong by 1 % for it.
"""

from typing import Any

from cable_sim.cranes.crane import Axis
from cable_sim.cranes.families.tower.spec import TowerCrane
from cable_sim.cranes.parts.devices import Block, Quantity
from cable_sim.cranes.parts.instruments import LoadLimiters, devices
from cable_sim.spec.scene import GRAVITY

OUT = Block("trolley", 1)
ENDS = ("hoist_rope.pull", "hoist_rope.lead")


def tower_devices(spec: TowerCrane, axes: tuple[Axis, ...]) -> dict[str, Any]:
    """The fields of a crane with these devices; empty for a file without sensors and limiters."""
    if spec.sensors is None and spec.limiters is None:
        return {}
    limits = spec.limiters or LoadLimiters()
    ropes = ("hoist_rope",)
    sensors = spec.sensors.sensors(axes, ropes) if spec.sensors else ()
    n = spec.reeving.n_falls
    chart = spec.chart
    quantities = (
        *limits.hoist_quantities(next(axis for axis in axes if axis.name == "hoist"), ropes),
        Quantity("load", "sum", ENDS, (0.5 * n / GRAVITY,) * 2, -spec.hook_block_mass),
        Quantity("load.share", "sum", ("load",), (1.0 / chart.q_max,)),
        Quantity(
            "load_moment", "chart_share", ("load", "trolley.position"), chart=chart.programmed
        ),
    )
    limiters = (*limits.hoist_limiters(), *limits.load_limiters((OUT,)))
    return devices(sensors, quantities, limiters)
