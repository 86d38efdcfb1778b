"""Forces of hybrid wires on what carries them, and the tensions at both ends of a wire.

A span has the tension T_k in its middle. Each of its nodes bears half of its weight
(``weight.py``), and an end or clamp has the mass m of half of the rope to the next masses
(``ends.py``), whose weight is that of these spans. So a node that is no mass feels, with the unit
vectors u_k of its spans away from it and its velocities v before and v+ behind the step,

    h F = sum h T_k u_k + h rho sum L_k g / 2 - m (v+ - v).

At an end that is the pull of the rope there, and the tension is |F|: of a rope at rest with the
horizontal part of T_k, and the vertical part of all that hangs. Rope that is slack, T_k = 0, has no
tension, whatever it weighs, and neither has rope that its weight pushes onto the end. The tension
of a bar that pushes is the part along it. A loose end feels nothing, and is read by the middle of
its span.
"""

from cable_sim.kernels.cables.contact.contact_path import MASSIVE, count_nodes
from cable_sim.kernels.cables.hybrid.segments import own_node_before
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.vec3 import ZERO, Vector, add, axpy, dot, load, norm, scale, store
from cable_sim.kernels.records.arrays import Floats
from cable_sim.kernels.records.lines import Nodes, WireLines


@kernel
def end_tension(pull: float, along: Vector, beside: Vector) -> float:
    """Return the tension at a node of a span that pulls along a unit vector away from it.

    ``beside`` is what the node feels besides, in the unit of ``pull``.
    """
    force = axpy(pull, along, beside)
    straight = dot(along, force)
    if pull > 0.0:
        return norm(force) if straight > 0.0 else 0.0
    return straight if pull < 0.0 else 0.0


@kernel
def last_span(c: int, wires: WireLines, nodes: Nodes) -> int:
    """Return the last span of wire c that is in use."""
    first = own_node_before(wires.node_start[c + 1] - 2, c, wires)
    return first + count_nodes(first, wires.slots[first], nodes)


@kernel
def largest_tension(k: int, last: int, end: int, half_weight: Vector, nodes: Nodes) -> float:
    """Return the impulse of the larger tension at both nodes of span k [N s].

    ``last`` is the last span of the wire and ``end`` its last node; ``half_weight`` is h rho g / 2
    [N s/m].
    """
    along = load(nodes.direction, k)
    weight = scale(nodes.rest_length[k], half_weight)
    far = add(weight, load(nodes.inertia_impulse, end)) if k == last else weight
    near = add(weight, load(nodes.inertia_impulse, k))
    pull = nodes.tension_impulse[k]
    return max(end_tension(pull, along, near), end_tension(pull, scale(-1.0, along), far))


@kernel
def add_own_forces(
    h: float, c: int, half_weight: Vector, wires: WireLines, nodes: Nodes, force_out: Floats
) -> None:
    """Add weight and inertia of the rope of wire c to the forces on its nodes [N].

    ``half_weight`` is rho g / 2 [N/m].
    """
    end = wires.node_start[c + 1] - 1
    for k in range(wires.node_start[c], end):
        weight = scale(nodes.rest_length[k], half_weight)
        store(add(load(force_out, k), weight), k, force_out)
        store(add(load(force_out, k + 1), weight), k + 1, force_out)
    for k in range(wires.node_start[c], end + 1):
        own = axpy(1.0 / h, load(nodes.inertia_impulse, k), load(force_out, k))
        store(own, k, force_out)


@kernel
def read_end_tensions(
    c: int, wires: WireLines, nodes: Nodes, force: Floats, tension_out: Floats
) -> None:
    """Set the tensions at both ends of wire c [N], from the forces there.

    They stand in its first row and in its last but one. That is room that is not in use unless the
    wire has all of its nodes, and so all of its spans.
    """
    begin = wires.node_start[c]
    end = wires.node_start[c + 1] - 1
    last = last_span(c, wires, nodes)
    pull = tension_out[last]
    if nodes.contact_solid[begin] != MASSIVE:
        first = tension_out[begin]
        along = load(nodes.direction, begin)
        tension_out[begin] = end_tension(first, along, axpy(-first, along, load(force, begin)))
    if nodes.contact_solid[end] != MASSIVE:
        felt = ZERO
        for k in range(last + 1, end + 1):  # room stands on the end
            felt = add(felt, load(force, k))
        along = scale(-1.0, load(nodes.direction, last))
        tension_out[end - 1] = end_tension(pull, along, axpy(-pull, along, felt))


@kernel
def read_wires(
    h: float,
    gravity: Vector,
    wires: WireLines,
    nodes: Nodes,
    tension_out: Floats,
    force_out: Floats,
) -> None:
    """Complete forces on nodes and tensions at the ends of all wires, from those of their spans."""
    for c in wires.cable:
        half_weight = scale(0.5 * wires.density[c], gravity)
        add_own_forces(h, c, half_weight, wires, nodes, force_out)
        read_end_tensions(c, wires, nodes, force_out, tension_out)
