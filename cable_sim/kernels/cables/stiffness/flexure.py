"""Bending stiffness of hybrid wires: implicit, so that no stiffness shakes a step apart.

A turn between spans of unit vectors u_a and u_c has the energy E = k |u_c - u_a|^2 / 2, which is k
(1 - cos theta): the discrete elastica of ``bending.py``, with k of ``bends.py`` and the material
map of misprint 37 (I = pi r^4 / 4 of a solid rod; a rope of many wires has much less). A crumpled
span e has u = e / r. With t = u_c - u_a,

    F_a = -k G_a t,    F_c = -k G_c t,    F_b = -F_a - F_c,

G = (1 - u u^T) / |e|, or 1 / r of a crumpled span, are the exact gradient on the three nodes. They
have neither sum nor moment.

*Encastre.* An anchor that holds the direction d, a unit vector of its body, has E = k |u - d|^2 / 2
with the span behind it, and the same with that before. The force F on the node at the other end of
that span is the gradient, and -F acts on the body at that very place: about the anchor it has the
moment k d x u of the turn. So there is neither sum nor moment either.

*Time.* Stiffness grows with l^-3 and would shake fine wires apart: of a rope with EI = 300 N m^2
and 1.5 kg/m the limit of an explicit step of 1/60 s is at l = 0.69 m. With the curvature rate of a
straight rope at node i,

    kappa_i' = (v_next - v_i) / r_c - (v_i - v_before) / r_a = B_i v,    K = sum k_i B_i^T B_i,

r = |e| of unit vectors, the stiffness of a straight rope alike in all directions, which is
pentadiagonal, the step is

    (M + beta h^2 K) b = h F(x),

with b the change of the velocities by bending. For a mode of frequency w this is the leapfrog rule
with w^2 / (1 + beta h^2 w^2) for w^2 (Newmark's beta): without damping, stable where h^2 w^2 < 4 (1
+ beta h^2 w^2), at any w for beta >= 1/4. With ``BETA`` = 1/2 bending takes up half of that limit
at most and leaves the rest to the tension, of whose limit masses have a quarter at most
(``adaptive_resolution.py``). Momentum is kept; angular momentum up to beta h^2 K b.

The segments act afterwards, on the masses alone. So statics, too, sees the stiffness of that mode
smaller by 1 + beta h^2 w^2: next to nothing for what the eye sees as a bend, much for what has the
length of a span or two.

What acts on a node of a body is the body's: its part of h F - beta h^2 K b. In the system the node
is a mass that answers no less than the body does (``bends.py``).

*Bars.* A straight span that ends at a mass or a held direction, and lies on no solid, pushes as
well as it pulls: a bow of stiff wire would fold up otherwise. But it does so from the moment on
when it was taut, its gap g = L - S <= 0, not before. Rope that a mass comes to on a chord, or goes
from off one, is longer than its span: it has bent within the span, where nothing is known of it. A
bar there would be squeezed by g without any work, and give back what nobody gave,

    E = EA g^2 / (2 L),

which of 38 m of rope on 32 m of path is a megajoule. A slack span hangs as a limp wire's does and
costs no energy; when it gets taut it becomes a bar at g = 0 with E = 0. From then on E is part of
the elastic energy.

No bar is squeezed by more than it takes to fold. Folding costs 2 k = 2 EI / L at a mass between
spans of L, the most that E_i can be, so a bar with E above that folds:

    EA g^2 / (2 L) > 2 EI / L,      or      g > 2 sqrt(EI / EA),

twice the radius of gyration, whatever L is. It is slack then, until it is taut again, and E is
lost. That is where grounds and solids, which act after all has been solved, squeeze the span of a
mass that they hold. A rope that does not stretch has no E, and does not fold.

Misprints are numbered as in docs/theory/misprints.md.
"""

from cable_sim.kernels.cables.contact.contact_path import MASSIVE
from cable_sim.kernels.cables.friction.friction import push_mass, push_node
from cable_sim.kernels.cables.hybrid.segments import (
    CHANGE_X,
    CHANGE_Y,
    CHANGE_Z,
    FIRST,
    INERTIA,
    INVERSE,
    NODE,
    SECOND,
    USED,
)
from cable_sim.kernels.cables.stiffness.bends import (
    bend_energy,
    bend_forces,
    has_bend,
    held_arm,
    held_mobility,
    held_turn,
    is_held_beside,
    list_used_nodes,
    moves,
    shared_mobility,
    turn_gradient,
)
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.bodies import push_body
from cable_sim.kernels.multibody.vec3 import Vector, add, axpy, dot, scale, sub
from cable_sim.kernels.records.arrays import Floats
from cable_sim.kernels.records.lines import Nodes, WireLines

BETA = 0.5
"""Newmark's beta: the implicit part of the stiffness."""


@kernel
def is_massive(j: int, nodes: Nodes) -> bool:
    """Return True if the node in row j is a mass."""
    return nodes.contact_solid[nodes.mark[j, USED]] == MASSIVE


