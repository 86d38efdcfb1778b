"""Torsion of massless cables and of hybrid wires: the twist row, and the torque of a laid rope
under tension.

Servin & Lacoursiere 2007, section 4.4, eq. 15-20; their Euler angles jump at multiples of pi, are
singular where a body vector is parallel to the world's z axis, and leave the torques of a bent
cable unbalanced. Instead:

*Swing and twist of a span.* Span k goes along the unit vector t from node k, on body A, to node
k+1, on body B. Each body carries, fixed in it, the direction d that the span had at the start and a
normal u of it. The end of the rope is turned from d to t the shortest path (it bends there, as a
constant-velocity joint does), which takes the normal to

    P u = u - (t . u) (d + t) / (1 + c),      c = d . t.

The twist of the span is the angle about t from P u of A to P u of B. It is a function of the poses
alone, continuous for any orientation, but where a body has swung the end of the rope right back (c
= -1): on the way past that it goes through a whole turn at once. Within 1 + c = BACKWARDS it is no
twist, and the status tells: TURNED_BACK. P u turns about t at the rate

    ( w . (d + t) + (t x d) . dt/dt ) / (1 + c),        dt/dt = (v_{k+1} - v_k) / l  across t,

so with s = (d + t) / (1 + c), m = (t x d) / (1 + c) of each side the twist changes at

    s_B . w_B - s_A . w_A + q . (v_{k+1} - v_k),        q = (m_B - m_A) / l.

A torque M in the span therefore acts on A with M s_A, on B with -M s_B, and with the forces M q and
-M q on the two nodes. Where the ends have not swung, s = t and q = 0: the torque of a shaft.
Turning bodies and points together changes nothing, so the wrenches of a span are in equilibrium:
linear and angular momentum are conserved.

*The whole cable.* The rope turns freely in eyes and sheaves, so one torque M goes through, and the
twist that drives it is the sum over all spans, Omega, with its turns counted: the angle nearest to
where the velocities should have taken it. An eye at which the rope bends from t to t' thereby gets
the couple M (t' - t) that the paper leaves out: two upright bodies on a rope over a pulley both
turn the same way about their own tangents, and the pulley takes 2 M.

*Twist row.* Gap -Omega, J = -dOmega/dv, compliance 1 / c_t, impulse h mu, mu = c_t Omega,
c_t = A Y r^2 / (4 L (1 + sigma)) of a round rod (printed without r^2).

*Laid rope.* Under tension T the wires' helices want to unlay: M = c_t Omega + k T with k = k_t d,
torque factor times diameter, positive for right-hand lay. The energy that belongs to it is (EA / L)
(e + k Omega)^2 / 2 + c_t Omega^2 / 2: unlaying by an angle lengthens the rope by k times as much.
So the twist row stays and the stretch row gets the gap L - S - k Omega and k times the entries of
the twist row; mu remains the row's own part of M.

*Hybrid wires* (``hybrid.py``) have it with any number of masses, and over obstacles
(``twist_line.py``). Along the wire the twist is eliminated quasi-statically. A twist wave runs at
sqrt(G / rho), 3 km/s in steel, so that in a step a wire of any length that turns a load has the
same torque everywhere, and its rope, of the polar inertia rho J L, takes no part in the motion of
the load I but for rho J L / 3 I of its inertia: 2e-5 for 4 m of 10 mm steel and 4 kg m^2. So masses
need no inertia about the wire, which would have to be solved implicitly at that: the one spring GJ
/ L stands for all springs between them. The angle of a mass is what the rope before it is twisted
by, Omega l / L with the rope l before it of L (``read_node_twists``). Masses that come or go change
neither Omega nor its energy.

The line that the twist is that of leaves out masses. Where they wind about it by an angle, with the
slope s to it, they would add s^2 / 2 of that angle to the twist, and nothing where the wire sags in
a plane. The gradient of this, forces of about M s / l on masses, is left out, too. It is what
throws loops in a slack rope, which a wire of points without thickness could not hold.

A laid wire has one part of k Omega in each segment, in proportion to its rope L_i, as the twist is
the same all along it. Each stretch row then has k L_i / L times the entries of the twist row, and M
is c_t Omega + k times the mean tension, weighted with L_i, which is what rope of its own weight
has. All its segments are rows of the table for that reason (``segments.is_exposed``).

Contact nodes stand where tension alone has the path shortest; the twist of the line they bring with
them. What they change in the line as they slide, come and go, at one pose, leaves Omega as it is:
``keep_twist`` counts it in the offset. So the energy is that of a line on fixed corners, which is
what J says. A wire that parted or whose end was let go has lost its twist for good.

Where friction holds a twist the row is that of one side (``held_twist.py``). Not modelled: torque
lost in sheaves, hockling of a slack rope, the twist that a rope brings along as it leaves a drum.
"""

