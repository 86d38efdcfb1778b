"""Drives: a row on the coordinate of a joint, winch or cable that holds a reference speed as far as its effort goes.

    J v+ + (xi / h) lambda = u,         |lambda| <= h F_max

with the coordinate's Jacobian J, slip xi, held speed u and largest effort F_max [N or N m]; a row at its bound
gives F_max and the speed gives way. u follows the reference w by the lag of the speed loop. The reference is a state,
so that a set-point that jumps does not; it goes along the ramps of ``ramps.py`` with |w| <= w_max.

    speed:     w -> w*
    position:  w -> what still stops at the target
    effort:    lambda = h F*, the row is a given force
    brake:     u = 0, F_max = what the closed brake holds

*Motor.* |F| <= s min(F_rated, P / |v|): s is the share that is left to it, P the power that field weakening keeps
constant, v the rate of the coordinate at the start of the step. The bound is the same whether the motor drives or
brakes. So a load F hangs in balance at v = P / F, and one that runs down faster than that cannot be caught by its
motor any more. A motor without power gives nothing.

*Rise of the effort.* It changes by no more than Delta = F_rated h / t_rise a step, but where a bound falls below it. A
row that asked for all of a speed error at once would hunt about the load then, so what it asks for is the S-ramp that
the rise allows: the rate changes by h a, a+ = landing(u - J v, h, c, h) with c = Delta J M^-1 J^T / h, and a by no more
than c h. The mobility J M^-1 J^T is that of the bodies alone; with more behind them the error swings out.

*Brake.* It changes over when the command has been another for its delay. Until it has closed, the motor holds a
reference that ramps to zero, or, without power, nothing holds. Until it has opened, it holds, the reference waits at
zero, and a motor whose effort rises takes over the load. Closed, it holds F_brake s_b / (1 + wear W), where s_b is the
share that it is given and W = -sum lambda (J v + J v+) / 2 [J] its work in slipping, exactly what the bodies have lost
to it. Its fading when hot is not modelled.

On a cable the coordinate is the length S of its path, and the row is the velocity driver of Servin & Lacoursiere 2007,
eq. 9-10 with the scaling of eq. 13 corrected: dS/dt = w + xi T. Like a stretch row it is written for the rope taken in,
J = -dS/dv and impulse h T, so its target is -w and its efforts have the other sign; it pulls only, unless the cable
pushes. The cable fills in its entries (``cables/massless.py``).
"""

from math import isinf

from cable_sim.kernels.jit import inner, kernel
from cable_sim.kernels.joints import coordinate_entries
from cable_sim.kernels.ramps import clip, lag_left, landing, ramp, ramp_to_position
from cable_sim.kernels.rows import row_rate, set_entry

INFINITE = float("inf")
BY_SPEED, BY_POSITION, BY_EFFORT = 0, 1, 2
"""Values of ``drive_mode``."""
ON_JOINT, ON_WINCH, ON_CABLE = 0, 1, 2
"""Values of ``drive_kind``."""
MAX_EFFORT, MAX_SPEED, FASTER, SLOWER, JERK, DAMPING_TIME, LAG, RISE_TIME, POWER = range(9)
"""Columns of ``drive_motor``; FASTER and SLOWER bound the acceleration away from zero speed and towards it."""
HOLDS, CLOSE_DELAY, OPEN_DELAY, WEAR = range(4)
"""Columns of ``drive_brakes``."""
ACCELERATION, HELD, RATE, EFFORT, WAITED, WORK = range(6)
"""Columns of ``drive_motion``: of the reference; the held speed; rate and effort of the row in the last step, an
infinite effort before the first one, where the motor has all that it needs; how long a command has waited for the
brake [s]; and the brake's work [J]."""


@inner
def sense(kind):
    """Sign between a drive's speed and effort and those of its row."""
    return -1.0 if kind == ON_CABLE else 1.0


@kernel
def drive_position(drive_kind, drive_on, cable_node_start, d, joint_position, body_position, node_beyond):
    """Coordinate that drive d acts on [rad or m]."""
    if drive_kind[d] == ON_JOINT:
        return joint_position[drive_on[d]]
    return body_position[drive_on[d], 0] if drive_kind[d] == ON_WINCH else node_beyond[cable_node_start[drive_on[d]]]


@inner
def share_of(effort, share):
    """A share of an effort that may be infinite."""
    return effort * share if share > 0.0 else 0.0


@kernel
def distance_lagged(h, lag, held):
    """What the coordinate still runs on by if the reference stops now [rad or m]."""
    left = lag_left(h, lag)
    return held * h * left / (1.0 - left)


