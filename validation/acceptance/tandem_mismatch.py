"""The part of scenario 12 in which one hoist is faster than the other.

The beam tilts, and with the trolleys held its falls lean. At rest it hangs as a rigid body on two
strings from the trolleys, of the lengths L_i: at the tilt t, with its centre of mass at (x, z),

    |a_i - p_i(x, z, t)| = L_i,   T_1 u_1 + T_2 u_2 = m g,   r_1 x T_1 u_1 + r_2 x T_2 u_2 = 0,

a_i the trolleys, p_i the lugs, r_i their places from the centre of mass, u_i the unit vectors along
the strings. The lengths are what the drums have paid out, the slings, and what weight stretches the
ropes by.
"""

import math
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cable_sim.cranes import load_crane
from cable_sim.machine.machine import Machine
from cable_sim.sim.observation import Observation
from cable_sim.spec.scene import GRAVITY
from validation.acceptance.pendulum import Array
from validation.acceptance.tandem_load import (
    CRANES,
    FALLS,
    STEP,
    Rest,
    Sample,
    law,
    load_quantity,
    look,
    shared_rig,
)
from validation.acceptance.tower import block_mass, hoist_rope, read_tower
from validation.harness import Finding, Picture, Progress, Quantity, Reading, Result, Statement

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FASTER = 1.05
HOISTING = 0.5
RAMP = 5.0
"""Speed of the tail's hook in terms of the head's, that [m/s], and how long both take to it [s]."""
LONGEST = 100.0
"""Time after which no limiter is expected to trip any more [s]."""
LIMITERS = tuple(
    f"{crane}_{device}" for crane in CRANES for device in ("load_moment_limiter", "load_limiter")
)


def mismatch(progress: Progress) -> Result:
    """Both hoist at 0.5 m/s, the tail 5 % faster. The beam tilts, head down, and the load drifts to
    the tail, until its load-moment limiter trips at 80 % of the chart (AS 2550.1: a margin of 20 %
    where cranes are not synchronised). Expected are tilt and shares of a beam on two strings. The
    limiter reads more than hangs on the hook: its load pins are at both ends of the rope, and while
    it runs the wheels on its way to the drum add to the pull there.
    """
    run = hoist_mismatched()
    last = run.samples[-1]
    found: list[Finding] = [
        Statement(
            "limiter that trips first",
            "the tail's",
            run.limiter.startswith("tail_load"),
            run.limiter,
        ),
        Reading("when it trips", last.time, "s"),
        Quantity("tilt when it trips", None, run.strings.tilt, run.ours.tilt, 0.02, "deg"),
        load_quantity("head when it trips", run.strings.head, run.ours.head),
        load_quantity("tail when it trips", run.strings.tail, run.ours.tail),
        Quantity(
            "load that the limiter reads, beside 80 % of the chart",
            None,
            run.allowed,
            run.read,
            0.02,
            "kg",
        ),
        Quantity(
            "the same, beside the pulls at both ends of the rope",
            None,
            run.ends,
            run.read,
            0.01,
            "kg",
        ),
        Reading("losses of the wheels in it", run.ends - run.ours.tail, "kg"),
        Reading("tail at that tilt under vertical falls", law(run.ours.tilt)[1], "kg"),
    ]
    caption = "One hoist 5 % too fast: tilt and shares until a limiter trips."
    return Result(found, [Picture("mismatch", caption, lambda: draw_mismatch(run))])


class Mismatch(NamedTuple):
    """A lift with one hoist too fast, up to the trip of a limiter.

    Samples; name of the limiter; the load that its crane may lift at its radius with the margin,
    the one that it reads, and what the pulls at the ends of its rope make of it [kg]; how the beam
    hangs at that moment, and how it would on two strings.
    """

    samples: list[Sample]
    limiter: str
    allowed: float
    read: float
    ends: float
    ours: Rest
    strings: Rest


@cache
def hoist_mismatched() -> Mismatch:
    """Hoist both, the tail too fast, until a limiter of either crane trips."""
    machine = Machine(load_crane("tandem_lift"), dt=STEP)
    first = seen = machine.observe()
    samples: list[Sample] = []
    limiter = ""
    while not limiter and machine.time < LONGEST:
        speed = -HOISTING * min(machine.time / RAMP, 1.0)
        machine.command("head_hoist", speed)
        machine.command("tail_hoist", FASTER * speed)
        seen = machine.tick()
        samples.append(look(seen))
        limiter = next((name for name in LIMITERS if machine.limits[name] == "tripped"), "")
    strings = rest_on_strings(machine, first, seen)
    most = trip_load(machine, seen, limiter)
    read = machine.readings[f"{crane_of(limiter)}_load"]
    ends = load_by_ends(seen, crane_of(limiter))
    return Mismatch(samples, limiter or "none", most, read, ends, Rest(*samples[-1][1:]), strings)


def crane_of(limiter: str) -> str:
    """Name of a limiter's crane; the first for no limiter."""
    return limiter.partition("_")[0] or CRANES[0]


