"""The gantry cranes of the scenarios, such as ``rtg_41t``: changes, and what their files say."""

import math
from functools import cache
from typing import Any

from cable_sim.cranes import load_crane

ROPES = tuple(f"hoist_rope_{i}" for i in (1, 2, 3, 4))
CORNERS = ((1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0))
"""Signs of x and y of the four ropes, anticlockwise from above."""


@cache
def read_gantry(name: str = "rtg_41t") -> Any:
    """Return the file of a gantry crane."""
    return load_crane(name).details


def hoist_rope(name: str = "rtg_41t") -> Any:
    """Return what the hoist ropes are made of."""
    return read_gantry(name).ropes[ROPES[0]].rope


def spreader(name: str = "rtg_41t") -> Any:
    """Return the hook that is a spreader."""
    return read_gantry(name).hooks["spreader"]


def sheave(name: str = "rtg_41t") -> Any:
    """Return the sheave of the first rope on the head block; ``at`` is half of their spacing."""
    return spreader(name).wheels["sheave_1"]


def gross_mass(name: str = "rtg_41t") -> float:
    """Return the rated load with the spreader [kg]."""
    return float(read_gantry(name).crane.rated_load + spreader(name).mass)


def space_ropes(
    trolley: tuple[float, float] | None = None, head_block: tuple[float, float] | None = None
) -> dict[str, Any]:
    """Return the changes for other spacings of the ropes of ``rtg_41t`` along x and y [m]."""
    radius = 0.5 * sheave().diameter
    places = {}
    for i, (a, b) in enumerate(CORNERS, start=1):
        if trolley:
            x, y = 0.5 * a * trolley[0], 0.5 * b * trolley[1]
            places[f"parts.trolley.wheels.drum_{1 if a > 0.0 else 2}.at"] = (x, 0.0, 0.0)
            places[f"parts.trolley.wheels.sheave_{i}.at"] = (x, y + b * radius, 0.0)
            places[f"parts.trolley.points.end_{i}"] = (x, y - b * radius, 0.0)
        if head_block:
            at = (0.5 * a * head_block[0], 0.5 * b * head_block[1], sheave().at[2])
            places[f"hooks.spreader.wheels.sheave_{i}.at"] = at
    return places


def turn_motor(inertia: float, rpm: float = 1800.0) -> dict[str, Any]:
    """Return the changes of ``rtg_41t`` for the inertia of all that turns with its hoist motor [kg
    m^2], at the largest speed of the ropes [1/min]."""
    rope_speed = 2.0 * read_gantry().axes["hoist"].v_max
    omega = 2.0 * math.pi * rpm / 60.0
    mass = inertia * (omega / rope_speed) ** 2
    return {f"ropes.{rope}.winch_mass": mass for rope in ROPES}


def brake_gantry(brakes: float, emergency: float = 0.0) -> dict[str, Any]:
    """Return the changes of ``rtg_41t`` for so many brakes of the hoist, and for a force of the
    emergency brake over the rated pull, which is half of the drive's largest [-]."""
    hoist = read_gantry().axes["hoist"]
    return {
        "axes.hoist.brake": brakes * hoist.brake,
        "axes.hoist.emergency_brake": emergency * 0.5 * hoist.effort,
    }
