"""Broad phase: pairs of shapes that may meet within a step.

A shape on a body has a box along the world's axes, with e_j = sum_i |R_ij| half_i + margin, that is
grown on all sides by the way that its points can go in the step,

    s = h (NEAR + |v| + |w| reach),

reach the distance of its farthest point from the body's centre of mass. Two shapes that meet within
the step have boxes that overlap. Shapes on bodies are swept in the order of their lower x, which is
kept from step to step, so that putting it right is nearly free (insertion sort). Shapes of the
world never move: they are the leaves of a tree of boxes, in preorder, each node with the number of
the node that follows its whole branch. A half-space is a pair with every shape on a body whose
nearest point is less than s before it.

A pair is one number, (((larger body) N + smaller body) M + shape) M + shape, N bodies and M shapes.
So pairs in their order are contacts in an order with a small envelope, and two lists of pairs are
matched by walking along both.
"""

from cable_sim.kernels.broad_phase import magnitudes
from cable_sim.kernels.collision.shapes import Pose
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.rotation import load_quaternion, rotate
from cable_sim.kernels.vec3 import add, axpy, dot, load, norm, store, sub

NEAR = 0.5
"""Speed [m/s] beyond its own that a body may get within a step before contact is found a step late:
such a contact is one that overlaps by that step."""
IGNORED = -1
"""Material of a pair that never touches."""


@kernel
def place_shapes(h, shapes, pool, bodies, work_out):
    """Fill pose, box and slack of all shapes on bodies."""
    for i in pool.moving:
        b = pool.body[i]
        turn = load_quaternion(bodies.orientation, b)
        centre = add(load(bodies.position, b), rotate(turn, load(pool.place[i], 0)))
        store(centre, 0, work_out.pose[i])
        margin = shapes.margin[i]
        extent = (margin, margin, margin)
        for k in range(3):
            axis = rotate(turn, load(pool.place[i], 1 + k))
            store(axis, 1 + k, work_out.pose[i])
            extent = axpy(shapes.half[i, k], magnitudes(axis), extent)
        spin = norm(load(bodies.velocity[:, 3:], b))
        slack = h * (NEAR + norm(load(bodies.velocity, b)) + spin * pool.reach[i])
        work_out.slack[i] = slack
        extent = add(extent, (slack, slack, slack))
        store(sub(centre, extent), 0, work_out.box[i])
        store(add(centre, extent), 1, work_out.box[i])


@kernel
def load_pose(i, pool, work):
    """Return the pose of shape i."""
    place = pool.place if pool.body[i] == 0 else work.pose
    return Pose(load(place[i], 0), (load(place[i], 1), load(place[i], 2), load(place[i], 3)))


@kernel
def find_material(i, j, pool):
    """Return the material of two shapes: that of the pair, else the one of larger number.

    A shape without a material touches in pairs of their own alone.
    """
    key = min(i, j) * pool.body.size + max(i, j)
    low = 0
    high = pool.pair_key.size
    while low < high:
        middle = (low + high) // 2
        if pool.pair_key[middle] < key:
            low = middle + 1
        else:
            high = middle
    if low < pool.pair_key.size and pool.pair_key[low] == key:
        return pool.pair_material[low]
    first = pool.shape_material[i]
    second = pool.shape_material[j]
    return IGNORED if min(first, second) == IGNORED else max(first, second)


@kernel
def add_pair(i, j, pool, inverse_mass, work_out):
    """Add the pair of two shapes, if they may meet, as far as there is room."""
    a = pool.body[i]
    b = pool.body[j]
    if a == b or inverse_mass[a] + inverse_mass[b] == 0.0 or find_material(i, j, pool) == IGNORED:
        return
    if a < b or (a == b and i < j):
        i, j = j, i
        a, b = b, a
    count = work_out.found[0]
    if count < work_out.pair.size:
        bodies = a * inverse_mass.size + b
        work_out.pair[count] = (bodies * pool.body.size + i) * pool.body.size + j
    work_out.found[0] = count + 1


@kernel
def overlap(box, other):
    """Return True if two boxes (2, 3) overlap."""
    for k in range(3):
        if box[0, k] > other[1, k] or other[0, k] > box[1, k]:
            return False
    return True


@kernel
def sort_by_side(box, order_out):
    """Sort shapes by the lower x of their boxes, from nearly sorted ones."""
    for p in range(1, order_out.size):
        i = order_out[p]
        q = p
        while q > 0 and box[order_out[q - 1], 0, 0] > box[i, 0, 0]:
            order_out[q] = order_out[q - 1]
            q -= 1
        order_out[q] = i


@kernel
def pair_with_world(i, shapes, pool, inverse_mass, work_out):
    """Add the pairs of a shape on a body with half-spaces and the shapes of the world."""
    box = work_out.box[i]
    for j in pool.plane:
        normal = load(pool.place[j], 3)
        reach = shapes.margin[i] + work_out.slack[i]
        for k in range(3):
            reach += shapes.half[i, k] * abs(dot(normal, load(work_out.pose[i], 1 + k)))
        if dot(normal, sub(load(work_out.pose[i], 0), load(pool.place[j], 0))) <= reach:
            add_pair(i, j, pool, inverse_mass, work_out)
    node = 0
    while node < pool.node_next.size:
        if not overlap(box, pool.node_box[node]):
            node = pool.node_next[node]
            continue
        if pool.node_shape[node] >= 0:
            add_pair(i, pool.node_shape[node], pool, inverse_mass, work_out)
        node += 1


@kernel
def sort_pairs(count, pair_out):
    """Sort the first numbers (Shell 1959, the gaps of Ciura 2001)."""
    for gap in (301, 132, 57, 23, 10, 4, 1):
        for p in range(gap, count):
            key = pair_out[p]
            q = p
            while q >= gap and pair_out[q - gap] > key:
                pair_out[q] = pair_out[q - gap]
                q -= gap
            pair_out[q] = key


@kernel
def find_pairs(shapes, pool, inverse_mass, order_out, work_out):
    """Write all pairs that may meet, in their order; return their number, and how many more there
    are than room."""
    work_out.found[0] = 0
    sort_by_side(work_out.box, order_out)
    for p in range(order_out.size):
        i = order_out[p]
        for q in range(p + 1, order_out.size):
            j = order_out[q]
            if work_out.box[j, 0, 0] > work_out.box[i, 1, 0]:
                break
            if overlap(work_out.box[i], work_out.box[j]):
                add_pair(i, j, pool, inverse_mass, work_out)
        pair_with_world(i, shapes, pool, inverse_mass, work_out)
    count = min(work_out.found[0], work_out.pair.size)
    sort_pairs(count, work_out.pair)
    return count, work_out.found[0] - count
