"""A cantilever that is let go under its weight: what the accuracy of its tip costs.

Cells, elements and steps differ here, because engines differ in what they need. What is compared is
the cost of a simulated second at the error that ours has.
"""

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from transforms3d.quaternions import rotate_vector

from benchmarks.beams import DENSITY, EA, EI, LONG, bar, cantilever
from benchmarks.peers.accuracy import costs_at_equal_error, errors_at_equal_cost
from benchmarks.peers.contest import OURS, Absent, Comparison, Entry
from benchmarks.peers.engines import absent_engine, engine
from benchmarks.timing import Case
from cable_sim import Simulator

Array = NDArray[np.float64]
GRAVITY = 1.0
"""Little, so that the sag is a thousandth of the length and the closed form is exact [m/s^2]."""
SAG = DENSITY * GRAVITY * LONG**4 / (8.0 * EI)
"""Of the tip at rest [m]."""
END = 2.0
LOOKS = 0.01
TIMED = 1.0
"""Length of the run that is judged, time between two looks, and length of what is timed [s]."""
ERROR = "error of the tip [% of its sag]"
MOST = 20.0
"""Largest error of what still is that beam [%]."""
WAYS: dict[str, tuple[tuple[int, float], ...]] = {
    "beam of cells": ((4, 5e-3), (4, 0.01), (6, 5e-3), (6, 2.5e-3), (8, 2e-3), (12, 1e-3)),
    "hinges with springs, RK4": ((4, 2e-3), (4, 1e-3), (8, 1e-3), (12, 2e-4)),
    "hinges with springs, implicitfast": ((4, 2e-3), (4, 1e-3), (8, 1e-3), (12, 2e-4)),
    "ANCF in the plane": ((2, 0.01), (2, 5e-3), (3, 2e-3), (4, 1e-3)),
    "ANCF in space": ((2, 0.01), (2, 5e-3), (3, 2e-3), (4, 1e-3)),
}
"""Elements and step [s] of each run."""
ROOTS = np.array(
    (1.8751040687, 4.6940911330, 7.8547574382, 10.9955407349, 14.1371683910, 17.2787595321)
)
"""Of cos x cosh x = -1."""


class Mast(Protocol):
    """A cantilever of an engine."""

    def case(self, seconds: float) -> Case:
        """Return the first seconds from the start."""

    def track(self, seconds: float) -> Array:
        """Return heights of the tip after each step of so many seconds [m]."""


class OurMast:
    """A beam of ours of so many cells, with steps of ``h`` [s]."""

    def __init__(self, cells: int, h: float) -> None:
        beam = bar(cells, damping_ratio=0.0)
        self.h = h
        self.tip = beam.at(1.0)
        self.simulator = Simulator(cantilever(beam, gravity=GRAVITY), dt=h)
        self.start = self.simulator.save()

    def case(self, seconds: float) -> Case:
        """Return the first seconds from the start."""
        steps = round(seconds / self.h)
        reset = lambda: self.simulator.restore(self.start)  # noqa: E731
        return Case(lambda: self.simulator.step(steps), steps, reset)

    def track(self, seconds: float) -> Array:
        """Return heights of the tip after each step [m]."""
        self.simulator.restore(self.start)
        name, place = self.tip
        found = []
        for _ in range(round(seconds / self.h)):
            self.simulator.step()
            node = self.simulator.observe().body(name)
            found.append(node.position[2] + rotate_vector(place, node.orientation)[2])
        return np.array(found)


@cache
def _modes() -> tuple[Array, Array]:
    """Return angular rates of six modes, and what each does at the tip under the weight [m]."""
    x = np.linspace(0.0, 1.0, 20_001)
    sigma = (np.cosh(ROOTS) + np.cos(ROOTS)) / (np.sinh(ROOTS) + np.sin(ROOTS))
    bx = ROOTS[:, None] * x
    shape = np.cosh(bx) - np.cos(bx) - sigma[:, None] * (np.sinh(bx) - np.sin(bx))
    rate = (ROOTS / LONG) ** 2 * np.sqrt(EI / DENSITY)
    share = np.trapezoid(shape, x) / np.trapezoid(shape**2, x)
    return rate, share * shape[:, -1] * GRAVITY / rate**2


