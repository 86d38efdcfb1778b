"""The solids near a cable: those whose boxes meet the box about the cable.

A cable looks only at them. With the box of the nodes of a strand, the largest speed V of a node and
the largest radius of a curve, whatever the cable does with a solid in a step of h (``contacts.py``,
``swept_edges.py``, ``masses.py``) it does within

    radius + h V

of that box, and of what the solid's body moves by meanwhile (``broad_phase.py``). What is beside it
is never touched, so that the bits of a run do not depend on who is looked at, if only the order of
those that are near stays.

The *region* of a cable is the box for which its near solids have been found. It begins empty in
every update. A strand that is not in it joins it, with a ``MARGIN``: within an update nodes slide
and come, and few of them get out of it. Solids of one cable that stand behind one another on one
body make blocks with a box of their own, which is looked at first.
"""

from math import inf, sqrt

from cable_sim.kernels.broad_phase import box_in_body, grow_box, is_apart, is_within, join_boxes
from cable_sim.kernels.cables.contact.contact_path import MASSIVE, node_velocity
from cable_sim.kernels.cables.contact.swept_edges import curve_radius
from cable_sim.kernels.cables.hybrid.segments import NODE, is_mass
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.vec3 import Vector, dot, load, store
from cable_sim.kernels.records.bodies import Moving
from cable_sim.kernels.records.lines import Nodes, WireLines
from cable_sim.kernels.records.obstacles import Touches, TouchWork

MARGIN = 0.1
"""Distance by which the region of a cable is larger than the cable [m]."""


@kernel
def forget_near(c: int, near_out: TouchWork) -> None:
    """Empty the region of cable c."""
    near_out.counts[c] = 0
    for k in range(3):
        near_out.region[c, 0, k] = inf
        near_out.region[c, 1, k] = -inf


@kernel
def find_near(h: float, c: int, solids: Touches, bodies: Moving, near_out: TouchWork) -> None:
    """Find the solids near cable c in its region, in their order."""
    count = 0
    body = 0
    region = load(near_out.region[c], 0), load(near_out.region[c], 1)
    lower, upper = region
    for block in range(solids.block_start[c], solids.block_start[c + 1]):
        first = solids.block_solid[block]
        if solids.body[first] != body:
            body = solids.body[first]
            lower, upper = box_in_body(h, body, region[0], region[1], bodies)
        if is_apart(lower, upper, solids.block_box[block]):
            continue
        for t in range(first, solids.block_solid[block + 1]):
            if not is_apart(lower, upper, solids.box[t]):
                near_out.solid[solids.start[c] + count] = t
                count += 1
    near_out.counts[c] = count


@kernel
def cover_box(
    h: float,
    c: int,
    lower: Vector,
    upper: Vector,
    solids: Touches,
    bodies: Moving,
    near_out: TouchWork,
) -> None:
    """Find the solids near cable c anew if a box is not in its region."""
    region = near_out.region[c]
    if is_within(lower, upper, region):
        return
    lower, upper = grow_box(lower, upper, MARGIN)
    lower, upper = join_boxes(load(region, 0), load(region, 1), lower, upper)
    store(lower, 0, region)
    store(upper, 1, region)
    find_near(h, c, solids, bodies, near_out)


@kernel
def strand_box(h: float, first: int, count: int, nodes: Nodes) -> tuple[Vector, Vector]:
    """Return the box that the nodes of a strand, ``count`` between its ends, sweep in a step."""
    lower = load(nodes.position, first)
    upper = lower
    fastest = 0.0
    for k in range(first, first + count + 2):
        position = load(nodes.position, k)
        lower, upper = join_boxes(lower, upper, position, position)
        massive = nodes.contact_solid[k] == MASSIVE
        velocity = load(nodes.velocity, k) if massive else node_velocity(k, nodes)
        fastest = max(fastest, dot(velocity, velocity))
    return grow_box(lower, upper, h * sqrt(fastest))


@kernel
def cover_strand(h: float, c: int, first: int, count: int, nodes_out: Nodes) -> None:
    """Find the solids near cable c anew if a strand, with its curves, is not in its region."""
    lower, upper = strand_box(h, first, count, nodes_out)
    radius = 0.0
    for k in range(first, first + count + 1):
        if nodes_out.waves.active[k]:
            radius = max(radius, curve_radius(k, nodes_out.waves))
    lower, upper = grow_box(lower, upper, radius)
    cover_box(h, c, lower, upper, nodes_out.solids, nodes_out.bodies, nodes_out.near)


@kernel
def cover_point(
    h: float,
    c: int,
    point: Vector,
    reach: float,
    solids: Touches,
    bodies: Moving,
    near_out: TouchWork,
) -> None:
    """Find the solids near cable c anew if a ball about a point is not in its region."""
    lower, upper = grow_box(point, point, reach)
    cover_box(h, c, lower, upper, solids, bodies, near_out)


@kernel
def cover_masses(h: float, n: int, wires: WireLines, bodies: Moving, nodes_out: Nodes) -> None:
    """Find the solids near the masses of wire n, which have been placed; forget all others.

    The bodies have the velocities that count.
    """
    c = wires.cable[n]
    forget_near(c, nodes_out.near)
    lower = (inf, inf, inf)
    upper = (-inf, -inf, -inf)
    fastest = 0.0
    for i in range(wires.node_start[c], wires.node_start[c] + nodes_out.segment_count[n] + 1):
        if is_mass(i, nodes_out):
            position = load(nodes_out.position, nodes_out.mark[i, NODE])
            velocity = load(nodes_out.velocity, nodes_out.mark[i, NODE])
            lower, upper = join_boxes(lower, upper, position, position)
            fastest = max(fastest, dot(velocity, velocity))
    if lower[0] <= upper[0]:
        lower, upper = grow_box(lower, upper, h * sqrt(fastest))
        cover_box(h, c, lower, upper, nodes_out.solids, bodies, nodes_out.near)
