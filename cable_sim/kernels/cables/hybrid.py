"""The hybrid wire: masses joined by massless pieces of rope that run over any number of nodes
(Servin et al. 2011).

*Nodes.* A wire is a row of nodes: its ends, eyes, contact nodes on the edges of solids, and masses.
Its *holders* are the ends and the masses; what is between two of them is a piece. The rope of a
piece slides over the nodes between its holders without friction, so that it has one tension. Eq.
12-17 with the signs of misprint 36: with the nodes p_0 ... p_n of a piece, spans l_k with unit
vectors u_k, path S = sum l_k and rest length L,

    g = L - S,
    J on holder a: +u_first,  on holder b: -u_last,  on the body of node k: +(u_k - u_{k-1}),

and on the winch, whose rope comes out at the first node, +f' (``drums.py``). (What twist makes a
laid rope longer by adds to S, see ``torsion.py``.) The impulse is h T >= 0, the compliance L / EA.

*Masses* follow from the rope: each holder has half of that of the pieces next to it, m = rho
(L_before + L_after) / 2. Those of ends on bodies that obey forces are held there by rows
(``ends.py``). The weight of rope that runs over nodes goes where it hangs (``weight.py``).

*Solution.* Pieces that touch no body but static ones know of their two masses only, v+ = v + h g +
w (lambda_after u_first - lambda_before u_last), w = 1/m: tridiagonal, with

    A_jj = sigma_j + w_a + w_b,    A_j,j+1 = -w (u_last,j . u_first,j+1),
    d_j = rhs_j - J (v + h g)

and sigma, rhs as in ``rows.py``. They are eliminated from the first to the last, as in
``chain.py``. The others are *exposed*: rows of the table, kind CONDENSED, with what elimination
leaves as softness and demand. Elimination also couples each with the next by a number kappa. All of
a wire are a tridiagonal positive definite matrix. It has factors L D L^T, and a body of one
coordinate (``particles.py``) between the rows i and i + 1 with the entries

    a = sqrt(D_i),    b = kappa / a,       D_{i+1} = sigma_{i+1} - b^2,

is the coupling, and all of the softness of row i; the last row keeps its D.

*Bending of the way.* In a step of h the spans turn, so that the path gets longer than J v+ says by
b = sum |d_k + h dv_k| - l_k - h u_k . dv_k, d_k the span and dv_k the difference of its ends'
velocities: h^2 v_perp^2 / 2 l for small angles. What changes g in a step is h J v+ - b, and in the
step before it was h J v + b, so that the rule of ``rows.py`` is for J v+ - b / h and J v + b / h. A
mass on a circle then keeps its speed, and its radius to the fourth order.

*Slack.* Whether a piece pulls is found together with everything else: pieces that would push are
taken for slack, slack ones that would get longer than their rope for taut, and all is solved again,
a few times at most. In wires that resist bending there are bars, which do push (``flexure.py``).

*Path accounts.* What changes the path at once, without the bodies or masses moving, would be felt
as a jerk. So each piece keeps what its path has to be shortened by, E: a detour over a new contact
node adds to it, and is paid back when the path gets shorter (``wire_contacts.py``). A mass that is
taken out leaves a shorter path: E < 0, which fades away (``adaptive_resolution.py``). So the
tension goes on without a jump, and the energy of the rope does not grow.

Misprints are numbered as in docs/theory/misprints.md.
"""

from math import inf
from typing import Any, NamedTuple

from cable_sim.kernels.cables.crossing_rows import crossing_rate, scale_entries
from cable_sim.kernels.cables.edge_sliding import look_along, sum_up
from cable_sim.kernels.cables.elimination import condense, expose, resolve
from cable_sim.kernels.cables.ends import hold_ends
from cable_sim.kernels.cables.flexure import flex
from cable_sim.kernels.cables.friction import rub, weigh_all
from cable_sim.kernels.cables.massless import span_entries
from cable_sim.kernels.cables.pieces import (
    DEMAND,
    DIAGONAL,
    FROZEN,
    GIVES,
    IMPULSE,
    INVERSE,
    NODE,
    OFF,
    PATH,
    PUSHES,
    REST,
    ROW,
    SLACK,
    SLIDE,
    TARGET,
    TAUT,
    bend_rate,
    directions,
    is_exposed,
    is_frozen,
    is_severed,
    measure_all,
    stiffen,
)
from cable_sim.kernels.cables.torsion import share_entries
from cable_sim.kernels.cables.weight import apply_segment_weight
from cable_sim.kernels.drums import paid_out
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.rotation import multiply3
from cable_sim.kernels.rows import GAP, clear_entries, discretise, entry_rate
from cable_sim.kernels.vec3 import ZERO, axpy, dot, load, scale

