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

A catch matters where the peak without weight, v sqrt(m / eps), is more than MATTERS times F, and
where the mass has not got its speed in a few steps, v > SHAKES g h. 1 / m is what the impulse
lambda of the rope has changed of the rate of the rope, J v, over lambda: whatever else holds the
load, or catches it as well. Ropes that do not stretch have no such peak, and are not watched.
"""

from math import sqrt

from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.rows import GAP, RESOLVED, SPOOK, row_rate
from cable_sim.kernels.multibody.vec3 import dot, load, norm, sub

MATTERS = 3.0
MATTERS_IN_ROPE = 1.0
"""Peak without weight over the weight that makes it matter: of a rope without mass, on which a
light hook block dances as its load is picked up, and of a rope with mass."""
SHAKES = 3.0
"""Steps of free fall after which a rope may get taut again without a catch."""
FOLLOWED = 0.37
"""z up to which a peak is sampled within 3.4 %: 17 steps a period."""
FOLLOWED_2007 = 0.03
FOLLOWED_CHAIN = 0.05
"""z up to which the rule of 2007 and a chain lose less than 3 % of a peak."""


@kernel
def needed_step(h, bound, matters, weight, compliance, mobility, speed):
    """Return the step that would follow a catch [s]; 0 if ``h`` does, or it does not matter.

    ``bound`` is the largest z that is followed, ``matters`` as above. ``weight`` is the
    acceleration of gravity [m/s^2], ``mobility`` 1 / m [1/kg], ``speed`` that at which the rope
    gets longer [m/s].
    """
    if compliance <= 0.0 or mobility <= 0.0:
        return 0.0
    swing = sqrt(mobility / compliance)
    if speed <= weight * max(matters / swing, SHAKES * h):
        return 0.0
    return bound / swing if h * swing > bound else 0.0


@kernel
def rule_bound(stepper):
    """Return the bound of z for :func:`needed_step` of a row."""
    return FOLLOWED if stepper == SPOOK else FOLLOWED_2007


@kernel
def row_catch(h, stepper, weight, r, rows, velocity, row_impulse, row_work):
    """Return the step that a catch by row r of a massless cable needs [s], 0 for none.

    ``velocity`` is that of the bodies before the step.
    """
    if r < 0 or row_impulse[r] <= 0.0 or row_work.impulse_before[r] > 0.0 or rows.kind[r] != GAP:
        return 0.0
    rate = row_work.inner[r, 1]
    rate += row_rate(r, rows.entry_start, rows.entry_body, velocity, row_work.jacobian)
    mobility = row_work.demand[r] / row_impulse[r] - row_work.softness[r]
    compliance = row_work.compliance[r]
    return needed_step(h, rule_bound(stepper), MATTERS, weight, compliance, mobility, -rate)


@kernel
def keep_step(c, step, step_needed_out):
    """Keep the step that a catch by cable c needs; return True if there was one."""
    if step > 0.0:
        step_needed_out[c] = step
    return step > 0.0


@kernel
def chain_catch(h, weight, r, ropes, segment_impulse, rope_work):
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
    bound = FOLLOWED_CHAIN
    return needed_step(h, bound, MATTERS_IN_ROPE, weight, compliance, mobility, speed)


@kernel
def find_chain_catches(h, gravity, ropes, segment_impulse, rope_work, step_needed_out):
    """Find the catches of chains that the step does not follow; return True if any."""
    found = False
    for r in range(ropes.kinds[1], ropes.cable.size):
        step = chain_catch(h, norm(gravity), r, ropes, segment_impulse, rope_work)
        found |= keep_step(ropes.cable[r], step, step_needed_out)
    return found


@kernel
def find_catches(
    h, stepper, gravity, cables, rows, velocity, row_impulse, row_work, step_needed_out
):
    """Find the catches of massless cables that the step does not follow; return True if any.

    The velocities are those before the step.
    """
    found = False
    for c in range(cables.row.size):
        step = row_catch(
            h, stepper, norm(gravity), cables.row[c], rows, velocity, row_impulse, row_work
        )
        found |= keep_step(c, step, step_needed_out)
    return found
