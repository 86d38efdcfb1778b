"""Crossings that lie on a solid: rope that presses rope onto what is below it.

A crossing (``crossing_rows.py``) that gets into a solid which both of its ropes touch has *landed*.
The rope on the solid's side is the lower one: its node stands on the face that is nearest, and that
of the upper rope is above it by the thickness d, the sum of both radii,

    x_upper = x_lower + d n,        n the outward normal of the face.

Both are points of the solid's body then, as contact nodes are, and the upper rope bends over the
lower one as over an edge. By that bend, of an angle beta beside the crossing on either side, ropes
press on one another far more than by the curvature of what they lie on.

*Forces.* Each rope pulls its node with F = T_out u_out - T_in u_in. So

    N_upper = -F_upper . n,        N = -(F_upper + F_lower) . n

are what presses the ropes on one another, and the lower one on the solid. The lower rope rubs on
both sides:

    |T_out - T_in| <= m (T_out + T_in) + P,
    P = mu_rope s max(N_upper - |F_lower . n|, 0) + mu_solid N,

m and s as in ``crossing_friction.py``, m with the lower rope's own turn, which is the friction of
F_lower . n already. P does not go with the rope's own tension: rope that passes under rope of a
large tension is held without any of its own, and that is what locks a hitch (Bayman 1977). The
upper rope rubs on the lower one, by m alone. All are those of the step before.

*Slip.* Rope that runs over the node has T_high = rho T_low + P / (1 - m), rho as in
``friction.py``. The constant part is known before a step is solved, like the weight of rope, and
goes into its levels (``weight.py``). Where T_high (1 - m) <= P not even slack rope would be drawn
on, so it sticks.

*Slide.* What the bends of both ropes pull the node with along the face, f = sum T (u_out - u_in)
with the mean T of both sides, is held up to mu_solid N: what their tensions differ by, friction
along them has taken. Beyond that the node moves along f to where the rest is gone, to first order

    (f - mu_solid N) / K,    K = sum over the spans of T / l + (u . f / |f|)^2 EA / L,

the latter of rope that sticks to the node, but not by more than a part of its shortest span, and
then onto the solid.

*Going.* Where the forces pull the lower rope off the solid, the crossing is free again. Where the
upper rope no longer bends over the lower one, there is none any more.

Not there: ropes that lie beside one another and touch. Friction along the lower rope does not
lessen what holds the node.
"""

from math import inf

from cable_sim.kernels.cables.contact.contact_path import (
    CROSSED,
    FREE,
    HEIGHT,
    LANDED,
    STUCK,
    holds_rope,
    is_slipping,
    measure_span,
    place_node,
)
from cable_sim.kernels.cables.contact.polyhedron import depth
from cable_sim.kernels.cables.contact.sliding import point_in_body
from cable_sim.kernels.cables.crossing.crossing_friction import share_friction
from cable_sim.kernels.cables.crossing.crossing_rows import (
    BEFORE,
    FARTHEST,
    NARROW,
    NUMBER,
    PRESSED,
    SHARE,
    SOLID,
    TURNS,
    crossing_at,
)
from cable_sim.kernels.cables.crossing.crossing_sides import kink
from cable_sim.kernels.cables.friction.node_law import crossing_friction_ratio
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.rotation import load_quaternion, rotate
from cable_sim.kernels.multibody.vec3 import (
    ZERO,
    Vector,
    add,
    axpy,
    dot,
    load,
    norm,
    scale,
    store,
    sub,
)
from cable_sim.kernels.records.bodies import Moving
from cable_sim.kernels.records.lines import Nodes, WireLines
from cable_sim.kernels.records.obstacles import Touches, TouchWork

AT_REST = 1e-9
"""Part beyond what is held from which on a crossing slides."""
OFF = 1e-6
"""Distance of a rope from the face that it lies on [m], for rounding."""
PULLED = 1e-9
"""Part of the tensions that pulls a crossing off its solid at least."""


@kernel
def face_below(t: int, point: Vector, solids: Touches, bodies: Moving) -> tuple[float, Vector]:
    """Return the depth of a point of the world in solid t [m], and the outward normal there."""
    b = solids.body[t]
    inside, face = depth(solids, t, point_in_body(bodies, b, point))
    return inside, rotate(load_quaternion(bodies.orientation, b), load(solids.face_normal, face))


