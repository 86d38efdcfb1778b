"""Contact of two boxes, on bodies or in the world, with dry friction.

Every pair has ``POINTS`` slots of three rows, as in ``contact.py``: the normal row, one-sided with
lambda >= 0, and two friction rows along tangents, bounded by mu lambda. With p the touching point,
n from A to B, and r the arms of p from the centres of mass of the bodies that carry the boxes,

    g of boxes.py,    J_B = (n, r_B x n),    J_A = -(n, r_A x n);
    the same with t1, t2 for n in the friction rows.

Both bodies are pushed at the same point along the same line, so linear and angular momentum are
conserved whatever the impulses are. A body that bears on four corners sinks in by m g / (4 k).
Energy falls, as ``stabilised_row`` does not let a contact bounce.

A point has rows if it touches, or would within the step at one metre per second of further
approach, as with surfaces: what falls is caught at the gap that closes in the step, and not a step
later. Pairs whose bounding spheres are farther apart than that take no part.
"""

from cable_sim.kernels.bodies import point_velocity
from cable_sim.kernels.boxes import POINTS, choose_points, contact_axis, contact_points, place_boxes
from cable_sim.kernels.contact import friction_tangents
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.rows import set_point_entries
from cable_sim.kernels.vec3 import axpy, dot, load, norm, scale, store, sub


@kernel
def point_at(polygon, n, frame):
    """A point of a frame in the world [m]."""
    origin, along, across, normal = frame
    return axpy(
        polygon[n, 0], along, axpy(polygon[n, 1], across, axpy(polygon[n, 2], normal, origin))
    )


@kernel
def contact_arms(point, body_a, body_b, body_position):
    """Arms of a point from two bodies' centres of mass [m]."""
    return sub(point, load(body_position, body_a)), sub(point, load(body_position, body_b))


@kernel
def contact_velocity(arm_a, arm_b, body_a, body_b, body_velocity):
    """Velocity of a point of B as seen from A [m/s]."""
    return sub(
        point_velocity(body_velocity, body_b, arm_b), point_velocity(body_velocity, body_a, arm_a)
    )


@kernel
def find_contact_axis(h, a, b, boxes, box_work, body_state):
    """Return the number of the axis along which two boxes meet, -1 if they can't within the step.

    The boxes may move in any direction.
    """
    body_a = boxes.body[a]
    body_b = boxes.body[b]
    size_a = norm(load(boxes.half, a))
    size_b = norm(load(boxes.half, b))
    centre_a = load(box_work.centre, a)
    centre_b = load(box_work.centre, b)
    arm_a = sub(centre_a, load(body_state.position, body_a))
    arm_b = sub(centre_b, load(body_state.position, body_b))
    velocity = contact_velocity(arm_a, arm_b, body_a, body_b, body_state.velocity)
    spin_a = norm(load(body_state.velocity[:, 3:], body_a))
    spin_b = norm(load(body_state.velocity[:, 3:], body_b))
    margin = h * (1.0 + norm(velocity) + (size_a * spin_a + size_b * spin_b))
    if norm(sub(centre_b, centre_a)) > size_a + size_b + margin:
        return -1
    return contact_axis(margin, velocity, a, b, boxes.half, box_work.centre, box_work.axes)


@kernel
def collect_near_points(h, count, sign, frame, body_a, body_b, body_state, polygon, near_out):
    """Collect the points that touch or may touch within the step; return their number."""
    near = 0
    normal = scale(sign, frame[3])
    for n in range(count):
        arm_a, arm_b = contact_arms(
            point_at(polygon, n, frame), body_a, body_b, body_state.position
        )
        rate = dot(contact_velocity(arm_a, arm_b, body_a, body_b, body_state.velocity), normal)
        if polygon[n, 2] + h * rate <= h:
            store(load(polygon, n), near, near_out)
            near += 1
    return near


@kernel
def fill_point_rows(
    n, normal, frame, body_a, body_b, friction, r, rows, body_state, polygon, row_work_out
):
    """Fill the three rows from r on of the touching point n of a polygon."""
    arm_a, arm_b = contact_arms(point_at(polygon, n, frame), body_a, body_b, body_state.position)
    velocity = contact_velocity(arm_a, arm_b, body_a, body_b, body_state.velocity)
    t1, t2 = friction_tangents(normal, frame[1], velocity)
    row_work_out.gap[r] = polygon[n, 2]
    for i in range(3):
        axis = normal if i == 0 else (t1 if i == 1 else t2)
        row_work_out.active[r + i] = True
        first = rows.entry_start[r + i]
        set_point_entries(axis, arm_a, arm_b, first, body_a, body_b, row_work_out.jacobian)
        if i > 0:
            row_work_out.limit_factor[rows.limit_start[r + i]] = friction


@kernel
def fill_rows(h, boxes, pairs, rows, body_state, row_work_out, box_work_out):
    """Fill the rows of every pair of boxes; the last four arguments are scratch."""
    place_boxes(boxes, body_state, box_work_out)
    centre = box_work_out.centre
    axes = box_work_out.axes
    polygon = box_work_out.polygon
    for p in range(pairs.row.size):
        a = pairs.box[p, 0]
        b = pairs.box[p, 1]
        first = pairs.row[p]
        row_work_out.active[first : first + 3 * POINTS] = False
        k = find_contact_axis(h, a, b, boxes, box_work_out, body_state)
        if k < 0:
            continue
        count, sign, frame = contact_points(k, a, b, boxes.half, centre, axes, polygon)
        body_a = boxes.body[a]
        body_b = boxes.body[b]
        count = collect_near_points(
            h, count, sign, frame, body_a, body_b, body_state, polygon[0], polygon[1]
        )
        choose_points(count, polygon[1], box_work_out.chosen)
        normal = scale(sign, frame[3])
        for slot in range(POINTS):
            n = box_work_out.chosen[slot]
            r = first + 3 * slot
            if n >= 0:
                fill_point_rows(
                    n,
                    normal,
                    frame,
                    body_a,
                    body_b,
                    pairs.friction[p],
                    r,
                    rows,
                    body_state,
                    polygon[1],
                    row_work_out,
                )
