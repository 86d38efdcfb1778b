"""Contact of cables with convex solids: massless nodes that come, slide without friction, and go.

Garcia-Fernandez et al. 2008, section 4.2 (a new pulley on the solid, taken away when the cable
pulls off its normal), with the placing of Servin et al. 2011, section II C (eq. 18: contact nodes
slide along edges to where the way is shortest). At the end of every step, in every strand
(``strand.py``) of a cable that may touch something:

1. *Slide.* The contact nodes move on their lines to where the way over them is shortest. The line
   of a node on an edge is the edge; at its end the node goes on along another edge of the same
   corner if the way over that is shorter, and free (``sliding.py``).
2. *Release.* Where the force of the cable on the solid, T (t_out - t_in) with the tangents t of the
   rope and the weight of the rope next to it, does not press against the outward normal any more,
   and the line from the node before to the node behind is free, the node goes. On an edge and in a
   corner the normal is the sum of those of the faces that meet there. One of two nodes that have
   met at a corner goes if the other will do, there or on another edge of the corner.
3. *Catch.* A span whose cylinder, of the radius of its curve, reaches a solid is looked at as a
   line, and if it oscillates element by element. A line that goes through the solid gets a node on
   the edge that is deepest on the side where it went in; a curve that dips into a face gets one on
   the face, which may slide sideways only.

*Energy.* The path S(q) over nodes that stand where it is shortest has the gradient that the stretch
row uses, with the
nodes taken as fixed points of their bodies: the derivative along the way they slide is zero. So
sliding is conservative. But a node comes when the cable is in the solid already, and the path gets
longer by the detour at once, which would stretch the rope for nothing. Each strand therefore keeps
an account E >= 0 that its path is shortened by: what an update lengthens the path by is added, what
it shortens it by is paid back,

    E <- max(0, E + dS),      so that S - E, which the stretch row sees, never grows.

Where the curve has a mass, its point comes to rest on the solid, which pays for the detour first
(``accounts.py``).

*Fast cables.* All this looks at poses. A span that goes farther in a step than its solid is thick
gets a node on the edge that it met first on the way (``passing.py``), from which the rest is found
as always.

Not modelled: friction; the thickness of the touching part. A solid's corner that both spans of a
node leave in the same step is found one step later. With no room left for another node the cable
stays in the solid, which is reported
by the status CONTACTS_FULL. What ends in a solid: ``buried.py``.
"""

from cable_sim.kernels.cables.accounts import books, owed
from cable_sim.kernels.cables.buried import goes_through
from cable_sim.kernels.cables.elevation import end_pulls
from cable_sim.kernels.cables.parting import ON
from cable_sim.kernels.cables.passing import nearest, passed, reach
from cable_sim.kernels.cables.polyhedron import (
    INSIDE,
    across_face,
    bearing,
    beside,
    catching_edge,
    clear_of,
    cut,
    depth,
    leans_on,
    off_line,
    over_edge,
    passes,
    way_out,
)
from cable_sim.kernels.cables.sliding import (
    CLOSE,
    edge_of,
    heir,
    in_body,
    set_edge,
    set_line,
    slide_all,
)
from cable_sim.kernels.cables.strand import (
    FREE,
    SEVERED,
    divide,
    holds,
    hush,
    lay,
    lay_node,
    lay_span,
    may_wave,
    meet,
    nodes_inside,
    record,
    unite,
)
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.rotation import load_quaternion, rotate, rotate_back
from cable_sim.kernels.status import CONTACTS_FULL, END_INSIDE, SOLVED
from cable_sim.kernels.vec3 import add, axpy, cross, dot, load, norm, scale, store, sub

CURVE_INSIDE = 4e-3
"""Depth of a curve in a solid that is allowed while its chord is clear [m], so that no small wave
comes and goes on it."""
PRESSING = 1e-9
"""Part of the tension that presses a node on at least; less is a straight line but for rounding."""
OUTWARD = 0.2
"""Part of the distance between chord and curve by which the curve is less deep in a solid, if it is
on its side."""
STARTED_INSIDE = 0.05
"""Depth in a solid that no curve gets to within a step [m]. A deeper curve was built there, and
belongs on the side of its chord. The same limit holds for an edge: a curve does not lean on one
that is farther off its chord than the curve by more."""
ROUNDS = 4
"""Most rounds of releasing and catching."""


