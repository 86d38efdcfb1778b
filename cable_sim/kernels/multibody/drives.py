"""Drives: a row on the coordinate of a joint, winch or cable that holds a reference speed as far as
its effort goes.

    J v + xi F = u,         |F| <= F_max

with the coordinate's Jacobian J, slip xi, held speed u and largest effort F_max [N or N m]; a row
at its bound gives F_max and the speed gives way. Over a step it is the SPEED row of ``rows.py``,
with u at both ends of the step; where nothing ramps, a set-point jumps at its start. u follows the
reference w by the lag of the speed loop. The reference is a state, so that a set-point that jumps
does not; it goes along the ramps of ``ramps.py`` with |w| <= w_max.

    speed:     w -> w*
    position:  w -> what still stops at the target
    effort:    lambda = h F*, the row is a given force
    brake:     u = 0, F_max = what the closed brake holds

*Motor.* |F| <= s min(F_rated, P / |v|): s is the share that is left to it, P the power that field
weakening keeps constant, v the rate of the coordinate at the start of the step. The bound is the
same whether the motor drives or brakes. So a load F hangs in balance at v = P / F, and one that
runs down faster than that cannot be caught by its motor any more. A motor without power gives
nothing.

*Rise of the effort.* It changes by no more than Delta = F_rated h / t_rise a step, but where a
bound falls below it. A row that asked for all of a speed error at once would hunt about the load
then, so what it asks for is the S-ramp that the rise allows: the rate changes by h a, a+ =
landing(u - J v, h, c, h) with c = Delta J M^-1 J^T / h, and a by no more than c h. The mobility J
M^-1 J^T is that of the bodies alone; with more behind them the error swings out. With slip the aim
is u - xi L, the speed under the present load L = F - a / (J M^-1 J^T). It is approached as
exp(-t / tau), tau = xi / (J M^-1 J^T), so a+ = landing(u - xi L - J v, h, c, h + tau). The row asks
for the effort that goes with it, and is of first order.

*Brake.* It changes over when the command has been another for its delay. Until it has closed, the
motor holds a reference that ramps to zero, or, without power, nothing holds. Until it has opened,
it holds, the reference waits at zero, and a motor whose effort rises takes over the load. Closed,
it holds F_brake s_b / (1 + wear W), where s_b is the share that it is given and W = -sum lambda (J
v + J v+) / 2 [J] its work in slipping, exactly what the bodies have lost to it. Its fading when hot
is not modelled.

*Stalls.* A drive on a joint or cable may pull at what another joint or a lock holds. With a bound
for its effort its row has the trace of softness of a hard stop, sigma = HARD J M^-1 J^T, towards
the effort of the step before. So it gives all of its effort, and no pivot is lost by rounding, in
one heading and not in another. What it holds does not creep. A winch turns a body of its own.

On a cable the coordinate is the length S of its path, and the row is the velocity driver of Servin
& Lacoursiere 2007, eq. 9-10 with the scaling of eq. 13 corrected: dS/dt = w + xi T. Like a stretch
row it is written for the rope taken in, J = -dS/dv and impulse h T, so its target is -w and its
efforts have the other sign; it pulls only, unless the cable pushes. The cable fills in its entries
(``cables/massless/massless.py``).
"""

from math import isinf

from cable_sim.kernels.devices.ramps import (
    clip,
    follow_evenly,
    lag_left,
    landing_rate,
    ramp,
    ramp_to_position,
)
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.entries import row_rate, set_entry
from cable_sim.kernels.multibody.joints import fill_rate_row
from cable_sim.kernels.multibody.rows import HARD
from cable_sim.kernels.records.arrays import Floats
from cable_sim.kernels.records.bodies import BodyState, Moving
from cable_sim.kernels.records.drives import DriveControl, Drives, DriveState
from cable_sim.kernels.records.joints import Joints, JointState
from cable_sim.kernels.records.lines import Lines
from cable_sim.kernels.records.rows import Rows, RowWork, Table

