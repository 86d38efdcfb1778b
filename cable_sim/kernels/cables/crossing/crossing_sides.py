"""The sides on which two ropes are of one another at a crossing, and how often they are twisted.

Both ropes of a crossing are taken to meet at one point P. Which of them is on which side there is
kept as a normal n, which points to A: A is at P + e n and B at P - e n. Their thickness, 2 e in
truth (``crossing_rows.py``), does not change that, so that e is very small here. Four spans begin
there, u_i of A and w_j of B. As they turn, a span of A goes through one of B where n comes onto the
arc from -u_i to w_j. The four arcs are a closed line on the sphere; as long as there is a normal on
the same side of it as before, the ropes may turn freely. It is looked for across both ropes, and
along the sum of the corners w_j - u_i.

*Twist.* Where there is none, legs of both ropes have passed each other: the ropes are twisted about
one another. Pulled tight, all turns of such a twist are taken to be at one point, where the forces
of the four spans are in balance as at any crossing. So each passage of two spans that meet at a
crossing is counted there, with its sign, in TURNS: a passage takes so much of Gauss's linking
number, and TURNS is what it took. The ropes come apart only when they have been turned back, TURNS
= 0, and can run straight past one another, each on its side.
"""

from cable_sim.kernels.cables.crossing.crossing_rows import (
    BEFORE,
    TURNS,
    crossing_at,
    is_own,
    next_crossing,
)
from cable_sim.kernels.cables.crossing.span_search import (
    are_neighbours,
    has_rope,
    is_one_crossing,
    span_passage,
)
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.vec3 import (
    Vector,
    add,
    axpy,
    cross,
    dot,
    load,
    norm,
    scale,
    store,
    sub,
)
from cable_sim.kernels.records.lines import Nodes, WireLines

SHARP = 0.3
"""Least length of sums and products of unit vectors that tells a direction."""
TILT = 0.05
"""Part of the normal across both ropes in that along their kinks. Where two of the four spans are
in one direction, that of the kinks would be on the arc between the other ones."""
SIDE_WAYS = 4.0 / 3.0
"""Slope of a quarter on the way to the opposite normal: 0.8 to 0.6."""
CANDIDATES = 6
"""Normals that are tried."""


@kernel
def kink(k: int, nodes: Nodes) -> Vector:
    """Return the sum of the unit vectors from node k along its spans."""
    return sub(load(nodes.direction, k), load(nodes.direction, k - 1))


@kernel
def unit_or(vector: Vector, other: Vector) -> Vector:
    """Return the direction of a vector, or ``other`` if that is too short to tell."""
    size = norm(vector)
    return scale(1.0 / size, vector) if size > SHARP else other


@kernel
def candidate_normal(which: int, a: int, b: int, present: Vector, nodes: Nodes) -> Vector:
    """Return a normal of the crossing of nodes a and b that may be the one after a motion.

    First come the ``present`` one, the one across both ropes, and the one along the kinks with
    which they press on one another; then their opposites.
    """
    along_a = add(load(nodes.direction, a - 1), load(nodes.direction, a))
    along_b = add(load(nodes.direction, b - 1), load(nodes.direction, b))
    across = unit_or(cross(along_a, along_b), present)
    if dot(across, present) < 0.0:
        across = scale(-1.0, across)
    pressing = unit_or(axpy(TILT, across, sub(kink(b, nodes), kink(a, nodes))), present)
    normal = present
    if which % 3 == 1:
        normal = across
    elif which % 3 == 2:
        normal = pressing
    return normal if which < 3 else scale(-1.0, normal)


@kernel
def belongs_to_other(i: int, j: int, a: int, nodes: Nodes) -> bool:
    """Return True if passages of spans i and j are counted at another crossing than that of a."""
    for k in range(i, i + 2):
        for other in range(j, j + 2):
            if is_one_crossing(k, other, nodes) and crossing_at(k, nodes) < nodes.body[a]:
                return True
    return False


@kernel
def counts_here(i: int, j: int, a: int, own: bool, nodes: Nodes) -> bool:
    """Return True if passages of spans i and j are counted at the crossing of node a."""
    meet = are_neighbours(i, j, own, nodes)
    empty = not (has_rope(i, nodes) and has_rope(j, nodes))
    return not (meet or empty or belongs_to_other(i, j, a, nodes))


@kernel
def count_passages(a: int, b: int, own: bool, nodes: Nodes) -> tuple[float, int]:
    """Return the passages of the spans at the crossing of nodes a and b in a motion.

    First comes their sum, each with its sign, then their number. ``own`` says that it is one of a
    wire with itself.
    """
    total = 0.0
    number = 0
    for i in range(a - 1, a + 1):
        for j in range(b - 1, b + 1):
            if not counts_here(i, j, a, own, nodes):
                continue
            side, _, _, _ = span_passage(i, j, own, nodes)
            total += side
            number += side != 0.0
    return total, number


