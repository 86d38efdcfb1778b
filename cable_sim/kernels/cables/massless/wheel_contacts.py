"""Contacts of a rope with its wheels: wraps, the path to either side, and what friction holds.

A wheel parts the path of the rope at a direction that is fixed in its carrier, halfway between both
contacts at the start. The angles of the contacts are counted from there, with the full turns that
bring them nearest to those of the last step: by less than half a turn a step, they go as far as the
carrier turns, or a node goes round the wheel. For the tangents see ``tangents.py``, for what the
numbers are for ``wheels.py``.
"""

from math import atan2, floor, pi

from cable_sim.kernels.cables.friction.node_law import capstan_bound
from cable_sim.kernels.cables.massless.massless import measure, runs_over_wheels, unstretched_length
from cable_sim.kernels.cables.massless.tangents import common_tangent, groove_forces
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.rotation import load_quaternion, rotate
from cable_sim.kernels.multibody.vec3 import ZERO, Vector, add, cross, dot, load, scale, store, sub
from cable_sim.kernels.records.arrays import Floats
from cable_sim.kernels.records.bodies import Moving
from cable_sim.kernels.records.cables import Cables
from cable_sim.kernels.records.lines import Lines
from cable_sim.kernels.records.wheels import Rims, Wheels


@kernel
def unwrapped(angle: float, near: float) -> float:
    """Return the angle, with full turns, that is nearest to another one [rad]."""
    return angle + 2.0 * pi * floor((near - angle) / (2.0 * pi) + 0.5)


@kernel
def world_vector(b: int, vector: Vector, body_orientation: Floats) -> Vector:
    """Return a vector of body b in the world."""
    return vector if b == 0 else rotate(load_quaternion(body_orientation, b), vector)


@kernel
def rim_of(k: int, wheels: Wheels, lines: Lines) -> tuple[Vector, float]:
    """Return axis in the world and radius of the wheel at node k; the radius 0 without one."""
    i = wheels.of_node[k]
    if i < 0:
        return ZERO, 0.0
    return (
        world_vector(lines.node_state.body[k], load(wheels.axis, i), lines.bodies.orientation),
        wheels.radius[i],
    )


@kernel
def place_span(k: int, rims_out: Rims, lines_out: Lines) -> None:
    """Place the span from node k on: contacts, length, direction, and its pull at the rims."""
    near = load(lines_out.node_work.position, k)
    far = load(lines_out.node_work.position, k + 1)
    near_axis, near_radius = rim_of(k, rims_out.wheels, lines_out)
    far_axis, far_radius = rim_of(k + 1, rims_out.wheels, lines_out)
    leaves, comes, from_near, to_far = common_tangent(
        near, near_axis, near_radius, far, far_axis, far_radius
    )
    start = scale(near_radius, leaves)
    end = scale(far_radius, comes)
    length, along = measure(add(near, start), add(far, end))
    p, q = groove_forces(
        along, (near_axis, near_radius, leaves, from_near), (far_axis, far_radius, comes, to_far)
    )
    across_near = scale(p, leaves)
    across_far = scale(q, comes)
    way = sub(far, near)
    lines_out.span_work.length[k] = length
    store(along, k, lines_out.span_work.direction)
    store(add(across_near, across_far), k, lines_out.span_work.groove_force)
    couple = lines_out.span_work.groove_couple[k]
    at_start = cross(start, add(along, across_far))
    at_end = cross(end, add(along, across_near))
    store(add(at_start, cross(add(way, end), across_near)), 0, couple)
    store(add(at_end, cross(sub(start, way), across_far)), 1, couple)
    if near_radius > 0.0:
        store(leaves, rims_out.wheels.of_node[k], rims_out.work.leaves)
        store(near_axis, rims_out.wheels.of_node[k], rims_out.work.axis)
    if far_radius > 0.0:
        store(comes, rims_out.wheels.of_node[k + 1], rims_out.work.comes)


