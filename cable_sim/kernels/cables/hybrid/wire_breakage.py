"""Hybrid wires that break or are cut: one wire becomes two, each with a free end.

Where the tension of a step is above the breaking force F_b, at either end of a span
(``end_pulls.py``), the rope parts there, in the middle of the span that pulls most, of equal ones
the longest: the longer a rope, the more places it has to be weak at. A cut parts it at a given
length of rope from its first node. Either way two masses come at one place, with half of the rope
to the next node each and the velocity that the rope has there (``adapt.refine``), and no rope
between them: a span that is ``SEVERED`` at its first node. It has no mass, pulls at nothing and
touches nothing, and its two masses stay.

Mass, momentum and first moment are kept. The segments on both sides are as strained as they were
and pull at the new masses from the next step on: the rope recoils with its own mass.
"""

from math import inf, isinf

from cable_sim.kernels.cables.contact.contact_path import (
    SEVERED,
    copy_node,
    count_nodes,
    divide_span,
    measure_span,
)
from cable_sim.kernels.cables.hybrid.adaptive_resolution import refine
from cable_sim.kernels.cables.hybrid.end_pulls import largest_tension, last_span
from cable_sim.kernels.cables.hybrid.segments import NODE, own_node_before, segment_at
from cable_sim.kernels.cables.hybrid.wire_placement import place_wire
from cable_sim.kernels.cables.massless.breakage import hold_peak
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.vec3 import Vector, load, scale
from cable_sim.kernels.records.cables import CableState
from cable_sim.kernels.records.lines import Nodes, WireLines
from cable_sim.kernels.records.wires import WireState
from cable_sim.kernels.status import CONTACTS_FULL, SOLVED, WIRE_BROKE

STUB = 0.01
"""Least rope that is left on either side of a cut, as a part of the finest distance between
masses."""
AS_MUCH = 1.0 - 1e-9
"""Part of another span's pull from which on a span pulls as much."""


@kernel
def most_loaded_span(n: int, step: Vector, wires: WireLines, nodes: Nodes) -> tuple[int, float]:
    """Return the span of wire n that pulls most, and the impulse of its largest tension [N s].

    Of equal spans it is the longest. ``step`` is h g [m/s].
    """
    c = wires.cable[n]
    found = wires.node_start[c]
    end = wires.node_start[c + 1] - 1
    last = last_span(c, wires, nodes)
    half_weight = scale(0.5 * wires.density[c], step)
    most = 0.0
    for k in range(wires.node_start[c], last + 1):
        if nodes.length[k] == 0.0:
            continue
        pull = largest_tension(k, last, end, half_weight, nodes)
        longer = pull >= AS_MUCH * most and nodes.length[k] > nodes.length[found]
        if pull * AS_MUCH > most or longer:
            found = k
            most = pull
    return found, most


@kernel
def span_at(n: int, place: float, wires: WireLines, nodes: Nodes) -> tuple[int, float]:
    """Return the span of wire n that holds a place of its rope, and the part of it before that.

    ``place`` is the length of rope from the first node [m].
    """
    c = wires.cable[n]
    last = wires.node_start[c]
    before = 0.0
    for k in range(wires.node_start[c], wires.node_start[c + 1] - 1):
        if nodes.rest_length[k] > 0.0:
            last = k
            if before + nodes.rest_length[k] > place:
                return k, (place - before) / nodes.rest_length[k]
            before += nodes.rest_length[k]
    return last, 1.0


@kernel
def part_wire(n: int, k: int, x: float, finest: float, wires: WireLines, nodes_out: Nodes) -> bool:
    """Part wire n in span k at the part x of it; return whether there was room.

    The wire has been measured.
    """
    c = wires.cable[n]
    stub = STUB * finest
    first = own_node_before(k + 1, c, wires)
    count = count_nodes(first, wires.slots[first], nodes_out)
    if count + 2 > wires.slots[first] or nodes_out.rest_length[k] <= 2.0 * stub:
        return False
    x = min(max(x, stub / nodes_out.rest_length[k]), 1.0 - stub / nodes_out.rest_length[k])
    i = segment_at(n, k, wires, nodes_out)
    path = 0.0
    before = 0.0
    for node in range(nodes_out.mark[i, NODE], nodes_out.mark[i + 1, NODE]):
        before += nodes_out.rest_length[node] if node < k else 0.0
        path += nodes_out.rest_length[node]
    refine(n, i, k, x, (before + x * nodes_out.rest_length[k]) / path, wires, nodes_out)
    offset = nodes_out.path_offset[k + 1]
    pull = nodes_out.tension_impulse[k + 1]
    drawn = nodes_out.elastic_impulse[k + 1]
    divide_span(k + 1, 0.0, count + 1, first, nodes_out)
    copy_node(k + 1, k + 2, nodes_out)
    nodes_out.path_offset[k + 1] = 0.0
    nodes_out.path_offset[k + 2] = offset
    nodes_out.tension_impulse[k + 1] = 0.0
    nodes_out.tension_impulse[k + 2] = pull
    nodes_out.elastic_impulse[k + 1] = 0.0
    nodes_out.elastic_impulse[k + 2] = drawn
    nodes_out.friction_state[k + 1] = SEVERED
    measure_span(c, k + 1, nodes_out)
    measure_span(c, k + 2, nodes_out)
    return True


@kernel
def sever_wires(
    h: float,
    time: float,
    wires: WireLines,
    nodes_out: Nodes,
    wire_state_out: WireState,
    cable_state_out: CableState,
) -> int:
    """Part the wires that are to be cut or pull more than their strength [N]; return status flags.

    Holds their largest tensions; ``time`` [s] is that of the end of the step. ``cut_place`` is the
    place of each wire's cut, as rope from its first node [m], below 0 for none. It is reset
    afterwards. The twist of a wire that parts is lost.
    """
    flags = SOLVED
    for n in range(wires.cable.size):
        if isinf(wires.strength[n]) and wire_state_out.cut_place[n] < 0.0:
            continue
        step = scale(h, load(nodes_out.waves.gravity, 0))
        k, impulse = most_loaded_span(n, step, wires, nodes_out)
        x = 0.5
        tension = impulse / h
        breaks = hold_peak(wires.cable[n], tension, wires.strength[n], time, cable_state_out)
        if wire_state_out.cut_place[n] >= 0.0:
            k, x = span_at(n, wire_state_out.cut_place[n], wires, nodes_out)
        elif not breaks:
            continue
        place_wire(n, wires, nodes_out)
        done = part_wire(n, k, x, wires.finest[n], wires, nodes_out)
        flags |= SOLVED if done else CONTACTS_FULL
        flags |= WIRE_BROKE if done and wire_state_out.cut_place[n] < 0.0 else SOLVED
        wire_state_out.cut_place[n] = -1.0
        if done:
            cable_state_out.twist_expected[wires.cable[n]] = inf
    return flags
