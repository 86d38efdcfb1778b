"""Joints: fixed, hinge, prismatic and ball as rows on the velocities of a parent and a child.

Each side carries the joint's frame: point r (arm from the centre of mass, in the world) and axes
t1, t2, a with a along the joint's axis. Three formulas make every row; d = p_child - p_parent, w
angular velocities:

*Point row* along the parent's axis t:    g = t . d,
    dg/dt = t . (v_c + w_c x r_c - v_p - w_p x r_p) + (w_p x t) . d
    J_child = (t, r_c x t),               J_parent = (-t, -(r_p + d) x t).

*Angle row* between the parent's axis u and the child's axis s:    g = u . s,
    dg/dt = (w_p - w_c) . (u x s)
    J_child = (0, -u x s),                J_parent = (0, u x s);
    g = 0 is a right angle, g ~ angle near it.

*Turn row* about the parent's axis u. The child has turned by the angle theta about the unit vector
n, which takes the parent's axes p_k to the child's c_k. The vector

    s = (1/2) sum_k p_k x c_k = sin(theta) n,       g = u . s,
    dg/dt = (w_c - w_p) . ((sum_k p_k . c_k) u - sum_k (u . c_k) p_k) / 2
    J_child = (0, the vector above),      J_parent = (0, its negative).

No axis has a part of its own in s. So rows of equal compliance resist every turn alike, however
the axes lie; products of single axes would do so to first order only.

    ball       point rows along t1, t2, a
    hinge      point rows along t1, t2, a; angle rows t1.a, t2.a
    prismatic  point rows along t1, t2;    turn rows about t1, t2, a
    fixed      point rows along t1, t2, a; turn rows about t1, t2, a

The *coordinate* of a hinge is the angle of the child's t1 seen from the parent, atan2(t1_c . t2_p,
t1_c . t1_p), with its turns counted; rate a . (w_c - w_p). That of a prismatic joint is a . d, a
point row. Both are measured from the pose at the start, plus the offset given in the spec. While
its parent turns, the rate of a slide changes with its axis. Over a step the coordinate goes

    h (J v+ + (h / 2) dJ/dt v),      dJ/dt v = a . (w_c x (w_c x r_c) - w_p x (w_p x (r_p + d))),

with v along the axis. A drive's row asks for that. On a jib that slews with W a trolley at R that
is held would creep outward by R W^2 h / 2 without it.

Four rows may stand on the coordinate q:

    end stop   one-sided, g = q - lower or upper - q; with a compliance it is a buffer that begins
               there, else hard; at the nearer end, or at the other where a step of the free
               velocities would go past that
    spring     two-sided, g = q - rest, compliance 1 / k and damping time c / k: force
               -k (q - rest) - c dq/dt
    damper     a SPEED row with xi = 1 / c: -c dq/dt; of a ball joint three, about all axes
    dry        a SPEED row with |lambda| <= h F_c: Coulomb's friction, which holds up to F_c at rest
               and gives it against dq/dt in motion

Where dry friction sticks it may repeat a drive or lock that stands. So it is as soft as a hard
stop, sigma = HARD J M^-1 J^T: it creeps at a HARD-th of the speed that its load gives in a step.

*Turns*: the bodies turn within a step, and rows see the pose at its start. A body that turns by
theta a step about a joint at its arm's end has its gap wrong by r theta^2 / 2, and while it turns
ever faster its energy of motion by up to 2 theta^2 of itself. Beyond TURN that is an eighth, and
the status tells: TURNED_FAR.

A slide with a *rail* runs along several bodies: ``rails.py``.

Frames are part of the state: a joint that is locked takes its child as it stands, and an open one
has no rows.
"""