@kernel
def contact_angles(i: int, rims: Rims, lines: Lines) -> tuple[float, float]:
    """Return the angles at which the rope comes to wheel i and leaves it [rad].

    They are from the direction at which the rope is parted.
    """
    b = lines.node_state.body[rims.wheels.node[i]]
    ahead = world_vector(b, load(rims.wheels.ahead, i), lines.bodies.orientation)
    aside = cross(world_vector(b, load(rims.wheels.axis, i), lines.bodies.orientation), ahead)
    comes = load(rims.work.comes, i)
    leaves = load(rims.work.leaves, i)
    last = rims.state.contact[i]
    return (
        unwrapped(atan2(dot(comes, aside), dot(comes, ahead)), last[0]),
        unwrapped(atan2(dot(leaves, aside), dot(leaves, ahead)), last[1]),
    )


@kernel
def rope_beyond(i: int, rims: Rims, body_state: Moving) -> float:
    """Return the unstretched length of the parts behind the direction ahead of wheel i [m]."""
    rotor = rims.wheels.rotor[i]
    back = rims.wheels.back[i]
    rim = body_state.position[rotor, 0] if rotor >= 0 else 0.0
    end = body_state.position[back, 0] if back >= 0 else 0.0
    return rims.state.beyond[i] + rim - end


@kernel
def slipping_wheels(c: int, cables: Cables) -> tuple[int, int]:
    """Return the first of the wheels of cable c that its rope may slip on, and their number."""
    first = cables.wheel_start[c] + (1 if cables.closed[c] else 0)
    return first, cables.wheel_start[c + 1] - first


@kernel
def middle(i: int, rims: Rims) -> float:
    """Return the way on wheel i from the direction ahead to the middle of the contact [m]."""
    return 0.5 * rims.wheels.radius[i] * (rims.work.contact[i, 0] + rims.work.contact[i, 1])


@kernel
def place_wheels(c: int, length: float, lines_out: Lines, rims_out: Rims) -> None:
    """Find the wraps, shares and losses of the wheels of cable c, and its path beyond each node.

    ``length`` is its unstretched length [m].
    """
    wheel_work_out = rims_out.work
    wheels = rims_out.wheels
    remaining = 0.0
    run_on = 0.0
    last = lines_out.cables.node_start[c + 1] - 1
    for i in range(lines_out.cables.wheel_start[c], lines_out.cables.wheel_start[c + 1]):
        comes, leaves = contact_angles(i, rims_out, lines_out)
        wheel_work_out.contact[i, 0] = comes
        wheel_work_out.contact[i, 1] = leaves
    if lines_out.cables.closed[c]:
        i = wheels.of_node[last]
        remaining = -wheels.radius[i] * wheel_work_out.contact[i, 0]
        run_on = middle(i, rims_out)
    lines_out.node_work.remaining_path_length[last] = remaining
    for k in range(last - 1, lines_out.cables.node_start[c] - 1, -1):
        remaining += lines_out.span_work.length[k]
        lines_out.node_work.remaining_path_length[k] = remaining
        i = wheels.of_node[k]
        if i < 0:
            continue
        comes = wheel_work_out.contact[i, 0]
        leaves = wheel_work_out.contact[i, 1]
        lines_out.node_work.remaining_path_length[k] += wheels.radius[i] * leaves
        remaining += wheels.radius[i] * (leaves - comes)
        beyond = rope_beyond(i, rims_out, lines_out.bodies)
        beyond += run_on - middle(i, rims_out)
        wheel_work_out.wrap[i] = leaves - comes
        wheel_work_out.share[i] = min(max(beyond / length, 0.0), 1.0)
        lines_out.node_work.share[k] = wheel_work_out.share[i]
        lines_out.node_work.loss[k] = wheels.loss[i]
        if wheels.friction[i] >= 0.0:
            lines_out.node_work.loss[k] = 2.0 * capstan_bound(
                wheels.friction[i], max(leaves - comes, 0.0)
            )


@kernel
def place_cables(lines_out: Lines, rims_out: Rims) -> None:
    """Place the spans and wheels of all cables that run over wheels."""
    for c in range(lines_out.cables.row.size):
        if not runs_over_wheels(lines_out.cables, c):
            continue
        for k in range(lines_out.cables.node_start[c], lines_out.cables.node_start[c + 1] - 1):
            place_span(k, rims_out, lines_out)
        length = unstretched_length(c, lines_out.cables, lines_out.bodies.position)
        place_wheels(c, length, lines_out, rims_out)
