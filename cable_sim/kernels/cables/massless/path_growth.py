"""The length that the turns of a step add to the path of a massless cable.

J of a stretch row stands as it is at the start of the step. While spans and arms of nodes turn, the
path gets longer than J says, by

    b = sum |d_k + D_k| - l_k - h u_k . dv_k,    D_k = X_{k+1} - X_k,    X = h v + (exp(h w) - 1) r,

d_k = l_k u_k the span, dv_k the difference of its nodes' velocities, X the displacement of a node
that goes on with its body, r its arm: h^2 v_perp^2 / 2 l of a span that turns slowly, -h^2 u . w x
(w x r) / 2 of a node that comes round before it. What changes the gap in a step is h J v+ - b, and
in the step before it was h J v + b', as J is that of now, with b' the b of -h: the rule of
``rows.py`` is for J v+ - b / h and J v + b' / h, as with hybrid wires (``hybrid.py``).

b' is that of the present velocities. b is that of the end of the step: with the present ones the
tension would lag behind a swing that gets faster, and drive it. What pulls along a span does not
turn it, but the other rope of a light hook does, with much more than the hook's weight; so the
velocities are the free ones and what the impulses of the last step, along the entries of this one,
add to them. Before the first step there are none, and the present velocities are nearer: what hangs
at rest does not fall. With the free ones alone a hook of 50 kg between two rigid ropes, with 2 t
below, would gain twice its energy in 40 s at 10 ms.

That holds while the step resolves what the pull does to the body, h lambda J M^-1 J^T < RESOLVED l;
where it does not for some rope, the free velocities are taken.

And what pulls decides how fast the span gets longer. In the last step it got longer by
h u_k . dv_k - b'_k. If it does so in the next one, too,

    h u_k . dv_k+ = h u_k . dv_k - b'_k - b_k,      b_k about b'_k,

which takes the place of what the free velocities do along the span. With theirs, b of a pendulum is
off by h^2 g / l of itself: a rigid rope of 5 m is up to 0.5 um too long at 1/60 s, and its swings
lose 3e-5 of their energy an hour.

*Revisions.* All this is a prediction. Once the impulses are solved for, b of the velocities that
they lead to is known; where it differs, the rows get that one and are solved for again. So the
rope has its length at the end of the step, J being that of its start: SHAKE, which is its own
reverse, and keeps the energy of rigid pendulums. The prediction alone lags by a step behind a
tension that changes: a hook of 25 kg on 20 m, 4 t on 5 m below it, lost 6.8 % of their energy in
10 s at 5 ms, each time the ropes got straight and threw the hook through; now below
1e-4.

What is left over changes the tension by about SAME of itself, as all impulses together make the
demands. A change of b comes back z^2 times as large, z^2 = h lambda J M^-1 J^T / l: where the step
does not resolve the swing of the hook across its ropes, revisions do not end. Once a change is
larger than the one before, the prediction holds. The ropes of that step get too long or too short,
and lose or gain energy. Cables on contact nodes, which slide meanwhile, keep their prediction.

*Start.* Under ``spook`` the poses of a start go on by half a step along the velocities that are
given (``instant.py``). So a path that turns is too long at first by b' / 4, what half a step adds.
Taken for a gap, that would be hauled in by 4/9 in the first step, at any step: 1/18 of the force
that turns it would be too much. In the steps after, it would be too little. So it counts as rope,
and is taken back by 1 - KEPT a step, which asks for (1 - KEPT) / 8 of that force.

Without b the gap itself has to ask for what a turn needs: a rope that is rigid for the step stays
too long by 5 b / 2 of an even turn. While that comes and goes, the kinetic energy is off by 2
theta^2 of itself, at 1/15 s by a third.

Contact nodes slide and let go: ``edge_growth.py``.

Only rows that the step does not resolve have b: what it is to others is below what their strain is.
Spans with waves follow their points (``wave_compliance.py``). The rope of a winch goes
straight on.
"""

from math import inf

from cable_sim.kernels.cables.massless.breakage import ON
from cable_sim.kernels.cables.massless.massless import SHORTEST_SPAN
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.bodies import copy_velocities
from cable_sim.kernels.multibody.rotation import exp, multiply3, rotate
from cable_sim.kernels.multibody.rows import GAP, INERTIA, RESOLVED
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
    sub,
)
from cable_sim.kernels.records.arrays import Floats
from cable_sim.kernels.records.bodies import Bodies, BodyWork
from cable_sim.kernels.records.lines import Lines
from cable_sim.kernels.records.rows import Table