@kernel
def pulls(c, k, tension, nodes, waves):
    """Return the forces of the span from node k on its two nodes [N].

    Each has the weight of half an interval.
    """
    along = scale(tension, load(nodes.direction, k))
    if not waves.active[k]:
        return along, scale(-1.0, along)
    start, end = end_pulls(
        k,
        waves.kind[c],
        tension,
        waves.density[c],
        load(waves.gravity, 0),
        waves.start,
        waves.intervals,
        waves.displacement,
        waves.normal,
        nodes.length,
        nodes.direction,
    )
    return add(along, start), sub(end, along)


@kernel
def pulled_off(c, k, normal, nodes, waves):
    """Return True if the forces of the spans no longer press contact node k onto its solid.

    ``normal`` is the outward normal at the node in the world.
    """
    tension = waves.tension[k]
    _, before = pulls(c, k - 1, tension, nodes, waves)
    after, _ = pulls(c, k, tension, nodes, waves)
    return dot(add(before, after), normal) >= -PRESSING * tension


@kernel
def comes_off(solids, c, k, bodies, nodes, waves):
    """Return True if contact node k no longer holds the cable off its solid.

    Straight spans are judged by their kink, and by the line between their ends. Where that line is
    clear of the faces at the node, the rope turns back in one of them. Oscillating spans are judged
    by the forces. But a slack rope pulls at nothing: there the kink of the chords must be gone as
    well.
    """
    b, t, e, p = nodes.body[k], nodes.touch[k], edge_of(k, nodes), load(nodes.point, k)
    turn = load_quaternion(bodies.orientation, b)
    kink = rotate_back(turn, sub(load(nodes.direction, k), load(nodes.direction, k - 1)))
    normal, most = bearing(solids, t, e, p, kink)
    straight, waving = dot(kink, normal) >= -PRESSING, waves.active[k] or waves.active[k - 1]
    if not waving and most < -PRESSING:
        return False
    if waving and not pulled_off(c, k, rotate(turn, normal), nodes, waves):
        return False
    start, end = (
        in_body(bodies, b, load(nodes.position, k - 1)),
        in_body(bodies, b, load(nodes.position, k + 1)),
    )
    if not waving:
        return not leans_on(solids, t, e, p, start, end) or (
            straight and passes(solids, t, start, end)
        )
    weight = (
        waves.density[c] * norm(load(waves.gravity, 0)) * (nodes.length[k - 1] + nodes.length[k])
    )
    return straight if waves.tension[k] < weight else passes(solids, t, start, end)


@kernel
def release(solids, c, first, slots, bodies, nodes_out, waves_out):
    """Take the nodes that the cable comes off out of a strand; return their number.

    One of two nodes that have met goes as well.
    """
    k, count = first + 1, nodes_inside(first, slots, nodes_out)
    left = count
    while k <= first + count:
        if (
            nodes_out.touch[k] >= 0
            and not holds(k, nodes_out)
            and (
                heir(solids, k, bodies, nodes_out) >= 0
                or comes_off(solids, c, k, bodies, nodes_out, waves_out)
            )
        ):
            unite(c, k, count, first, slots, bodies, nodes_out, waves_out)
            count -= 1
        else:
            k += 1
    return left - count


@kernel
def curve_point(k, m, nodes, waves):
    """Point m of the curve of the span from node k, in the world [m]."""
    x, i = m / waves.intervals[k], waves.start[k] + m
    chord = axpy(x * nodes.length[k], load(nodes.direction, k), load(nodes.position, k))
    y = load(waves.normal, k)
    z = cross(load(nodes.direction, k), y)
    return add(chord, add(scale(waves.displacement[0, i], y), scale(waves.displacement[1, i], z)))


@kernel
def chord_depth(solids, t, k, bodies, nodes):
    """Return the depth of the chord of the span from node k in solid t [m]."""
    b = solids.body[t]
    _, _, inside = cut(
        solids,
        t,
        in_body(bodies, b, load(nodes.position, k)),
        in_body(bodies, b, load(nodes.position, k + 1)),
    )
    return inside


