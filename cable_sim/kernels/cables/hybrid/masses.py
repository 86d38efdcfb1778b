"""The masses of hybrid wires: how they move, what they lie on, and their energy.

A mass moves as v+ = v + h g + w (h T_after u_first - h T_before u_last), x+ = x + h v+
(``hybrid.py``), unless it would end the step in a solid or under the ground: then the plane of the
face that it comes through acts as the hard ground of ``ground.py`` does, seen from the body that
carries the solid. That body gets the opposite impulse at that point. Air takes the part h b / (1 +
h b) of the velocity. Both act after everything has been solved, on masses one by one, and break the
lengths of their segments by as much; these are repaired in the next steps.

*Ends under the ground.* A plane has no far side that rope could hang down on. Where an end or eye
gets under it, on a body that the ground does not stop, the rows would pull at a mass that the plane
stops: they take it for one that yields, find T about 4 g / (9 w h^2) for a gap g, and rope gets
longer by metres before it holds the load. So it is as with what ends in a solid
(``buried_ends.py``): a mass goes through the ground while rope pulls it towards a node that is
``SUNK`` under it. What is so deep stays free until it comes up by itself: to be raised would take
energy. The status END_INSIDE says so.

*Energy.* A segment stores what a row does (``rows.py``, "What a row stores"), with the mobility w_a
+ w_b of its masses. As b is taken from the velocity before, the path of the step is longer than J
v+ - b / h says by c, h^2 / 2 l times the growth of v_perp^2 when the turn gets faster, and on an
even
  whirl of theta a step by theta^4 l / 2. In place of the c
there it is this that stays in the gap, (gamma / h + 1/2) c without force: no strain. With damping
of its own the rope is strained by e where eps T = e + gamma de/dt, so that of the impulses p of the
tension the part

    d = (gamma d' + h p) / (h + gamma),      d' that of the step before,

strains it: the smaller of the gap and eps d / h counts, at any gamma. A segment that is squeezed,
as a bar is, stores by its gap: its tension is not kept. The gap is that of the time of the
velocities, half a step before the pose.

At the ends of a wire on bodies the velocity is that of the point that holds it.
"""

