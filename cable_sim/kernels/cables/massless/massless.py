"""The massless cable: one stretch row over any number of nodes, and a friction row for every sheave
with losses.

Servin & Lacoursiere 2007, section 4.4, with the signs of Servin et al. 2011 eq. 12-17 corrected.

*Stretch.* Nodes p_0 ... p_n, spans l_k = |p_{k+1} - p_k| with unit vectors u_k from node k to k+1,
path S = sum l_k, unstretched length L. The row's gap is the slack

    g = L - S,    J on the body of node k: +(u_k - u_{k-1}, r_k x (u_k - u_{k-1})),
    on the winch: +f',

and its impulse h T, so a node feels T (u_k - u_{k-1}) and the rope pulls the winch out with f' T,
f' = dL/dq = 1 but on a drum with layers (``drums.py``). One-sided: T >= 0.
Compliance eps = L / EA (or 1 / stiffness), damping time gamma from the material: T = (EA / L) (e +
gamma de/dt) with the elongation e = S - L, which makes T the mean tension of the rope.

*Sheaves.* The rope is strained evenly, so the unstretched length on the far side of node i is s_i =
L D_i / S with D_i = sum_{k >= i} l_k. It runs over sheave i towards the first node at

    w_i = -ds_i/dt = -f dL/dt - (L/S) ( (1 - f) sum_{k >= i} dl_k/dt - f sum_{k < i} dl_k/dt ),
    f = D_i / S.

Friction is a SPEED row on w_i with target zero and impulse h F_i. By virtual work it adds c_k F_i
to the tension of span k, c_k = (L/S) (1 - f) beyond the sheave and -(L/S) f before it: the tensions
on both sides differ by (L/S) F_i and the mean tension, which the elastic law governs, stays. With
the mean T_m of the two and kappa of ``node_law.py``,

    |F_i| (L/S) <= kappa T_m,

and at rest F_i is whatever holds the rope, up to that: Coulomb's law with the rope's own pressure.

*Drive on the cable.* A row on the rate of S alone, with the entries of the stretch row
(``drives.py``). Beside the stretch row its tension adds to the elastic one; a driven cable has it
instead, and no length of its own. Its rope runs in and out at its first node, as on a winch: dL/dt
= dS/dt and L = S above, so

    w_i = -sum_{k >= i} dl_k/dt,

which is the row with f = 0, and the drive's tension is that of the first span.

Torsion stands in ``torsion.py``, the end of a span's range in ``span_stops.py``. Not modelled:
mass, bending, sag; the wrap around a sheave (a node is a point, two nodes on one body make the two
tangent points of a wheel). What is lost: kinetic energy of the rope; what is conserved: linear and
angular momentum of the bodies, because the node forces add up to zero and act along the spans.
"""

from math import inf

from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.bodies import point_velocity, world_point
from cable_sim.kernels.multibody.drums import paid_out
from cable_sim.kernels.multibody.entries import clear_entries
from cable_sim.kernels.multibody.vec3 import ZERO, Vector, cross, load, norm, scale, store, sub
from cable_sim.kernels.records.arrays import Floats, Ints
from cable_sim.kernels.records.cables import Cables, NodeState
from cable_sim.kernels.records.lines import Lines, WireLines
from cable_sim.kernels.records.rows import RowState, Table

SHORTEST_SPAN = 1e-9
"""Length [m] below which two nodes have met, and the span has no direction and no pull. A winch
leaves as much."""
TAKEN_IN = 2e-3
"""Length [m] up to which a rope shares no loads: so short, its softness would be rounding."""
ROUNDING = 1e-12
"""Slack over its length up to which a rope that cannot stretch is taut, and shares loads [-]."""


@kernel
def measure(start: Vector, end: Vector) -> tuple[float, Vector]:
    """Length [m] and unit vector of a span; the zero vector when its ends have met."""
    along = sub(end, start)
    length = norm(along)
    return length, scale(1.0 / length if length > SHORTEST_SPAN else 0.0, along)


