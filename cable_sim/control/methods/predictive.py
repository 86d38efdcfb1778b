"""Model predictive control of a swinging load: a quadratic program over a crane's coming motion.

The system of ``regulator.py`` in steps of D (over 1 / w), with the acceleration u held in each:

    e+ = e + D e' + D^2 u / 2,    e'+ = e' + D u,
    s+ = cos(D) s + sin(D) s' - (1 - cos(D)) u,    s'+ = -sin(D) s + cos(D) s' - sin(D) u.

With speeds over w and accelerations over w^2 it is the same for all cranes and lengths. So the
program

    least  sum over k of  D (e_k^2 + q s_k^2 + r u_k^2)  +  x_N^T P x_N  +  what violations cost
    with   u_low <= u_k <= u_high,    e'_low - v_k <= e'_k <= e'_high + v_k,
           s_low - z_k <= s_k <= s_high + z_k

is built once, and only its bounds are new each time. P is the cost from the last step on if no
bound counts any more, so that without active bounds the first u is that of the linear-quadratic
regulator in discrete time. Violations v and z of speed and swing are allowed at a price, so that
there always is a solution. An axis that is pushed beyond a bound gets back as fast as the
acceleration allows.
"""

import math
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cable_sim.errors import CableSimWarning

Array = NDArray[np.float64]

PRICE = 30.0
"""Price of a violation, per metre and per metre squared, beside costs of the order of one."""
ACCURACY = 1e-5
ROUNDS = 4000
"""Accuracy of the solver, and its largest number of iterations."""


def steps(spacing: float) -> tuple[Array, Array]:
    """F (4, 4) and G (4,) of the scaled system in steps of D."""
    sin = math.sin(spacing)
    cos = math.cos(spacing)
    f = np.eye(4)
    f[0, 1] = spacing
    f[2:, 2:] = [[cos, sin], [-sin, cos]]
    return f, np.array([0.5 * spacing**2, spacing, cos - 1.0, -sin])


class SwayProgram:
    """The program of one axis, ready to be solved again and again, each time from the solution
    before.

    Parameters
    ----------
    horizon: number of steps N.
    spacing: D.
    effort, swing: weights r and q.

    ModuleNotFoundError, which says what to install, without osqp.

    Attributes
    ----------
    gain: (4,) K of u = -K x where no bound counts.
    """

    def __init__(self, horizon: int, spacing: float, effort: float, swing: float) -> None:
        from scipy.linalg import solve_discrete_are

        self._n = horizon
        self._f, g = steps(spacing)
        weights = spacing * np.diag([1.0, 0.0, swing, 0.0])
        price = spacing * effort
        last = solve_discrete_are(self._f, g[:, None], weights, np.array([[price]]))
        self.gain: Array = g @ last @ self._f / (price + g @ last @ g)
        cost, rows, linear = _matrices(horizon, self._f, g, (weights, last, price))
        self._lower = np.zeros(rows.shape[0])
        self._upper = np.zeros(rows.shape[0])
        self._upper[5 * horizon :] = np.inf
        self._solver = _osqp().OSQP()
        self._solver.setup(
            cost,
            linear,
            rows,
            self._lower,
            self._upper,
            verbose=False,
            warm_starting=True,
            eps_abs=ACCURACY,
            eps_rel=ACCURACY,
            max_iter=ROUNDS,
            adaptive_rho_interval=50,  # by rounds, not by the clock: runs repeat
        )

    def solve(self, state: Array, inputs: Array, speeds: Array, swings: Array) -> float:
        """The first u, from a state (4,), for bounds (2, N): least and largest at each step.

        If the solver does not get there in its rounds, the result is that of the regulator without
        bounds, cut to the bounds of u, with a warning.
        """
        n = self._n
        lower = self._lower
        upper = self._upper
        lower[:4] = upper[:4] = self._f @ state
        lower[4 * n : 5 * n], upper[4 * n : 5 * n] = inputs
        for i, (least, most) in enumerate((speeds, swings)):
            begin = (5 + 2 * i) * n
            lower[begin : begin + n] = least
            lower[begin + n : begin + 2 * n] = -most
        self._solver.update(l=lower, u=upper)
        found = self._solver.solve(raise_error=False)
        u = float(found.x[4 * n]) if found.x is not None else math.nan
        if not found.info.status.startswith("solved") or u != u:
            warnings.warn(
                f"mpc: {found.info.status}; the regulator without bounds acts",
                CableSimWarning,
                stacklevel=2,
            )
            u = -float(self.gain @ state)
        return min(max(u, float(inputs[0, 0])), float(inputs[1, 0]))


def _matrices(
    n: int, f: Array, g: Array, costs: tuple[Array, Array, float]
) -> tuple[Any, Any, Array]:
    """Quadratic cost, rows and linear cost of z = (x_1 ... x_n, u_0 ... u_(n-1), v_1 ... v_n, z_1
    ... z_n).

    Rows: what each step does (4 n), bounds of u (n), e' + v and -e' + v (2 n), s + z and -s + z (2
    n), v and z (2 n).
    """
    from scipy import sparse

    weights, last, price = costs
    one = sparse.identity(n)
    none = sparse.csc_matrix((n, n))
    cost = sparse.block_diag(
        (
            sparse.kron(sparse.identity(n - 1), weights),
            last,
            price * one,
            PRICE * sparse.identity(2 * n),
        ),
        "csc",
    )
    linear = np.concatenate([np.zeros(5 * n), np.full(2 * n, PRICE)])
    follow = sparse.identity(4 * n) - sparse.kron(sparse.eye(n, k=-1), f)
    push = sparse.kron(one, -g[:, None])
    speed, swing = (sparse.kron(one, np.eye(4)[[place]]) for place in (1, 2))
    no_state = sparse.csc_matrix((n, 4 * n))
    rows = sparse.bmat(
        [
            [follow, push, None, None],
            [no_state, one, none, none],
            [speed, none, one, none],
            [-speed, none, one, none],
            [swing, none, none, one],
            [-swing, none, none, one],
            [no_state, none, one, none],
            [no_state, none, none, one],
        ],
        format="csc",
    )
    return sparse.triu(cost, format="csc"), rows, linear


def _osqp() -> Any:
    """The solver's package."""
    try:
        import osqp
    except ModuleNotFoundError:
        message = "controller mpc: osqp is not installed; pip install 'cable_sim[mpc]'"
        raise ModuleNotFoundError(message, name="osqp") from None
    return osqp
