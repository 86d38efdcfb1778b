"""The tutorial's rope, without the simulator around it: nanoseconds per mass and step.

It falls to its ground, as it stands in ``kernels/cables/tutorial.py``, the better one of ``lumped.py`` with the same
data, and the same loop in C++ (``rope.cpp``, built here with g++ -O3, for any processor of the family and for this
one, as numba does). Its end is where the kernel's is, or the row says by how much not.
"""

import ctypes
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.results import Row
from benchmarks.timing import Case, measure
from cable_sim.kernels.cables import lumped, tutorial

SOURCE = Path(__file__).with_name("rope.cpp")
BUILDS = {"-O3": ("-O3",), "-O3 -march=native": ("-O3", "-march=native", "-ffp-contract=off")}
MASSES, STEPS, TICKS, H = 80, 2000, 20, 0.001
LARGEST_STEP = 1.0001 * H
"""With which a tick takes steps of H: one crossing into compiled code for every hundred."""
GRAVITY = (0.0, 0.0, -9.81)
CONSTANTS = (0.05, 1e4, 0.05, 0.2, 9.81, 0.02, 100.0, 0.2, 2.0, -1.5)
"""Of the tutorial: mass, stiffness, length, friction, gravity, air, repulsion, slide, absorption, height."""


def of(value: Any) -> Any:
    """The model array of one rope."""
    return np.array([value])


class Rope:
    """A rope at rest along x, to start from again and again."""

    def __init__(self, count: int, spacing: float) -> None:
        self.start = np.zeros((count, 3))
        self.start[:, 0] = spacing * np.arange(count)
        self.position, self.velocity = self.start.copy(), np.zeros((count, 3))

    def restore(self) -> None:
        """Back to the start."""
        self.position[:], self.velocity[:] = self.start, 0.0


def tutorial_case(rope: Rope) -> Case:
    """The tutorial's kernel."""
    mass, stiffness, length, friction, _, air, repulsion, slide, absorption, height = CONSTANTS
    model = (np.array([0, MASSES]), of([True, False]), of(LARGEST_STEP), of(stiffness), of(length), of(friction),
             of(air), of(repulsion), of(slide), of(absorption), of(height), np.full(MASSES, mass))  # fmt: skip
    ends = np.zeros((2, 1, 2, 3))

    def work() -> None:
        for _ in range(TICKS):
            tutorial.run(H * STEPS / TICKS, GRAVITY, *model, rope.position, rope.velocity, *ends)

    return Case(work, STEPS * MASSES, rope.restore)


def lumped_case(rope: Rope, bending: float) -> Case:
    """The better rope with the tutorial's data, on a ground with Coulomb's friction."""
    mass, stiffness, length, friction, _, air, repulsion, slide, absorption, height = CONSTANTS
    model = (np.array([0, MASSES]), of([True, False]), of(LARGEST_STEP), of(stiffness), of(length), of(friction),
             of(air), of(True), of(True), of(bending), of([0.0, 0.0, height]), of([0.0, 0.0, 1.0]), of(repulsion),
             of(absorption), of(slide), np.full(MASSES, mass))  # fmt: skip
    ends, force = np.zeros((2, 1, 2, 3)), np.zeros((MASSES, 3))

    def work() -> None:
        for _ in range(TICKS):
            lumped.run(H * STEPS / TICKS, GRAVITY, *model, ends[0], rope.position, rope.velocity, force, ends[1])

    return Case(work, STEPS * MASSES, rope.restore)


def built(folder: Path) -> dict[str, ctypes.CDLL]:
    """The C++ source as libraries, one for each set of options; none without a compiler."""
    compiler, found = shutil.which("g++"), {}
    if compiler is None:
        print("  no g++: the tutorial's rope is not compared with C++")
        return {}
    for number, (name, options) in enumerate(BUILDS.items()):
        library = folder / f"rope{number}.so"
        subprocess.run([compiler, *options, "-shared", "-fPIC", "-o", str(library), str(SOURCE)], check=True)
        found[name] = ctypes.CDLL(str(library))
    return found


def plus_plus_case(loop: Callable[..., Any], rope: Rope, *scratch: Any) -> Case:
    """One of the loops in C++."""
    constants = np.array(CONSTANTS)

    def pointer(array: Any) -> ctypes.c_void_p:
        return ctypes.c_void_p(array.ctypes.data)

    def work() -> None:
        loop(pointer(constants), MASSES, STEPS, ctypes.c_double(H), pointer(rope.position), pointer(rope.velocity),
             *map(pointer, scratch))  # fmt: skip

    return Case(work, STEPS * MASSES, rope.restore)


def rope() -> list[Row]:
    """The tutorial's rope, side by side."""
    ropes = {"kernel": Rope(MASSES, 0.05)}
    cases = {"kernel": tutorial_case(ropes["kernel"])}
    for name, bending in (("lumped, Coulomb ground", 0.0), ("lumped, Coulomb ground, bending", 1e-3)):
        cases[name] = lumped_case(Rope(MASSES, 0.05), bending)
    with tempfile.TemporaryDirectory() as folder:
        for name, library in built(Path(folder)).items():
            for label, scratch in (("one_pass", ()), ("as_printed", (np.zeros((MASSES, 3)),))):
                case = f"C++ {name} {label}"
                ropes[case] = Rope(MASSES, 0.05)
                cases[case] = plus_plus_case(getattr(library, label), ropes[case], *scratch)
        timings = measure(cases)
    rows = []
    for name, timing in timings.items():
        note = f"kernel / this {timings['kernel'].best / timing.best:.2f}"
        if name in ropes:
            note += f", off by {abs(ropes[name].position - ropes['kernel'].position).max():.1g} m"
        rows.append(Row("rope", name, 1e9 * timing.best, 1e9 * timing.median, "ns/mass", note))
    return rows