@kernel
def solid_on_body(c: int, body: int, solids: Touches, near: TouchWork) -> int:
    """Return a solid that cable c may touch on a body, -1 for none."""
    for t in range(solids.start[c], solids.start[c + 1]):
        if solids.body[t] == body:
            return t
    return -1


@kernel
def nearest_solid(c: int, point: Vector, reach: float, nodes: Nodes) -> tuple[int, float, Vector]:
    """Return the solid next to a point of cable c, -1 for none within ``reach`` [m], its depth [m]
    and its normal."""
    found = -1
    deepest = -reach
    normal = ZERO
    for i in range(nodes.solids.start[c], nodes.solids.start[c] + nodes.near.counts[c]):
        t = nodes.near.solid[i]
        to_centre = sub(
            point_in_body(nodes.bodies, nodes.solids.body[t], point), load(nodes.solids.centre, t)
        )
        if norm(to_centre) > nodes.solids.radius[t] + reach or nodes.pierced[t] != 0:
            continue
        inside, out = face_below(t, point, nodes.solids, nodes.bodies)
        if inside > deepest:
            found, deepest, normal = t, inside, out
    return found, deepest, normal


@kernel
def stand_at(c: int, k: int, point: Vector, nodes_out: Nodes) -> None:
    """Let node k of cable c stand at a point of the world, as a point of its body."""
    store(point_in_body(nodes_out.bodies, nodes_out.body[k], point), k, nodes_out.point)
    place_node(k, nodes_out)
    measure_span(c, k - 1, nodes_out)
    measure_span(c, k, nodes_out)


@kernel
def take_to(c: int, k: int, point: Vector, nodes_out: Nodes) -> None:
    """Take node k of cable c to a point of the world; a detour goes on the accounts.

    The rope lies evenly beside it then. A crossing that comes at the end of a span may be moved
    away from there, and would leave hardly any rope for that, which then sticks.
    """
    path = nodes_out.length[k - 1] + nodes_out.length[k]
    rope = nodes_out.rest_length[k - 1] + nodes_out.rest_length[k]
    stand_at(c, k, point, nodes_out)
    whole = nodes_out.length[k - 1] + nodes_out.length[k]
    if whole == 0.0:
        return
    for span in range(k - 1, k + 1):
        part = nodes_out.length[span] / whole
        nodes_out.rest_length[span] = part * rope
        owed = nodes_out.path_offset[span]
        nodes_out.path_offset[span] = max(owed + part * (whole - path), min(owed, 0.0))


@kernel
def set_landed(
    c: int, k: int, t: int, rough: bool, point: Vector, normal: Vector, nodes_out: Nodes
) -> None:
    """Make node k, a crossing, a point of the body of solid t; ``rough`` rope sticks there."""
    nodes_out.line[k, NUMBER] = nodes_out.body[k]
    nodes_out.line[k, SOLID] = t
    nodes_out.line[k, PRESSED] = 0.0
    nodes_out.line[k, SHARE] = 1.0
    store(normal, k, nodes_out.line)
    nodes_out.contact_solid[k] = LANDED
    nodes_out.body[k] = nodes_out.solids.body[t]
    nodes_out.row_entry[k] = nodes_out.solids.row_entry[t]
    nodes_out.friction_state[k] = STUCK if rough else FREE
    take_to(c, k, point, nodes_out)


@kernel
def land(
    p: int, lower_side: int, t: int, wires: WireLines, a: int, b: int, nodes_out: Nodes
) -> None:
    """Land the crossing of nodes a and b of pair p on solid t, the one on ``lower_side`` below.

    It does not where the other wire does not touch the solid's body.
    """
    lower, upper = (a, b) if lower_side == 0 else (b, a)
    below = wires.cable[wires.crossings.wire[p, lower_side]]
    above = wires.cable[wires.crossings.wire[p, 1 - lower_side]]
    shared = solid_on_body(above, nodes_out.solids.body[t], nodes_out.solids, nodes_out.near)
    if shared < 0:
        return
    mu = wires.crossings.friction[p]
    rough = mu + nodes_out.solids.friction[t] > 0.0
    inside, out = face_below(t, load(nodes_out.position, lower), nodes_out.solids, nodes_out.bodies)
    foot = axpy(inside + OFF, out, load(nodes_out.position, lower))
    to_a = scale(-1.0 if lower_side == 0 else 1.0, out)
    set_landed(below, lower, t, rough, foot, to_a, nodes_out)
    top = axpy(wires.crossings.thickness[p], out, foot)
    set_landed(above, upper, shared, mu > 0.0, top, to_a, nodes_out)


