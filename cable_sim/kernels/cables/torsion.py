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

*Hybrid wires* (``hybrid.py``) have this torsion while there are no masses in them: then they are
massless cables of one segment, whose row is the stretch row above. Spans are those between the
cable's own nodes, which room for masses parts in the arrays. With masses in it a wire carries no
torque, but its twist goes on being that of the straight lines between its own nodes: turns made
meanwhile are there when the masses are gone, and M is there at once. A laid wire stays longer by k
Omega, in proportion to the rope in each segment, so that masses that come and go do not jerk at it;
without the torque that belongs to this, energy is not conserved meanwhile. A wire that parted or
whose end was let go has lost its twist for good.

Valid for bends that the rope makes without friction. Not modelled: torque lost in sheaves, hockling
of a slack rope, the twist that a rope brings along as it leaves a drum.
"""

from math import atan2, isinf

from cable_sim.kernels.cables.contact_path import MASSIVE
from cable_sim.kernels.cables.massless import (
    add_force_entry,
    compliance,
    measure,
    unstretched_length,
)
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.rotation import load_quaternion, nearest_turn, rotate
from cable_sim.kernels.rows import clear_entries, row_rate
from cable_sim.kernels.status import SOLVED, TORQUE_LOST, TURNED_BACK
from cable_sim.kernels.vec3 import ZERO, add, axpy, cross, dot, load, scale, store, sub

BACKWARDS = 0.01
"""Least 1 + c that is taken. An end that has swung back by more than 172 degrees has no shortest
path to turn."""


@kernel
def swing_weight(d, t):
    """Return the weight 1 / (1 + c) of the shortest turn from d to t."""
    return 1.0 / max(1.0 + dot(d, t), BACKWARDS)


@kernel
def transport_normal(d, t, weight, u):
    """Return the normal u of d after the shortest turn from d to t."""
    return axpy(-weight * dot(t, u), add(d, t), u)


@kernel
def span_twist(t, d_a, u_a, d_b, u_b):
    """(cosine, sine) of the twist of a span along t, and the shafts s_A, s_B and levers m_A, m_B of
    its ends."""
    weight_a = swing_weight(d_a, t)
    weight_b = swing_weight(d_b, t)
    a = transport_normal(d_a, t, weight_a, u_a)
    b = transport_normal(d_b, t, weight_b, u_b)
    shafts = scale(weight_a, add(d_a, t)), scale(weight_b, add(d_b, t))
    levers = scale(weight_a, cross(t, d_a)), scale(weight_b, cross(t, d_b))
    return dot(a, b), dot(t, cross(a, b)), shafts, levers


@kernel
def end_frame(k, side, twist_tangent, twist_normal, orientation):
    """Tangent and normal at one end of span k, turned with its body into the world."""
    tangent = (twist_tangent[k, side, 0], twist_tangent[k, side, 1], twist_tangent[k, side, 2])
    normal = (twist_normal[k, side, 0], twist_normal[k, side, 1], twist_normal[k, side, 2])
    return rotate(orientation, tangent), rotate(orientation, normal)


@kernel
def contains_masses(first, last, span_slots, node_contact_solid):
    """Return True if there are masses between the cable's own nodes from ``first`` to ``last``."""
    k = first
    while k < last:
        if node_contact_solid[k + 1] == MASSIVE:
            return True
        k += span_slots[k] + 1
    return False


@kernel
def carries_torque(c, first, last, span_slots, node_contact_solid, cable_twist_expected):
    """Return True if cable c carries torque: it has not lost its twist, and has no masses in it."""
    return not isinf(cable_twist_expected[c]) and not contains_masses(
        first, last, span_slots, node_contact_solid
    )


@kernel
def own_chord(k, after, node_state, node_work, span_work):
    """Return length [m] and direction of the straight line from own node k to the next, ``after``.

    It is the span without masses.
    """
    if node_state.contact_solid[k + 1] == MASSIVE:
        return measure(load(node_work.position, k), load(node_work.position, after))
    return span_work.length[k], load(span_work.direction, k)


