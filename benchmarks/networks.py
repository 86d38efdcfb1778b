"""Cost against size: the chain and the net of Servin et al. 2011, figure 8, through both solvers.

The paper finds 10 to 30 us per node and step for both, on one core of 2010, with SuperLU. ``dense`` is what the
factorisation of the full Schur complement alone takes with LAPACK, on a matrix of the same number of rows; its cost
per body grows with the square of the size.
"""

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from benchmarks.results import Row
from benchmarks.timing import Case, measure
from cable_sim import Scene, Simulator, load_scene

CHAIN = (10, 20, 50, 100, 200, 500, 1000, 2000)
CHAIN_SPARSE = (10, 100, 1000, 2000)
NET = (4, 8, 16, 24, 32, 48, 64, 80)
DENSE_ROWS = 4000
"""More rows than this are not factorised densely."""
WORK = 4000
"""Bodies times steps of a timed call with the envelope; with the sparse solver there are FEW steps."""
FEW = 4
ROUNDS = 5


def stepping(scene: Scene, solver: str) -> Case:
    """The first steps of a scene, while all cables are taut."""
    simulator = Simulator(scene, solver=solver)
    count = max(FEW, WORK // len(scene.bodies)) if solver == "envelope" else FEW
    simulator.step()
    start = simulator.save()
    return Case(lambda: simulator.step(count), count, lambda: simulator.restore(start))


def dense(rows: int) -> Case:
    """Cholesky factors and solution of a full matrix."""
    matrix = np.eye(rows) + 0.5 / rows
    return Case(lambda: cho_solve(cho_factor(matrix, check_finite=False), matrix[0], check_finite=False))


def rows_of(scene: Scene) -> int:
    """Rows of the problem: three for a ball joint, one for a cable."""
    return 3 * len(scene.joints) + len(scene.cables)


def compared(benchmark: str, label: str, scene: Scene, solvers: tuple[str, ...]) -> list[Row]:
    """us per step and body of one size."""
    cases = {solver: stepping(scene, solver) for solver in solvers}
    if rows_of(scene) <= DENSE_ROWS:
        cases["dense factorisation"] = dense(rows_of(scene))
    scale = 1e6 / len(scene.bodies)
    timings = measure(cases, ROUNDS)
    note = f"{len(scene.bodies)} bodies, {rows_of(scene)} rows"
    return [
        Row(benchmark, f"{label} {name}", scale * t.best, scale * t.median, "us/body", note)
        for name, t in timings.items()
    ]


def chain() -> list[Row]:
    """Rods on ball joints: flat down to a constant."""
    rows = []
    for n in CHAIN:
        solvers = ("envelope", "sparse") if n in CHAIN_SPARSE else ("envelope",)
        rows += compared("chain", str(n), load_scene("chain", n=n), solvers)
    return rows


def net() -> list[Row]:
    """Squares of balls on cables: the envelope grows with the size, the sparse matrix hardly does."""
    rows = []
    for n in NET:
        rows += compared("net", f"{n} x {n}", load_scene("net", rows=n, columns=n), ("envelope", "sparse"))
    return rows
