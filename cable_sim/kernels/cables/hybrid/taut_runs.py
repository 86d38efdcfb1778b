"""Runs of segments of a hybrid wire, from body to body, that stretch as one massless rope.

Rope between light masses swings faster than a step can follow, so its segments get the damping time
gamma of stiff rows (``rows.py``), up to 2 h. In a row, in a rope that holds a load, they would damp
the slow swing omega of that load as well: a fall into the rope would lose the part pi omega h of
its energy up to the peak. So a damper of a run acts on what the rate of a segment differs by from
its share of the rate of the run. With the compliances eps_k, eps = sum eps_k, s_k = eps_k / eps,
rates r_k and r_k+ at both ends of the step, R+ = sum r_k+, and gamma and b those of a massless rope
in the place of the run,

    eps_k T_k = -(g_k + h (r_k+ - r_k) / 4) - gamma (b r_k + (1 - b) r_k+) - d (r_k+ - s_k R+),

d what the segment in most need of it lacks. The sum over all segments is the rule of the massless
rope, whatever d, with G = sum g_k and T the mean of the tensions over the rope,

    eps T = -(G + h (R+ - R) / 4) - gamma (b R + (1 - b) R+).

And sum d (r_k+ - s_k R+) r_k+ / eps_k = sum d (r_k+ - s_k R+)^2 / eps_k >= 0 is lost. The sum gives
R+, and with it

    r_k+ + sigma_k lambda_k + b_k sum b_j lambda_j = rhs_k,        A0 = h / 4 + (1 - b) gamma,
    sigma_k = eps_k / h A,      b_k = s_k sqrt(eps d / h A A0),    A = A0 + d,
    rhs_k = (-g_k + (h / 4 - b gamma) r_k) / A + s_k d (-G + (h / 4 - b gamma) R) / A A0.

So the run is an inner coordinate of the rope, of inverse mass 1 and with the entry b_k in the row
of each segment: the matrix stays positive definite, and which segments pull is found as ever. A run
of one segment is the massless rope, whatever d: sigma + b^2 = eps / h A0.

Runs go from body to body, with rope that is light beside what it moves. One in which rope slips
with friction has rules of single segments (``friction.py`` guesses their tensions one by one).

*Mobility.* That of a run is of the sum of its rows: masses on a straight rope cancel, and those at
kinks do not. There gamma is what it needs, and d = 0.

*Getting taut.* A run that was slack half a step before, by all its gaps and rates, is taut for the
part f of the step (``rows.py``). Its segments share that: compliance eps_k / f, gap g_k + s_k s /
2. One that stays slack is none: each of its segments has a rule of its own.

*Elimination* (``elimination.py``) leaves of the coordinate what the inner segments i do not take,

    p = sum b_k lambda_k = (delta + sum b'_e lambda_e) / beta,
    delta = b_i A^-1 d_i,    beta = 1 + b_i A^-1 b_i,    b'_e = b_e - A_ei A^-1 b_i,

so the exposed segments e have the entry b'_e / sqrt(beta) on a body of one coordinate, and b'_e
delta / beta less of a demand. There are as many of those bodies as nodes of the wire divide it,
plus one; runs that are more, between contacts where the rope sticks, have rules of single segments.
"""

from math import sqrt

from cable_sim.kernels.cables.hybrid.segments import (
    AS_ONE,
    BEND,
    BORDER,
    DEMAND,
    DIAGONAL,
    FREE_RATE,
    FROZEN,
    GIVES,
    INNER,
    INVERSE,
    MOBILITY,
    NEXT_RATE,
    NODE,
    PATH,
    PUSHES,
    RATE,
    REST,
    ROW,
    RUBS,
    RUN,
    SLACK,
    SPARE,
    TARGET,
    TAUT,
    end_directions,
)
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.rotation import multiply3
from cable_sim.kernels.multibody.rows import (
    GAP,
    SPOOK,
    catch_taut,
    discretise,
    early_share,
    effective_damping_time,
)
from cable_sim.kernels.multibody.vec3 import add, dot, load, sub
from cable_sim.kernels.records.arrays import Floats
from cable_sim.kernels.records.lines import Nodes, WireLines

LIGHT = 0.1
"""Mobility of a run over that of the masses beside any of its segments: the rope between bodies
has no swing of its own below."""


@kernel
def set_rule(i: int, softness: float, rhs: float, nodes_out: Nodes) -> None:
    """Set the equation of segment i by its sigma [1/kg] and rhs [m/s]."""
    number = nodes_out.number
    number[i, DIAGONAL] = softness + number[i, INNER]
    number[i, TARGET] = rhs + number[i, BEND]
    number[i, DEMAND] = number[i, TARGET] - number[i, FREE_RATE]


@kernel
def segment_compliance(i: int, per_length: float, nodes: Nodes) -> float:
    """Return the compliance of segment i [m/N]."""
    return per_length * nodes.number[i, REST] * nodes.number[i, GIVES]


