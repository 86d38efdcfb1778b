"""Cart that steps by 3.8 cm, and what swings below it afterwards.

Source: github.com/evanrschimmel/ES214_Lab4 at 65eb205. The files residual_swing_data_*.mat have the
largest angle after the step for eight places of a weight on the pendulum. The scripts have masses
and lengths, and the models the cart's acceleration, which is that of x = A / (1 + exp(c - k t)).
"""

import math
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from cable_sim import Body, Box, Joint, Motion, Scene, Simulator
from cable_sim.spec.scene import GRAVITY
from validation.harness import Measurement, Picture, Progress, Result

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ROD, WEIGHT = 0.0685, 0.088
"""Masses of the pendulum's rod and of the weight on it [kg]."""
LENGTH, ABOVE, ACROSS = 0.432, 0.025, 0.05
"""Of the rod; of its end above the pivot; diameter of the weight [m]."""
RATE, SCALE = 43.5668, 71.94
"""Rate k of the step [1/s], and A k^2 [m/s^2]: A is 3.79 cm."""
AT_ONCE = ((1.0, 9.38),)
SHAPED = ((0.5, 9.38), (0.5, 31.1633))
"""Parts of the step [-], and their c [-]: at 0.215 s, and at 0.715 s."""
PLACES = (0.0375, 0.0875, 0.1375, 0.1875, 0.2375, 0.2875, 0.3375, 0.3875)
"""Of the weight below the pivot [m]."""
PLAIN = ("8.839", "9.93", "9.784", "9.147", "8.187", "7.279", "6.503", "5.793")
LEFT = ("0.373", "1.26", "1.04", "0.352", "0.308", "0.879", "1.34", "1.64")
"""Measured largest angles after the step [deg]."""
AFTER, END, H = 1.0, 3.0, 1e-3
"""Angles are looked at from then on, until the end; step [s]."""
SPLINE = 0.01
"""Time between points of the cart's way [s]."""
SMALL = "of two swings that take each other away, of 5 deg each; 2 % of one are 0.1 deg"

Step = tuple[tuple[float, float], ...]


def way(time: float, step: Step) -> float:
    """Return the place of the cart [m]."""
    size = SCALE / RATE**2
    return sum(part * size / (1.0 + math.exp(shift - RATE * time)) for part, shift in step)


def crane(place: float, step: Step) -> Scene:
    """Return the cart, and a rod with a weight at a place [m] on a hinge below it."""
    mass = ROD + WEIGHT
    middle = 0.5 * (LENGTH - ABOVE)
    centre = (ROD * middle + WEIGHT * place) / mass
    of_rod = ROD * (LENGTH**2 / 12.0 + middle**2)
    of_weight = WEIGHT * (0.5 * (0.5 * ACROSS) ** 2 + place**2)
    inertia = of_rod + of_weight - mass * centre**2
    times = tuple(SPLINE * k for k in range(round(END / SPLINE) + 2))
    poses = [(way(time, step) - way(0.0, step), *5 * (0.0,)) for time in times]
    cart = Body("cart", 1.0, shape=Box(0.1, 0.1, 0.05), motion="prescribed")
    arm = Body("arm", mass, inertia=(inertia,) * 3, position=(0.0, 0.0, -centre))
    pivot = Joint("pivot", "hinge", child="arm", parent="cart", axis=(0.0, -1.0, 0.0))
    motion = Motion("cart", times=times, poses=poses)
    gravity = (0.0, 0.0, -GRAVITY)
    return Scene(bodies=[cart, arm], joints=[pivot], motions=[motion], gravity=gravity)


@cache
def residual(place: float, step: Step) -> float:
    """Return the largest angle [deg] after a step."""
    simulator = Simulator(crane(place, step), dt=H)
    simulator.step(round(AFTER / H))
    angles = []
    for _ in range(round((END - AFTER) / H)):
        simulator.step()
        w, _, y, _ = simulator.bodies["arm"].orientation
        angles.append(math.degrees(2.0 * math.atan2(-y, w)))
    return max(angles)


def one(progress: Progress) -> Result:
    """A cart steps by 3.8 cm within a fifth of a second. A rod with a weight swings below it, with
    a period of 0.93 s where the weight is a quarter down, and of 1.2 s where it is at the end. The
    slower the swing, the smaller what remains of the step.

    Between -1.6 and +2.4 %; friction of the pivot is left out.
    """
    found = [
        Measurement(
            f"weight at {100.0 * place:.2f} cm", printed, residual(place, AT_ONCE), 0.03, "deg"
        )
        for place, printed in zip(PLACES, PLAIN, strict=True)
    ]
    progress.over(())
    caption = "Residual swing over the weight's place: measured (points) and here (lines)."
    return Result(found, [Picture("swing", caption, draw)])


def two(progress: Progress) -> Result:
    """The same step in two halves, 0.5 s apart: the shaper for a swing of 1 s. With the weight at
    24 cm the pendulum has that period, and 4 % of the swing remain. At 1.2 s it is 28 %.

    Where both swings take each other away, a small error of either is large beside what remains:
    ours are within 0.16 degrees.
    """
    found = [
        Measurement(
            f"two halves, weight at {100.0 * place:.2f} cm",
            printed,
            residual(place, SHAPED),
            None,
            "deg",
            SMALL,
        )
        for place, printed in zip(PLACES, LEFT, strict=True)
    ]
    progress.over(())
    return Result(found, [])


def draw() -> "Figure":
    """Residual swing over the place of the weight, for both steps."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 3.0))
    axes = figure.add_subplot(xlabel="weight below the pivot [cm]", ylabel="residual swing [deg]")
    fine = np.linspace(PLACES[0], PLACES[-1], 15)
    for step, printed, name in ((AT_ONCE, PLAIN, "at once"), (SHAPED, LEFT, "two halves")):
        measured = [float(text) for text in printed]
        (points,) = axes.plot(100.0 * np.array(PLACES), measured, "o", label=f"measured, {name}")
        ours = [residual(float(place), step) for place in fine]
        axes.plot(100.0 * fine, ours, color=points.get_color(), label=f"ours, {name}")
    axes.legend()
    return figure
