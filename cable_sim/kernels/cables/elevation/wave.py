"""The string on a grid: one span's displacement in one direction, its steps in time, and its
length.

    u_tt + b u_t = (a / l)^2 u_xx + R,      u = 0 at both ends,      R linear in x.

M intervals, u_0 = u_M = 0, k^2 = (a M / l)^2, D u = u_{m+1} - 2 u_m + u_{m-1}. The *explicit* step
keeps the rate v half a step behind u,

    (1 + b h/2) v+ = (1 - b h/2) v + h (k^2 D u + R),      u+ = u + h v+,

which is the central scheme in time and space of Garcia-Fernandez et al. 2008, section 4.1, written
with rates. It is stable for k h < 1 / sin(pi (M-1) / 2M), about 1 (the paper prints the inverse of
the step ratio). The *implicit* one is the trapezoidal rule with the rate half a step behind u, too,

    (1 + b h/2) v+ = (1 - b h/2) v + h (k^2 D (u + h (v+ - v) / 4) + R),      u+ = u + h v+,

so D acts on (u_{n-1} + 2 u_n + u_{n+1}) / 4: stable for every k and h; one tridiagonal system for
the change of v, whose rows all have the same three numbers. With R = 0 and b = 0 it keeps v^2 + k^2
sum (s_{m+1} - s_m)^2, where s = u - h v / 2 is u at the time of v; a tension that changes between
two steps changes k at the same s. The *damped* one is the implicit Euler rule,

    (1 + b h/2) v+ = (1 - b h/2) v + h (k^2 D u+ + R),      u+ = u + h v+.

With k^2 no other than the tension's and R = 0 it only takes energy, v^2 + k^2 sum (u_{m+1} -
u_m)^2, however the tension changes; a mode of frequency w loses w^2 h / 2 a second, so that those
remain which the step resolves.

Mode n of the grid has the frequency (2 M a / l) sin(n pi / 2M), shifted by the step as by any
second-order rule.

Misprints are numbered as in docs/theory/misprints.md.
"""

from math import sqrt

from cable_sim.kernels.jit import kernel
from cable_sim.kernels.records.arrays import Floats

TRAPEZOIDAL = 0.25
EULER = 1.0
"""q / h^2 k^2 of the matrix 1 + b h/2 - q D of the implicit and the damped step."""


@kernel
def explicit_step(
    h: float,
    stiffness: float,
    damping: float,
    load_0: float,
    load_1: float,
    wave_out: Floats,
    wave_rate_out: Floats,
) -> None:
    """Take one explicit step of one component of one span.

    ``stiffness`` is k^2 [1/s^2]; the loads R at the two ends are in m/s^2.
    """
    intervals = wave_out.size - 1
    keep = (1.0 - 0.5 * h * damping) / (1.0 + 0.5 * h * damping)
    gain = h / (1.0 + 0.5 * h * damping)
    slope = (load_1 - load_0) / intervals
    for m in range(1, intervals):
        bend = wave_out[m + 1] - 2.0 * wave_out[m] + wave_out[m - 1]
        wave_rate_out[m] = keep * wave_rate_out[m] + gain * (stiffness * bend + load_0 + slope * m)
    for m in range(1, intervals):
        wave_out[m] += h * wave_rate_out[m]


@kernel
def factorise_tridiagonal(
    h: float, q: float, damping: float, pivot_out: Floats, share_out: Floats
) -> None:
    """Eliminate 1 + b h/2 - q D, the same for both components of a span; q is a part of h^2 k^2."""
    diagonal = 1.0 + 0.5 * h * damping + 2.0 * q
    share_out[0] = 0.0
    for m in range(1, share_out.size - 1):
        pivot_out[m] = 1.0 / (diagonal - q * share_out[m - 1])
        share_out[m] = q * pivot_out[m]


@kernel
def solve_tridiagonal(q: float, pivot: Floats, share: Floats, sweep_out: Floats) -> None:
    """Solve (1 + b h/2 - q D) x = y in place, zero at both ends, with the pivots for q."""
    last = sweep_out.size - 1
    sweep_out[0] = 0.0
    for m in range(1, last):
        sweep_out[m] = (sweep_out[m] + q * sweep_out[m - 1]) * pivot[m]
    sweep_out[last] = 0.0
    for m in range(last - 1, 0, -1):
        sweep_out[m] += share[m] * sweep_out[m + 1]


