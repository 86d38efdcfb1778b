"""Contact of two boxes, on bodies or in the world, with dry friction.

Every pair has ``POINTS`` slots of three rows, as in ``contact.py``: the normal row, one-sided with lambda >= 0, and two
friction rows along tangents, bounded by mu lambda. With p the touching point, n from A to B, and r the arms of p from
the centres of mass of the bodies that carry the boxes,

    g of boxes.py,     J_B = (n, r_B x n),     J_A = -(n, r_A x n);     the same with t1, t2 for n in the friction rows.

Both bodies are pushed at the same point along the same line, so linear and angular momentum are conserved whatever the
impulses are. A body that bears on four corners sinks in by m g / (4 k). Energy falls, as ``stabilised_row`` does not
let a contact bounce.

A point has rows if it touches, or would within the step at one metre per second of further approach, as with surfaces:
what falls is caught at the gap that closes in the step, and not a step later. Pairs whose bounding spheres are farther
apart than that take no part.
"""

from cable_sim.kernels.bodies import point_velocity
from cable_sim.kernels.boxes import POINTS, choose, meeting_axis, meeting_points, place
from cable_sim.kernels.contact import tangents
from cable_sim.kernels.jit import inner
from cable_sim.kernels.rows import set_both
from cable_sim.kernels.vec3 import axpy, dot, load, norm, scale, store, sub


@inner
def point_at(polygon, n, frame):
    """A point of a frame in the world [m]."""
    origin, along, across, normal = frame
    return axpy(polygon[n, 0], along, axpy(polygon[n, 1], across, axpy(polygon[n, 2], normal, origin)))


@inner
def arms(point, body_a, body_b, body_position):
    """Arms of a point from two bodies' centres of mass [m]."""
    return sub(point, load(body_position, body_a)), sub(point, load(body_position, body_b))


@inner
def approach(arm_a, arm_b, body_a, body_b, body_velocity):
    """Velocity of a point of B as seen from A [m/s]."""
    return sub(point_velocity(body_velocity, body_b, arm_b), point_velocity(body_velocity, body_a, arm_a))


@inner
def soon_meeting(h, a, b, box_body, box_half, box_centre, box_axes, body_position, body_velocity):
    """Number of the axis along which two boxes meet, -1 if they can't within the step, whichever way they move."""
    size_a, size_b, body_a, body_b = norm(load(box_half, a)), norm(load(box_half, b)), box_body[a], box_body[b]
    arm_a = sub(load(box_centre, a), load(body_position, body_a))
    arm_b = sub(load(box_centre, b), load(body_position, body_b))
    velocity = approach(arm_a, arm_b, body_a, body_b, body_velocity)
    turning = size_a * norm(load(body_velocity[:, 3:], body_a)) + size_b * norm(load(body_velocity[:, 3:], body_b))
    margin = h * (1.0 + norm(velocity) + turning)
    if norm(sub(load(box_centre, b), load(box_centre, a))) > size_a + size_b + margin:
        return -1
    return meeting_axis(margin, velocity, a, b, box_half, box_centre, box_axes)


@inner
def near_points(h, count, sign, frame, body_a, body_b, body_position, body_velocity, polygon, near_out):
    """The points that touch or may within the step; returns how many."""
    near, normal = 0, scale(sign, frame[3])
    for n in range(count):
        arm_a, arm_b = arms(point_at(polygon, n, frame), body_a, body_b, body_position)
        rate = dot(approach(arm_a, arm_b, body_a, body_b, body_velocity), normal)
        if polygon[n, 2] + h * rate <= h:
            store(load(polygon, n), near, near_out)
            near += 1
    return near


@inner
def box_rows(
    h,
    # Model
    box_body, box_frame, box_half, pair_box, pair_row, pair_friction, row_entry_start, row_limit_start,
    # State
    body_position, body_orientation, body_velocity,
    # Out
    row_active_out, row_gap_out, row_limit_factor_out, entry_jacobian_out, centre_out, axes_out, polygon_out,
    chosen_out,
):  # fmt: skip
    """The rows of every pair of boxes; the last four are scratch."""
    place(box_body, box_frame, body_position, body_orientation, centre_out, axes_out)
    for p in range(pair_row.size):
        a, b, first = pair_box[p, 0], pair_box[p, 1], pair_row[p]
        row_active_out[first : first + 3 * POINTS] = False
        k = soon_meeting(h, a, b, box_body, box_half, centre_out, axes_out, body_position, body_velocity)
        if k < 0:
            continue
        count, sign, frame = meeting_points(k, a, b, box_half, centre_out, axes_out, polygon_out)
        body_a, body_b = box_body[a], box_body[b]
        count = near_points(
            h, count, sign, frame, body_a, body_b, body_position, body_velocity, polygon_out[0], polygon_out[1]
        )
        choose(count, polygon_out[1], chosen_out)
        normal = scale(sign, frame[3])
        for slot in range(POINTS):
            n, r = chosen_out[slot], first + 3 * slot
            if n < 0:
                continue
            arm_a, arm_b = arms(point_at(polygon_out[1], n, frame), body_a, body_b, body_position)
            t1, t2 = tangents(normal, frame[1], approach(arm_a, arm_b, body_a, body_b, body_velocity))
            row_gap_out[r] = polygon_out[1, n, 2]
            for i in range(3):
                axis = normal if i == 0 else (t1 if i == 1 else t2)
                row_active_out[r + i] = True
                set_both(axis, arm_a, arm_b, row_entry_start[r + i], body_a, body_b, entry_jacobian_out)
                if i > 0:
                    row_limit_factor_out[row_limit_start[r + i]] = pair_friction[p]
