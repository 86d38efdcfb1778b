"""Twist along a line: from one body's end frame over the corners of a strand to another's.

A strand (``contact_path.py``) has a line: straight from its first node over its contact nodes to
its last. Masses and crossings do not count; they stand on it but for what it sags by. The frame at
the first node is turned from the direction d of its body to the first span's t_0 the shortest path,
and at each corner from t_{j-1} to t_j the shortest path again, which is parallel transport (Bergou
et al. 2008): rope that bends over an edge without friction does so without twist. At the last node
it meets the frame of the other body (``torsion.py``).

*Rates.* The shortest turn from t_{j-1} to t_j adds

    m_j . (dt_{j-1}/dt + dt_j/dt),        m_j = (t_j x t_{j-1}) / (1 + t_{j-1} . t_j)

to the rate at which the frame turns about the line. With dt_j/dt = (v_{j+1} - v_j) / l_j across t_j
the twist of the strand changes at

    s_B . w_B - s_A . w_A + sum over its spans  q_j . (v_{j+1} - v_j),
    q_j = (end_j - start_j) / l_j,

start_0 = m_A, start_j = m_j, end_j = -m_{j+1}, and end_n = m_B of the last span. So a torque M in
the strand pushes the nodes at the ends of span j by M q_j and -M q_j. Where the line turns by alpha
in a plane these are forces across it, M tan(alpha / 2) / l_j: an edge is a point, which takes no
couple, and so the forces turn M from one direction to the next. Turning everything together changes
no twist, so the wrenches of a strand are in equilibrium.
"""

from cable_sim.kernels.cables.contact.contact_path import MASSIVE
from cable_sim.kernels.cables.massless.massless import measure
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.rotation import load_quaternion, rotate
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
from cable_sim.kernels.records.arrays import Floats, Ints
from cable_sim.kernels.records.bodies import Moving
from cable_sim.kernels.records.cables import NodeState, NodeWork, SpanWork, Twist
from cable_sim.kernels.records.lines import Lines

BACKWARDS = 0.01
"""Least 1 + c that is taken. An end that has swung back by more than 172 degrees has no shortest
path to turn."""


@kernel
def swing_weight(d: Vector, t: Vector) -> float:
    """Return the weight 1 / (1 + c) of the shortest turn from d to t."""
    return 1.0 / max(1.0 + dot(d, t), BACKWARDS)


@kernel
def transport_normal(d: Vector, t: Vector, weight: float, u: Vector) -> Vector:
    """Return the normal u of d after the shortest turn from d to t."""
    return axpy(-weight * dot(t, u), add(d, t), u)


@kernel
def turn_lever(d: Vector, t: Vector, weight: float) -> Vector:
    """Return the lever m of the shortest turn from d to t."""
    return scale(weight, cross(t, d))


@kernel
def end_frame(
    k: int,
    side: int,
    twist_tangent: Floats,
    twist_normal: Floats,
    orientation: tuple[float, float, float, float],
) -> tuple[Vector, Vector]:
    """Tangent and normal at one end of the strand from node k, turned with its body into the
    world."""
    tangent = (twist_tangent[k, side, 0], twist_tangent[k, side, 1], twist_tangent[k, side, 2])
    normal = (twist_normal[k, side, 0], twist_normal[k, side, 1], twist_normal[k, side, 2])
    return rotate(orientation, tangent), rotate(orientation, normal)


@kernel
def next_corner(k: int, last: int, node_contact_solid: Ints) -> int:
    """Return the next contact node behind node k, or the ``last`` node of the strand."""
    k += 1
    while k < last and node_contact_solid[k] < 0:
        k += 1
    return k


@kernel
def line_chord(
    k: int, after: int, node_contact_solid: Ints, node_work: NodeWork, span_work: SpanWork
) -> tuple[float, Vector]:
    """Return length [m] and direction of the line from corner k to the next, ``after``."""
    if node_contact_solid[k + 1] <= MASSIVE:
        return measure(load(node_work.position, k), load(node_work.position, after))
    return span_work.length[k], load(span_work.direction, k)


