"""Bars: taut segments of wires that resist bending, which push as well as they pull until they
buckle (``flexure.py``)."""

from math import sqrt

from cable_sim.kernels.cables.contact.contact_path import BAR, CROSSED, FREE, MASSIVE
from cable_sim.kernels.cables.hybrid.segments import BEFORE, NODE, PATH, REST
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.vec3 import load, norm
from cable_sim.kernels.records.lines import Nodes

DRAWN = 1e-12
"""Part of its rope that the path of a segment may be short by when it becomes a bar: rounding."""


@kernel
def is_held(k: int, nodes: Nodes) -> bool:
    """Return True if node k is an anchor that holds the direction of the rope."""
    return norm(load(nodes.held_direction, k)) > 0.0


@kernel
def may_push(i: int, rigidity: float, nodes: Nodes) -> bool:
    """Return True if segment i is a straight span that lies on no solid or wire.

    It has to be next to a mass, or to an anchor that holds its direction; the ``rigidity`` EI of
    its wire must not be zero.
    """
    a = nodes.mark[i, NODE]
    b = nodes.mark[i + 1, NODE]
    if (
        rigidity == 0.0
        or nodes.mark[i + 1, BEFORE] != a
        or nodes.contact_solid[a] >= 0
        or nodes.contact_solid[b] >= 0
        or nodes.contact_solid[a] <= CROSSED
        or nodes.contact_solid[b] <= CROSSED
    ):
        return False
    massive = nodes.contact_solid[a] == MASSIVE or nodes.contact_solid[b] == MASSIVE
    return massive or is_held(a, nodes) or is_held(b, nodes)


@kernel
def is_bar(i: int, nodes: Nodes) -> bool:
    """Return True if segment i, of one span, pushes as well as it pulls."""
    return (
        nodes.mark[i + 1, BEFORE] == nodes.mark[i, NODE]
        and nodes.friction_state[nodes.mark[i, NODE]] == BAR
    )


@kernel
def buckles(gap: float, rigidity: float, softness: float) -> bool:
    """Return True if a bar that is compressed by ``gap`` [m] buckles (``flexure.py``).

    ``softness`` is 1/EA [1/N].
    """
    return softness > 0.0 and gap > 2.0 * sqrt(rigidity * softness)


@kernel
def update_bar(i: int, rigidity: float, softness: float, nodes_out: Nodes) -> bool:
    """Make segment i a bar when it is taut, and no bar when it is compressed too much.

    The segment has been measured. Returns whether it is a bar.
    """
    a = nodes_out.mark[i, NODE]
    gap = nodes_out.number[i, REST] - nodes_out.number[i, PATH]
    stiff = may_push(i, rigidity, nodes_out)
    if stiff and gap <= DRAWN * nodes_out.number[i, REST]:
        nodes_out.friction_state[a] = BAR
    if nodes_out.friction_state[a] == BAR and (buckles(gap, rigidity, softness) or not stiff):
        nodes_out.friction_state[a] = FREE
    return nodes_out.friction_state[a] == BAR
