"""Cost against size: the chain and the net of Servin et al. 2011, figure 8, through both solvers
and a dense one.

The paper finds 10 to 30 us per node and step for both, on one core of 2010, with SuperLU. ``dense``
takes the same step with the full Schur complement and LAPACK (``dense.py``), on all cores unless
OPENBLAS_NUM_THREADS=1; all three give the same impulses (``test/sim/test_dense.py``). The last rows
say how the cost of a step grows: with which power of the number of bodies, fitted where there are
``ASYMPTOTIC`` bodies and more.
"""

import numpy as np

from benchmarks.dense import dense_simulator
from benchmarks.results import Row
from benchmarks.timing import Case, Timing, measure
from cable_sim import Scene, Simulator, load_scene
from cable_sim.kernels.records.world import Floats

CHAIN = (10, 20, 50, 100, 200, 500, 1000, 2000)
CHAIN_SPARSE = (10, 100, 1000, 2000)
NET = (5, 10, 15, 20, 30, 40, 60)
DENSE_ROWS = 2000
"""More rows than this are not solved densely."""
ASYMPTOTIC = 90
"""Bodies from which on a power is fitted: below, what Python does once a step counts."""
WORK = 4000
"""Bodies times steps of a timed call with the envelope; with the others there are FEW steps."""
FEW = 4
ROUNDS = 3


def stepping(scene: Scene, solver: str) -> Case:
    """The first steps of a scene, while all cables are taut."""
    simulator = dense_simulator(scene) if solver == "dense" else Simulator(scene, solver=solver)
    count = max(FEW, WORK // len(scene.bodies)) if solver == "envelope" else FEW
    simulator.step()
    start = simulator.save()
    return Case(lambda: simulator.step(count), count, lambda: simulator.restore(start))


def rows_of(scene: Scene) -> int:
    """Rows of the problem: three for a ball joint, one for a cable."""
    return 3 * len(scene.joints) + len(scene.cables)


def compare_solvers(scene: Scene, solvers: tuple[str, ...]) -> dict[str, Timing]:
    """Seconds per step of one size."""
    if rows_of(scene) <= DENSE_ROWS:
        solvers += ("dense",)
    return measure({solver: stepping(scene, solver) for solver in solvers}, ROUNDS)


def table(benchmark: str, scenes: dict[str, tuple[Scene, tuple[str, ...]]]) -> list[Row]:
    """us per step and body of all sizes, and the powers."""
    rows: list[Row] = []
    found: dict[str, list[tuple[float, float, float]]] = {}
    for label, (scene, solvers) in scenes.items():
        count = len(scene.bodies)
        note = f"{len(scene.bodies)} bodies, {rows_of(scene)} rows"
        for solver, t in compare_solvers(scene, solvers).items():
            found.setdefault(solver, []).append((count, t.best, t.median))
            scale = 1e6 / count
            rows.append(
                Row(
                    benchmark,
                    f"{label} {solver}",
                    scale * t.best,
                    scale * t.median,
                    "us/body",
                    note,
                )
            )
    return rows + [power(benchmark, solver, np.array(points)) for solver, points in found.items()]


def power(benchmark: str, solver: str, points: Floats) -> Row:
    """p of cost ~ bodies^p, from (sizes, 3) bodies, best and median seconds per step."""
    logs = np.log(points[points[:, 0] >= ASYMPTOTIC])
    best, median = (float(np.polyfit(logs[:, 0], logs[:, i], 1)[0]) for i in (1, 2))
    note = f"{points[points[:, 0] >= ASYMPTOTIC, 0].min():.0f} to {points[:, 0].max():.0f} bodies"
    return Row(benchmark, f"power of the number of bodies, {solver}", best, median, "-", note)


def chain() -> list[Row]:
    """Rods on ball joints: flat down to a constant."""
    both = ("envelope", "sparse")
    one = ("envelope",)
    return table(
        "chain",
        {str(n): (load_scene("chain", n=n), both if n in CHAIN_SPARSE else one) for n in CHAIN},
    )


def net() -> list[Row]:
    """Squares of balls on cables: the envelope grows with the size, the sparse matrix hardly
    does."""
    both = ("envelope", "sparse")
    return table("net", {f"{n} x {n}": (load_scene("net", rows=n, columns=n), both) for n in NET})
