"""Catches: ropes that get taut too fast for the step.

A mass m that comes into a rope of the compliance eps at the speed v swings on it with omega = 1 /
sqrt(eps m), and the tension peaks at

    T = F + sqrt(F^2 + m v^2 / eps),       F = m g its weight.

A step of ``spook`` has the mean tension of its time, cos(z / 2) of the one in its middle with z =
h / sqrt(eps m), and the peak is up to half a step off the middle of the nearest one. So what is
resolved misses between 1 - cos(z / 2) and twice that. From z^2 = RESOLVED on the rule of
``rows.py`` brings the mass to rest by a damper, and most of the peak is lost. The rule of 2007
damps at any step: of the peak it loses about 0.7 z. So does what calms the segments of a chain
(``chain.py``), where the step does not resolve these: 0.45 z. A step follows a catch up to a bound
of z, where up to 3.4 % are lost.

A catch matters where the peak without weight, v sqrt(m / eps), is more than F. And the mass must
have fallen for more than a few steps, v > SHAKES g h. 1 / m is what the impulse lambda of the rope
has changed of the rate of the rope, J v, over lambda: whatever else holds the load, or catches it
as well. Ropes that do not stretch have no such peak, and are not watched.

*Carried weight.* The slings of a load that stands on the ground jerk a light hook block. Its own
weight says nothing of these slings, which are about to carry the load. So F is at least LIFTS
times the share of the rope r in the weight m g of any of its bodies. With J, the parts against
gravity of the pulls of all ropes that lift it, the share is

    m g J_r / sum J^2,        the sum at least 1, that of a single rope straight up.

A lift itself brings as much: as its load comes off the ground, it swings on its ropes.

*Winches with slip.* What gives way to lambda on a winch of the mass M is 1 / (M + c h), c the force
per speed of its drive. That is no mass. In the time of a swing, 1 / w, the part M w^2 / (c^2 + M^2
w^2) is one. Where the winch does not swing, c > 2 sqrt(M / eps), nor the load, c < sqrt(m / eps) /
2, T rises to c v within eps c, and falls by exp(-t c / m).

*Light winches.* The floor of damping of ``rows.py`` is that of a winch that turns freely: 2 h if it
is light. A load that swings at w loses 1.3 h w of its peak by it. One that does not swing gets to c
v at once, of which steps miss h c / m; without the floor they follow the rise.
"""

from math import sqrt

from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.bodies import DYNAMIC
from cable_sim.kernels.multibody.entries import row_rate
from cable_sim.kernels.multibody.rows import GAP, RESOLVED, SPOOK, effective_damping_time
from cable_sim.kernels.multibody.vec3 import Vector, dot, load, norm, sub
from cable_sim.kernels.records.arrays import Floats
from cable_sim.kernels.records.bodies import Bodies
from cable_sim.kernels.records.lines import Lines
from cable_sim.kernels.records.ropes import Ropes, RopeWork
from cable_sim.kernels.records.rows import Table

LIFTS = 1.5
"""Tension of a load that comes off the ground at the usual speeds, over its weight."""
SHAKES = 3.0
"""Steps of free fall after which a rope may get taut again without a catch."""
FOLLOWED = 0.37
"""z up to which a peak is sampled within 3.4 %: 17 steps a period."""
FOLLOWED_2007 = 0.03
FOLLOWED_CHAIN = 0.05
"""z up to which the rule of 2007 and a chain lose less than 3 % of a peak."""
FOLLOWED_SLIP = 0.02
"""h c / m up to which steps miss less than 3 % of what falls by slip."""
FOLLOWED_CALMED = 0.025
"""z up to which a floor of damping of 2 h takes less than 3 % of a peak."""
SPOOK_DRIVE = 0.58
"""Part of a drive's c that a step of SPOOK has: (1 - b) / (1 + 1 / 2 - b), 1/2 to 2/3, as
``rows.py`` has it."""