@kernel
def deepest_element(solids, t, k, bodies, nodes, waves):
    """Return the element of a curve that is deepest in solid t; -1 if none is to be caught.

    It is told by the first of its two points.
    """
    b = solids.body[t]
    found, most = -1, INSIDE if chord_depth(solids, t, k, bodies, nodes) > INSIDE else CURVE_INSIDE
    start = in_body(bodies, b, load(nodes.position, k))
    for m in range(waves.intervals[k]):
        end = in_body(bodies, b, curve_point(k, m + 1, nodes, waves))
        _, _, inside = cut(solids, t, start, end)
        if inside > most:
            found, most = m, inside
        start = end
    return found


@kernel
def catch_curve(solids, c, t, k, count, first, bodies, nodes_out, waves_out):
    """Set a node where the curve of the span from node k is deepest in solid t.

    Returns whether there is such a place.
    """
    m = deepest_element(solids, t, k, bodies, nodes_out, waves_out)
    if m < 0:
        return False
    b, intervals = solids.body[t], waves_out.intervals[k]
    start = in_body(bodies, b, curve_point(k, m, nodes_out, waves_out))
    end = in_body(bodies, b, curve_point(k, m + 1, nodes_out, waves_out))
    at_start, face_0 = depth(solids, t, start)
    at_end, face_1 = depth(solids, t, end)
    if max(at_start, at_end) <= INSIDE:  # in and out again within the element: over an edge
        e = catching_edge(solids, t, start, end, (0.0, 0.0), (0.0, 0.0, 0.0))
        if e < 0:
            return False
        p, _ = over_edge(solids, e, start, end)
        along = sub(end, start)
        place = (m + min(max(dot(sub(p, start), along) / dot(along, along), 0.0), 1.0)) / intervals
        insert(
            solids, c, t, k, (count, first), clipped(place), e, -1, p, bodies, nodes_out, waves_out
        )
        return True
    deep, face, p, i = (
        (at_end, face_1, end, m + 1) if at_end > at_start else (at_start, face_0, start, m)
    )
    out = scale(deep, load(solids.face_normal, face))
    if deep > STARTED_INSIDE:
        chord = axpy(
            i / intervals * nodes_out.length[k],
            load(nodes_out.direction, k),
            load(nodes_out.position, k),
        )
        to_chord = sub(in_body(bodies, b, chord), p)
        part, leaves_by = way_out(solids, t, p, add(p, to_chord))
        if part < 1.0:
            face, out = leaves_by, scale(part, to_chord)
    p = add(p, out)
    insert(
        solids,
        c,
        t,
        k,
        (count, first),
        clipped(i / intervals),
        -1,
        face,
        p,
        bodies,
        nodes_out,
        waves_out,
    )
    return True


@kernel
def clipped(place):
    """Return a place on a span, kept away from the span's ends."""
    return min(max(place, 1e-3), 1.0 - 1e-3)


@kernel
def insert(solids, c, t, k, room, place, edge, face, p, bodies, nodes_out, waves_out):
    """Insert contact node k + 1 on solid t at point p of the body's frame.

    The point is on an edge or a face of the solid. ``room`` is the number of nodes that there is
    room for, and the row of the first one.
    """
    b = solids.body[t]
    start = in_body(bodies, b, load(nodes_out.position, k))
    end = in_body(bodies, b, load(nodes_out.position, k + 1))
    rows, node = 0, k + 1
    if waves_out.start[k] >= 0:
        rows = record(c, k, 0.0, 1.0, 0, bodies, nodes_out, waves_out)
    divide(k, place, room[0], room[1], nodes_out, waves_out)
    nodes_out.body[node], nodes_out.slot[node], nodes_out.touch[node] = b, solids.slot[t], t
    nodes_out.slip[node], nodes_out.slide[node] = FREE, 0.0
    if edge >= 0:
        set_edge(solids, node, edge, nodes_out)
    else:
        direction, lower, upper = across_face(solids, t, face, p, sub(end, start))
        set_line(node, p, direction, lower, upper, nodes_out)
    store(p, node, nodes_out.point)
    lay_node(node, bodies, nodes_out)
    meet(c, node, place, rows, bodies, nodes_out, waves_out)


