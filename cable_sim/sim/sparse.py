"""The step's linear system as a sparse matrix, for networks, solved by SuperLU.

It is eq. 7 of Servin et al. 2011. The envelope solver eliminates the bodies first: S = J M^-1 J^T +
Sigma. In a chain or a crane S is small or banded; in a net every elimination order leaves a wide
band, and S has an entry where two rows share a body. The matrix

    H = [ M  -J^T ] [ dv ]   [ 0          ]         dv = v+ - v_free,
        [ J  Sigma] [ z  ] = [ rhs - J v_free ],

keeps bodies and rows apart and leaves the elimination order to the factorisation. It is solved in
units in which it is well conditioned: with M^-1 = C C^T and dv = C u the block M becomes the
identity, and every row is divided by sqrt(S_rr), so that its own pivot would be 1.

Coordinates that no row touches are left out. A row at a bound keeps its column and becomes
z_r = bound. An inactive row likewise becomes z_r = 0, with two exceptions: rows of contacts and end
stops are left out while apart, and rows of inertia while none of these is needed. So the pattern of
H seldom changes, and its data (index arrays, and the ordering that SuperLU found for it) are kept.
They are a function of the present step alone: the same state gives the same bits.

Bounds are found by the same pivoting as in ``kernels/multibody/pivoting.py``, whose status rules
and friction bounds are used here; only factor, solution and residual differ. Where friction on a
cone turns its axes or gets softer along its rim (``collision/cone.py``), the numbers of H are made
anew. A pivot lost in rounding gets a softness of LOST times the row's own diagonal, a row that
no body moves has no impulse; both are reported.
"""

import math

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, csr_array
from scipy.sparse.linalg import SuperLU, splu

from cable_sim.kernels import status, step
from cable_sim.kernels.cables.friction import friction
from cable_sim.kernels.cables.hybrid import hybrid
from cable_sim.kernels.collision import cone
from cable_sim.kernels.multibody import pivoting, solver
from cable_sim.kernels.multibody.bodies import COUPLING, DYNAMIC, JUNCTION, WINCH, check_speeds
from cable_sim.kernels.multibody.envelope import SLIP, TINY_PIVOT
from cable_sim.kernels.multibody.rows import INERTIA, STABILISED
from cable_sim.kernels.records.rows import Table
from cable_sim.kernels.records.world import Control, Floats, Ints, Model, State, Workspace
from cable_sim.model.cables.variants import run
from cable_sim.sim.sharing import share_loads

LOST = 1e-11
"""Softness over a row's own diagonal [-] that all rows get where some repeat each other."""
REFINEMENTS = 1
"""Steps of iterative refinement. They restore the digit or two that threshold pivoting loses."""
KEPT_PATTERNS = 16
"""Number of patterns that are kept for reuse."""
DIAGONAL_THRESHOLD = 0.01
"""Least pivot on the diagonal over the column's largest entry [-]; small, it keeps the fill low."""


Roots = tuple[Floats, Floats, Floats, Floats]
"""C with M^-1 = C C^T: of masses, of inertias (lower triangles), of winches, of junctions."""


