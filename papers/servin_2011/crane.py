"""Figure 15: a crane of ropes and pulleys carries a load over a wall."""

import math
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cable_sim import Simulator, load_scene
from cable_sim.scenes.servin_2011_crane import START, TRAVEL, WALL
from cable_sim.sim.views import BodyView
from cable_sim.spec.scene import GRAVITY
from validation.harness import (
    Finding,
    Picture,
    Progress,
    Quantity,
    Result,
    Statement,
    at_least,
    at_most,
)
from validation.harness.outlines import rotation

from .sketch import draw_scene

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Array = NDArray[np.float64]
H, DURATION = 1.0 / 60.0, 36.0
CARRIED = (8.0, 25.0)
"""When the load is in the air and the trolley travels [s]."""
STANDING, HOISTING = (1.0, 9.0), (4.0, 8.0)
"""When the trolley stands still, and when the load is hoisted at constant speed [s]."""
LOAD, GRIPPER, COUNTERWEIGHT = 1000.0, 100.0, 800.0
"""Masses of the crane [kg]."""
ASIDE, BELOW = 0.2, 0.7
"""Extent of each fall of the counterweight while the trolley stands where it starts [m]."""
SIDE = 1.2
"""Of the load [m]."""


class Record(NamedTuple):
    """At the end of each step: time [s], tilt of gripper and load [rad], x and z of the load and x
    of the trolley [m], pulls of the haul rope and of the hoist rope, of which the stiff arm has
    none [N], and status."""

    time: Array
    tilt: Array
    swing: Array
    x: Array
    z: Array
    trolley: Array
    haul: Array
    hoist: Array
    status: Array


def tilt(view: BodyView) -> float:
    """Angle of a body about y, against the horizontal [rad]."""
    turned = rotation(view.orientation)
    return math.atan2(turned[2, 0], turned[0, 0])


@cache
def run(rigid: bool) -> Record:
    """The whole journey."""
    simulator, rows = Simulator(load_scene("rope_crane", rigid=rigid), dt=H), []
    for _ in range(round(DURATION / H)):
        report = simulator.step()
        seen = simulator.observe()
        load, trolley = seen.body("load"), seen.body("trolley").position[0]
        row = (
            seen.time,
            tilt(seen.body("gripper")),
            tilt(load),
            load.position[0],
            load.position[2],
            trolley,
        )
        pulls = (seen.tension("haul"), 0.0 if rigid else seen.tension("hoist"))
        rows.append((*row, *pulls, report.status))
    return Record(*np.array(rows).T)


def carrying(progress: Progress) -> Result:
    """A trolley on rails, pulled by a rope and by a counterweight, carries a ton over a wall and
    puts it down. The hoist rope runs over the trolley and through both eyes of the gripper. With
    one tension in both of its parallel falls nothing turns the gripper, however the load swings
    below it. Held by a stiff arm it tilts as the arm does.

    Nothing rights it, either, and the weight of the longer fall tips it, slowly: a tilt grows
    e-fold in 6 s. A real one is held by the friction of its sheaves, which is not there. Gripping
    is left out; the load hangs on its sling from the start.
    """
    for rigid in progress.over((False, True)):
        run(rigid)
    caption = (
        "Figure 15. Above: the crane when the load is over the wall. Below: tilt of the gripper, "
        "on the rope and on a stiff arm, and swing of the load; height of the load."
    )
    return Result(findings(), [Picture("figure_15", caption, draw)])


def findings() -> list[Finding]:
    """What is asked of the crane."""
    rope, arm = run(False), run(True)
    carried = (rope.time > CARRIED[0]) & (rope.time < CARRIED[1])
    level, stiff = float(np.abs(rope.tilt[carried]).max()), float(np.abs(arm.tilt[carried]).max())
    swing = float(np.abs(rope.swing[carried]).max())
    middle = START + 0.5 * TRAVEL
    over = np.abs(rope.x - middle) < 0.5 * (WALL[0] + SIDE)
    haul = float(rope.haul[(rope.time > STANDING[0]) & (rope.time < STANDING[1])].mean())
    hoist = float(rope.hoist[(rope.time > HOISTING[0]) & (rope.time < HOISTING[1])].mean())
    return [
        at_least("swing of the load", 0.1, swing, "rad"),
        at_most(
            "tilt of the gripper on the rope over that on the arm, while travelling",
            0.05,
            level / stiff,
        ),
        at_most(
            "tilt of the gripper over the swing, whole journey",
            0.25,
            float(np.abs(rope.tilt).max()) / swing,
        ),
        at_least(
            "height of the load over the wall",
            0.3,
            float(rope.z[over].min()) - 0.5 * SIDE - WALL[2],
            "m",
        ),
        Quantity("way of the trolley", None, TRAVEL, float(rope.trolley[-1]) - START, 5e-3, "m"),
        Quantity(
            "pull of the haul rope while the trolley stands",
            None,
            0.5 * COUNTERWEIGHT * GRAVITY * math.hypot(ASIDE, BELOW) / BELOW,
            haul,
            0.01,
            "N",
            "the counterweight hangs on two falls, which are inclined",
        ),
        Quantity(
            "pull of the hoist rope while it hoists",
            None,
            0.5 * (LOAD + GRIPPER) * GRAVITY,
            hoist,
            0.01,
            "N",
            "mean of 4 s; load and gripper hang on two falls",
        ),
        Quantity(
            "height of the load at the end",
            None,
            0.5 * SIDE,
            float(rope.z[-1]),
            1e-3,
            "m",
            "on the ground",
        ),
        Statement(
            "the solver",
            "no complaint",
            not rope.status.any(),
            f"status {int(rope.status.max())} at most",
        ),
    ]


def draw() -> "Figure":
    """The crane, tilt and height."""
    from matplotlib.figure import Figure

    figure, scene = Figure(figsize=(10.0, 8.0)), load_scene("rope_crane")
    view, angles, height = figure.subplots(3, 1, height_ratios=(2.6, 1, 1))
    rope, arm = run(False), run(True)
    simulator = Simulator(scene, dt=H)
    simulator.step(int(np.argmax(rope.x > START + 0.5 * TRAVEL)) + 1)
    draw_scene(view, scene, simulator.observe())
    view.set(aspect="equal", ylabel="z [m]", xlabel="x [m]")
    angles.plot(rope.time, rope.tilt, label="gripper on the rope")
    angles.plot(arm.time, arm.tilt, label="gripper on a stiff arm")
    angles.plot(rope.time, rope.swing, ":", label="load on the rope")
    angles.set_ylabel("tilt [rad]")
    angles.legend(ncols=3)
    height.plot(rope.time, rope.z)
    height.set(ylabel="height of the load [m]", xlabel="time [s]")
    for axes in (angles, height):
        axes.margins(x=0.0)
    return figure
