"""Beams: errors of frequencies and of sags against closed forms, and microseconds of a step.

A cantilever of 24 m, with and without a heavy body at its tip; a girder on two supports that a
trolley crosses; and cranes of rigid and of bending steel.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from benchmarks.results import Row
from benchmarks.timing import Case, measure
from cable_sim import (
    Beam,
    Body,
    Drive,
    Joint,
    Scene,
    Simulator,
    Sphere,
    equilibrium,
    load_crane,
    modes,
)

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
HEAVY = 1200.0
"""Mass per length of the girder [kg/m]."""
SPEEDS = 0.1, 0.3, 0.5
"""Of the trolley, over that at which the first mode of the girder resonates."""
CRANES = "tower_12t", "tower_5t", "overhead_32t"


def bar(cells: int, damping_ratio: float = 0.005) -> Beam:
    """The beam of so many cells, along x."""
    return Beam(
        "beam",
        (0, 0, 0),
        (LONG, 0, 0),
        ei_y=EI,
        ea=EA,
        density=DENSITY,
        elements=cells,
        damping_ratio=damping_ratio,
    )


def cantilever(beam: Beam, gravity: float = GRAVITY, tip: float = 0.0) -> Scene:
    """A beam clamped at its start, with a body of mass ``tip`` [kg] at its end if there is any."""
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
    return [*rows, *_girders(), *_cranes()]


def _prepare(cells: int) -> Case:
    """Steps of a beam that swings, from the same state."""
    simulator = Simulator(cantilever(bar(cells), tip=TIP), dt=1e-3)
    simulator.step(100)
    return _steps(simulator)


def _mode_errors(cells: int) -> NDArray[np.float64]:
    """Relative errors of as many frequencies as the cells have of each plane, four at most."""
    found: Sequence[float] = [mode.frequency for mode in modes(cantilever(bar(cells), gravity=0.0))]
    bending = np.sort(found)[: 2 * min(cells, 4) : 2]
    right = (ROOTS[: bending.size] / LONG) ** 2 * np.sqrt(EI / DENSITY) / (2.0 * np.pi)
    return np.asarray(bending / right - 1.0)


def _sag_error(cells: int) -> float:
    """Relative error of how much a body lowers the tip, beside a body of a gram."""
    light, heavy = (
        equilibrium(cantilever(bar(cells), tip=tip)).observation.body("tip").position[2]
        for tip in (1e-3, TIP)
    )
    return float((light - heavy) / (TIP * GRAVITY * LONG**3 / (3.0 * EI)) - 1.0)


def girder(cells: int, speed: float) -> Scene:
    """A girder on two supports, and on it a trolley of 2 kg that a drive moves."""
    beam = Beam(
        "beam",
        (0, 0, 0),
        (LONG, 0, 0),
        ei_y=EI,
        ea=EA,
        density=HEAVY,
        elements=cells,
        damping_ratio=0.0,
    )
    first, last = beam.at(0.0)[0], beam.at(1.0)[0]
    cart = Body("cart", 1.0, inertia=(1.0, 1.0, 1.0), position=beam.end)
    trolley = Body("trolley", 2.0, shape=Sphere(0.5), velocity=(speed, 0, 0))
    joints = [
        Joint("left", "hinge", first, point=beam.start, axis=(0, 1, 0)),
        Joint("right", "hinge", last, "cart", point=beam.end, axis=(0, 1, 0)),
        Joint("slide", "prismatic", "cart", point=beam.end, axis=(1, 0, 0)),
        Joint("rails", "prismatic", "trolley", first, axis=(1, 0, 0), rail=beam.rail),
    ]
    return Scene(
        bodies=[*beam.bodies, cart, trolley],
        joints=[*beam.joints, *joints],
        drives=[Drive("run", on="rails", target=speed)],
        gravity=(0.0, 0.0, 0.0),
    )


def _girders() -> list[Row]:
    """Errors of girders that a force crosses, over the largest sag, by cells and speed."""
    rows = []
    for cells in CELLS[2:]:
        for speed in SPEEDS:
            error = 100.0 * _crossing_error(cells, speed)
            case = f"{cells} cells, force at {speed:g} of resonance"
            rows.append(Row("beams", case, error, error, "%", "Fryba"))
    return rows


def _crossing_error(cells: int, share: float) -> float:
    """Largest error of the sag under a force that crosses a girder, over the largest sag."""
    slowest = (np.pi / LONG) ** 2 * np.sqrt(EI / HEAVY)
    speed = share * slowest * LONG / np.pi
    force = 2e4
    simulator = Simulator(girder(cells, speed), dt=1e-3)
    simulator.push("trolley", (0.0, 0.0, -force))
    n = np.arange(1, 60)
    found, right = [], []
    for _ in range(int(LONG / speed / 4e-3)):
        simulator.step(4)
        seen = simulator.observe()
        found.append(-seen.body("trolley").position[2])
        passed = np.sin(n * np.pi * speed * seen.time / LONG)
        shape = passed * (passed - share / n * np.sin(n**2 * slowest * seen.time))
        right.append(float((shape / (n**2 * (n**2 - share**2))).sum()))
    sag = np.array(right) * 2.0 * force * LONG**3 / (np.pi**4 * EI)
    return float(np.abs(found - sag).max() / sag.max())


def _cranes() -> list[Row]:
    """Time of a step of cranes of rigid and of bending steel."""
    cases = {}
    for name in CRANES:
        for mode in ("rigid", "flexible"):
            simulator = Simulator(load_crane(name, {"crane.structure.mode": mode}).scene)
            simulator.step(100)
            cases[f"{name}, {mode}"] = _steps(simulator)
    timings = measure(cases)
    return [
        Row("beams", f"{case}, step", 1e6 * one.best, 1e6 * one.median, "us")
        for case, one in timings.items()
    ]


def _steps(simulator: Simulator) -> Case:
    """Steps of a simulator from where it is."""
    start = simulator.save()
    return Case(lambda: simulator.step(STEPS), STEPS, lambda: simulator.restore(start))
