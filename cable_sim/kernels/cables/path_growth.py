"""The length that the turns of a step add to the path of a massless cable.

J of a stretch row stands as it is at the start of the step. While spans and arms of nodes turn, the
path gets longer than J says, by

    b = sum |d_k + D_k| - l_k - h u_k . dv_k,    D_k = X_{k+1} - X_k,    X = h v + (exp(h w) - 1) r,

d_k = l_k u_k the span, dv_k the difference of its nodes' velocities, X the displacement of a node
that goes on with its body, r its arm: h^2 v_perp^2 / 2 l of a span that turns slowly, -h^2 u . w x
(w x r) / 2 of a node that comes round before it. What changes the gap in a step is h J v+ - b, and
in the step before it was h J v + b', as J is that of now, with b' the b of -h: the rule of
``rows.py`` is for J v+ - b / h and J v + b' / h, as with hybrid wires (``hybrid.py``).

b' is that of the present velocities. b is that of those at the end of the step: with the present
ones the tension would lag behind a swing that gets faster, and drive it. They are the free ones and
what the rope's own pull of the last step does once more. It does not turn a span that it pulls
along, but it turns a body by which it is held aside of the centre: a load that swings about its own
rope's end has no other torque, and by the free velocities alone each swing would give it 1 % of its
energy at 0.08 rad a step. A light body that it would turn by more than AHEAD in a step is left to
its free velocities: there b would follow each leap of the tension, and feed it. But what pulls
decides how fast the span gets longer. In the last step it
got longer by h u_k . dv_k - b'_k. If it does so in the next one, too,

    h u_k . dv_k+ = h u_k . dv_k - b'_k - b_k,      b_k about b'_k,

which takes the place of what the free velocities do along the span. With theirs, b of a pendulum is
off by h^2 g / l of itself: a rigid rope of 5 m is up to 0.5 um too long at 1/60 s, and its swings
lose 3e-5 of their energy an hour.

Without b the gap itself has to ask for what a turn needs: a rope that is rigid for the step stays
too long by 5 b / 2 of an even turn. While that comes and goes, the kinetic energy is off by 2
theta^2 of itself, at 1/15 s by a third.

Only rows that the step does not resolve have b: what it is to others is below what their strain is.
Spans with waves follow their points (``wave_compliance.py``). The rope of a winch goes
straight on.
"""

from typing import Any, NamedTuple

from cable_sim.kernels.bodies import DYNAMIC
from cable_sim.kernels.cables.breakage import ON
from cable_sim.kernels.cables.massless import SHORTEST_SPAN
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.rotation import exp, multiply3, rotate
from cable_sim.kernels.rows import RESOLVED
from cable_sim.kernels.vec3 import ZERO, add, axpy, cross, dot, load, norm, scale, sub

AHEAD = 0.05
"""Largest turn in a step by a rope's pull that is counted on ahead [rad]."""


class Motion(NamedTuple):
    """Velocities of bodies now and at the end of a free step, and what an impulse does to them."""

    velocity: Any
    next_velocity: Any
    kind: Any
    inverse_mass: Any
    inverse_inertia: Any


@kernel
def node_displacement(h, arm, velocity, spin):
    """Return the displacement of a node of a body in a step [m], and the part that J leaves out.

    ``velocity`` and ``spin`` are those of its body.
    """
    turn = scale(h, spin)
    straight = axpy(h, velocity, cross(turn, arm))
    if dot(turn, turn) == 0.0:
        return straight, ZERO
    round_about = sub(sub(rotate(exp(turn), arm), arm), cross(turn, arm))
    return add(straight, round_about), round_about


@kernel
def span_growth(length, along, displacement, round_about):
    """Return b of a span [m].

    ``displacement`` is that of its far node past its near one, ``round_about`` the part that J
    leaves out of it.
    """
    ahead = norm(axpy(length, along, displacement))
    there = dot(along, displacement)
    return (dot(displacement, displacement) - there * (ahead - length)) / (ahead + length) + dot(
        along, round_about
    )


