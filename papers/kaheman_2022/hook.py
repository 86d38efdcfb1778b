"""Two arms that hang from one another: what a hook and its load are to a crane.

Source: ParameterEstimation/DoublePendulum of github.com/dynamicslab/MultiArm-Pendulum. Its file
EstimatedParameters_DoublePendulum.mat has the arms as the authors identified them from 69 s of a
free swing; Y_id and Y_vad of DoublePendulumDataForParameterEstimation.mat are that swing and the 11
s after it, at 1 kHz from encoders. The frequencies are those of the spectrum of the last 40 s (a
Hann window). Angles below are from straight down, of the arms against the vertical.
"""

import math
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cable_sim import Body, Joint, Scene, Simulator, modes
from validation.harness import Finding, Measurement, Picture, Progress, Result, at_most

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MASSES, CENTRES = (0.0938439748, 0.137595970), (0.108565215, 0.116779018)
"""Of both arms [kg], and their middles from the upper ends [m]."""
INERTIAS, BETWEEN = (4.37529430e-4, 1.26882939e-3), 0.172719204
"""About the middles [kg m^2], and the distance of the hinges [m]."""
DAMPING, GRAVITY = (2.37142783e-4, 1.0e-5), 9.80858023
"""Of the hinges [N m s/rad], and the local gravity [m/s^2], both as identified."""
MEASURED = ("0.9041", "2.0017")
"""Frequencies of both modes [Hz]; peaks of the spectrum are known to about 0.001 Hz."""
CROSSINGS = "0.9057"
"""Frequency of the upper arm in the last 11 s, by its crossings of the vertical [Hz]."""
SMALL_START = (0.0136, 0.0326, 1.0768, 1.9006)
LARGE_START = (-0.5258, 0.3998, 7.8344, -1.4105)
"""Angles [rad] and rates [rad/s] of the arms at the start."""
SMALL_EVERY, SMALL = (
    0.25,
    ((0.0136, 0.0326), (0.199, 0.3193), (0.0367, 0.074), (-0.18, -0.3018), (-0.0959, -0.1545))
    + ((0.1532, 0.2499), (0.1354, 0.2336), (-0.1074, -0.1833), (-0.1721, -0.2769))
    + ((0.0589, 0.0958), (0.1839, 0.3085), (-0.002, -0.0055), (-0.1882, -0.2999))
    + ((-0.0487, -0.0889), (0.1649, 0.2809), (0.1008, 0.1664), (-0.1386, -0.222))
    + ((-0.1382, -0.2328), (0.091, 0.159), (0.1671, 0.2735), (-0.0455, -0.0702))
    + ((-0.178, -0.2922), (-0.0093, -0.0135), (0.174, 0.2857), (0.0572, 0.102))
    + ((-0.1542, -0.2539), (-0.1041, -0.1724), (0.1211, 0.2027), (0.1377, 0.2316))
    + ((-0.0797, -0.1317), (-0.1626, -0.2636), (0.032, 0.0523), (0.1684, 0.2802))
    + ((0.0175, 0.0311), (-0.1638, -0.2645), (-0.0637, -0.1098), (0.1395, 0.2356))
    + ((0.1052, 0.1765), (-0.1095, -0.1778), (-0.1366, -0.2255), (0.0663, 0.1134)),
)
"""Time between two points [s], and measured angles of both arms [rad]."""
LARGE_EVERY, LARGE = (
    0.1,
    ((-0.5258, 0.3998), (0.4717, -0.1135), (1.0692, -0.1711), (1.0596, 0.1675), (0.3723, 0.8597))
    + ((-0.3372, 1.0572), (-0.6975, 0.4959), (-0.3138, -0.6394), (0.0891, -1.5053))
    + ((0.2656, -1.7759), (0.369, -1.5617), (0.228, -0.8934), (-0.4241, 0.385))
    + ((-0.5136, 1.2067), (-0.1736, 1.5277), (0.2752, 1.2178), (0.8307, 0.2807))
    + ((0.7709, -0.3813), (0.0945, -0.4517), (-0.8101, 0.0106), (-1.1353, -0.027)),
)
"""The same for the large swing."""
H = 1e-3
"""Time step [s]."""