CLOSING = 1e-9
"""Opening speed above the allowed one from which a slack piece counts as taut [m/s]."""
REVIEWS = 150
TOGETHER = 50
"""Most solutions in a step for pieces that turn out to be slack or taut, and how many of them
change all wrong pieces together. Later only the first wrong one is changed: that ends (Murty's
least index), where the other might cycle."""
ROUGH = 110
"""Number of solutions after which nothing slips with friction."""


class Table(NamedTuple):
    """Places of the rows of wires in the table of rows."""

    row_start: Any
    row: Any
    bodies: Any
    end_row: Any
    twist_row: Any
    entry_start: Any
    entry_body: Any


@kernel
def mass_rate(i, nodes, pieces, gain):
    """Return J v of the masses at both ends of piece i and of its crossings [m/s].

    ``gain`` is added to the velocities of masses.
    """
    first, last = directions(i, nodes, pieces)
    a = pieces.mark[i, NODE]
    b = pieces.mark[i + 1, NODE]
    rate = 0.0
    if pieces.number[i, INVERSE] > 0.0:
        rate += dot(first, axpy(1.0, gain, load(nodes.velocity, a)))
    if pieces.number[i + 1, INVERSE] > 0.0:
        rate -= dot(last, axpy(1.0, gain, load(nodes.velocity, b)))
    return rate + crossing_rate(a, b, nodes)


@kernel
def fill_entries(i, row, n, ratio, table, nodes, pieces, entry_jacobian_out):
    """Fill the entries of exposed piece i on the bodies that it touches.

    There are none yet on the bodies that couple it. ``ratio`` is its entry on the winch, 0 for
    none.
    """
    begin = table.entry_start[row]
    clear_entries(begin, table.entry_start[row + 1], entry_jacobian_out)
    first = pieces.mark[i, NODE]
    last = pieces.mark[i + 1, NODE]
    for k in range(first, last):
        span_entries(k, nodes.slot, nodes.arm, nodes.direction, begin, entry_jacobian_out)
    scale_entries(first, last, begin, nodes, entry_jacobian_out)
    if ratio > 0.0:
        entry_jacobian_out[begin + table.bodies[n], 0] = ratio


@kernel
def lay_up(row, n, wires, table, pieces, entry_jacobian_out):
    """Add the torque of a laid rope without masses to the row of its one piece.

    The piece is exposed and turns the ends as well (``torsion.py``).
    """
    arm = wires.torque_arm[wires.cable[n]]
    if arm != 0.0 and pieces.count[n] == 1:
        twist = table.twist_row[wires.cable[n]]
        begin = table.entry_start[twist]
        end = table.entry_start[twist + 1]
        share_entries(arm, begin, end, table.entry_start[row], entry_jacobian_out)


@kernel
def body_part(row, table, moving, entry_jacobian):
    """Return J v of the bodies in a row [m/s], and their J M^-1 J^T [1/kg]."""
    rate = 0.0
    mobility = 0.0
    for e in range(table.entry_start[row], table.entry_start[row + 1]):
        b = table.entry_body[e]
        push = load(entry_jacobian, e)
        turn = load(entry_jacobian[:, 3:], e)
        rate += entry_rate(entry_jacobian, moving.velocity, e, b)
        mobility += moving.inverse_mass[b] * dot(push, push)
        mobility += dot(turn, multiply3(moving.world_inverse_inertia, b, turn))
    return rate, mobility


@kernel
def equation(h, stepper, gravity, n, i, rate, mobility, bend, wires, nodes, pieces_out):
    """Fill the row of piece i of wire n in the tridiagonal system.

    ``rate`` and ``mobility`` are the bodies' parts of it. Returns its gap at the end of the step if
    nothing pulled [m], with the bodies as they were.
    """
    first, last = directions(i, nodes, pieces_out)
    c = wires.cable[n]
    number = pieces_out.number
    w_a = number[i, INVERSE]
    w_b = number[i + 1, INVERSE]
    rest = number[i, REST]
    inner_mobility = w_a * dot(first, first) + w_b * dot(last, last)
    free = mass_rate(i, nodes, pieces_out, scale(h, gravity))
    gap = rest - number[i, PATH]
    softness, rhs = discretise(
        h, stepper, GAP, gap, bend + rate + mass_rate(i, nodes, pieces_out, ZERO),
        wires.compliance_per_length[c] * rest * number[i, GIVES], wires.damping_time[n],
        inner_mobility + mobility, 0.0,
    )  # fmt: skip
    rhs += bend
    number[i, DIAGONAL] = softness + inner_mobility
    number[i, DEMAND] = rhs - free
    number[i, TARGET] = rhs
    number[i, OFF] = 0.0
    if i > wires.node_start[c]:
        _, before = directions(i - 1, nodes, pieces_out)
        number[i, OFF] = -w_a * dot(before, first)
    return gap + h * (free + rate - bend)