from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.entries import point_row, row_rate, set_entry
from cable_sim.kernels.multibody.rails import (
    is_rail,
    joint_point,
    rail_acceleration,
    rail_at,
    rail_coordinate,
    set_rail_row,
)
from cable_sim.kernels.multibody.rotation import (
    angle_row,
    hinge_angle,
    load_quaternion,
    nearest_turn,
    rotate,
    turn_row,
    turn_vector,
)
from cable_sim.kernels.multibody.rows import HARD
from cable_sim.kernels.multibody.vec3 import ZERO, Vector, add, cross, dot, load, norm, scale, sub
from cable_sim.kernels.records.arrays import Floats
from cable_sim.kernels.records.bodies import BodyState, Moving
from cable_sim.kernels.records.joints import Joints, JointState
from cable_sim.kernels.records.lines import Lines
from cable_sim.kernels.records.rows import RowWork, Table
from cable_sim.kernels.status import LOST_PIVOT, SOLVED, TURNED_FAR

FIXED = 0
HINGE = 1
PRISMATIC = 2
BALL = 3
"""Values of ``joint_kind``."""
TURN = 0.25
"""Largest turn in a step of a body on a joint before TURNED_FAR is set [rad]."""
TURNING = 1e-7
"""Angular velocity below which a slide counts as not turning [rad/s]: at 50 m and 1 ms it creeps by
less than 1e-8 m a year."""
SHORTEST_ARM = 1e-6
"""Arm below which a joint counts as at the centre [m]."""
POINT_ROWS = (3, 3, 2, 3)
ANGLE_ROWS = (3, 2, 3, 0)
"""Rows of each kind, by its value."""
GIVES = 1e-4
"""Overrun of a hard stop in a step [m or rad] that only a contradicting rigid row can cause."""


@kernel
def joint_axis(
    j: int,
    side: int,
    k: int,
    joints: Joints,
    joint_state: JointState,
    body_state: BodyState | Moving,
) -> Vector:
    """Axis k of joint j on its parent (side 0) or child (side 1), in the world."""
    axes = joint_state.axes  # a view of a part of it would cost time
    local = (axes[j, side, k, 0], axes[j, side, k, 1], axes[j, side, k, 2])
    return rotate(load_quaternion(body_state.orientation, joints.body[j, side]), local)


@kernel
def joint_points(
    j: int, joints: Joints, joint_state: JointState, body_state: BodyState | Moving
) -> tuple[Vector, Vector, Vector]:
    """d = p_child - p_parent, the child's arm and the parent's arm of joint j, in the world [m]."""
    parent_point, parent_arm = joint_point(j, 0, joints, joint_state, body_state)
    child_point, child_arm = joint_point(j, 1, joints, joint_state, body_state)
    return sub(child_point, parent_point), child_arm, parent_arm


@kernel
def set_entry_pair(
    linear: Vector,
    child_angular: Vector,
    parent_angular: Vector,
    e: int,
    parent: int,
    entry_jacobian_out: Floats,
) -> None:
    """Write the entries of a row on a child and, unless it is the world, on a parent."""
    set_entry(linear, child_angular, e, entry_jacobian_out)
    if parent > 0:
        set_entry(scale(-1.0, linear), parent_angular, e + 1, entry_jacobian_out)


@kernel
def set_rail_rate_row(
    j: int,
    sign: float,
    e: int,
    joints: Joints,
    joint_state: JointState,
    body_state: Moving | BodyState,
    row_work_out: RowWork,
) -> None:
    """Write the entries of a row whose rate is ``sign`` times that of a rail's coordinate."""
    rail = rail_at(j, joints, joint_state, body_state)
    set_rail_row(j, e, ZERO, sign, ZERO, ZERO, rail, joints, row_work_out)


@kernel
def coordinate_entries(
    joints: Joints,
    joint_state: JointState,
    j: int,
    sign: float,
    e: int,
    body_state: Moving | BodyState,
    row_work_out: RowWork,
) -> None:
    """Entries of a row whose rate is ``sign`` times that of joint j's coordinate."""
    if is_rail(j, joints):
        set_rail_rate_row(j, sign, e, joints, joint_state, body_state, row_work_out)
        return
    parent = joints.body[j, 0]
    axis = scale(sign, joint_axis(j, 0, 2, joints, joint_state, body_state))
    if joints.kind[j] == HINGE:
        set_entry_pair(ZERO, axis, scale(-1.0, axis), e, parent, row_work_out.jacobian)
    else:
        separation, child_arm, parent_arm = joint_points(j, joints, joint_state, body_state)
        _, child_angular, parent_angular = point_row(axis, separation, child_arm, parent_arm)
        set_entry_pair(axis, child_angular, parent_angular, e, parent, row_work_out.jacobian)