@kernel
def compliance(fixed: float, per_length: float, length: float) -> float:
    """eps = 1/stiffness or L/EA [m/N]."""
    return fixed + per_length * length


@kernel
def unstretched_length(c: int, cables: Cables | WireLines, body_position: Floats) -> float:
    """Return the paid-out length of cable c [m].

    The length that a cable was built with is, on a winch, added to the length paid out.
    """
    length, _ = paid_out(c, cables, body_position)
    return max(length + cables.length[c], SHORTEST_SPAN)


@kernel
def stand_in_one_place(k: int, node_state: NodeState) -> bool:
    """Return True if nodes k and k + 1 are one point of a body, as room that is not in use is."""
    return (
        node_state.body[k] == node_state.body[k + 1]
        and node_state.point[k, 0] == node_state.point[k + 1, 0]
        and node_state.point[k, 1] == node_state.point[k + 1, 1]
        and node_state.point[k, 2] == node_state.point[k + 1, 2]
    )


@kernel
def end_velocities(k: int, velocity: Floats, lines: Lines) -> tuple[Vector, Vector]:
    """Return the velocities of both ends of span k for velocities (b, 6) of the bodies [m/s]."""
    body = lines.node_state.body
    near = point_velocity(velocity, body[k], load(lines.node_work.arm, k))
    return near, point_velocity(velocity, body[k + 1], load(lines.node_work.arm, k + 1))


@kernel
def place_nodes(begin: int, end: int, lines_out: Lines) -> None:
    """Place the nodes from ``begin`` to before ``end``."""
    position = ZERO
    arm = ZERO
    for k in range(begin, end):
        if k == begin or not stand_in_one_place(k - 1, lines_out.node_state):
            position, arm = world_point(
                lines_out.bodies, lines_out.node_state.body[k], load(lines_out.node_state.point, k)
            )
        store(position, k, lines_out.node_work.position)
        store(arm, k, lines_out.node_work.arm)


@kernel
def place_cables(lines_out: Lines) -> None:
    """Place nodes, spans, and D_i, the path beyond each node; set f and kappa of sheaves.

    Span k stands in the row of its first node. ``nodes.path_offset`` is the length that the path is
    shortened by, see ``contacts.py``. Hybrid wires are left out (``wire_placement.py``).
    """
    cables = lines_out.cables
    for c in range(cables.node_start.size - 1):
        if cables.wire[c]:
            continue
        place_nodes(cables.node_start[c], cables.node_start[c + 1], lines_out)
        remaining = 0.0
        lines_out.node_work.remaining_path_length[cables.node_start[c + 1] - 1] = 0.0
        for k in range(cables.node_start[c + 1] - 2, cables.node_start[c] - 1, -1):
            length = 0.0
            direction = ZERO
            if not stand_in_one_place(k, lines_out.node_state):
                length, direction = measure(
                    load(lines_out.node_work.position, k), load(lines_out.node_work.position, k + 1)
                )
            remaining += length - lines_out.node_state.path_offset[k]
            lines_out.span_work.length[k] = length
            lines_out.node_work.remaining_path_length[k] = remaining
            store(direction, k, lines_out.span_work.direction)
        for k in range(cables.node_start[c], cables.node_start[c + 1]):
            if cables.node_row[k] >= 0:
                lines_out.node_work.loss[k] = lines_out.node_state.loss[k]
                path = lines_out.node_work.remaining_path_length
                own = cables.row[c] >= 0  # a driven cable has no length that is strained
                share = remaining_share(path, cables.node_start[c], k) if own else 0.0
                lines_out.node_work.share[k] = share


@kernel
def add_force_entry(force: Vector, arm: Vector, e: int, entry_jacobian_out: Floats) -> None:
    """Add a force at a node to the entry of its body."""
    torque = cross(arm, force)
    for i in range(3):
        entry_jacobian_out[e, i] += force[i]
        entry_jacobian_out[e, 3 + i] += torque[i]


