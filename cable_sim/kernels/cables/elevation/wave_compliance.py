"""Compliance of the curves of an elevation cable to its tension within a step.

With the arc length of a span in the path S of the cable, a tension shortens the path by bending the
curves straight. For slopes of any size, with dx = l/M, the pieces d_m = u_{m+1} - u_m, p_m =
sqrt(dx^2 + d_m^2) and f_m = d_m / p_m,

    S = sum p_m,      dS/dt = sum f_m . (v_{m+1} - v_m),      |f_m| < 1.

The step is taken on trial with the tension T' of the last one, from u to u*, of length S*. A
further impulse lambda of the tension moves the points by h lambda w more,

    (1 + b h/2 - q D) w = D y / (rho dx^2),
    y = u explicit, u* damped, u + (u* - u - h v) / 4 trapezoidal,

q as in ``wave.py``, and the stretch row (``inner`` in ``rows.py``) gets beside its bodies' part

    mobility  mu = -sum f*_m . (w_{m+1} - w_m),
    rate at the end  (S - S*) / h + mu (lambda - h T'),

f* the slopes of u*. So the tension knows the path that it will have: what the points' own speed
across their chord adds to it, h^2/2 sum (v_{m+1} - v_m)^2 / dx a step, is in S*, and what the curve
can give has a bound. d(f) is monotone, so with y = u = u*

    0 <= mu <= sum (D u)^2 / (rho dx^3),      mu <= 8 (S - l) / (rho dx^2) / (1 + b h/2).

The first bound is what slopes small against one have; a slope of ten gives way by a tenth of it,
and a row that counts on all of it holds a rope with a small part of the tension, while the path
runs away: rope let go slack from a straight start hangs steep at its ends. The second follows from
(f_m - f_{m-1}) . (d_m - d_{m-1}) <= 2 (f_m . d_m + f_{m-1} . d_{m-1}) and f_m . d_m <= 2 (p_m -
dx). S is convex in u, so a linear row never thinks the path longer than it will be; S* >= l,
whatever the tension. Without any of this the tension would see the rope give way a step late, and a
wrinkled rope that catches its load would be torn between none and ever more tension: h^2 mu / eps
is the square of how far a step goes in the oscillation of the curve against the stretch. At rest it
does nothing.
"""

from cable_sim.kernels.cables.elevation.chords import FREE, chord_grid
from cable_sim.kernels.cables.elevation.elevation import (
    EXPLICIT,
    IMPLICIT,
    Rule,
    choose_scheme,
    is_unstable,
    span_curves,
    span_loads,
    span_step,
)
from cable_sim.kernels.cables.elevation.wave import (
    EULER,
    TRAPEZOIDAL,
    length_and_rate,
    solve_tridiagonal,
)
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.vec3 import Vector, load
from cable_sim.kernels.multibody.wind import Field
from cable_sim.kernels.records.arrays import Flags, Floats, Ints
from cable_sim.kernels.records.lines import Lines
from cable_sim.kernels.records.rows import Table
from cable_sim.kernels.records.waves import Curves

SLIGHT = 0.05
"""Largest h^2 mu / eps with which the compliance of curves within the step is left out. Trouble
begins near one."""
PIVOT = 0
SHARE = 1
AHEAD = 3
GIVEN = 5
END = 7
"""Rows of scratch: those of ``span_step``, then u at the end of the trial step, and its rate, later
w. The last two have both components."""


@kernel
def take_trial_step(
    h: float, k: int, rule: Rule, components: int, loads: tuple[Vector, Vector], curves_out: Curves
) -> None:
    """Take the trial step of span k in the scratch, by a rule under the last tension."""
    begin = curves_out.start[k]
    end = curves_out.start[k] + curves_out.intervals[k] + 1
    for i in range(2):
        for m in range(begin, end):
            curves_out.scratch[AHEAD + i, m] = curves_out.displacement[i, m]
            curves_out.scratch[GIVEN + i, m] = curves_out.rate[i, m]
    ahead = curves_out.scratch[AHEAD:GIVEN]
    given = curves_out.scratch[GIVEN:END]
    trial = Curves(
        curves_out.start,
        curves_out.intervals,
        ahead,
        given,
        curves_out.normal,
        curves_out.length,
        curves_out.direction,
        curves_out.scratch,
    )
    span_step(h, k, rule, components, 0.0, loads, trial)