INFINITE = float("inf")
BY_SPEED = 0
BY_POSITION = 1
BY_EFFORT = 2
"""Values of ``drive_mode``."""
ON_JOINT = 0
ON_WINCH = 1
ON_CABLE = 2
"""Values of ``drive_kind``."""
MAX_EFFORT, MAX_SPEED, FASTER, SLOWER, JERK, DAMPING_TIME, LAG, RISE_TIME, POWER = range(9)
"""Columns of ``drive_motor``; FASTER and SLOWER bound the acceleration away from zero speed and
towards it."""
HOLDS, CLOSE_DELAY, OPEN_DELAY, WEAR = range(4)
"""Columns of ``drive_brakes``."""
ACCELERATION, HELD, RATE, EFFORT, WAITED, WORK, EVEN = range(7)
"""Columns of ``drive_motion``: acceleration of the reference; the held speed; rate and effort of
the row in the last step; the time that a command has waited for the brake [s]; the brake's work
[J]; the rate to which an even slip would have led in the last step. The effort is infinite before
the first step, so that the motor has all that it needs, and so is the last: no load is known."""


@kernel
def drive_sign(kind: int) -> float:
    """Return the sign between a drive's speed and effort and those of its row."""
    return -1.0 if kind == ON_CABLE else 1.0


@kernel
def drive_position(drives: Drives, lines: Lines, d: int, joint_state: JointState) -> float:
    """Return the coordinate that drive d acts on [rad or m]."""
    if drives.kind[d] == ON_JOINT:
        return joint_state.position[drives.on[d]]
    return (
        lines.bodies.position[drives.on[d], 0]
        if drives.kind[d] == ON_WINCH
        else lines.node_work.remaining_path_length[lines.cables.node_start[drives.on[d]]]
    )


@kernel
def scaled_effort(effort: float, share: float) -> float:
    """Return a share of an effort that may be infinite."""
    return effort * share if share > 0.0 else 0.0


@kernel
def distance_lagged(h: float, lag: float, reference: float, held: float) -> float:
    """Return the distance that the coordinate runs on if the reference stops now [rad or m]."""
    left = lag_left(h, lag)
    last = h * left / (1.0 - left)
    return last * held + (lag - last) * reference


@kernel
def mobility_of(r: int, rows: Rows, moving: Moving, row_work: RowWork) -> float:
    """J M^-1 J^T of a drive's row [1/kg or 1/(kg m^2)]."""
    total = 0.0
    for e in range(rows.entry_start[r], rows.entry_start[r + 1]):
        b = rows.entry_body[e]
        entry = row_work.jacobian[e]
        for i in range(3):
            total += moving.inverse_mass[b] * entry[i] ** 2
            for k in range(3):
                total += entry[3 + i] * moving.world_inverse_inertia[b, i, k] * entry[3 + k]
    return total


@kernel
def update_brake(
    d: int,
    h: float,
    rate: float,
    pull: float,
    drives: Drives,
    drive_control: DriveControl,
    drive_state_out: DriveState,
) -> None:
    """Update the brake of drive d: its work in the last step, and its state in this one."""
    if drive_state_out.brake_closed[d]:
        drive_state_out.motion[d, WORK] += max(
            -0.5 * h * pull * (rate + drive_state_out.motion[d, RATE]), 0.0
        )
    if drive_control.brake[d] == drive_state_out.brake_closed[d]:
        drive_state_out.motion[d, WAITED] = 0.0
        return
    delay = drives.brakes[d, CLOSE_DELAY if drive_control.brake[d] else OPEN_DELAY]
    if drive_state_out.motion[d, WAITED] + 0.5 * h > delay:
        drive_state_out.brake_closed[d] = drive_control.brake[d]
        drive_state_out.motion[d, WAITED] = 0.0
    else:
        drive_state_out.motion[d, WAITED] += h


@kernel
def follows_command(d: int, drive_control: DriveControl, drive_state: DriveState) -> bool:
    """Return True if the reference of drive d has a speed or a position to go to."""
    if drive_state.brake_closed[d] or not drive_control.powered[d]:
        return False
    return drive_control.mode[d] != BY_EFFORT