@kernel
def add_pull_entries(
    force: Vector, k: int, far: int, e: int, row_entry: Ints, arm: Floats, jacobian_out: Floats
) -> None:
    """Add a force on node k, and its opposite on node ``far``, to the entries from e on."""
    if row_entry[k] >= 0:
        add_force_entry(force, load(arm, k), e + row_entry[k], jacobian_out)
    if row_entry[far] >= 0:
        back = scale(-1.0, force)
        add_force_entry(back, load(arm, far), e + row_entry[far], jacobian_out)


@kernel
def add_span_entries(
    k: int, e: int, row_entry: Ints, arm: Floats, direction: Floats, jacobian_out: Floats
) -> None:
    """Add -dl_k/dv of span k to the entries from e on."""
    add_pull_entries(load(direction, k), k, k + 1, e, row_entry, arm, jacobian_out)


@kernel
def add_groove_entries(k: int, e: int, lines: Lines, jacobian_out: Floats) -> None:
    """Add to the entries from e on what the grooves of wheels make of the pull of span k.

    It pulls at the rims, not at the nodes, which are the centres (``tangents.py``).
    """
    entry = lines.node_state.row_entry
    force = load(lines.span_work.groove_force, k)
    couple = lines.span_work.groove_couple[k]
    add_pull_entries(force, k, k + 1, e, entry, lines.node_work.arm, jacobian_out)
    for i in range(3):
        if entry[k] >= 0:
            jacobian_out[e + entry[k], 3 + i] += couple[0, i]
        if entry[k + 1] >= 0:
            jacobian_out[e + entry[k + 1], 3 + i] -= couple[1, i]


@kernel
def remaining_share(remaining_path_length: Floats, first: int, k: int) -> float:
    """Return the fraction f of a cable's path that lies beyond node k.

    The first node of the cable is ``first``.
    """
    return (
        remaining_path_length[k] / remaining_path_length[first]
        if remaining_path_length[first] > 0.0
        else 0.0
    )


@kernel
def runs_over_wheels(cables: Cables, c: int) -> bool:
    """Return True if there are wheels on cable c (``wheels.py``)."""
    return cables.wheel_start[c] < cables.wheel_start[c + 1]


@kernel
def fill_stretch_entries(c: int, r: int, lines: Lines, table_out: Table) -> None:
    """Fill the entries of stretch row r, -sum dl_k/dv, added up from the far end.

    A sheave's row keeps the sum up to it.
    """
    cables = lines.cables
    direction = lines.span_work.direction
    row_entry = lines.node_state.row_entry
    arm = lines.node_work.arm
    jacobian_out = table_out.work.jacobian
    begin = table_out.rows.entry_start[r]
    end = table_out.rows.entry_start[r + 1]
    clear_entries(begin, end, jacobian_out)
    for k in range(cables.node_start[c + 1] - 2, cables.node_start[c] - 1, -1):
        add_span_entries(k, begin, row_entry, arm, direction, jacobian_out)
        if runs_over_wheels(cables, c):
            add_groove_entries(k, begin, lines, jacobian_out)
        if cables.node_row[k] >= 0:
            shift = table_out.rows.entry_start[cables.node_row[k]] - begin
            copy_entries(shift + begin, end - begin, begin, jacobian_out)


@kernel
def fill_sheave_entries(
    r: int, total_row: int, share: float, stretch: float, table_out: Table
) -> None:
    """Turn the sum beyond a sheave into J = (L/S) (J_beyond - f J_total) of its friction row r."""
    start = table_out.rows.entry_start
    jacobian_out = table_out.work.jacobian
    shift = start[total_row] - start[r]
    for e in range(start[r], start[total_row + 1] - shift):
        for i in range(6):
            total = jacobian_out[shift + e, i]
            jacobian_out[e, i] = stretch * (jacobian_out[e, i] - share * total)