@kernel
def needed_step(
    h: float,
    bound: float,
    carried: float,
    weight: float,
    compliance: float,
    mobility: float,
    speed: float,
) -> float:
    """Return the step that would follow a catch [s]; 0 if ``h`` does, or it does not matter.

    ``bound`` is the largest z that is followed, ``carried`` what the rope may carry besides the
    mass that swings [N]. ``weight`` is the acceleration of gravity [m/s^2], ``mobility`` 1 / m
    [1/kg], ``speed`` that at which the rope gets longer [m/s].
    """
    if compliance <= 0.0 or mobility <= 0.0:
        return 0.0
    swing = sqrt(mobility / compliance)
    force = max(carried, weight / mobility)
    if speed <= max(force * compliance * swing, SHAKES * weight * h):
        return 0.0
    return bound / swing if h * swing > bound else 0.0


@kernel
def rule_bound(stepper: int) -> float:
    """Return the bound of z for :func:`needed_step` of a row."""
    return FOLLOWED if stepper == SPOOK else FOLLOWED_2007


@kernel
def lifting_pulls(b: int, gravity: Vector, table: Table) -> float:
    """Return the sum of the squares of what ropes pull against gravity on body b, times g^2."""
    total = 0.0
    for q in range(table.rows.body_entry_start[b], table.rows.body_entry_start[b + 1]):
        e = table.rows.body_entry[q]
        r = table.rows.entry_row[e]
        is_rope = table.rows.kind[r] == GAP and table.rows.one_sided[r]
        if is_rope and (table.work.active[r] or table.work.apart[r]):
            total += max(-dot(gravity, load(table.work.jacobian, e)), 0.0) ** 2
    return total


@kernel
def carried_weight(r: int, gravity: Vector, table: Table, bodies: Bodies) -> float:
    """Return the largest share of row r in the weight of one of its bodies [N]."""
    most = 0.0
    for e in range(table.rows.entry_start[r], table.rows.entry_start[r + 1]):
        b = table.rows.entry_body[e]
        pull = -dot(gravity, load(table.work.jacobian, e))
        if bodies.kind[b] == DYNAMIC and pull > 0.0:
            square = dot(gravity, gravity)
            lifting = max(lifting_pulls(b, gravity, table), square)
            most = max(most, square * pull / (lifting * bodies.inverse_mass[b]))
    return most


@kernel
def winch_response(
    c: int, r: int, impulse: float, lines: Lines, table: Table, bodies: Bodies
) -> tuple[float, float]:
    """Return by how much the winch of cable c has given way, and would without its drive [1/kg]."""
    w = lines.cables.winch[c]
    if w < 0:
        return 0.0, 0.0
    ratio = table.work.jacobian[table.rows.entry_start[r + 1] - 1, 0]
    change = lines.body_work.next_velocity[w, 0] - lines.body_work.trial_velocity[w, 0]
    return ratio * change / impulse, ratio * ratio * bodies.inverse_mass[w]


@kernel
def slipping_catch(
    h: float,
    stepper: int,
    carried: float,
    compliance: float,
    mobility: float,
    winch: tuple[float, float],
    speed: float,
) -> tuple[float, float]:
    """Return the mobility that swings [1/kg], 0 for none, and the step that slip needs [s].

    That step is 0 unless nothing swings and the rope has a floor of damping. ``winch`` is what
    :func:`winch_response` returns, ``mobility`` that of all.
    """
    gave, alone = winch
    rest = mobility - gave
    if gave <= 0.0 or rest <= 0.0:
        return rest, 0.0
    felt = SPOOK_DRIVE if stepper == SPOOK else 1.0
    damping = max(1.0 / gave - 1.0 / alone, 0.0) / (felt * h)
    slips = damping * damping * compliance
    if slips * alone < 4.0 or 4.0 * slips * rest > 1.0:
        return rest + alone / (1.0 + slips * alone * alone / (rest + alone)), 0.0
    step = max(FOLLOWED_SLIP / (damping * rest), sqrt(RESOLVED * compliance / (rest + alone)))
    return 0.0, step if h > step and damping * speed > carried else 0.0


@kernel
def calmed_bound(h: float, r: int, swing: float, table: Table) -> float:
    """Return the bound of z under SPOOK of a swing [1/s] on row r, which has a floor of damping."""
    compliance = table.work.compliance[r]
    own = table.work.damping_time[r]
    floor = effective_damping_time(h, compliance, own, table.rows.mobility[r]) - own
    if floor * swing <= 2.0 * FOLLOWED_CALMED:
        return FOLLOWED
    resolved = swing * sqrt(RESOLVED * compliance / table.rows.mobility[r])
    return min(max(resolved, FOLLOWED_CALMED), FOLLOWED)