@kernel
def bulge(solids, t, k, start, end, bodies, nodes, waves):
    """Return the unit vector from the chord of the span from node k to its curve, and the distance.

    They are taken where the curve meets solid t. The vector is zero without a curve. It is zero as
    well where the curve is not less deep by the part ``OUTWARD`` of that distance: then it does not
    tell the side.
    """
    m = deepest_element(solids, t, k, bodies, nodes, waves) if waves.active[k] else -1
    if m < 0:
        return (0.0, 0.0, 0.0), 0.0
    b = solids.body[t]
    a, c = (
        in_body(bodies, b, curve_point(k, m, nodes, waves)),
        in_body(bodies, b, curve_point(k, m + 1, nodes, waves)),
    )
    _, _, curve_inside = cut(solids, t, a, c)
    middle = scale(0.5, add(a, c))
    across = off_line(middle, start, end)
    out, off = (
        chord_depth(solids, t, k, bodies, nodes) - curve_inside,
        dot(sub(middle, start), across),
    )
    return across if out > OUTWARD * off else (0.0, 0.0, 0.0), off


@kernel
def catch_chord(solids, c, t, k, count, first, bodies, nodes_out, waves_out):
    """Set a node on an edge of solid t that the chord of the span from node k goes through.

    Returns whether it does. A curve beside the chord has the last word: it leans on no edge that is
    far beyond it.
    """
    start = in_body(bodies, solids.body[t], load(nodes_out.position, k))
    end = in_body(bodies, solids.body[t], load(nodes_out.position, k + 1))
    if chord_depth(solids, t, k, bodies, nodes_out) <= INSIDE:
        return False
    near = nearest(t, k, nodes_out), nearest(t, k + 1, nodes_out)
    side, off = bulge(solids, t, k, start, end, bodies, nodes_out, waves_out)
    e = catching_edge(solids, t, start, end, near, side)
    if e < 0:
        return False
    p, _ = over_edge(solids, e, start, end)
    if dot(side, side) > 0.0 and dot(sub(p, start), off_line(p, start, end)) > off + STARTED_INSIDE:
        return False
    along = sub(end, start)
    place = min(max(dot(sub(p, start), along) / dot(along, along), 1e-3), 1.0 - 1e-3)
    insert(solids, c, t, k, (count, first), place, e, -1, p, bodies, nodes_out, waves_out)
    return True


@kernel
def seen_from(solids, t, k, bodies, nodes):
    """Return the position of node k in the frame of the body of solid t [m]."""
    if nodes.touch[k] == t:
        return load(nodes.point, k)
    return in_body(bodies, solids.body[t], load(nodes.position, k))


@kernel
def lies_beside(solids, t, k, start, end, nodes):
    """Return True if the faces of solid t at the ends of the span from node k keep the span out.

    Only ends that are contact nodes of that solid count.
    """
    for node in range(k, k + 2):
        if nodes.touch[node] == t and beside(solids, t, edge_of(node, nodes), start, end):
            return True
    return False


@kernel
def dips(solids, t, k, bodies, nodes, waves):
    """Return True if the span from node k goes through solid t."""
    if nodes.slip[k] == SEVERED or nodes.length[k] <= CLOSE:
        return False
    start, end = seen_from(solids, t, k, bodies, nodes), seen_from(solids, t, k + 1, bodies, nodes)
    if not waves.active[k] and lies_beside(solids, t, k, start, end, nodes):
        return False
    if clear_of(solids, t, start, end, reach(k, waves)):
        return False
    if waves.active[k]:
        return deepest_element(solids, t, k, bodies, nodes, waves) >= 0
    return chord_depth(solids, t, k, bodies, nodes) > INSIDE


