"""Figures 5 and 6: two boxes of 1000 kg drift apart on a cable of 4 m, for c_s of 10, 1e3 and 1e6
N/m."""

from functools import partial

from cable_sim import Scene, load_scene
from cable_sim.sim.observation import Observation
from validation.harness import Picture, Progress, Result

from .panels import draw_displacements, draw_energies
from .schemes import SCHEMES
from .validation import DURATIONS, LENGTH, MASS, Test, continuum, energies, modes, record

SPEED = 0.1
"""At which the boxes part at the start [m/s]; the paper does not print its own."""


def scene(stiffness: float) -> Scene:
    """The paper's cable, which pushes, too."""
    return load_scene("two_boxes", stiffness=stiffness, speed=SPEED, mass=MASS)


def elongation(seen: Observation) -> float:
    """Length of the path less the unstretched length [m]."""
    cable = seen.cable("cable")
    return cable.length - cable.length_paid_out


def parting(seen: Observation) -> float:
    """Speed at which the boxes part [m/s]."""
    return float(seen.body("right").velocity[0] - seen.body("left").velocity[0])


STRETCH = Test(
    name="stretch",
    constant="c_s",
    unit="m",
    constant_unit="N/m",
    inertia=MASS / 2.0,
    scene=scene,
    displacement=elongation,
    rate=parting,
    load=lambda seen: seen.cable("cable").tension,
    printed=("44", "4.4", "0.14"),
)


def figure_5(progress: Progress) -> Result:
    """Elongation and tension of the cable over time. Periods, decay and amplitude are fitted to the
    observed elongation and compared with what each time stepper must do to a linear mode at h =
    0.01 s; the paper's one is backward Euler.

    Tension and elongation coincide up to the time step: the paper's scheme takes the force from the
    end of a step, spook from the mean over the step. The paper names no initial velocity; here
    the boxes part at 0.1 m/s.
    """
    for constant in progress.over(DURATIONS):
        for stepper in SCHEMES:
            record(STRETCH, constant, stepper)
    caption = (
        "Figure 5. Change in length of the cable and tension over c_s, both over the length L, "
        "for c_s of 10 (a), "
        "1e3 (b) and 1e6 N/m (c). Left the paper's time stepper, right the one without numerical "
        "damping. The tension is drawn at the instant where the time stepper takes it."
    )
    draw = partial(draw_displacements, STRETCH, r"$\Delta L / L$", "$f / (c_s L)$", 1.0 / LENGTH)
    return Result([*continuum(STRETCH), *modes(STRETCH)], [Picture("figure_5", caption, draw)])


def figure_6(progress: Progress) -> Result:
    """Total energy W, kinetic U_k, potential U_p and that of the stretch U_s. The decay is that of
    backward Euler, a factor 1 / (1 + (omega h)^2) each step, and of nothing else: without it W
    stays.
    """
    progress(0.0)
    caption = "Figure 6. Energies in the runs of figure 5, at the ends of steps."
    return Result(
        energies(STRETCH), [Picture("figure_6", caption, partial(draw_energies, STRETCH, "$U_s$"))]
    )
