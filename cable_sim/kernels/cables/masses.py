"""The masses of hybrid wires: how they move, what they lie on, and their energy.

A mass moves as v+ = v + h g + w (h T_after u_first - h T_before u_last), x+ = x + h v+ (``hybrid.py``), unless it would
end the step in a solid or under the ground: then the plane of the face that it comes through acts as the hard ground of
``ground.py`` does, seen from the body that carries the solid. That body gets the opposite impulse at that point. Air
takes the part h b / (1 + h b) of the velocity. Both act after everything has been solved, on masses one by one, and
break the lengths of their pieces by as much; these are repaired in the next steps.

At the ends of a wire on bodies the velocity is that of the point that holds it.
"""

from typing import Any, NamedTuple

from cable_sim.kernels.bodies import point_velocity, push_body
from cable_sim.kernels.cables.crossing import advance_crossings
from cable_sim.kernels.cables.flexure import flexural_energy
from cable_sim.kernels.cables.ground import height, is_there, landed
from cable_sim.kernels.cables.hybrid import cut_off, mass_velocity
from cable_sim.kernels.cables.pieces import BEFORE, IMPULSE, INVERSE, MASS, NODE, PATH, REST, folds, is_bar, is_severed
from cable_sim.kernels.cables.polyhedron import depth
from cable_sim.kernels.cables.sliding import in_body
from cable_sim.kernels.cables.strand import MASSIVE
from cable_sim.kernels.cables.weight import height_of_rope
from cable_sim.kernels.jit import inner
from cable_sim.kernels.rotation import load_quaternion, rotate
from cable_sim.kernels.vec3 import ZERO, add, axpy, dot, load, norm, scale, store, sub
from cable_sim.kernels.wind import blown


@inner
def on_solid(h, t, mass, position, velocity, solids, bodies, moving, velocity_out):
    """Velocity of a mass after solid t has kept it out [m/s]; its body gets the opposite impulse."""
    b = solids.body[t]
    arm = sub(position, load(bodies.position, b))
    centre = rotate(load_quaternion(bodies.orientation, b), load(solids.centre, t))
    carried = point_velocity(velocity_out, b, arm)
    relative = sub(velocity, carried)
    if norm(sub(arm, centre)) > solids.radius[t] + h * norm(relative):
        return velocity
    at_end, _ = depth(solids, t, in_body(bodies, b, axpy(h, relative, position)))
    if at_end <= 0.0:
        return velocity
    now, face = depth(solids, t, in_body(bodies, b, position))
    normal = rotate(load_quaternion(bodies.orientation, b), load(solids.face_normal, face))
    kept = landed(h, solids.friction[t], normal, -now, relative)
    push_body(b, arm, scale(mass, sub(relative, kept)), moving.inverse_mass, moving.world_inverse_inertia, velocity_out)
    return add(carried, kept)


class Air(NamedTuple):
    """What is around each wire: the wind, the drag of each cable [kg/m^2] (``wind.py``), how fast the air takes the
    velocity of masses away [1/s], and a plane to lie on."""

    wind: Any
    drag: Any
    damping: Any
    point: Any
    normal: Any
    friction: Any


@inner
def in_wind(h, i, begin, end, wind, drag, nodes, pieces, velocity):
    """Velocity of the mass that is holder i after the wind has acted on half of the spans next to it [m/s]."""
    k, length, reach = pieces.mark[i, NODE], 0.0, ZERO
    if i > begin and not is_severed(i - 1, nodes, pieces):
        before = pieces.mark[i, BEFORE]
        length, reach = nodes.length[before], scale(nodes.length[before], load(nodes.direction, before))
    if i < end and not is_severed(i, nodes, pieces):
        length, reach = length + nodes.length[k], axpy(nodes.length[k], load(nodes.direction, k), reach)
    share = 0.5 * drag * length * pieces.number[i, INVERSE]
    return blown(h, wind, share, nodes.position[k, 2], reach, velocity)


@inner
def move(
    h, gravity_step, n, wires, touch_start, air, solids, bodies, moving, pieces, next_velocity_out,
    nodes_out,
):  # fmt: skip
    """New velocities of the masses of wire n; what they hit gets its share in ``next_velocity``."""
    c = wires.cable[n]
    begin = wires.node_start[c]
    end = begin + pieces.count[n]
    point, normal = load(air.point, n), load(air.normal, n)
    for i in range(begin, end + 1):
        k = pieces.mark[i, NODE]
        if nodes_out.touch[k] != MASSIVE:
            continue
        position, velocity = load(nodes_out.position, k), mass_velocity(i, gravity_step, begin, end, nodes_out, pieces)
        velocity = scale(1.0 / (1.0 + h * air.damping[n]), velocity)
        if air.drag[c] > 0.0:
            velocity = in_wind(h, i, begin, end, air.wind, air.drag[c], nodes_out, pieces, velocity)
        for t in range(touch_start[c], touch_start[c + 1]):
            if nodes_out.through[t] > 0:
                continue
            velocity = on_solid(
                h, t, 1.0 / pieces.number[i, INVERSE], position, velocity, solids, bodies, moving,
                next_velocity_out,
            )  # fmt: skip
        if is_there(normal):
            velocity = landed(h, air.friction[n], normal, height(position, point, normal), velocity)
        store(velocity, k, nodes_out.velocity)


