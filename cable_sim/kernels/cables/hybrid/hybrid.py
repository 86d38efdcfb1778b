"""The hybrid wire: masses joined by massless segments of rope that run over any number of nodes
(Servin et al. 2011).

*Nodes.* A wire is a row of nodes: its ends, eyes, contact nodes on the edges of solids, and masses.
Its *endpoints* are the ends, clamps and masses; what is between two of them is a segment. The rope
of a segment slides over the nodes between its endpoints without friction, so it has one tension.
Eq. 12-17 with the signs of misprint 36: with the nodes p_0 ... p_n of a segment, spans l_k with
unit vectors u_k, path S = sum l_k and rest length L,

    g = L - S,
    J on endpoint a: +u_first,  on endpoint b: -u_last,  on the body of node k: +(u_k - u_{k-1}),

and on the winch, whose rope comes out at the first node, +f' (``drums.py``). (What twist makes a
laid rope longer by adds to S, see ``torsion.py``.) The impulse is h T >= 0, the compliance L / EA.

*Masses* follow from the rope: each endpoint has half of that of the segments next to it, m = rho
(L_before + L_after) / 2. Those of ends and clamps on bodies that obey forces are held there by
rows (``ends.py``). The weight of rope that runs over nodes goes where it hangs (``weight.py``).

*Solution.* Segments that touch no body but static ones know of their two masses only, v+ = v + h g
+ w (lambda_after u_first - lambda_before u_last), w = 1/m: tridiagonal, with

    A_jj = sigma_j + w_a + w_b,    A_j,j+1 = -w (u_last,j . u_first,j+1),
    d_j = rhs_j - J (v + h g)

and sigma, rhs as in ``rows.py``. They are eliminated from the first to the last, as in
``chain.py``. The others are *exposed*: rows of the table, kind CONDENSED, with what elimination
leaves as softness and demand. Elimination also couples each with the next by a number kappa. All of
a wire are a tridiagonal positive definite matrix. It has factors L D L^T, and a body of one
coordinate (``particles.py``) between the rows i and i + 1 with the entries

    a = sqrt(D_i),    b = kappa / a,       D_{i+1} = sigma_{i+1} - b^2,

is the coupling, and all of the softness of row i; the last row keeps its D.

*Bending of the path.* In a step of h the spans turn, so that the path gets longer than J v+ says by
b = sum |d_k + h dv_k| - l_k - h u_k . dv_k, d_k the span and dv_k the difference of its ends'
velocities: h^2 v_perp^2 / 2 l for small angles. What changes g in a step is h J v+ - b, and in the
step before it was h J v + b, so that the rule of ``rows.py`` is for J v+ - b / h and J v + b / h. A
mass on a circle then keeps its speed, and its radius to the fourth order. Contact nodes count where
they will be (``path_ahead.py``).

*Slack.* Whether a segment pulls is found together with everything else: segments that would push
are taken for slack, slack ones that would get longer than their rope for taut, and all is solved
again, a few times at most. Segments in a row get taut together, as one rope (``taut_runs.py``). In
wires that resist bending there are bars, which do push (``flexure.py``).

*Path accounts.* What changes the path at once, without the bodies or masses moving, would be felt
as a jerk. So each segment keeps what its path has to be shortened by, E: a detour over a new
contact node adds to it, and is paid back when the path gets shorter (``wire_contacts.py``). A mass
that is taken out leaves a shorter path: E < 0, which fades away (``adaptive_resolution.py``). So
the tension goes on without a jump, and the energy of the rope does not grow.

Misprints are numbered as in docs/theory/misprints.md.
"""

from math import inf