from math import atan2, isinf

from cable_sim.kernels.cables.hybrid.segments import mean_impulse
from cable_sim.kernels.cables.massless.massless import (
    add_pull_entries,
    compliance,
    unstretched_length,
)
from cable_sim.kernels.cables.stiffness.held_twist import far_torque, near_share
from cable_sim.kernels.cables.stiffness.twist_line import measure_line, next_corner
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.entries import clear_entries, row_rate
from cable_sim.kernels.multibody.rotation import nearest_turn
from cable_sim.kernels.multibody.vec3 import ZERO, Vector, load, scale, store
from cable_sim.kernels.records.arrays import Floats, Ints
from cable_sim.kernels.records.cables import (
    CableReadings,
    CableState,
    NodeReadings,
    NodeState,
    SpanWork,
    Twist,
)
from cable_sim.kernels.records.lines import Lines
from cable_sim.kernels.records.rows import Rows, RowState, RowWork, Table
from cable_sim.kernels.status import SOLVED, TURNED_BACK


@kernel
def measure_twist(first: int, last: int, slots: Ints, lines_out: Lines) -> tuple[float, bool]:
    """Return the twist of a cable's line without whole turns [rad]; and whether an end is back."""
    cosine, sine, back = measure_line(first, last, slots, lines_out)
    return atan2(sine, cosine), back


@kernel
def add_couple(couple: Vector, e: int, entry_jacobian_out: Floats) -> None:
    """Add a couple to an entry."""
    for i in range(3):
        entry_jacobian_out[e, 3 + i] += couple[i]


@kernel
def add_twist_entries(first: int, last: int, e: int, lines: Lines, row_work_out: RowWork) -> None:
    """Add -dOmega/dv to the entries of a row from e on."""
    row_entry = lines.node_state.row_entry
    arm = lines.node_work.arm
    span_work = lines.span_work
    after = first
    while after < last:
        k = after
        after = after + lines.spans.slots[after] + 1
        near = row_entry[k]
        far = row_entry[after]
        if near >= 0:
            couple = load(span_work.couple_per_torque[:, 0], k)
            add_couple(couple, e + near, row_work_out.jacobian)
        if far >= 0:
            couple = scale(-1.0, load(span_work.couple_per_torque[:, 1], k))
            add_couple(couple, e + far, row_work_out.jacobian)
        corner = k
        while corner < after:
            following = next_corner(corner, after, lines.node_state.contact_solid)
            lever = load(span_work.force_per_torque, corner)
            add_pull_entries(lever, corner, following, e, row_entry, arm, row_work_out.jacobian)
            corner = following


@kernel
def add_scaled_entries(
    arm: float, begin: int, end: int, e: int, entry_jacobian_out: Floats
) -> None:
    """Add ``arm`` times the entries of a twist row, ``begin`` to ``end``, to those of its stretch
    row from e on."""
    for k in range(end - begin):
        for i in range(6):
            entry_jacobian_out[e + k, i] += arm * entry_jacobian_out[begin + k, i]


@kernel
def row_compliance(c: int, lines: Lines, body_position: Floats) -> float:
    """Return the compliance of the twist row of cable c [rad/(N m)], with the length paid out."""
    length = unstretched_length(c, lines.cables, body_position)
    return compliance(lines.twist.compliance[c], lines.twist.compliance_per_length[c], length)


