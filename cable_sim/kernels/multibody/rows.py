"""Constraint rows: the form in which joints, drives, cables and contacts enter the solver.

A row is one scalar gap g(q, t), its Jacobian J = dg/dv over the bodies it touches (its *entries*, a
ragged list of six numbers each), a compliance eps [m/N], a damping time gamma [s] and bounds on its
impulse lambda [N s]. The impulse acts as J^T lambda. Signs: where a row is one-sided, g > 0 means
apart (a contact) or slack (a cable), and lambda >= 0 pushes apart or pulls; tension is lambda / h,
positive.

To the solver each row is   J v+ + sigma lambda = rhs  (or v+ on the right side of it while lambda
is at a bound). Which sigma and rhs that is, depends on the row's kind:

GAP, ``spook`` (Servin et al. 2011 eq. 7-10 with the sign of eq. 8 corrected; Lacoursiere 2007):
with Y = 1 / (1 + 4 gamma / h),

    sigma = 4 eps Y / h^2,          rhs = -4 Y g / h + Y J v.

That damps the rate at the end of the step, which is of first order. Where the step resolves spring
and damper, h (h + gamma) J M^-1 J^T <= RESOLVED eps, the mean rate of the step is damped, b = 1/2:

    Y = 1 / (1 + 4 (1 - b) gamma / h),    rhs = -4 Y g / h + Y (1 - 4 b gamma / h) J v.

A linear mode is stable for every b <= 1/2. But the mean leaves stiff rows an eigenvalue near -1,
and with it they would shake; so b falls with what is not resolved, to 0 of a rigid row.

For a linear mode with gamma = 0 it is the rule  f = -(g' + 2 g + g'')/(4 eps)  with g', g'' the gap
a step before and after: no numerical damping, period too long by (omega h)^2 / 12, stable for every
h. gamma = 2 h in the rigid limit lets a violation fall to 1/3 a step, without overshoot. One-sided
rows that are too stiff for the step need that as well: undamped, a tension that should oscillate
within a step alternates from step to step instead, and each time it is cut off at zero energy is
gained. With z^2 = h^2 J M^-1 J^T / eps, the mobility J M^-1 J^T taken as it is at the start, they
get at least

    gamma = 2 h (1 - RESOLVED / z^2)    where z^2 > RESOLVED,

so that what is resolved, by more than twelve steps a period, stays undamped.

GAP, ``regularised`` (Servin & Lacoursiere 2007 eq. 11-13 with the unknown h lambda and its scaling
corrected; damping added to the potential as eps f = -(g + gamma dg/dt)):

    sigma = eps / (h (h + gamma)),  rhs = -g / (h + gamma).

With gamma = 0 a linear mode is backward Euler: it decays at the rate ln(1 + (omega h)^2) / (2 h).

STABILISED: always the second rule: for contacts and end stops, where damping is wanted. A row with
g > 0 that would close within the step has rhs = -g / h: it may close, not cross. From one step of a
contact to the next the rule says

    -g / (h + gamma) = sigma lambda_last + J v gamma / (h + gamma),

whatever the bodies do. So what is above it overlaps without having been pressed in, such as a load
that comes into a box from the side, or that starts in the ground. It goes out slowly:

    rhs <= sigma lambda_last + max(J v, PUSH_OUT)      where g < -SETTLED:

what stands at the start has sunk in by less, and knows no impulse.

A hard end stop has eps = 0 and

    sigma = HARD J M^-1 J^T,

the mobility that of its bodies as they are at the start: whatever pushes gets a HARD-th of the way
beyond it that it would go in a step if nothing held those bodies, F h^2 HARD / m, so that it is as
hard for a bolt as for a boom, at any step. It is above what the solver takes for rounding, so that
a stop may repeat what a drive or a lock says.

SPEED: J v + xi F = w: a drive with target speed w and slip xi [m/s/N]; with w = 0 a damper of 1 /
xi [N s/m], or without xi dry friction. ``regularised`` takes it at the end of the step, of first
order: J v+ + (xi / h) lambda = w+. ``spook`` takes the share b of its start,

    (1 - b) (J v+ - w+) + b (J v - w) + (xi / h) lambda = 0,        b = min(1 / 2, 1 / z),

z = h J M^-1 J^T / xi. What a single body lacks of w gets by (1 - b z) / (1 + (1 - b) z) smaller a
step, which stands for exp(-z). b = 1/2 is of second order, and loses xi F^2 exactly; beyond z = 2
it would alternate, so w is reached in a step there. All else on the body makes it slower only. The
rate of ``inner`` is -w at the start.

INERTIA: J v+ + (xi / h) lambda = J v: resists a change of J v as a mass h / xi would
(``cables/massless/transverse.py``).

CONDENSED: J v+ + sigma lambda = y, both given: the end of a chain
(``cables/particles/particles.py``), which has solved the rest of itself.

A row whose gap also depends on something inside its own column, a cable's waves, gets their part
from there as three numbers, ``inner``: the mobility, which adds to sigma, the rate, which adds to J
v, and the rate at the end of a free step, which adds to J v_free.

*Taking part.* A one-sided row that stays apart, g >= 0 now and g + h (J v+ - b / h) >= 0, needs no
impulse, and its rule would have one too early: by ``spook`` from J v+ < -(4 g / h) Y on. So rows
are first judged by the free velocities; those that the solution would close are taken in, and all
are solved for again, until none is left out that closes. Each time there are more, so that ends. A
hook and its load fall together in a free step: it is the hoist rope that makes the one between them
taut. A rigid row that pulled in the last step takes part at once: its gap is rounding.

A *rigid* one-sided GAP row, an inextensible rope, that is found too long by g < 0 would be hauled
in at (4/9) |g| / h, the faster the shorter the step: 1 cm at 0.2 ms gives 20 m/s, and they stay.
What the steps themselves leave needs less: on a curve of radius l they leave h^2 v^2 / 2 l each,
while without its tension the rope would get longer at e = -J v_free = h (v^2 / l + g'), g' the part
of gravity along it. And a rhs up to e is at most an elastic impact, (J v+)^2 <= e^2, which gives no
energy. Hence

    rhs <= max(e, u, b / h),      u = HAULING sqrt(|g| L):

what is too long for another reason is hauled in slowly, and costs m u^2 / 2 beside the work of
lifting: what it throws up rises by HAULING^2 / 2 of the rope's length L, whatever the units.
Without gravity it stays too long by what a jerk left, until it pulls. One between points of the
same body has J = 0 but for rounding, and no row: nothing moves it. The prescribed velocities are
part of J v and J v+; the solver subtracts them.

*Turns.* J stands for the step while it turns in truth. A body that whirls at the radius l turns by
theta a step, and its straight way leaves the gap smaller than J says by b = h v tan(theta / 2), h^2
v^2 / 2 l. What changes the gap in a step is h J v+ - b, and in the step before it was h J v + b. So
the rules above are for J v+ - b / h and J v + b / h. A function that fills a row may give both: the
first from the velocities at the end of a free step, as ``target``, the second, which adds to J v,
in ``inner``. Massless ropes that are stiff for the step have them
(``cables/massless/path_growth.py``). Joints omit it: applied along three axes it would excite
vibration. Without them the gap itself has to ask for what the turn needs: by both rules together

    -g = eps T + (gamma / h + 1/2) b,        5 b / 2 where it is rigid, 1.25 theta^2 of l.

*What a row stores.* By ``spook`` the tension T = lambda / h is that of the spring and of the
damper,

    eps T = -(g + h (J v+ - J v) / 4) - gamma r = (s + s+) / 2 - gamma r,
    s = -(g - h J v / 2),        r = b J v + (1 - b) J v+,

s half a step before and s+ half a step behind the pose, at the times of v and v+. With gamma = 0
that keeps the sum of the kinetic energy and s^2 / (2 eps). What is read is of the time of v
(``instant.py``), so it is the gap of the pose that is read.

*Getting taut.* A rope that is slack half a step before, s < 0, has stored nothing by then. The rule
has the bodies pay (s+^2 - s^2) / (2 eps) for the s+^2 / (2 eps) that it stores: a gain of s^2 / (2
eps), up to z^2 / 4 of the kinetic energy; and of s+^2 / (2 eps) where the rule has no tension,
because -s > s+. It is taut for the part f = s+ / (s+ - s) of the step, strained by s+ / 2 on
average, hence

    eps T = f (s+ / 2 - gamma J v+),    which takes T (s+ - s) >= s+^2 / (2 eps) from the bodies.

That is the rule with the compliance eps / f and the gap g + s / 2. f is that of the free
velocities, which is not below the true one; with s+ <= 0 the row takes no part. From gamma = h / 2
on the damper pays, with gamma (s+ - s)^2 / (h eps).

Of what no b was given for, a part of g has no force, so it is no strain, and its g^2 / (2 eps) no
energy. With K = m v^2 / 2 it would be K theta^2 z^2 and more: of a light load on a steel rope at
1/60 s twice all that is at play. So where the step does not resolve the row, z^2 > RESOLVED, and
its damper is not above that of rigid rows, what is stored is the energy of the smaller of the
strain and eps T. At rest these are the same; a row that a curve makes give way stores that of its
gap.
"""

