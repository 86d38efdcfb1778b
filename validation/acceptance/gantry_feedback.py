"""Scenario 1, second part: a controller with a camera that is late puts 41 t where it belongs.

The spreader hangs 10 m above the ground, and the trolley goes 15 m at full speed. The load is
pushed for a second as it starts, and the controller believes the falls to be 10 % longer than they
are. It is the scenario ``config/scenarios/rtg_place_41t_lqr.yaml``, with the regulator of
``control/controllers/lqr.py`` and the crane's own sensors: speed of the trolley from the regulator
of

    x' = v,   v' = a,   L theta'' = -g theta - a,

about the shaped move and the sway that belongs to it, with the sway as the observer has it from the
camera.
"""

import dataclasses
import math
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cable_sim.control.catalogue import scenario_file
from cable_sim.control.controllers import AnyController
from cable_sim.control.controllers.lqr import Lqr
from cable_sim.control.controllers.shaped import Shaped
from cable_sim.control.pendulum import pendulum_length
from cable_sim.control.run import run
from cable_sim.control.scenario import Scenario, read_scenario
from cable_sim.spec.scene import GRAVITY
from validation.acceptance.pendulum import Array
from validation.harness import Finding, Picture, Progress, Reading, Result, at_most

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SCENARIO = "rtg_place_41t_lqr"
BAND = 0.05
SETTLED = 5.0
"""Tolerance of the load's place [m], and time after the trolley's move from which on it holds
[s]."""
CONTROLLERS: dict[str, AnyController] = {"shaped move alone": Shaped("zv"), "with feedback": Lqr()}


class Placed(NamedTuple):
    """A move: times (n,) [s], load beyond its place [m], sway [rad], trolley speed [m/s]; end of
    the shaped move [s], and the largest speed of the axis [m/s]."""

    time: Array
    off: Array
    sway: Array
    speed: Array
    stops: float
    fastest: float

    @property
    def settled(self) -> float:
        """Return the time after the move at which the load is outside the band for the last time
        [s]."""
        return max(float(self.time[np.abs(self.off) > BAND][-1]) - self.stops, 0.0)


def scenario() -> Scenario:
    """Return the scenario of the file."""
    return read_scenario(scenario_file(SCENARIO))


@cache
def place_load(controller: str) -> Placed:
    """The move under one of the ``CONTROLLERS``."""
    wanted = dataclasses.replace(scenario(), controller=CONTROLLERS[controller])
    crane = wanted.build()
    done = run(wanted)
    move = done.travels[0]
    trolley = done.axes.index("trolley")
    length = wanted.believed.length * pendulum_length(crane)(
        done.position[0, done.axes.index("hoist")]
    )
    longer = math.pi * math.sqrt(length / GRAVITY)  # by the shaper
    return Placed(
        done.time,
        done.load[:, 0] - move.target,
        done.sway[:, 0],
        done.velocity[:, trolley],
        move.ramps.end + longer,
        crane.axis("trolley").max_speed,
    )


def place_under_controllers(progress: Progress) -> Result:
    """The load has to be within 50 mm of its place five seconds after the trolley's move, and to
    stay there. It hangs with the spreader 10 m above the ground, has been pushed, and its falls are
    shorter than the controller believes. The camera shows the sway 30 times a second, 80 ms late.
    """
    runs = {name: place_load(name) for name in progress.over(tuple(CONTROLLERS))}
    alone, led = runs.values()
    watched = led.time >= led.stops + SETTLED
    found: list[Finding] = [
        at_most(
            "time until the load stays within 50 mm",
            SETTLED,
            led.settled,
            "s",
            "since the end of the move",
        ),
        at_most("largest distance from then on", BAND, float(np.abs(led.off[watched]).max()), "m"),
        Reading("the same distance without feedback", float(np.abs(alone.off[watched]).max()), "m"),
        at_most("speed of the trolley", 1.001 * led.fastest, float(np.abs(led.speed).max()), "m/s"),
    ]
    caption = (
        "41 t, pushed at the start, on falls that are shorter than believed: way to its "
        "place, and sway."
    )
    return Result(found, [Picture("gantry_feedback", caption, lambda: draw(runs))])


def draw(runs: dict[str, Placed]) -> "Figure":
    """Draw the load's distance from its place, and the sway."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.0, 5.0))
    off, sway = figure.subplots(2, 1, sharex=True)
    for name, move in runs.items():
        off.plot(move.time - move.stops, move.off, label=name)
        sway.plot(move.time - move.stops, np.degrees(move.sway))
    off.axhspan(-BAND, BAND, color="C2", alpha=0.2)
    off.set(ylabel="load from its place [m]", ylim=(-1.0, 1.0))
    sway.set(ylabel="sway [deg]", xlabel="time since the end of the move [s]")
    off.legend()
    return figure
