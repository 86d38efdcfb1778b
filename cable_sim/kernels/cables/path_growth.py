"""The length that the turns of a step add to the path of a massless cable.

J of a stretch row stands as it is at the start of the step. While spans and arms of nodes turn, the
path gets longer than J says, by

    b = sum |d_k + D_k| - l_k - h u_k . dv_k,    D_k = X_{k+1} - X_k,    X = h v + (exp(h w) - 1) r,

d_k = l_k u_k the span, dv_k the difference of its nodes' velocities, X the displacement of a node
that goes on with its body, r its arm: h^2 v_perp^2 / 2 l of a span that turns slowly, -h^2 u . w x
(w x r) / 2 of a node that comes round before it. What changes the gap in a step is h J v+ - b, and
in the step before it was h J v + b, as J is that of now: the rule of ``rows.py`` is for J v+ - b /
h and J v + b / h, as with hybrid wires (``hybrid.py``). The first b is that of the free velocities
at the end of the step, as what pulls along a span does not turn it; the second that of the present
ones. With the present ones alone the tension would lag behind a swing that gets faster, and drive
it.

Without b the gap itself has to ask for what a turn needs: a rope that is rigid for the step stays
too long by 5 b / 2 of an even turn. While that comes and goes, the kinetic energy is off by 2
theta^2 of itself, at 1/15 s by a third.

Only rows that the step does not resolve have b: what it is to others is below what their strain is.
Spans with waves follow their points (``wave_compliance.py``). The rope of a winch goes
straight on.
"""

from cable_sim.kernels.cables.breakage import ON
from cable_sim.kernels.cables.massless import SHORTEST_SPAN
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.rotation import exp, rotate
from cable_sim.kernels.rows import RESOLVED
from cable_sim.kernels.vec3 import ZERO, add, axpy, cross, dot, load, norm, scale, sub


@kernel
def node_displacement(h, b, arm, body_velocity):
    """Return the displacement of a node of body b in a step [m], and the part that J leaves out.

    The velocities are the present ones.
    """
    turn = scale(h, load(body_velocity[:, 3:], b))
    straight = axpy(h, load(body_velocity, b), cross(turn, arm))
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
def path_growth(h, first, last, node_state, node_work, span_work, body_velocity):
    """Return b of a path from node ``first`` to ``last`` [m]."""
    total = 0.0
    near, near_round = node_displacement(
        h, node_state.body[first], load(node_work.arm, first), body_velocity
    )
    for k in range(first, last):
        far, far_round = node_displacement(
            h, node_state.body[k + 1], load(node_work.arm, k + 1), body_velocity
        )
        if span_work.length[k] > SHORTEST_SPAN and node_state.body[k] != node_state.body[k + 1]:
            total += span_growth(
                span_work.length[k],
                load(span_work.direction, k),
                sub(far, near),
                sub(far_round, near_round),
            )
        near = far
        near_round = far_round
    return total


@kernel
def add_path_growth(
    h,
    cables,
    waves,
    rows,
    cable_state,
    node_state,
    body_state,
    body_work,
    node_work,
    span_work,
    row_work_out,
):
    """Add the effect of turns to the rates of stretch rows that the step does not resolve [m/s]."""
    for c in range(cables.row.size):
        r = cables.row[c]
        if r < 0 or cable_state.attachment[c] != ON or waves.oscillates[c] or cables.wire[c]:
            continue
        if h * h * rows.mobility[r] <= RESOLVED * row_work_out.compliance[r]:
            continue
        first = cables.node_start[c]
        last = cables.node_start[c + 1] - 1
        row_work_out.inner[r, 1] += (
            path_growth(h, first, last, node_state, node_work, span_work, body_state.velocity) / h
        )
        row_work_out.target[r] = (
            path_growth(h, first, last, node_state, node_work, span_work, body_work.next_velocity)
            / h
        )
