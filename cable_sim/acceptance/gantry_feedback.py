"""Scenario 1, second part: a controller with a camera that is late puts 41 t where it belongs.

The spreader hangs 10 m above the ground, and the trolley goes 15 m at full speed. The load is pushed for a second as it
starts, and the controller believes the falls to be 10 % longer than they are. It follows a move shaped for what it
believes: speed of the trolley from the regulator of

    x' = v,   v' = a,   L theta'' = -g theta - a,

about the move and the sway that belongs to it, with the sway as the observer has it from the camera.
"""

import math
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cable_sim.acceptance.pendulum import Array, Trapezoid
from cable_sim.control.profiles import Profile
from cable_sim.control.regulator import SwayObserver, regulator
from cable_sim.control.shaping import zv
from cable_sim.cranes import load_crane
from cable_sim.machine.machine import Machine
from cable_sim.spec.scene import GRAVITY
from cable_sim.studies import Finding, Picture, Progress, Reading, Result, at_most

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SPEED, RAMP, WAY, START = 70.0 / 60.0, 5.0, 15.0, -8.0
"""Of the move [m/s, s, m]; and where the trolley stands before it [m]."""
FALLS, BELIEVED = 10.0, 11.0
"""Length of the falls, and what the controller was told [m]."""
SPREADER = 1.6
"""Height of the head block's sheaves above the twistlocks, in the file [m]."""
DELAY, PICTURE, NOISE = 0.08, 0.04, math.radians(0.05)
"""Of the camera: delay and time between pictures [s], standard deviation [rad]."""
PUSH, PUSHED = 20e3, 1.0
"""On the container at the start of the move [N], and for how long [s]."""
BAND, SETTLED, AFTER = 0.05, 5.0, 25.0
"""Where the load has to be [m], how long after the trolley's move, and how long it is watched [s]."""
EFFORT = 2.0
"""Weight of the trolley's acceleration in the regulator [s^4]."""


class Placed(NamedTuple):
    """A move: times (n,) [s], load beyond its place [m], sway [rad], trolley speed [m/s]; when the move ends [s]."""

    time: Array
    off: Array
    sway: Array
    speed: Array
    stops: float

    @property
    def settled(self) -> float:
        """How long after the move the load is for the last time outside the band [s]."""
        return float(self.time[np.abs(self.off) > BAND][-1]) - self.stops


class Tracker:
    """The controller: speed of the trolley, from its encoder and the camera.

    Parameters
    ----------
    move: to follow.
    period: between two calls [s].
    """

    def __init__(self, move: Profile, period: float) -> None:
        self.move, self.period, self.speed, self.meant, self.wanted = move, period, 0.0, 0.0, 0.0
        self.observer = SwayObserver(BELIEVED, period, DELAY)
        self.reference = SwayObserver(BELIEVED, period, period)
        state = np.zeros((4, 4))
        state[0, 1] = state[2, 3] = 1.0
        state[3, 2] = -GRAVITY / BELIEVED
        weights = np.diag([1.0, 0.0, BELIEVED**2, 0.0])
        self.gain = regulator(state, [0.0, 1.0, 0.0, -1.0 / BELIEVED], weights, EFFORT)

    def __call__(self, time: float, way: float, speed: float, seen: float | None) -> float:
        """Wanted speed [m/s] at a time [s], from way and speed of the trolley and the camera's sway, None without."""
        now = self.observer.update((speed - self.speed) / self.period, seen, PICTURE)
        expected = self.reference.update(self.meant, None, PICTURE)
        self.speed, (planned, rate, self.meant) = speed, self.move(time + self.period)
        off = np.array([way - planned, speed - rate, *(now - expected)])
        self.wanted += self.period * float(self.meant - self.gain @ off)
        self.wanted = min(max(self.wanted, -SPEED), SPEED)
        return self.wanted


@cache
def placed(controlled: bool) -> Placed:
    """The move with the controller, or as a shaped move alone."""
    crane = load_crane("rtg_41t", {
        "rig.start.state": "hanging", "rig.start.trolley": START, "rig.start.depth": FALLS + SPREADER,
        "site.stacks": (),
    })  # fmt: skip
    machine = Machine(crane, dt=2e-3, substeps=5)
    shape, profile = zv(2.0 * math.pi * math.sqrt(BELIEVED / GRAVITY)), Trapezoid(SPEED, RAMP, WAY / SPEED - RAMP, RAMP)
    move, stops = shape(profile.at), profile.stops + shape.longer
    tracker, noise = Tracker(move, machine.tick_time), np.random.default_rng(1)
    late, every = round(DELAY / machine.tick_time), round(PICTURE / machine.tick_time)
    seen, swayed, samples = machine.observe(), [], []
    while machine.time < stops + AFTER:
        aside = seen.body("spreader").position[0] - seen.body("trolley").position[0]
        swayed.append(math.asin(aside / FALLS))
        trolley, last = machine.axis_state(seen, "trolley"), len(swayed) - 1 - late
        picture = swayed[last] + noise.normal(0.0, NOISE) if last >= 0 and last % every == 0 else None
        wanted = tracker(machine.time, trolley.position - START, trolley.velocity, picture)
        machine.command("trolley", wanted if controlled else move(machine.time + machine.tick_time)[1])
        machine.simulator.push("container", (PUSH if machine.time < PUSHED else 0.0, 0.0, 0.0))
        seen = machine.tick()
        load = seen.body("container").position[0] - START - WAY
        samples.append((seen.time, load, swayed[-1], trolley.velocity))
    time, off, sway, speed = np.array(samples).T
    return Placed(time, off, sway, speed, stops)


def placing(progress: Progress) -> Result:
    """The load has to be within 50 mm of its place five seconds after the trolley's move, and to stay there. It hangs
    with the spreader 10 m above the ground, has been pushed, and its falls are shorter than the controller believes.
    The camera shows the sway 25 times a second, 80 ms late.
    """
    runs = dict(zip(("shaped move alone", "with feedback"), map(placed, progress.over((False, True))), strict=True))
    alone, led = runs.values()
    watched = led.time >= led.stops + SETTLED
    found: list[Finding] = [
        at_most("time until the load stays within 50 mm", SETTLED, led.settled, "s", "since the end of the move"),
        at_most("largest distance from then on", BAND, float(np.abs(led.off[watched]).max()), "m"),
        Reading("the same distance without feedback", float(np.abs(alone.off[watched]).max()), "m"),
        at_most("speed of the trolley", 1.001 * SPEED, float(np.abs(led.speed).max()), "m/s"),
    ]
    caption = "41 t, pushed at the start, on falls that are shorter than believed: way to its place, and sway."
    return Result(found, [Picture("gantry_feedback", caption, lambda: draw(runs))])


def draw(runs: dict[str, Placed]) -> "Figure":
    """What the load lacks, and the sway."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.0, 5.0))
    off, sway = figure.subplots(2, 1, sharex=True)
    for name, run in runs.items():
        off.plot(run.time - run.stops, run.off, label=name)
        sway.plot(run.time - run.stops, np.degrees(run.sway))
    off.axhspan(-BAND, BAND, color="C2", alpha=0.2)
    off.set(ylabel="load from its place [m]", ylim=(-1.0, 1.0))
    sway.set(ylabel="sway [deg]", xlabel="time since the end of the move [s]")
    off.legend()
    return figure