@kernel
def set_own_rule(
    h: float,
    stepper: int,
    i: int,
    waits: bool,
    per_length: float,
    damping_time: float,
    nodes_out: Nodes,
) -> None:
    """Set the equation of segment i as if it were alone.

    One that ``waits`` for its run, which is about to get taut, has no tension before it is taut
    itself, half way through the step.
    """
    number = nodes_out.number
    gap = number[i, REST] - number[i, PATH]
    gives = segment_compliance(i, per_length, nodes_out)
    softness, rhs = discretise(
        h, stepper, GAP, gap, number[i, RATE], gives, damping_time, number[i, MOBILITY], True
    )
    if waits and gap > 0.0 and not nodes_out.mark[i, PUSHES]:
        rhs = min(rhs, -2.0 * gap / h)
    set_rule(i, softness, rhs, nodes_out)


@kernel
def mass_mobility(i: int, last: int, nodes: Nodes) -> float:
    """Return the mobility of the masses for the run of segments i to ``last`` [1/kg]."""
    number = nodes.number
    mobility = number[i, INVERSE] + number[last, INVERSE]
    for k in range(i + 1, last):
        _, before = end_directions(k - 1, nodes)
        behind, _ = end_directions(k, nodes)
        turn = sub(behind, before)
        mobility += number[k, INVERSE] * dot(turn, turn)
    return mobility


@kernel
def body_mobility(
    i: int, end: int, wires: WireLines, nodes: Nodes, entry_jacobian: Floats
) -> float:
    """Return the mobility of the bodies for the sum of the rows of segments i to ``end`` [1/kg]."""
    first = -1
    for k in range(i, end):
        if nodes.mark[k, ROW] >= 0:
            first = nodes.mark[k, ROW]
            break
    if first < 0:
        return 0.0
    mobility = 0.0
    begin = wires.entry_start[first]
    for e in range(begin, wires.entry_start[first + 1]):
        push = load(entry_jacobian, e)
        turn = load(entry_jacobian[:, 3:], e)
        for k in range(i + 1, end):
            row = nodes.mark[k, ROW]
            if row >= 0 and row != first:
                other = wires.entry_start[row] + e - begin
                push = add(push, load(entry_jacobian, other))
                turn = add(turn, load(entry_jacobian[:, 3:], other))
        b = wires.entry_body[e]
        mobility += nodes.bodies.inverse_mass[b] * dot(push, push)
        mobility += dot(turn, multiply3(nodes.bodies.world_inverse_inertia, b, turn))
    return mobility


@kernel
def end_of_run(i: int, end: int, nodes: Nodes) -> int:
    """Return the endpoint where the run ends that begins with segment i of a wire."""
    k = i + 1
    if nodes.mark[i, ROW] == FROZEN:
        return k
    while k < end and nodes.number[k, INVERSE] > 0.0 and nodes.mark[k, ROW] != FROZEN:
        k += 1
    return k


@kernel
def measure_run(
    i: int, end: int, per_length: float, nodes: Nodes
) -> tuple[float, float, float, float, bool]:
    """Return gap [m], rates now and after a free step [m/s] and compliance [m/N] of a run.

    The last is True if any of its segments pushes.
    """
    number = nodes.number
    gap = 0.0
    rate = 0.0
    free_rate = 0.0
    compliance = 0.0
    pushes = False
    for k in range(i, end):
        gap += number[k, REST] - number[k, PATH]
        rate += number[k, RATE]
        free_rate += number[k, NEXT_RATE]
        compliance += segment_compliance(k, per_length, nodes)
        pushes |= nodes.mark[k, PUSHES] != 0
    return gap, rate, free_rate, compliance, pushes


@kernel
def set_run(
    h: float,
    i: int,
    end: int,
    mobility: float,
    per_length: float,
    damping_time: float,
    nodes_out: Nodes,
) -> tuple[float, bool, float]:
    """Set the equations of the run of segments i to ``end``.

    Returns f, 0 if it stays slack; True if the step resolves its swing; and the speed at which it
    gets taut if it is slack [m/s].
    """
    number = nodes_out.number
    gap, rate, free_rate, compliance, pushes = measure_run(i, end, per_length, nodes_out)
    slack = 0.5 * h * rate < gap
    if slack and -0.5 * h * free_rate <= gap and not pushes:
        return 0.0, False, -rate
    taut = 1.0
    caught = gap
    if not pushes:
        taut, caught, _ = catch_taut(h, gap, rate, free_rate, compliance, damping_time, mobility)
    compliance /= taut
    own = effective_damping_time(h, compliance, damping_time, mobility)
    most = own
    for k in range(i, end):
        gives = segment_compliance(k, per_length, nodes_out) / taut
        most = max(most, effective_damping_time(h, gives, damping_time, number[k, MOBILITY]))
    early = early_share(h, compliance, own, mobility)
    head = 0.25 * h - early * own
    alone = 0.25 * h + (1.0 - early) * own
    spare = most - own
    whole = alone + spare
    common = spare / (whole * alone) * (head * rate - caught)
    border = sqrt(compliance * spare / (h * whole * alone))
    for k in range(i, end):
        gives = segment_compliance(k, per_length, nodes_out) / taut
        share = gives / compliance
        own_gap = number[k, REST] - number[k, PATH] + share * (caught - gap)
        rhs = (head * number[k, RATE] - own_gap) / whole + share * common
        set_rule(k, gives / (h * whole), rhs, nodes_out)
        number[k, BORDER] = share * border
    return taut, own == damping_time, 0.0


