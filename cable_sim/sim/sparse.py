"""The step's linear system as a sparse matrix, for networks: eq. 7 of Servin et al. 2011 solved by SuperLU.

The envelope solver eliminates the bodies first: S = J M^-1 J^T + Sigma. In a chain or a crane S is small or banded; in
a net every elimination order leaves a wide band, and S has an entry where two rows share a body. The matrix

    H = [ M  -J^T ] [ dv ]   [ 0          ]         dv = v+ - v_free,
        [ J  Sigma] [ z  ] = [ rhs - J v_free ],

keeps bodies and rows apart and leaves it to the factorisation whom to eliminate when. It is solved in units in which
it is well conditioned: with M^-1 = C C^T and dv = C u the block M becomes the identity, and every row is divided by
sqrt(S_rr), so that its own pivot would be 1. A row at a bound keeps its column and becomes z_r = bound, so the pattern
of H does not depend on which rows are free; entries of J that have never been other than zero are left out of it.

Bounds are found by the same pivoting as in ``kernels/solver.py``, whose status rules and friction bounds are used
here; only factor, solution and residual differ. What a pattern needs (index arrays, and the column ordering that
SuperLU found for it) is kept as long as the same rows are active. A pivot lost in rounding is met with a softness of
LOST times the row's own diagonal, and is reported.
"""

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, csr_array
from scipy.sparse.linalg import SuperLU, splu

from cable_sim.kernels import solver, step
from cable_sim.kernels.bodies import DYNAMIC, WINCH
from cable_sim.kernels.envelope import SLIP
from cable_sim.model.types import Control, Floats, Ints, Model, State, Workspace

TINY_PIVOT = 1e-13
"""Relative to a row's own diagonal, as in ``kernels/envelope.py``."""
LOST = 1e-11
"""Softness, relative to its own diagonal, that all rows get where some repeat each other."""
REFINEMENTS = 1
"""Steps of iterative refinement: threshold pivoting loses a digit or two that they bring back."""
DIAGONAL_THRESHOLD = 0.01
"""SuperLU takes the pivot on the diagonal, which keeps the fill low, unless it is smaller than this fraction of its
column's largest."""


class Pattern:
    """Where the numbers of H stand while the same rows are active and the same entries of J may be non-zero.

    ``rows`` are the active rows, ``taken`` the places in the flattened (e, 6) Jacobian that H has, ``row`` and
    ``column`` where they stand in J, ``size`` the number of body coordinates.
    """

    def __init__(self, rows: Ints, taken: Ints, row: Ints, column: Ints, size: int) -> None:
        self.rows, self.taken, self.row, self.size = rows, taken, row, size
        n = size + rows.size
        self.jacobian_order = np.lexsort((column, row))
        self.jacobian_index = column[self.jacobian_order]
        self.jacobian_start = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=rows.size))])
        diagonal = np.arange(n)
        self._row = np.concatenate([diagonal, column, row + size])
        self._column = np.concatenate([diagonal, row + size, column])
        self._order_by(np.arange(n))
        self.ordered = False

    def _order_by(self, place: Ints) -> None:
        """Sort the numbers by column, unknown k standing at ``place[k]``."""
        n = place.size
        self.place = place
        rows, columns = place[self._row], place[self._column]
        self.order = np.lexsort((rows, columns))
        self.index = rows[self.order].astype(np.int32)
        self.start = np.concatenate([[0], np.cumsum(np.bincount(columns, minlength=n))]).astype(np.int32)

    def jacobian(self, values: Floats) -> csr_array:
        """J from the numbers at the places ``taken``."""
        shape = (self.rows.size, self.size)
        return csr_array((values[self.jacobian_order], self.jacobian_index, self.jacobian_start), shape=shape)

    def matrix(self, values: Floats, softness: Floats, free: NDArray[np.bool_]) -> csc_array:
        """H, its unknowns in the order that suits the factorisation; rows that are not free say z = bound."""
        kept = np.where(free[self.row], values, 0.0)
        numbers = np.concatenate([np.ones(self.size), np.where(free, softness, 1.0), -values, kept])
        n = self.size + self.rows.size
        return csc_array((numbers[self.order], self.index, self.start), shape=(n, n))

    def factorise(self, matrix_of: Any) -> SuperLU:
        """Factors of the matrix that ``matrix_of()`` gives; the first time SuperLU looks for an ordering."""
        options = {"SymmetricMode": True}
        if not self.ordered:
            found = splu(
                matrix_of(), permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=DIAGONAL_THRESHOLD, options=options
            )
            self._order_by(found.perm_c[self.place].astype(np.int64))
            self.ordered = True
            return self.factorise(matrix_of)
        return splu(matrix_of(), permc_spec="NATURAL", diag_pivot_thresh=DIAGONAL_THRESHOLD, options=options)


class System:
    """The numbers of one step: rows, bounds and matrix in scaled units, and the factors for the present free rows."""

    def __init__(self, pattern: Pattern, values: Floats, softness: Floats, demand: Floats, slip: Floats) -> None:
        squares = np.bincount(pattern.row, values * values, minlength=pattern.rows.size)
        own = squares + softness
        softness = softness + slip * own
        self.scale = 1.0 / np.sqrt(np.where(own > 0.0, own, 1.0))
        self.pattern = pattern
        self.values = values * self.scale[pattern.row]
        self.softness = softness * self.scale**2
        self.demand = demand * self.scale
        self.jacobian = pattern.jacobian(self.values)
        self.lost = False

    def factorise(self, free: NDArray[np.bool_]) -> None:
        """Factors with these rows free; makes all rows softer where some repeat each other."""
        self.free = free.copy()
        try:
            self.factors = self._factors()
            worst = np.abs(self.factors.U.diagonal()).min(initial=1.0)
        except RuntimeError:  # exactly singular
            worst = 0.0
        if worst <= TINY_PIVOT:
            self.lost = True
            self.softness = self.softness + LOST
            self.factors = self._factors()

    def _factors(self) -> SuperLU:
        return self.pattern.factorise(lambda: self.pattern.matrix(self.values, self.softness, self.free))

    def solve(self, bound: Floats) -> tuple[Floats, Floats]:
        """(u, z) with these impulses where rows are not free, both scaled."""
        size, place = self.pattern.size, self.pattern.place
        right = np.concatenate([np.zeros(size), np.where(self.free, self.demand, bound)])
        x = self._solved(right)
        for _ in range(REFINEMENTS):
            u, z = x[:size], x[size:]
            held = self.jacobian @ u + self.softness * z
            left = np.concatenate([u - self.jacobian.T @ z, np.where(self.free, held, z)])
            x = x + self._solved(right - left)
        x[size:][~self.free] = bound[~self.free]
        return x[:size], x[size:]

    def _solved(self, right: Floats) -> Floats:
        ordered = np.empty_like(right)
        ordered[self.pattern.place] = right
        return self.factors.solve(ordered)[self.pattern.place]

    def slack(self, z: Floats) -> Floats:
        """w = S z - b of all rows, scaled."""
        return self.jacobian @ (self.jacobian.T @ z) + self.softness * z - self.demand