@kernel
def clear_system(n: int, begin: int, end: int, wires: WireLines, nodes_out: Nodes) -> None:
    """Clear the system to the masses alone, and to what bodies weigh at their nodes.

    Rows of nodes that do not move are those of the unit matrix.
    """
    number = nodes_out.number
    i = wires.node_start[wires.cable[n]]
    for j in range(begin, end + 1):
        k = nodes_out.mark[j, USED]
        while nodes_out.mark[i, NODE] < k:
            i += 1
        mobility = shared_mobility(k, nodes_out)
        if nodes_out.contact_solid[k] == MASSIVE:
            mobility = number[i, INVERSE]
        number[j, INERTIA] = 1.0 / mobility if mobility > 0.0 else 1.0
        number[j, FIRST] = 0.0
        number[j, SECOND] = 0.0
        number[j, CHANGE_X] = 0.0
        number[j, CHANGE_Y] = 0.0
        number[j, CHANGE_Z] = 0.0


@kernel
def add_impulse(j: int, impulse: Vector, nodes_out: Nodes) -> None:
    """Add an impulse [N s] to the right-hand side of row j."""
    nodes_out.number[j, CHANGE_X] += impulse[0]
    nodes_out.number[j, CHANGE_Y] += impulse[1]
    nodes_out.number[j, CHANGE_Z] += impulse[2]


@kernel
def velocity_change(j: int, nodes: Nodes) -> Vector:
    """Return the change of velocity of row j [m/s], which is zero where nothing moves."""
    return (nodes.number[j, CHANGE_X], nodes.number[j, CHANGE_Y], nodes.number[j, CHANGE_Z])


@kernel
def soften_hold(
    h: float, j: int, side: int, flexure: tuple[float, float], nodes: Nodes
) -> tuple[Vector, float]:
    """Return h F of a held turn on the node next to row j [N s], and its beta h^2 k / l^2 [kg]."""
    stiffness, turn, span = held_turn(j, side, flexure, nodes)
    inertia = BETA * h * h * stiffness * span[1] ** 2
    part = 1.0 / (1.0 + inertia * held_mobility(j, side, nodes))
    return scale(-side * part * h * stiffness, turn_gradient(turn, span)), part * inertia


@kernel
def assemble_bend(h: float, j: int, flexure: tuple[float, float], nodes_out: Nodes) -> None:
    """Add the bend in row j to the system."""
    number = nodes_out.number
    force_a, force_c, stiffness, a, c = bend_forces(j, flexure, nodes_out)
    b = -a - c
    weight = BETA * h * h * stiffness
    moves_a = moves(j - 1, nodes_out)
    moves_b = moves(j, nodes_out)
    moves_c = moves(j + 1, nodes_out)
    if moves_b:
        number[j, INERTIA] += weight * b * b
        add_impulse(j, scale(-h, add(force_a, force_c)), nodes_out)
    if moves_a:
        number[j - 1, INERTIA] += weight * a * a
        add_impulse(j - 1, scale(h, force_a), nodes_out)
    if moves_c:
        number[j + 1, INERTIA] += weight * c * c
        add_impulse(j + 1, scale(h, force_c), nodes_out)
    if moves_a and moves_b:
        number[j, FIRST] += weight * a * b
    if moves_b and moves_c:
        number[j + 1, FIRST] += weight * b * c
    if moves_a and moves_c:
        number[j + 1, SECOND] += weight * a * c


@kernel
def assemble_system(
    h: float, begin: int, end: int, flexure: tuple[float, float], nodes_out: Nodes
) -> None:
    """Fill the lower half of M + beta h^2 K in INERTIA, FIRST and SECOND, and h F.

    The system has been cleared.
    """
    for j in range(begin, end + 1):
        if begin < j < end and has_bend(j, nodes_out):
            assemble_bend(h, j, flexure, nodes_out)
        for side in (-1, 1):
            if not is_held_beside(j, side, begin, end, nodes_out):
                continue
            impulse, inertia = soften_hold(h, j, side, flexure, nodes_out)
            if moves(j + side, nodes_out):
                nodes_out.number[j + side, INERTIA] += inertia
                add_impulse(j + side, impulse, nodes_out)


@kernel
def solve_system(begin: int, end: int, nodes_out: Nodes) -> None:
    """Solve the pentadiagonal system in place by L D L^T; the changes of velocity replace the
    right-hand side."""
    number = nodes_out.number
    for i in range(begin, end + 1):
        far = 0.0
        near = number[i, FIRST]
        if i > begin + 1:
            far = number[i, SECOND] / number[i - 2, INERTIA]
            near -= number[i, SECOND] * number[i - 1, FIRST]
            number[i, INERTIA] -= far * number[i, SECOND]
            add_impulse(i, scale(-far, velocity_change(i - 2, nodes_out)), nodes_out)
        if i > begin:
            share = near / number[i - 1, INERTIA]
            number[i, INERTIA] -= share * near
            add_impulse(i, scale(-share, velocity_change(i - 1, nodes_out)), nodes_out)
            number[i, FIRST] = share
        number[i, SECOND] = far
    for i in range(end, begin - 1, -1):
        solution = scale(1.0 / number[i, INERTIA], velocity_change(i, nodes_out))
        if i < end:
            solution = axpy(-number[i + 1, FIRST], velocity_change(i + 1, nodes_out), solution)
        if i < end - 1:
            solution = axpy(-number[i + 2, SECOND], velocity_change(i + 2, nodes_out), solution)
        number[i, CHANGE_X], number[i, CHANGE_Y], number[i, CHANGE_Z] = solution