SAME = 1e-4
"""Change of b / h over the largest demand of a step that makes no difference [-]."""
REVISIONS = 40
"""Most solutions of a step after which b is revised."""
KEPT = 255.0 / 256.0
"""Part of the growth of the start that a step leaves."""
PREDICTED = 0
PRESENT = 1
CHANGE = 2
"""Columns of ``cables.growth``."""


@kernel
def node_displacement(
    h: float, b: int, arm: Vector, body_velocity: Floats
) -> tuple[Vector, Vector]:
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
def span_growth(length: float, along: Vector, displacement: Vector, round_about: Vector) -> float:
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
def even_displacement(along: Vector, back: Vector, ahead: Vector, before: float) -> Vector:
    """Return the displacement of a span's far node in the next step if it gets longer evenly.

    ``back`` is what it would be back by the last one, in which the span got longer by what J says
    and ``before`` [m]; ``ahead`` is that of the free velocities.
    """
    return axpy(-dot(along, back) - 2.0 * before - dot(along, ahead), along, ahead)


@kernel
def path_growths(
    h: float, first: int, last: int, lines: Lines, velocity: Floats, next_velocity: Floats
) -> tuple[float, float]:
    """Return b' and b of a path from node ``first`` to ``last`` [m]."""
    before = 0.0
    behind = 0.0
    arm = load(lines.node_work.arm, first)
    near_back, near_back_round = node_displacement(-h, lines.node_state.body[first], arm, velocity)
    near, near_round = node_displacement(h, lines.node_state.body[first], arm, next_velocity)
    for k in range(first, last):
        b = lines.node_state.body[k + 1]
        arm = load(lines.node_work.arm, k + 1)
        far_back, far_back_round = node_displacement(-h, b, arm, velocity)
        far, far_round = node_displacement(h, b, arm, next_velocity)
        if lines.span_work.length[k] > SHORTEST_SPAN and lines.node_state.body[k] != b:
            along = load(lines.span_work.direction, k)
            back = sub(far_back, near_back)
            growth = span_growth(
                lines.span_work.length[k], along, back, sub(far_back_round, near_back_round)
            )
            before += growth
            ahead = even_displacement(along, back, sub(far, near), growth)
            behind += span_growth(
                lines.span_work.length[k], along, ahead, sub(far_round, near_round)
            )
        near_back, near_back_round = far_back, far_back_round
        near, near_round = far, far_round
    return before, behind


@kernel
def predict_velocities(
    table: Table, bodies: Bodies, body_work: BodyWork, velocity_out: Floats
) -> None:
    """Predict the velocities at the end of the step from the free ones and the last impulses.

    Rows that a column fills later, of chains and hybrid wires, are left out.
    """
    copy_velocities(body_work.next_velocity, velocity_out)
    for b in range(bodies.inverse_mass.size):
        if bodies.inverse_mass[b] == 0.0:
            continue
        push = ZERO
        turn = ZERO
        for q in range(table.rows.body_entry_start[b], table.rows.body_entry_start[b + 1]):
            e = table.rows.body_entry[q]
            r = table.rows.entry_row[e]
            if (
                table.rows.kind[r] < INERTIA
                and table.work.active[r]
                and table.state.impulse[r] != 0.0
            ):
                push = axpy(table.state.impulse[r], load(table.work.jacobian, e), push)
                turn = axpy(table.state.impulse[r], load(table.work.jacobian[:, 3:], e), turn)
        spin = multiply3(body_work.inverse_inertia, b, turn)
        for i in range(3):
            velocity_out[b, i] += bodies.inverse_mass[b] * push[i]
            velocity_out[b, 3 + i] += spin[i]


@kernel
def counts_turns(h: float, c: int, lines: Lines, table: Table) -> bool:
    """Return True if the stretch row of cable c counts on the growth of its path."""
    r = lines.cables.row[c]
    if (
        r < 0
        or lines.cable_state.attachment[c] != ON
        or lines.waves.oscillates[c]
        or lines.cables.wire[c]
    ):
        return False
    return h * h * table.rows.mobility[r] > RESOLVED * table.work.compliance[r]


@kernel
def keep_start(h: float, begins: bool, lines_out: Lines, table_out: Table) -> None:
    """Add to the gaps what the half step before the first one has made paths longer by.

    ``begins`` says that this is the first step.
    """
    for c in range(lines_out.cables.row.size):
        if not counts_turns(h, c, lines_out, table_out):
            continue
        r = lines_out.cables.row[c]
        if begins:
            lines_out.cable_state.start_growth[c] = 0.25 * h * table_out.work.inner[r, 1]
        table_out.work.gap[r] += lines_out.cable_state.start_growth[c]
        lines_out.cable_state.start_growth[c] *= KEPT