@kernel
def slide_acceleration(
    j: int, joints: Joints, joint_state: JointState, body_state: BodyState
) -> float:
    """Return dJ/dt v of the coordinate of joint j [m/s^2].

    That of a hinge is zero: its axis turns about itself.
    """
    parent = joints.body[j, 0]
    child_spin = load(body_state.velocity[:, 3:], joints.body[j, 1])
    parent_spin = load(body_state.velocity[:, 3:], parent)
    slow = dot(child_spin, child_spin) + dot(parent_spin, parent_spin) < TURNING * TURNING
    if joints.kind[j] != PRISMATIC or slow:
        return 0.0
    if is_rail(j, joints):
        return rail_acceleration(j, joints, joint_state, body_state)
    axis = joint_axis(j, 0, 2, joints, joint_state, body_state)
    separation, child_arm, parent_arm = joint_points(j, joints, joint_state, body_state)
    outward = cross(child_spin, cross(child_spin, child_arm))
    carried = cross(parent_spin, cross(parent_spin, add(parent_arm, separation)))
    return dot(axis, sub(outward, carried))


@kernel
def fill_rate_row(
    h: float,
    r: int,
    j: int,
    joints: Joints,
    joint_state: JointState,
    body_state: BodyState,
    table_out: Table,
) -> None:
    """Fill the entries of row r on the rate of joint j's coordinate.

    The rates are of the time of the velocities, half a step before the pose and half a step behind.
    """
    coordinate_entries(
        joints, joint_state, j, 1.0, table_out.rows.entry_start[r], body_state, table_out.work
    )
    turn = 0.5 * h * slide_acceleration(j, joints, joint_state, body_state)
    table_out.work.inner[r, 1] -= turn
    table_out.work.inner[r, 2] += turn


@kernel
def coordinate(j: int, joints: Joints, body_state: BodyState, joint_state: JointState) -> float:
    """Return the coordinate of joint j [rad or m].

    The last coordinate settles the number of turns of a hinge.
    """
    if is_rail(j, joints):
        return rail_coordinate(j, joints, joint_state, body_state)
    if joints.kind[j] == PRISMATIC:
        separation, _, _ = joint_points(j, joints, joint_state, body_state)
        return joint_state.offset[j] + dot(
            joint_axis(j, 0, 2, joints, joint_state, body_state), separation
        )
    if joints.kind[j] != HINGE:
        return 0.0
    angle = hinge_angle(
        joint_axis(j, 0, 0, joints, joint_state, body_state),
        joint_axis(j, 0, 1, joints, joint_state, body_state),
        joint_axis(j, 1, 0, joints, joint_state, body_state),
    )
    return nearest_turn(angle + joint_state.offset[j], joint_state.position[j])


@kernel
def update_coordinates(joints: Joints, body_state: BodyState, joint_state_out: JointState) -> None:
    """Compute the coordinates of all joints [rad or m] at the present pose."""
    for j in range(joints.kind.size):
        joint_state_out.position[j] = coordinate(j, joints, body_state, joint_state_out)


@kernel
def joint_frame(
    j: int, side: int, joints: Joints, joint_state: JointState, body_state: BodyState
) -> tuple[Vector, Vector, Vector]:
    """The three axes of joint j on its parent (side 0) or child (side 1), in the world."""
    return (
        joint_axis(j, side, 0, joints, joint_state, body_state),
        joint_axis(j, side, 1, joints, joint_state, body_state),
        joint_axis(j, side, 2, joints, joint_state, body_state),
    )


@kernel
def set_angle_row(r: int, gap: float, turn: Vector, parent: int, table_out: Table) -> None:
    """Set gap and entries of row r on the turn of a child past its parent."""
    table_out.work.gap[r] = gap
    e = table_out.rows.entry_start[r]
    set_entry_pair(ZERO, turn, scale(-1.0, turn), e, parent, table_out.work.jacobian)


