"""The beam of scenario 12: its pose, and its cranes' shares by the law and as they are."""

import math
from functools import cache
from typing import NamedTuple

from cable_sim.cranes import load_crane
from cable_sim.cranes.several.spec import SharedRig
from cable_sim.sim.observation import Observation
from cable_sim.spec.scene import GRAVITY
from validation.harness import Quantity

CRANES = ("head", "tail")
FALLS = 4
WITHIN = 0.01
"""Tolerance of shares, in terms of the load."""
SLACK = 1e-6
"""Share of a slack sling, for rounding errors [kg]."""
STEP = 2e-3
"""Physics step [s]."""


class Sample(NamedTuple):
    """Time [s], tilt of the beam [deg], vertical pull of the slings at the lugs in terms of mass
    [kg]."""

    time: float
    tilt: float
    head: float
    tail: float


class Rest(NamedTuple):
    """Means over a stage at rest: tilt [deg], vertical pulls in terms of mass [kg]."""

    tilt: float
    head: float
    tail: float


@cache
def shared_rig() -> SharedRig:
    """The beam on both hooks, as its file has it."""
    rig = load_crane("tandem_lift").details.rig
    assert isinstance(rig, SharedRig)
    return rig


def look(seen: Observation) -> Sample:
    """A sample of what is seen."""
    w, x, y, z = seen.body("beam").orientation
    pulls = [abs(float(seen.cable(f"beam_sling_{i}").node_force[1, 2])) / GRAVITY for i in (1, 2)]
    return Sample(seen.time, math.degrees(math.asin(2.0 * (w * y - x * z))), *pulls)


def law(tilt: float) -> tuple[float, float]:
    """Shares under vertical falls at a tilt [kg]; beyond upright the tail's sling is slack."""
    head, tail = shared_rig().shares(tilt)
    return (head, tail) if tail > SLACK else (shared_rig().beam.mass, 0.0)


def load_quantity(name: str, expected: float, ours: float) -> Quantity:
    """A share [kg], which may differ by a part of the load and not of itself."""
    mass = shared_rig().beam.mass
    note = f"{100.0 * (ours - expected) / mass:+.2f} % of the load"
    return Quantity(name, None, expected, ours, WITHIN * mass / (expected or 1.0), "kg", note)