@inner
def mobility_of(r, row_entry_start, entry_body, body_inverse_mass, world_inverse_inertia, entry_jacobian):
    """J M^-1 J^T of a drive's row [1/kg or 1/(kg m^2)]."""
    total = 0.0
    for e in range(row_entry_start[r], row_entry_start[r + 1]):
        b = entry_body[e]
        for i in range(3):
            total += body_inverse_mass[b] * entry_jacobian[e, i] ** 2
            for k in range(3):
                total += entry_jacobian[e, 3 + i] * world_inverse_inertia[b, i, k] * entry_jacobian[e, 3 + k]
    return total


@inner
def grip(
    d, h, rate, pull,
    # Model
    drive_brakes,
    # State
    drive_brake,
    # Out
    drive_motion_out, drive_brake_closed_out,
):  # fmt: skip
    """The brake of drive d: its work in the last step, and whether it is closed in this one."""
    if drive_brake_closed_out[d]:
        drive_motion_out[d, WORK] += max(-0.5 * h * pull * (rate + drive_motion_out[d, RATE]), 0.0)
    if drive_brake[d] == drive_brake_closed_out[d]:
        drive_motion_out[d, WAITED] = 0.0
        return
    delay = drive_brakes[d, CLOSE_DELAY if drive_brake[d] else OPEN_DELAY]
    if drive_motion_out[d, WAITED] + 0.5 * h > delay:
        drive_brake_closed_out[d], drive_motion_out[d, WAITED] = drive_brake[d], 0.0
    else:
        drive_motion_out[d, WAITED] += h


@inner
def follow(
    d, h, position,
    # Model
    drive_motor,
    # State
    drive_mode, drive_target, drive_brake, drive_brake_closed, drive_powered,
    # Out
    drive_reference_out, drive_motion_out,
):  # fmt: skip
    """Reference and held speed of drive d at the end of the step."""
    if drive_brake_closed[d] or not drive_powered[d] or drive_mode[d] == BY_EFFORT:
        drive_reference_out[d] = drive_motion_out[d, ACCELERATION] = drive_motion_out[d, HELD] = 0.0
        return
    speed, acceleration, held = drive_reference_out[d], drive_motion_out[d, ACCELERATION], drive_motion_out[d, HELD]
    fastest, slower, jerk = drive_motor[d, MAX_SPEED], drive_motor[d, SLOWER], drive_motor[d, JERK]
    time_constant = max(drive_motor[d, DAMPING_TIME], h)
    wanted = 0.0 if drive_brake[d] else drive_target[d]
    to_position = drive_mode[d] == BY_POSITION and not drive_brake[d]
    if to_position:
        wanted -= position + distance_lagged(h, drive_motor[d, LAG], held)
    if to_position and not isinf(jerk):
        speed, acceleration = ramp_to_position(
            h, speed, acceleration, wanted, fastest, drive_motor[d, FASTER], slower, jerk, time_constant
        )
    else:
        if to_position:
            wanted = landing(wanted, h, slower, time_constant)
        speed, acceleration = ramp(h, speed, acceleration, clip(wanted, fastest), drive_motor[d, FASTER], slower, jerk)
    drive_reference_out[d], drive_motion_out[d, ACCELERATION] = speed, acceleration
    drive_motion_out[d, HELD] = speed - lag_left(h, drive_motor[d, LAG]) * (speed - held)


@inner
def window(
    d, change, pull, was_closed,
    # State
    drive_brake, drive_brake_closed, drive_powered,
    # Out
    drive_motion_out,
):  # fmt: skip
    """Least and largest effort of drive d's motor that it can get to by ``change``, in its row's sense."""
    before = drive_motion_out[d, EFFORT]
    drive_motion_out[d, EFFORT] = pull
    if not drive_powered[d] or (drive_brake[d] and drive_brake_closed[d]):
        drive_motion_out[d, EFFORT] = 0.0
    elif isinf(before):
        return -before, before
    elif was_closed:
        drive_motion_out[d, EFFORT] = before + clip(pull - before, change)
    return drive_motion_out[d, EFFORT] - change, drive_motion_out[d, EFFORT] + change


@inner
def risen(h, rate, last_rate, wanted, jerk):
    """Rate to ask for, of a motor whose effort lets the coordinate's acceleration change by ``jerk`` a second."""
    last = (rate - last_rate) / h
    return rate + h * min(max(landing(wanted - rate, h, jerk, h), last - jerk * h), last + jerk * h)


@inner
def motor_limit(d, rate, share, drive_motor):
    """Largest effort of drive d's motor at a rate of its coordinate."""
    limit = drive_motor[d, MAX_EFFORT]
    if rate != 0.0:
        limit = min(limit, drive_motor[d, POWER] / abs(rate))
    return share_of(limit, share)