from math import isinf

from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.entries import row_rate, start_rates, steepness
from cable_sim.kernels.multibody.vec3 import Vector
from cable_sim.kernels.records.arrays import Floats
from cable_sim.kernels.records.bodies import BodyState
from cable_sim.kernels.records.rows import Rows, RowWork, Table

GAP = 0
STABILISED = 1
SPEED = 2
INERTIA = 3
CONDENSED = 4
"""Values of ``row_kind``."""
SPOOK = 0
REGULARISED = 1
"""Values of ``stepper``."""
RIGID_DAMPING_STEPS = 2.0
"""gamma / h of a rigid row under ``spook``: a violation falls to a third each step without
overshoot."""
HAULING = 0.01
"""Speed at which an inextensible rope that is too long for its length is hauled in, over that of a
fall from half its length [-]: 0.1 m/s for 10 m."""
PUSH_OUT = 0.1
"""Speed at which an overlap goes that no impulse has pressed in [m/s or rad/s]."""
SETTLED = 2e-3
"""Overlap that is not pushed out slowly [m or rad]: more than loads that stand sink in."""
LEVEL = 1e-24
"""|J|^2 of a row that no body moves: that of rounding."""
HARD = 1e-11
"""sigma of a hard end stop over its mobility: a hundred times what the solver takes for a lost
pivot."""
RESOLVED = 0.25
"""z^2 up to which a one-sided row needs no damping."""