from cable_sim.kernels.cables.crossing.crossing_rows import crossing_rate, scale_entries
from cable_sim.kernels.cables.friction.edge_sliding import predict_slides
from cable_sim.kernels.cables.friction.friction import apply_friction, set_all_tension_ratios
from cable_sim.kernels.cables.friction.weight import apply_segment_weight
from cable_sim.kernels.cables.hybrid.elimination import (
    eliminate_segments,
    expose_rows,
    solve_segments,
)
from cable_sim.kernels.cables.hybrid.ends import deactivate_rows, fill_holding_rows
from cable_sim.kernels.cables.hybrid.path_ahead import sum_path_changes
from cable_sim.kernels.cables.hybrid.segments import (
    BEFORE,
    BEND,
    BORDER,
    COMMON,
    DIAGONAL,
    FREE_RATE,
    FROZEN,
    IMPULSE,
    INNER,
    INVERSE,
    MOBILITY,
    NEXT_RATE,
    NODE,
    OFF,
    PUSHES,
    RATE,
    REST,
    ROW,
    RUN,
    SLACK,
    SLIDE,
    TARGET,
    TAUT,
    bend_rate,
    end_directions,
    is_exposed,
    is_frozen,
    is_severed,
    measure_all_segments,
    resting_impulse,
    rope_length,
)
from cable_sim.kernels.cables.hybrid.taut_runs import set_rules
from cable_sim.kernels.cables.massless.massless import add_span_entries
from cable_sim.kernels.cables.stiffness.bars import update_bar
from cable_sim.kernels.cables.stiffness.bends import count_shares
from cable_sim.kernels.cables.stiffness.flexure import apply_bending
from cable_sim.kernels.cables.stiffness.torsion import add_scaled_entries
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.drums import paid_out
from cable_sim.kernels.multibody.entries import clear_entries, entry_rate
from cable_sim.kernels.multibody.rotation import multiply3
from cable_sim.kernels.multibody.vec3 import ZERO, Vector, axpy, dot, load, norm, scale
from cable_sim.kernels.records.arrays import Floats
from cable_sim.kernels.records.bodies import BodyWork, Moving
from cable_sim.kernels.records.lines import Nodes, WireLines
from cable_sim.kernels.records.rows import RowWork

CLOSING = 1e-9
"""Opening speed above the allowed one from which a slack segment counts as taut [m/s]."""
REVIEWS = 150
TOGETHER = 50
"""Most solutions in a step for segments that turn out to be slack or taut, and how many of them
change all wrong segments together. Later only the first wrong one is changed: that ends (Murty's
least index), where the other might cycle."""


@kernel
def mass_rate(i: int, nodes: Nodes, gain: Vector) -> float:
    """Return J v of the masses at both ends of segment i and of its crossings [m/s].

    ``gain`` is added to the velocities of masses.
    """
    first, last = end_directions(i, nodes)
    a = nodes.mark[i, NODE]
    b = nodes.mark[i + 1, NODE]
    rate = 0.0
    if nodes.number[i, INVERSE] > 0.0:
        rate += dot(first, axpy(1.0, gain, load(nodes.velocity, a)))
    if nodes.number[i + 1, INVERSE] > 0.0:
        rate -= dot(last, axpy(1.0, gain, load(nodes.velocity, b)))
    return rate + crossing_rate(a, b, nodes)


@kernel
def fill_entries(
    i: int,
    row: int,
    n: int,
    ratio: float,
    wires: WireLines,
    nodes: Nodes,
    entry_jacobian_out: Floats,
) -> None:
    """Fill the entries of exposed segment i on the bodies that it touches.

    There are none yet on the bodies that couple it. ``ratio`` is its entry on the winch, 0 for
    none.
    """
    begin = wires.entry_start[row]
    clear_entries(begin, wires.entry_start[row + 1], entry_jacobian_out)
    first = nodes.mark[i, NODE]
    behind = nodes.mark[i + 1, BEFORE] + 1
    for k in range(first, behind):
        add_span_entries(k, begin, nodes.row_entry, nodes.arm, nodes.direction, entry_jacobian_out)
    scale_entries(first, behind, begin, nodes, entry_jacobian_out)
    if ratio > 0.0:
        entry_jacobian_out[begin + wires.bodies[n], 0] = ratio


