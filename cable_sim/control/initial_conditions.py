"""What a scenario changes of a crane's file: load, start, wind, seeds, in the terms of each
family."""

import dataclasses
import math
from typing import TYPE_CHECKING, Any

from cable_sim.cranes.catalogue import read_crane
from cable_sim.cranes.families.bridge.spec import BridgeCrane
from cable_sim.cranes.families.gantry.spec import GantryCrane
from cable_sim.cranes.families.tower.spec import TowerCrane
from cable_sim.errors import SpecError
from cable_sim.spec.wind import Turbulence, Weather

if TYPE_CHECKING:
    from cable_sim.control.scenario import Scenario

STARTS = {
    TowerCrane: {"hoist": "hook_depth", "trolley": "radius", "slewing": "slewing_angle_deg"},
    GantryCrane: {"hoist": "depth", "trolley": "trolley", "gantry": "gantry"},
    BridgeCrane: {"hoist": "depth", "trolley": "trolley", "gantry": "bridge"},
}
"""Fields of ``rig.start`` by axis."""


def staged(scenario: "Scenario", file: Any = None) -> dict[str, Any]:
    """Changes of the crane's file by path; SpecError for what its family does not have.

    ``file`` is what :func:`read_crane` makes of it, if that is known already.
    """
    file = read_crane(scenario.crane) if file is None else file
    family = type(file)
    changes: dict[str, Any] = {}
    start = dict(scenario.start)
    if scenario.rope_length is not None:
        start["hoist"] = scenario.rope_length
        changes |= {} if family is BridgeCrane else {"rig.start.state": "hanging"}
    known = STARTS.get(family, {})
    for axis, coordinate in start.items():
        if axis not in known:
            raise SpecError(
                f"start.{axis}: {scenario.crane} can start "
                f"{', '.join(known) or 'only as its file says'}"
            )
        field = known[axis]
        changes[f"rig.start.{field}"] = (
            math.degrees(coordinate) if field.endswith("_deg") else coordinate
        )
    if scenario.load is not None:
        changes |= _load(scenario, family)
    wind = scenario.wind if scenario.wind is not None else getattr(file, "wind", Weather())
    if scenario.wind is not None or scenario.seed is not None and wind.sum_of:
        changes["wind"] = wind if scenario.seed is None else _seeded(wind, scenario.seed)
    if scenario.seed is not None and getattr(file, "sensors", None) is not None:
        changes["sensors.seed"] = scenario.seed
    return changes | scenario.changes


def _load(scenario: "Scenario", family: type) -> dict[str, Any]:
    """The load's mass."""
    if family is BridgeCrane and scenario.load:
        return {"rig.bob.mass": scenario.load}
    if family is GantryCrane and not scenario.load:
        return {"rig.load": None}
    if family not in STARTS or not scenario.load:
        raise SpecError(f"load: {scenario.crane} can't carry {scenario.load:g} kg; change its file")
    return {"rig.load.mass": scenario.load}


def _seeded(wind: Weather, seed: int) -> Weather:
    """The wind with other seeds, one more for each of its parts."""
    parts = (
        dataclasses.replace(part, seed=seed + i) if isinstance(part, Turbulence) else part
        for i, part in enumerate(wind.sum_of)
    )
    return dataclasses.replace(wind, sum_of=tuple(parts))
