"""What the chain of masses does exactly: Newton's equations with its tensions, to 1e-9 by Runge and
Kutta's rule of order 8 (scipy's DOP853). It shares no line with the engines that are held against
it.

A rigid link k from mass k to k + 1, along the unit vector d: d . (a_k - a_{k+1}) = |v_{k+1} -
v_k|^2 / l, with a_i = g + (T_i d_i - T_{i-1} d_{i-1}) / m_i: a tridiagonal system for the tensions
T.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp
from scipy.linalg.lapack import dptsv

Array = NDArray[np.float64]
TOLERANCE = 1e-9
GRAVITY = np.array([0.0, 0.0, -9.81])


def fall(inverse_mass: Array, start: Array, times: Array) -> Array:
    """Places (times, n, 3) [m] of masses that are let go from ``start`` (n, 3) [m]; the first has
    inverse mass 0."""
    weight = np.where(inverse_mass[:, None] > 0.0, GRAVITY, 0.0)
    diagonal = inverse_mass[:-1] + inverse_mass[1:]
    pull = np.zeros((len(start) + 1, 3))

    def rate(_: float, state: Array) -> Array:
        position, velocity = state.reshape(2, *start.shape)
        reach = np.diff(position, axis=0)
        drift = np.diff(velocity, axis=0)
        length = np.sqrt(np.einsum("ij,ij->i", reach, reach))
        along = reach / length[:, None]
        wanted = np.einsum("ij,ij->i", drift, drift) / length + np.einsum(
            "ij,ij->i", along, np.diff(weight, axis=0)
        )
        beside = -np.einsum("ij,ij->i", along[:-1], along[1:]) * inverse_mass[1:-1]
        tension = dptsv(diagonal, beside, wanted)[2] if wanted.size > 1 else wanted / diagonal
        pull[1:-1] = tension[:, None] * along
        return np.concatenate(
            [velocity, weight + inverse_mass[:, None] * np.diff(pull, axis=0)]
        ).ravel()

    begin = np.concatenate([start, np.zeros_like(start)]).ravel()
    found = solve_ivp(
        rate,
        (0.0, times[-1]),
        begin,
        "DOP853",
        t_eval=times,
        rtol=TOLERANCE,
        atol=TOLERANCE * np.ptp(start),
    )
    if not found.success:
        raise FloatingPointError(f"the reference did not get to its end: {found.message}")
    return found.y.T.reshape(-1, 2, *start.shape)[:, 0]