@inner
def push_out(n, wires, touch_start, solids, bodies, pieces, nodes_out):
    """Put masses of wire n that solids have run over onto their surfaces; returns how many.

    A wire that ends inside of a solid would be laid around it without end, so it goes straight through (``buried.py``).
    """
    c, moved = wires.cable[n], 0
    for i in range(wires.node_start[c], wires.node_start[c] + pieces.count[n] + 1):
        k = pieces.mark[i, NODE]
        if nodes_out.touch[k] != MASSIVE:
            continue
        for t in range(touch_start[c], touch_start[c + 1]):
            b = solids.body[t]
            point = in_body(bodies, b, load(nodes_out.position, k))
            if norm(sub(point, load(solids.centre, t))) > solids.radius[t]:
                continue
            inside, face = depth(solids, t, point)
            if inside > 0.0 and nodes_out.through[t] == 0:
                out = rotate(load_quaternion(bodies.orientation, b), load(solids.face_normal, face))
                store(axpy(inside, out, load(nodes_out.position, k)), k, nodes_out.point)
                store(load(nodes_out.point, k), k, nodes_out.position)
                moved += 1
    return moved


@inner
def carry(h, n, rough, wires, next_velocity, pieces, nodes_out):
    """Positions of the masses of wire n, for which :func:`move` has the velocities, and velocities of held ends."""
    begin = wires.node_start[wires.cable[n]]
    end = begin + pieces.count[n]
    for i in range(begin, end + 1):
        k = pieces.mark[i, NODE]
        if nodes_out.touch[k] == MASSIVE:
            store(axpy(h, load(nodes_out.velocity, k), load(nodes_out.point, k)), k, nodes_out.point)
        else:
            store(point_velocity(next_velocity, nodes_out.body[k], load(nodes_out.arm, k)), k, nodes_out.velocity)
        if i < end:
            for node in range(k, pieces.mark[i + 1, NODE]):
                weight, mean = pieces.weight[node] if rough else 1.0, pieces.number[i, IMPULSE]
                nodes_out.pull[node] = max(weight * mean + pieces.lift[node], 0.0) if mean > 0.0 else 0.0
    last = pieces.mark[end, NODE]
    for k in range(pieces.mark[end, BEFORE] + 1, last):  # room that is not in use stands on the last node
        store(load(nodes_out.point, last), k, nodes_out.point)


@inner
def energies(n, gravity, rigidity, wires, nodes, pieces):
    """Kinetic, potential and elastic energy of wire n [J]; masses on static bodies count with their weight alone."""
    c, kinetic, potential, elastic = wires.cable[n], 0.0, 0.0, 0.0
    begin = wires.node_start[c]
    for i in range(begin, begin + pieces.count[n] + 1):
        k, rest = pieces.mark[i, NODE], pieces.number[i, REST]
        mass, velocity = pieces.number[i, MASS], load(nodes.velocity, k)
        kinetic += 0.5 * mass * dot(velocity, velocity)
        if i < begin + pieces.count[n]:
            potential += wires.density[c] * height_of_rope(i, gravity, nodes, pieces)
        gap = rest - pieces.number[i, PATH]
        gives = wires.compliance_per_length[c] * rest
        squeezed = is_bar(i, nodes, pieces) and not folds(gap, rigidity, wires.compliance_per_length[c])
        if (gap < 0.0 or squeezed) and gives > 0.0:
            elastic += 0.5 * gap * gap / gives
    return kinetic, potential, elastic


@inner
def move_all(
    h, gravity_step, wires, crosses, rough, touch_start, air, solids, bodies, moving, pieces_out, next_velocity_out,
    nodes_out,
):  # fmt: skip
    """The masses of all wires a step on, before the bodies, which they may push."""
    for n in range(wires.cable.size):
        cut_off(n, wires, pieces_out)
        move(
            h, gravity_step, n, wires, touch_start, air, solids, bodies, moving, pieces_out, next_velocity_out,
            nodes_out,
        )  # fmt: skip
        if crosses[n]:
            advance_crossings(h, n, wires, next_velocity_out, nodes_out)
        carry(h, n, rough[n], wires, next_velocity_out, pieces_out, nodes_out)


@inner
def energies_of_all(gravity, wires, rigidity, nodes, pieces):
    """Kinetic, potential and elastic energy of all wires [J]."""
    kinetic, potential, elastic = 0.0, 0.0, 0.0
    for n in range(wires.cable.size):
        motion, height_of, stretched = energies(n, gravity, rigidity[n], wires, nodes, pieces)
        kinetic, potential, elastic = kinetic + motion, potential + height_of, elastic + stretched
        elastic += flexural_energy(n, rigidity[n], wires, nodes, pieces) if rigidity[n] > 0.0 else 0.0
    return kinetic, potential, elastic
