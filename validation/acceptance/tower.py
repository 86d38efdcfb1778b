"""The tower crane of the scenarios, ``tower_12t``: changes of its falls, and what its file says."""

from functools import cache
from typing import Any

from cable_sim.cranes import load_crane

BLOCK = "hooks.hook_block"
TROLLEY = "parts.trolley.wheels"
JIB = "parts.jib"
AXLE = 0.4
"""Height of the block's axle over its centre of mass [m]."""


def reeve(top: float, wheel: float = 0.4, falls: int = 2) -> dict[str, Any]:
    """Return the changes for falls that are ``top`` apart at the trolley, and wheels of such a
    pitch diameter [m]; ``falls`` are 2 or 4."""
    out = 0.5 * top
    aside = 0.0 if falls == 2 else 0.5 * wheel
    places = {
        f"{TROLLEY}.inner.at": (-out, aside, 0.0),
        f"{TROLLEY}.outer.at": (out, 0.0, 0.0),
        f"{TROLLEY}.across.at": (out, 0.0, 0.0),
        f"{TROLLEY}.last.at": (-out, -aside, 0.0),
        f"{BLOCK}.wheels.near.at": (0.0, aside, AXLE),
        f"{BLOCK}.wheels.far.at": (0.0, -aside, AXLE),
    }
    level = {
        f"{JIB}.wheels.drum.at": (-10.0, aside, 0.0),
        f"{JIB}.wheels.head.at": (1.15, aside, 0.0),
        f"{JIB}.points.end": (71.2, -aside, 0.0),
    }
    diameters = {path.removesuffix("at") + "diameter": wheel for path in places}
    return {"reeving.n_falls": falls} | places | level | diameters


def brake_tower(brakes: float, emergency: float) -> dict[str, Any]:
    """Return the changes for so many brakes of the hoist, and for a force of the emergency brake
    over the rated pull, which is half of the drive's largest [-]."""
    hoist = read_tower().axes["hoist"]
    return {
        "axes.hoist.brake": brakes * hoist.brake,
        "axes.hoist.emergency_brake": emergency * 0.5 * hoist.effort,
    }


@cache
def read_tower(falls: int = 2) -> Any:
    """Return the file of the crane on so many falls."""
    return load_crane("tower_12t", {"reeving.n_falls": falls}).details


def hoist_rope() -> Any:
    """Return what its hoist rope is made of."""
    return read_tower().ropes["hoist_rope"].rope


def block_mass(falls: int = 2) -> float:
    """Return the mass of its hook block [kg]."""
    return float(read_tower(falls).hooks["hook_block"].mass)


def sheave_height() -> float:
    """Return the height of its level rope over the ground [m]."""
    return float(read_tower().parts["jib"].at[2])