@kernel
def fill_row(c: int, table_out: Table, lines_out: Lines) -> bool:
    """Fill the twist row of cable c, and the torque of a laid rope in its stretch row.

    Returns True if an end has swung right back.
    """
    cables = lines_out.cables
    state = lines_out.cable_state
    first = cables.node_start[c]
    last = cables.node_start[c + 1] - 1
    r = lines_out.twist.row[c]
    turned, back = measure_twist(first, last, lines_out.spans.slots, lines_out)
    expected = state.twist_expected[c]
    lost = isinf(expected)
    angle = 0.0 if lost else nearest_turn(state.twist_offset[c] + turned, expected)
    longer = lines_out.twist.torque_arm[c] * angle
    lines_out.cable_work.twist[c] = angle
    lines_out.cable_work.twist_length[c] = longer
    begin = table_out.rows.entry_start[r]
    end = table_out.rows.entry_start[r + 1]
    table_out.work.gap[r] = -angle
    table_out.work.compliance[r] = row_compliance(c, lines_out, lines_out.bodies.position)
    table_out.work.active[r] = not (isinf(table_out.work.compliance[r]) or lost)
    clear_entries(begin, end, table_out.work.jacobian)
    if lost:
        return False
    if not isinf(state.twist_held[c]):
        row_entry = lines_out.node_state.row_entry
        rope = lines_out.span_state.rest_length
        table_out.work.gap[r] += state.twist_held[c]
        table_out.work.compliance[r] *= near_share(
            first, last, state.twist_station[c], row_entry, rope
        )
    add_twist_entries(first, last, begin, lines_out, table_out.work)
    arm = lines_out.twist.torque_arm[c]
    row = cables.row[c]
    if arm != 0.0 and row >= 0:
        table_out.work.gap[row] -= longer
        add_scaled_entries(
            arm, begin, end, table_out.rows.entry_start[row], table_out.work.jacobian
        )
    return back


@kernel
def fill_rows(table_out: Table, lines_out: Lines) -> int:
    """Fill the twist row of every cable with torsion, and the torque of laid ropes in stretch rows.

    The row of a laid rope without torsional stiffness takes no part; it lends its entries to the
    stretch rows. A hybrid wire that was let go or parted has lost its twist. Returns the status
    flag TURNED_BACK for an end that has swung right back.
    """
    flags = SOLVED
    for c in range(lines_out.cables.row.size):
        if lines_out.twist.row[c] >= 0 and fill_row(c, table_out, lines_out):
            flags |= TURNED_BACK
    return flags


@kernel
def measure_rates(
    twist: Twist, rows: Rows, velocity: Floats, row_work: RowWork, cable_state_out: CableState
) -> None:
    """Measure the rates of the twists of all cables with a velocity (b, 6) of the bodies."""
    for c in range(twist.row.size):
        if twist.row[c] >= 0:
            cable_state_out.twist_rate[c] = -row_rate(twist.row[c], rows, row_work, velocity)


@kernel
def predict_twists(h: float, table: Table, lines_out: Lines) -> None:
    """Compute the expected twists of all cables after a step: their turns are counted from them."""
    measure_rates(
        lines_out.twist,
        table.rows,
        lines_out.body_work.next_velocity,
        table.work,
        lines_out.cable_state,
    )
    for c in range(lines_out.twist.row.size):
        if lines_out.twist.row[c] < 0 or isinf(lines_out.cable_state.twist_expected[c]):
            continue
        rate = lines_out.cable_state.twist_rate[c]
        lines_out.cable_state.twist_expected[c] = lines_out.cable_work.twist[c] + h * rate
        lines_out.cable_work.twist_length[c] = (
            lines_out.twist.torque_arm[c] * lines_out.cable_state.twist_expected[c]
        )


@kernel
def line_twist(c: int, lines_out: Lines) -> float:
    """Return the twist of cable c's line without whole turns [rad], 0 if none is measured."""
    if lines_out.twist.row[c] < 0:
        return 0.0
    turned, _ = measure_twist(
        lines_out.cables.node_start[c],
        lines_out.cables.node_start[c + 1] - 1,
        lines_out.spans.slots,
        lines_out,
    )
    return turned


@kernel
def keep_twist(c: int, before: float, lines_out: Lines) -> None:
    """Keep the twist of cable c where contacts changed its line, whose twist was ``before``."""
    if lines_out.twist.row[c] >= 0:
        change = nearest_turn(before - line_twist(c, lines_out), 0.0)
        lines_out.cable_state.twist_offset[c] += change