class Pattern:
    """Sparsity pattern of H for given rows and given zeros of J.

    ``rows`` are its rows in elimination order, ``taken`` the places in the flattened (e, 6)
    Jacobian that H has, ``row`` and ``coordinate`` their positions among the rows and all body
    coordinates; ``touched`` are the coordinates that H has, ``size`` their number.
    """

    def __init__(self, rows: Ints, taken: Ints, row: Ints, coordinate: Ints) -> None:
        self.rows = rows
        self.taken = taken
        self.row = row
        self.touched, column = np.unique(coordinate, return_inverse=True)
        self.size = self.touched.size
        n = self.size + rows.size
        self.jacobian_order = np.lexsort((column, row))
        self.jacobian_index = column[self.jacobian_order]
        self.jacobian_start = np.concatenate(
            [[0], np.cumsum(np.bincount(row, minlength=rows.size))]
        )
        diagonal = np.arange(n)
        self._row = np.concatenate([diagonal, column, row + self.size])
        self._column = np.concatenate([diagonal, row + self.size, column])
        self._order_by(np.arange(n))
        self.ordered = False

    def _order_by(self, place: Ints) -> None:
        """Sort the numbers by column, with unknown k at ``place[k]``."""
        n = place.size
        self.place = place
        rows = place[self._row]
        columns = place[self._column]
        self.order = np.lexsort((rows, columns))
        self.index = rows[self.order].astype(np.int32)
        self.start = np.concatenate([[0], np.cumsum(np.bincount(columns, minlength=n))]).astype(
            np.int32
        )

    def jacobian(self, values: Floats) -> csr_array:
        """Return J from the numbers at the places ``taken``."""
        shape = (self.rows.size, self.size)
        return csr_array(
            (values[self.jacobian_order], self.jacobian_index, self.jacobian_start), shape=shape
        )

    def matrix(self, values: Floats, softness: Floats, free: NDArray[np.bool_]) -> csc_array:
        """Return H with its unknowns in the factorisation's order; rows not free say z = bound."""
        kept = np.where(free[self.row], values, 0.0)
        numbers = np.concatenate([np.ones(self.size), np.where(free, softness, 1.0), -values, kept])
        n = self.size + self.rows.size
        return csc_array((numbers[self.order], self.index, self.start), shape=(n, n))

    def factorise(self, values: Floats, softness: Floats, free: NDArray[np.bool_]) -> SuperLU:
        """Return the factors of H.

        The first time SuperLU looks for an ordering, which does not depend on the numbers.
        """
        if not self.ordered:
            found = _factors(self.matrix(values, softness, free), "MMD_AT_PLUS_A")
            self._order_by(found.perm_c[self.place].astype(np.int64))
            self.ordered = True
        return _factors(self.matrix(values, softness, free), "NATURAL")


def _factors(matrix: csc_array, ordering: str) -> SuperLU:
    """Return the factors L U, with pivots on the diagonal where they are large enough."""
    return splu(
        matrix,
        permc_spec=ordering,
        diag_pivot_thresh=DIAGONAL_THRESHOLD,
        panel_size=4,
        options={"SymmetricMode": True},
    )


