"""Catches of hybrid wires that the step does not follow (``catches.py``), run by run.

A run goes from body to body (``taut_runs.py``), and the swing that counts is that of the bodies on
it: v is the rate of its path by them, and 1 / m what its impulse lambda has changed of that rate.
Masses that swing faster than the step, as waves do, change no mean tension of a run.

A run is never quite slack: masses in zigzag pull a little, and what is left of them when it gets
taut may take some steps. So a run catches its load when its mean impulse rises past CAUGHT of what
would hold load and rope, (m + rho L) g h, and suddenly. A run that holds a load is above that at
any swing that does not nearly let it go slack.

Not watched are runs to a node where friction on a solid or another rope holds them: it gives way.
Where rope slips over a body to a loose end, the run gets longer no faster than with its masses. A
run whose segments have rules of their own is calmed as a chain is, unless the step resolves them.
"""

from cable_sim.kernels.cables.contact.contact_path import CROSSED
from cable_sim.kernels.cables.hybrid.segments import (
    BEND,
    IMPULSE,
    MOBILITY,
    NODE,
    RATE,
    ROW,
    RUN,
    SLACK,
    mean_impulse,
    rope_length,
)
from cable_sim.kernels.cables.hybrid.taut_runs import end_of_run, segment_compliance
from cable_sim.kernels.cables.massless.catches import (
    FOLLOWED_CHAIN,
    keep_step,
    needed_step,
    rule_bound,
)
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.entries import entry_rate
from cable_sim.kernels.multibody.rows import RESOLVED, SPOOK
from cable_sim.kernels.multibody.vec3 import Vector, norm
from cable_sim.kernels.records.arrays import Floats
from cable_sim.kernels.records.bodies import BodyWork
from cable_sim.kernels.records.lines import Nodes, WireLines

TURNED = 0.5
"""Part of b / h, by turns, that is no rate of the gap either: b is too small by a quarter where a
run turns by half a radian in a step."""
CAUGHT = 0.25
"""Part of the weight of load and rope from which a rope has caught it."""
SUDDEN = 0.5
"""Part of that by which the pull rises in the step. With 17 steps a period a peak of the weight
rises by a third of it; where the rope gets taut during the step, less."""


@kernel
def body_rate(
    row: int, runs: int, wires: WireLines, velocity: Floats, entry_jacobian: Floats
) -> float:
    """Return J v of the bodies that a row touches [m/s], without those for ``runs`` and the two
    that couple it."""
    rate = 0.0
    for e in range(wires.entry_start[row], wires.entry_start[row + 1] - 2 - runs):
        rate += entry_rate(entry_jacobian, velocity, e, wires.entry_body[e])
    return rate


@kernel
def run_response(
    i: int,
    end: int,
    runs: int,
    wires: WireLines,
    body_work: BodyWork,
    nodes: Nodes,
    entry_jacobian: Floats,
) -> tuple[float, float]:
    """Return the rate of the gap of segments i to ``end``, a run, by its bodies before the step
    [m/s], and 1 / m of its impulse [1/kg].

    Turns of the run are no rate (``hybrid.py``, "Bending of the path"). Rope that slips over a body
    to a loose end goes where its masses go: the rate is at most that of all that it touches.
    """
    rate = 0.0
    whole = 0.0
    turn = 0.0
    change = 0.0
    impulse = 0.0
    rows = 0
    for k in range(i, end):
        row = nodes.mark[k, ROW]
        whole += nodes.number[k, RATE]
        if row > SLACK:
            turn += nodes.number[k, BEND]
        if row >= 0:
            rate += body_rate(row, runs, wires, nodes.bodies.velocity, entry_jacobian)
            change += body_rate(row, runs, wires, body_work.next_velocity, entry_jacobian)
            change -= body_rate(row, runs, wires, body_work.trial_velocity, entry_jacobian)
            impulse += nodes.number[k, IMPULSE]
            rows += 1
    rate = max(rate + turn + TURNED * abs(turn), whole)
    return rate, change * rows / impulse if impulse > 0.0 else 0.0


@kernel
def run_pull(
    h: float, i: int, end: int, per_length: float, nodes: Nodes
) -> tuple[float, float, bool]:
    """Return compliance [m/N] and mean impulse [N s] of a run.

    The third is True if the step does not resolve one of its segments.
    """
    compliance = 0.0
    stretch = 0.0
    calmed = False
    for k in range(i, end):
        gives = segment_compliance(k, per_length, nodes)
        compliance += gives
        stretch += gives * nodes.number[k, IMPULSE]
        if nodes.mark[k, ROW] > SLACK:
            calmed |= h * h * nodes.number[k, MOBILITY] > RESOLVED * gives
    return compliance, stretch / compliance if compliance > 0.0 else 0.0, calmed


@kernel
def is_held(i: int, nodes: Nodes) -> bool:
    """Return True if endpoint i is a contact node or crossing where the rope sticks."""
    kind = nodes.contact_solid[nodes.mark[i, NODE]]
    return kind >= 0 or kind <= CROSSED


@kernel
def run_catch(
    h: float,
    bound: float,
    weight: float,
    rope: float,
    pull: tuple[float, float, bool],
    before: float,
    response: tuple[float, float],
) -> float:
    """Return the step that a catch by a run needs [s], 0 for none.

    ``rope`` is its mass [kg], ``pull`` what :func:`run_pull` returns, ``before`` its mean impulse
    in the last step [N s], ``response`` is :func:`run_response`.
    """
    compliance, now, _ = pull
    rate, mobility = response
    if mobility <= 0.0:
        return 0.0
    caught = CAUGHT * (1.0 / mobility + rope) * weight * h
    if not before <= caught < now or now - before < SUDDEN * caught:
        return 0.0
    return needed_step(h, bound, 0.0, weight, compliance, mobility, -rate)


@kernel
def find_wire_catches(
    h: float,
    gravity: Vector,
    wires: WireLines,
    body_work: BodyWork,
    entry_jacobian: Floats,
    nodes: Nodes,
    step_needed_out: Floats,
) -> bool:
    """Find the catches of hybrid wires that the step does not follow; return True if any.

    ``velocity`` is that of the bodies before the step, and so are the tensions of the nodes.
    """
    found = False
    for n in range(wires.cable.size):
        c = wires.cable[n]
        per_length = wires.compliance_per_length[c]
        i = wires.node_start[c]
        end = i + nodes.segment_count[n]
        while per_length > 0.0 and i < end:
            last = end_of_run(i, end, nodes)
            pull = run_pull(h, i, last, per_length, nodes)
            first = nodes.mark[i, NODE]
            before = mean_impulse(nodes.tension_impulse, first, nodes.mark[last, NODE], nodes)
            held = is_held(i, nodes) or is_held(last, nodes)
            if pull[1] > before and not held:
                response = run_response(
                    i, last, wires.runs[n], wires, body_work, nodes, entry_jacobian
                )
                alone = wires.stepper[0] == SPOOK and nodes.mark[last - 1, RUN] != i
                bound = FOLLOWED_CHAIN if alone and pull[2] else rule_bound(wires.stepper[0])
                rope = wires.density[c] * rope_length(i, last, nodes)
                step = run_catch(h, bound, norm(gravity), rope, pull, before, response)
                found |= keep_step(c, step, step_needed_out)
            i = last
    return found