@kernel
def add_lay_torque(
    i: int, row: int, n: int, wires: WireLines, nodes: Nodes, entry_jacobian_out: Floats
) -> None:
    """Add the torque of a laid rope to the row of segment i, which turns the ends as well.

    Each segment has its part of the twist (``torsion.py``).
    """
    c = wires.cable[n]
    if wires.torque_arm[c] == 0.0:
        return
    begin = wires.node_start[c]
    rope = rope_length(begin, begin + nodes.segment_count[n], nodes)
    arm = wires.torque_arm[c] * (nodes.number[i, REST] / rope)
    twist = wires.twist.row[c]
    first = wires.entry_start[twist]
    end = wires.entry_start[twist + 1]
    add_scaled_entries(arm, first, end, wires.entry_start[row], entry_jacobian_out)


@kernel
def body_rates(
    row: int, wires: WireLines, moving: Moving, free_velocity: Floats, entry_jacobian: Floats
) -> Vector:
    """Return J v of the bodies in a row, now and at the end of a free step [m/s], and their J M^-1
    J^T [1/kg]."""
    rate = 0.0
    free_rate = 0.0
    mobility = 0.0
    for e in range(wires.entry_start[row], wires.entry_start[row + 1]):
        b = wires.entry_body[e]
        push = load(entry_jacobian, e)
        turn = load(entry_jacobian[:, 3:], e)
        rate += entry_rate(entry_jacobian, moving.velocity, e, b)
        free_rate += entry_rate(entry_jacobian, free_velocity, e, b)
        mobility += moving.inverse_mass[b] * dot(push, push)
        mobility += dot(turn, multiply3(moving.world_inverse_inertia, b, turn))
    return rate, free_rate, mobility


@kernel
def fill_rates(
    i: int, start: int, gravity_step: Vector, bodies: Vector, bend: float, nodes_out: Nodes
) -> None:
    """Fill rates and mobilities of segment i, and what couples it with the one before.

    ``start`` is the wire's first segment, ``bodies`` what :func:`body_rates` returns.
    """
    first, last = end_directions(i, nodes_out)
    number = nodes_out.number
    w_a = number[i, INVERSE]
    w_b = number[i + 1, INVERSE]
    number[i, INNER] = w_a * dot(first, first) + w_b * dot(last, last)
    number[i, MOBILITY] = bodies[2] + number[i, INNER]
    number[i, FREE_RATE] = mass_rate(i, nodes_out, gravity_step)
    number[i, NEXT_RATE] = number[i, FREE_RATE] + bodies[1] - bend
    number[i, RATE] = bend + bodies[0] + mass_rate(i, nodes_out, ZERO)
    number[i, BEND] = bend
    number[i, OFF] = 0.0
    if i > start:
        _, before = end_directions(i - 1, nodes_out)
        number[i, OFF] = -w_a * dot(before, first)


@kernel
def is_fixed(h: float, c: int, i: int, winch: int, wires: WireLines, nodes_out: Nodes) -> bool:
    """Return True if segment i is severed or frozen.

    It then has no row, and gets the impulse that it keeps.
    """
    number = nodes_out.number
    begin = wires.node_start[c]
    severed = is_severed(i, nodes_out)
    if not (severed or is_frozen(i, winch, begin, nodes_out)):
        return False
    nodes_out.mark[i, ROW] = FROZEN
    number[i, DIAGONAL] = 0.0
    number[i, IMPULSE] = 0.0 if severed else resting_impulse(h, c, i, wires, nodes_out)
    return True


