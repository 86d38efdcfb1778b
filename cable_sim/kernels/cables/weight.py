"""Weight of the rope in a piece that runs over nodes: a solid bears the rope that lies on it.

A piece has one tension T and gives its mass to its two holders. Between them its rope goes up and
down, and the nodes it runs over bear some of it. Its rope has the energy V = rho sum L_k phi_k, L_k
the rest length of span k, phi_k = -g . x in the middle of it. As the rope slides freely, L_k goes
with the length l_k, and the forces of V are

    T_k = T + rho (L / S) (phi_k - phi),       S = sum l_k, L = sum L_k, phi = sum L_k phi_k / L,

the tension at every height of a rope at rest with T its mean, which the elastic law asks for, and
half of the weight of every span at each of its ends. Both are known before the rows are solved, so
they are impulses from outside,

    on the node at its beginning   h rho (L / S) (phi_k - phi) u_k + h rho L_k g / 2,
    on the one at its end         -h rho (L / S) (phi_k - phi) u_k + h rho L_k g / 2,

and what the holders have of the weight already, h rho L g / 2 each, is taken off them. A winch
feels the tension at its own height, h rho (phi_0 - phi) more. So two sides of a wire over a pulley
pull with their full weights, in spite of one tension and equal masses.

A slack piece is treated alike, but for the tension that masses are judged by, which is zero
(``masses.py``). Not there: heights where friction sets the tensions, in a piece that slips over a
rough node or can't change at all, so that their ratios stay those of ``friction.py``; and inertia
of the spans, as if rope between holders had no mass of its own to be accelerated.
"""

from cable_sim.kernels.cables.contact_path import FREE
from cable_sim.kernels.cables.friction import push_mass, push_node
from cable_sim.kernels.cables.pieces import (
    BEFORE,
    FROZEN,
    INVERSE,
    NODE,
    REST,
    ROW,
    behind,
    is_stuck,
)
from cable_sim.kernels.drums import paid_out
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.vec3 import axpy, dot, load, scale


@kernel
def is_straight(i, pieces):
    """Return True if piece i has one span only."""
    return pieces.mark[i + 1, BEFORE] == pieces.mark[i, NODE]


@kernel
def height(k, gravity, nodes):
    """phi of node k [m^2/s^2]."""
    return -dot(gravity, load(nodes.position, k))


@kernel
def middle_height(i, k, gravity, nodes, pieces):
    """phi in the middle of span k of piece i [m^2/s^2]."""
    return 0.5 * (height(k, gravity, nodes) + height(behind(i, k, pieces), gravity, nodes))


@kernel
def height_of_rope(i, gravity, nodes, pieces):
    """phi of the rope of piece i times its length [m^3/s^2]."""
    total = 0.0
    for k in range(pieces.mark[i, NODE], pieces.mark[i + 1, BEFORE] + 1):
        total += nodes.rest[k] * middle_height(i, k, gravity, nodes, pieces)
    return total


@kernel
def mean_height(i, gravity, nodes, pieces):
    """phi of the rope of piece i [m^2/s^2]."""
    rest = pieces.number[i, REST]
    return height_of_rope(i, gravity, nodes, pieces) / rest if rest > 0.0 else 0.0


@kernel
def density_ratio(i, nodes, pieces):
    """Return the rope of piece i over its way [-]: stretched rope is less dense.

    Slack rope is not taken for denser than taut.
    """
    way = 0.0
    for k in range(pieces.mark[i, NODE], pieces.mark[i + 1, BEFORE] + 1):
        way += nodes.length[k]
    return min(pieces.number[i, REST] / way, 1.0) if way > 0.0 else 0.0


@kernel
def is_free(i, nodes, pieces):
    """Return True if the rope of piece i slides without friction."""
    free = pieces.mark[i, ROW] != FROZEN
    for k in range(pieces.mark[i, NODE] + 1, pieces.mark[i + 1, NODE]):
        free &= nodes.slip[k] == FREE
    return free