@kernel
def early_share(h: float, compliance: float, damping_time: float, mobility: float) -> float:
    """Return b, the share of J v in the rate that a gap row damps under SPOOK [-]."""
    if compliance == 0.0:
        return 0.0
    swing = h * (h + damping_time) * mobility
    return 0.5 * min(1.0, RESOLVED * compliance / swing) if swing > 0.0 else 0.5


@kernel
def spook_row(
    h: float, gap: float, rate: float, compliance: float, damping_time: float, mobility: float
) -> tuple[float, float]:
    """(sigma, rhs) of a gap row under SPOOK; ``rate`` is J v at the start of the step.

    ``mobility`` is J M^-1 J^T.
    """
    early = early_share(h, compliance, damping_time, mobility)
    damper = 4.0 * damping_time / h
    weight = 1.0 / (1.0 + (1.0 - early) * damper)
    return (
        4.0 * compliance * weight / (h * h),
        weight * ((1.0 - early * damper) * rate - 4.0 * gap / h),
    )


@kernel
def effective_damping_time(
    h: float, compliance: float, damping_time: float, mobility: float
) -> float:
    """Return the damping time of a gap row under SPOOK [s]: its own, or what the step needs.

    A row needs more than its own where it is too stiff for the step.
    """
    soft = h * h * mobility / RESOLVED  # a compliance from which on the row is resolved
    if compliance == 0.0 or compliance < soft:
        stiff = 1.0 - compliance / soft if soft > 0.0 else 1.0
        return max(damping_time, RIGID_DAMPING_STEPS * h * stiff)
    return damping_time


@kernel
def taut_fraction(
    h: float,
    gap: float,
    rate: float,
    free_rate: float,
    compliance: float,
    damping_time: float,
    mobility: float,
) -> float:
    """Return f, the part of a step in which a rope gets taut [-].

    It is 1 where the rope was taut before, or its damper pays.
    """
    before = 0.5 * h * rate - gap
    after = -0.5 * h * free_rate - gap
    if before >= 0.0 or effective_damping_time(h, compliance, damping_time, mobility) >= 0.5 * h:
        return 1.0
    return after / (after - before)


@kernel
def catch_taut(
    h: float,
    gap: float,
    rate: float,
    free_rate: float,
    compliance: float,
    damping_time: float,
    mobility: float,
) -> Vector:
    """Return f of a row, and the gap and compliance with which it is taut for that part."""
    part = taut_fraction(h, gap, rate, free_rate, compliance, damping_time, mobility)
    if 0.0 < part < 1.0:
        return part, gap + 0.5 * (0.5 * h * rate - gap), compliance / part
    return part, gap, compliance


