"""Sensors, computed quantities and limiters of a crane of parts.

*Load.* Of the first hook: the mean pull of both ends of its ropes times the falls, less the block.
The ropes of a spreader have pins at their dead ends alone. While the hoist runs, the falls there
differ from the others by the loss of a wheel, so that the load reads 1 % off at 0.98.
"""

import math
from collections.abc import Mapping
from typing import Any

from cable_sim.cranes.crane import Axis
from cable_sim.cranes.families.kit.reach import radius_quantities, reach_of, rope_of_joint
from cable_sim.cranes.families.kit.words.spec import KitAxis, KitFile, KitLimiters
from cable_sim.cranes.parts.devices import Block, Limiter, Quantity
from cable_sim.cranes.parts.instruments import devices
from cable_sim.errors import SpecError
from cable_sim.spec.scene import GRAVITY

READINGS = {
    "slewing": "slewing angle",
    "luffing": "luffing angle",
    "gantry": "gantry travel",
    "trolley": "trolley travel",
}
"""Names on instruments of the coordinates of usual axes that move a joint."""


def kit_devices(file: KitFile, axes: tuple[Axis, ...], falls: Mapping[str, int]) -> dict[str, Any]:
    """Return the fields of a crane with these devices; empty for a file without any.

    ``falls`` are the numbers of parts of line of the hooks. Raises SpecError for a limiter that
    watches what is not measured.
    """
    if not (file.sensors or file.gauges or file.limiters):
        return {}
    ropes = [rope for hook in file.hooks.values() for rope in hook.ropes]
    sensors = file.sensors.sensors(axes, ropes) if file.sensors else ()
    sensors += file.gauges
    limits = file.limiters or KitLimiters()
    hoist = next((axis for axis in axes if axis.name == "hoist"), None)
    quantities: list[Quantity] = []
    limiters: list[Limiter] = []
    if hoist is not None and file.hooks:
        first = next(iter(file.hooks.values())).ropes
        quantities += limits.hoist_quantities(hoist, first)
        quantities += _load_quantities(file, falls)
        if file.spreader:
            quantities += _spreader_quantities(file, limits, falls)
        limiters += [*limits.hoist_limiters(), *limits.load_limiters(_outward(file))]
        limiters += limits.spreader_limiters()
    elif limits.hoist_limiters() or limits.load_limiters(()):
        raise SpecError("limiters: those of a hoist need an axis 'hoist' on the rope of a hook")
    quantities += file.quantities
    made = devices(sensors, tuple(quantities), (*limiters, *limits.others))
    return made | {"dials": tuple(dict.fromkeys(own.quantity for own in limits.others))}


def _load_quantities(file: KitFile, falls: Mapping[str, int]) -> tuple[Quantity, ...]:
    """Return load, radius and their shares of the rated capacity."""
    hook = next(iter(file.hooks))
    pins = ("pull",) if file.spreader else ("pull", "lead")
    ends = tuple(f"{rope}.{end}" for rope in file.hooks[hook].ropes for end in pins)
    weight = falls[hook] / len(ends) / GRAVITY
    made = [Quantity("load", "sum", ends, (weight,) * len(ends), -file.hook_mass(hook))]
    if rated := file.rated_load():
        made.append(Quantity("load.share", "sum", ("load",), (1.0 / rated,)))
    reading = {on: f"{name}.position" for on, name in file.axis_on.items()}
    for name, part in file.parts.items():
        for gauge in file.gauges:
            if part.joint and gauge.signal == f"{name}.inclination.x":
                reading.setdefault(part.joint.name, gauge.name)
    radius = radius_quantities(file, hook, reading)
    if radius and file.chart:
        chart = file.chart.programmed
        made += [*radius, Quantity("load_moment", "chart_share", ("load", "radius"), chart=chart)]
    return tuple(made)


def _spreader_quantities(
    file: KitFile, limits: KitLimiters, falls: Mapping[str, int]
) -> tuple[Quantity, ...]:
    """Return what limiters of a spreader watch; its ropes are on the sides of their wheels."""
    name, hook = next(iter(file.hooks.items()))
    wheels = {f"{name}.{place}": wheel.at[1] for place, wheel in hook.wheels.items()}
    ends = (next(e for e in file.ropes[rope].path if str(e) in wheels) for rope in hook.ropes)
    sides = [math.copysign(1.0, wheels[str(end)]) for end in ends]
    pulls = len(hook.ropes) / falls[name] * GRAVITY * ((file.rated_load() or 0.0) + hook.mass)
    return limits.spreader_quantities(hook.ropes, sides, pulls)


def _outward(file: KitFile) -> tuple[Block, ...]:
    """Return the motions that take the first hook outward."""
    axis_on = file.axis_on
    reach = reach_of(file, next(iter(file.hooks)))
    if reach is None:
        return ()
    slides = [Block(axis_on[name], 1) for name in reach.slides if name in axis_on]
    if reach.luffing in axis_on:
        return (*slides, Block(axis_on[reach.luffing], -1))
    rope = rope_of_joint(file, reach.luffing) if reach.luffing else ""
    return (*slides, *((Block(rope, 1),) if rope else ()))


def reading_of(file: KitFile, name: str, axis: KitAxis, hook: str) -> str:
    """Return what instruments call the coordinate of an axis, alike on all cranes."""
    if axis.reading or axis.on not in file.ropes:
        return axis.reading or READINGS.get(name, "")
    carrier = file.hooks[hook].below.rpartition(".")[0] if hook else ""
    return (f"{hook} below {carrier}" if hook else f"{axis.on} paid out").replace("_", " ")
