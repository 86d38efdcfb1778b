"""Not in the paper: a hundred thousand steps, in which what is conserved must not drift."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cable_sim import Scene, Simulator
from cable_sim.sim.observation import Observation
from validation.harness import (
    Finding,
    Picture,
    Progress,
    Quantity,
    Result,
    at_least,
    at_most,
    fit_mode,
)

from .schemes import SCHEMES
from .stretch import STRETCH, elongation, parting, scene
from .validation import DURATIONS, MASS, SIDE, H, short

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STEPS = 100_000
SAMPLES = 1_000
WINDOW = 400
"""Samples of successive steps from which the amplitude is fitted, at the start and at the end."""
DRIFT = 1e-9
"""Allowed change of what is conserved, relative."""
INERTIA = MASS * SIDE**2 / 6.0
"""Of a cube about any axis [kg m^2]."""

Array = NDArray[np.float64]


def tumbling(stiffness: float) -> Scene:
    """The two boxes with sideways and angular velocities: the pair orbits and both boxes tumble on
    the cable."""
    start = scene(stiffness)
    left, right = start.bodies
    return replace(
        start,
        cables=(replace(start.cables[0], twist_stiffness=100.0),),
        bodies=(
            replace(left, velocity=(0.1, -0.3, 0.05), angular_velocity=(0.2, 0.1, -0.15)),
            replace(right, velocity=(0.15, 0.4, -0.1), angular_velocity=(-0.1, 0.25, 0.3)),
        ),
    )


def momentum(seen: Observation) -> Array:
    """Linear [N s], then angular momentum about the origin [N m s], of the two cubes together."""
    linear = MASS * seen.body_velocity
    spin = INERTIA * seen.body_angular_velocity
    return np.concatenate(
        [linear.sum(axis=0), (np.cross(seen.body_position, linear) + spin).sum(axis=0)]
    )


def sampled(simulator: Simulator, read: Callable[[Observation], object]) -> list[object]:
    """What is read at the start and SAMPLES times in STEPS steps."""
    values = [read(simulator.observe())]
    for _ in range(SAMPLES):
        simulator.step(STEPS // SAMPLES)
        values.append(read(simulator.observe()))
    return values


def long_run(progress: Progress) -> Result:
    """A hundred thousand steps of 0.01 s, over a quarter of an hour, with spook and no damping.

    First the oscillators of figure 5: the energy that the scheme conserves, and the amplitude,
    fitted anew at the end. Then boxes that orbit each other and tumble on a cable that resists
    twist, too: its forces and torques add up to nothing, and so linear and angular momentum stay,
        with either time stepper.
    """
    found: list[Finding] = []
    for constant in DURATIONS:
        found += _oscillator(constant)
        progress(len(found) / 12.0)
    series = {stepper: tumble(stepper) for stepper in SCHEMES}
    size = float(np.linalg.norm(series["spook"][0, 3:]))
    found.append(
        at_least(
            "angular momentum at the start",
            1e3,
            size,
            "N m s",
            "so that there is something to lose",
        )
    )
    for stepper, momenta in series.items():
        found += _momentum(stepper, momenta)
    caption = (
        "Change of linear (solid) and angular momentum (dashed) of two boxes that orbit each "
        "other and tumble on a cable of c_s = 1e3 N/m and c_t = 100 N m/rad, relative to the start."
    )
    return Result(found, [Picture("momentum", caption, partial(_draw, series))])


def _oscillator(constant: float) -> list[Finding]:
    """Energy and amplitude of one oscillator."""
    simulator, tag = Simulator(scene(constant), dt=H, stepper="spook"), f"c_s = {short(constant)}"
    early = _amplitude(simulator, constant)
    simulator.reset()
    energies = np.array(sampled(simulator, partial(_energy, constant)))
    late, change = _amplitude(simulator, constant), float(np.ptp(energies) / energies.mean())
    return [
        at_most(f"change of energy in 1e5 steps, {tag}", DRIFT, change, "", "relative"),
        Quantity(f"amplitude after 1e5 steps over before, {tag}", None, 1.0, late / early, 1e-9),
    ]


def _energy(constant: float, seen: Observation) -> float:
    """The energy that spook conserves, by hand [J]."""
    return 0.5 * STRETCH.inertia * parting(seen) ** 2 + 0.5 * constant * elongation(seen) ** 2


def _amplitude(simulator: Simulator, constant: float) -> float:
    """Amplitude of the oscillation over the next periods [m]."""
    stride = max(1, round(2.0 * np.pi / STRETCH.omega(constant) / H / 100.0))
    values = []
    for _ in range(WINDOW):
        simulator.step(stride)
        values.append(elongation(simulator.observe()))
    return fit_mode(values, stride * H).amplitude


def tumble(stepper: str) -> Array:
    """Momentum over time, a row per sample: three linear, three angular components."""
    return np.array(sampled(Simulator(tumbling(1e3), dt=H, stepper=stepper), momentum))


def drifts(momenta: Array) -> tuple[Array, Array]:
    """Distance of linear and of angular momentum from the start, over their size there [-]."""
    change = momenta - momenta[0]
    linear, angular = (
        np.linalg.norm(change[:, three], axis=1) / np.linalg.norm(momenta[0, three])
        for three in (slice(0, 3), slice(3, 6))
    )
    return linear, angular


def _momentum(stepper: str, momenta: Array) -> list[Finding]:
    """Drift of both momenta."""
    linear, angular = drifts(momenta)
    return [
        at_most(
            f"drift of linear momentum, {stepper}",
            DRIFT,
            float(linear.max()),
            "",
            "in 1e5 steps, relative",
        ),
        at_most(
            f"drift of angular momentum, {stepper}",
            DRIFT,
            float(angular.max()),
            "",
            "in 1e5 steps, relative",
        ),
    ]


def _draw(series: dict[str, Array]) -> "Figure":
    """Both drifts over time."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.0, 3.2))
    axes = figure.subplots()
    time = np.linspace(0.0, STEPS * H, SAMPLES + 1)
    for color, (stepper, momenta) in enumerate(series.items()):
        linear, angular = drifts(momenta)
        axes.plot(time, linear, color=f"C{color}", label=f"{stepper}, linear")
        axes.plot(time, angular, "--", color=f"C{color}", label=f"{stepper}, angular")
    axes.set_xlabel("time [s]")
    axes.set_ylabel("relative change")
    axes.margins(x=0.0)
    axes.legend()
    return figure
