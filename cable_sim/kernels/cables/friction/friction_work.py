"""Friction that would do work: rope that a step would let run against its friction.

A segment that slips has friction against the flow of its rope as it was (``friction.py``). If the
flow turns round within the step, that friction drives it: a rope that should have come to rest is
flung back, and each time it sticks and slips the energy grows. With the tensions w_k T, and dL_k
what span k gets of the segment's rope in the step, friction takes T times

    D = sum w_k dL_k,

dL_k that of ``rope_flow.py`` for the spans as the velocities v+ that come out leave them. D below
zero is work done. Such a segment then has the part f of its friction only, w_k = 1 - f (1 - w_k'),
with which its rope just comes to rest, and sticks from the next step on. D decreases with f, nearly
on a line, and f = 0 does no work.
"""

from cable_sim.kernels.cables.contact.contact_path import CROSSED
from cable_sim.kernels.cables.crossing.crossing_rows import crossing_velocity
from cable_sim.kernels.cables.friction.friction import apply_friction_change
from cable_sim.kernels.cables.hybrid.hybrid import mass_velocity
from cable_sim.kernels.cables.hybrid.rope_flow import EVENLY, span_way
from cable_sim.kernels.cables.hybrid.segments import (
    APPLIED,
    AT_LEAST,
    AT_MOST,
    BEFORE,
    IMPULSE,
    INVERSE,
    LEAST,
    MIXED,
    MOST,
    NODE,
    PART,
    RAN_BACK,
    REST,
    RUBS,
    next_node,
)
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.bodies import point_velocity
from cable_sim.kernels.multibody.drums import paid_out
from cable_sim.kernels.multibody.vec3 import Vector, dot, load, sub
from cable_sim.kernels.records.arrays import Floats
from cable_sim.kernels.records.lines import Nodes, WireLines

FIRST_STEP = 1.0 / 64.0
STRIDE = 4.0
"""First step of the search for f, and growth of the next ones."""
NEAR = 0.1
"""Part of the work with all friction that may be left, of the other sign."""
MARGIN = 0.05
"""Least part of the known range that a step of the search takes off."""
FINEST = 1e-3
"""Difference of two parts of the friction that are the same."""
NO_WORK = 1e-9
"""Length of rope run back, as a part of the segment, that is rounding."""
WAY = 0
"""Column of ``nodes.newton_step``, which is scratch, for the way of each span after the step."""


@kernel
def swap_velocities(one_out: Floats, other_out: Floats) -> None:
    """Swap two sets of velocities of all bodies."""
    for b in range(one_out.shape[0]):
        for i in range(6):
            kept = one_out[b, i]
            one_out[b, i] = other_out[b, i]
            other_out[b, i] = kept


@kernel
def any_rubs(wires: WireLines, nodes: Nodes) -> bool:
    """Return True if a segment of any wire slips with friction and pulls."""
    for n in range(wires.cable.size):
        begin = wires.node_start[wires.cable[n]]
        for i in range(begin, begin + nodes.segment_count[n]):
            if nodes.number[i, RUBS] > 0.0 and nodes.number[i, IMPULSE] > 0.0:
                return True
    return False


@kernel
def node_velocity(h: float, k: int, velocity: Floats, nodes: Nodes) -> Vector:
    """Return the velocity of node k, which is no mass, after the step [m/s]."""
    if nodes.contact_solid[k] == CROSSED:
        return crossing_velocity(h, k, velocity, nodes)
    return point_velocity(velocity, nodes.body[k], load(nodes.arm, k))


@kernel
def end_velocity(
    h: float, i: int, gravity_step: Vector, begin: int, end: int, velocity: Floats, nodes: Nodes
) -> Vector:
    """Return the velocity of endpoint i after the step [m/s]."""
    if nodes.number[i, INVERSE] > 0.0:
        return mass_velocity(i, gravity_step, begin, end, nodes)
    return node_velocity(h, nodes.mark[i, NODE], velocity, nodes)


@kernel
def way_after(
    h: float, i: int, k: int, ends: tuple[Vector, Vector], velocity: Floats, nodes: Nodes
) -> float:
    """Return the way of the rope of span k of segment i after the step [m].

    ``ends`` are the velocities of its two endpoints.
    """
    near = nodes.mark[i, NODE]
    last = nodes.mark[i + 1, BEFORE]
    here = ends[0]
    there = ends[1]
    if k > near:
        here = node_velocity(h, k, velocity, nodes)
    if k < last:
        there = node_velocity(h, next_node(i, k, nodes), velocity, nodes)
    return span_way(k, nodes) + h * dot(load(nodes.direction, k), sub(there, here))


