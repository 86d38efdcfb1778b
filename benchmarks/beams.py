"""Beams: errors of frequencies and of tips against closed forms, and microseconds of a step.

A cantilever of 24 m, with and without a heavy body at its tip.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from benchmarks.results import Row
from benchmarks.timing import Case, measure
from cable_sim import Beam, Body, Joint, Scene, Simulator, Sphere, equilibrium, modes

CELLS = (2, 4, 8, 12)
LONG = 24.0
EI = 3e8
EA = 2e11
DENSITY = 120.0
"""Of the beam: m, N m^2, N, kg/m. It is slender: the inertia of its cross section counts little."""
TIP = 400.0
GRAVITY = 9.81
ROOTS = np.array((1.8751041, 4.6940911, 7.8547574, 10.9955407))
"""Of cos x cosh x = -1."""
STEPS = 2000


def cantilever(cells: int, gravity: float = GRAVITY, tip: float = 0.0) -> Scene:
    """A beam clamped at its start, with a body of mass ``tip`` [kg] at its end if there is any."""
    beam = Beam("beam", (0, 0, 0), (LONG, 0, 0), ei_y=EI, ea=EA, density=DENSITY, elements=cells)
    joints = [*beam.joints, Joint("clamp", "fixed", beam.at(0.0)[0])]
    bodies = list(beam.bodies)
    if tip:
        bodies.append(Body("tip", tip, shape=Sphere(0.1), position=beam.end))
        joints.append(Joint("on_tip", "fixed", "tip", beam.at(1.0)[0], point=beam.end))
    return Scene(bodies=bodies, joints=joints, gravity=(0.0, 0.0, -gravity))


def beams() -> list[Row]:
    """Errors of modes 1 to 4, of the sag of the tip, and the time of a step, by number of cells."""
    timings = measure({cells: _prepare(cells) for cells in CELLS})
    rows = []
    for cells in CELLS:
        case = f"{cells} cells"
        errors = _mode_errors(cells)
        rows += [
            Row("beams", f"{case}, mode {n}", 100.0 * error, 100.0 * error, "%")
            for n, error in enumerate(errors, start=1)
        ]
        sag = 100.0 * _sag_error(cells)
        timing = timings[cells]
        rows.append(Row("beams", f"{case}, tip", sag, sag, "%", "P L^3 / 3 EI"))
        rows.append(Row("beams", f"{case}, step", 1e6 * timing.best, 1e6 * timing.median, "us"))
    return rows


def _prepare(cells: int) -> Case:
    """Steps of a beam that swings, from the same state."""
    simulator = Simulator(cantilever(cells, tip=TIP), dt=1e-3)
    simulator.step(100)
    start = simulator.save()
    return Case(lambda: simulator.step(STEPS), STEPS, lambda: simulator.restore(start))


def _mode_errors(cells: int) -> NDArray[np.float64]:
    """Relative errors of as many frequencies as the cells have of each plane, four at most."""
    found: Sequence[float] = [mode.frequency for mode in modes(cantilever(cells, gravity=0.0))]
    bending = np.sort(found)[: 2 * min(cells, 4) : 2]
    right = (ROOTS[: bending.size] / LONG) ** 2 * np.sqrt(EI / DENSITY) / (2.0 * np.pi)
    return np.asarray(bending / right - 1.0)


def _sag_error(cells: int) -> float:
    """Relative error of how much a body lowers the tip, beside a body of a gram."""
    light, heavy = (
        equilibrium(cantilever(cells, tip=tip)).observation.body("tip").position[2]
        for tip in (1e-3, TIP)
    )
    return float((light - heavy) / (TIP * GRAVITY * LONG**3 / (3.0 * EI)) - 1.0)