@kernel
def measure_twist(first, last, spans, twist, node_state, body_state, node_work, span_work_out):
    """Return the sum of the twists of spans, without whole turns [rad]; and whether an end is back.

    The spans are those from node ``first`` to ``last``. A span has no twist with an end that has
    swung right back. It has neither twist nor wrench between two nodes of one body, or if its ends
    have met.
    """
    cosine = 1.0
    sine = 0.0
    after = first
    back = False
    while after < last:
        k = after
        after = after + spans.slots[after] + 1
        length, t = own_chord(k, after, node_state, node_work, span_work_out)
        a = node_state.body[k]
        b = node_state.body[after]
        if a == b or (t[0] == 0.0 and t[1] == 0.0 and t[2] == 0.0):
            store(ZERO, k, span_work_out.force_per_torque)
            store(ZERO, k, span_work_out.couple_per_torque[:, 0])
            store(ZERO, k, span_work_out.couple_per_torque[:, 1])
            continue
        d_a, u_a = end_frame(
            k, 0, twist.tangent, twist.normal, load_quaternion(body_state.orientation, a)
        )
        d_b, u_b = end_frame(
            k, 1, twist.tangent, twist.normal, load_quaternion(body_state.orientation, b)
        )
        back |= 1.0 + min(dot(d_a, t), dot(d_b, t)) < BACKWARDS
        c, s, shafts, levers = span_twist(t, d_a, u_a, d_b, u_b)
        cosine, sine = c * cosine - s * sine, s * cosine + c * sine
        store(shafts[0], k, span_work_out.couple_per_torque[:, 0])
        store(shafts[1], k, span_work_out.couple_per_torque[:, 1])
        store(scale(1.0 / length, sub(levers[1], levers[0])), k, span_work_out.force_per_torque)
    return atan2(sine, cosine), back


@kernel
def add_couple(couple, e, entry_jacobian_out):
    """Add a couple to an entry."""
    for i in range(3):
        entry_jacobian_out[e, 3 + i] += couple[i]


@kernel
def add_twist_entries(first, last, e, spans, node_state, node_work, span_work, row_work_out):
    """Add -dOmega/dv to the entries of a row from e on."""
    after = first
    while after < last:
        k = after
        after = after + spans.slots[after] + 1
        lever = load(span_work.force_per_torque, k)
        if node_state.row_entry[k] >= 0:
            add_couple(
                load(span_work.couple_per_torque[:, 0], k),
                e + node_state.row_entry[k],
                row_work_out.jacobian,
            )
            add_force_entry(
                lever, load(node_work.arm, k), e + node_state.row_entry[k], row_work_out.jacobian
            )
        if node_state.row_entry[after] >= 0:
            add_couple(
                scale(-1.0, load(span_work.couple_per_torque[:, 1], k)),
                e + node_state.row_entry[after],
                row_work_out.jacobian,
            )
            add_force_entry(
                scale(-1.0, lever),
                load(node_work.arm, after),
                e + node_state.row_entry[after],
                row_work_out.jacobian,
            )


@kernel
def add_scaled_entries(arm, begin, end, e, entry_jacobian_out):
    """Add ``arm`` times the entries of a twist row, ``begin`` to ``end``, to those of its stretch
    row from e on."""
    for k in range(end - begin):
        for i in range(6):
            entry_jacobian_out[e + k, i] += arm * entry_jacobian_out[begin + k, i]


@kernel
def row_compliance(c, cables, twist, body_position):
    """Return the compliance of the twist row of cable c [rad/(N m)], with the length paid out."""
    length = unstretched_length(
        cables.winch, cables.length, cables.layer_start, cables.drum_layer, c, body_position
    )
    return compliance(twist.compliance[c], twist.compliance_per_length[c], length)


