"""Ropes on a plane: a soft ground or a hard one, with Coulomb's friction.

A plane is a point s and a unit normal n; the zero vector for n says that there is none. A mass at x
is z = n . (x - s) above it, and v_n = n . v is its speed upwards.

*Soft* (for springs): while z < 0 the plane presses with

    N = max(0, -k_g z + b_a max(0, -v_n))          k_g in N/m, b_a in N s/m,

so that going in costs energy and coming out does not: with b_a = 2 sqrt(m k_g) a mass leaves,
without weight, with 1/e of the speed it came with. At rest it is m g / k_g deep.

*Hard* (for chains): after everything else has given the mass the velocity v, it gets the least
upward change so that

    z + h v_n >= 0    where z >= 0,
    v_n >= -z / (R h)    where z < 0, with R = ``RECOVERY_STEPS``.

So what comes from above ends the step on the plane, not in it, and what is below rises within about
R steps. The change times the mass is the normal impulse.

*Friction* follows the normal impulse J = N h: the velocity along the plane, v_t, becomes

    v_t max(0, 1 - mu J / (m |v_t|)),

which is Coulomb's law in the velocities at the end of the step: a mass that would stop within the
step stops, to the last bit, and one on which less than mu N pulls along the plane never starts. It
is a cone, not a box, and slows without turning. A sliding mass under N = m g loses mu g h each step
exactly; so from the speed u it slides u^2 / (2 mu g) up to the part h mu g / u.

Both change momentum by the plane's impulse only. The hard one never raises a mass's kinetic energy,
except that a mass below it is lifted with up to m (z / (R h))^2 / 2. It acts on masses one by one,
after the chain was solved, so it breaks the lengths of the segments by the change of their ends,
which the chain repairs in the next steps: a rope that is dragged over the ground feels its friction
one step late, and one that rests on it is still until the repair, about (4 / 9) g / (2 h) a mass
and step, is more than mu g_acc h: lengths stay wrong by up to 4.5 mu g_acc h^2 (6 mm at 1/60 s and
mu = 0.5, 0.02 mm at 1 ms).
"""

from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.vec3 import Vector, axpy, dot, norm, sub

RECOVERY_STEPS = 4.0
"""Number of steps in which a mass below a hard plane would rise to it at its first speed."""


@kernel
def has_plane(normal: Vector) -> bool:
    """Return True if there is a plane."""
    return normal[0] != 0.0 or normal[1] != 0.0 or normal[2] != 0.0


@kernel
def height(position: Vector, point: Vector, normal: Vector) -> float:
    """Return the height of a mass above the plane [m]."""
    return dot(normal, sub(position, point))


@kernel
def plane_force(repulsion: float, absorption: float, above: float, upward: float) -> float:
    """Force of a soft plane [N] on a mass at the height ``above`` [m] that rises with ``upward``
    [m/s]."""
    if above >= 0.0:
        return 0.0
    return max(0.0, -repulsion * above + absorption * max(0.0, -upward))


@kernel
def reduce_sliding(velocity: Vector, normal: Vector, loss: float) -> Vector:
    """Return a velocity with its part along the plane less by ``loss`` [m/s], zero at least."""
    upward = dot(normal, velocity)
    sliding = axpy(-upward, normal, velocity)
    speed = norm(sliding)
    keep = max(0.0, 1.0 - loss / speed) if speed > 0.0 else 0.0
    return (
        keep * sliding[0] + upward * normal[0],
        keep * sliding[1] + upward * normal[1],
        keep * sliding[2] + upward * normal[2],
    )


@kernel
def least_speed(h: float, above: float) -> float:
    """Least speed upwards [m/s] that a hard plane allows a mass at the height ``above`` [m]."""
    return -above / h if above >= 0.0 else -above / (RECOVERY_STEPS * h)


@kernel
def apply_hard_plane(
    h: float, friction: float, normal: Vector, above: float, velocity: Vector
) -> Vector:
    """Velocity of a mass after a hard plane has acted on it [m/s]."""
    change = least_speed(h, above) - dot(normal, velocity)
    if change <= 0.0:
        return velocity
    return reduce_sliding(axpy(change, normal, velocity), normal, friction * change)
