"""Initial conditions of a run: load, start, wind, seeds, as changes of a crane's file."""

import dataclasses
from collections.abc import Mapping
from typing import NamedTuple

from cable_sim.spec.wind import Turbulence, Weather


class InitialConditions(NamedTuple):
    """Initial conditions in the terms of every family; what is left out stays as in the file.

    ``crane`` is its name, for messages. ``load`` is the mass [kg]. ``rope_length`` is the depth of
    the hook or of a spreader's twistlocks below the trolley's sheaves [m], with the load hanging.
    ``start`` are coordinates of other axes [m, rad], by name. ``seed`` is that of sensors' noise
    and of turbulence.
    """

    crane: str
    load: float | None = None
    rope_length: float | None = None
    start: Mapping[str, float] = {}
    wind: Weather | None = None
    seed: int | None = None


def seed_wind(wind: Weather, seed: int) -> Weather:
    """Return the wind with other seeds, one more for each of its parts."""
    parts = (
        dataclasses.replace(part, seed=seed + i) if isinstance(part, Turbulence) else part
        for i, part in enumerate(wind.sum_of)
    )
    return dataclasses.replace(wind, sum_of=tuple(parts))