@kernel
def fill_sheave_limit(c: int, k: int, stretch: float, lines: Lines, table_out: Table) -> None:
    """Fill the factors of the bound of the sheave at node k of cable c.

    The bound is kappa T_m / (L/S) in terms of the cable's impulses. The list of rows that it
    depends on is that of the rows that make the cable pull (a drive's, the stretch row), then the
    cable's friction rows in order. Row j adds (c_{k-1} + c_k) / 2 to the mean tension at node k.
    """
    cables = lines.cables
    loss = lines.node_work.loss[k]
    factor_out = table_out.work.limit_factor
    q = table_out.rows.limit_start[cables.node_row[k]]
    for _ in range((1 if cables.row[c] >= 0 else 0) + (1 if cables.drive_row[c] >= 0 else 0)):
        factor_out[q] = loss / stretch
        q += 1
    for j in range(cables.node_start[c] + 1, cables.node_start[c + 1] - 1):
        if cables.node_row[j] >= 0:
            beyond = 1.0 if k > j else (0.5 if k == j else 0.0)
            factor_out[q] = loss * (beyond - lines.node_work.share[j])
            q += 1


@kernel
def stretch_ratio(lines: Lines, c: int, path: float) -> float:
    """Return L / S of cable c, in which the friction of its sheaves is counted.

    A driven cable, and one without a path, is taken as unstretched. Wheels count in differences of
    tension.
    """
    if lines.cables.row[c] < 0 or path <= 0.0 or runs_over_wheels(lines.cables, c):
        return 1.0
    return unstretched_length(c, lines.cables, lines.bodies.position) / path


@kernel
def fill_sheave_rows(c: int, stretch: float, ratio: float, lines: Lines, table_out: Table) -> None:
    """Fill the friction rows of the sheaves of cable c, from the sums beyond them.

    Its stretch entries left those sums there. ``ratio`` is its winch's f', 0 without a winch.
    """
    cables = lines.cables
    first = cables.node_start[c]
    last = cables.node_start[c + 1] - 1
    for k in range(first + 1, last):
        if cables.node_row[k] < 0:
            continue
        share = lines.node_work.share[k]
        fill_sheave_entries(cables.node_row[k], cables.pull_row[c], share, stretch, table_out)
        fill_sheave_limit(c, k, stretch, lines, table_out)
        if ratio > 0.0:
            table_out.work.jacobian[table_out.rows.entry_start[cables.node_row[k] + 1] - 1, 0] = (
                -share * ratio
            )


@kernel
def copy_entries(start: int, count: int, source: int, entry_jacobian_out: Floats) -> None:
    """Give ``count`` entries from ``start`` on the values of those from ``source`` on."""
    for e in range(count):
        for i in range(6):
            entry_jacobian_out[start + e, i] = entry_jacobian_out[source + e, i]


@kernel
def fill_rows(lines: Lines, table_out: Table) -> None:
    """Fill every cable's stretch row, the entries of a drive on it, and rows of lossy sheaves."""
    cables = lines.cables
    for c in range(cables.row.size):
        r = cables.pull_row[c]
        path = lines.node_work.remaining_path_length[cables.node_start[c]]
        if r < 0:  # made of masses
            continue
        begin = table_out.rows.entry_start[r]
        fill_stretch_entries(c, r, lines, table_out)
        _, ratio = paid_out(c, cables, lines.bodies.position)
        stretch = stretch_ratio(lines, c, path)
        fill_sheave_rows(c, stretch, ratio, lines, table_out)
        if cables.row[c] >= 0:
            length = unstretched_length(c, cables, lines.bodies.position)
            table_out.work.gap[r] = length - path
            table_out.work.compliance[r] = compliance(
                cables.compliance[c], cables.compliance_per_length[c], length
            )
            table_out.work.sharing[r] = (
                table_out.rows.sharing[r] * length if length > TAKEN_IN else 0.0
            )
            if table_out.work.compliance[r] == 0.0 and 0.0 <= length - path < ROUNDING * length:
                table_out.work.closing[r] = -inf
            if cables.drive_row[c] >= 0:
                start = table_out.rows.entry_start[cables.drive_row[c]]
                copy_entries(
                    start,
                    table_out.rows.entry_start[cables.drive_row[c] + 1] - start,
                    begin,
                    table_out.work.jacobian,
                )
        if ratio > 0.0:
            table_out.work.jacobian[table_out.rows.entry_start[r + 1] - 1, 0] = ratio


