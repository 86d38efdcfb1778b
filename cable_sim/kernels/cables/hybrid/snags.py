"""Masses that go although rope is in the way: what they are hooked behind.

A mass that goes (``adaptive_resolution.py``) takes its rope to the chord of its neighbours. One
that would take it through a span that it may not cross is *snagged* and stays while it is stable.
Where it is not, its rope hangs on a crossing instead, at the first rope in its way.
"""

from cable_sim.kernels.cables.contact.contact_path import CROSSED
from cable_sim.kernels.cables.crossing.crossing_nodes import add_crossing, straight_continuation
from cable_sim.kernels.cables.crossing.crossing_sides import add_turns, follow_normals
from cable_sim.kernels.cables.crossing.span_search import (
    NOWHERE,
    begin_motions,
    find_first_passage,
    relative_motion,
)
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.vec3 import ZERO, Vector, load, store
from cable_sim.kernels.records.lines import Nodes, WireLines
from cable_sim.kernels.records.wires import Crossings


@kernel
def may_cross(n: int, p: int, crossings: Crossings) -> bool:
    """Return True if pair p is one of wire n."""
    return crossings.wire[p, 0] == n or crossings.wire[p, 1] == n


@kernel
def find_snag(
    n: int, k: int, wires: WireLines, nodes_out: Nodes
) -> tuple[int, tuple[float, int, int, float, float, float], Vector]:
    """Return the first rope in the way of node k of wire n to the chord beside it.

    That is the pair of wires, the passage of ``find_first_passage``, and what A moves by there,
    seen from B [m].
    """
    pair = -1
    first = NOWHERE
    move = ZERO
    here = load(nodes_out.position, k)
    begin_motions(wires, nodes_out)
    store(straight_continuation(k, k, nodes_out), k, nodes_out.position)
    for p in range(wires.crossings.body.size):
        if not may_cross(n, p, wires.crossings):
            continue
        found = find_first_passage(p, k, wires, nodes_out)
        if found[0] != 0.0 and (pair < 0 or found[3] < first[3]):
            pair = p
            first = found
            move = relative_motion(found, nodes_out)
    store(here, k, nodes_out.position)
    return pair, first, move


@kernel
def is_snagged(n: int, k: int, wires: WireLines, nodes_out: Nodes) -> bool:
    """Return True if rope that wire n may not cross is between its node k and the chord beside
    it."""
    if wires.crossings.body.size == 0:
        return False
    pair, _, _ = find_snag(n, k, wires, nodes_out)
    return pair >= 0


@kernel
def hang_on(n: int, k: int, wires: WireLines, nodes_out: Nodes) -> tuple[bool, bool]:
    """Hang the rope at node k of wire n, which has to go, on the first rope in its way.

    Returns whether there is such rope, and whether there was room.
    """
    if wires.crossings.body.size == 0:
        return False, True
    p, found, move = find_snag(n, k, wires, nodes_out)
    if p < 0:
        return False, True
    is_a = found[1] == k or found[1] == k - 1
    body = add_crossing(p, found, move, 1.0 if is_a else 0.0, wires, nodes_out)
    if body >= 0:
        follow_normals(0, True, wires, nodes_out)
    return True, body >= 0


@kernel
def turn_crossings_beside(k: int, wires: WireLines, nodes_out: Nodes) -> None:
    """Count the turns of crossings next to node k as it goes to the chord beside it."""
    if nodes_out.contact_solid[k - 1] != CROSSED and nodes_out.contact_solid[k + 1] != CROSSED:
        return
    here = load(nodes_out.position, k)
    begin_motions(wires, nodes_out)
    store(straight_continuation(k, k, nodes_out), k, nodes_out.position)
    add_turns(wires, nodes_out)
    store(here, k, nodes_out.position)
