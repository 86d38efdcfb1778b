"""Ends and eyes of cables inside of solids that these touch.

A cable can't be laid around a solid that it ends in: on every edge that it would go over to get out
it had to come back in. So next to such an end it is not stopped by that solid: between the end and
the contact node next to it, or the other end, the rope keeps the straight line, and its masses may
be inside. Other masses are kept out, for no way over edges leads to one inside either. When the end
comes out again, the rope still goes through the solid, and to lay it around that at once would pull
it tight: it keeps the straight line until that is free, unless it leans on the solid already. All
this is reported by the status END_INSIDE.

A crossing that has just come may stand in a solid until it lands (``crossing_landing.py``), at the
end of the same update. Over edges there is no way to it either, so its spans wait for that.

``through`` says for every solid of a cable if a span goes through it: ``NOW`` in this update, one
less in the last.
"""

from cable_sim.kernels.cables.contact.contact_path import CROSSED, UNUSED
from cable_sim.kernels.cables.contact.polyhedron import INSIDE, depth
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.rotation import load_quaternion, rotate_back
from cable_sim.kernels.multibody.vec3 import load, norm, sub
from cable_sim.kernels.records.arrays import Ints
from cable_sim.kernels.records.lines import Nodes

NOW = 2


@kernel
def is_buried(t: int, k: int, kind: int, nodes: Nodes) -> bool:
    """Return True if node k is of a kind, such as an end or eye, UNUSED, and inside of solid t."""
    if nodes.contact_solid[k] != kind:
        return False
    b = nodes.solids.body[t]
    point = rotate_back(
        load_quaternion(nodes.bodies.orientation, b),
        sub(load(nodes.position, k), load(nodes.bodies.position, b)),
    )
    if norm(sub(point, load(nodes.solids.centre, t))) > nodes.solids.radius[t]:
        return False
    inside, _ = depth(nodes.solids, t, point)
    return inside > INSIDE


@kernel
def ends_inside(t: int, k: int, first: int, last: int, nodes: Nodes) -> bool:
    """Return True if the span from node k comes to an end in solid t, over masses alone.

    ``first`` and ``last`` are the ends of its strand.
    """
    i = k
    j = k + 1
    while i > first and nodes.contact_solid[i] < UNUSED:
        i -= 1
    while j < last and nodes.contact_solid[j] < UNUSED:
        j += 1
    return is_buried(t, i, UNUSED, nodes) or is_buried(t, j, UNUSED, nodes)


@kernel
def waits_for_landing(t: int, k: int, nodes: Nodes) -> bool:
    """Return True if the span from node k comes to a free crossing inside of solid t."""
    return is_buried(t, k, CROSSED, nodes) or is_buried(t, k + 1, CROSSED, nodes)


@kernel
def runs_through(t: int, k: int, first: int, last: int, nodes: Nodes) -> bool:
    """Return True if the rope at mass or span k is not stopped by solid t, which it is in.

    ``first`` and ``last`` are the ends of its strand.
    """
    if ends_inside(t, k, first, last, nodes):
        return True
    through = nodes.pierced[t] > 0
    for node in range(first + 1, last):
        through = through and nodes.contact_solid[node] != t
    return through


@kernel
def is_let_through(t: int, k: int, strand: tuple[int, int], nodes: Nodes) -> bool:
    """Return True if the mass at node k, in a strand of two ends, may go into solid t."""
    return nodes.pierced[t] > 0 and runs_through(t, k, strand[0], strand[1], nodes)


@kernel
def passes_through(t: int, k: int, first: int, last: int, nodes_out: Nodes) -> bool:
    """Return what :func:`runs_through` does of the span from node k, and record it."""
    through = runs_through(t, k, first, last, nodes_out)
    if through:
        nodes_out.pierced[t] = NOW
    return through


@kernel
def fade_marks(through_out: Ints) -> None:
    """Begin an update: count the marks of spans through solids down by one."""
    for t in range(through_out.size):
        through_out[t] = max(through_out[t] - 1, 0)