@kernel
def mean_of(impulse, a, d, nodes):
    """Return the mean of spans' impulses over the rope between the nodes a and d [N s].

    For tensions it is the one that stretches the rope.
    """
    total = 0.0
    rope = 0.0
    for k in range(a, d):
        total = total + impulse[k] * nodes.rest[k]
        rope = rope + nodes.rest[k]
    return total / rope if rope > 0.0 else 0.0


@kernel
def bearers(i, nodes, pieces):
    """Return the two holders that have the mass of piece i: there is none where the rope sticks."""
    left = i
    right = i + 1
    while is_stuck(left, nodes, pieces):
        left -= 1
    while is_stuck(right, nodes, pieces):
        right += 1
    return left, right


@kernel
def push(i, begin, end, impulse, moving, nodes_out, pieces_out, next_velocity_out):
    """Apply an impulse [N s] to holder i: to its mass, or to the body that holds it."""
    if pieces_out.number[i, INVERSE] > 0.0:
        push_mass(i, begin, end, impulse, nodes_out, pieces_out)
    else:
        push_node(pieces_out.mark[i, NODE], impulse, moving, nodes_out, next_velocity_out)


@kernel
def hang_piece(i, begin, end, density, step, moving, nodes_out, pieces_out, next_velocity_out):
    """Give the nodes of piece i the weight and the tensions of their spans; ``step`` is h g [m/s],
    ``density`` rho."""
    a = pieces_out.mark[i, NODE]
    last = pieces_out.mark[i + 1, BEFORE]
    mean = mean_height(i, step, nodes_out, pieces_out)
    dense = density * density_ratio(i, nodes_out, pieces_out)
    free = is_free(i, nodes_out, pieces_out)
    for k in range(a, last + 1):
        if free:
            pieces_out.lift[k] = dense * (middle_height(i, k, step, nodes_out, pieces_out) - mean)
        weight = scale(0.5 * density * nodes_out.rest[k], step)
        along = load(nodes_out.direction, k)
        on_first = axpy(pieces_out.lift[k], along, weight)
        on_last = axpy(-pieces_out.lift[k], along, weight)
        if k == a:
            push(i, begin, end, on_first, moving, nodes_out, pieces_out, next_velocity_out)
        else:
            push_node(k, on_first, moving, nodes_out, next_velocity_out)
        if k == last:
            push(i + 1, begin, end, on_last, moving, nodes_out, pieces_out, next_velocity_out)
        else:
            push_node(k + 1, on_last, moving, nodes_out, next_velocity_out)


@kernel
def pull_winch(i, c, density, step, wires, moving, nodes, pieces, next_velocity_out):
    """Let the winch of cable c feel the tension at its height instead of the mean.

    Piece i begins at the winch.
    """
    _, ratio = paid_out(wires.winch, wires.layer_start, wires.layer, c, moving.position)
    above = height(pieces.mark[i, NODE], step, nodes) - mean_height(i, step, nodes, pieces)
    next_velocity_out[wires.winch[c], 0] += (
        moving.inverse_mass[wires.winch[c]] * ratio * density * above
    )


@kernel
def apply_segment_weight(n, gravity, h, wires, moving, nodes_out, pieces_out, next_velocity_out):
    """Apply the weight of wire n where it hangs.

    Its rows stand. ``lift`` becomes the impulse of rho (phi_k - phi).
    """
    c = wires.cable[n]
    step = scale(h, gravity)
    begin = wires.node_start[c]
    density = wires.density[c]
    end = begin + pieces_out.count[n]
    for k in range(begin, wires.node_start[c + 1]):
        pieces_out.lift[k] = 0.0
    for i in range(begin, end):
        if i == begin and wires.winch[c] >= 0:
            pull_winch(i, c, density, step, wires, moving, nodes_out, pieces_out, next_velocity_out)
        left, right = bearers(i, nodes_out, pieces_out)
        if is_straight(i, pieces_out) and right - left == 1:
            continue  # the holders have it where it hangs
        held = scale(-0.5 * density * pieces_out.number[i, REST], step)
        push(left, begin, end, held, moving, nodes_out, pieces_out, next_velocity_out)
        push(right, begin, end, held, moving, nodes_out, pieces_out, next_velocity_out)
        hang_piece(i, begin, end, density, step, moving, nodes_out, pieces_out, next_velocity_out)