@kernel
def set_normal(a: int, b: int, normal: Vector, nodes_out: Nodes) -> None:
    """Set the normal of the crossing of nodes a and b."""
    store(normal, a, nodes_out.line)
    store(normal, b, nodes_out.line)


@kernel
def begin_turn(a: int, b: int, nodes_out: Nodes) -> None:
    """Begin a turn of the normal of the crossing of nodes a and b where it is."""
    store(load(nodes_out.line, a), a, nodes_out.line[:, BEFORE:])
    store(load(nodes_out.line, a), b, nodes_out.line[:, BEFORE:])


@kernel
def is_far(normal: Vector, a: int, present: Vector, nodes: Nodes) -> bool:
    """Return True if a normal is nearly opposite to that before the motion of the crossing of a.

    On the straight way there both ropes would be at one place. A new crossing has none before, but
    the ``present`` one.
    """
    before = load(nodes.line[:, BEFORE:], a)
    return dot(normal, before if norm(before) > 0.0 else present) < -SHARP


@kernel
def choose_normal(a: int, b: int, first: int, own: bool, nodes_out: Nodes) -> float:
    """Choose the normal of the crossing of nodes a and b after a motion; return its TURNS then.

    It is the one with the least twist, and candidate ``first`` among equal ones.
    """
    present = load(nodes_out.line, a)
    turns = nodes_out.line[a, TURNS]
    best = present
    least = 1e300
    for i in range(CANDIDATES):
        which = (first + i) % 3 + i // 3 * 3
        normal = candidate_normal(which, a, b, present, nodes_out)
        if is_far(normal, a, present, nodes_out):
            continue
        set_normal(a, b, normal, nodes_out)
        passed, _ = count_passages(a, b, own, nodes_out)
        if abs(turns + passed) < abs(least):
            best = normal
            least = turns + passed
        if least == 0.0:
            break
    set_normal(a, b, best, nodes_out)
    return least


@kernel
def untwists(apart: Vector, a: int, b: int, own: bool, nodes_out: Nodes) -> bool:
    """Return True if no twist is left at the crossing of nodes a and b with its normal that way.

    ``apart`` is a way from B to A; the normal is turned to it then. A motion has begun, in which
    nothing has moved. On whichever way the normal turns, it passes the arcs as often, each with its
    sign; if all are counted at this crossing. Where it would be opposite it goes by a quarter on
    one side, and not in the plane of both normals, as arcs may meet there.
    """
    normal = load(nodes_out.line, a)
    turns = nodes_out.line[a, TURNS]
    goal = scale(1.0 / norm(apart), apart)
    ahead = dot(normal, goal)
    if turns == 0.0 and ahead > 0.0:
        return True
    for i in range(a - 1, a + 1):
        for j in range(b - 1, b + 1):
            if not counts_here(i, j, a, own, nodes_out):
                return False
    if ahead <= 0.0:
        side = axpy(-ahead, goal, normal)
        side = side if norm(side) > SHARP else cross(goal, load(nodes_out.direction, a))
        side = scale(1.0 / norm(side), side)
        quarter = axpy(SIDE_WAYS, cross(goal, side), side)
        set_normal(a, b, scale(1.0 / norm(quarter), quarter), nodes_out)
        passed, _ = count_passages(a, b, own, nodes_out)
        turns += passed
        begin_turn(a, b, nodes_out)
    set_normal(a, b, goal, nodes_out)
    passed, _ = count_passages(a, b, own, nodes_out)
    if turns + passed == 0.0:
        nodes_out.line[a, TURNS] = 0.0
        nodes_out.line[b, TURNS] = 0.0
    else:
        set_normal(a, b, normal, nodes_out)
    begin_turn(a, b, nodes_out)
    return turns + passed == 0.0


@kernel
def follow_normals(first: int, counts: bool, wires: WireLines, nodes_out: Nodes) -> None:
    """Choose the normals of all crossings after a motion, candidate ``first`` among equal ones.

    If ``counts``, the turns of their ropes in it are counted.
    """
    for p in range(wires.crossings.body.size):
        a, b = next_crossing(p, -1, wires, nodes_out)
        while a >= 0:
            turns = choose_normal(a, b, first, is_own(p, wires.crossings), nodes_out)
            if counts:
                nodes_out.line[a, TURNS] = turns
                nodes_out.line[b, TURNS] = turns
            a, b = next_crossing(p, a, wires, nodes_out)


@kernel
def add_turns(wires: WireLines, nodes_out: Nodes) -> None:
    """Count the turns of all crossings in a motion, with the normals that they have."""
    for p in range(wires.crossings.body.size):
        a, b = next_crossing(p, -1, wires, nodes_out)
        while a >= 0:
            passed, _ = count_passages(a, b, is_own(p, wires.crossings), nodes_out)
            nodes_out.line[a, TURNS] += passed
            nodes_out.line[b, TURNS] += passed
            a, b = next_crossing(p, a, wires, nodes_out)
