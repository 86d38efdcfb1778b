"""Drives: a row on the coordinate of a joint, winch or cable that holds a reference speed as far as its effort goes.

    J v+ + (xi / h) lambda = w,         |lambda| <= h F_max

with the coordinate's Jacobian J, slip xi, reference speed w and largest effort F_max [N or N m]; a row at its bound
gives F_max and the speed gives way. The reference is a state, so that a set-point that jumps does not:

    speed:     w -> w* at no more than the largest acceleration a
    position:  w* = sign(e) min(sqrt(2 a |e|), |e| / max(tau, h)), e the distance left: a ramp that ends there
    effort:    lambda = h F*, the row is a given force
    brake:     w = 0, F_max = what the brake holds

all with |w| <= w_max.

On a cable the coordinate is the length S of its path, and the row is the velocity driver of Servin & Lacoursiere 2007,
eq. 9-10 with the scaling of eq. 13 corrected: dS/dt = w + xi T. Like a stretch row it is written for the rope taken in,
J = -dS/dv and impulse h T, so its target is -w and its efforts have the other sign; it pulls only, unless the cable
pushes. The cable fills in its entries (``cables/massless.py``).
"""

from math import copysign, isinf, sqrt

from cable_sim.kernels.jit import inner, kernel
from cable_sim.kernels.joints import coordinate_entries
from cable_sim.kernels.rows import set_entry

BY_SPEED, BY_POSITION, BY_EFFORT = 0, 1, 2
"""Values of ``drive_mode``."""
ON_JOINT, ON_WINCH, ON_CABLE = 0, 1, 2
"""Values of ``drive_kind``."""


@inner
def sense(kind):
    """Sign between a drive's speed and effort and those of its row."""
    return -1.0 if kind == ON_CABLE else 1.0


@inner
def towards(reference, wanted, change):
    """The reference moved towards ``wanted`` by no more than ``change``."""
    if isinf(change):
        return wanted
    return min(max(wanted, reference - change), reference + change)


@inner
def approach_speed(distance, acceleration, time_constant):
    """Speed towards a target at ``distance`` from which a ramp of ``acceleration`` can stop there."""
    speed = abs(distance) / time_constant
    if not isinf(acceleration):
        speed = min(speed, sqrt(2.0 * acceleration * abs(distance)))
    return copysign(speed, distance)


@kernel
def drive_position(drive_kind, drive_on, cable_node_start, d, joint_position, body_position, node_beyond):
    """Coordinate that drive d acts on [rad or m]."""
    if drive_kind[d] == ON_JOINT:
        return joint_position[drive_on[d]]
    return body_position[drive_on[d], 0] if drive_kind[d] == ON_WINCH else node_beyond[cable_node_start[drive_on[d]]]


@inner
def references(
    h,
    # Model
    drive_kind, drive_on, drive_max_speed, drive_max_acceleration, drive_damping_time, cable_node_start,
    # State
    joint_position, body_position, node_beyond, drive_mode, drive_target, drive_brake,
    # Out
    drive_reference_out,
):  # fmt: skip
    """Reference speeds of all drives at the end of the step."""
    for d in range(drive_on.size):
        if drive_brake[d] or drive_mode[d] == BY_EFFORT:
            drive_reference_out[d] = 0.0
            continue
        wanted = drive_target[d]
        if drive_mode[d] == BY_POSITION:
            wanted = drive_target[d] - drive_position(
                drive_kind, drive_on, cable_node_start, d, joint_position, body_position, node_beyond
            )
            wanted = approach_speed(wanted, drive_max_acceleration[d], max(drive_damping_time[d], h))
        wanted = min(max(wanted, -drive_max_speed[d]), drive_max_speed[d])
        drive_reference_out[d] = towards(drive_reference_out[d], wanted, h * drive_max_acceleration[d])


@kernel
def rows(
    h,
    # Model
    drive_kind, drive_on, drive_max_effort, drive_brake_effort, drive_row,
    joint_kind, joint_body, row_entry_start, row_lower,
    # State
    joint_point, joint_axes, body_position, body_orientation, drive_mode, drive_target, drive_brake, drive_slip,
    drive_reference,
    # Out
    row_target_out, row_compliance_out, row_lower_out, row_upper_out, entry_jacobian_out,
):  # fmt: skip
    """Entries, speed, slip and bounds of all drives' rows."""
    for d in range(drive_on.size):
        r, sign = drive_row[d], sense(drive_kind[d])
        if drive_kind[d] == ON_JOINT:
            coordinate_entries(
                joint_kind, joint_body, joint_point, joint_axes, drive_on[d], 1.0, row_entry_start[r],
                body_position, body_orientation, entry_jacobian_out,
            )  # fmt: skip
        elif drive_kind[d] == ON_WINCH:
            set_entry((1.0, 0.0, 0.0), (0.0, 0.0, 0.0), row_entry_start[r], entry_jacobian_out)
        row_target_out[r], row_compliance_out[r] = sign * drive_reference[d], drive_slip[d]
        limit = h * (drive_brake_effort[d] if drive_brake[d] else drive_max_effort[d])
        row_lower_out[r], row_upper_out[r] = max(row_lower[r], -limit), limit
        if drive_mode[d] == BY_EFFORT and not drive_brake[d]:
            effort = min(max(sign * h * drive_target[d], row_lower_out[r]), limit)
            row_lower_out[r], row_upper_out[r] = effort, effort