@kernel
def has_exposed(i: int, end: int, nodes: Nodes) -> bool:
    """Return True if any of the segments i to ``end`` is exposed."""
    for k in range(i, end):
        if nodes.mark[k, ROW] >= 0:
            return True
    return False


@kernel
def may_run(i: int, end: int, nodes: Nodes) -> bool:
    """Return True if the segments i to ``end`` are one, or go from body to body without rubbing."""
    number = nodes.number
    if end == i + 1 or nodes.mark[i, ROW] == FROZEN:
        return nodes.mark[i, ROW] != FROZEN
    for k in range(i, end):
        if number[k, RUBS] > 0.0:
            return False
    return number[i, INVERSE] == 0.0 and number[end, INVERSE] == 0.0


@kernel
def is_light(i: int, last: int, mobility: float, bodies: float, nodes: Nodes) -> bool:
    """Return True if the rope of a run is light beside bodies that it may move."""
    least = nodes.number[i, INNER]
    for k in range(i + 1, last):
        least = min(least, nodes.number[k, INNER])
    return bodies > 0.0 and mobility < LIGHT * least


@kernel
def form_run(
    h: float, n: int, i: int, last: int, wires: WireLines, entry_jacobian: Floats, nodes_out: Nodes
) -> tuple[float, bool, float]:
    """Set the equations of the run of segments i to ``last`` of wire n.

    Returns f, 0 if it is none, and the others of :func:`set_run`; the speed only of one that is
    straight: it moves bodies rather than masses.
    """
    masses = mass_mobility(i, last, nodes_out)
    bodies = body_mobility(i, last, wires, nodes_out, entry_jacobian)
    if last > i + 1 and not is_light(i, last, masses + bodies, bodies, nodes_out):
        return 0.0, False, 0.0
    per_length = wires.compliance_per_length[wires.cable[n]]
    part, resolved, speed = set_run(
        h, i, last, masses + bodies, per_length, wires.damping_time[n], nodes_out
    )
    return part, resolved, 0.0 if masses > bodies else speed


@kernel
def mark_slack(h: float, i: int, end: int, nodes_out: Nodes) -> None:
    """Mark those of the segments i to ``end`` that are slack, before and after a free step."""
    number = nodes_out.number
    mark = nodes_out.mark
    for k in range(i, end):
        gap = number[k, REST] - number[k, PATH]
        apart = gap >= 0.0 or nodes_out.tension_impulse[mark[k, NODE]] == 0.0
        opens = gap + h * number[k, NEXT_RATE] >= 0.0 and apart and not mark[k, PUSHES]
        rigid = mark[k, ROW] != FROZEN and number[k, DIAGONAL] <= 0.0  # between fixed points
        if rigid or (mark[k, ROW] == TAUT and opens):
            mark[k, ROW] = SLACK


@kernel
def begin_run(i: int, end: int, nodes_out: Nodes) -> None:
    """Mark the segments i to ``end`` as a run without common stretch."""
    for k in range(i, end):
        nodes_out.number[k, BORDER] = 0.0
        nodes_out.mark[k, RUN] = i


@kernel
def set_rules(
    h: float, fall: float, n: int, wires: WireLines, entry_jacobian: Floats, nodes_out: Nodes
) -> None:
    """Set the equations of all segments of wire n, whose rates, mobilities and rows are known.

    ``fall`` is the speed that weight gives in a step [m/s].
    """
    c = wires.cable[n]
    mark = nodes_out.mark
    per_length = wires.compliance_per_length[c]
    damping_time = wires.damping_time[n]
    i = wires.node_start[c]
    end = i + nodes_out.segment_count[n]
    used = 0
    as_one = True
    while i < end:
        last = end_of_run(i, end, nodes_out)
        begin_run(i, last, nodes_out)
        mark[i, SPARE] = used if has_exposed(i, last, nodes_out) else -1
        part, resolved, speed = 0.0, False, 0.0
        elastic = per_length > 0.0 and wires.stepper[0] == SPOOK
        if elastic and may_run(i, last, nodes_out) and mark[i, SPARE] < wires.runs[n]:
            part, resolved, speed = form_run(h, n, i, last, wires, entry_jacobian, nodes_out)
            used += part > 0.0 and mark[i, SPARE] >= 0
        as_one &= resolved or mark[i, ROW] == FROZEN
        if part == 0.0 and mark[i, ROW] != FROZEN:
            waits = last > i + 1 and speed > fall
            for k in range(i, last):
                mark[k, RUN] = k
                mark[k, SPARE] = -1
                set_own_rule(h, wires.stepper[0], k, waits, per_length, damping_time, nodes_out)
        i = last
    nodes_out.number[wires.node_start[c], AS_ONE] = as_one
    mark_slack(h, wires.node_start[c], end, nodes_out)
