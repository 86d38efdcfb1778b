"""Contact of hybrid wires with solids, and the update of their nodes at the end of a step.

A wire has the contact nodes of other cables (``contacts.py``), but its own accounts. With the path
S and the rest length L of a piece (``hybrid.py``), a change of the path by dS that contacts make
turns its account E into

    E' = max(E + dS, min(E, 0)),    s = L - S + E',
    E' <- max(E' - s, 0) where both are above zero.

So a detour over a new node pulls no harder than the way before, a shorter way pays back, and no
account above zero makes a piece slack.

Order of an update: masses that were not stable in the step go first, because contacts are not to be
judged by where such masses were flung. Then contact nodes slide, slip, come and go. Last come new
masses (``adaptive_resolution.py``).
"""

from cable_sim.kernels.cables.adaptive_resolution import (
    CALM,
    coarsen_all,
    even_out,
    masses_of,
    refine_all,
)
from cable_sim.kernels.cables.contact_path import FREE, holds, lay_span, nodes_inside
from cable_sim.kernels.cables.contacts import comes_off, refresh
from cable_sim.kernels.cables.friction import let_slip, stop_slipping
from cable_sim.kernels.cables.masses import push_out
from cable_sim.kernels.cables.pieces import (
    NODE,
    PATH,
    REST,
    RUBS,
    SHARE,
    account,
    feed,
    lay_wire,
    measure,
    outline,
)
from cable_sim.kernels.cables.sliding import slide_all
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.status import SOLVED


@kernel
def keep_paths(n, wires, pieces_out):
    """Note the paths of wire n as measured."""
    begin = wires.node_start[wires.cable[n]]
    for i in range(begin, begin + pieces_out.count[n]):
        pieces_out.number[i, SHARE] = pieces_out.number[i, PATH]


@kernel
def settle_accounts(n, wires, pieces, nodes_out):
    """Book the contacts' changes of paths since SHARE was written on the accounts of wire n."""
    begin = wires.node_start[wires.cable[n]]
    for i in range(begin, begin + pieces.count[n]):
        excess = account(i, nodes_out, pieces)
        change = pieces.number[i, PATH] - pieces.number[i, SHARE]
        due = max(excess + change, min(excess, 0.0))
        slack = pieces.number[i, REST] - pieces.number[i, PATH] - excess + due
        due = max(due - slack, 0.0) if due > 0.0 and slack > 0.0 else due
        nodes_out.excess[pieces.mark[i, NODE]] += due - excess


@kernel
def change_slipping(h, n, wires, solids, bodies, pieces_out, nodes_out, waves_out):
    """Slide nodes along edges, and let the rope of wire n start or stop slipping over them.

    The wire is measured afterwards.
    """
    c = wires.cable[n]
    begin = wires.node_start[c]
    for k in range(begin, wires.node_start[c + 1]):
        if holds(k, nodes_out) and comes_off(solids, c, k, bodies, nodes_out, waves_out):
            nodes_out.slip[k] = FREE
        if wires.slots[k] > 0:
            slide_all(solids, k, nodes_inside(k, wires.slots[k], nodes_out), bodies, nodes_out)
            for near in range(k, k + wires.slots[k] + 1):
                lay_span(c, near, nodes_out, waves_out)
    let_slip(n, wires, solids, bodies, nodes_out)  # before any stops: that is to hold for a step
    rigid = wires.compliance_per_length[c] == 0.0
    time = wires.damping_time[n]
    for i in range(begin, begin + pieces_out.count[n]):
        if pieces_out.number[i, RUBS] > 0.0:
            stop_slipping(
                i, -1.0 if rigid else time / (h + time), wires.hmr[n], pieces_out, nodes_out
            )
    outline(n, wires, nodes_out, pieces_out)
    measure(n, wires, nodes_out, pieces_out)


@kernel
def touch(
    h, n, wires, rough, touch_start, resolution, solids, bodies, pieces_out, nodes_out, waves_out
):
    """Update the contact nodes of wire n; return status flags.

    The wire is laid and measured before and afterwards.
    """
    c = wires.cable[n]
    flags = SOLVED
    if not resolution.edges[n]:
        return flags
    if rough[n] and h > 0.0:
        change_slipping(h, n, wires, solids, bodies, pieces_out, nodes_out, waves_out)
    keep_paths(n, wires, pieces_out)
    for k in range(wires.node_start[c], wires.node_start[c + 1]):
        if wires.slots[k] > 0:
            flags |= refresh(
                h,
                solids,
                c,
                k,
                wires.slots[k],
                touch_start[c],
                touch_start[c + 1],
                bodies,
                nodes_out,
                waves_out,
            )
    outline(n, wires, nodes_out, pieces_out)
    measure(n, wires, nodes_out, pieces_out)
    settle_accounts(n, wires, pieces_out, nodes_out)
    measure(n, wires, nodes_out, pieces_out)
    return flags


@kernel
def refresh_all(
    h, wires, rough, touch_start, solids, bodies, resolution_out, pieces_out, nodes_out, waves_out
):
    """Update contact nodes of all wires and, with h > 0, their masses; return status flags.

    Masses that were not stable in the step go first: contacts are not to be judged by where they
    were flung.
    """
    flags = SOLVED
    for n in range(wires.cable.size):
        touches = touch_start[wires.cable[n]] < touch_start[wires.cable[n] + 1]
        if h > 0.0:
            feed(n, wires, bodies.position, nodes_out)
            lay_wire(n, wires, bodies, pieces_out, nodes_out, waves_out)
            if (
                touches
                and push_out(n, wires, touch_start, solids, bodies, pieces_out, nodes_out) > 0
            ):
                lay_wire(n, wires, bodies, pieces_out, nodes_out, waves_out)
            resolution_out.calm[n] += 1
            coarsen_all(h, n, wires, bodies, resolution_out, pieces_out, nodes_out, waves_out)
        elif touches:
            lay_wire(n, wires, bodies, pieces_out, nodes_out, waves_out)
        if touches:
            flags |= touch(
                h,
                n,
                wires,
                rough,
                touch_start,
                resolution_out,
                solids,
                bodies,
                pieces_out,
                nodes_out,
                waves_out,
            )
            if h > 0.0:
                coarsen_all(h, n, wires, bodies, resolution_out, pieces_out, nodes_out, waves_out)
        if h > 0.0:
            even_out(h, n, wires, pieces_out, nodes_out)
            if (
                resolution_out.calm[n] >= CALM
                or masses_of(n, wires, nodes_out, pieces_out) < resolution_out.least[n]
            ):
                refine_all(h, n, wires, resolution_out, pieces_out, nodes_out, waves_out)
    return flags