from cable_sim.kernels.cables.contact.buried_ends import is_let_through
from cable_sim.kernels.cables.contact.contact_path import CROSSED, MASSIVE
from cable_sim.kernels.cables.contact.near_solids import cover_masses, cover_point
from cable_sim.kernels.cables.contact.polyhedron import depth
from cable_sim.kernels.cables.contact.sliding import point_in_body
from cable_sim.kernels.cables.crossing.crossing_rows import GIVE, set_crossing_velocities
from cable_sim.kernels.cables.friction.weight import height_of_rope
from cable_sim.kernels.cables.hybrid.hybrid import clip_pushes, mass_velocity
from cable_sim.kernels.cables.hybrid.rope_flow import slips
from cable_sim.kernels.cables.hybrid.segments import (
    BEFORE,
    IMPULSE,
    INVERSE,
    MASS,
    NODE,
    PATH,
    REST,
    end_directions,
    is_severed,
    mean_impulse,
    next_node,
    strand_ends,
)
from cable_sim.kernels.cables.particles.ground import apply_hard_plane, has_plane, height
from cable_sim.kernels.cables.stiffness.bars import buckles, is_bar
from cable_sim.kernels.cables.stiffness.flexure import flexural_energy
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.bodies import point_velocity, push_body
from cable_sim.kernels.multibody.rotation import load_quaternion, multiply3, rotate
from cable_sim.kernels.multibody.rows import strain_energy
from cable_sim.kernels.multibody.vec3 import (
    ZERO,
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
from cable_sim.kernels.multibody.wind import Wind, apply_drag
from cable_sim.kernels.records import Moving
from cable_sim.kernels.records.arrays import Floats
from cable_sim.kernels.records.bodies import BodyWork
from cable_sim.kernels.records.lines import Nodes, WireLines
from cable_sim.kernels.records.obstacles import Touches
from cable_sim.kernels.status import END_INSIDE, SOLVED

SUNK = 0.01
"""Depth under its ground from which on a node of a wire is through it [m]. Bodies that rest on a
floor sink in less."""


@kernel
def keep_off_solid(
    h: float,
    t: int,
    mass: float,
    position: Vector,
    velocity: Vector,
    solids: Touches,
    ahead_out: Moving,
) -> Vector:
    """Return the velocity of a mass after solid t has kept it out [m/s].

    The body of the solid gets the opposite impulse.
    """
    b = solids.body[t]
    arm = sub(position, load(ahead_out.position, b))
    centre = rotate(load_quaternion(ahead_out.orientation, b), load(solids.centre, t))
    carried = point_velocity(ahead_out.velocity, b, arm)
    relative = sub(velocity, carried)
    if norm(sub(arm, centre)) > solids.radius[t] + h * norm(relative):
        return velocity
    at_end, _ = depth(solids, t, point_in_body(ahead_out, b, axpy(h, relative, position)))
    if at_end <= 0.0:
        return velocity
    now, face = depth(solids, t, point_in_body(ahead_out, b, position))
    normal = rotate(load_quaternion(ahead_out.orientation, b), load(solids.face_normal, face))
    kept = apply_hard_plane(h, solids.friction[t], normal, -now, relative)
    push_body(b, arm, scale(mass, sub(relative, kept)), ahead_out, ahead_out.velocity)
    return add(carried, kept)


@kernel
def keep_off_solids(
    h: float,
    c: int,
    i: int,
    velocity: Vector,
    wires: WireLines,
    nodes_out: Nodes,
    ahead_out: Moving,
) -> Vector:
    """Return the velocity of the mass at endpoint i after the solids near it have kept it out
    [m/s].

    Those that its rope goes straight through do not.
    """
    solids = nodes_out.solids
    if solids.start[c] == solids.start[c + 1]:
        return velocity
    k = nodes_out.mark[i, NODE]
    strand = strand_ends(k, c, wires)
    mass = 1.0 / nodes_out.number[i, INVERSE]
    position = load(nodes_out.position, k)
    cover_point(h, c, position, h * norm(velocity), solids, ahead_out, nodes_out.near)
    for near in range(solids.start[c], solids.start[c] + nodes_out.near.counts[c]):
        t = nodes_out.near.solid[near]
        if not is_let_through(t, k, strand, nodes_out):
            velocity = keep_off_solid(h, t, mass, position, velocity, solids, ahead_out)
    return velocity


@kernel
def apply_air(
    h: float, n: int, i: int, wind: Wind, wires: WireLines, nodes: Nodes, velocity: Vector
) -> Vector:
    """Return the velocity of the mass at endpoint i of wire n after air and wind have acted [m/s].

    The wind acts on half of the spans next to it.
    """
    c = wires.cable[n]
    velocity = scale(1.0 / (1.0 + h * wires.air_damping[n]), velocity)
    if wires.cable_drag[c] == 0.0:
        return velocity
    k = nodes.mark[i, NODE]
    length = 0.0
    reach = ZERO
    if i > wires.node_start[c] and not is_severed(i - 1, nodes):
        before = nodes.mark[i, BEFORE]
        length = nodes.length[before]
        reach = scale(nodes.length[before], load(nodes.direction, before))
    if i < wires.node_start[c] + nodes.segment_count[n] and not is_severed(i, nodes):
        length += nodes.length[k]
        reach = axpy(nodes.length[k], load(nodes.direction, k), reach)
    share = 0.5 * wires.cable_drag[c] * length * nodes.number[i, INVERSE]
    return apply_drag(h, wind, share, nodes.position[k, 2], reach, velocity)


@kernel
def is_sunk(k: int, point: Vector, normal: Vector, nodes: Nodes) -> bool:
    """Return True if node k is under the ground."""
    return height(load(nodes.position, k), point, normal) < -SUNK


@kernel
def is_pulled_under(i: int, point: Vector, normal: Vector, nodes: Nodes) -> bool:
    """Return True if segment i pulls, and a node of it is under the ground."""
    sunk = is_sunk(nodes.mark[i, NODE], point, normal, nodes)
    for k in range(nodes.mark[i, NODE], nodes.mark[i + 1, BEFORE] + 1):
        sunk |= is_sunk(next_node(i, k, nodes), point, normal, nodes)
    return sunk and nodes.number[i, IMPULSE] > 0.0


@kernel
def sinks_under(i: int, begin: int, end: int, point: Vector, normal: Vector, nodes: Nodes) -> bool:
    """Return True if the mass at endpoint i is under the ground, or pulled through it."""
    under = is_sunk(nodes.mark[i, NODE], point, normal, nodes)
    if i > begin:
        under |= is_pulled_under(i - 1, point, normal, nodes)
    if i < end:
        under |= is_pulled_under(i, point, normal, nodes)
    return under


@kernel
def move_masses(
    h: float,
    gravity_step: Vector,
    n: int,
    wires: WireLines,
    wind: Wind,
    next_velocity_out: Floats,
    nodes_out: Nodes,
) -> int:
    """Compute the new velocities of the masses of wire n; return status flags.

    A body that they hit gets its share in ``next_velocity``.
    """
    c = wires.cable[n]
    flags = SOLVED
    begin = wires.node_start[c]
    end = begin + nodes_out.segment_count[n]
    point, normal = load(wires.ground_point, n), load(wires.ground_normal, n)
    bodies = nodes_out.bodies
    ahead = Moving(
        bodies.position,
        bodies.orientation,
        next_velocity_out,
        bodies.inverse_mass,
        bodies.world_inverse_inertia,
    )
    if nodes_out.solids.start[c] < nodes_out.solids.start[c + 1]:
        cover_masses(h, n, wires, ahead, nodes_out)
    for i in range(begin, end + 1):
        k = nodes_out.mark[i, NODE]
        if nodes_out.contact_solid[k] != MASSIVE:
            continue
        position = load(nodes_out.position, k)
        velocity = mass_velocity(i, gravity_step, begin, end, nodes_out)
        velocity = apply_air(h, n, i, wind, wires, nodes_out, velocity)
        velocity = keep_off_solids(h, c, i, velocity, wires, nodes_out, ahead)
        if has_plane(normal):
            if sinks_under(i, begin, end, point, normal, nodes_out):
                flags = END_INSIDE
            else:
                velocity = apply_hard_plane(
                    h, wires.ground_friction[n], normal, height(position, point, normal), velocity
                )
        store(velocity, k, nodes_out.velocity)
    return flags


@kernel
def push_masses_out(h: float, n: int, wires: WireLines, nodes_out: Nodes) -> int:
    """Put masses of wire n that are inside solids onto their surfaces; return their number.

    Rope to an end inside of a solid goes straight through (``buried_ends.py``).
    """
    c = wires.cable[n]
    moved = 0
    for i in range(wires.node_start[c], wires.node_start[c] + nodes_out.segment_count[n] + 1):
        k = nodes_out.mark[i, NODE]
        if nodes_out.contact_solid[k] != MASSIVE:
            continue
        cover_point(
            h,
            c,
            load(nodes_out.position, k),
            0.0,
            nodes_out.solids,
            nodes_out.bodies,
            nodes_out.near,
        )
        for near in range(
            nodes_out.solids.start[c], nodes_out.solids.start[c] + nodes_out.near.counts[c]
        ):
            t = nodes_out.near.solid[near]
            b = nodes_out.solids.body[t]
            point = point_in_body(nodes_out.bodies, b, load(nodes_out.position, k))
            if norm(sub(point, load(nodes_out.solids.centre, t))) > nodes_out.solids.radius[t]:
                continue
            inside, face = depth(nodes_out.solids, t, point)
            strand = strand_ends(k, c, wires)
            if inside > 0.0 and not is_let_through(t, k, strand, nodes_out):
                out = rotate(
                    load_quaternion(nodes_out.bodies.orientation, b),
                    load(nodes_out.solids.face_normal, face),
                )
                store(axpy(inside, out, load(nodes_out.position, k)), k, nodes_out.point)
                store(load(nodes_out.point, k), k, nodes_out.position)
                moved += 1
    return moved


@kernel
def advance_masses(
    h: float, n: int, wires: WireLines, next_velocity: Floats, nodes_out: Nodes
) -> None:
    """Advance the positions of the masses of wire n, and set the velocities of held ends.

    :func:`move_masses` has found the velocities of the masses.
    """
    begin = wires.node_start[wires.cable[n]]
    lag = wires.damping_time[n] / (h + wires.damping_time[n])
    end = begin + nodes_out.segment_count[n]
    for i in range(begin, end + 1):
        k = nodes_out.mark[i, NODE]
        if nodes_out.contact_solid[k] == MASSIVE:
            store(
                axpy(h, load(nodes_out.velocity, k), load(nodes_out.point, k)), k, nodes_out.point
            )
        elif nodes_out.contact_solid[k] != CROSSED:
            velocity = point_velocity(next_velocity, nodes_out.body[k], load(nodes_out.arm, k))
            change = sub(load(nodes_out.velocity, k), velocity)
            store(scale(nodes_out.number[i, MASS], change), k, nodes_out.inertia_impulse)
            store(velocity, k, nodes_out.velocity)
        if i < end:
            mean = nodes_out.number[i, IMPULSE]
            for node in range(k, nodes_out.mark[i + 1, NODE]):
                weight = nodes_out.tension_ratio[node] if wires.has_friction[n] else 1.0
                own = (
                    max(weight * mean + nodes_out.weight_impulse[node], 0.0) if mean > 0.0 else 0.0
                )
                elastic = lag * nodes_out.elastic_impulse[node]
                nodes_out.tension_impulse[node] = own
                nodes_out.elastic_impulse[node] = elastic + (1.0 - lag) * own


@kernel
def end_mobility(i: int, k: int, along: Vector, nodes: Nodes) -> float:
    """Return 1 / m of the mass at the end i of a segment [1/kg].

    On a body it is u M^-1 u of the body that its node k is on, at a crossing its w.
    """
    if nodes.number[i, INVERSE] > 0.0:
        return nodes.number[i, INVERSE]
    if nodes.contact_solid[k] == CROSSED:
        return nodes.line[k, GIVE] ** 2
    body = nodes.body[k]
    turn = cross(load(nodes.arm, k), along)
    return nodes.bodies.inverse_mass[body] + dot(
        turn, multiply3(nodes.bodies.world_inverse_inertia, body, turn)
    )


@kernel
def unevenness(i: int, nodes: Nodes) -> float:
    """Return the mean square of the tensions in segment i over the square of their mean [-].

    It is 1 where the rope slips over no node.
    """
    if not slips(i, nodes):
        return 1.0
    near = nodes.mark[i, NODE]
    far = nodes.mark[i + 1, NODE]
    mean = mean_impulse(nodes.tension_impulse, near, far, nodes)
    total = 0.0
    rope = 0.0
    for k in range(near, far):
        total += nodes.rest_length[k] * nodes.tension_impulse[k] ** 2
        rope += nodes.rest_length[k]
    return total / (rope * mean * mean) if rope * mean > 0.0 else 1.0


@kernel
def stretch_energy(
    h: float, stepped: bool, n: int, i: int, wires: WireLines, nodes: Nodes
) -> float:
    """Return the energy of segment i of wire n [J]: of its stretch or, as a bar, its
    compression."""
    c = wires.cable[n]
    number = nodes.number
    gap = number[i, REST] - number[i, PATH]
    softness = wires.compliance_per_length[c]
    compliance = softness * number[i, REST]
    squeezed = gap > 0.0 and is_bar(i, nodes) and not buckles(gap, wires.rigidity[n], softness)
    if compliance <= 0.0 or (gap >= 0.0 and not squeezed):
        return 0.0
    near = nodes.mark[i, NODE]
    far = nodes.mark[i + 1, NODE]
    first, last = end_directions(i, nodes)
    mobility = end_mobility(i, near, first, nodes)
    mobility += end_mobility(i + 1, far, last, nodes)
    drawn = mean_impulse(nodes.elastic_impulse, near, far, nodes)
    even = strain_energy(h, gap, compliance, 0.0, mobility, drawn, stepped and not squeezed, True)
    return even * unevenness(i, nodes)


@kernel
def wire_energies(
    h: float, stepped: bool, n: int, gravity: Vector, wires: WireLines, nodes: Nodes
) -> Vector:
    """Return kinetic, potential and elastic energy of wire n [J].

    Masses on static bodies count with their weight alone.
    """
    c = wires.cable[n]
    kinetic = 0.0
    potential = 0.0
    elastic = 0.0
    begin = wires.node_start[c]
    for i in range(begin, begin + nodes.segment_count[n] + 1):
        k = nodes.mark[i, NODE]
        mass = nodes.number[i, MASS]
        velocity = load(nodes.velocity, k)
        kinetic += 0.5 * mass * dot(velocity, velocity)
        if i < begin + nodes.segment_count[n]:
            height_of_segment = height_of_rope(i, gravity, nodes)[0]
            potential += wires.density[c] * height_of_segment
            elastic += stretch_energy(h, stepped, n, i, wires, nodes)
    return kinetic, potential, elastic


@kernel
def move_all_masses(
    h: float,
    gravity_step: Vector,
    wires: WireLines,
    wind: Wind,
    body_work_out: BodyWork,
    nodes_out: Nodes,
) -> int:
    """Advance the masses of all wires by a step; return status flags.

    It runs before the bodies move, because masses may push them.
    """
    flags = SOLVED
    for n in range(wires.cable.size):
        clip_pushes(n, wires, nodes_out)
        flags |= move_masses(
            h, gravity_step, n, wires, wind, body_work_out.next_velocity, nodes_out
        )
        if wires.crosses[n]:
            set_crossing_velocities(h, n, wires, body_work_out.next_velocity, nodes_out)
        advance_masses(h, n, wires, body_work_out.next_velocity, nodes_out)
    return flags


@kernel
def total_wire_energies(
    h: float, stepped: bool, gravity: Vector, wires: WireLines, nodes_out: Nodes
) -> Vector:
    """Return kinetic, potential and elastic energy of all wires [J].

    ``stepped`` says that a step has been taken.
    """
    kinetic = 0.0
    potential = 0.0
    elastic = 0.0
    for n in range(wires.cable.size):
        motion, height_of, stretched = wire_energies(h, stepped, n, gravity, wires, nodes_out)
        kinetic = kinetic + motion
        potential = potential + height_of
        elastic = elastic + stretched
        elastic += flexural_energy(n, wires, nodes_out) if wires.rigidity[n] > 0.0 else 0.0
    return kinetic, potential, elastic
