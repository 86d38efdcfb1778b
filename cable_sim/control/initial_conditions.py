"""Changes of a crane's file by a scenario: load, start, wind, seeds, in the terms of each
family."""

import dataclasses
import math
from typing import TYPE_CHECKING, Any

from cable_sim.cranes.catalogue import read_crane
from cable_sim.errors import SpecError
from cable_sim.spec.wind import Turbulence, Weather

if TYPE_CHECKING:
    from cable_sim.control.scenario import Scenario


def initial_changes(scenario: "Scenario", file: Any = None) -> dict[str, Any]:
    """Changes of the crane's file by path; SpecError for what its family does not have.

    ``file`` is what :func:`read_crane` makes of it, if that is known already.
    """
    file = read_crane(scenario.crane) if file is None else file
    changes = _start(scenario, file)
    if scenario.load is not None:
        changes |= _load(scenario, file)
    wind = scenario.wind if scenario.wind is not None else getattr(file, "wind", Weather())
    if scenario.wind is not None or scenario.seed is not None and wind.sum_of:
        changes["wind"] = wind if scenario.seed is None else _seeded(wind, scenario.seed)
    if scenario.seed is not None and getattr(file, "sensors", None) is not None:
        changes["sensors.seed"] = scenario.seed
    return changes | scenario.changes


def _start(scenario: "Scenario", file: Any) -> dict[str, Any]:
    """Return the changes for the start of the axes."""
    start = dict(scenario.start)
    changes = {}
    if scenario.rope_length is not None:
        start["hoist"] = scenario.rope_length
        changes = file.hanging_changes()
    known = file.start_fields()
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
    return changes


def _load(scenario: "Scenario", file: Any) -> dict[str, Any]:
    """Return the changes for the load's mass."""
    changes: dict[str, Any] | None = file.load_changes(scenario.load)
    if changes is None:
        raise SpecError(f"load: {scenario.crane} can't carry {scenario.load:g} kg; change its file")
    return changes


def _seeded(wind: Weather, seed: int) -> Weather:
    """The wind with other seeds, one more for each of its parts."""
    parts = (
        dataclasses.replace(part, seed=seed + i) if isinstance(part, Turbulence) else part
        for i, part in enumerate(wind.sum_of)
    )
    return dataclasses.replace(wind, sum_of=tuple(parts))
