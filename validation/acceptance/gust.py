"""Scenario 5: gusts on a container, and a tower crane whose jib is left to the wind.

A container of side area A on falls of length L, all with the mass m, hangs at tan(a) = 1/2 rho cd A
U^2 / (m g) in a steady wind, rho = 1.25 kg/m^3, and swings in a gust 1 - cos as

    a'' = (1/2 rho cd A |u| u cos(a) / m - g sin(a)) / L,      u = U(t) - L a' cos(a),

because on equal spacings of the ropes spreader and container move without turning. The wind comes
slowly up to its base before the gust, so that the container hangs at rest in it. Its drag
coefficient is 1.2; expected values are those of the container alone in the wind. Spreader and ropes
take some 15 % more, which is told beside them.
"""

import math
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cable_sim.cranes import load_crane
from cable_sim.machine.machine import Machine
from cable_sim.spec.wind import Gust, Steady, Wind
from validation.harness import (
    Finding,
    Part,
    Picture,
    Progress,
    Quantity,
    Reading,
    Result,
    Study,
    at_least,
    at_most,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Array = NDArray[np.float64]

FALLS = 12.0
"""Length of the falls [m]: a swing takes 6.95 s."""
EMPTY = 3900.0
FULL = 41000.0
"""Containers [kg]."""
BASE = 10.0
PEAK = 20.0
"""Wind speeds before the gusts, and at their peak [m/s]."""
LONG = 7.0
SHORT = 3.0
"""Durations of the gusts [s]."""
BARE = {"rig.spreader.cd": 0.0, "reeving.cd": 0.0}
WHOLE = {"rig.spreader.cd": 1.2, "reeving.cd": 1.2}
"""Changes of the crane's file: the container alone is in the wind; spreader and ropes are in it,
too."""
RISE = 60.0
SWING = 6.95
"""Time in which the wind comes up, and period of a swing [s]."""
WITHIN = 0.05
"""Tolerance of the scenario [-]."""
BREEZE = 20.0 / 3.6
"""Wind in which a free jib has to start [m/s]."""
LEFT_ALONE = 1600.0
"""Time for which the jib is left to the wind [s]."""


class Swung(NamedTuple):
    """Mean slope of the falls in the base wind, and slopes in the gust [deg] with their times from
    its beginning on [s]."""

    mean: float
    time: Array
    slope: Array


def swinging_machine(mass: float, everything: bool = False) -> Machine:
    """The gantry with a container of that mass [kg] on the falls, clear of the stacks, brakes
    closed."""
    start = {"rig.start.state": "hanging", "rig.start.trolley": 0.0, "rig.start.gantry": -30.0}
    start |= {"rig.start.depth": FALLS + 1.6, "rig.load.mass": mass} | (
        WHOLE if everything else BARE
    )
    return Machine(load_crane("rtg_41t", start))


def blow(machine: Machine, wind: Wind, seconds: float) -> Array:
    """Slopes of the falls in a wind [deg], tick by tick: spreader and trolley tell the way, the
    rope its length."""
    slopes = []
    machine.wind = wind
    for _ in range(round(seconds / machine.tick_time)):
        seen = machine.tick()
        way = seen.body("spreader").position[0] - seen.body("trolley").position[0]
        slopes.append(math.degrees(math.asin(way / FALLS)))
    return np.array(slopes)


def steady_slope(machine: Machine, speed: float) -> float:
    """Mean slope in a wind [m/s] that has come up slowly [deg]."""
    blow(machine, Gust(speed, start=machine.time, duration=2.0 * RISE), RISE)
    return float(blow(machine, Steady(speed), 2.0 * SWING).mean())


@cache
def swing_in_gust(mass: float, duration: float, everything: bool = False) -> Swung:
    """A container in a gust of that duration [s]."""
    machine = swinging_machine(mass, everything)
    mean = steady_slope(machine, BASE)
    slope = blow(machine, Gust(PEAK, BASE, machine.time, duration), 4.0 * SWING)
    time = machine.tick_time * np.arange(1.0, slope.size + 1.0)
    return Swung(mean, time, slope)


@cache
def peak_slope(mass: float) -> float:
    """Mean slope in the wind of the peak that has come up slowly [deg]."""
    return steady_slope(swinging_machine(mass), PEAK)


def gusts(progress: Progress) -> Result:
    """The rubber-tyred gantry with a container of 40 ft hanging on 12 m of falls: 10 m/s along the
    girders, and a gust of 20 m/s on top, 1 - cos.
    """
    found: list[Finding] = []
    printed = {
        (EMPTY, LONG): ("1.10", "4.41", "6.31"),
        (EMPTY, SHORT): (None, None, "4.60"),
        (FULL, LONG): ("0.30", "1.21", "1.80"),
    }
    for (mass, duration), (mean, quasi_static, peak) in progress.over(list(printed.items())):
        run = swing_in_gust(mass, duration)
        what = "empty" if mass == EMPTY else "full"
        if mean and quasi_static:
            found.append(Quantity(f"mean, {what}", mean, float(mean), run.mean, WITHIN, "deg"))
            name = f"at 20 m/s that came up slowly, {what}"
            found.append(
                Quantity(name, quasi_static, float(quasi_static), peak_slope(mass), WITHIN, "deg")
            )
        name = f"peak in a gust of {duration:g} s, {what}"
        found.append(Quantity(name, peak, float(peak), float(run.slope.max()), WITHIN, "deg"))
    whole = swing_in_gust(EMPTY, LONG, everything=True)
    found.append(Reading("mean with spreader and ropes in the wind, empty", whole.mean, "deg"))
    found.append(
        Reading("peak with spreader and ropes in the wind, empty", float(whole.slope.max()), "deg")
    )
    runs = {
        "empty, 7 s": swing_in_gust(EMPTY, LONG),
        "empty, 3 s": swing_in_gust(EMPTY, SHORT),
        "full, 7 s": swing_in_gust(FULL, LONG),
        "empty, 7 s, spreader and ropes too": whole,
    }
    caption = "Slope of the falls from the beginning of the gust."
    return Result(found, [Picture("gust_sway", caption, lambda: draw(runs))])


class Turned(NamedTuple):
    """Torque that holds the jib across the wind, and where it has come to rest [N m]; its way [s,
    deg]."""

    locked: float
    settled: float
    time: Array
    heading: Array


def closed_moment(machine: Machine) -> float:
    """Moment of the wind on a jib across it [N m]: q times the areas times their arms."""
    jib = machine.crane.details.parts["jib"]
    arms = sum(drag.cd * drag.areas[1] * drag.centre[0] for drag in jib.drag)
    return float(0.625 * BREEZE**2 * arms)


def holding_torque(machine: Machine) -> float:
    """Torque of the closed brake [N m], two seconds after it has closed: mean over one."""
    machine.emergency_stop(True)
    torques = [machine.tick().drive("slewing").effort for _ in range(30)]
    machine.emergency_stop(False)
    machine.reset_latches()
    return float(np.mean(torques[20:]))


@cache
def weathervane() -> tuple[Machine, Turned]:
    """The tower crane with its jib across a light wind: first the brake holds it, then it opens for
    half an hour.

    Load and rope are left out of the wind, so that the moment is that of the jib alone.
    """
    start = {
        "rig.start.state": "hanging",
        "rig.start.hook_depth": 20.0,
        "rig.load.cd": 0.0,
        "reeving.cd": 0.0,
    }
    machine = Machine(
        load_crane("tower_12t", start), dt=5e-3, substeps=20, wind=Steady(BREEZE, 90.0)
    )
    locked = holding_torque(machine)
    time = []
    heading = []
    while machine.time < LEFT_ALONE:
        machine.command("slewing", 0.0, "effort")
        heading.append(math.degrees(machine.tick().joint("slewing").position))
        time.append(machine.time)
    return machine, Turned(locked, holding_torque(machine), np.array(time), np.array(heading))


def vane(progress: Progress) -> Result:
    """The tower crane in 20 km/h across its jib, with the slewing brake closed and open. The ring
    has no friction here: that of a real one decides from which wind on the jib starts.
    """
    progress(0.0)
    machine, run = weathervane()
    found: list[Finding] = [
        Quantity(
            "torque that holds the jib across",
            None,
            closed_moment(machine),
            abs(run.locked),
            0.01,
            "N m",
        ),
        at_least(
            "turned after 30 s", 5.0, float(run.heading[np.searchsorted(run.time, 30.0)]), "deg"
        ),
        at_most(
            "off downwind, last five minutes",
            3.0,
            float(np.abs(run.heading[-3000:] - 90.0).max()),
            "deg",
        ),
        at_least("torque across over that at rest downwind", 10.0, abs(run.locked / run.settled)),
    ]
    caption = "Heading of the free jib; the wind blows to 90 deg."
    return Result(found, [Picture("weathervane", caption, lambda: turn(run))])


def draw(runs: dict[str, Swung]) -> "Figure":
    """Slopes over time."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.0, 4.0))
    axes = figure.subplots()
    for name, run in runs.items():
        axes.plot(run.time, run.slope, label=name)
    axes.set(xlabel="time [s]", ylabel="slope of the falls [deg]")
    axes.legend()
    return figure


def turn(run: Turned) -> "Figure":
    """Heading over time."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.0, 3.0))
    axes = figure.subplots()
    axes.plot(run.time, run.heading)
    axes.set(xlabel="time [s]", ylabel="heading [deg]")
    return figure


STUDY = Study(
    "Scenario 5: gust, then weathervane",
    "Gantry crane rtg_41t, tower crane tower_12t; ISO 4302.",
    Path("gust"),
    (Part("A container in a gust", gusts), Part("A jib left to the wind", vane)),
)