@kernel
def land_if_inside(p: int, wires: WireLines, a: int, b: int, nodes_out: Nodes) -> None:
    """Land the crossing of nodes a and b of pair p if it has got into a solid.

    It does not while its ropes are twisted about one another.
    """
    if nodes_out.line[a, TURNS] != 0.0:
        return
    for side in range(2):
        c = wires.cable[wires.crossings.wire[p, side]]
        place = load(nodes_out.position, a if side == 0 else b)
        t, _, out = nearest_solid(c, place, 0.0, nodes_out)
        a_is_lower = dot(load(nodes_out.line, a), out) < 0.0
        if t >= 0 and a_is_lower == (side == 0):
            land(p, side, t, wires, a, b, nodes_out)
            return


@kernel
def lift(p: int, k: int, side: int, point: Vector, wires: WireLines, nodes_out: Nodes) -> None:
    """Make node k of pair p, on one ``side``, a crossing that lies on no solid."""
    body = crossing_at(k, nodes_out)
    nodes_out.body[k] = body
    nodes_out.row_entry[k] = wires.crossings.row_entry[p, side] + body - wires.crossings.body[p]
    nodes_out.contact_solid[k] = CROSSED
    nodes_out.line[k, HEIGHT] = 0.5 * wires.crossings.thickness[p]
    store(ZERO, k, nodes_out.velocity)
    store(ZERO, k, nodes_out.line[:, BEFORE:])
    c = wires.cable[wires.crossings.wire[p, side]]
    take_to(c, k, point, nodes_out)


@kernel
def pull(k: int, nodes: Nodes) -> tuple[Vector, float]:
    """Return the impulse of the rope on node k in a step [N s], and the sum of its tensions'."""
    before = nodes.tension_impulse[k - 1]
    behind = nodes.tension_impulse[k]
    on_node = sub(
        scale(behind, load(nodes.direction, k)), scale(before, load(nodes.direction, k - 1))
    )
    return on_node, before + behind


@kernel
def slide_node(c: int, k: int, point: Vector, nodes_out: Nodes) -> None:
    """Let node k of cable c slide to a point of the world.

    Rope that does not stick to it runs over it, so that both spans keep their strains. Beside a
    span that is too short to have one both get the mean: of rounding, it would draw in rope.
    """
    rope = nodes_out.rest_length[k - 1] + nodes_out.rest_length[k]
    before = rope / max(nodes_out.length[k - 1] + nodes_out.length[k], NARROW)
    behind = before
    if min(nodes_out.length[k - 1], nodes_out.length[k]) > NARROW:
        before = nodes_out.rest_length[k - 1] / nodes_out.length[k - 1]
        behind = nodes_out.rest_length[k] / nodes_out.length[k]
    stand_at(c, k, point, nodes_out)
    first = before * nodes_out.length[k - 1]
    whole = first + behind * nodes_out.length[k]
    if not holds_rope(k, nodes_out) and whole > 0.0:
        nodes_out.rest_length[k - 1] = rope * first / whole
        nodes_out.rest_length[k] = rope - nodes_out.rest_length[k - 1]


@kernel
def slide_stiffness(
    h: float, c: int, k: int, along: Vector, wires: WireLines, nodes: Nodes
) -> float:
    """Return h K of the spans at node k of cable c [kg/s] against a move ``along`` a direction."""
    total = 0.0
    for span in range(k - 1, k + 1):
        length = max(nodes.length[span], 1e-9)
        total += nodes.tension_impulse[span] / length
        if holds_rope(k, nodes):
            gives = wires.compliance_per_length[c] * nodes.rest_length[span]
            share = dot(along, load(nodes.direction, span)) ** 2
            total += h * share / gives if gives > 0.0 else inf
    return total


