"""The step with a dense Schur complement: what a sparse solver is to be measured against.

    S = J M^-1 J^T + Sigma,        S z = rhs - J v_free,

from the same rows, in the same scaled units, as the sparse solver takes them, as one full matrix
with LAPACK's Cholesky
factors. It knows no bounds: all ropes have to be taut and all contacts apart.
"""

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from cable_sim import Scene, Simulator
from cable_sim.kernels import status
from cable_sim.kernels.records.world import Ints, State, Workspace
from cable_sim.sim.sparse import SparseSolver, System


class DenseSolver(SparseSolver):
    """Runs a model's steps with the full matrix."""

    def _pivot(self, s: State, w: Workspace, rows: Ints) -> tuple[int, int, System]:
        """Impulses of all rows, none at a bound: FloatingPointError if one should be."""
        w.solver.arc[: rows.size] = 0.0
        system = self._system(w, rows)
        active = system.active
        matrix = (system.jacobian @ system.transposed)[active][:, active].toarray()
        matrix[np.diag_indices(rows.size)] += system.softness[active]
        factors = cho_factor(matrix, lower=True, overwrite_a=True, check_finite=False)
        impulse = cho_solve(factors, system.demand[active], check_finite=False) * system.scale
        if (impulse < w.rows.lower[rows]).any() or (impulse > w.rows.upper[rows]).any():
            raise FloatingPointError("a row is at a bound, which the dense solver does not know")
        s.rows.impulse[rows] = impulse
        return status.SOLVED, 1, system


def dense_simulator(scene: Scene) -> Simulator:
    """A simulator that steps with the full matrix."""
    simulator = Simulator(scene, solver="sparse")
    simulator._running.sparse = DenseSolver(simulator._model)
    return simulator
