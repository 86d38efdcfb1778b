"""Placing of hybrid wires at the present pose: nodes and spans strand by strand, then segments.

Room that is not in use is placed at the start of a step. What moves or comes afterwards leaves it
where it is: nothing but pictures sees it, and these begin like a step. A step ends with nodes and
spans placed, and the next one of the same call takes them as they are. Wires that may cross are
placed anew: their crossings settle last.
"""

from cable_sim.kernels.cables.contact.contact_path import place_room, place_used
from cable_sim.kernels.cables.contact.resting_nodes import mark_ends_of_runs
from cable_sim.kernels.cables.hybrid.segments import find_endpoints, measure_segments
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.records.lines import Nodes, WireLines


@kernel
def place_all_strands(placed: bool, wires: WireLines, nodes_out: Nodes) -> None:
    """Place nodes, spans and unused room of all wires at the present pose.

    Nodes and spans may be ``placed`` for that pose, and the room behind the last node of a wire,
    which no segment has inside, is left then.
    """
    for c in wires.cable:
        k = wires.node_start[c]
        while k < wires.node_start[c + 1] - 1:
            last = k + wires.slots[k] + 1
            if not placed:
                place_used(c, k, wires.slots[k], nodes_out)
            if not placed or last < wires.node_start[c + 1] - 1:
                place_room(k, wires.slots[k], nodes_out)
            k = last


@kernel
def sum_ways(wires: WireLines, nodes_out: Nodes) -> None:
    """Sum the way from each node of all wires to the end of its wire [m]."""
    for c in wires.cable:
        remaining = 0.0
        nodes_out.remaining_path_length[wires.node_start[c + 1] - 1] = 0.0
        for k in range(wires.node_start[c + 1] - 2, wires.node_start[c] - 1, -1):
            remaining += nodes_out.length[k] - nodes_out.path_offset[k]
            nodes_out.remaining_path_length[k] = remaining


@kernel
def place_wire(n: int, wires: WireLines, nodes_out: Nodes) -> None:
    """Place nodes, spans and segments of wire n at the present pose, and mark what is disturbed."""
    c = wires.cable[n]
    k = wires.node_start[c]
    while k < wires.node_start[c + 1] - 1:
        place_used(c, k, wires.slots[k], nodes_out)
        mark_ends_of_runs(k, wires.slots[k], nodes_out)
        k += wires.slots[k] + 1
    find_endpoints(n, wires, nodes_out)
    measure_segments(n, wires, nodes_out)
