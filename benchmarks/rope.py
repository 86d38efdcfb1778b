"""The tutorial's rope, without the simulator around it: nanoseconds per mass and step.

It falls to its ground, as it stands in ``kernels/cables/particles/tutorial.py``, the better one of
``lumped.py`` with the same data, and the same loop in C++ (``rope.cpp``, built here for any
processor of the family and for this one, as numba does). Its end is where the kernel's is, or the
row says by how much not.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks import loops
from benchmarks.compiled import SAME_BITS
from benchmarks.results import Row
from benchmarks.timing import Case, measure
from cable_sim.kernels.cables.particles import lumped, tutorial
from cable_sim.kernels.records.arrays import record_of
from cable_sim.kernels.records.ropes import Ropes, RopeWork

BUILDS = {"-O3": ("-O3",), "-O3 -march=native": SAME_BITS}
MASSES = 80
STEPS = 2000
TICK = 100
H = 0.001
"""Masses, steps of a timed call, steps of a crossing into compiled code, and their length [s]."""
LARGEST_STEP = 1.0001 * H
"""With which a tick takes steps of H."""
GRAVITY = (0.0, 0.0, -9.81)
CONSTANTS = (0.05, 1e4, 0.05, 0.2, 9.81, 0.02, 100.0, 0.2, 2.0, -1.5)
"""Of the tutorial: mass, stiffness, length, friction, gravity, air, repulsion, slide, absorption,
height."""


def rope_array(value: Any) -> Any:
    """The model array of one rope."""
    return np.array([value])


class Rope:
    """A rope at rest along x, to start from again and again."""

    def __init__(self, count: int, spacing: float) -> None:
        self.start = np.zeros((count, 3))
        self.start[:, 0] = spacing * np.arange(count)
        self.position = self.start.copy()
        self.velocity = np.zeros((count, 3))

    def restore(self) -> None:
        """Back to the start."""
        self.position[:] = self.start
        self.velocity[:] = 0.0


def tutorial_ticks(rope: Rope, steps: int) -> Callable[[], None]:
    """Takes so many steps, a multiple of TICK, with the tutorial's kernel."""
    mass, stiffness, length, friction, _, air, repulsion, slide, absorption, height = CONSTANTS
    ropes = record_of(
        Ropes,
        start=np.array([0, MASSES]),
        attached=rope_array([True, False]),
        largest_step=rope_array(LARGEST_STEP),
        stiffness=rope_array(stiffness),
        rest_length=rope_array(length),
        friction=rope_array(friction),
        air_friction=rope_array(air),
        repulsion=rope_array(repulsion),
        ground_friction=rope_array(slide),
        absorption=rope_array(absorption),
        height=rope_array(height),
        particle_mass=np.full(MASSES, mass),
    )
    scratch = rope_work(rope)

    def work() -> None:
        for _ in range(steps // TICK):
            tutorial.run(H * TICK, GRAVITY, 1, ropes, scratch)

    return work


def rope_work(rope: Rope) -> RopeWork:
    """Scratch of one rope, which moves the rope itself."""
    return record_of(
        RopeWork,
        particle_position=rope.position,
        particle_velocity=rope.velocity,
        particle_force=np.zeros((MASSES, 3)),
        end_velocity=np.zeros((1, 2, 3)),
        end_force=np.zeros((1, 2, 3)),
    )


def lumped_case(rope: Rope, bending: float) -> Case:
    """The better rope with the tutorial's data, on a ground with Coulomb's friction."""
    mass, stiffness, length, friction, _, air, repulsion, slide, absorption, height = CONSTANTS
    ropes = record_of(
        Ropes,
        start=np.array([0, MASSES]),
        attached=rope_array([True, False]),
        largest_step=rope_array(LARGEST_STEP),
        stiffness=rope_array(stiffness),
        rest_length=rope_array(length),
        friction=rope_array(friction),
        air_friction=rope_array(air),
        objective=rope_array(True),
        pull_only=rope_array(True),
        bending=rope_array(bending),
        ground_point=rope_array([0.0, 0.0, height]),
        ground_normal=rope_array([0.0, 0.0, 1.0]),
        repulsion=rope_array(repulsion),
        absorption=rope_array(absorption),
        ground_friction=rope_array(slide),
        particle_mass=np.full(MASSES, mass),
    )
    scratch = rope_work(rope)

    def work() -> None:
        for _ in range(STEPS // TICK):
            lumped.run(H * TICK, GRAVITY, 0, 1, ropes, scratch)

    return Case(work, STEPS * MASSES, rope.restore)


def plus_plus_case(loop: loops.Loop, rope: Rope) -> Case:
    """One of the loops in C++."""
    return Case(
        lambda: loop(CONSTANTS, STEPS, H, rope.position, rope.velocity),
        STEPS * MASSES,
        rope.restore,
    )


def rope() -> list[Row]:
    """The tutorial's rope, side by side."""
    ropes = {"kernel": Rope(MASSES, 0.05)}
    cases = {
        "kernel": Case(
            tutorial_ticks(ropes["kernel"], STEPS), STEPS * MASSES, ropes["kernel"].restore
        )
    }
    for name, bending in (
        ("lumped, Coulomb ground", 0.0),
        ("lumped, Coulomb ground, bending", 1e-3),
    ):
        cases[name] = lumped_case(Rope(MASSES, 0.05), bending)
    for name, options in BUILDS.items():
        for form in ("one_pass", "as_printed"):
            if loop := loops.tutorial_rope(form, options):
                case = f"C++ {name} {form}"
                ropes[case] = Rope(MASSES, 0.05)
                cases[case] = plus_plus_case(loop, ropes[case])
    timings = measure(cases)
    rows = []
    for name, timing in timings.items():
        note = f"kernel / this {timings['kernel'].best / timing.best:.2f}"
        if name in ropes:
            note += f", off by {abs(ropes[name].position - ropes['kernel'].position).max():.1g} m"
        rows.append(Row("rope", name, 1e9 * timing.best, 1e9 * timing.median, "ns/mass", note))
    return rows