@kernel
def slide(
    h: float,
    p: int,
    lower: int,
    upper: int,
    held: float,
    force: Vector,
    wires: WireLines,
    nodes_out: Nodes,
) -> None:
    """Slide a landed crossing along its face under a ``force`` of which so much is ``held``."""
    size = norm(force)
    if size <= held * (1.0 + AT_REST):
        return
    along = scale(1.0 / size, force)
    up = sub(load(nodes_out.position, upper), load(nodes_out.position, lower))
    side = 0 if dot(load(nodes_out.line, lower), up) < 0.0 else 1
    below = wires.cable[wires.crossings.wire[p, side]]
    above = wires.cable[wires.crossings.wire[p, 1 - side]]
    stiffness = slide_stiffness(h, below, lower, along, wires, nodes_out)
    stiffness += slide_stiffness(h, above, upper, along, wires, nodes_out)
    shortest = min(
        nodes_out.length[lower - 1],
        nodes_out.length[lower],
        nodes_out.length[upper - 1],
        nodes_out.length[upper],
    )
    move = min((size - held) / stiffness, FARTHEST * shortest)
    foot = axpy(move, along, load(nodes_out.position, lower))
    t = int(nodes_out.line[lower, SOLID])
    inside, out = face_below(t, foot, nodes_out.solids, nodes_out.bodies)
    foot = axpy(inside + OFF, out, foot)
    slide_node(below, lower, foot, nodes_out)
    top = axpy(wires.crossings.thickness[p], out, foot)
    slide_node(above, upper, top, nodes_out)


@kernel
def bend_force(k: int, nodes: Nodes) -> Vector:
    """Return the impulse of the rope on node k by its bend alone, with its mean tension [N s]."""
    mean = 0.5 * (nodes.tension_impulse[k - 1] + nodes.tension_impulse[k])
    return scale(mean, kink(k, nodes))


@kernel
def press(k: int, bound: float, nodes_out: Nodes) -> None:
    """Set what rope that lies on node k adds to its ``bound`` [N s]; stop rope that it locks."""
    nodes_out.line[k, PRESSED] = bound
    if is_slipping(k, nodes_out):
        high = max(nodes_out.tension_impulse[k - 1], nodes_out.tension_impulse[k])
        if high * (1.0 - crossing_friction_ratio(k, nodes_out)) <= bound:
            nodes_out.friction_state[k] = STUCK


@kernel
def update_landed(h: float, p: int, a: int, b: int, wires: WireLines, nodes_out: Nodes) -> bool:
    """Update the landed crossing of nodes a and b of pair p; return False if there is none more."""
    t = int(nodes_out.line[a, SOLID])
    _, out = face_below(t, load(nodes_out.position, a), nodes_out.solids, nodes_out.bodies)
    a_is_lower = dot(load(nodes_out.line, a), out) < 0.0
    lower = a if a_is_lower else b
    upper = b if a_is_lower else a
    _, out = face_below(
        int(nodes_out.line[lower, SOLID]),
        load(nodes_out.position, lower),
        nodes_out.solids,
        nodes_out.bodies,
    )
    if dot(kink(upper, nodes_out), out) >= -PULLED:
        return False
    on_lower, tension = pull(lower, nodes_out)
    on_upper, other = pull(upper, nodes_out)
    total = add(on_lower, on_upper)
    borne = -dot(total, out)
    if borne < -PULLED * (tension + other):
        point = scale(0.5, add(load(nodes_out.position, a), load(nodes_out.position, b)))
        lift(p, a, 0, point, wires, nodes_out)
        lift(p, b, 1, point, wires, nodes_out)
        return True
    borne = max(borne, 0.0)
    between = max(-dot(on_upper, out) - abs(dot(on_lower, out)), 0.0)
    held = nodes_out.solids.friction[int(nodes_out.line[lower, SOLID])] * borne
    share = share_friction(a, b, nodes_out)
    press(lower, wires.crossings.friction[p] * share * between + held, nodes_out)
    to_a = scale(-1.0 if a_is_lower else 1.0, out)
    store(to_a, a, nodes_out.line)
    store(to_a, b, nodes_out.line)
    bends = add(bend_force(lower, nodes_out), bend_force(upper, nodes_out))
    along = axpy(-dot(bends, out), out, bends)
    slide(h, p, lower, upper, held, along, wires, nodes_out)
    return True
