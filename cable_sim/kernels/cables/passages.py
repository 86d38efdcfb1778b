"""Passages of spans through one another, while their ends move along straight lines.

Two spans p_0 p_1 and q_0 q_1 are in a plane where

    f(t) = (p_0 - q_0) . ((p_1 - p_0) x (q_1 - q_0)) = 0,

a cubic in the time t from 0 to 1, as all points are linear in it. They go through one another at
each root at which the lines meet within both spans, from the side that f has before. (Provot 1997
has this test for cloth.) Two passages bring them back. Without a root its coefficients in
Bernstein's basis mostly have one sign; so most pairs take no more than that.

A *moving span* is the tuple of both its ends at t = 0 [m] and what they move by [m].

What moves the rope at once is such a motion, too. A mass that goes (``adaptive_resolution.py``)
takes its rope to the chord of its neighbours; one that would take it through a span that it may not
cross is *snagged* and stays, unless it is unstable. A crossing that goes (``crossing_nodes.py``)
takes both ropes from where they meet, each on its side, to their chords.
"""

from math import copysign, sqrt

from cable_sim.kernels.cables.contact_path import SEVERED
from cable_sim.kernels.cables.crossing_rows import crossing_at
from cable_sim.kernels.cables.segments import wire_node_velocity
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.vec3 import ZERO, add, axpy, cross, dot, load, norm, scale, sub

HALVINGS = 60
"""Halvings of the interval of a root: to rounding."""
BESIDE = 1e-9
"""Part of a span by which a passage may be beside it, so that two spans that meet leave no gap."""
APART = 1e-6
"""Distance of two ropes at their crossing before it goes, as a part of its shortest span."""


@kernel
def has_rope(k, nodes):
    """Return True if there is rope in the span from node k."""
    return nodes.length[k] > 0.0 and nodes.friction_state[k] != SEVERED


@kernel
def next_span(k, nodes):
    """Return the span behind span k, which meets it at a node; room that is not in use is none."""
    k += 1
    while k + 1 < nodes.length.size and nodes.length[k] == 0.0:
        k += 1
    return k


@kernel
def common_crossing(i, j, nodes):
    """Return the nodes of spans i and j that stand for one crossing; -1 for none."""
    for a in range(i, i + 2):
        for b in range(j, j + 2):
            crossing = crossing_at(a, nodes)
            if crossing >= 0 and crossing == crossing_at(b, nodes):
                return a, b
    return -1, -1


@kernel
def meet_at_crossing(i, j, nodes):
    """Return True if spans i and j begin or end at one crossing."""
    a, _ = common_crossing(i, j, nodes)
    return a >= 0


@kernel
def resting_span(k, nodes):
    """Return span k as a moving span that rests."""
    return load(nodes.position, k), load(nodes.position, k + 1), ZERO, ZERO


@kernel
def stepped_span(h, k, bodies, nodes):
    """Return span k as a moving span, from its place before a step of h."""
    first = scale(h, wire_node_velocity(k, bodies.velocity, nodes))
    last = scale(h, wire_node_velocity(k + 1, bodies.velocity, nodes))
    start = sub(load(nodes.position, k), first)
    return start, sub(load(nodes.position, k + 1), last), first, last


@kernel
def span_at(t, span):
    """Return the first end of a moving span [m], and the vector to the second one [m]."""
    start = axpy(t, span[2], span[0])
    return start, sub(axpy(t, span[3], span[1]), start)


@kernel
def nearest_places(a, span_a, b, span_b):
    """Return the nearest places of two lines that are not parallel, as parts of their spans."""
    between = sub(b, a)
    aa = dot(span_a, span_a)
    ab = dot(span_a, span_b)
    bb = dot(span_b, span_b)
    to_a = dot(between, span_a)
    to_b = dot(between, span_b)
    det = aa * bb - ab * ab
    if det <= 0.0:
        return -1.0, -1.0
    return (to_a * bb - to_b * ab) / det, (to_a * ab - to_b * aa) / det


@kernel
def plane_cubic(a, b):
    """Return the coefficients of f of two moving spans, of the powers of t."""
    r = sub(a[0], b[0])
    u = sub(a[1], a[0])
    v = sub(b[1], b[0])
    dr = sub(a[2], b[2])
    du = sub(a[3], a[2])
    dv = sub(b[3], b[2])
    still = cross(u, v)
    turn = add(cross(du, v), cross(u, dv))
    twist = cross(du, dv)
    return (
        dot(r, still),
        dot(dr, still) + dot(r, turn),
        dot(dr, turn) + dot(r, twist),
        dot(dr, twist),
    )


@kernel
def cubic(c, t):
    """Return the value of a cubic."""
    return ((c[3] * t + c[2]) * t + c[1]) * t + c[0]


@kernel
def has_one_sign(c):
    """Return True if a cubic surely has no root from 0 to 1."""
    second = c[0] + c[1] / 3.0
    third = second + (c[1] + c[2]) / 3.0
    last = c[0] + c[1] + c[2] + c[3]
    least = min(c[0], second, third, last)
    return least > 0.0 or max(c[0], second, third, last) < 0.0


@kernel
def turning_points(c):
    """Return the places from 0 to 1 between which a cubic is monotonic, in their order."""
    root = c[2] * c[2] - 3.0 * c[3] * c[1]
    if root <= 0.0:
        return 1.0, 1.0
    q = -(c[2] + copysign(sqrt(root), c[2]))
    one = min(max(q / (3.0 * c[3]), 0.0), 1.0) if c[3] != 0.0 else 1.0
    other = min(max(c[1] / q, 0.0), 1.0) if q != 0.0 else 1.0
    return min(one, other), max(one, other)


