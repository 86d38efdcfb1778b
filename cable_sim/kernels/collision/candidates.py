"""Broad phase: pairs of shapes that may meet within a step.

A shape on a body has a box along the world's axes, with e_j = sum_i |R_ij| half_i + margin, that is
grown on all sides by the way that its points can go in a time t,

    s(t) = t (NEAR + WHIPPED (|v| + |w| reach)),

reach the distance of its farthest point from the body's centre of mass. Two shapes that meet within
the time have boxes that overlap. The time is longer than a step by KEPT, and so the pairs that are
found hold for many steps: while for all bodies, which were at x0, q0 when they were found,

    |x - x0| + 2 reach |q - q0| + s(h) <= s0(h + KEPT).

A turn by the angle a moves points by 2 reach sin(a / 2) at most, and |q - q0| = 2 sin(a / 4). Pairs
in excess change nothing, since the narrow phase has the slack of the step. Pairs that joints hold
together are left out while one of these is closed, so pairs are found anew when a joint opens or
closes. So all follows from poses and joints alone, whatever the workspace held before.

Shapes on bodies are swept in the order of their lower x. Shapes of the world never move: they are
the leaves of a tree of boxes, in preorder, each node with the number of the node that follows its
whole branch. A half-space is a pair with every shape on a body whose nearest point is less than s
before it.

A long shape that leans has a box full of air, such as a jib's with the load below it. So of two
shapes whose boxes overlap, the ball about each core, of the radius |half|, has to reach the core of
the other, too, within both margins and slacks: with the axes e_k and the centre c of either,

    |e_k (c' - c)| <= half_k + |half'| + margin + margin' + s + s',    k = 1, 2, 3.

A pair is one number, (((larger body) N + smaller body) M + shape) M + shape, N bodies and M shapes.
So pairs in their order are contacts in an order with a small envelope, and two lists of pairs are
matched by walking along both.
"""

import math

from cable_sim.kernels.broad_phase import magnitudes
from cable_sim.kernels.collision.shapes import Pose
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.rotation import load_quaternion, rotate
from cable_sim.kernels.multibody.vec3 import add, axpy, dot, load, norm, store, sub
from cable_sim.kernels.records.arrays import Flags, Floats, Ints
from cable_sim.kernels.records.bodies import BodyState
from cable_sim.kernels.records.collision import Pool, PoolWork, Shapes

KEPT = 0.008
"""Time beyond the step for which pairs are found [s]."""
NEAR = 0.5
"""Speed [m/s] beyond its own that a body may get within a step before contact is found a step late:
such a contact is one that overlaps by that step."""
WHIPPED = 2.0
"""Speed of a point within a step over that of its body before. A beam that falls flat and is caught
at one end goes on at 1.5 times its speed at the other; what energy allows is twice."""
GAPS = (301, 132, 57, 23, 10, 4, 1)
"""Distances of sorting by insertion (Shell 1959, Ciura 2001)."""
IGNORED = -1
"""Material of a pair that never touches; below it, those of pairs that joints hold together."""


@kernel
def way_in(h: float, b: int, reach: float, bodies: BodyState) -> float:
    """Return how far points of body b within a reach may go in a time [m]."""
    spin = norm(load(bodies.velocity[:, 3:], b))
    return h * (NEAR + WHIPPED * (norm(load(bodies.velocity, b)) + spin * reach))


@kernel
def still_holds(h: float, pool: Pool, bodies: BodyState, joint_open: Flags, work: PoolWork) -> bool:
    """Return True if the pairs that were found hold in this step, too."""
    for j in range(joint_open.size):
        if joint_open[j] != work.open[j]:
            return False
    for c in range(pool.carrier.size):
        b = pool.carrier[c]
        reach = pool.carrier_reach[c]
        turned = 0.0
        for k in range(4):
            turned += (bodies.orientation[b, k] - work.seen[c, 3 + k]) ** 2
        moved = norm(sub(load(bodies.position, b), load(work.seen, c)))
        moved += 2.0 * reach * math.sqrt(turned)
        if not moved + way_in(h, b, reach, bodies) <= work.seen[c, 7]:
            return False
    return True