@kernel
def fill_row(
    i: int,
    n: int,
    ratio: float,
    wires: WireLines,
    free_velocity: Floats,
    nodes: Nodes,
    row_work_out: RowWork,
) -> Vector:
    """Fill the row of exposed segment i of wire n, and return its :func:`body_rates`."""
    row = nodes.mark[i, ROW]
    fill_entries(i, row, n, ratio, wires, nodes, row_work_out.jacobian)
    add_lay_torque(i, row, n, wires, nodes, row_work_out.jacobian)
    row_work_out.active[row] = True
    row_work_out.lower[row] = -inf if nodes.mark[i, PUSHES] else 0.0
    return body_rates(row, wires, nodes.bodies, free_velocity, row_work_out.jacobian)


@kernel
def path_rate(h: float, i: int, velocity: Floats, nodes: Nodes) -> float:
    """Return the rate of segment i's path by bends and by sliding over edges [m/s]."""
    return bend_rate(h, i, velocity, nodes) + nodes.number[i, SLIDE] / h


@kernel
def form_rows(
    h: float,
    gravity_step: Vector,
    n: int,
    wires: WireLines,
    free_velocity: Floats,
    nodes_out: Nodes,
    row_work_out: RowWork,
) -> int:
    """Fill the entries of all segments of wire n, which was measured, their rates and mobilities.

    Returns the number of exposed segments without a row.
    """
    c = wires.cable[n]
    p = wires.row_start[n]
    lost = 0
    begin = wires.node_start[c]
    winch = wires.winch[c]
    _, ratio = paid_out(c, wires, nodes_out.bodies.position)
    for i in range(begin, begin + nodes_out.segment_count[n]):
        if is_fixed(h, c, i, winch, wires, nodes_out):
            continue
        bodies = (0.0, 0.0, 0.0)
        softness = wires.compliance_per_length[c]
        nodes_out.mark[i, ROW] = TAUT
        nodes_out.mark[i, PUSHES] = update_bar(i, wires.rigidity[n], softness, nodes_out)
        exposed = is_exposed(i, wires.torque_arm[c] != 0.0, winch, begin, nodes_out)
        if exposed and p < wires.row_start[n + 1]:
            nodes_out.mark[i, ROW] = wires.row[p]
            entry = ratio if i == begin else 0.0
            bodies = fill_row(i, n, entry, wires, free_velocity, nodes_out, row_work_out)
            p += 1
        elif exposed:
            lost += 1
        bend = path_rate(h, i, nodes_out.bodies.velocity, nodes_out)
        fill_rates(i, begin, gravity_step, bodies, bend, nodes_out)
    deactivate_rows(p, wires.row_start[n + 1], wires, row_work_out)
    return lost


@kernel
def mass_velocity(i: int, gravity_step: Vector, begin: int, end: int, nodes: Nodes) -> Vector:
    """Return the velocity of the mass at endpoint i after the step [m/s].

    ``begin`` and ``end`` are the first and last endpoint.
    """
    k = nodes.mark[i, NODE]
    w = nodes.number[i, INVERSE]
    velocity = axpy(1.0, gravity_step, load(nodes.velocity, k))
    if i > begin:
        _, before = end_directions(i - 1, nodes)
        velocity = axpy(-w * nodes.number[i - 1, IMPULSE], before, velocity)
    if i < end:
        velocity = axpy(w * nodes.number[i, IMPULSE], load(nodes.direction, k), velocity)
    return velocity