@kernel
def bisect(c, low, high):
    """Return the root of a cubic in an interval in which its sign changes once."""
    sign = cubic(c, low)
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        if sign * cubic(c, middle) > 0.0:
            low = middle
        else:
            high = middle
    return high


@kernel
def find_passage(a, b, beside):
    """Return the side of moving span a from moving span b before it goes through it, 0 if it does
    not.

    The passage may be ``beside`` the spans by this part of them.
    """
    c = plane_cubic(a, b)
    side = 0.0
    if has_one_sign(c):
        return side
    first, second = turning_points(c)
    low = 0.0
    before = cubic(c, 0.0)
    for high in (first, second, 1.0):
        after = cubic(c, high)
        if before * after < 0.0:
            t = bisect(c, low, high)
            start_a, span_a = span_at(t, a)
            start_b, span_b = span_at(t, b)
            x, y = nearest_places(start_a, span_a, start_b, span_b)
            if min(x, y) >= -beside and max(x, y) <= 1.0 + beside:
                side = before if side == 0.0 else 0.0
        if after != 0.0:
            low = high
            before = after
    return side


@kernel
def straight_continuation(k, nodes):
    """Return the point of the rope if it ran straight past node k [m]."""
    x = nodes.length[k - 1] / max(nodes.length[k - 1] + nodes.length[k], 1e-12)
    return axpy(x, load(nodes.position, k + 1), scale(1.0 - x, load(nodes.position, k - 1)))


@kernel
def straightened_span(k, apex, start, goal, nodes):
    """Return the span k as node ``apex`` at one of its ends goes from one point to another [m]."""
    move = sub(goal, start)
    if k == apex:
        return start, load(nodes.position, k + 1), move, ZERO
    return load(nodes.position, k), start, ZERO, move


@kernel
def can_part(a, b, normal, nodes):
    """Return True if both ropes of the crossing of nodes a and b can run straight past it.

    ``normal`` points to the side of a.
    """
    shortest = min(nodes.length[a - 1], nodes.length[a], nodes.length[b - 1], nodes.length[b])
    here = load(nodes.position, a)
    off = scale(APART * shortest, normal)
    goal_a = straight_continuation(a, nodes)
    goal_b = straight_continuation(b, nodes)
    for i in range(a - 1, a + 1):
        span_a = straightened_span(i, a, add(here, off), goal_a, nodes)
        for j in range(b - 1, b + 1):
            span_b = straightened_span(j, b, sub(here, off), goal_b, nodes)
            if find_passage(span_a, span_b, BESIDE) != 0.0:
                return False
    return True


@kernel
def offset_span(span, is_first, start, goal):
    """Return a moving span with an offset to one of its ends that changes from one to another."""
    change = sub(goal, start)
    if is_first:
        return add(span[0], start), span[1], add(span[2], change), span[3]
    return span[0], add(span[1], start), span[2], add(span[3], change)


@kernel
def keep_sides(h, a, b, before, normal, bodies, nodes):
    """Return True if both ropes of the crossing of nodes a and b have kept their sides in a step.

    The normal, which points to the side of a, was ``before``.
    """
    shortest = min(nodes.length[a - 1], nodes.length[a], nodes.length[b - 1], nodes.length[b])
    start = scale(APART * shortest, before)
    goal = scale(APART * shortest, normal)
    for i in range(a - 1, a + 1):
        span_a = offset_span(stepped_span(h, i, bodies, nodes), i == a, start, goal)
        for j in range(b - 1, b + 1):
            span_b = stepped_span(h, j, bodies, nodes)
            span_b = offset_span(span_b, j == b, scale(-1.0, start), scale(-1.0, goal))
            if find_passage(span_a, span_b, BESIDE) != 0.0:
                return False
    return True


@kernel
def is_in_way(k, begin, end, nodes):
    """Return True if the rope at node k would go through a span if it ran straight past.

    The span is one from node ``begin`` to before node ``end``.
    """
    here = load(nodes.position, k)
    goal = straight_continuation(k, nodes)
    far = norm(sub(here, goal)) + nodes.length[k - 1] + nodes.length[k]
    for j in range(begin, end):
        apart = norm(sub(load(nodes.position, j), here))
        if not has_rope(j, nodes) or apart > far + nodes.length[j]:
            continue
        for i in range(k - 1, k + 1):
            a, b = common_crossing(i, j, nodes)
            if i == j or next_span(i, nodes) == j or next_span(j, nodes) == i or a == k:
                continue
            moving = straightened_span(i, k, here, goal, nodes)
            other = resting_span(j, nodes)
            if a >= 0:  # its normal points to the first of the two
                size = APART * min(nodes.length[i], nodes.length[j])
                off = scale(size if a < b else -size, load(nodes.line, a))
                moving = offset_span(moving, a == i, off, off)
                other = offset_span(other, b == j, scale(-1.0, off), scale(-1.0, off))
            if find_passage(moving, other, BESIDE) != 0.0:
                return True
    return False


@kernel
def is_snagged(n, k, crossings, wires, nodes):
    """Return True if rope that wire n may not cross is between its node k and the chord beside it.

    The ropes at a crossing of node k do not count.
    """
    for p in range(crossings.body.size):
        for side in range(2):
            if crossings.wire[p, side] != n:
                continue
            other = wires.cable[crossings.wire[p, 1 - side]]
            begin = wires.node_start[other]
            if is_in_way(k, begin, wires.node_start[other + 1] - 1, nodes):
                return True
    return False