@kernel
def is_turned_back(d: Vector, t: Vector) -> bool:
    """Return True if an end of direction d has swung right back from t."""
    return 1.0 + dot(d, t) < BACKWARDS


@kernel
def clear_strand(first: int, span_work_out: SpanWork) -> None:
    """Give the strand from node ``first`` neither couples nor a force."""
    store(ZERO, first, span_work_out.force_per_torque)
    store(ZERO, first, span_work_out.couple_per_torque[:, 0])
    store(ZERO, first, span_work_out.couple_per_torque[:, 1])


@kernel
def measure_strand(
    first: int,
    last: int,
    twist: Twist,
    node_state: NodeState,
    body_state: Moving,
    node_work: NodeWork,
    span_work_out: SpanWork,
) -> tuple[float, float, bool]:
    """Return cosine and sine of the twist of a strand, and True if an end has swung right back.

    Its couples per torque stand at its first node, its forces per torque [1/m] at the first node of
    each span of the line. A strand without length has no twist.
    """
    a = load_quaternion(body_state.orientation, node_state.body[first])
    b = load_quaternion(body_state.orientation, node_state.body[last])
    tangent, normal = end_frame(first, 0, twist.tangent, twist.normal, a)
    clear_strand(first, span_work_out)
    back = False
    before = -1
    stretch = 0.0
    start = ZERO
    k = first
    while k < last:
        after = next_corner(k, last, node_state.contact_solid)
        store(ZERO, k, span_work_out.force_per_torque)
        length, t = line_chord(k, after, node_state.contact_solid, node_work, span_work_out)
        if norm(t) > 0.0:
            weight = swing_weight(tangent, t)
            lever = turn_lever(tangent, t, weight)
            normal = transport_normal(tangent, t, weight, normal)
            if before < 0:
                back = is_turned_back(tangent, t)
                shaft = scale(weight, add(tangent, t))
                store(shaft, first, span_work_out.couple_per_torque[:, 0])
            else:
                push = scale(-1.0 / stretch, add(lever, start))
                store(push, before, span_work_out.force_per_torque)
            before, stretch, start, tangent = k, length, lever, t
        k = after
    if before < 0:
        return 1.0, 0.0, False
    d, u = end_frame(first, 1, twist.tangent, twist.normal, b)
    weight = swing_weight(d, tangent)
    other = transport_normal(d, tangent, weight, u)
    store(scale(weight, add(d, tangent)), first, span_work_out.couple_per_torque[:, 1])
    end = turn_lever(d, tangent, weight)
    store(scale(1.0 / stretch, sub(end, start)), before, span_work_out.force_per_torque)
    back |= is_turned_back(d, tangent)
    return dot(normal, other), dot(tangent, cross(normal, other)), back


@kernel
def measure_line(first: int, last: int, slots: Ints, lines_out: Lines) -> tuple[float, float, bool]:
    """Return the twist of a cable's line without whole turns [rad]; and whether an end is back.

    It is the sum over the strands from node ``first`` to ``last``. A straight strand between two
    nodes of one body has neither twist nor wrench.
    """
    node_state = lines_out.node_state
    cosine = 1.0
    sine = 0.0
    after = first
    back = False
    while after < last:
        k = after
        after = after + slots[after] + 1
        straight = next_corner(k, after, node_state.contact_solid) == after
        if straight and node_state.body[k] == node_state.body[after]:
            clear_strand(k, lines_out.span_work)
            continue
        c, s, swung = measure_strand(
            k,
            after,
            lines_out.twist,
            node_state,
            lines_out.bodies,
            lines_out.node_work,
            lines_out.span_work,
        )
        back |= swung
        cosine, sine = c * cosine - s * sine, s * cosine + c * sine
    return cosine, sine, back