@kernel
def implicit_step(
    h: float,
    stiffness: float,
    damping: float,
    loads: tuple[float, float],
    scratch_out: Floats,
    wave_out: Floats,
    wave_rate_out: Floats,
) -> None:
    """Take a step of the trapezoidal rule for one component of a span.

    The first two rows of scratch are its pivots of :func:`factorise_tridiagonal`.
    """
    intervals = wave_out.size - 1
    slope = (loads[1] - loads[0]) / intervals
    sweep_out = scratch_out[2]
    for m in range(1, intervals):
        bend = wave_out[m + 1] - 2.0 * wave_out[m] + wave_out[m - 1]
        load = stiffness * bend + loads[0] + slope * m
        sweep_out[m] = h * (load - damping * wave_rate_out[m])
    q = TRAPEZOIDAL * h * h * stiffness
    solve_tridiagonal(q, scratch_out[0], scratch_out[1], sweep_out)
    for m in range(1, intervals):
        wave_rate_out[m] += sweep_out[m]
        wave_out[m] += h * wave_rate_out[m]


@kernel
def damped_step(
    h: float,
    stiffness: float,
    damping: float,
    loads: tuple[float, float],
    scratch_out: Floats,
    wave_out: Floats,
    wave_rate_out: Floats,
) -> None:
    """Take a step of the implicit Euler rule for one component of a span, as the one above."""
    intervals = wave_out.size - 1
    keep = 1.0 - 0.5 * h * damping
    slope = (loads[1] - loads[0]) / intervals
    sweep_out = scratch_out[2]
    for m in range(1, intervals):
        bend = wave_out[m + 1] - 2.0 * wave_out[m] + wave_out[m - 1]
        sweep_out[m] = keep * wave_rate_out[m] + h * (stiffness * bend + loads[0] + slope * m)
    solve_tridiagonal(EULER * h * h * stiffness, scratch_out[0], scratch_out[1], sweep_out)
    for m in range(1, intervals):
        wave_rate_out[m] = sweep_out[m]
        wave_out[m] += h * sweep_out[m]


@kernel
def apply_grid_growth(
    h: float, ratio: float, wave: Floats, wave_rate_out: Floats, scratch_out: Floats
) -> None:
    """Add the effect of the grid's own growth to the rate: ``ratio`` is (dl/dt) / l [1/s].

    With x = s / l(t) and everything at the same place s, u_tt = 2 x (dl/dt / l) u_xt - x^2 (dl/dt /
    l)^2 u_xx - 2 x (dl/dt / l)^2 u_x beside the other terms (misprint 17; the term with l'' is left
    out).
    """
    intervals = wave.size - 1
    for m in range(intervals + 1):
        scratch_out[m] = wave_rate_out[m]
    for m in range(1, intervals):
        bend = wave[m + 1] - 2.0 * wave[m] + wave[m - 1]
        mixed = m * ratio * (scratch_out[m + 1] - scratch_out[m - 1])
        square = (m * ratio) ** 2 * bend + m * ratio * ratio * (wave[m + 1] - wave[m - 1])
        wave_rate_out[m] += h * (mixed - square)


@kernel
def arc_length(
    length: float, rise: float, wave_y: Floats, wave_z: Floats, piece_out: Floats
) -> float:
    """Length of the curve over a chord that goes ``length`` along the grid and ``rise`` along y
    [m]."""
    intervals = wave_y.size - 1
    square = (length / intervals) ** 2
    step = rise / intervals
    for m in range(intervals):
        dy = wave_y[m + 1] - wave_y[m] + step
        dz = wave_z[m + 1] - wave_z[m]
        piece_out[m] = sqrt(square + dy * dy + dz * dz)
    # four sums, so that no addition waits for the last one
    a = 0.0
    b = 0.0
    c = 0.0
    d = 0.0
    for m in range(0, intervals - 3, 4):
        a += piece_out[m]
        b += piece_out[m + 1]
        c += piece_out[m + 2]
        d += piece_out[m + 3]
    for m in range(intervals - intervals % 4, intervals):
        a += piece_out[m]
    return (a + b) + (c + d)


@kernel
def length_and_rate(
    length: float, rise: float, wave_y: Floats, wave_z: Floats, rate_y: Floats, rate_z: Floats
) -> tuple[float, float]:
    """Return the length of that curve [m], and its growth while its points move at the rates [m/s].

    Slopes of any size: dS/dt = sum (u_{m+1} - u_m) . (v_{m+1} - v_m) over the length of the piece.
    """
    intervals = wave_y.size - 1
    square = (length / intervals) ** 2
    step = rise / intervals
    arc = 0.0
    growth = 0.0
    for m in range(intervals):
        dy = wave_y[m + 1] - wave_y[m] + step
        dz = wave_z[m + 1] - wave_z[m]
        piece = sqrt(square + dy * dy + dz * dz)
        arc += piece
        growth += (dy * (rate_y[m + 1] - rate_y[m]) + dz * (rate_z[m + 1] - rate_z[m])) / piece
    return arc, growth