@kernel
def even_displacement(along, back, ahead, before):
    """Return the displacement of a span's far node in the next step if it gets longer evenly.

    ``back`` is what it would be back by the last one, in which the span got longer by what J says
    and ``before`` [m]; ``ahead`` is that of the free velocities.
    """
    return axpy(-dot(along, back) - 2.0 * before - dot(along, ahead), along, ahead)


@kernel
def pulled_velocity(h, k, first_entry, impulse, node_state, motion, jacobian):
    """Return velocity and spin of the body at node k, free but for an impulse of its rope [N s].

    The entries of the rope's row begin with ``first_entry``.
    """
    b = node_state.body[k]
    velocity = load(motion.next_velocity, b)
    spin = load(motion.next_velocity[:, 3:], b)
    e = first_entry + node_state.row_entry[k]
    if node_state.row_entry[k] < 0 or motion.kind[b] != DYNAMIC:
        return velocity, spin
    change = multiply3(motion.inverse_inertia, b, scale(impulse, load(jacobian[:, 3:], e)))
    if h * h * dot(change, change) > AHEAD * AHEAD:
        return velocity, spin
    return axpy(impulse * motion.inverse_mass[b], load(jacobian, e), velocity), add(spin, change)


@kernel
def node_ways(h, k, first_entry, impulse, node_state, node_work, motion, jacobian):
    """Return what :func:`node_displacement` does for node k, back over the last step and ahead."""
    b = node_state.body[k]
    arm = load(node_work.arm, k)
    now = load(motion.velocity, b)
    then, spin = pulled_velocity(h, k, first_entry, impulse, node_state, motion, jacobian)
    return (
        node_displacement(-h, arm, now, load(motion.velocity[:, 3:], b)),
        node_displacement(h, arm, then, spin),
    )


@kernel
def path_growths(
    h, nodes, first_entry, impulse, node_state, node_work, span_work, motion, jacobian
):
    """Return b' and b of a path from node ``nodes[0]`` to ``nodes[1]`` [m].

    ``impulse`` is that of the rope in the last step.
    """
    before = 0.0
    behind = 0.0
    near_back, near = node_ways(
        h, nodes[0], first_entry, impulse, node_state, node_work, motion, jacobian
    )
    for k in range(nodes[0], nodes[1]):
        far_back, far = node_ways(
            h, k + 1, first_entry, impulse, node_state, node_work, motion, jacobian
        )
        apart = node_state.body[k] != node_state.body[k + 1]
        if span_work.length[k] > SHORTEST_SPAN and apart:
            along = load(span_work.direction, k)
            length = span_work.length[k]
            back = sub(far_back[0], near_back[0])
            growth = span_growth(length, along, back, sub(far_back[1], near_back[1]))
            before += growth
            ahead = even_displacement(along, back, sub(far[0], near[0]), growth)
            behind += span_growth(length, along, ahead, sub(far[1], near[1]))
        near_back = far_back
        near = far
    return before, behind


@kernel
def add_path_growth(
    h,
    cables,
    oscillates,
    rows,
    attachment,
    row_impulse,
    node_state,
    motion,
    node_work,
    span_work,
    row_work_out,
):
    """Add the effect of turns to the rates of stretch rows that the step does not resolve [m/s]."""
    for c in range(cables.row.size):
        r = cables.row[c]
        if r < 0 or attachment[c] != ON or oscillates[c] or cables.wire[c]:
            continue
        if h * h * rows.mobility[r] <= RESOLVED * row_work_out.compliance[r]:
            continue
        before, behind = path_growths(
            h,
            (cables.node_start[c], cables.node_start[c + 1] - 1),
            rows.entry_start[r],
            row_impulse[r],
            node_state,
            node_work,
            span_work,
            motion,
            row_work_out.jacobian,
        )
        row_work_out.inner[r, 1] += before / h
        row_work_out.target[r] = behind / h