@kernel
def regularised_row(
    h: float, gap: float, compliance: float, damping_time: float
) -> tuple[float, float]:
    """(sigma, rhs) of a gap row under the scheme of 2007."""
    return compliance / (h * (h + damping_time)), -gap / (h + damping_time)


@kernel
def stabilised_row(
    h: float, gap: float, compliance: float, damping_time: float, mobility: float
) -> tuple[float, float]:
    """Return (sigma, rhs) of a contact or end stop, which may close within the step, but not cross.

    ``mobility`` is that of a hard stop.
    """
    softness = compliance / (h * (h + damping_time)) if compliance > 0.0 else HARD * mobility
    return softness, -gap / h if gap > 0.0 else -gap / (h + damping_time)


@kernel
def speed_row(
    h: float, stepper: int, rate: float, slip: float, mobility: float, target: float, loaded: float
) -> tuple[float, float]:
    """Return (sigma, rhs) of a row on a speed; ``rate`` is J v - w at the start of the step.

    ``loaded`` is the slip under the load of the last step [m/s], infinite if that is not known.
    """
    if stepper != SPOOK or slip == 0.0:
        return slip / h, target
    early = 0.5 if h * mobility < 2.0 * slip else slip / (h * mobility)
    later, before = (0.0, 0.0) if isinf(loaded) else (0.5 - early, loaded)
    share = 1.0 - early - later * early
    change = later * (before - early * rate) - early * rate
    return slip * (1.0 + later) / (h * share), target + change / share


@kernel
def strain_energy(
    h: float,
    gap: float,
    compliance: float,
    damping_time: float,
    mobility: float,
    impulse: float,
    stepped: bool,
    one_sided: bool,
) -> float:
    """Return the energy in a strained GAP row [J].

    ``impulse`` is that of the last step, if one has been taken: ``stepped``. A two-sided row
    without damping goes on swinging at any step, and stores by its gap.
    """
    strained = abs(gap)
    unresolved = h * h * mobility > RESOLVED * compliance
    calmed = damping_time <= RIGID_DAMPING_STEPS * h if one_sided else damping_time > 0.0
    if stepped and unresolved and calmed:
        strained = min(strained, compliance * abs(impulse) / h)
    return 0.5 * strained * strained / compliance


@kernel
def discretise(
    h: float,
    stepper: int,
    kind: int,
    gap: float,
    rate: float,
    compliance: float,
    damping_time: float,
    mobility: float,
    one_sided: bool,
) -> tuple[float, float]:
    """(sigma, rhs) of a GAP, STABILISED or INERTIA row; ``compliance`` of the last is its xi
    [m/s/N]."""
    if kind == INERTIA:
        return compliance / h, rate
    if kind == STABILISED:
        return stabilised_row(h, gap, compliance, damping_time, mobility)
    if stepper == SPOOK:
        floor = mobility if one_sided else 0.0
        enough = effective_damping_time(h, compliance, damping_time, floor)
        return spook_row(h, gap, rate, compliance, enough, mobility)
    return regularised_row(h, gap, compliance, damping_time)


@kernel
def stays_apart(h: float, r: int, end_rate: float, rows: Rows, row_work: RowWork) -> bool:
    """Return True if row r is one-sided and closed neither now nor at the end of the step.

    ``end_rate`` is J v at the end.
    """
    gap = row_work.gap[r]
    if not rows.one_sided[r] or gap < 0.0:
        return False
    bend = row_work.target[r] if rows.kind[r] == GAP else 0.0
    return gap + h * (end_rate - bend) >= 0.0


@kernel
def pulled_rigidly(r: int, rows: Rows, row_work: RowWork) -> bool:
    """Return True if row r is a rigid gap row that had an impulse in the last step."""
    rigid = rows.kind[r] == GAP and row_work.compliance[r] == 0.0
    return rigid and row_work.impulse_before[r] != 0.0


@kernel
def leave(r: int, rate: float, softness: float, rhs: float, rows: Rows, row_work: RowWork) -> float:
    """Return the rhs of a contact or stop: overlaps go slowly, impacts end at their own speed.

    The gaps of contacts of the pool are such that their overlaps do (``collision/pool.py``).
    """
    if r < rows.own[0] and row_work.gap[r] < -SETTLED:
        rhs = min(rhs, softness * row_work.impulse_before[r] + max(rate, PUSH_OUT))
    return max(rhs, row_work.target[r]) if row_work.target[r] > 0.0 else rhs


