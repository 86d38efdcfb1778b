"""Contact of boxes and spheres with plane surfaces, with dry friction.

A body touches a surface with points: the eight corners of a box, the centre of a sphere with its radius. For a
point p at radius rho and the plane through s with outward normal n

    g = n . (p - s) - rho,       J = (n, (r - rho n) x n) = (n, r x n),

r the arm of p. The normal row is one-sided with lambda >= 0, compliance 1/k and damping time gamma, always in
the damped (regularised) rule, so that an impact does not bounce.

Friction is two rows along tangents t1, t2 at the touching point c = p - rho n with target speed zero and bounds
|lambda_t| <= mu lambda_n: Coulomb's law. A body that slides has t1 along its sliding velocity, where the bound of
the box and of the cone agree; a body that sticks feels the box, which holds up to mu lambda_n along t1 and t2 and
up to sqrt(2) mu lambda_n between them. What keeps sticking points solvable is ``SLIP`` in ``envelope.py``.

A finite surface counts while the point stands over its rectangle and no deeper than its thickness. Only the top
counts: nothing stops a body that comes from the side. Boxes that touch on all sides: ``box_contact.py``.
"""

from cable_sim.kernels.bodies import point_velocity, world_point
from cable_sim.kernels.jit import inner
from cable_sim.kernels.rows import set_entry
from cable_sim.kernels.vec3 import axpy, cross, dot, load, norm, scale, sub

SLIDING_SPEED = 1e-4
"""Above this the first tangent follows the sliding velocity [m/s]."""


@inner
def over(offset, tangent, across, half_length, half_width):
    """Whether a point at ``offset`` from a rectangle's centre stands over it."""
    return abs(dot(offset, tangent)) <= half_length and abs(dot(offset, across)) <= half_width


@inner
def tangents(normal, fixed_tangent, velocity):
    """Two tangents: along the sliding velocity if there is one, else along the surface's own."""
    sliding = axpy(-dot(velocity, normal), normal, velocity)
    speed = norm(sliding)
    first = scale(1.0 / speed, sliding) if speed > SLIDING_SPEED else fixed_tangent
    return first, cross(normal, first)


@inner
def rows(
    h,
    # Model
    contact_body, contact_point, contact_radius, contact_surface, contact_row,
    surface_point, surface_axes, surface_extent, surface_thickness, surface_friction, row_entry_start,
    row_limit_start,
    # State
    body_position, body_orientation, body_velocity,
    # Out
    row_active_out, row_gap_out, row_limit_factor_out, entry_jacobian_out,
):  # fmt: skip
    """The normal and the two friction rows of every pair of a point and a surface that may touch."""
    for c in range(contact_body.size):
        b, s, r = contact_body[c], contact_surface[c], contact_row[c]
        row_active_out[r] = row_active_out[r + 1] = row_active_out[r + 2] = False
        normal = load(surface_axes[s], 2)
        centre, arm = world_point(body_position, body_orientation, b, load(contact_point, c))
        offset = sub(centre, load(surface_point, s))
        gap = dot(normal, offset) - contact_radius[c]
        velocity = point_velocity(body_velocity, b, arm)
        if gap + h * dot(velocity, normal) > h or gap < -surface_thickness[s]:
            continue  # farther than one metre per second of further approach could close
        own_tangent = load(surface_axes[s], 0)
        if not over(offset, own_tangent, load(surface_axes[s], 1), surface_extent[s, 0], surface_extent[s, 1]):
            continue
        arm = axpy(-contact_radius[c], normal, arm)
        first, second = tangents(normal, own_tangent, point_velocity(body_velocity, b, arm))
        row_gap_out[r] = gap
        for k in range(3):
            axis = normal if k == 0 else (first if k == 1 else second)
            row_active_out[r + k] = True
            set_entry(axis, cross(arm, axis), row_entry_start[r + k], entry_jacobian_out)
            if k > 0:
                row_limit_factor_out[row_limit_start[r + k]] = surface_friction[s]
