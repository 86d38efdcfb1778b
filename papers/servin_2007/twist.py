"""Figures 7 and 8: the two boxes turn against each other on a cable with c_t of 10, 1e3 and 1e6 N
m/rad."""

import math
from functools import partial

from cable_sim import Scene, load_scene
from cable_sim.sim.observation import Observation
from validation.harness import Picture, Progress, Result, at_least

from .panels import draw_displacements, draw_energies
from .schemes import SCHEMES
from .validation import DURATIONS, MASS, SIDE, Test, continuum, energies, modes, record

SPIN = 1.5
"""At which the boxes turn against each other at the start [rad/s]; the paper does not print its
own."""


def scene(twist_stiffness: float) -> Scene:
    """The boxes at rest but for their spin about the cable."""
    return load_scene("two_boxes", twist_stiffness=twist_stiffness, spin=SPIN, speed=0.0, mass=MASS)


def twist_rate(seen: Observation) -> float:
    """Angular velocity of the right box about the cable against the left one's [rad/s]."""
    return float(seen.body("right").angular_velocity[0] - seen.body("left").angular_velocity[0])


TWIST = Test(
    name="twist",
    constant="c_t",
    unit="rad",
    constant_unit="N m/rad",
    inertia=MASS * SIDE**2 / 12.0,
    scene=scene,
    displacement=lambda seen: seen.cable("cable").twist,
    rate=twist_rate,
    load=lambda seen: seen.cable("cable").torque,
    printed=("36", "3.6", "0.11"),
)


def figure_7(progress: Progress) -> Result:
    """Twist angle and torque of the cable over time, measured like the stretch. The inertia of the
    mode is half a box's m a^2 / 6. In (a) the twist goes beyond a revolution, so its turns are
    counted.

    Where the paper measures the twist in Euler angles, whose Jacobian is singular for an upright
    body vector, the twist here is that of a rope whose ends swing with the bodies; for these boxes,
    which turn about the cable, both agree.
    """
    for constant in progress.over(DURATIONS):
        for stepper in SCHEMES:
            record(TWIST, constant, stepper)
    most = float(abs(record(TWIST, 10.0, "regularised").displacement).max())
    beyond = at_least(
        "largest twist, c_t = 10",
        2.0 * math.pi,
        most,
        "rad",
        "the paper: it may exceed one revolution",
    )
    caption = (
        "Figure 7. Twist angle and torque over c_t, for c_t of 10 (a), 1e3 (b) and 1e6 N m/rad "
        "(c). Left the paper's "
        "time stepper, right the one without numerical damping. The torque is drawn at the "
        "instant where the time stepper takes it."
    )
    draw = partial(draw_displacements, TWIST, r"$\Omega$ [rad]", "torque $/ c_t$", 1.0)
    return Result([*continuum(TWIST), *modes(TWIST), beyond], [Picture("figure_7", caption, draw)])


def figure_8(progress: Progress) -> Result:
    """Total energy W, kinetic U_k, potential U_p and that of the twist U_t (the caption in print
    says c_s for c_t)."""
    progress(0.0)
    caption = "Figure 8. Energies in the runs of figure 7, at the ends of steps."
    return Result(
        energies(TWIST), [Picture("figure_8", caption, partial(draw_energies, TWIST, "$U_t$"))]
    )