@kernel
def fill_angle_rows(
    r: int, j: int, joints: Joints, joint_state: JointState, body_state: BodyState, table_out: Table
) -> None:
    """Fill the rows of joint j that hold directions, from row r on."""
    parent = joints.body[j, 0]
    if joints.kind[j] == HINGE:
        child_axis = joint_axis(j, 1, 2, joints, joint_state, body_state)
        for k in range(2):
            gap, turn = angle_row(joint_axis(j, 0, k, joints, joint_state, body_state), child_axis)
            set_angle_row(r + k, gap, scale(-1.0, turn), parent, table_out)
    elif joints.kind[j] != BALL:
        parent_axes = joint_frame(j, 0, joints, joint_state, body_state)
        child_axes = joint_frame(j, 1, joints, joint_state, body_state)
        turned, alike = turn_vector(parent_axes, child_axes)
        for k in range(3):
            gap, turn = turn_row(parent_axes[k], turned, alike, parent_axes, child_axes)
            set_angle_row(r + k, gap, turn, parent, table_out)


@kernel
def fill_rail_rows(
    j: int, joints: Joints, joint_state: JointState, body_state: BodyState, table_out: Table
) -> None:
    """Fill the rows that hold the child of joint j on its rail, and along it."""
    rail = rail_at(j, joints, joint_state, body_state)
    child_axes = joint_frame(j, 1, joints, joint_state, body_state)
    turned, alike = turn_vector(rail.axes, child_axes)
    for k in range(POINT_ROWS[PRISMATIC] + ANGLE_ROWS[PRISMATIC]):
        r = joints.row[j] + k
        e = table_out.rows.entry_start[r]
        if k < POINT_ROWS[PRISMATIC]:
            axis = rail.axes[k]
            table_out.work.gap[r] = dot(axis, rail.separation)
            moment = cross(rail.separation, axis)
            set_rail_row(j, e, axis, 0.0, ZERO, moment, rail, joints, table_out.work)
        else:
            axis = rail.axes[k - POINT_ROWS[PRISMATIC]]
            gap, turn = turn_row(axis, turned, alike, rail.axes, child_axes)
            table_out.work.gap[r] = gap
            set_rail_row(j, e, ZERO, 0.0, turn, turn, rail, joints, table_out.work)


@kernel
def fill_rows(
    joints: Joints, joint_state: JointState, body_state: BodyState, table_out: Table
) -> None:
    """Fill gaps and entries of all joints' rows; those of an open joint take no part."""
    for j in range(joints.kind.size):
        kind = joints.kind[j]
        parent = joints.body[j, 0]
        r = joints.row[j]
        if joint_state.open[j]:
            table_out.work.active[r : r + POINT_ROWS[kind] + ANGLE_ROWS[kind]] = False
            continue
        if is_rail(j, joints):
            fill_rail_rows(j, joints, joint_state, body_state, table_out)
            continue
        separation, child_arm, parent_arm = joint_points(j, joints, joint_state, body_state)
        for k in range(POINT_ROWS[kind]):
            axis = joint_axis(j, 0, k, joints, joint_state, body_state)
            table_out.work.gap[r], child_angular, parent_angular = point_row(
                axis, separation, child_arm, parent_arm
            )
            set_entry_pair(
                axis,
                child_angular,
                parent_angular,
                table_out.rows.entry_start[r],
                parent,
                table_out.work.jacobian,
            )
            r += 1
        fill_angle_rows(r, j, joints, joint_state, body_state, table_out)


@kernel
def turns_far(h: float, spin: Vector, arm: Vector) -> bool:
    """Return True if a body at an arm [m] of a joint turns too far in a step.

    The axis of the turn that counts is one that is not along the arm.
    """
    return h * h * norm(spin) * norm(cross(spin, arm)) > TURN * TURN * max(norm(arm), SHORTEST_ARM)


