"""Contact of boxes and spheres with plane surfaces, with dry friction.

A body touches a surface with points: the eight corners of a box, the centre of a sphere with its
radius. For a point p at radius rho and the plane through s with outward normal n

    g = n . (p - s) - rho,       J = (n, (r - rho n) x n) = (n, r x n),

r the arm of p. The normal row is one-sided with lambda >= 0, compliance 1/k and damping time gamma,
always in the damped (regularised) rule, so that an impact does not bounce.

Friction is two rows along tangents t1, t2 at the touching point c = p - rho n with target speed
zero and bounds |lambda_t| <= mu lambda_n: Coulomb's law. A body that slides has t1 along its
sliding velocity, where the bound of the box and of the cone agree; a body that sticks feels the
box, which holds up to mu lambda_n along t1 and t2 and up to sqrt(2) mu lambda_n between them. What
keeps sticking points solvable is ``SLIP`` in ``envelope.py``.

A finite surface counts while the point stands over its rectangle and no deeper than its thickness.
Only the top counts: a point that is more than RIM deep, pressed nothing in the last step and was
below the top before it has come in from the side, and is left alone. A box meets a finite surface
on all sides, as a box of that thickness (``collision/pool.py``).
"""

from math import isinf

from cable_sim.kernels.bodies import point_velocity, world_point
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.rows import set_entry
from cable_sim.kernels.vec3 import axpy, cross, dot, load, norm, scale, sub

RIM = 0.01
"""Depth up to which a point that comes in from the side is lifted on a finite surface [m]."""
SLIDING_SPEED = 1e-4
"""Sliding speed above which the first tangent follows the sliding velocity [m/s]."""


@kernel
def is_above(offset, tangent, across, half_length, half_width):
    """Return True if a point at ``offset`` from a rectangle's centre stands over it."""
    return abs(dot(offset, tangent)) <= half_length and abs(dot(offset, across)) <= half_width


@kernel
def friction_tangents(normal, fixed_tangent, velocity):
    """Return two tangents: along the sliding velocity if any, else along the surface's own."""
    sliding = axpy(-dot(velocity, normal), normal, velocity)
    speed = norm(sliding)
    first = scale(1.0 / speed, sliding) if speed > SLIDING_SPEED else fixed_tangent
    return first, cross(normal, first)


@kernel
def came_from_side(h, gap, rate, thickness, impulse):
    """Return True if a point in a finite surface has not come through its top.

    ``rate`` is that of the gap, ``impulse`` the last one of the normal row.
    """
    return not isinf(thickness) and gap < -RIM and impulse == 0.0 and gap - h * rate < 0.0


@kernel
def fill_rows(h, contacts, surfaces, rows, body_state, row_state, row_work_out):
    """Fill the normal and two friction rows of every pair of point and surface that may touch."""
    for c in range(contacts.body.size):
        b = contacts.body[c]
        s = contacts.surface[c]
        r = contacts.row[c]
        row_work_out.active[r] = row_work_out.active[r + 1] = row_work_out.active[r + 2] = False
        normal = load(surfaces.axes[s], 2)
        centre, arm = world_point(
            body_state.position, body_state.orientation, b, load(contacts.point, c)
        )
        offset = sub(centre, load(surfaces.point, s))
        gap = dot(normal, offset) - contacts.radius[c]
        velocity = point_velocity(body_state.velocity, b, arm)
        rate = dot(velocity, normal)
        if gap + h * rate > h or gap < -surfaces.thickness[s]:
            continue  # farther than one metre per second of further approach could close
        if came_from_side(h, gap, rate, surfaces.thickness[s], row_state.impulse[r]):
            continue
        own_tangent = load(surfaces.axes[s], 0)
        if not is_above(
            offset,
            own_tangent,
            load(surfaces.axes[s], 1),
            surfaces.extent[s, 0],
            surfaces.extent[s, 1],
        ):
            continue
        arm = axpy(-contacts.radius[c], normal, arm)
        first, second = friction_tangents(
            normal, own_tangent, point_velocity(body_state.velocity, b, arm)
        )
        row_work_out.gap[r] = gap
        for k in range(3):
            axis = normal if k == 0 else (first if k == 1 else second)
            row_work_out.active[r + k] = True
            set_entry(axis, cross(arm, axis), rows.entry_start[r + k], row_work_out.jacobian)
            if k > 0:
                row_work_out.limit_factor[rows.limit_start[r + k]] = surfaces.friction[s]