@kernel
def place_shape(i: int, pool: Pool, bodies: BodyState, work_out: PoolWork) -> None:
    """Fill the pose of a shape on a body."""
    b = pool.body[i]
    turn = load_quaternion(bodies.orientation, b)
    centre = add(load(bodies.position, b), rotate(turn, load(pool.place[i], 0)))
    store(centre, 0, work_out.pose[i])
    for k in range(3):
        store(rotate(turn, load(pool.place[i], 1 + k)), 1 + k, work_out.pose[i])


@kernel
def place_shapes(
    h: float, shapes: Shapes, pool: Pool, bodies: BodyState, joint_open: Flags, work_out: PoolWork
) -> None:
    """Fill pose, slack and box of all shapes on bodies, and keep the poses and open joints."""
    for j in range(joint_open.size):
        work_out.open[j] = joint_open[j]
    for c in range(pool.carrier.size):
        b = pool.carrier[c]
        store(load(bodies.position, b), c, work_out.seen)
        for k in range(4):
            work_out.seen[c, 3 + k] = bodies.orientation[b, k]
        work_out.seen[c, 7] = way_in(h + KEPT, b, pool.carrier_reach[c], bodies)
    for i in pool.moving:
        place_shape(i, pool, bodies, work_out)
        slack = work_out.seen[pool.carrier_of[i], 7]
        work_out.slack[i] = slack
        extent = (slack + shapes.margin[i], slack + shapes.margin[i], slack + shapes.margin[i])
        for k in range(3):
            axis = load(work_out.pose[i], 1 + k)
            extent = axpy(shapes.half[i, k], magnitudes(axis), extent)
        centre = load(work_out.pose[i], 0)
        store(sub(centre, extent), 0, work_out.box[i])
        store(add(centre, extent), 1, work_out.box[i])


@kernel
def place_near(h: float, pool: Pool, bodies: BodyState, work_out: PoolWork) -> None:
    """Fill pose and slack within the step of the shapes of all pairs."""
    for i in pool.moving:
        if work_out.near[i] != 0:
            place_shape(i, pool, bodies, work_out)
            work_out.slack[i] = way_in(h, pool.body[i], pool.reach[i], bodies)


@kernel
def load_pose(i: int, pool: Pool, work: PoolWork) -> Pose:
    """Return the pose of shape i."""
    place = pool.place if pool.body[i] == 0 else work.pose
    return Pose(load(place[i], 0), (load(place[i], 1), load(place[i], 2), load(place[i], 3)))


@kernel
def is_held(hold: int, pool: Pool, joint_open: Flags) -> bool:
    """Return True if a joint of those that hold a pair together is closed."""
    for q in range(pool.hold_start[hold], pool.hold_start[hold + 1]):
        if not joint_open[pool.hold_joint[q]]:
            return True
    return False


@kernel
def find_material(i: int, j: int, pool: Pool, joint_open: Flags) -> int:
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
        own = pool.pair_material[low]
        if own >= IGNORED:
            return own
        if is_held(IGNORED - 1 - own, pool, joint_open):
            return IGNORED
    first = pool.shape_material[i]
    second = pool.shape_material[j]
    return IGNORED if min(first, second) == IGNORED else max(first, second)


@kernel
def pair_number(i: int, j: int, body: Ints, bodies: int) -> int:
    """Return the number of a pair of shapes, of which ``body`` has the bodies, of so many."""
    if body[i] < body[j]:
        i, j = j, i
    return ((body[i] * bodies + body[j]) * body.size + i) * body.size + j


@kernel
def shapes_of(pair: int, count: int) -> tuple[int, int]:
    """Return the two shapes of a pair, of ``count`` shapes."""
    return pair // count % count, pair % count


@kernel
def add_pair(i: int, j: int, pool: Pool, inverse_mass: Floats, work_out: PoolWork) -> None:
    """Add the pair of two shapes, if they may meet, as far as there is room."""
    a = pool.body[i]
    b = pool.body[j]
    if a == b or inverse_mass[a] + inverse_mass[b] == 0.0:
        return
    if find_material(i, j, pool, work_out.open) == IGNORED:
        return
    count = work_out.found[0]
    if count < work_out.pair.size:
        work_out.pair[count] = pair_number(i, j, pool.body, inverse_mass.size)
    work_out.found[0] = count + 1


