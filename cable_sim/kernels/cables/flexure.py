"""Bending stiffness of hybrid wires, at their masses: implicit, so that no stiffness shakes a step
apart.

A mass i between spans of rest lengths l_a, l_c has the energy E_i = k_i (1 - cos theta_i), k_i = 2
EI / (l_a + l_c): the discrete elastica of ``bending.py``, with the material map of misprint 37 (I =
pi r^4 / 4 of a solid rod; a rope of many wires has much less). Its forces F are the exact gradient,
so that they have neither sum nor moment. Nodes on bodies are hinges; what bends a wire over an edge
is the edge's affair.

*Time.* Stiffness grows with l^-3 and would shake fine wires apart: of a rope with EI = 300 N m^2
and 1.5 kg/m the limit of an explicit step of 1/60 s is at l = 0.69 m. With the curvature rate of a
straight rope at mass i,

    kappa_i' = (v_next - v_i) / |e_c| - (v_i - v_before) / |e_a| = B_i v,    K = sum k_i B_i^T B_i,

the stiffness of a straight rope alike in all directions, which is pentadiagonal, the step is

    (M + beta h^2 K) b = h F(x),

with b the change of the velocities by bending. For a mode of frequency w this is the leapfrog rule
with w^2 / (1 + beta h^2 w^2) for w^2 (Newmark's beta): without damping, stable where h^2 w^2 < 4 (1
+ beta h^2 w^2), at any w for beta >= 1/4. With ``BETA`` = 1/2 bending takes up half of that limit
at most and leaves the rest to the tension, of whose limit masses have a quarter at most
(``adaptive_resolution.py``). Momentum is kept; angular momentum up to beta h^2 K b.

The segments act afterwards, on the masses alone. So statics, too, sees the stiffness of that mode
smaller by 1 + beta h^2 w^2: next to nothing for what the eye sees as a bend, much for what has the
length of a span or two.

What acts on a node of a body is the body's: its part of h F - beta h^2 K b.

*Bars.* A straight span that ends at a mass and lies on no solid pushes as well as it pulls: a bow
of stiff wire would fold up otherwise. But it does so from the moment on when it was taut, its gap g
= L - S <= 0, not before. Rope that a mass comes to on a chord, or goes from off one, is longer than
its span: it has bent within the span, where nothing is known of it. A bar there would be squeezed
by g without any work, and give back what nobody gave,

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

from cable_sim.kernels.cables.bending import vertex_energy, vertex_forces
from cable_sim.kernels.cables.contact_path import MASSIVE, SEVERED
from cable_sim.kernels.cables.friction import push_mass, push_node
from cable_sim.kernels.cables.segments import (
    BEFORE,
    CHANGE_X,
    CHANGE_Y,
    CHANGE_Z,
    FIRST,
    INERTIA,
    INVERSE,
    NODE,
    SECOND,
)
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.vec3 import ZERO, add, axpy, load, scale, sub

BETA = 0.5
"""Newmark's beta: the implicit part of the stiffness."""


@kernel
def has_bend(k, nodes):
    """Return True if there is rope on both sides of mass k."""
    if (
        nodes.contact_solid[k] != MASSIVE
        or nodes.friction_state[k] == SEVERED
        or nodes.friction_state[k - 1] == SEVERED
    ):
        return False
    return nodes.length[k - 1] > 0.0 and nodes.length[k] > 0.0


@kernel
def neighbours_move(i, nodes, segments):
    """Return True if the node before endpoint i is a mass, and the same for the node behind it."""
    k = segments.mark[i, NODE]
    before = segments.mark[i - 1, NODE]
    behind = segments.mark[i + 1, NODE]
    follows = (
        segments.mark[i + 1, BEFORE] == k
    )  # with room that is not in use in between, behind is not k + 1
    return before == k - 1 and nodes.contact_solid[
        before
    ] == MASSIVE, follows and nodes.contact_solid[behind] == MASSIVE


@kernel
def vertex_stiffness(k, rigidity, nodes):
    """Stiffness of mass k [N m], and the vectors of the spans before and behind it [m]."""
    rest = nodes.rest_length[k - 1] + nodes.rest_length[k]
    before = scale(nodes.length[k - 1], load(nodes.direction, k - 1))
    return 2.0 * rigidity / rest, before, scale(nodes.length[k], load(nodes.direction, k))


@kernel
def clear_system(begin, end, segments_out):
    """Clear the system to the masses alone.

    Rows of endpoints without a mass are those of the unit matrix.
    """
    number = segments_out.number
    for i in range(begin, end + 1):
        number[i, INERTIA] = 1.0 / number[i, INVERSE] if number[i, INVERSE] > 0.0 else 1.0
        number[i, FIRST] = 0.0
        number[i, SECOND] = 0.0
        number[i, CHANGE_X] = 0.0
        number[i, CHANGE_Y] = 0.0
        number[i, CHANGE_Z] = 0.0


@kernel
def add_impulse(i, impulse, segments_out):
    """Add an impulse [N s] to the right-hand side of endpoint i."""
    segments_out.number[i, CHANGE_X] += impulse[0]
    segments_out.number[i, CHANGE_Y] += impulse[1]
    segments_out.number[i, CHANGE_Z] += impulse[2]


@kernel
def velocity_change(i, moves, segments):
    """Return the change of velocity of endpoint i [m/s].

    It is zero of a node that does not move with the rope's masses.
    """
    if not moves:
        return ZERO
    return (
        segments.number[i, CHANGE_X],
        segments.number[i, CHANGE_Y],
        segments.number[i, CHANGE_Z],
    )


