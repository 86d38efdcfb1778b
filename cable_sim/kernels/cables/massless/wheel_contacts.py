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
from cable_sim.kernels.multibody.vec3 import ZERO, add, cross, dot, load, scale, store, sub


@kernel
def unwrapped(angle, near):
    """Return the angle, with full turns, that is nearest to another one [rad]."""
    return angle + 2.0 * pi * floor((near - angle) / (2.0 * pi) + 0.5)


@kernel
def world_vector(b, vector, body_orientation):
    """Return a vector of body b in the world."""
    return vector if b == 0 else rotate(load_quaternion(body_orientation, b), vector)


@kernel
def rim_of(k, wheels, node_state, body_state):
    """Return axis in the world and radius of the wheel at node k; the radius 0 without one."""
    i = wheels.of_node[k]
    if i < 0:
        return ZERO, 0.0
    return (
        world_vector(node_state.body[k], load(wheels.axis, i), body_state.orientation),
        wheels.radius[i],
    )


@kernel
def place_span(k, wheels, node_state, body_state, node_work, span_work_out, wheel_work_out):
    """Place the span from node k on: contacts, length, direction, and its pull at the rims."""
    near = load(node_work.position, k)
    far = load(node_work.position, k + 1)
    near_axis, near_radius = rim_of(k, wheels, node_state, body_state)
    far_axis, far_radius = rim_of(k + 1, wheels, node_state, body_state)
    leaves, comes, from_near, to_far = common_tangent(
        near, near_axis, near_radius, far, far_axis, far_radius
    )
    start = scale(near_radius, leaves)
    end = scale(far_radius, comes)
    length, along = measure(add(near, start), add(far, end))
    p, q = groove_forces(
        along,
        length,
        near_axis,
        near_radius,
        leaves,
        from_near,
        far_axis,
        far_radius,
        comes,
        to_far,
    )
    across_near = scale(p, leaves)
    across_far = scale(q, comes)
    way = sub(far, near)
    span_work_out.length[k] = length
    store(along, k, span_work_out.direction)
    store(add(across_near, across_far), k, span_work_out.groove_force)
    couple = span_work_out.groove_couple[k]
    at_start = cross(start, add(along, across_far))
    at_end = cross(end, add(along, across_near))
    store(add(at_start, cross(add(way, end), across_near)), 0, couple)
    store(add(at_end, cross(sub(start, way), across_far)), 1, couple)
    if near_radius > 0.0:
        store(leaves, wheels.of_node[k], wheel_work_out.leaves)
        store(near_axis, wheels.of_node[k], wheel_work_out.axis)
    if far_radius > 0.0:
        store(comes, wheels.of_node[k + 1], wheel_work_out.comes)


@kernel
def contact_angles(i, wheels, node_state, body_state, wheel_state, wheel_work):
    """Return the angles at which the rope comes to wheel i and leaves it [rad].

    They are from the direction at which the rope is parted.
    """
    b = node_state.body[wheels.node[i]]
    ahead = world_vector(b, load(wheels.ahead, i), body_state.orientation)
    aside = cross(world_vector(b, load(wheels.axis, i), body_state.orientation), ahead)
    comes = load(wheel_work.comes, i)
    leaves = load(wheel_work.leaves, i)
    last = wheel_state.contact[i]
    return (
        unwrapped(atan2(dot(comes, aside), dot(comes, ahead)), last[0]),
        unwrapped(atan2(dot(leaves, aside), dot(leaves, ahead)), last[1]),
    )


@kernel
def rope_beyond(i, wheels, body_state, wheel_state):
    """Return the unstretched length of the parts behind the direction ahead of wheel i [m]."""
    rotor = wheels.rotor[i]
    back = wheels.back[i]
    rim = body_state.position[rotor, 0] if rotor >= 0 else 0.0
    end = body_state.position[back, 0] if back >= 0 else 0.0
    return wheel_state.beyond[i] + rim - end


@kernel
def slipping_wheels(c, cables):
    """Return the first of the wheels of cable c that its rope may slip on, and their number."""
    first = cables.wheel_start[c] + (1 if cables.closed[c] else 0)
    return first, cables.wheel_start[c + 1] - first


@kernel
def middle(i, wheels, wheel_work):
    """Return the way on wheel i from the direction ahead to the middle of the contact [m]."""
    return 0.5 * wheels.radius[i] * (wheel_work.contact[i, 0] + wheel_work.contact[i, 1])


@kernel
def place_wheels(
    c,
    length,
    cables,
    wheels,
    node_state,
    body_state,
    wheel_state,
    span_work,
    node_work_out,
    wheel_work_out,
):
    """Find the wraps, shares and losses of the wheels of cable c, and its path beyond each node.

    ``length`` is its unstretched length [m].
    """
    remaining = 0.0
    run_on = 0.0
    last = cables.node_start[c + 1] - 1
    for i in range(cables.wheel_start[c], cables.wheel_start[c + 1]):
        comes, leaves = contact_angles(
            i, wheels, node_state, body_state, wheel_state, wheel_work_out
        )
        wheel_work_out.contact[i, 0] = comes
        wheel_work_out.contact[i, 1] = leaves
    if cables.closed[c]:
        i = wheels.of_node[last]
        remaining = -wheels.radius[i] * wheel_work_out.contact[i, 0]
        run_on = middle(i, wheels, wheel_work_out)
    node_work_out.remaining_path_length[last] = remaining
    for k in range(last - 1, cables.node_start[c] - 1, -1):
        remaining += span_work.length[k]
        node_work_out.remaining_path_length[k] = remaining
        i = wheels.of_node[k]
        if i < 0:
            continue
        comes = wheel_work_out.contact[i, 0]
        leaves = wheel_work_out.contact[i, 1]
        node_work_out.remaining_path_length[k] += wheels.radius[i] * leaves
        remaining += wheels.radius[i] * (leaves - comes)
        beyond = rope_beyond(i, wheels, body_state, wheel_state)
        beyond += run_on - middle(i, wheels, wheel_work_out)
        wheel_work_out.wrap[i] = leaves - comes
        wheel_work_out.share[i] = min(max(beyond / length, 0.0), 1.0)
        node_work_out.share[k] = wheel_work_out.share[i]
        node_work_out.loss[k] = wheels.loss[i]
        if wheels.friction[i] >= 0.0:
            node_work_out.loss[k] = 2.0 * capstan_bound(
                wheels.friction[i], max(leaves - comes, 0.0)
            )


@kernel
def place_cables(
    cables,
    wheels,
    node_state,
    body_state,
    wheel_state,
    node_work_out,
    span_work_out,
    wheel_work_out,
):
    """Place the spans and wheels of all cables that run over wheels."""
    for c in range(cables.row.size):
        if not runs_over_wheels(cables, c):
            continue
        for k in range(cables.node_start[c], cables.node_start[c + 1] - 1):
            place_span(
                k, wheels, node_state, body_state, node_work_out, span_work_out, wheel_work_out
            )
        length = unstretched_length(c, cables, body_state.position)
        place_wheels(
            c,
            length,
            cables,
            wheels,
            node_state,
            body_state,
            wheel_state,
            span_work_out,
            node_work_out,
            wheel_work_out,
        )