class System:
    """The numbers of one step in scaled units, and the factors for the present choice of free rows.

    ``values`` are those of J C at the places of the pattern, zero in inactive rows. ``active`` are
    the indices of the active rows in the pattern. Their ``softness``, ``demand`` and ``slip`` are
    given; ``slip`` is what friction rows are softer by, as a fraction of their own diagonal, or of
    ``lightest``, the largest 1 / m, where nothing moves. ``root`` is C; all is of active rows.
    """

    def __init__(
        self,
        pattern: Pattern,
        values: Floats,
        active: Ints,
        softness: Floats,
        demand: Floats,
        slip: Floats,
        root: Roots,
        lightest: float,
    ) -> None:
        self.root = root
        own = (
            np.bincount(pattern.row, values * values, minlength=pattern.rows.size)[active]
            + softness
        )
        own = np.where((own == 0.0) & (slip > 0.0), lightest, own)
        self.moved = own != 0.0
        self.lost = not self.moved.all()
        own, softness, demand = own + ~self.moved, softness + ~self.moved, demand * self.moved
        self.pattern = pattern
        self.active = active
        self.scale = 1.0 / np.sqrt(own)
        self.values = values * self._scatter(self.scale)[pattern.row]
        self.softness = self._scatter(softness * self.scale**2 + slip)
        self.demand = self._scatter(demand * self.scale)
        self.jacobian = pattern.jacobian(self.values)
        self.transposed = self.jacobian.T.tocsr()

    def factorise(self, free: NDArray[np.bool_]) -> None:
        """Factorise with these rows free; make all rows softer where some repeat each other."""
        self.free = np.zeros(self.pattern.rows.size, dtype=bool)
        self.free[self.active] = free
        try:
            self.factors = self.pattern.factorise(self.values, self.softness, self.free)
            worst = np.abs(self.factors.U.diagonal()).min()
        except RuntimeError:  # exactly singular
            worst = 0.0
        if worst <= TINY_PIVOT:
            self.lost = True
            self.softness = self.softness + LOST
            self.factors = self.pattern.factorise(self.values, self.softness, self.free)

    def solve(self, demand: Floats, bound: Floats) -> Floats:
        """Return the impulses z: the solution in the free rows, ``bound`` in the others."""
        size = self.pattern.size
        demand = self._scatter(demand * self.moved * self.scale)
        bound = self._scatter(bound / self.scale)
        right = np.concatenate([np.zeros(size), np.where(self.free, demand, bound)])
        x = self._solve(right)
        for _ in range(REFINEMENTS):
            u, z = x[:size], x[size:]
            held = np.where(self.free, self.jacobian @ u + self.softness * z, z)
            x += self._solve(right - np.concatenate([u - self.transposed @ z, held]))
        return np.where(self.free, x[size:], bound)[self.active] * self.scale

    def slack(self, impulse: Floats) -> Floats:
        """Return w = S z - b."""
        z = self._scatter(impulse / self.scale)
        slack = self.jacobian @ (self.transposed @ z) + self.softness * z - self.demand
        return slack[self.active] / self.scale

    def response(self, impulse: Floats) -> Floats:
        """Return u = C^T J^T z, the change of velocity in the pattern's scaled body coordinates."""
        return self.transposed @ self._scatter(impulse / self.scale)

    def _scatter(self, values: Floats) -> Floats:
        """Return values of the active rows among all rows of the pattern, zero for the others."""
        spread = np.zeros(self.pattern.rows.size)
        spread[self.active] = values
        return spread

    def _solve(self, right: Floats) -> Floats:
        ordered = np.empty_like(right)
        ordered[self.pattern.place] = right
        return self.factors.solve(ordered)[self.pattern.place]