@inner
def bounds(
    d, rate, least, most,
    # Model
    drive_kind, drive_motor, drive_brakes,
    # State
    drive_mode, drive_target, drive_brake_closed, drive_powered, drive_effort_share, drive_brake_share, drive_motion,
):  # fmt: skip
    """Least and largest effort of drive d in its row's sense: of the closed brake, or of its motor in a window."""
    if drive_brake_closed[d]:
        worn = 1.0 + drive_brakes[d, WEAR] * drive_motion[d, WORK]
        limit = share_of(drive_brakes[d, HOLDS], drive_brake_share[d]) / worn
        return -limit, limit
    if not drive_powered[d]:
        return 0.0, 0.0
    limit = motor_limit(d, rate, drive_effort_share[d], drive_motor)
    least, most = clip(least, limit), clip(most, limit)
    if drive_mode[d] == BY_EFFORT:
        least = most = min(max(sense(drive_kind[d]) * drive_target[d], least), most)
    return least, most


@inner
def conduct(
    h,
    # Model
    drive_kind, drive_on, drive_motor, drive_brakes, drive_row, cable_node_start, row_entry_start, entry_body,
    row_lower, body_inverse_mass,
    # State
    world_inverse_inertia, joint_position, body_position, body_velocity, node_beyond, entry_jacobian, row_impulse,
    drive_mode, drive_target, drive_brake, drive_powered, drive_effort_share, drive_brake_share, drive_slip,
    # Out
    drive_reference_out, drive_motion_out, drive_brake_closed_out, row_target_out, row_compliance_out, row_lower_out,
    row_upper_out,
):  # fmt: skip
    """Brakes, references and efforts of all drives a step on, and with them speed, slip and bounds of their rows."""
    for d in range(drive_on.size):
        r, was_closed, pull = drive_row[d], drive_brake_closed_out[d], row_impulse[drive_row[d]] / h
        rate = row_rate(r, row_entry_start, entry_body, body_velocity, entry_jacobian)
        position = drive_position(drive_kind, drive_on, cable_node_start, d, joint_position, body_position, node_beyond)
        grip(d, h, rate, pull, drive_brakes, drive_brake, drive_motion_out, drive_brake_closed_out)
        follow(
            d, h, position, drive_motor, drive_mode, drive_target, drive_brake, drive_brake_closed_out, drive_powered,
            drive_reference_out, drive_motion_out,
        )  # fmt: skip
        speed, least, most = sense(drive_kind[d]) * drive_motion_out[d, HELD], -INFINITE, INFINITE
        if drive_motor[d, RISE_TIME] > 0.0:
            change = h * drive_motor[d, MAX_EFFORT] / drive_motor[d, RISE_TIME]
            last_rate = rate if isinf(drive_motion_out[d, EFFORT]) else drive_motion_out[d, RATE]
            least, most = window(
                d, change, pull, was_closed, drive_brake, drive_brake_closed_out, drive_powered, drive_motion_out
            )
            jerk = mobility_of(r, row_entry_start, entry_body, body_inverse_mass, world_inverse_inertia, entry_jacobian)
            jerk *= change / h
            if jerk > 0.0 and not drive_brake_closed_out[d]:
                speed = risen(h, rate, last_rate, speed, jerk)
        drive_motion_out[d, RATE] = rate
        least, most = bounds(
            d, rate, least, most, drive_kind, drive_motor, drive_brakes, drive_mode, drive_target,
            drive_brake_closed_out, drive_powered, drive_effort_share, drive_brake_share, drive_motion_out,
        )  # fmt: skip
        row_target_out[r], row_compliance_out[r] = speed, drive_slip[d]
        row_lower_out[r], row_upper_out[r] = max(row_lower[r], h * least), h * most


@kernel
def rows(
    # Model
    drive_kind, drive_on, drive_row, joint_kind, joint_body, row_entry_start,
    # State
    joint_point, joint_axes, body_position, body_orientation,
    # Out
    entry_jacobian_out,
):  # fmt: skip
    """Entries of the rows of all drives but those on cables."""
    for d in range(drive_on.size):
        start = row_entry_start[drive_row[d]]
        if drive_kind[d] == ON_JOINT:
            coordinate_entries(
                joint_kind, joint_body, joint_point, joint_axes, drive_on[d], 1.0, start, body_position,
                body_orientation, entry_jacobian_out,
            )  # fmt: skip
        elif drive_kind[d] == ON_WINCH:
            set_entry((1.0, 0.0, 0.0), (0.0, 0.0, 0.0), start, entry_jacobian_out)
