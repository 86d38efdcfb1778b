"""Impacts with restitution: the speeds at which contacts leave each other.

A contact that approaches at u_r = -J_r v above its threshold speed, and closes within the step,
leaves at e_r u_r or faster (Newton). Of all that meet at once, that is the problem

    v' = v + M^-1 J^T lambda,    lambda_r >= 0,    J_r v' >= e_r u_r,    one of them equal,

and no energy comes of it: 2 dT = sum lambda_r J_r (v + v') = -sum lambda_r (1 - e_r) u_r <= 0. It
is solved by one row after the other, until all have their speeds. A contact that touches but does
not approach takes no part. If the solution has it approach, as of a ball that touches the one that
is hit, that is another impact, behind the first one: so impacts come in *waves*, each of which
obeys the law, until none is left. Joints and ropes take no part in this.

Each contact has J_r v' >= J_r of the last velocities then, as far as it was hit. With one wave the
rows of the step bring that about themselves, with friction. With more they begin from what the
waves have made of the velocities.
"""

from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.bodies import copy_velocities, push_body, velocity_between
from cable_sim.kernels.multibody.vec3 import Vector, dot, load, scale, sub
from cable_sim.kernels.records.arrays import Floats
from cable_sim.kernels.records.bodies import Moving
from cable_sim.kernels.records.collision import Pool, PoolWork

WAVES = 200
ROUNDS = 100
"""Most waves of a step, and most rounds of a wave."""
SOLVED = 1e-12
"""Change of a speed over the largest in a wave at which it is solved."""


@kernel
def relative_velocity(c: int, position: Floats, velocity: Floats, work: PoolWork) -> Vector:
    """Return the velocity of A's point of contact c as seen from B's [m/s]."""
    a, b = work.body[c, 0], work.body[c, 1]
    return velocity_between(a, b, load(work.point, c), position, velocity)


@kernel
def parting(c: int, position: Floats, velocity: Floats, work: PoolWork) -> float:
    """Return J v of contact c [m/s]."""
    return dot(load(work.normal, c), relative_velocity(c, position, velocity, work))


@kernel
def push_apart(
    c: int, impulse: float, bodies: Moving, work: PoolWork, velocity_out: Floats
) -> None:
    """Change velocities by an impulse of a contact along its normal [N s]."""
    for side in range(2):
        b = work.body[c, side]
        if bodies.inverse_mass[b] > 0.0:
            sign = impulse if side == 0 else -impulse
            push_body(
                b,
                sub(load(work.point, c), load(bodies.position, b)),
                scale(sign, load(work.normal, c)),
                bodies,
                velocity_out,
            )


@kernel
def begin_wave(
    h: float,
    count: int,
    pool: Pool,
    bodies: Moving,
    restitution: int,
    threshold: int,
    work_out: PoolWork,
) -> float:
    """Set the aims of all contacts that hit; return the largest approach [m/s]."""
    most = 0.0
    for c in range(count):
        work_out.push[c] = 0.0
        work_out.aim[c] = 0.0
        rate = parting(c, bodies.position, work_out.velocity, work_out)
        material = pool.material[work_out.material[c]]
        closes = work_out.gap[c] + h * rate <= 0.0
        if material[restitution] > 0.0 and closes and rate < -material[threshold]:
            work_out.aim[c] = -material[restitution] * rate
            work_out.hit[c] = True
            most = max(most, -rate)
    return most


@kernel
def solve_wave(count: int, most: float, bodies: Moving, work_out: PoolWork) -> None:
    """Change the velocities so that all contacts of a wave have their aims."""
    for _ in range(ROUNDS):
        change = 0.0
        for c in range(count):
            if work_out.aim[c] == 0.0:
                continue
            short = work_out.aim[c] - parting(c, bodies.position, work_out.velocity, work_out)
            push = max(work_out.push[c] + short / work_out.mobility[c], 0.0)
            change = max(change, abs(push - work_out.push[c]) * work_out.mobility[c])
            push_apart(c, push - work_out.push[c], bodies, work_out, work_out.velocity)
            work_out.push[c] = push
        if change <= SOLVED * most:
            break


@kernel
def find_aims(
    h: float, count: int, pool: Pool, bodies: Moving, columns: tuple[int, int], work_out: PoolWork
) -> int:
    """Write the speeds at which contacts leave each other to ``aim``; return the waves it took.

    ``columns`` are those of restitution and threshold among the materials. The velocities after
    the impacts are in ``velocity``.
    """
    copy_velocities(bodies.velocity, work_out.velocity)
    for c in range(count):
        work_out.hit[c] = False
    waves = 0
    for _ in range(WAVES):
        most = begin_wave(h, count, pool, bodies, columns[0], columns[1], work_out)
        if most == 0.0:
            break
        solve_wave(count, most, bodies, work_out)
        waves += 1
    for c in range(count):
        rate = parting(c, bodies.position, work_out.velocity, work_out)
        work_out.aim[c] = max(rate, 0.0) if work_out.hit[c] else 0.0
    return waves


@kernel
def take_over(bodies: Moving, work: PoolWork, velocity_out: Floats) -> None:
    """Add what impacts have changed of the velocities."""
    for b in range(bodies.velocity.shape[0]):
        if bodies.inverse_mass[b] > 0.0:
            for i in range(6):
                velocity_out[b, i] += work.velocity[b, i] - bodies.velocity[b, i]