@kernel
def row_catch(
    h: float, gravity: Vector, c: int, bodies: Bodies, lines: Lines, table: Table
) -> float:
    """Return the step that a catch by massless cable c needs [s], 0 for none."""
    impulse = table.state.impulse
    r = lines.cables.row[c]
    if (
        r < 0
        or impulse[r] <= 0.0
        or table.work.impulse_before[r] > 0.0
        or table.rows.kind[r] != GAP
    ):
        return 0.0
    rate = table.work.inner[r, 1]
    rate += row_rate(r, table.rows, table.work, lines.bodies.velocity)
    mobility = table.work.demand[r] / impulse[r] - table.work.softness[r]
    compliance = table.work.compliance[r]
    carried = carried_weight(r, gravity, table, bodies)
    winch = winch_response(c, r, impulse[r], lines, table, bodies)
    swings, slip = slipping_catch(h, table.stepper[0], carried, compliance, mobility, winch, -rate)
    bound = rule_bound(table.stepper[0])
    if table.stepper[0] == SPOOK and swings > 0.0 and compliance > 0.0:
        bound = calmed_bound(h, r, sqrt(swings / compliance), table)
    carried *= LIFTS
    return slip + needed_step(h, bound, carried, norm(gravity), compliance, swings, -rate)


@kernel
def keep_step(c: int, step: float, step_needed_out: Floats) -> bool:
    """Keep the step that a catch by cable c needs; return True if there was one."""
    if step > 0.0:
        step_needed_out[c] = step
    return step > 0.0


@kernel
def chain_catch(
    h: float, weight: float, r: int, ropes: Ropes, segment_impulse: Floats, rope_work: RopeWork
) -> float:
    """Return the step that a catch by chain r needs [s], 0 for none.

    ``segment_impulse`` (p,) is that of the step before.
    """
    begin = ropes.start[r]
    last = ropes.start[r + 1] - 2
    slack = False
    calmed = False
    compliance = 0.0
    for k in range(begin, last + 1):
        if rope_work.segment_impulse[k] <= 0.0:
            return 0.0
        slack |= segment_impulse[k] <= 0.0
        gives = ropes.compliance[r] * ropes.segment_rest_length[k]
        moves = rope_work.particle_mobility[k] + rope_work.particle_mobility[k + 1]
        calmed |= 2.0 * h * h * moves > RESOLVED * gives
        compliance += gives
    if not (slack and calmed):
        return 0.0
    speed = 0.0
    mobility = 0.0
    for e in range(2):
        k = last if e == 1 else begin
        if ropes.attached[r, e]:
            along = load(rope_work.segment_direction, k)
            before = load(rope_work.end_velocity[r], e)
            change = sub(load(rope_work.end_next_velocity[r], e), before)
            sign = 1.0 if e == 1 else -1.0
            speed += sign * dot(along, before)
            mobility -= sign * dot(along, change) / rope_work.segment_impulse[k]
    return needed_step(h, FOLLOWED_CHAIN, 0.0, weight, compliance, mobility, speed)


@kernel
def find_chain_catches(
    h: float,
    gravity: Vector,
    ropes: Ropes,
    segment_impulse: Floats,
    rope_work: RopeWork,
    step_needed_out: Floats,
) -> bool:
    """Find the catches of chains that the step does not follow; return True if any."""
    found = False
    for r in range(ropes.kinds[1], ropes.cable.size):
        step = chain_catch(h, norm(gravity), r, ropes, segment_impulse, rope_work)
        found |= keep_step(ropes.cable[r], step, step_needed_out)
    return found


@kernel
def find_catches(h: float, gravity: Vector, bodies: Bodies, table: Table, lines_out: Lines) -> bool:
    """Find the catches of massless cables that the step does not follow; return True if any.

    It runs before the bodies go on.
    """
    found = False
    for c in range(lines_out.cables.row.size):
        step = row_catch(h, gravity, c, bodies, lines_out, table)
        found |= keep_step(c, step, lines_out.cable_work.step_needed)
    return found