@kernel
def catch_passed(solids, c, t, k, count, first, met, bodies, nodes_out, waves_out):
    """Set a node at ``met``, on the edge that the span from node k has passed."""
    e, place, along = met
    p = axpy(along, load(solids.edge_direction, e), load(solids.edge_point, e))
    insert(solids, c, t, k, (count, first), clipped(place), e, -1, p, bodies, nodes_out, waves_out)


@kernel
def catch(h, solids, c, first, slots, touch_start, touch_end, bodies, nodes_out, waves_out):
    """Set nodes where spans of a strand go through solids; return their number, and status flags.

    Spans that went through a solid within a step of h count as well.
    """
    k, count = first, nodes_inside(first, slots, nodes_out)
    before, flags = count, SOLVED
    while k <= first + count:
        caught = False
        for t in range(touch_start, touch_end):
            met = passed(h, solids, c, t, k, bodies, nodes_out, waves_out)
            if met[0] < 0 and not dips(solids, t, k, bodies, nodes_out, waves_out):
                continue
            if goes_through(solids, t, k, first, first + slots + 1, bodies, nodes_out):
                flags |= END_INSIDE
                continue
            if count == slots:
                return count - before, flags | CONTACTS_FULL
            if met[0] >= 0:
                catch_passed(solids, c, t, k, count, first, met, bodies, nodes_out, waves_out)
                caught = True
            else:
                caught = catch_chord(solids, c, t, k, count, first, bodies, nodes_out, waves_out)
            if not caught and waves_out.active[k]:
                caught = catch_curve(solids, c, t, k, count, first, bodies, nodes_out, waves_out)
            if caught:
                count += 1
                break
        if not caught:
            k += 1
    return count - before, flags


@kernel
def refresh(h, solids, c, first, slots, touch_start, touch_end, bodies, nodes_out, waves_out):
    """Slide, release and catch in one strand that has been laid, after a step of h; returns status
    flags."""
    count, flags = nodes_inside(first, slots, nodes_out), SOLVED
    slide_all(solids, first, count, bodies, nodes_out)
    for k in range(first, first + count + 1):
        lay_span(c, k, nodes_out, waves_out)
    for i in range(ROUNDS):
        left = release(solids, c, first, slots, bodies, nodes_out, waves_out)
        ahead = h if i == 0 else 0.0  # what was passed and let go again is not to come back
        new, flags = catch(
            ahead, solids, c, first, slots, touch_start, touch_end, bodies, nodes_out, waves_out
        )
        if left + new == 0:
            break
    return flags


@kernel
def update_strand(h, solids, c, first, slots, touch_start, touch_end, bodies, nodes_out, waves_out):
    """Update the contact nodes of one strand at the end of a step of h; return status flags."""
    lay(c, first, slots, bodies, nodes_out, waves_out)
    inside = nodes_inside(first, slots, nodes_out)
    path, energy = books(c, first, slots, bodies, nodes_out, waves_out)
    flags = refresh(
        h, solids, c, first, slots, touch_start, touch_end, bodies, nodes_out, waves_out
    )
    for k in range(first, first + slots + 1):
        wave = may_wave(c, k, nodes_out, waves_out)
        if waves_out.active[k] and not wave:
            hush(k, waves_out)
        waves_out.active[k] = wave
    if inside + nodes_inside(first, slots, nodes_out) > 0:
        path_after, energy_after = books(c, first, slots, bodies, nodes_out, waves_out)
        nodes_out.excess[first] = owed(
            nodes_out.excess[first],
            path_after - path,
            energy_after - energy,
            waves_out.tension[first],
        )
    return flags


@kernel
def update(h, cables, touches, cable_state, spans, solids, bodies, nodes_out, waves_out):
    """Update the contact nodes of all cables except hybrid wires after a step of h; return flags.

    Cables that are off are left out, too.
    """
    flags = SOLVED
    for c in range(touches.start.size - 1):
        begin, end = touches.start[c], touches.start[c + 1]
        if begin == end or cables.wire[c] or cable_state.off[c] != ON:
            continue
        for k in range(cables.node_start[c], cables.node_start[c + 1]):
            if spans.slots[k] > 0:
                flags |= update_strand(
                    h, solids, c, k, spans.slots[k], begin, end, bodies, nodes_out, waves_out
                )
    return flags
