"""Masses of a hybrid wire that has all that it may have, moved to where the rope is longest.

A winch pays its rope into the first segment. Once a wire has its ``most`` masses none comes there,
and the rope between two of them gets metres long. So a mass goes that bends the rope least, and
one comes into the longest segment, if what the two segments beside it make together is shorter than
that by ``GAIN``: then no segment gets longer than twice ``GAIN`` the others, and none flickers. Of
masses that bend the rope alike the chord of the one that goes has the least detour,

    l_a + l_c - |e_a + e_c|,

by which the rope gets slack. It goes and comes as others do (``adaptive_resolution.py``): momentum
is kept, and energy is lost.
"""

from cable_sim.kernels.cables.contact.contact_path import count_nodes
from cable_sim.kernels.cables.hybrid.adaptive_resolution import (
    REFINING,
    SAFETY,
    TIPS,
    coarsen,
    count_masses,
    is_severed_end,
    longest_span,
    refine,
    refine_all,
    stays_stable,
)
from cable_sim.kernels.cables.hybrid.segments import (
    BEFORE,
    NODE,
    REST,
    find_endpoints,
    is_mass,
    measure_segments,
    own_node_before,
)
from cable_sim.kernels.cables.hybrid.snags import is_snagged, turn_crossings_beside
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.vec3 import add, load, norm, scale
from cable_sim.kernels.records.lines import Nodes, WireLines

GAIN = 1.25
"""Longest segment over what two others make together, from which on a mass moves there [-]."""


@kernel
def longest_segment(n: int, wires: WireLines, nodes: Nodes) -> int:
    """Return the segment of wire n with the most rope."""
    begin = wires.node_start[wires.cable[n]]
    longest = begin
    for i in range(begin, begin + nodes.segment_count[n]):
        if nodes.number[i, REST] > nodes.number[longest, REST]:
            longest = i
    return longest


@kernel
def has_place(h: float, n: int, i: int, wires: WireLines, nodes: Nodes) -> bool:
    """Return True if a mass may come into segment i: it stays stable, and there is room."""
    k, place = longest_span(i, nodes)
    first = own_node_before(k + 1, wires.cable[n], wires)
    room = count_nodes(first, wires.slots[first], nodes) + TIPS <= wires.slots[first]
    limit = REFINING * SAFETY
    return room and stays_stable(h, n, i, k, place, wires, limit, nodes)


@kernel
def detour(i: int, nodes: Nodes) -> float:
    """Return the detour over the mass at endpoint i between the nodes beside it [m]."""
    a = nodes.mark[i, BEFORE]
    k = nodes.mark[i, NODE]
    before = scale(nodes.length[a], load(nodes.direction, a))
    behind = scale(nodes.length[k], load(nodes.direction, k))
    return nodes.length[a] + nodes.length[k] - norm(add(before, behind))


@kernel
def find_spare_mass(n: int, rest: float, wires: WireLines, nodes_out: Nodes) -> int:
    """Return the endpoint of wire n whose mass is to move, -1 for none.

    Both segments beside it have less rope than ``rest`` [m] together.
    """
    begin = wires.node_start[wires.cable[n]]
    spare = -1
    least = 0.0
    for i in range(begin + 1, begin + nodes_out.segment_count[n]):
        if not is_mass(i, nodes_out) or is_severed_end(i, nodes_out):
            continue
        if nodes_out.number[i - 1, REST] + nodes_out.number[i, REST] > rest:
            continue
        bend = detour(i, nodes_out)
        if (spare < 0 or bend < least) and not is_snagged(
            n, nodes_out.mark[i, NODE], wires, nodes_out
        ):
            spare = i
            least = bend
    return spare


@kernel
def move_mass(h: float, n: int, wires: WireLines, nodes_out: Nodes) -> None:
    """Move a mass of wire n into its longest segment, if it has all that it may have."""
    if count_masses(n, wires, nodes_out) < wires.most[n]:
        return
    longest = longest_segment(n, wires, nodes_out)
    rest = nodes_out.number[longest, REST] / GAIN
    if not has_place(h, n, longest, wires, nodes_out):
        return
    spare = find_spare_mass(n, rest, wires, nodes_out)
    if spare < 0:
        return
    k = nodes_out.mark[spare, NODE]
    turn_crossings_beside(k, wires, nodes_out)
    coarsen(h, n, spare, wires, nodes_out)
    find_endpoints(n, wires, nodes_out)
    measure_segments(n, wires, nodes_out)
    longest = longest_segment(n, wires, nodes_out)
    k, place = longest_span(longest, nodes_out)
    refine(n, longest, k, 0.5, place, wires, nodes_out)
    find_endpoints(n, wires, nodes_out)
    measure_segments(n, wires, nodes_out)


@kernel
def add_masses(h: float, n: int, wires: WireLines, nodes_out: Nodes) -> None:
    """Set masses where wire n is too coarse: moved ones if it has all that it may have."""
    move_mass(h, n, wires, nodes_out)
    refine_all(h, n, wires, nodes_out)
