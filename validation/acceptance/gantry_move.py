"""Scenario 1: trolley move of the rubber-tyred gantry with 41 t, with and without input shapers.

The container hangs on falls of 12 m, and the trolley goes with 70 m/min and ramps of 4 s. Two ramps
leave most sway when the second starts an odd number of half periods after the first: the worst
cruise, of which all numbers here are. For a mass on a rod, linearly,

    worst = 4 a / g sin(w t_r / 2),        a = v / t_r,   w = sqrt(g / h).

A shaper tuned to w_0 keeps |cos(pi w / (2 w_0))| of it, ZVD the square: 13.64 % and 1.86 % on falls
20 % longer.
"""

import math
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cable_sim.control.methods.shaping import NONE, Shaper, zv, zvd
from cable_sim.cranes import load_crane
from cable_sim.machine.machine import Machine
from cable_sim.spec.scene import GRAVITY
from validation.acceptance.gantry_feedback import place_under_controllers
from validation.acceptance.pendulum import Array, Swing, Trapezoid, linear_pivot, swing
from validation.harness import (
    Finding,
    Part,
    Picture,
    Progress,
    Quantity,
    Result,
    Study,
    at_most,
    fit_mode,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SPEED = 70.0 / 60.0
RAMP = 4.0
FALLS = 12.0
LONGER = 1.2
"""Length of the falls [m]; and how much longer they are than a shaper was told [-]."""
AFTER = 20.0
"""Time to watch the sway after the trolley stands [s]."""
SPREADER = 1.6
"""Height of the head block's sheaves above the twistlocks, in the file [m]."""
SHAPERS: dict[str, Callable[[float], Shaper]] = {
    "unshaped": lambda period: NONE,
    "ZV": zv,
    "ZVD": zvd,
}
WITHIN = 0.03
POINTS = 0.5
NOTHING = 0.02
"""Tolerances: of an angle [-], and of a share of the unshaped sway [percentage points]; and sway
that counts as none [deg]."""


class Run(NamedTuple):
    """A move: the slope of the falls, trolley speed (n,) [m/s], and when the trolley stands [s]."""

    swing: Swing
    speed: Array
    stops: float

    @property
    def residual(self) -> float:
        """Largest slope after that [deg]."""
        return math.degrees(float(np.abs(self.swing.samples_after(self.stops).along).max()))


def hanging_machine(falls: float, **changes: float) -> Machine:
    """The crane in an empty yard without air, its container at rest, the trolley led by what it is
    told."""
    crane = load_crane(
        "rtg_41t",
        {
            "rig.start.state": "hanging",
            "rig.start.trolley": -9.0,
            "rig.start.depth": falls + SPREADER,
            "site.stacks": (),
            "axes.trolley.accel": 100.0,
            "drives.trolley.force_max": 1e9,
            "drives.trolley.tau": 1e-3,
            "rig.load.cd": 0.0,
            "rig.spreader.cd": 0.0,
        }
        | changes,
    )
    return Machine(crane, dt=2e-3, substeps=5)


def slope(machine: Machine, falls: float) -> tuple[float, float, float]:
    """Tick, and read time, slope of the falls [rad] and speed of the trolley.

    The spreader does not turn as it sways, so that any point of it has gone aside by ``falls
    sin(slope)``.
    """
    seen = machine.tick()
    aside = seen.body("spreader").position[0] - seen.body("trolley").position[0]
    return seen.time, math.asin(aside / falls), machine.axis_state(seen, "trolley").velocity


@cache
def own_period(falls: float) -> float:
    """Period of the crane's sway with this load [s], as measured in a swing of some degrees.

    It is longer than that of a mass on a rod, because the container tilts on ropes that stretch. In
    a swing of a tenth of a degree it is not by as much: the sheaves' friction does not let the
    ropes run.
    """
    machine = hanging_machine(falls)
    slopes = []
    while machine.time < 60.0:
        machine.command("trolley", 0.6 if machine.time < 1.0 else 0.0)
        time, angle, _ = slope(machine, falls)
        slopes += [angle] if time > 5.0 else []
    return fit_mode(np.array(slopes) - np.mean(slopes), machine.tick_time).period


def worst_move(period: float) -> Trapezoid:
    """The shortest move of full ramps whose second ramp adds most to the sway of the first."""
    halves = math.ceil((RAMP / period) - 0.5)
    return Trapezoid(SPEED, RAMP, (halves + 0.5) * period - RAMP, RAMP)


@cache
def run_move(shaper: str, falls: float, told: float) -> Run:
    """The worst move with a shaper that was told a length of the falls [m]."""
    shape = SHAPERS[shaper](own_period(told))
    profile = worst_move(own_period(falls))
    move = shape(profile.at)
    stops = profile.stops + shape.longer
    machine = hanging_machine(falls)
    samples = []
    while machine.time < stops + AFTER:
        machine.command("trolley", move(machine.time + machine.tick_time)[1])
        samples.append(slope(machine, falls))
    time, along, speed = np.array(samples).T
    return Run(Swing(time, along, np.zeros(time.size)), speed, stops)


def shape_moves(progress: Progress) -> Result:
    """The trolley goes as it is told, and the shapers are tuned to the sway's period on falls of 12
    m, as measured on the crane. On longer falls they leave a share of the unshaped sway that the
    ratio of the periods gives.
    """
    cases = [(name, falls) for falls in (FALLS, LONGER * FALLS) for name in SHAPERS]
    runs = {(name, falls): run_move(name, falls, FALLS) for name, falls in progress.over(cases)}
    profile = worst_move(own_period(FALLS))
    point = swing(linear_pivot(profile.at), FALLS, profile.stops + AFTER).samples_after(
        profile.stops
    )
    theory = math.degrees(float(np.abs(point.along).max()))
    ours = runs["unshaped", FALLS].residual
    found: list[Finding] = [
        Quantity(
            "sway after the move, unshaped",
            "6.5",
            theory,
            ours,
            WITHIN,
            "deg",
            "of a mass on a rod",
        ),
        at_most("sway after the move, ZV", NOTHING, runs["ZV", FALLS].residual, "deg"),
        at_most("sway after the move, ZVD", NOTHING, runs["ZVD", FALLS].residual, "deg"),
    ]
    kept = abs(math.cos(0.5 * math.pi * own_period(FALLS) / own_period(LONGER * FALLS)))
    for name, printed, power in (("ZV", "13.64", 1), ("ZVD", "1.86", 2)):
        share = (
            100.0 * runs[name, LONGER * FALLS].residual / runs["unshaped", LONGER * FALLS].residual
        )
        named, expected = f"share that {name} leaves on falls 20 % longer", 100.0 * kept**power
        found.append(
            Quantity(named, printed, expected, share, POINTS / expected, "%", "within 0.5 points")
        )
    length = GRAVITY * (0.5 * own_period(FALLS) / math.pi) ** 2
    longer = f"{100.0 * (length / FALLS - 1.0):.2f} % more than the falls"
    found.insert(
        0,
        Quantity("pendulum length that the period is of", None, FALLS, length, WITHIN, "m", longer),
    )
    caption = (
        "The worst move of 41 t on falls of 12 m: slope of the falls and speed of the trolley."
    )
    return Result(found, [Picture("gantry_move", caption, lambda: draw(runs))])


def draw(runs: dict[tuple[str, float], Run]) -> "Figure":
    """Slope and speed over time, at exact length left and on longer falls right."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10.0, 5.0))
    axes = figure.subplots(2, 2, sharex=True, sharey="row")
    for column, falls in enumerate((FALLS, LONGER * FALLS)):
        for name in SHAPERS:
            run = runs[name, falls]
            axes[0, column].plot(run.swing.time, np.degrees(run.swing.along), label=name)
            axes[1, column].plot(run.swing.time, 60.0 * run.speed)
        axes[0, column].set_title(f"falls {falls:g} m, shapers tuned to {FALLS:g} m")
        axes[1, column].set(xlabel="time [s]")
    axes[0, 0].set(ylabel="slope of the falls [deg]")
    axes[1, 0].set(ylabel="trolley [m/min]")
    axes[0, 0].legend()
    return figure


STUDY = Study(
    "Scenario 1: trolley move with shapers and with feedback",
    "Rubber-tyred gantry rtg_41t, 41 t; Raubar and Vrancic 2012; positioning as terminals specify "
    "it.",
    Path("gantry_move"),
    (
        Part("Shaped moves", shape_moves),
        Part("Feedback from a late camera", place_under_controllers),
    ),
)