@kernel
def fill_rows(
    cables,
    twist,
    span_model,
    rows,
    node_state,
    body_state,
    cable_state,
    node_work,
    span_work_out,
    cable_work_out,
    row_work_out,
):
    """Fill the twist row of every cable with torsion, and the torque of laid ropes in stretch rows.

    The row of a laid rope without torsional stiffness takes no part; it lends its entries to the
    stretch row. That of a hybrid wire with masses takes no part either, and one that was let go or
    parted has lost its twist. Returns the status flags TORQUE_LOST for masses in a wire that has
    not, TURNED_BACK for an end that has swung right back.
    """
    flags = SOLVED
    for c in range(cables.row.size):
        first = cables.node_start[c]
        last = cables.node_start[c + 1] - 1
        r = twist.row[c]
        arm = twist.torque_arm[c]
        if r < 0:
            continue
        turned, back = measure_twist(
            first, last, span_model, twist, node_state, body_state, node_work, span_work_out
        )
        angle = twist.start[c] + turned
        expected = cable_state.twist_expected[c]
        lost = isinf(expected)
        if back and not lost:
            flags |= TURNED_BACK
        cable_work_out.twist[c] = 0.0 if lost else nearest_turn(angle, expected)
        cable_work_out.twist_length[c] = arm * cable_work_out.twist[c]
        begin = rows.entry_start[r]
        end = rows.entry_start[r + 1]
        row_work_out.gap[r] = -cable_work_out.twist[c]
        row_work_out.compliance[r] = row_compliance(c, cables, twist, body_state.position)
        apart = contains_masses(first, last, span_model.slots, node_state.contact_solid)
        row_work_out.active[r] = not (isinf(row_work_out.compliance[r]) or lost or apart)
        if apart and not lost:
            flags |= TORQUE_LOST
        clear_entries(begin, end, row_work_out.jacobian)
        if lost:
            continue
        add_twist_entries(
            first, last, begin, span_model, node_state, node_work, span_work_out, row_work_out
        )
        if arm != 0.0 and cables.row[c] >= 0:
            row_work_out.gap[cables.row[c]] -= cable_work_out.twist_length[c]
            add_scaled_entries(
                arm, begin, end, rows.entry_start[cables.row[c]], row_work_out.jacobian
            )
    return flags


@kernel
def measure_rates(twist, rows, velocity, row_work, cable_state_out):
    """Measure the rates of the twists of all cables with a velocity (b, 6) of the bodies."""
    for c in range(twist.row.size):
        if twist.row[c] >= 0:
            cable_state_out.twist_rate[c] = -row_rate(
                twist.row[c], rows.entry_start, rows.entry_body, velocity, row_work.jacobian
            )


@kernel
def predict_twists(h, twist, rows, body_work, row_work, cable_work_out, cable_state_out):
    """Compute the expected twists of all cables after a step: their turns are counted from them."""
    measure_rates(twist, rows, body_work.next_velocity, row_work, cable_state_out)
    for c in range(twist.row.size):
        if twist.row[c] < 0 or isinf(cable_state_out.twist_expected[c]):
            continue
        rate = cable_state_out.twist_rate[c]
        cable_state_out.twist_expected[c] = cable_work_out.twist[c] + h * rate
        cable_work_out.twist_length[c] = twist.torque_arm[c] * cable_state_out.twist_expected[c]


@kernel
def compute_torques(
    h, cables, twist, spans, node_state, cable_state, span_state, row_state, cable_readings_out
):
    """Compute the torque in every cable [N m]: the mean over the last step.

    k T of a hybrid wire counts if it has no masses now.
    """
    for c in range(cables.row.size):
        first = cables.node_start[c]
        last = cables.node_start[c + 1] - 1
        r = twist.row[c]
        laid = 0.0
        if cables.row[c] >= 0:
            laid = twist.torque_arm[c] * row_state.impulse[cables.row[c]]
        elif r >= 0 and carries_torque(
            c, first, last, spans.slots, node_state.contact_solid, cable_state.twist_expected
        ):
            laid = twist.torque_arm[c] * span_state.tension_impulse[first]
        cable_readings_out.torque[c] = ((row_state.impulse[r] if r >= 0 else 0.0) + laid) / h


@kernel
def set_node_couples(cables, twist, spans, cable_readings, span_work, node_readings_out):
    """Set the couple of the cable on the body at every node [N m].

    The force of its torque there is added to the node's force [N].
    """
    for c in range(cables.node_start.size - 1):
        first = cables.node_start[c]
        last = cables.node_start[c + 1] - 1
        for k in range(first, last + 1):
            store(ZERO, k, node_readings_out.torque)
        if twist.row[c] < 0:
            continue
        after = first
        while after < last:
            k = after
            after = after + spans.slots[after] + 1
            for i in range(3):
                push = cable_readings.torque[c] * span_work.force_per_torque[k, i]
                node_readings_out.force[k, i] += push
                node_readings_out.force[after, i] -= push
                node_readings_out.torque[k, i] += (
                    cable_readings.torque[c] * span_work.couple_per_torque[k, 0, i]
                )
                node_readings_out.torque[after, i] -= (
                    cable_readings.torque[c] * span_work.couple_per_torque[k, 1, i]
                )