@kernel
def resting_impulse(h, c, i, wires, pieces):
    """Return the impulse of piece i, which is frozen, from its stretch [N s].

    A rigid piece has no stretch and keeps its impulse.
    """
    rest = pieces.number[i, REST]
    gives = wires.compliance_per_length[c] * rest * pieces.number[i, GIVES]
    return (
        h * max(pieces.number[i, PATH] - rest, 0.0) / gives
        if gives > 0.0
        else pieces.number[i, IMPULSE]
    )


@kernel
def rests(h, c, i, winch, wires, nodes, pieces_out):
    """Return True if piece i is severed or frozen.

    It then has no row, and gets the impulse that it keeps.
    """
    number = pieces_out.number
    begin = wires.node_start[c]
    severed = is_severed(i, nodes, pieces_out)
    if not (severed or is_frozen(i, winch, begin, nodes, pieces_out)):
        return False
    pieces_out.mark[i, ROW] = FROZEN
    number[i, DIAGONAL] = 0.0
    number[i, IMPULSE] = 0.0 if severed else resting_impulse(h, c, i, wires, pieces_out)
    return True


@kernel
def fill_row(i, row, n, ratio, pushes, wires, table, moving, nodes, pieces, row_work_out):
    """Fill the row of exposed piece i of wire n, and return its :func:`body_part`."""
    fill_entries(i, row, n, ratio, table, nodes, pieces, row_work_out.jacobian)
    lay_up(row, n, wires, table, pieces, row_work_out.jacobian)
    row_work_out.active[row] = True
    row_work_out.lower[row] = -inf if pushes else 0.0
    return body_part(row, table, moving, row_work_out.jacobian)


@kernel
def slack_or(row, i, after, pushes, nodes, pieces):
    """Return SLACK if piece i is slack, else ``row``; ``after`` is its gap after the step [m]."""
    number = pieces.number
    if number[i, DIAGONAL] <= 0.0:
        return SLACK  # rigid between two points that do not move
    apart = number[i, REST] >= number[i, PATH] or nodes.pull[pieces.mark[i, NODE]] == 0.0
    return SLACK if row == TAUT and after >= 0.0 and apart and not pushes else row


@kernel
def path_rate(h, i, velocity, nodes, pieces):
    """Return the rate of piece i's path by bends and by sliding over edges [m/s]."""
    return bend_rate(h, i, velocity, nodes, pieces) + pieces.number[i, SLIDE] / h


@kernel
def form(
    h, stepper, gravity, n, rigidity, wires, table, moving, nodes_out, pieces_out, row_work_out
):
    """Fill the rows of all pieces of wire n, which was measured.

    Returns the number of exposed pieces without a row.
    """
    c = wires.cable[n]
    p = table.row_start[n]
    lost = 0
    begin = wires.node_start[c]
    winch = wires.winch[c]
    _, ratio = paid_out(wires.winch, wires.layer_start, wires.layer, c, moving.position)
    for i in range(begin, begin + pieces_out.count[n]):
        if rests(h, c, i, winch, wires, nodes_out, pieces_out):
            continue
        row = TAUT
        rate = 0.0
        mobility = 0.0
        pushes = stiffen(i, rigidity, wires.compliance_per_length[c], pieces_out, nodes_out)
        exposed = is_exposed(i, winch, begin, nodes_out, pieces_out)
        if exposed and p < table.row_start[n + 1]:
            row = table.row[p]
            rate, mobility = fill_row(
                i,
                row,
                n,
                ratio if i == begin else 0.0,
                pushes,
                wires,
                table,
                moving,
                nodes_out,
                pieces_out,
                row_work_out,
            )
            p += 1
        elif exposed:
            lost += 1
        bend = path_rate(h, i, moving.velocity, nodes_out, pieces_out)
        after = equation(
            h, stepper, gravity, n, i, rate, mobility, bend, wires, nodes_out, pieces_out
        )
        pieces_out.mark[i, ROW] = slack_or(row, i, after, pushes, nodes_out, pieces_out)
        pieces_out.mark[i, PUSHES] = pushes
    leave_out(p, table.row_start[n + 1], table, row_work_out)
    return lost


@kernel
def leave_out(first, end, table, row_work_out):
    """Leave out the rows at these places of the table."""
    for q in range(first, end):
        row_work_out.active[table.row[q]] = False


@kernel
def mass_velocity(i, gravity_step, begin, end, nodes, pieces):
    """Return the velocity of the mass at holder i after the step [m/s].

    ``begin`` and ``end`` are the first and last holder.
    """
    k = pieces.mark[i, NODE]
    w = pieces.number[i, INVERSE]
    velocity = axpy(1.0, gravity_step, load(nodes.velocity, k))
    if i > begin:
        _, before = directions(i - 1, nodes, pieces)
        velocity = axpy(-w * pieces.number[i - 1, IMPULSE], before, velocity)
    if i < end:
        velocity = axpy(w * pieces.number[i, IMPULSE], load(nodes.direction, k), velocity)
    return velocity