@kernel
def check_turns(h: float, joints: Joints, joint_state: JointState, body_state: BodyState) -> int:
    """Return TURNED_FAR if a body on a joint turns too far in a step at the present velocities."""
    for j in range(joint_state.open.size):
        if joint_state.open[j]:
            continue
        _, child_arm, parent_arm = joint_points(j, joints, joint_state, body_state)
        for b, arm in ((joints.body[j, 0], parent_arm), (joints.body[j, 1], child_arm)):
            if turns_far(h, load(body_state.velocity[:, 3:], b), arm):
                return TURNED_FAR
    return SOLVED


@kernel
def choose_stop_side(below: float, above: float, travel: float) -> float:
    """Return the end stop that a row stands for: 1 for the lower, -1 for the upper.

    ``travel`` is how far the free velocities go in the step.
    """
    if below < above:
        return -1.0 if travel > above else 1.0
    return 1.0 if -travel > below else -1.0


@kernel
def fill_coordinate_rows(
    h: float, joints: Joints, joint_state: JointState, lines: Lines, table_out: Table
) -> None:
    """Fill the one-sided row of every joint with end stops, and the row of every spring."""
    row_work_out = table_out.work
    rows = table_out.rows
    for j in range(joints.kind.size):
        stop = joints.stop_row[j]
        spring = joints.spring_row[j]
        if stop >= 0:
            below = joint_state.position[j] - joints.lower[j]
            above = joints.upper[j] - joint_state.position[j]
            coordinate_entries(
                joints, joint_state, j, 1.0, rows.entry_start[stop], lines.bodies, row_work_out
            )
            travel = h * row_rate(stop, rows, row_work_out, lines.body_work.next_velocity)
            side = choose_stop_side(below, above, travel)
            row_work_out.active[stop] = not joint_state.open[j]
            row_work_out.gap[stop] = below if side > 0.0 else above
            for e in range(rows.entry_start[stop], rows.entry_start[stop + 1]):
                for k in range(6):
                    row_work_out.jacobian[e, k] *= side
        if spring >= 0:
            row_work_out.active[spring] = not joint_state.open[j]
            row_work_out.gap[spring] = joint_state.position[j] - joints.rest[j]
            coordinate_entries(
                joints, joint_state, j, 1.0, rows.entry_start[spring], lines.bodies, row_work_out
            )


@kernel
def fill_friction_rows(
    h: float, joints: Joints, joint_state: JointState, body_state: BodyState, table_out: Table
) -> None:
    """Fill the rows of dampers and dry friction of all joints."""
    row_work_out = table_out.work
    for j in range(joints.kind.size):
        damper = joints.damper_row[j]
        dry = joints.dry_row[j]
        if damper >= 0 and joints.kind[j] == BALL:
            for k in range(3):
                row_work_out.active[damper + k] = not joint_state.open[j]
                axis = joint_axis(j, 0, k, joints, joint_state, body_state)
                set_entry_pair(
                    ZERO,
                    axis,
                    scale(-1.0, axis),
                    table_out.rows.entry_start[damper + k],
                    joints.body[j, 0],
                    row_work_out.jacobian,
                )
        elif damper >= 0:
            row_work_out.active[damper] = not joint_state.open[j]
            fill_rate_row(h, damper, j, joints, joint_state, body_state, table_out)
        if dry >= 0:
            row_work_out.active[dry] = not joint_state.open[j]
            fill_rate_row(h, dry, j, joints, joint_state, body_state, table_out)
            row_work_out.inner[dry, 0] = HARD * table_out.rows.mobility[dry]
            row_work_out.lower[dry] = -h * joints.dry_friction[j]
            row_work_out.upper[dry] = h * joints.dry_friction[j]


@kernel
def overrun_stops(h: float, joints: Joints, table: Table) -> int:
    """Return LOST_PIVOT if a hard stop gave way in the step.

    It moved with the speed sigma lambda, because an ideal drive went on.
    """
    for j in range(joints.stop_row.size):
        r = joints.stop_row[j]
        if (
            r >= 0
            and table.work.active[r]
            and table.rows.compliance[r] == 0.0
            and h * table.work.softness[r] * table.state.impulse[r] > GIVES
        ):
            return LOST_PIVOT
    return SOLVED