class SparseSolver:
    """Solver of a model's steps with the sparse matrix.

    It keeps index arrays from step to step, but nothing that influences results.
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        kind = model.bodies.kind
        movable = model.bodies.inverse_mass > 0.0
        self.lightest = float(model.bodies.inverse_mass[kind != COUPLING].max(initial=0.0))
        self.dynamic = np.flatnonzero((kind == DYNAMIC) & movable)
        self.winches = np.flatnonzero(((kind == WINCH) | (kind == COUPLING)) & movable)
        self.junctions = np.flatnonzero((kind == JUNCTION) & movable)
        six = 6 * self.dynamic.size
        one = self.winches.size
        three = 3 * self.junctions.size
        coordinate = np.full((kind.size, 6), -1)
        coordinate[self.dynamic] = np.arange(six).reshape(-1, 6)
        coordinate[self.winches, 0] = six + np.arange(one)
        coordinate[self.junctions, :3] = six + one + np.arange(three).reshape(-1, 3)
        self.size = six + one + three
        self.coordinate = coordinate
        self.column = coordinate[model.rows.entry_body]
        self.first_contact = model.rows.entry_start[model.rows.own[0]]
        self.row = np.repeat(model.rows.entry_row, 6)
        self.is_friction = np.diff(model.rows.limit_start) > 0
        self.is_inertia = model.rows.kind == INERTIA
        self.is_lasting = (model.rows.kind != STABILISED) & ~self.is_inertia
        self.is_turning = (
            model.rows.one_sided[model.rows.entry_row] & self.is_lasting[model.rows.entry_row]
        )
        self.is_turning[self.first_contact :] = True
        pressed_by = model.rows.limit_row[model.rows.limit_start[:-1][self.is_friction]]
        self.is_lasting[self.is_friction] &= self.is_lasting[pressed_by]
        self.patterns: dict[bytes, Pattern] = {}

    def run(
        self, s: State, c: Control, w: Workspace, h: float, count: int
    ) -> tuple[int, float, int]:
        """Take ``count`` steps of h seconds; see ``kernels/step.py`` ``run``."""
        flags = 0
        residual = 0.0
        most = 0
        for _ in range(count):
            kept = s.rows.impulse.copy(), s.rows.status.copy()
            met = run(self.model, s, c, w, h, step.PREPARE)[0]
            met |= run(self.model, s, c, w, h, step.TAKE_IN)[0]
            if met & status.STOPS:
                return flags | met, residual, most
            flag, residual, rounds = self._solve(s, c, w, h)
            flags = flags | met | flag
            most = max(most, rounds)
            flags |= check_speeds(self.model.bodies.kind, w.bodies.next_velocity)
            if flags & status.STOPS:
                s.rows.impulse[:], s.rows.status[:] = kept
                return flags, residual, most
            flags |= run(self.model, s, c, w, h, step.ADVANCE)[0]
        return flags, residual, most

    def _solve(self, s: State, c: Control, w: Workspace, h: float) -> tuple[int, float, int]:
        """Set impulses and velocities as in ``kernels/step.py``; return flags, residual, rounds."""
        most = 0
        for take in range(1, step.TAKES):
            flags, left, rounds = self._solve_once(s, c, w, h)
            most += rounds
            if flags & status.STOPS or run(self.model, s, c, w, h, step.TAKE_IN - take)[2] == 0:
                return flags, left, most
        return flags | status.NOT_CONVERGED, left, most

    def _solve_once(self, s: State, c: Control, w: Workspace, h: float) -> tuple[int, float, int]:
        """Solve for the rows that take part, and revise those of hybrid wires; return the same."""
        rounds = 0
        settled = False
        for review in range(hybrid.REVIEWS):
            flags, taken, rows, system = self._solve_rows(s, w)
            rounds += taken
            if flags & status.STOPS or not self._revise(s, c, w, h, review):
                settled = review <= friction.ROUGH
                break
        flags |= status.SOLVED if settled else status.NOT_CONVERGED
        w.bodies.trial_velocity[:] = w.bodies.next_velocity
        if system is None:
            return flags, 0.0, rounds
        response = np.zeros(self.size)
        response[system.pattern.touched] = system.response(s.rows.impulse[rows])
        self._accelerate(w, system.root, response)
        return flags, _residual(system, w, s.rows.impulse, rows), rounds

    def _revise(self, s: State, c: Control, w: Workspace, h: float, review: int) -> int:
        """Revise the rows of hybrid wires; return the number of changes."""
        if self.model.wires.cable.size == 0:
            return 0
        return run(self.model, s, c, w, h, step.REVISE - review)[2]

    def _solve_rows(self, s: State, w: Workspace) -> tuple[int, int, Ints, System | None]:
        """Set the impulses of all rows; return flags, rounds, the active rows and their system.

        There is no system without active rows, nor of numbers that are not finite.
        """
        w.rows.active[w.rows.used[0] :] = False
        s.rows.impulse[~w.rows.active] = 0.0
        s.rows.status[~w.rows.active] = pivoting.FREE
        rows = self.model.rows.order[w.rows.active[self.model.rows.order]]
        if rows.size == 0:
            return status.SOLVED, 1, rows, None
        needed = (w.bodies.next_velocity, w.bodies.inverse_inertia, w.rows.demand[rows])
        if not all(np.isfinite(array).all() for array in needed):
            return status.NOT_FINITE, 1, rows, None
        flags, rounds, system = self._pivot(s, w, rows)
        flags |= share_loads(system.solve, w.solver.free[: rows.size], rows, w.rows, s.rows)
        solver.clamp(rows.size, rows, w.rows.lower, w.rows.upper, s.rows.impulse)
        return flags, rounds, rows, system

    def _roots(self, w: Workspace) -> Roots:
        """Return C with M^-1 = C C^T."""
        mass = self.model.bodies.inverse_mass
        inertia = np.asarray(
            np.linalg.cholesky(w.bodies.inverse_inertia[self.dynamic]), dtype=np.float64
        )
        winch, junction = np.sqrt(mass[self.winches]), np.sqrt(mass[self.junctions])
        return np.sqrt(mass[self.dynamic]), inertia, winch, junction

    def _system(self, w: Workspace, rows: Ints) -> System:
        """Return the scaled system of the active rows."""
        root = self._roots(w)
        mass, inertia, winch, junction = root
        by_body = np.zeros((self.model.bodies.kind.size, 6, 6))
        by_body[self.dynamic[:, None], range(3), range(3)] = mass[:, None]
        by_body[self.dynamic, 3:, 3:] = inertia
        by_body[self.winches, 0, 0] = winch
        by_body[self.junctions[:, None], range(3), range(3)] = junction[:, None]
        needed = self.is_inertia & w.rows.active[self.is_inertia].any()
        has_row = self.is_lasting | needed | w.rows.active
        here = np.flatnonzero(has_row[self.model.rows.entry_row])
        contacts = slice(self.first_contact, None)
        self.column[contacts] = self.coordinate[w.rows.entry_body[contacts]]
        entries = np.where(self.column[here] >= 0, w.rows.jacobian[here], 0.0)
        products = np.zeros(w.rows.jacobian.shape)
        products[here] = np.einsum("ei,eij->ej", entries, by_body[w.rows.entry_body[here]])
        values = products.ravel()
        pattern = self._pattern(has_row, self._places(values))
        values = np.where(w.rows.active[self.row[pattern.taken]], values[pattern.taken], 0.0)
        slip = np.where(self.is_friction[rows] & (rows < self.model.rows.own[0]), SLIP, 0.0)
        active = np.flatnonzero(w.rows.active[pattern.rows])
        softness = w.rows.softness[rows] + w.solver.arc[: rows.size]
        demand = w.rows.demand[rows]
        return System(pattern, values, active, softness, demand, slip, root, self.lightest)

    def _places(self, values: Floats) -> NDArray[np.bool_]:
        """Return a mask of the numbers that H has: not zeros, but those of a cable's vectors."""
        is_entry = values != 0.0
        vectors = is_entry.reshape(-1, 2, 3)
        vectors[self.is_turning] |= vectors[self.is_turning].any(axis=2, keepdims=True)
        return is_entry & (self.column.ravel() >= 0)

    def _pattern(self, has_row: NDArray[np.bool_], is_entry: NDArray[np.bool_]) -> Pattern:
        """Return the pattern of these rows and entries, made if it is new."""
        contacts = self.column[self.first_contact :]
        key = has_row.tobytes() + is_entry.tobytes() + contacts.tobytes()
        if key not in self.patterns:
            if len(self.patterns) >= KEPT_PATTERNS:
                self.patterns.pop(next(iter(self.patterns)))
            rows = self.model.rows.order[has_row[self.model.rows.order]]
            place = np.full(has_row.size, -1)
            place[rows] = np.arange(rows.size)
            taken = np.flatnonzero(is_entry)
            column = self.column.ravel()[taken]
            self.patterns[key] = Pattern(rows, taken, place[self.row[taken]], column)
        return self.patterns[key]

    def _pivot(self, s: State, w: Workspace, rows: Ints) -> tuple[int, int, System]:
        """Solve as ``solve_with_friction`` in ``kernels/multibody/solver.py``.

        Returns flags, rounds, and the system of the last axes of friction.
        """
        n = rows.size
        w.solver.active[:n] = rows
        own = cone.count_own(n, self.model.rows.own[0], rows)
        records = Table(self.model.rows, s.rows, w.rows, self.model.stepper), w.solver
        solver.start_bounds(n, own, *records)
        has_limits = bool(self.is_friction[rows].any())
        rounds = 0
        flags = status.SOLVED
        share = 1.0
        last = (math.inf, 0.0)
        anew = True
        for renewal in range(solver.RENEWALS):
            if anew:
                system = self._system(w, rows)
            flag, taken = self._solve_bounded(s, w, rows, system, solver.ROUNDS, not anew)
            rounds = rounds + taken
            flags = flags | flag
            if flag & status.NOT_CONVERGED or not has_limits:
                return flags, rounds, system
            if renewal == solver.RENEWALS - 1:
                break  # the bounds stay those that are solved for
            nearness = cone.NEAREST * cone.NEARER**renewal
            change, drift, settled, anew = solver.renew_bounds(
                n, own, share, nearness, taken > 1, *records
            )
            if anew:
                pivoting.start_status(n, w.rows, w.solver, s.rows)
            share, last = solver.choose_renewal_share(own < n, renewal, change, drift, share, last)
            if settled:
                return flags, rounds, system
        return flags | status.NOT_CONVERGED, rounds, system

    def _solve_bounded(
        self, s: State, w: Workspace, rows: Ints, system: System, rounds: int, factored: bool
    ) -> tuple[int, int]:
        """Solve between given bounds like ``bounded`` in ``kernels/multibody/pivoting.py``.

        Returns status flags and rounds.
        """
        n = rows.size
        flags = status.NOT_CONVERGED
        fewest = n + 1
        patience = pivoting.PATIENCE
        free = w.solver.free[:n]
        records = w.rows, w.solver, s.rows
        w_tolerance = pivoting.TOLERANCE * np.abs(w.rows.demand[rows]).max()
        for taken in range(1, rounds + 1):
            if not factored:
                system.factorise(free)
                flags |= status.LOST_PIVOT if system.lost else 0
            factored = False
            at_lower = s.rows.status[rows] == pivoting.AT_LOWER
            held = np.where(at_lower, w.rows.lower[rows], w.rows.upper[rows])
            aim = system.solve(w.rows.demand[rows], np.where(free, 0.0, held))
            if patience > 0:
                s.rows.impulse[rows] = aim
                z_tolerance = pivoting.TOLERANCE * np.abs(aim).max()
                w.solver.solution[:n] = system.slack(aim)
                count = pivoting.review_rows(n, z_tolerance, w_tolerance, *records)
            else:
                s.rows.impulse[rows] = np.where(free, s.rows.impulse[rows], held)
                w.solver.solution[:n] = aim
                count = pivoting.walk_to_bound(n, *records)
                if count == 0:
                    w.solver.solution[:n] = system.slack(s.rows.impulse[rows])
                    count = pivoting.release_row(n, w_tolerance, *records)
            if count == 0:
                return flags & ~status.NOT_CONVERGED, taken
            patience = pivoting.PATIENCE if count < fewest and patience > 0 else patience - 1
            fewest = min(fewest, count)
            if patience == 0:
                pivoting.enter_bounds(n, *records)
        return flags, rounds

    def _accelerate(self, w: Workspace, root: Roots, response: Floats) -> None:
        """Set the new velocities v+ = v_free + C u."""
        mass, inertia, winch, junction = root
        split = 6 * self.dynamic.size
        last = split + self.winches.size
        u = response[:split].reshape(-1, 6)
        w.bodies.next_velocity[self.dynamic, :3] += mass[:, None] * u[:, :3]
        w.bodies.next_velocity[self.dynamic, 3:] += np.einsum("bij,bj->bi", inertia, u[:, 3:])
        w.bodies.next_velocity[self.winches, 0] += winch * response[split:last]
        w.bodies.next_velocity[self.junctions, :3] += junction[:, None] * response[last:].reshape(
            -1, 3
        )


def _residual(system: System, w: Workspace, row_impulse: Floats, rows: Ints) -> float:
    """Return the violation of the complementarity conditions, as ``residual`` of pivoting.py."""
    z = row_impulse[rows]
    lower, upper = w.rows.lower[rows], w.rows.upper[rows]
    slack = system.slack(z) - w.rows.sharing[rows] * z
    slack /= max(np.abs(w.rows.demand[rows]).max(), 1e-300)
    largest = max(np.abs(z).max(), 1e-300)
    room = np.where(slack > 0.0, z - lower, upper - z)
    outside = -np.minimum(z - lower, upper - z)
    return float(
        max(0.0, *np.maximum(np.minimum(np.abs(slack), np.abs(room) / largest), outside / largest))
    )