@kernel
def assemble_system(h, begin, end, rigidity, nodes, segments_out):
    """Fill the lower half of M + beta h^2 K in INERTIA, FIRST and SECOND, and h F."""
    clear_system(begin, end, segments_out)
    number = segments_out.number
    for i in range(begin + 1, end):
        k = segments_out.mark[i, NODE]
        if not has_bend(k, nodes):
            continue
        stiffness, before, behind = vertex_stiffness(k, rigidity, nodes)
        force_a, force_c = vertex_forces(stiffness, before, behind)
        a = 1.0 / nodes.length[k - 1]
        c = 1.0 / nodes.length[k]
        b = -a - c
        weight = BETA * h * h * stiffness
        number[i, INERTIA] += weight * b * b
        add_impulse(i, scale(-h, add(force_a, force_c)), segments_out)
        moves_a, moves_c = neighbours_move(i, nodes, segments_out)
        if moves_a:
            number[i - 1, INERTIA] += weight * a * a
            number[i, FIRST] += weight * a * b
            add_impulse(i - 1, scale(h, force_a), segments_out)
        if moves_c:
            number[i + 1, INERTIA] += weight * c * c
            number[i + 1, FIRST] += weight * b * c
            add_impulse(i + 1, scale(h, force_c), segments_out)
        if moves_a and moves_c:
            number[i + 1, SECOND] += weight * a * c


@kernel
def solve_system(begin, end, segments_out):
    """Solve the pentadiagonal system in place by L D L^T; the changes of velocity replace the
    right-hand side."""
    number = segments_out.number
    for i in range(begin, end + 1):
        far = 0.0
        near = number[i, FIRST]
        if i > begin + 1:
            far = number[i, SECOND] / number[i - 2, INERTIA]
            near -= number[i, SECOND] * number[i - 1, FIRST]
            number[i, INERTIA] -= far * number[i, SECOND]
            add_impulse(i, scale(-far, velocity_change(i - 2, True, segments_out)), segments_out)
        if i > begin:
            share = near / number[i - 1, INERTIA]
            number[i, INERTIA] -= share * near
            add_impulse(i, scale(-share, velocity_change(i - 1, True, segments_out)), segments_out)
            number[i, FIRST] = share
        number[i, SECOND] = far
    for i in range(end, begin - 1, -1):
        solution = scale(1.0 / number[i, INERTIA], velocity_change(i, True, segments_out))
        if i < end:
            solution = axpy(
                -number[i + 1, FIRST], velocity_change(i + 1, True, segments_out), solution
            )
        if i < end - 1:
            solution = axpy(
                -number[i + 2, SECOND], velocity_change(i + 2, True, segments_out), solution
            )
        number[i, CHANGE_X], number[i, CHANGE_Y], number[i, CHANGE_Z] = solution


@kernel
def push_bodies(h, begin, end, rigidity, moving, nodes, segments, next_velocity_out):
    """Apply the impulses of bending on the nodes of bodies next to masses."""
    for i in range(begin + 1, end):
        k = segments.mark[i, NODE]
        moves_a, moves_c = neighbours_move(i, nodes, segments)
        if not has_bend(k, nodes) or (moves_a and moves_c):
            continue
        stiffness, before, behind = vertex_stiffness(k, rigidity, nodes)
        force_a, force_c = vertex_forces(stiffness, before, behind)
        a = 1.0 / nodes.length[k - 1]
        c = 1.0 / nodes.length[k]
        here = velocity_change(i, True, segments)
        rate = sub(
            scale(c, sub(velocity_change(i + 1, moves_c, segments), here)),
            scale(a, sub(here, velocity_change(i - 1, moves_a, segments))),
        )
        lag = scale(-BETA * h * h * stiffness, rate)
        if not moves_a:
            push_node(k - 1, axpy(a, lag, scale(h, force_a)), moving, nodes, next_velocity_out)
        if not moves_c:
            push_node(k + 1, axpy(c, lag, scale(h, force_c)), moving, nodes, next_velocity_out)


@kernel
def apply_bending(h, n, rigidity, wires, moving, segments_out, nodes_out, next_velocity_out):
    """Apply bending for a step to the masses of wire n, whose rows are filled, and to its bodies.

    ``rigidity`` is EI.
    """
    begin = wires.node_start[wires.cable[n]]
    end = begin + segments_out.count[n]
    assemble_system(h, begin, end, rigidity, nodes_out, segments_out)
    solve_system(begin, end, segments_out)
    push_bodies(h, begin, end, rigidity, moving, nodes_out, segments_out, next_velocity_out)
    for i in range(begin, end + 1):
        if segments_out.number[i, INVERSE] > 0.0:
            impulse = scale(
                1.0 / segments_out.number[i, INVERSE], velocity_change(i, True, segments_out)
            )
            push_mass(i, begin, end, impulse, nodes_out, segments_out)


@kernel
def flexural_energy(n, rigidity, wires, nodes, segments):
    """Energy of the bends of wire n [J]."""
    begin = wires.node_start[wires.cable[n]]
    total = 0.0
    for i in range(begin + 1, begin + segments.count[n]):
        if has_bend(segments.mark[i, NODE], nodes):
            stiffness, before, behind = vertex_stiffness(segments.mark[i, NODE], rigidity, nodes)
            total += vertex_energy(stiffness, before, behind)
    return total