@kernel
def overlap(box: Floats, other: Floats) -> bool:
    """Return True if two boxes (2, 3) overlap."""
    for k in range(3):
        if box[0, k] > other[1, k] or other[0, k] > box[1, k]:
            return False
    return True


@kernel
def reaches(i: int, j: int, gap: float, shapes: Shapes, pool: Pool, work: PoolWork) -> bool:
    """Return True if the ball about the core of shape j is within ``gap`` of that of shape i."""
    pose = load_pose(i, pool, work)
    way = sub(load_pose(j, pool, work).position, pose.position)
    gap += norm(load(shapes.half, j))
    for k in range(3):
        if abs(dot(pose.axes[k], way)) > shapes.half[i, k] + gap:
            return False
    return True


@kernel
def may_meet(i: int, j: int, shapes: Shapes, pool: Pool, work: PoolWork) -> bool:
    """Return True if the balls about two shapes, j on a body or not, reach the other one's core."""
    gap = shapes.margin[i] + shapes.margin[j] + work.slack[i]
    gap += work.slack[j] if pool.body[j] > 0 else 0.0
    return reaches(i, j, gap, shapes, pool, work) and reaches(j, i, gap, shapes, pool, work)


@kernel
def sort_first(count: int, keys_out: Floats | Ints, values_out: Ints) -> None:
    """Sort the first keys, with their values."""
    for gap in GAPS:
        for p in range(gap, count):
            key = keys_out[p]
            value = values_out[p]
            q = p
            while q >= gap and keys_out[q - gap] > key:
                keys_out[q] = keys_out[q - gap]
                values_out[q] = values_out[q - gap]
                q -= gap
            keys_out[q] = key
            values_out[q] = value


@kernel
def pair_with_world(
    i: int, shapes: Shapes, pool: Pool, inverse_mass: Floats, work_out: PoolWork
) -> None:
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
        j = pool.node_shape[node]
        if j >= 0 and may_meet(i, j, shapes, pool, work_out):
            add_pair(i, j, pool, inverse_mass, work_out)
        node += 1


@kernel
def find_pairs(shapes: Shapes, pool: Pool, inverse_mass: Floats, work_out: PoolWork) -> None:
    """Write all pairs that may meet, in their order, and which shapes are in them."""
    work_out.found[0] = 0
    for p in range(pool.moving.size):
        work_out.order[p] = pool.moving[p]
        work_out.side[p] = work_out.box[pool.moving[p], 0, 0]
    sort_first(pool.moving.size, work_out.side, work_out.order)
    for p in range(pool.moving.size):
        i = work_out.order[p]
        for q in range(p + 1, pool.moving.size):
            j = work_out.order[q]
            if work_out.box[j, 0, 0] > work_out.box[i, 1, 0]:
                break
            if overlap(work_out.box[i], work_out.box[j]) and may_meet(i, j, shapes, pool, work_out):
                add_pair(i, j, pool, inverse_mass, work_out)
        pair_with_world(i, shapes, pool, inverse_mass, work_out)
    count = min(work_out.found[0], work_out.pair.size)
    sort_first(count, work_out.pair, work_out.pair)
    for i in range(pool.body.size):
        work_out.near[i] = 0
    for q in range(count):
        for i in shapes_of(work_out.pair[q], pool.body.size):
            work_out.near[i] = 1


@kernel
def meet_shapes(
    h: float,
    shapes: Shapes,
    pool: Pool,
    bodies: BodyState,
    inverse_mass: Floats,
    joint_open: Flags,
    work_out: PoolWork,
) -> tuple[int, int]:
    """Find the pairs that may meet in this step, or take those found before, and place their
    shapes; return their number, and how many more there are than room."""
    if not still_holds(h, pool, bodies, joint_open, work_out):
        place_shapes(h, shapes, pool, bodies, joint_open, work_out)
        find_pairs(shapes, pool, inverse_mass, work_out)
    place_near(h, pool, bodies, work_out)
    count = min(work_out.found[0], work_out.pair.size)
    return count, work_out.found[0] - count