def arms(start: tuple[float, ...]) -> Scene:
    """The two arms at angles [rad] with rates [rad/s], on hinges about y."""
    hinge = np.zeros(3)
    speed = np.zeros(3)
    bodies, joints = [], []
    for i, name in enumerate(("upper", "lower")):
        angle, rate = start[i], start[2 + i]
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
        parent = "upper" if i else "world"
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
        hinge, speed = hinge + BETWEEN * down, speed + BETWEEN * rate * ahead
    return Scene(bodies=bodies, joints=joints, gravity=(0.0, 0.0, -GRAVITY))


@cache
def swing(start: tuple[float, ...], every: float, count: int) -> NDArray[np.float64]:
    """Return our angles (count, 2) of the arms [rad], one point after the other."""
    simulator = Simulator(arms(start), dt=H)
    angles = np.empty((count, 2))
    for k in range(count):
        for i, name in enumerate(("upper", "lower")):
            w, _, y, _ = simulator.bodies[name].orientation
            angles[k, i] = -2.0 * math.atan2(y, w)
        simulator.step(round(every / H))
    return angles


def frequencies(progress: Progress) -> Result:
    """Both arms swing together at 0.9 Hz and against one another at 2 Hz, as a hook and a load do
    on a crane. Ours are the modes of the two bodies on their hinges. Masses, lengths and inertias
    are those that the authors identified.

    Both frequencies are 0.5 % higher here. Most of that is the amplitude, which modes leave out:
    our own swing of 0.2 and 0.32 rad is 0.4 % slower than the mode, as slow as the measured one.
    """
    progress.over(())
    found = modes(arms((0.0, 0.0, 0.0, 0.0)))
    note = "0.4 % are the amplitude's, which the modes leave out"
    both = [
        Measurement(f"frequency of mode {i + 1}", printed, found[i].frequency, 0.01, "Hz", note)
        for i, printed in enumerate(MEASURED)
    ]
    return Result([*both, Measurement("frequency of the swing", CROSSINGS, crossing(), 2e-3, "Hz")])


def crossing() -> float:
    """Return the frequency of our upper arm in eleven seconds by its crossings upwards [Hz]."""
    every = 0.01
    angles = swing(SMALL_START, every, 1060)[:, 0]
    up = np.flatnonzero((angles[:-1] < 0.0) & (angles[1:] >= 0.0))
    times = every * (up + angles[up] / (angles[up] - angles[up + 1]))
    return float(1.0 / np.diff(times).mean())


def small(progress: Progress) -> Result:
    """The swing of the last 11 s, which the authors kept for validation, from its first angles and
    rates on. After ten seconds the arms are where they were measured within 0.022 and 0.036 rad,
    of 0.18 and 0.30 rad: ours are damped less. The bound is a quarter of the upper arm's swing.
    """
    progress.over(())
    ours = swing(SMALL_START, SMALL_EVERY, len(SMALL))
    error = np.abs(ours - SMALL)
    third = round(2.5 / SMALL_EVERY) + 1
    found: list[Finding] = [
        at_most(f"error of the {name} arm in {time} s", bound, float(error[:count, i].max()), "rad")
        for time, count, bound in (("2.5", third, 0.02), ("10", len(SMALL), 0.05))
        for i, name in enumerate(("upper", "lower"))
    ]
    caption = "Angles of both arms: measured (points) and here (lines)."
    return Result(found, [Picture("small_swing", caption, draw)])


def large(progress: Progress) -> Result:
    """The beginning of the swing, with up to 1.1 and 1.8 rad. It is chaotic: an error of 0.01 rad
    grows to 0.05 rad in two seconds.
    """
    progress.over(())
    error = np.abs(swing(LARGE_START, LARGE_EVERY, len(LARGE)) - LARGE)
    return Result(
        [
            at_most(
                f"error of the {name} arm in {time} s", bound, float(error[:count, i].max()), "rad"
            )
            for time, count, bound in (("1", 11, 0.02), ("2", 21, 0.1))
            for i, name in enumerate(("upper", "lower"))
        ]
    )


def draw() -> "Figure":
    """Angles over time."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 3.0))
    axes = figure.add_subplot(xlabel="t [s]", ylabel="angle [rad]")
    times = SMALL_EVERY * np.arange(len(SMALL))
    fine = swing(SMALL_START, 0.02, round(times[-1] / 0.02) + 1)
    for i, name in enumerate(("upper", "lower")):
        (line,) = axes.plot(times, np.array(SMALL)[:, i], "o", markersize=4, label=f"{name} arm")
        axes.plot(0.02 * np.arange(len(fine)), fine[:, i], color=line.get_color())
    axes.legend()
    return figure