@kernel
def solve_unit_response(h: float, k: int, rule: Rule, per_mass: float, curves_out: Curves) -> None:
    """Leave w of span k [1/kg] in the scratch after its trial step.

    ``per_mass`` is 1 / rho dx^2 [1/(kg m)].
    """
    begin = curves_out.start[k]
    end = curves_out.start[k] + curves_out.intervals[k] + 1
    part = 0.0 if rule.scheme == EXPLICIT else (0.25 if rule.scheme == IMPLICIT else 1.0)
    gone = h if rule.scheme == IMPLICIT else 0.0
    gain = per_mass / (1.0 + 0.5 * h * rule.damping) if rule.scheme == EXPLICIT else per_mass
    q = (TRAPEZOIDAL if rule.scheme == IMPLICIT else EULER) * h * h * rule.stiffness
    for i in range(2):
        now = curves_out.displacement[i, begin:end]
        then = curves_out.scratch[AHEAD + i, begin:end]
        rate = curves_out.rate[i, begin:end]
        given = curves_out.scratch[GIVEN + i, begin:end]
        for m in range(1, given.size - 1):
            bend = now[m + 1] - 2.0 * now[m] + now[m - 1]
            change = then[m + 1] - 2.0 * then[m] + then[m - 1] - bend
            change -= gone * (rate[m + 1] - 2.0 * rate[m] + rate[m - 1])
            given[m] = gain * (bend + part * change)
        given[0] = 0.0
        given[given.size - 1] = 0.0
        if rule.scheme != EXPLICIT:
            solve_tridiagonal(
                q, curves_out.scratch[PIVOT, begin:end], curves_out.scratch[SHARE, begin:end], given
            )


@kernel
def curve_growth(k: int, along: float, rise: float, curves: Curves) -> float:
    """Return the rate at which the curve of span k grows now [m/s]."""
    begin = curves.start[k]
    end = curves.start[k] + curves.intervals[k] + 1
    return length_and_rate(
        along,
        rise,
        curves.displacement[0, begin:end],
        curves.displacement[1, begin:end],
        curves.rate[0, begin:end],
        curves.rate[1, begin:end],
    )[1]


@kernel
def trial_end(k: int, along: float, rise: float, curves: Curves) -> tuple[float, float]:
    """Length of span k at the end of its trial step [m], and mu [1/kg]."""
    begin = curves.start[k]
    end = curves.start[k] + curves.intervals[k] + 1
    arc, given = length_and_rate(
        along,
        rise,
        curves.scratch[AHEAD, begin:end],
        curves.scratch[AHEAD + 1, begin:end],
        curves.scratch[GIVEN, begin:end],
        curves.scratch[GIVEN + 1, begin:end],
    )
    return arc, max(-given, 0.0)


@kernel
def mobility_bound(
    first: int,
    last: int,
    density: float,
    span_intervals: Ints,
    span_waves: Flags,
    span_length: Floats,
    span_arc: Floats,
) -> float:
    """Return an upper bound of mu for the spans from node ``first`` to ``last`` [1/kg].

    Their points are not looked at.
    """
    most = 0.0
    for k in range(first, last):
        if span_waves[k]:
            per_length = span_intervals[k] / span_length[k]
            most += 8.0 * (span_arc[k] - span_length[k]) * per_length * per_length
    return max(most, 0.0) / density


@kernel
def span_mobility(h: float, c: int, k: int, field: Field, lines_out: Lines) -> Vector:
    """Return mobility [1/kg] and rates of the curve of span k of cable c, now and after a free
    step under the last tension [m/s]."""
    waves = lines_out.waves
    work = lines_out.span_work
    curves = span_curves(lines_out)
    along, rise = chord_grid(waves.kind[c], work.length[k], load(work.direction, k))
    per_mass = (waves.intervals[k] / along) ** 2 / lines_out.cables.density[c]
    stiffness = work.tension[k] * per_mass
    scheme = choose_scheme(waves.scheme[c], is_unstable(h, stiffness))
    rule = Rule(scheme, stiffness, waves.damping[c])
    loads = span_loads(h, c, k, waves.damping[c], field, lines_out)
    take_trial_step(h, k, rule, 2 if waves.kind[c] == FREE else 1, loads, curves)
    solve_unit_response(h, k, rule, per_mass, curves)
    arc, mobility = trial_end(k, along, rise, curves)
    return mobility, -curve_growth(k, along, rise, curves), (work.arc[k] - arc) / h


@kernel
def add_compliance(h: float, field: Field, table_out: Table, lines_out: Lines) -> None:
    """Add the compliance of the curves to the stretch rows.

    It consists of a mobility [1/kg], the rate now and the rate at the end of a free step [m/s].
    Curves that give way by little compared to the stretch of their cable, h^2 mu / eps < SLIGHT,
    add nothing. Tensions and impulses are those of the last step.
    """
    cables = lines_out.cables
    waves = lines_out.waves
    work = lines_out.span_work
    active = lines_out.span_state.waves
    inner = table_out.work.inner
    for c in range(waves.oscillates.size):
        r = cables.row[c]
        if not waves.oscillates[c] or r < 0:
            continue
        first = cables.node_start[c]
        last = cables.node_start[c + 1] - 1
        density = cables.density[c]
        most = mobility_bound(first, last, density, waves.intervals, active, work.length, work.arc)
        if h * h * most < SLIGHT * table_out.work.compliance[r]:
            continue
        for k in range(first, last):
            if active[k]:
                mobility, now, free = span_mobility(h, c, k, field, lines_out)
                inner[r, 0] += mobility
                inner[r, 1] += now
                inner[r, 2] += free - mobility * table_out.state.impulse[r]