@kernel
def review(n, gravity_step, together, wires, nodes, pieces_out):
    """Take pieces that push for slack, and slack ones that open too fast for taut.

    Returns their number. All of them are changed ``together``, or the first alone.
    """
    begin = wires.node_start[wires.cable[n]]
    changes = 0
    end = begin + pieces_out.count[n]
    for i in range(begin, end):
        if changes > 0 and not together:
            break
        row = pieces_out.mark[i, ROW]
        if row == TAUT and pieces_out.number[i, IMPULSE] < 0.0 and not pieces_out.mark[i, PUSHES]:
            pieces_out.mark[i, ROW] = SLACK
            changes += 1
        elif row == SLACK and pieces_out.number[i, DIAGONAL] > 0.0:
            first, last = directions(i, nodes, pieces_out)
            rate = 0.0
            if pieces_out.number[i, INVERSE] > 0.0:
                rate += dot(first, mass_velocity(i, gravity_step, begin, end, nodes, pieces_out))
            if pieces_out.number[i + 1, INVERSE] > 0.0:
                rate -= dot(last, mass_velocity(i + 1, gravity_step, begin, end, nodes, pieces_out))
            if rate < pieces_out.number[i, TARGET] - CLOSING:
                pieces_out.mark[i, ROW] = TAUT
                changes += 1
    return changes


@kernel
def cut_off(n, wires, pieces_out):
    """Cut off the push that is left where the last review was not the last one needed."""
    begin = wires.node_start[wires.cable[n]]
    for i in range(begin, begin + pieces_out.count[n]):
        if pieces_out.mark[i, ROW] == FROZEN or not pieces_out.mark[i, PUSHES]:
            pieces_out.number[i, IMPULSE] = max(pieces_out.number[i, IMPULSE], 0.0)


@kernel
def condense_all(wires, table, pieces_out, row_work_out):
    """Eliminate the pieces of all wires that are not exposed, and give the table the others."""
    for n in range(wires.cable.size):
        condense(n, wires, pieces_out)
        expose(n, wires, table, pieces_out, row_work_out)


@kernel
def form_all(
    h,
    stepper,
    gravity,
    wires,
    wire_data,
    solids,
    table,
    moving,
    nodes_out,
    pieces_out,
    body_work_out,
    row_work_out,
):
    """Fill the rows of all wires at the present pose.

    Returns the number of exposed pieces without a row.
    """
    for n in range(wires.cable.size):
        if wire_data.rough[n]:
            look_along(h, n, wires, solids, moving, nodes_out)
    measure_all(wires, nodes_out, pieces_out)
    lost = 0
    for n in range(wires.cable.size):
        if wire_data.rough[n]:
            sum_up(h, n, wires, moving, nodes_out, pieces_out)
            weigh_all(n, wires, solids, nodes_out, pieces_out)
        lost += form(
            h,
            stepper,
            gravity,
            n,
            wire_data.rigidity[n],
            wires,
            table,
            moving,
            nodes_out,
            pieces_out,
            row_work_out,
        )
        velocity_out = body_work_out.next_velocity
        apply_segment_weight(n, gravity, h, wires, moving, nodes_out, pieces_out, velocity_out)
        rigidity = wire_data.rigidity[n]
        if rigidity > 0.0:
            flex(h, n, rigidity, wires, moving, pieces_out, nodes_out, velocity_out)
        if wire_data.rough[n]:
            rub(n, True, False, wires, moving, pieces_out, nodes_out, body_work_out.next_velocity)
        hold_ends(n, scale(h, gravity), wires, table, nodes_out, pieces_out, row_work_out)
    condense_all(wires, table, pieces_out, row_work_out)
    return lost


@kernel
def review_all(
    gravity_step, round, wires, rough, moving, row_impulse, pieces_out, nodes_out, next_velocity_out
):  # fmt: skip
    """Compute the impulses of all pieces; return the number of changes.

    A change is a piece whose slack or taut status was wrong, or new friction on a wire.
    """
    changes = 0
    for n in range(wires.cable.size):
        resolve(n, wires, row_impulse, pieces_out)
        flips = review(n, gravity_step, round < TOGETHER, wires, nodes_out, pieces_out)
        changes += flips
        if rough[n]:
            changes += rub(
                n,
                flips > 0 or round == 0,
                round == ROUGH,
                wires,
                moving,
                pieces_out,
                nodes_out,
                next_velocity_out,
            )
    return changes