@kernel
def growth_at_end(h: float, first: int, last: int, lines: Lines, end_velocity: Floats) -> float:
    """Return b of a path from node ``first`` to ``last`` by the velocities at the end [m]."""
    total = 0.0
    for k in range(first, last):
        near = lines.node_state.body[k]
        far = lines.node_state.body[k + 1]
        if lines.span_work.length[k] > SHORTEST_SPAN and near != far:
            start, start_round = node_displacement(
                h, near, load(lines.node_work.arm, k), end_velocity
            )
            end, end_round = node_displacement(
                h, far, load(lines.node_work.arm, k + 1), end_velocity
            )
            total += span_growth(
                lines.span_work.length[k],
                load(lines.span_work.direction, k),
                sub(end, start),
                sub(end_round, start_round),
            )
    return total


@kernel
def is_revised(h: float, c: int, lines: Lines, table: Table) -> bool:
    """Return True if b of cable c is revised: it counts its turns, and touches nothing."""
    if not counts_turns(h, c, lines, table):
        return False
    for k in range(lines.cables.node_start[c], lines.cables.node_start[c + 1]):
        if lines.node_state.contact_solid[k] >= 0:
            return False
    return True


@kernel
def largest_demand(table: Table) -> float:
    """Return the largest change of rate that a row of a gap asks for in the step [m/s]."""
    most = 0.0
    for r in range(table.work.used[0]):
        if table.work.active[r] and table.rows.kind[r] == GAP:
            most = max(most, abs(table.work.demand[r]))
    return most


@kernel
def set_growth(h: float, c: int, growth: float, table_out: Table, lines_out: Lines) -> None:
    """Give the stretch row of cable c another b [m]."""
    growth_out = lines_out.cable_work.growth
    table_out.work.target[lines_out.cables.row[c]] += (growth - growth_out[c, PRESENT]) / h
    growth_out[c, PRESENT] = growth


@kernel
def revise_growths(
    h: float, end_velocity: Floats, table_out: Table, lines_out: Lines
) -> tuple[bool, int]:
    """Give the rows b of the velocities at the end.

    Returns True if there are such rows, and the number of those that differ by it. One whose change
    is larger than the one before gets its prediction back, for this step.
    """
    growth_out = lines_out.cable_work.growth
    count = 0
    least = -1.0
    for c in range(lines_out.cables.row.size):
        revised = is_revised(h, c, lines_out, table_out)
        if not revised or growth_out[c, CHANGE] < 0.0:
            continue
        if least < 0.0:
            least = SAME * h * largest_demand(table_out)
        first = lines_out.cables.node_start[c]
        last = lines_out.cables.node_start[c + 1] - 1
        growth = growth_at_end(h, first, last, lines_out, end_velocity)
        change = abs(growth - growth_out[c, PRESENT])
        if table_out.work.active[lines_out.cables.row[c]] and change > least:
            count += 1
            if change > growth_out[c, CHANGE]:
                growth = growth_out[c, PREDICTED]
                change = -1.0
            growth_out[c, CHANGE] = change
        set_growth(h, c, growth, table_out, lines_out)
    return least >= 0.0, count


@kernel
def count_turns(h: float, lines: Lines, table: Table) -> int:
    """Return the number of stretch rows that count on the growth of their paths."""
    count = 0
    for c in range(lines.cables.row.size):
        count += counts_turns(h, c, lines, table)
    return count


@kernel
def resolves_pulls(h: float, lines: Lines, table: Table) -> bool:
    """Return True if the step resolves what all ropes that count their turns do to their bodies."""
    for c in range(lines.cables.row.size):
        if counts_turns(h, c, lines, table):
            r = lines.cables.row[c]
            speed = table.state.impulse[r] * table.rows.mobility[r]
            for k in range(lines.cables.node_start[c], lines.cables.node_start[c + 1] - 1):
                length = lines.span_work.length[k]
                if length > SHORTEST_SPAN and h * speed > RESOLVED * length:
                    return False
    return True


@kernel
def add_path_growth(h: float, table_out: Table, lines_out: Lines) -> None:
    """Add the effect of turns to the rates of stretch rows that the step does not resolve [m/s]."""
    growth_out = lines_out.cable_work.growth
    for c in range(lines_out.cables.row.size):
        if not counts_turns(h, c, lines_out, table_out):
            continue
        first = lines_out.cables.node_start[c]
        last = lines_out.cables.node_start[c + 1] - 1
        before, behind = path_growths(
            h, first, last, lines_out, lines_out.bodies.velocity, lines_out.body_work.trial_velocity
        )
        table_out.work.inner[lines_out.cables.row[c], 1] += before / h
        table_out.work.target[lines_out.cables.row[c]] = behind / h
        growth_out[c, PREDICTED] = behind
        growth_out[c, PRESENT] = behind
        growth_out[c, CHANGE] = inf