@kernel
def prepare_row(
    h: float, stepper: int, r: int, rate: float, free_rate: float, rows: Rows, row_work_out: RowWork
) -> bool:
    """Turn row r into sigma and demand; return False if it takes no part after all."""
    gap = row_work_out.gap[r]
    compliance = row_work_out.compliance[r]
    mobility = row_work_out.inner[r, 0]
    damping_time = row_work_out.damping_time[r]
    kind = rows.kind[r]
    target = row_work_out.target[r]
    one_sided = rows.one_sided[r]
    one_sided_gap = one_sided and kind == GAP
    bend = target if kind == GAP else 0.0
    loaded = row_work_out.closing[r]
    end_rate = min(free_rate, loaded)
    apart = stays_apart(h, r, end_rate, rows, row_work_out)
    if apart and not pulled_rigidly(r, rows, row_work_out):
        return False
    if one_sided_gap and stepper == SPOOK and mobility == 0.0:
        part, gap, compliance = catch_taut(
            h, gap, rate, end_rate - bend, compliance, damping_time, rows.mobility[r]
        )
        if part <= 0.0:
            return False
    felt = rows.mobility[r] + mobility
    if kind == SPEED:
        softness, rhs = speed_row(h, stepper, rate, compliance, felt, target, loaded)
    elif kind == CONDENSED:
        softness, rhs = compliance, target
    else:
        softness, rhs = discretise(
            h, stepper, kind, gap, rate, compliance, damping_time, felt, one_sided
        )
    rhs += bend
    if kind == STABILISED:
        rhs = leave(r, rate, softness, rhs, rows, row_work_out)
    if one_sided_gap and row_work_out.compliance[r] == 0.0:
        if mobility == 0.0 and steepness(r, rows.entry_start, row_work_out.jacobian) < LEVEL:
            return False
        rhs = min(rhs, max(-end_rate, rows.hauling[r], bend))
    row_work_out.softness[r] = softness + mobility + row_work_out.sharing[r]
    row_work_out.demand[r] = rhs - free_rate
    return True


@kernel
def is_pressed(r: int, rows: Rows, row_work: RowWork) -> bool:
    """Return True unless r is a friction row without pressure."""
    first = rows.limit_start[r]
    return first == rows.limit_start[r + 1] or row_work.active[rows.limit_row[first]]


@kernel
def join_row(
    h: float,
    stepper: int,
    r: int,
    rows: Rows,
    body_state: BodyState,
    velocity: Floats,
    row_work_out: RowWork,
) -> bool:
    """Prepare row r if it is to take part; return True if it does.

    ``velocity`` is the free one.
    """
    joined = is_pressed(r, rows, row_work_out)
    if joined:
        rate, free_rate = start_rates(r, rows, body_state.velocity, velocity, row_work_out)
        joined = prepare_row(h, stepper, r, rate, free_rate, rows, row_work_out)
    row_work_out.active[r] = joined
    row_work_out.apart[r] = not joined
    return joined


@kernel
def join_rows(
    h: float,
    every: bool,
    free_velocity: Floats,
    end_velocity: Floats,
    body_state: BodyState,
    table_out: Table,
) -> int:
    """Turn rows that take part into sigma and demand = rhs - J v_free; return their number.

    These are rows that were apart, and that the velocities at the end close; with ``every`` also
    those that took part before. A friction row comes with that of its pressure, the first in its
    list, which stands before it.
    """
    count = 0
    rows = table_out.rows
    row_work_out = table_out.work
    for r in range(row_work_out.used[0]):
        if not row_work_out.apart[r]:
            if not (every and row_work_out.active[r]):
                continue
        elif rows.one_sided[r]:
            end_rate = row_work_out.inner[r, 2] + row_rate(r, rows, row_work_out, end_velocity)
            if stays_apart(h, r, end_rate, rows, row_work_out):
                continue
            row_work_out.closing[r] = end_rate
        elif not is_pressed(r, rows, row_work_out):
            continue
        stepper = table_out.stepper[0]
        count += join_row(h, stepper, r, rows, body_state, free_velocity, row_work_out)
    return count