@kernel
def update_reference(
    d: int,
    h: float,
    position: float,
    drives: Drives,
    drive_control: DriveControl,
    drive_state_out: DriveState,
) -> None:
    """Update the reference and the held speed of drive d to the end of the step."""
    if not follows_command(d, drive_control, drive_state_out):
        drive_state_out.reference[d] = 0.0
        drive_state_out.motion[d, ACCELERATION] = 0.0
        drive_state_out.motion[d, HELD] = 0.0
        return
    speed = drive_state_out.reference[d]
    acceleration = drive_state_out.motion[d, ACCELERATION]
    held = drive_state_out.motion[d, HELD]
    fastest = drives.motor[d, MAX_SPEED]
    faster = drives.motor[d, FASTER]
    slower = drives.motor[d, SLOWER]
    jerk = drives.motor[d, JERK]
    time_constant = max(drives.motor[d, DAMPING_TIME], h)
    wanted = 0.0 if drive_control.brake[d] else drive_control.target[d]
    to_position = drive_control.mode[d] == BY_POSITION and not drive_control.brake[d]
    if to_position:
        wanted -= position + distance_lagged(h, drives.motor[d, LAG], speed, held)
    if to_position and not isinf(jerk):
        speed, acceleration = ramp_to_position(
            h, speed, acceleration, wanted, fastest, faster, slower, jerk, time_constant
        )
    else:
        if to_position:
            wanted = landing_rate(wanted, h, slower, time_constant)
        speed, acceleration = ramp(
            h, speed, acceleration, clip(wanted, fastest), faster, slower, jerk
        )
    drive_state_out.motion[d, HELD] = follow_evenly(
        h, drives.motor[d, LAG], drive_state_out.reference[d], speed, held
    )
    drive_state_out.reference[d] = speed
    drive_state_out.motion[d, ACCELERATION] = acceleration


@kernel
def held_speeds(
    d: int,
    h: float,
    position: float,
    drives: Drives,
    drive_control: DriveControl,
    drive_state_out: DriveState,
) -> tuple[float, float]:
    """Update the reference of drive d; return the speeds of its row at the ends of the step."""
    sign = drive_sign(drives.kind[d])
    before = sign * drive_state_out.motion[d, HELD]
    update_reference(d, h, position, drives, drive_control, drive_state_out)
    speed = sign * drive_state_out.motion[d, HELD]
    return speed if drives.jumps[d] else before, speed


@kernel
def effort_window(
    d: int,
    change: float,
    pull: float,
    was_closed: bool,
    drive_control: DriveControl,
    drive_state_out: DriveState,
) -> tuple[float, float]:
    """Return the least and largest effort that drive d's motor can reach by ``change``.

    They are in the sense of its row.
    """
    before = drive_state_out.motion[d, EFFORT]
    drive_state_out.motion[d, EFFORT] = pull
    if not drive_control.powered[d] or (drive_control.brake[d] and drive_state_out.brake_closed[d]):
        drive_state_out.motion[d, EFFORT] = 0.0
    elif isinf(before):
        return -before, before
    elif was_closed:
        drive_state_out.motion[d, EFFORT] = before + clip(pull - before, change)
    return drive_state_out.motion[d, EFFORT] - change, drive_state_out.motion[d, EFFORT] + change


@kernel
def limit_jerk(
    h: float,
    rate: float,
    last_rate: float,
    wanted: float,
    jerk: float,
    mobility: float,
    slip: float,
    pull: float,
) -> tuple[float, float]:
    """Return the speed to ask for at the start and end of a step, if the effort takes time to rise.

    The acceleration then changes by at most ``jerk`` a second. ``pull`` is the last effort.
    """
    last = (rate - last_rate) / h
    load = pull - last / mobility
    acceleration = landing_rate(wanted - slip * load - rate, h, jerk, h + slip / mobility)
    acceleration = min(max(acceleration, last - jerk * h), last + jerk * h)
    lost = slip * (load + acceleration / mobility)
    return rate + lost, rate + h * acceleration + lost


@kernel
def slip_under_load(
    h: float,
    d: int,
    rate: float,
    slip: float,
    mobility: float,
    pull: float,
    drive_state: DriveState,
) -> float:
    """Return the slip of drive d under the load that was behind its row in the last step [m/s].

    It is infinite before there was one.
    """
    even = drive_state.motion[d, EVEN]
    if isinf(even):
        return INFINITE
    return slip * (pull - (rate - even) / (h * mobility))


@kernel
def motor_limit(d: int, rate: float, share: float, drive_motor: Floats) -> float:
    """Largest effort of drive d's motor at a rate of its coordinate."""
    limit = drive_motor[d, MAX_EFFORT]
    if rate != 0.0:
        limit = min(limit, drive_motor[d, POWER] / abs(rate))
    return scaled_effort(limit, share)