@kernel
def review_segments(
    n: int, gravity_step: Vector, together: bool, wires: WireLines, nodes_out: Nodes
) -> int:
    """Mark segments that push as slack, and slack ones that open too fast as taut.

    Returns their number. All of them are changed ``together``, or the first alone.
    """
    begin = wires.node_start[wires.cable[n]]
    changes = 0
    end = begin + nodes_out.segment_count[n]
    for i in range(begin, end):
        if changes > 0 and not together:
            break
        row = nodes_out.mark[i, ROW]
        if row == TAUT and nodes_out.number[i, IMPULSE] < 0.0 and not nodes_out.mark[i, PUSHES]:
            nodes_out.mark[i, ROW] = SLACK
            changes += 1
        elif row == SLACK and nodes_out.number[i, DIAGONAL] > 0.0:
            first, last = end_directions(i, nodes_out)
            rate = 0.0
            if nodes_out.number[i, INVERSE] > 0.0:
                rate += dot(first, mass_velocity(i, gravity_step, begin, end, nodes_out))
            if nodes_out.number[i + 1, INVERSE] > 0.0:
                rate -= dot(last, mass_velocity(i + 1, gravity_step, begin, end, nodes_out))
            run = nodes_out.mark[i, RUN]
            rate += nodes_out.number[i, BORDER] * nodes_out.number[run, COMMON]
            if rate < nodes_out.number[i, TARGET] - CLOSING:
                nodes_out.mark[i, ROW] = TAUT
                changes += 1
    return changes


@kernel
def clip_pushes(n: int, wires: WireLines, nodes_out: Nodes) -> None:
    """Cut off the push that is left where the last review was not the last one needed."""
    begin = wires.node_start[wires.cable[n]]
    for i in range(begin, begin + nodes_out.segment_count[n]):
        if nodes_out.mark[i, ROW] == FROZEN or not nodes_out.mark[i, PUSHES]:
            nodes_out.number[i, IMPULSE] = max(nodes_out.number[i, IMPULSE], 0.0)


@kernel
def condense_all(wires: WireLines, nodes_out: Nodes, row_work_out: RowWork) -> None:
    """Eliminate the segments of all wires that are not exposed, and give the table the others."""
    for n in range(wires.cable.size):
        eliminate_segments(n, wires, nodes_out)
        expose_rows(n, wires, nodes_out, row_work_out)


@kernel
def form_all(
    h: float,
    gravity: Vector,
    wires: WireLines,
    nodes_out: Nodes,
    body_work_out: BodyWork,
    row_work_out: RowWork,
) -> int:
    """Fill the rows of all wires at the present pose.

    Returns the number of exposed segments without a row.
    """
    for n in range(wires.cable.size):
        predict_slides(h, n, wires, nodes_out)
    measure_all_segments(wires, nodes_out)
    count_shares(wires, nodes_out)
    lost = 0
    fall = h * norm(gravity)
    jacobian = row_work_out.jacobian
    for n in range(wires.cable.size):
        sum_path_changes(h, n, wires, nodes_out)
        if wires.has_friction[n]:
            set_all_tension_ratios(n, wires, nodes_out)
        lost += form_rows(
            h, scale(h, gravity), n, wires, body_work_out.next_velocity, nodes_out, row_work_out
        )
        set_rules(h, fall, n, wires, jacobian, nodes_out)
        velocity_out = body_work_out.next_velocity
        apply_segment_weight(n, gravity, h, wires, nodes_out, velocity_out)
        if wires.rigidity[n] > 0.0:
            apply_bending(h, n, wires, nodes_out, velocity_out)
        if wires.has_friction[n]:
            apply_friction(n, True, 0, wires, nodes_out, body_work_out.next_velocity)
        fill_holding_rows(n, scale(h, gravity), wires, nodes_out, row_work_out)
    condense_all(wires, nodes_out, row_work_out)
    return lost


@kernel
def review_all(
    gravity_step: Vector,
    round: int,
    wires: WireLines,
    row_impulse: Floats,
    nodes_out: Nodes,
    next_velocity_out: Floats,
) -> int:
    """Compute the impulses of all segments; return the number of changes.

    A change is a segment whose slack or taut status was wrong, or new friction on a wire.
    """
    changes = 0
    for n in range(wires.cable.size):
        solve_segments(n, wires, row_impulse, nodes_out)
        flips = review_segments(n, gravity_step, round < TOGETHER, wires, nodes_out)
        changes += flips
        if wires.has_friction[n]:
            changes += apply_friction(
                n, flips > 0 or round == 0, round, wires, nodes_out, next_velocity_out
            )
    return changes
