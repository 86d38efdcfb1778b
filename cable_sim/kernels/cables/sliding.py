"""Where contact nodes stand: each slides on its line to where the way over it is shortest (Servin et al. 2011, eq. 18).

One node after the other, there and back, until all rest. The sum of distances is convex in all coordinates together,
so this finds the shortest way over the same lines, but for one kind of place: where two nodes meet, at a corner, each
would rest for the sake of the other. Hence they keep a little way off the ends of their edges.

*Friction along the edge.* A contact node has no mass: what the rope exerts on it, f = T_a (a - p) / d_a +
T_b (b - p) / d_b with the nodes a and b next to it and its distances d from them, is for the edge to bear. With the
unit vectors e_a, e_b from the line of the edge across it to a and b, their distances r_a, r_b from the line, the normal
n halfway between -e_a and -e_b, and coordinates z along the edge, d_a^2 = r_a^2 + (z - z_a)^2,

    f . t = -(T_a (z - z_a) / d_a + T_b (z - z_b) / d_b),    |f . n| = (T_a r_a / d_a + T_b r_b / d_b) |e_a + e_b| / 2.

Coulomb's law lets the node stay where it is while |f . t| <= mu |f . n|; else it slides until both are equal. At z_a or
z_b, whichever is on that side, f . t points back, so there is such a place in between, which is halved for. It does
not depend on how many steps lead there.

Not modelled: along and across an edge (``friction.py``) the law holds separately, so that a rope that slips both ways
at once has up to sqrt(2) times the friction. Of a node on a face the kink of the chords counts, which is less than the
curve's.
"""

from cable_sim.kernels.cables.polyhedron import detour, over_edge, passes, shortest, unit
from cable_sim.kernels.cables.strand import DIRECTION, LOWER, POINT, UPPER, lay_node
from cable_sim.kernels.jit import inner, kernel
from cable_sim.kernels.rotation import load_quaternion, rotate_back
from cable_sim.kernels.vec3 import add, axpy, dot, load, norm, store, sub

MARGIN = 2e-6
"""Nodes keep this far from the ends of their edges [m]: two that met at a corner would hold one another there."""
FAR, HALVINGS = 5e-3, 7
"""A node that would slide farther than this [m] may sweep the cable through its solid: it goes as far as the way is
free, or half of it, half of that and so on."""
HALVES = 52
"""How often the place where friction holds a node is halved for: to rounding."""
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


@kernel
def sideways(z, mu, z_a, r_a, pull_a, z_b, r_b, pull_b, kink):
    """Force of the rope on a node at z, towards lower z, and the most that friction holds [N]."""
    d_a, d_b = (r_a * r_a + (z - z_a) ** 2) ** 0.5, (r_b * r_b + (z - z_b) ** 2) ** 0.5
    if d_a == 0.0 or d_b == 0.0:
        return 0.0, 0.0
    along = pull_a * (z - z_a) / d_a + pull_b * (z - z_b) / d_b
    return along, mu * kink * (pull_a * r_a / d_a + pull_b * r_b / d_b)


@kernel
def rubbed(mu, z, point, direction, a, pull_a, b, pull_b):
    """Coordinate on a line where a node that was at z comes to rest under dry friction [m].

    ``pull_a`` and ``pull_b`` are the tensions towards a and b.
    """
    from_a, from_b = sub(a, point), sub(b, point)
    z_a, z_b = dot(from_a, direction), dot(from_b, direction)
    across_a, across_b = axpy(-z_a, direction, from_a), axpy(-z_b, direction, from_b)
    r_a, r_b = norm(across_a), norm(across_b)
    kink = 0.5 * norm(add(unit(across_a), unit(across_b)))
    force, most = sideways(z, mu, z_a, r_a, pull_a, z_b, r_b, pull_b, kink)
    if abs(force) <= most:
        return z
    sense = 1.0 if force > 0.0 else -1.0
    slips, holds = z, (min(z_a, z_b) if force > 0.0 else max(z_a, z_b))
    for _ in range(HALVES):
        middle = 0.5 * (slips + holds)
        force, most = sideways(middle, mu, z_a, r_a, pull_a, z_b, r_b, pull_b, kink)
        if sense * force > most:
            slips = middle
        else:
            holds = middle
    return holds


@inner
def place(solids, k, z, a, b, nodes):
    """Coordinate on its line that node k slides to from z between a and b [m].

    Without friction that of the shortest way; a slack rope lies where it is.
    """
    mu, line = solids.friction[nodes.touch[k]], nodes.line[k : k + 1]
    if mu == 0.0:
        return rest(k, a, b, nodes)
    point, direction = load(line[:, POINT:], 0), load(line[:, DIRECTION:], 0)
    z = rubbed(mu, z, point, direction, a, nodes.pull[k - 1], b, nodes.pull[k])
    return min(max(z, line[0, LOWER]), line[0, UPPER])


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

    Returns how far [m].
    """
    b, before = nodes_out.body[k], load(nodes_out.point, k)
    start = in_body(bodies, b, load(nodes_out.position, k - 1))
    end = in_body(bodies, b, load(nodes_out.position, k + 1))
    line = nodes_out.line[k : k + 1]
    z_before = dot(sub(before, load(line[:, POINT:], 0)), load(line[:, DIRECTION:], 0))
    z = place(solids, k, z_before, start, end, nodes_out)
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
