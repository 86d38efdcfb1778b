"""Weight of the rope in a segment that runs over nodes: a solid bears the rope that lies on it.

A segment has one tension T and gives its mass to its two endpoints. Between them its rope goes up
and down, and the nodes it runs over bear some of it. Its rope has the energy V = rho sum L_k phi_k,
L_k the rest length of span k, phi_k = -g . x in the middle of it. As the rope slides freely, L_k
goes with the length l_k, and the forces of V are

    T_k = T + rho (L / S) (phi_k - phi),       S = sum l_k, L = sum L_k, phi = sum L_k phi_k / L,

the tension at every height of a rope at rest with T its mean, which the elastic law asks for, and
half of the weight of every span at each of its ends. Both are known before the rows are solved, so
they are impulses from outside,

    on the node at its beginning   h rho (L / S) (phi_k - phi) u_k + h rho L_k g / 2,
    on the one at its end         -h rho (L / S) (phi_k - phi) u_k + h rho L_k g / 2,

and what the endpoints have of the weight already, h rho L g / 2 each, is taken off them. A winch
feels the tension at its own height, h rho (phi_0 - phi) more. So two sides of a wire over a pulley
pull with their full weights, in spite of one tension and equal masses.

A slack segment is treated alike, but for the tension that masses are judged by, which is zero
(``masses.py``). Not there: heights where friction sets the tensions, in a segment that slips over a
rough node or can't change at all, so that their ratios stay those of ``friction.py``; and inertia
of the spans, as if rope between endpoints had no mass of its own to be accelerated.
"""

from cable_sim.kernels.cables.contact_path import FREE
from cable_sim.kernels.cables.friction import push_mass, push_node
from cable_sim.kernels.cables.segments import (
    BEFORE,
    FROZEN,
    INVERSE,
    NODE,
    REST,
    ROW,
    is_stuck,
    next_node,
)
from cable_sim.kernels.drums import paid_out
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.vec3 import axpy, dot, load, scale


@kernel
def is_straight(i, segments):
    """Return True if segment i has one span only."""
    return segments.mark[i + 1, BEFORE] == segments.mark[i, NODE]


@kernel
def height(k, gravity, nodes):
    """Return the potential phi of node k [m^2/s^2]."""
    return -dot(gravity, load(nodes.position, k))


@kernel
def middle_height(i, k, gravity, nodes, segments):
    """Return phi in the middle of span k of segment i [m^2/s^2]."""
    return 0.5 * (height(k, gravity, nodes) + height(next_node(i, k, segments), gravity, nodes))


@kernel
def height_of_rope(i, gravity, nodes, segments):
    """Return phi of the rope of segment i times its length [m^3/s^2]."""
    total = 0.0
    for k in range(segments.mark[i, NODE], segments.mark[i + 1, BEFORE] + 1):
        total += nodes.rest_length[k] * middle_height(i, k, gravity, nodes, segments)
    return total


@kernel
def mean_height(i, gravity, nodes, segments):
    """Return the mean phi of the rope of segment i [m^2/s^2]."""
    rest = segments.number[i, REST]
    return height_of_rope(i, gravity, nodes, segments) / rest if rest > 0.0 else 0.0


@kernel
def density_ratio(i, nodes, segments):
    """Return the rope of segment i over its path [-]: stretched rope is less dense.

    Slack rope is not taken for denser than taut.
    """
    path = 0.0
    for k in range(segments.mark[i, NODE], segments.mark[i + 1, BEFORE] + 1):
        path += nodes.length[k]
    return min(segments.number[i, REST] / path, 1.0) if path > 0.0 else 0.0


@kernel
def is_frictionless(i, nodes, segments):
    """Return True if the rope of segment i slides without friction."""
    free = segments.mark[i, ROW] != FROZEN
    for k in range(segments.mark[i, NODE] + 1, segments.mark[i + 1, NODE]):
        free &= nodes.friction_state[k] == FREE
    return free


@kernel
def mean_impulse(impulse, a, d, nodes):
    """Return the mean of spans' impulses over the rope between the nodes a and d [N s].

    For tensions it is the one that stretches the rope.
    """
    total = 0.0
    rope = 0.0
    for k in range(a, d):
        total = total + impulse[k] * nodes.rest_length[k]
        rope = rope + nodes.rest_length[k]
    return total / rope if rope > 0.0 else 0.0


@kernel
def next_mass(i, nodes, segments):
    """Return the next endpoint with a mass behind endpoint i: there is none where rope sticks."""
    i += 1
    while is_stuck(i, nodes, segments):
        i += 1
    return i