@kernel
def push_neighbours(
    h: float, j: int, flexure: tuple[float, float], nodes: Nodes, next_velocity_out: Floats
) -> None:
    """Apply the impulses of the bend in row j on those of its nodes that are on bodies."""
    massive_a = is_massive(j - 1, nodes)
    massive_b = is_massive(j, nodes)
    massive_c = is_massive(j + 1, nodes)
    if massive_a and massive_b and massive_c:
        return
    force_a, force_c, stiffness, a, c = bend_forces(j, flexure, nodes)
    here = velocity_change(j, nodes)
    rate = sub(
        scale(c, sub(velocity_change(j + 1, nodes), here)),
        scale(a, sub(here, velocity_change(j - 1, nodes))),
    )
    lag = scale(-BETA * h * h * stiffness, rate)
    on_a = axpy(a, lag, scale(h, force_a))
    on_c = axpy(c, lag, scale(h, force_c))
    mark = nodes.mark
    if not massive_a:
        push_node(mark[j - 1, USED], on_a, nodes, next_velocity_out)
    if not massive_b:
        on_b = scale(-1.0, add(on_a, on_c))
        push_node(mark[j, USED], on_b, nodes, next_velocity_out)
    if not massive_c:
        push_node(mark[j + 1, USED], on_c, nodes, next_velocity_out)


@kernel
def push_holder(
    h: float,
    j: int,
    side: int,
    flexure: tuple[float, float],
    nodes: Nodes,
    next_velocity_out: Floats,
) -> None:
    """Apply the impulse of a held turn on one side of row j to the body that holds the rope."""
    impulse, inertia = soften_hold(h, j, side, flexure, nodes)
    impulse = axpy(-inertia, velocity_change(j + side, nodes), impulse)
    k = nodes.mark[j, USED]
    if not is_massive(j + side, nodes):
        push_node(nodes.mark[j + side, USED], impulse, nodes, next_velocity_out)
    if nodes.row_entry[k] >= 0:
        push_body(
            nodes.body[k],
            held_arm(j, side, nodes),
            scale(-1.0, impulse),
            nodes.bodies,
            next_velocity_out,
        )


@kernel
def push_bodies(
    h: float,
    begin: int,
    end: int,
    flexure: tuple[float, float],
    nodes: Nodes,
    next_velocity_out: Floats,
) -> None:
    """Apply the impulses of bending on bodies; the system has been solved."""
    for j in range(begin, end + 1):
        if begin < j < end and has_bend(j, nodes):
            push_neighbours(h, j, flexure, nodes, next_velocity_out)
        for side in (-1, 1):
            if is_held_beside(j, side, begin, end, nodes):
                push_holder(h, j, side, flexure, nodes, next_velocity_out)


@kernel
def push_masses(n: int, begin: int, end: int, wires: WireLines, nodes_out: Nodes) -> None:
    """Give the masses of wire n the impulses of bending; the system has been solved."""
    first = wires.node_start[wires.cable[n]]
    last = first + nodes_out.segment_count[n]
    j = begin
    for i in range(first, last + 1):
        while nodes_out.mark[j, USED] < nodes_out.mark[i, NODE]:
            j += 1
        if nodes_out.number[i, INVERSE] > 0.0:
            change = velocity_change(j, nodes_out)
            impulse = scale(1.0 / nodes_out.number[i, INVERSE], change)
            push_mass(i, first, last, impulse, nodes_out)


@kernel
def apply_bending(
    h: float, n: int, wires: WireLines, nodes_out: Nodes, next_velocity_out: Floats
) -> None:
    """Apply bending for a step to the masses of wire n, whose rows are filled, and to bodies."""
    flexure = wires.rigidity[n], wires.bend_length[n]
    begin, end = list_used_nodes(n, wires, nodes_out)
    clear_system(n, begin, end, wires, nodes_out)
    assemble_system(h, begin, end, flexure, nodes_out)
    solve_system(begin, end, nodes_out)
    push_bodies(h, begin, end, flexure, nodes_out, next_velocity_out)
    push_masses(n, begin, end, wires, nodes_out)


@kernel
def flexural_energy(n: int, wires: WireLines, nodes_out: Nodes) -> float:
    """Energy of the bends of wire n [J]."""
    flexure = wires.rigidity[n], wires.bend_length[n]
    begin, end = list_used_nodes(n, wires, nodes_out)
    total = 0.0
    for j in range(begin, end + 1):
        if begin < j < end and has_bend(j, nodes_out):
            total += bend_energy(j, flexure, nodes_out)
        for side in (-1, 1):
            if is_held_beside(j, side, begin, end, nodes_out):
                stiffness, turn, _ = held_turn(j, side, flexure, nodes_out)
                total += 0.5 * stiffness * dot(turn, turn)
    return total