@kernel
def effort_bounds(
    d: int,
    rate: float,
    least: float,
    most: float,
    drives: Drives,
    drive_control: DriveControl,
    drive_state: DriveState,
) -> tuple[float, float]:
    """Return the least and largest effort of drive d in its row's sense.

    They are those of the closed brake, or of its motor in a window.
    """
    if drive_state.brake_closed[d]:
        worn = 1.0 + drives.brakes[d, WEAR] * drive_state.motion[d, WORK]
        limit = scaled_effort(drives.brakes[d, HOLDS], drive_control.brake_share[d]) / worn
        return -limit, limit
    if not drive_control.powered[d]:
        return 0.0, 0.0
    limit = motor_limit(d, rate, drive_control.effort_share[d], drives.motor)
    least = clip(least, limit)
    most = clip(most, limit)
    if drive_control.mode[d] == BY_EFFORT:
        least = most = min(max(drive_sign(drives.kind[d]) * drive_control.target[d], least), most)
    return least, most


@kernel
def stall_trace(d: int, least: float, most: float, drives: Drives, rows: Rows) -> float:
    """Return the trace of softness of drive d, if it may stall at what a joint holds."""
    may_stall = drives.kind[d] != ON_WINCH and max(-least, most) < INFINITE
    return HARD * rows.mobility[drives.row[d]] if may_stall else 0.0


@kernel
def update_drives(
    h: float,
    drives: Drives,
    lines: Lines,
    joint_state: JointState,
    drive_control: DriveControl,
    table_out: Table,
    drive_state_out: DriveState,
) -> None:
    """Update brakes, references and efforts of all drives, and their rows.

    A row gets speed, slip and bounds.
    """
    rows = table_out.rows
    row_work_out = table_out.work
    for d in range(drives.on.size):
        r = drives.row[d]
        was_closed = drive_state_out.brake_closed[d]
        pull = table_out.state.impulse[drives.row[d]] / h
        rate = row_rate(r, rows, row_work_out, lines.bodies.velocity)
        position = drive_position(drives, lines, d, joint_state)
        update_brake(d, h, rate, pull, drives, drive_control, drive_state_out)
        early, speed = held_speeds(d, h, position, drives, drive_control, drive_state_out)
        least = -INFINITE
        most = INFINITE
        if drives.motor[d, RISE_TIME] > 0.0:
            change = h * drives.motor[d, MAX_EFFORT] / drives.motor[d, RISE_TIME]
            last_rate = (
                rate
                if isinf(drive_state_out.motion[d, EFFORT])
                else drive_state_out.motion[d, RATE]
            )
            least, most = effort_window(d, change, pull, was_closed, drive_control, drive_state_out)
            mobility = mobility_of(r, rows, lines.bodies, row_work_out)
            jerk = mobility * change / h
            if jerk > 0.0 and not drive_state_out.brake_closed[d]:
                early, speed = limit_jerk(
                    h, rate, last_rate, speed, jerk, mobility, drive_control.slip[d], pull
                )
        drive_state_out.motion[d, RATE] = rate
        least, most = effort_bounds(d, rate, least, most, drives, drive_control, drive_state_out)
        slip = drive_control.slip[d]
        row_work_out.closing[r] = slip_under_load(
            h, d, rate, slip, rows.mobility[r], pull, drive_state_out
        )
        trace = stall_trace(d, least, most, drives, rows)
        row_work_out.inner[r, 0] += trace
        drive_state_out.motion[d, EVEN] = rate + speed - early
        row_work_out.inner[r, 1] -= early
        row_work_out.target[r] = speed + trace * table_out.state.impulse[r]
        row_work_out.compliance[r] = slip
        row_work_out.lower[r] = max(rows.lower[r], h * least)
        row_work_out.upper[r] = h * most


@kernel
def fill_rows(
    h: float,
    drives: Drives,
    joints: Joints,
    joint_state: JointState,
    body_state: BodyState,
    table_out: Table,
) -> None:
    """Fill the entries of the rows of all drives except those on cables."""
    for d in range(drives.on.size):
        r = drives.row[d]
        if drives.kind[d] == ON_JOINT:
            fill_rate_row(h, r, drives.on[d], joints, joint_state, body_state, table_out)
        elif drives.kind[d] == ON_WINCH:
            set_entry(
                (1.0, 0.0, 0.0),
                (0.0, 0.0, 0.0),
                table_out.rows.entry_start[r],
                table_out.work.jacobian,
            )
