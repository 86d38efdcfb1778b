"""Three arms that hang from one another: hook block, slings and load.

Source: ParameterEstimation/TriplePendulum of github.com/dynamicslab/MultiArm-Pendulum at e99a7e1.
EstimatedParameters_TriplePendulum.mat has the arms as the authors identified them from 34 s of a
free swing; Y_id and Y_vad of TriplePendulumDataForParameterEstimation.mat are that swing and the 6
s after it, at 1 kHz from encoders. The frequencies are the peaks of the spectra of all 40 s (a Hann
window, padded eightfold). Angles are from straight down, of the arms against the vertical.
"""

import math
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cable_sim import Body, Joint, Scene, Simulator, modes
from validation.harness import Measurement, Picture, Progress, Result, at_most

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NAMES = ("upper", "middle", "lower")
MASSES = (0.258171998, 0.279427783, 0.118624232)
CENTRES = (0.159999928, 0.202939213, 0.183708742)
"""Of the arms [kg], and their middles from the upper ends [m]."""
INERTIAS = (1.00043469e-4, 3.14159516e-4, 1.68739037e-4)
"""About the middles [kg m^2]."""
BETWEEN = (0.172799737, 0.2287)
"""Distances of the hinges [m]."""
DAMPING, GRAVITY = (1.47709548e-3, 2.59576628e-4, 1.0e-5), 9.80834384
"""Of the hinges [N m s/rad], and the local gravity [m/s^2], both as identified."""
MEASURED = ("0.7562", "1.4562", "2.6187")
"""Peaks of the spectra [Hz]; they are known to about 0.01 Hz."""
START = ((0.13832, 0.18833, 0.32798), (0.15395, 0.74818, 3.76163))
"""Angles [rad] and rates [rad/s] of the arms at the start of the last 6 s."""
EVERY, POINTS = (
    0.25,
    ((0.1383, 0.1883, 0.328), (0.1472, 0.25, 0.6001), (0.0617, 0.044, -0.2203))
    + ((-0.2271, -0.2894, -0.2557), (-0.1545, -0.21, -0.2619), (0.133, 0.1435, -0.0058))
    + ((0.1423, 0.2616, 0.6604), (0.0915, 0.1097, 0.0564), (-0.1301, -0.2044, -0.4085))
    + ((-0.2324, -0.2878, -0.1611), (0.0686, 0.0623, -0.1618), (0.1747, 0.261, 0.4879))
    + ((0.0914, 0.149, 0.3955), (-0.0468, -0.1088, -0.4416), (-0.2405, -0.3043, -0.2361))
    + ((-0.0389, -0.0549, -0.1134), (0.2011, 0.249, 0.212), (0.105, 0.1973, 0.5717))
    + ((-0.0074, -0.0331, -0.2462), (-0.187, -0.2697, -0.4325), (-0.1414, -0.1669, -0.0362))
    + ((0.1731, 0.1996, 0.0412), (0.1529, 0.2469, 0.5151), (0.0032, 0.0163, 0.0938))
    + ((-0.121, -0.2166, -0.5558),),
)
"""Time between two points [s], and measured angles of the arms [rad]."""
H = 1e-3
"""Time step [s]."""
LARGE = "the swing of up to 0.7 rad is slower than the mode"


def pendulum(angles: tuple[float, ...], rates: tuple[float, ...]) -> Scene:
    """Return the arms at angles [rad] with rates [rad/s], on hinges about y."""
    hinge = np.zeros(3)
    speed = np.zeros(3)
    bodies, joints = [], []
    for i, name in enumerate(NAMES):
        angle, rate = angles[i], rates[i]
        down = np.array([math.sin(angle), 0.0, -math.cos(angle)])
        ahead = np.array([math.cos(angle), 0.0, math.sin(angle)])
        bodies.append(
            Body(
                name,
                MASSES[i],
                inertia=(INERTIAS[i],) * 3,
                position=tuple(hinge + CENTRES[i] * down),
                orientation=(math.cos(0.5 * angle), 0.0, -math.sin(0.5 * angle), 0.0),
                velocity=tuple(speed + CENTRES[i] * rate * ahead),
                angular_velocity=(0.0, -rate, 0.0),
            )
        )
        parent = NAMES[i - 1] if i else "world"
        joints.append(
            Joint(
                f"hinge_{name}",
                "hinge",
                child=name,
                parent=parent,
                point=tuple(hinge),
                axis=(0.0, -1.0, 0.0),
                damping=DAMPING[i],
            )
        )
        if i < len(BETWEEN):
            hinge, speed = hinge + BETWEEN[i] * down, speed + BETWEEN[i] * rate * ahead
    return Scene(bodies=bodies, joints=joints, gravity=(0.0, 0.0, -GRAVITY))


@cache
def swung(every: float, count: int) -> NDArray[np.float64]:
    """Return our angles (count, 3) of the arms [rad], one point after the other."""
    simulator = Simulator(pendulum(*START), dt=H)
    angles = np.empty((count, len(NAMES)))
    for k in range(count):
        for i, name in enumerate(NAMES):
            w, _, y, _ = simulator.bodies[name].orientation
            angles[k, i] = -2.0 * math.atan2(y, w)
        simulator.step(round(every / H))
    return angles


def frequencies(progress: Progress) -> Result:
    """Three arms swing together at 0.76 Hz; against one another at 1.5 Hz, mostly the lowest, and
    at 2.6 Hz. So do hook block, slings and load of a crane. Masses, lengths and inertias are those
    that the authors identified.

    Ours are 0.2 to 1.9 % higher. Modes are small motions, and these were of 0.5 to 1.3 rad at the
    beginning.
    """
    progress.over(())
    found = modes(pendulum((0.0, 0.0, 0.0), (0.0, 0.0, 0.0)))
    return Result(
        [
            Measurement(
                f"frequency of mode {i + 1}", printed, found[i].frequency, 0.02, "Hz", LARGE
            )
            for i, printed in enumerate(MEASURED)
        ]
    )


def swing(progress: Progress) -> Result:
    """The swing of the last 6 s, which the authors kept for validation, from its first angles and
    rates on. The lowest arm swings by up to 0.7 rad.
    """
    progress.over(())
    error = np.abs(swung(EVERY, len(POINTS)) - POINTS)
    found = [
        at_most(f"error of the {name} arm in 6 s", bound, float(error[:, i].max()), "rad")
        for i, (name, bound) in enumerate(zip(NAMES, (0.05, 0.05, 0.1), strict=True))
    ]
    caption = "Angles of the arms: measured (points) and here (lines)."
    return Result([*found], [Picture("swing", caption, draw)])


def draw() -> "Figure":
    """Angles over time."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 3.0))
    axes = figure.add_subplot(xlabel="t [s]", ylabel="angle [rad]")
    times = EVERY * np.arange(len(POINTS))
    fine = swung(0.02, round(times[-1] / 0.02) + 1)
    for i, name in enumerate(NAMES):
        (points,) = axes.plot(times, np.array(POINTS)[:, i], "o", ms=4, label=f"{name} arm")
        axes.plot(0.02 * np.arange(len(fine)), fine[:, i], color=points.get_color())
    axes.legend()
    return figure