def trip_load(machine: Machine, seen: Observation, limiter: str) -> float:
    """Load at which a load-moment limiter trips at the radius of its crane [kg]; NaN for no
    limiter."""
    trip = next(
        (device.trip for device in machine.crane.limiters if device.name == limiter), math.nan
    )
    radius = machine.axis_state(seen, f"{crane_of(limiter)}_trolley").position
    return trip * read_tower(FALLS).chart.capacity(radius)


def load_by_ends(seen: Observation, crane: str) -> float:
    """Load on a crane's hook by the mean pull at the drum and at the dead end of its rope [kg]."""
    pulls = seen.cable(f"{crane}_hoist_rope").span_tension
    return FALLS * 0.5 * float(pulls[0] + pulls[-1]) / GRAVITY - block_mass(FALLS)


class Strings(NamedTuple):
    """Upper ends (2, 2) of two strings and their lengths (2,), and places (2, 2) of the lugs from
    the beam's centre of mass, along it and above its axis [m]."""

    trolleys: Array
    lengths: Array
    places: Array

    def arms_and_strings(self, unknown: Array) -> tuple[Array, Array, Array]:
        """With the centre of mass at x, z and a tilt [rad]: arms (2, 2) to the lugs, strings (2, 2)
        from there [m], and their pulls (2,) in terms of the load, which hold it against gravity."""
        arms = self.places @ turn_matrix(unknown[2]).T
        strings = self.trolleys - unknown[:2] - arms
        along = strings / np.linalg.norm(strings, axis=1)[:, None]
        return arms, strings, np.linalg.solve(along.T, [0.0, 1.0])

    def residual(self, unknown: Array) -> list[float]:
        """Return the excess of the strings' lengths [m], and the moment over the load [m]."""
        arms, strings, pulls = self.arms_and_strings(unknown)
        sides = np.linalg.norm(strings, axis=1)
        turning = pulls / sides * (arms[:, 0] * strings[:, 1] - arms[:, 1] * strings[:, 0])
        return [*(sides - self.lengths), float(turning.sum())]


def rest_on_strings(machine: Machine, first: Observation, seen: Observation) -> Rest:
    """Return the rest of the beam on two strings, by the rope paid out since the first look.

    The beam hung at rest then.
    """
    from scipy.optimize import fsolve

    rig = shared_rig()
    places = np.array([np.subtract(lug.at, rig.beam.centre) for lug in rig.lugs])
    begin = (
        plan(first.body("beam").position) + places @ turn_matrix(math.radians(look(first).tilt)).T
    )
    above = [
        np.array([plan(at.body(f"{crane}_trolley").position) for crane in CRANES])
        for at in (first, seen)
    ]
    paid = [np.array([hook_depth(machine, at, crane) for crane in CRANES]) for at in (first, seen)]
    strings = Strings(
        above[1], np.linalg.norm(above[0] - begin, axis=1) + paid[1] - paid[0], places
    )
    guess = [*plan(seen.body("beam").position), math.radians(look(seen).tilt)]
    found = fsolve(strings.residual, guess, xtol=1e-12)
    _, sides, pulls = strings.arms_and_strings(found)
    up = rig.beam.mass * pulls * sides[:, 1] / np.linalg.norm(sides, axis=1)
    return Rest(math.degrees(found[2]), float(up[0]), float(up[1]))


def hook_depth(machine: Machine, seen: Observation, crane: str) -> float:
    """Depth of a hook below its trolley by the drum, and by what its rope is stretched [m]."""
    cable = seen.cable(f"{crane}_hoist_rope")
    strain = cable.span_tension / hoist_rope().ea
    stretch = float((cable.span_length * strain / (1.0 + strain)).sum()) / FALLS
    return machine.axis_state(seen, f"{crane}_hoist").position + stretch


def plan(position: Array) -> Array:
    """A point in the plane of the lift: along x and up [m]."""
    return np.array([position[0], position[2]])


def turn_matrix(tilt: float) -> Array:
    """Return the matrix that turns a place along the beam and above its axis into that plane; tilt
    [rad]."""
    cos = math.cos(tilt)
    sin = math.sin(tilt)
    return np.array([[cos, sin], [-sin, cos]])


def draw_mismatch(run: Mismatch) -> "Figure":
    """Tilt and shares over time."""
    from matplotlib.figure import Figure

    data = np.array(run.samples)
    figure = Figure(figsize=(9.0, 6.0))
    above, below = figure.subplots(2, 1, sharex=True)
    above.plot(data[:, 0], data[:, 1])
    above.set(ylabel="tilt [deg]")
    for i, crane in enumerate(CRANES):
        below.plot(data[:, 0], data[:, 2 + i], label=crane)
    below.axhline(run.allowed, color="gray", linewidth=0.7)
    below.set(xlabel="time [s]", ylabel="share [kg]")
    below.legend()
    return figure