@kernel
def mean_tension_impulse(c: int, cables: Cables, row_impulse: Floats) -> float:
    """Return the impulse of the mean tension of cable c [N s].

    It is that of its stretch row and of a drive on it.
    """
    total = row_impulse[cables.row[c]] if cables.row[c] >= 0 else 0.0
    return total + (row_impulse[cables.drive_row[c]] if cables.drive_row[c] >= 0 else 0.0)


@kernel
def compute_tensions(h: float, lines: Lines, table: Table, span_tension_out: Floats) -> None:
    """Compute the tension of every span [N]: the mean over the last step.

    It stands in the row of the span's first node. Sheave friction is solved to 1e-10 of the step's
    largest impulse. A rest below zero, on a rope that is about to go slack, is cut off.
    """
    cables = lines.cables
    for c in range(cables.row.size):
        first = cables.node_start[c]
        last = cables.node_start[c + 1] - 1
        stretch = stretch_ratio(lines, c, lines.node_work.remaining_path_length[first])
        for k in range(first, last):
            span_tension_out[k] = mean_tension_impulse(c, cables, table.state.impulse) / h
        for i in range(first + 1, last):
            if cables.node_row[i] < 0:
                continue
            share = lines.node_work.share[i]
            friction = table.state.impulse[cables.node_row[i]] / h
            for k in range(first, last):
                span_tension_out[k] += stretch * friction * ((1.0 if k >= i else 0.0) - share)
        if cables.pull_row[c] >= 0 and table.rows.lower[cables.pull_row[c]] == 0.0:
            for k in range(first, last):
                span_tension_out[k] = max(span_tension_out[k], 0.0)


@kernel
def largest_tension(h: float, c: int, lines: Lines, row_state: RowState) -> float:
    """Return the largest tension that :func:`compute_tensions` finds in cable c [N].

    It follows the friction of the sheaves from span to span.
    """
    first = lines.cables.node_start[c]
    impulse = row_state.impulse
    mean = mean_tension_impulse(c, lines.cables, impulse)
    beyond = 0.0
    most = 0.0
    level = 0.0
    for i in range(first + 1, lines.cables.node_start[c + 1] - 1):
        if lines.cables.node_row[i] >= 0:
            friction = impulse[lines.cables.node_row[i]]
            beyond += friction
            most = max(most, beyond)
            level += friction * lines.node_work.share[i]
    if most != level:
        path = lines.node_work.remaining_path_length[first]
        mean += stretch_ratio(lines, c, path) * (most - level)
    return max(mean, 0.0) / h


@kernel
def compute_node_forces(
    cable_node_start: Ints, span_tension: Floats, span_direction: Floats, node_force_out: Floats
) -> None:
    """Compute the force of the cable on the body at every node [N], world frame."""
    for c in range(cable_node_start.size - 1):
        for k in range(cable_node_start[c], cable_node_start[c + 1]):
            for i in range(3):
                node_force_out[k, i] = 0.0
        for k in range(cable_node_start[c], cable_node_start[c + 1] - 1):
            for i in range(3):
                pull = span_tension[k] * span_direction[k, i]
                node_force_out[k, i] += pull
                node_force_out[k + 1, i] -= pull
