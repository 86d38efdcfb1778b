"""The string on a grid: one span's displacement in one direction, its steps in time, and its length.

    u_tt + b u_t = (a / l)^2 u_xx + R,      u = 0 at both ends,      R linear in x.

M intervals, u_0 = u_M = 0, k^2 = (a M / l)^2, D u = u_{m+1} - 2 u_m + u_{m-1}. The *explicit* step keeps the rate v
half a step behind u,

    (1 + b h/2) v+ = (1 - b h/2) v + h (k^2 D u + R),      u+ = u + h v+,

which is the central scheme in time and space of Garcia-Fernandez et al. 2008, section 4.1, written with rates. It is
stable for k h < 1 / sin(pi (M-1) / 2M), about 1 (the paper prints the inverse of the step ratio). The *implicit* one
is the trapezoidal rule,

    u+ = u + h (v + v+) / 2,      D acting on (u + u+) / 2,

with v at the same time as u: stable for every k and h; one tridiagonal system whose rows all have the same three
numbers. Mode n of the grid has the frequency (2 M a / l) sin(n pi / 2M), shifted by the step as by any second-order
rule.

Misprints are numbered as in docs/theory/misprints.md.
"""

from math import sqrt

from cable_sim.kernels.jit import inner, kernel


@kernel
def explicit_step(
    h, stiffness, damping, load_0, load_1,
    # Out
    wave_out, wave_rate_out,
):  # fmt: skip
    """One explicit step of one component of one span: ``stiffness`` k^2 [1/s^2], loads R at the two ends [m/s^2]."""
    intervals = wave_out.size - 1
    keep, gain = (1.0 - 0.5 * h * damping) / (1.0 + 0.5 * h * damping), h / (1.0 + 0.5 * h * damping)
    slope = (load_1 - load_0) / intervals
    for m in range(1, intervals):
        bend = wave_out[m + 1] - 2.0 * wave_out[m] + wave_out[m - 1]
        wave_rate_out[m] = keep * wave_rate_out[m] + gain * (stiffness * bend + load_0 + slope * m)
    for m in range(1, intervals):
        wave_out[m] += h * wave_rate_out[m]


@kernel
def pivots(
    h, stiffness, damping,
    # Out
    pivot_out, share_out,
):  # fmt: skip
    """Elimination of the trapezoidal rule's matrix, the same for both components of a span."""
    q = 0.25 * h * h * stiffness
    diagonal = 1.0 + 0.5 * h * damping + 2.0 * q
    share_out[0] = 0.0
    for m in range(1, share_out.size - 1):
        pivot_out[m] = 1.0 / (diagonal - q * share_out[m - 1])
        share_out[m] = q * pivot_out[m]


@kernel
def implicit_step(
    h, stiffness, damping, load_0, load_1,
    # State
    pivot, share,
    # Out
    wave_out, wave_rate_out, sweep_out,
):  # fmt: skip
    """One step of the trapezoidal rule for one component of one span, with the span's :func:`pivots`."""
    intervals, q = wave_out.size - 1, 0.25 * h * h * stiffness
    keep, slope = 1.0 - 0.5 * h * damping, (load_1 - load_0) / intervals
    for m in range(1, intervals):
        bend = wave_out[m + 1] - 2.0 * wave_out[m] + wave_out[m - 1]
        rate_bend = wave_rate_out[m + 1] - 2.0 * wave_rate_out[m] + wave_rate_out[m - 1]
        load = h * (stiffness * bend + load_0 + slope * m)
        sweep_out[m] = keep * wave_rate_out[m] + q * rate_bend + load
    sweep_out[0] = 0.0
    for m in range(1, intervals):
        sweep_out[m] = (sweep_out[m] + q * sweep_out[m - 1]) * pivot[m]
    after = 0.0
    for m in range(intervals - 1, 0, -1):
        after = sweep_out[m] + share[m] * after
        wave_out[m] += 0.5 * h * (wave_rate_out[m] + after)
        wave_rate_out[m] = after


@inner
def product_sum(first, last, a, b):
    """Sum of a times b from index ``first`` up to ``last``."""
    p, q, r, s = 0.0, 0.0, 0.0, 0.0  # four sums, so that no addition waits for the last one
    for m in range(first, last - 3, 4):
        p, q = p + a[m] * b[m], q + a[m + 1] * b[m + 1]
        r, s = r + a[m + 2] * b[m + 2], s + a[m + 3] * b[m + 3]
    for m in range(last - (last - first) % 4, last):
        p += a[m] * b[m]
    return (p + q) + (r + s)


@inner
def bend_square(
    # State
    wave,
    # Out
    bend_out,
):  # fmt: skip
    """D u over the grid; returns the sum of its squares."""
    last = wave.size - 1
    for m in range(1, last):
        bend_out[m] = wave[m + 1] - 2.0 * wave[m] + wave[m - 1]
    return product_sum(1, last, bend_out, bend_out)


@inner
def stretch_grid(
    h, ratio,
    # State
    wave,
    # Out
    wave_rate_out, scratch_out,
):  # fmt: skip
    """Add what the grid's own growth does to the rate: ``ratio`` is (dl/dt) / l [1/s].

    With x = s / l(t) and everything at the same place s, u_tt = 2 x (dl/dt / l) u_xt - x^2 (dl/dt / l)^2 u_xx
    - 2 x (dl/dt / l)^2 u_x beside the other terms (misprint 17; the term with l'' is left out).
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
    length, rise, wave_y, wave_z,
    # Out
    piece_out,
):  # fmt: skip
    """Length of the curve over a chord that goes ``length`` along the grid and ``rise`` along y [m]."""
    intervals = wave_y.size - 1
    square, step = (length / intervals) ** 2, rise / intervals
    for m in range(intervals):
        dy, dz = wave_y[m + 1] - wave_y[m] + step, wave_z[m + 1] - wave_z[m]
        piece_out[m] = sqrt(square + dy * dy + dz * dz)
    a, b, c, d = 0.0, 0.0, 0.0, 0.0  # four sums, so that no addition waits for the last one
    for m in range(0, intervals - 3, 4):
        a, b, c, d = a + piece_out[m], b + piece_out[m + 1], c + piece_out[m + 2], d + piece_out[m + 3]
    for m in range(intervals - intervals % 4, intervals):
        a += piece_out[m]
    return (a + b) + (c + d)