def exact_heights(time: Array) -> Array:
    """Return heights (t,) of the tip at times (t,) [m, s]: sum of modes that are let go."""
    rate, size = _modes()
    return np.asarray(-(size * (1.0 - np.cos(rate * time[:, None]))).sum(axis=1))


def entry(name: str, way: str, mast: Mast, cells: int, h: float, leads: bool = False) -> Entry:
    """Return an entry; ``leads`` if its places at t are those of t + h / 2."""

    def judge() -> dict[str, float]:
        every = round(LOOKS / h)
        time = h * np.arange(1, round(END / h) + 1) + (0.5 * h if leads else 0.0)
        wrong = (mast.track(END) - exact_heights(time))[every - 1 :: every]
        return {ERROR: 100.0 * float(np.sqrt(np.mean(wrong**2))) / SAG}

    way = f"{way}, {cells} of {1e3 * h:.3g} ms"
    return Entry(name, way, mast.case(TIMED), judge, {ERROR: MOST}, scale=1.0 / h)


def _entries(name: str, way: str, make: Callable[[int, float], Mast]) -> Iterator[Entry]:
    """Yield the entries of a way, MuJoCo's Euler-like ones half a step ahead."""
    for cells, h in WAYS[way]:
        yield entry(name, way, make(cells, h), cells, h, leads="implicitfast" in way)


def enter() -> list[Entry | Absent]:
    """Return everybody, with every step; ours first."""
    found: list[Entry | Absent] = [*_entries(OURS, "beam of cells", OurMast)]
    if engine("MuJoCo", "mujoco_beam"):
        from benchmarks.peers.mujoco_beam import MujocoMast

        for integrator in ("RK4", "implicitfast"):
            make: Any = lambda cells, h, kind=integrator: MujocoMast(cells, h, kind)  # noqa: E731
            found += _entries("MuJoCo", f"hinges with springs, {integrator}", make)
    else:
        found.append(absent_engine("MuJoCo"))
    if engine("Exudyn", "exudyn_beam"):
        from benchmarks.peers.exudyn_beam import ExudynMast

        for way in ("ANCF in the plane", "ANCF in space"):
            in_space = way.endswith("space")
            made: Any = lambda cells, h, space=in_space: ExudynMast(cells, h, space)  # noqa: E731
            found += _entries("Exudyn", way, made)
    else:
        found.append(absent_engine("Exudyn"))
    return found


TEXT = f"""A cantilever of {LONG:g} m, EI {EI:g} N m^2, EA {EA:g} N, {DENSITY:g} kg/m, without damping, is straight and let go under a weight of
{GRAVITY:g} m/s^2. The error is that of its tip over {END:g} s against the sum of modes of Euler and Bernoulli, root of the mean of squares,
over its sag at rest. *Equal*: the beam and the start. *Not equal*: the kind of element. Ours and MuJoCo's are rigid parts between
springs, those of MuJoCo hinges in one plane, ours bend both ways, twist and stretch. Exudyn's are polynomials of third degree that stretch
(ANCF), which need fewer elements, in the plane or in space; integrator generalised alpha. Two figures are compared. The first is the cost of a simulated second at the error of our
beam of four cells with steps of 5 ms. The second is the least error of a peer, relative to that of our beam at the same cost. Both are interpolated between the
steps that were run."""

BEAM = Comparison(
    "beam",
    "A beam that is let go",
    "ms a simulated second",
    1e3,
    TEXT,
    enter,
    lambda results: [
        ratio
        for count, what in (
            (costs_at_equal_error, "time at equal error"),
            (errors_at_equal_cost, "error at equal time"),
        )
        for ratio in count(results, ERROR, what)
    ],
)