@kernel
def friction_takes(
    h: float,
    i: int,
    lag: float,
    paid: float,
    ends: tuple[Vector, Vector],
    velocity: Floats,
    nodes_out: Nodes,
) -> float:
    """Return D of segment i [m]; ``paid`` is the rope that comes out at its first node [m].

    ``lag`` is q of ``rope_flow.py``.
    """
    first = nodes_out.mark[i, NODE]
    last = nodes_out.mark[i + 1, BEFORE]
    stretch = -paid
    shared = 0.0
    for k in range(first, last + 1):
        rest = nodes_out.rest_length[k]
        way = way_after(h, i, k, ends, velocity, nodes_out)
        nodes_out.newton_step[k, WAY] = way
        stretch += way - rest * (1.0 + lag * nodes_out.strain[k])
        shared += rest * nodes_out.tension_ratio[k]
    if shared <= 0.0:
        return 0.0
    total = 0.0
    weighted = 0.0
    before = nodes_out.tension_ratio[first] * paid
    for k in range(first, last + 1):
        weight = nodes_out.tension_ratio[k]
        strain = max(lag * nodes_out.strain[k] + weight * stretch / shared, EVENLY - 1.0)
        rope = nodes_out.newton_step[k, WAY] / (1.0 + strain)
        total += rope
        weighted += weight * rope
        before += weight * nodes_out.rest_length[k]
    rest = nodes_out.number[i, REST] + paid
    return weighted * (rest / total) - before if total > 0.0 else 0.0


@kernel
def begin_search(taken: float, number_out: Floats) -> float:
    """Keep what friction takes with all of it, ``taken`` < 0, and return the next part."""
    number_out[RAN_BACK] = number_out[AT_MOST] = taken
    number_out[MOST] = 1.0
    number_out[LEAST] = -1.0
    return 1.0 - FIRST_STEP


@kernel
def next_part(taken: float, number_out: Floats) -> float:
    """Return the next part f of the friction of a segment that takes ``taken`` with this one."""
    if taken < 0.0:
        number_out[MOST] = number_out[PART]
        number_out[AT_MOST] = taken
    else:
        number_out[LEAST] = number_out[PART]
        number_out[AT_LEAST] = taken
        if taken <= -NEAR * number_out[RAN_BACK]:
            return number_out[PART]
    if number_out[LEAST] < 0.0:
        return max(1.0 - STRIDE * (1.0 - number_out[PART]), 0.0)
    if number_out[MOST] - number_out[LEAST] < FINEST:
        return number_out[LEAST]
    share = number_out[AT_LEAST] / (number_out[AT_LEAST] - number_out[AT_MOST])
    share = min(max(share, MARGIN), 1.0 - MARGIN)
    return number_out[LEAST] + share * (number_out[MOST] - number_out[LEAST])


@kernel
def set_part(
    n: int, i: int, part: float, wires: WireLines, nodes_out: Nodes, next_velocity_out: Floats
) -> None:
    """Set the part of its friction that segment i of wire n has, with the same guess for T."""
    number = nodes_out.number
    guess = number[i, APPLIED]
    apply_friction_change(n, i, -guess, wires, nodes_out, next_velocity_out)
    scale = part / number[i, PART]
    for k in range(nodes_out.mark[i, NODE], nodes_out.mark[i + 1, BEFORE] + 1):
        nodes_out.tension_ratio[k] = 1.0 - scale * (1.0 - nodes_out.tension_ratio[k])
    apply_friction_change(n, i, guess, wires, nodes_out, next_velocity_out)
    number[i, PART] = part
    number[wires.node_start[wires.cable[n]], MIXED] = -1.0


@kernel
def lessen_friction_of(
    h: float,
    n: int,
    gravity_step: Vector,
    wires: WireLines,
    velocity: Floats,
    nodes_out: Nodes,
    next_velocity_out: Floats,
) -> int:
    """Lessen the friction of segments of wire n that would do work; return their number."""
    number = nodes_out.number
    c = wires.cable[n]
    begin = wires.node_start[c]
    end = begin + nodes_out.segment_count[n]
    changes = 0
    lag = wires.damping_time[n] / (h + wires.damping_time[n])
    for i in range(begin, end):
        if number[i, RUBS] <= 0.0 or number[i, IMPULSE] <= 0.0 or number[i, PART] == 0.0:
            continue
        paid = 0.0
        if i == begin and wires.winch[c] >= 0:
            _, ratio = paid_out(c, wires, nodes_out.bodies.position)
            paid = h * ratio * velocity[wires.winch[c], 0]
        ends = (
            end_velocity(h, i, gravity_step, begin, end, velocity, nodes_out),
            end_velocity(h, i + 1, gravity_step, begin, end, velocity, nodes_out),
        )
        taken = friction_takes(h, i, lag, paid, ends, velocity, nodes_out)
        part = 1.0
        if number[i, RAN_BACK] < 0.0:
            part = next_part(taken, number[i])
        elif taken < -NO_WORK * number[i, REST]:
            part = begin_search(taken, number[i])
        if part != number[i, PART]:
            set_part(n, i, part, wires, nodes_out, next_velocity_out)
            changes += 1
    return changes


@kernel
def lessen_all(
    h: float,
    gravity_step: Vector,
    wires: WireLines,
    velocity: Floats,
    nodes_out: Nodes,
    next_velocity_out: Floats,
) -> int:
    """Lessen the friction of segments of all wires that would do work; return their number.

    ``velocity`` is that of the bodies after the step.
    """
    changes = 0
    for n in range(wires.cable.size):
        changes += lessen_friction_of(
            h, n, gravity_step, wires, velocity, nodes_out, next_velocity_out
        )
    return changes