@kernel
def compute_torques(
    h: float, lines: Lines, row_state: RowState, cable_readings_out: CableReadings
) -> None:
    """Compute the torque in every cable [N m]: the mean over the last step.

    It is that at the end that moves. That on the far side of a station is the present one.
    """
    cables = lines.cables
    twist = lines.twist
    cable_state = lines.cable_state
    for c in range(cables.row.size):
        r = twist.row[c]
        first = cables.node_start[c]
        last = cables.node_start[c + 1] - 1
        laid = 0.0
        if cables.row[c] >= 0:
            laid = twist.torque_arm[c] * row_state.impulse[cables.row[c]]
        elif r >= 0 and not isinf(cable_state.twist_expected[c]):
            laid = twist.torque_arm[c] * mean_impulse(
                lines.span_state.tension_impulse, first, last, lines.span_state
            )
        cable_readings_out.torque[c] = ((row_state.impulse[r] if r >= 0 else 0.0) + laid) / h
        cable_readings_out.far_torque[c] = cable_readings_out.torque[c]
        if r >= 0 and not isinf(cable_state.twist_held[c]):
            cable_readings_out.far_torque[c] = laid / h + far_torque(
                c,
                first,
                last,
                twist,
                cable_state,
                lines.span_state.rest_length,
                lines.node_state.row_entry,
            )


@kernel
def read_node_twists(lines: Lines, node_readings_out: NodeReadings) -> None:
    """Read the angle by which the rope of every cable is twisted from its first node to each [rad].

    It grows evenly along the rope, of a cable whose spans keep none along its path, and on each
    side of a station.
    """
    cables = lines.cables
    for c in range(cables.node_start.size - 1):
        if lines.twist.row[c] < 0:
            continue
        first = cables.node_start[c]
        last = cables.node_start[c + 1] - 1
        rope = lines.span_state.rest_length if cables.wire[c] else lines.span_work.length
        total = lines.cable_work.twist[c]
        node_readings_out.twist[first] = 0.0
        held = lines.cable_state.twist_held[c]
        if isinf(held):
            read_run(first, last, 0.0, total, rope, node_readings_out.twist)
            continue
        station = lines.cable_state.twist_station[c]
        middle = held if lines.node_state.row_entry[last] >= 0 else total - held
        read_run(first, station, 0.0, middle, rope, node_readings_out.twist)
        read_run(station, last, middle, total, rope, node_readings_out.twist)


@kernel
def read_run(
    first: int, last: int, begin: float, end: float, rope: Floats, angle_out: Floats
) -> None:
    """Fill the angles of nodes between two of the angles ``begin`` and ``end``, evenly along the
    ``rope`` of their spans."""
    total = 0.0
    for k in range(first, last):
        total += rope[k]
    before = 0.0
    for k in range(first, last):
        angle_out[k] = begin + (end - begin) * before / total
        before += rope[k]
    angle_out[last] = end


@kernel
def set_span_forces(
    k: int, after: int, torque: float, span_work: SpanWork, node_readings_out: NodeReadings
) -> None:
    """Add the forces of a torque [N m] in the line from node k to the next corner [N]."""
    for i in range(3):
        push = torque * span_work.force_per_torque[k, i]
        node_readings_out.force[k, i] += push
        node_readings_out.force[after, i] -= push


@kernel
def side_torques(
    c: int, last: int, node_state: NodeState, cable_readings: CableReadings
) -> tuple[float, float]:
    """Return the torques at the first and at the last node of cable c [N m]."""
    torque = cable_readings.torque[c]
    far = cable_readings.far_torque[c]
    return (far, torque) if node_state.row_entry[last] >= 0 else (torque, far)


@kernel
def set_node_couples(
    lines: Lines, cable_readings: CableReadings, node_readings_out: NodeReadings
) -> None:
    """Set the couple of the cable on the body at every node [N m].

    The force of its torque there is added to the node's force [N].
    """
    cables = lines.cables
    span_work = lines.span_work
    for c in range(cables.node_start.size - 1):
        first = cables.node_start[c]
        last = cables.node_start[c + 1] - 1
        begin, end = side_torques(c, last, lines.node_state, cable_readings)
        for k in range(first, last + 1):
            store(ZERO, k, node_readings_out.torque)
        after = first if lines.twist.row[c] >= 0 else last
        while after < last:
            k = after
            after = after + lines.spans.slots[after] + 1
            corner = k
            while corner < after:
                following = next_corner(corner, after, lines.node_state.contact_solid)
                torque = begin if corner < lines.cable_state.twist_station[c] else end
                set_span_forces(corner, following, torque, span_work, node_readings_out)
                corner = following
            for i in range(3):
                node_readings_out.torque[k, i] += begin * span_work.couple_per_torque[k, 0, i]
                node_readings_out.torque[after, i] -= end * span_work.couple_per_torque[k, 1, i]