@kernel
def is_borne(i, nodes, segments):
    """Return True if segment i lies frozen on the world, which bears it."""
    return segments.mark[i, ROW] == FROZEN and nodes.body[segments.mark[i, NODE]] == 0


@kernel
def push_endpoint(i, begin, end, impulse, moving, nodes_out, segments_out, next_velocity_out):
    """Apply an impulse [N s] to endpoint i: to its mass, or to the body that holds it."""
    if segments_out.number[i, INVERSE] > 0.0:
        push_mass(i, begin, end, impulse, nodes_out, segments_out)
    else:
        push_node(segments_out.mark[i, NODE], impulse, moving, nodes_out, next_velocity_out)


@kernel
def apply_span_weights(
    i, begin, end, density, step, moving, nodes_out, segments_out, next_velocity_out
):
    """Give the nodes of segment i the weight and the tensions of their spans; ``step`` is h g
    [m/s], ``density`` rho."""
    a = segments_out.mark[i, NODE]
    last = segments_out.mark[i + 1, BEFORE]
    mean = mean_height(i, step, nodes_out, segments_out)
    dense = density * density_ratio(i, nodes_out, segments_out)
    free = is_frictionless(i, nodes_out, segments_out)
    for k in range(a, last + 1):
        if free:
            segments_out.weight_impulse[k] = dense * (
                middle_height(i, k, step, nodes_out, segments_out) - mean
            )
        weight = scale(0.5 * density * nodes_out.rest_length[k], step)
        along = load(nodes_out.direction, k)
        on_first = axpy(segments_out.weight_impulse[k], along, weight)
        on_last = axpy(-segments_out.weight_impulse[k], along, weight)
        if k == a:
            push_endpoint(
                i, begin, end, on_first, moving, nodes_out, segments_out, next_velocity_out
            )
        else:
            push_node(k, on_first, moving, nodes_out, next_velocity_out)
        if k == last:
            push_endpoint(
                i + 1, begin, end, on_last, moving, nodes_out, segments_out, next_velocity_out
            )
        else:
            push_node(k + 1, on_last, moving, nodes_out, next_velocity_out)


@kernel
def apply_weight_between(
    left, right, begin, end, density, step, moving, nodes_out, segments_out, next_velocity_out
):
    """Take the weight of the rope between two masses off them, and apply it where it hangs."""
    borne = 0.0
    for i in range(left, right):
        if is_borne(i, nodes_out, segments_out):
            borne += segments_out.number[i, REST]
            continue
        held = scale(-0.5 * density * segments_out.number[i, REST], step)
        push_endpoint(left, begin, end, held, moving, nodes_out, segments_out, next_velocity_out)
        push_endpoint(right, begin, end, held, moving, nodes_out, segments_out, next_velocity_out)
        apply_span_weights(
            i, begin, end, density, step, moving, nodes_out, segments_out, next_velocity_out
        )
    if borne > 0.0:
        held = scale(-0.5 * density * borne, step)
        push_endpoint(left, begin, end, held, moving, nodes_out, segments_out, next_velocity_out)
        push_endpoint(right, begin, end, held, moving, nodes_out, segments_out, next_velocity_out)


@kernel
def apply_winch_pull(i, c, density, step, wires, moving, nodes, segments, next_velocity_out):
    """Apply to the winch of cable c the tension at its height instead of the mean.

    Segment i begins at the winch.
    """
    _, ratio = paid_out(wires.winch, wires.layer_start, wires.layer, c, moving.position)
    above = height(segments.mark[i, NODE], step, nodes) - mean_height(i, step, nodes, segments)
    next_velocity_out[wires.winch[c], 0] += (
        moving.inverse_mass[wires.winch[c]] * ratio * density * above
    )


@kernel
def apply_segment_weight(n, gravity, h, wires, moving, nodes_out, segments_out, next_velocity_out):
    """Apply the weight of wire n where it hangs.

    Its rows stand. ``weight_impulse`` becomes the impulse of rho (phi_k - phi).
    """
    c = wires.cable[n]
    step = scale(h, gravity)
    begin = wires.node_start[c]
    density = wires.density[c]
    end = begin + segments_out.count[n]
    for k in range(begin, wires.node_start[c + 1]):
        segments_out.weight_impulse[k] = 0.0
    if wires.winch[c] >= 0:
        apply_winch_pull(
            begin, c, density, step, wires, moving, nodes_out, segments_out, next_velocity_out
        )
    left = begin
    while left < end:
        right = next_mass(left, nodes_out, segments_out)
        if not (is_straight(left, segments_out) and right - left == 1):
            apply_weight_between(
                left,
                right,
                begin,
                end,
                density,
                step,
                moving,
                nodes_out,
                segments_out,
                next_velocity_out,
            )
        left = right
