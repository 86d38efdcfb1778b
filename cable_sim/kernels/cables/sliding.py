"""Where contact nodes stand: each slides on its line to where the way over it is shortest (Servin et al. 2011, eq. 18).

One node after the other, there and back, until all rest. The sum of distances is convex in all coordinates together,
so this finds the shortest way over the same lines, but for one kind of place: where two nodes meet, at a corner, each
would rest for the sake of the other. Hence they keep a little way off the ends of their edges.
"""

from cable_sim.kernels.cables.polyhedron import detour, over_edge, passes, shortest
from cable_sim.kernels.cables.strand import DIRECTION, LOWER, POINT, UPPER, lay_node
from cable_sim.kernels.jit import inner
from cable_sim.kernels.rotation import load_quaternion, rotate_back
from cable_sim.kernels.vec3 import axpy, dot, load, norm, store, sub

MARGIN = 2e-6
"""Nodes keep this far from the ends of their edges [m]: two that met at a corner would hold one another there."""
FAR, HALVINGS = 5e-3, 7
"""A node that would slide farther than this [m] may sweep the cable through its solid: it goes as far as the way is
free, or half of it, half of that and so on."""
SWEEPS, AT_REST = 30, 1e-7
"""How often nodes slide there and back at most; they rest when none goes farther [m]."""


@inner
def in_body(bodies, b, point):
    """A point of the world in the frame of body b [m]."""
    return rotate_back(load_quaternion(bodies.orientation, b), sub(point, load(bodies.position, b)))


@inner
def put(k, z, nodes_out):
    """Put node k at the coordinate z of its line."""
    line = nodes_out.line[k : k + 1]
    point = axpy(z, load(line[:, DIRECTION:], 0), load(line[:, POINT:], 0))
    store(point, k, nodes_out.point)


@inner
def rest(k, a, b, nodes):
    """Coordinate on the line of node k where the way from a to b is shortest [m]."""
    line = nodes.line[k : k + 1]
    return shortest(load(line[:, POINT:], 0), load(line[:, DIRECTION:], 0), line[0, LOWER], line[0, UPPER], a, b)


@inner
def free_way(solids, k, z_before, z, a, b, nodes):
    """How far node k may go from the coordinate z_before towards z with the ways to a and b outside of its solid [m].

    Halved until it may; the rest is for the next time, when the edge in its way has a node of its own.
    """
    t, line = nodes.touch[k], nodes.line[k : k + 1]
    for _ in range(HALVINGS):
        p = axpy(z, load(line[:, DIRECTION:], 0), load(line[:, POINT:], 0))
        if passes(solids, t, a, p) and passes(solids, t, p, b):
            return z
        z = 0.5 * (z_before + z)
    return z_before


@inner
def slide(solids, k, bodies, nodes_out):
    """Move contact node k to where the way over its line is shortest, and to another edge at the end of its own.

    One with friction goes as far as it was found to slide (``along.py``). Returns how far [m].
    """
    b, before = nodes_out.body[k], load(nodes_out.point, k)
    start = in_body(bodies, b, load(nodes_out.position, k - 1))
    end = in_body(bodies, b, load(nodes_out.position, k + 1))
    line = nodes_out.line[k : k + 1]
    z_before = dot(sub(before, load(line[:, POINT:], 0)), load(line[:, DIRECTION:], 0))
    if solids.friction[nodes_out.touch[k]] > 0.0:
        z = min(max(z_before + nodes_out.slide[k], line[0, LOWER]), line[0, UPPER])
        nodes_out.slide[k] = 0.0
    else:
        z = rest(k, start, end, nodes_out)
    if abs(z - z_before) > FAR:
        z = free_way(solids, k, z_before, z, start, end, nodes_out)
    put(k, z, nodes_out)
    if min(z - line[0, LOWER], line[0, UPPER] - z) < AT_REST:
        turn_corner(solids, k, start, end, nodes_out)
    lay_node(k, bodies, nodes_out)
    return norm(sub(load(nodes_out.point, k), before))


@inner
def turn_corner(solids, k, a, b, nodes_out):
    """Go from the end of an edge to another edge of the same corner, if the way from a to b is shorter over that.

    Not if it would go through the solid: then the cable needs both edges, and catches the other beside this one.
    """
    t, corner = nodes_out.touch[k], load(nodes_out.point, k)
    best, least, near = -1, detour(corner, a, b) - 1e-12, 1.5 * MARGIN
    for e in range(solids.edge_start[t], solids.edge_start[t + 1]):
        start = load(solids.edge_point, e)
        end = axpy(solids.edge_length[e], load(solids.edge_direction, e), start)
        if min(norm(sub(corner, start)), norm(sub(corner, end))) > near:
            continue
        p, extra = over_edge(solids, e, a, b)
        if extra < least and passes(solids, t, a, p) and passes(solids, t, p, b):
            best, least = e, extra
    if best >= 0:
        set_edge(solids, k, best, nodes_out)
        put(k, rest(k, a, b, nodes_out), nodes_out)


@inner
def set_line(k, point, direction, lower, upper, nodes_out):
    """Give node k a line to slide along."""
    line = nodes_out.line[k : k + 1]
    store(point, 0, line[:, POINT:])
    store(direction, 0, line[:, DIRECTION:])
    line[0, LOWER], line[0, UPPER] = lower, upper


@inner
def set_edge(solids, k, e, nodes_out):
    """Give node k the line of edge e, but for its ends."""
    start, direction, length = load(solids.edge_point, e), load(solids.edge_direction, e), solids.edge_length[e]
    margin = min(MARGIN, 0.25 * length)
    set_line(k, start, direction, margin, length - margin, nodes_out)


@inner
def slide_all(solids, first, count, bodies, nodes_out):
    """Slide the contact nodes of a strand, there and back, until they rest."""
    for _ in range(SWEEPS):
        farthest = 0.0
        for k in range(first + 1, first + count + 1):
            if nodes_out.touch[k] >= 0:
                farthest = max(farthest, slide(solids, k, bodies, nodes_out))
        if count < 2 or farthest < AT_REST:
            break
        for k in range(first + count - 1, first, -1):
            if nodes_out.touch[k] >= 0:
                slide(solids, k, bodies, nodes_out)
