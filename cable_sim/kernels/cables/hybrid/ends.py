"""Ends and clamps of hybrid wires: the mass of rope that they have, held to a point of a body.

The mass m of an end or clamp on a body which obeys forces is held to its point p by three rows, one
per axis e,

    e . v_p+ + lambda / m = e . (v + h g),    v its velocity as the wire remembers it,

so that the body gets the weight, inertia and momentum of that rope: with the impulse lambda on the
body, that on the mass is -lambda, and m (v_p+ - v - h g) = -lambda is the mass's own equation.
Static bodies take it for nothing. A free end is a mass like any other. Ends may be released and
attached while the scene runs: these rows have an entry for each body that an end may be on, and
that of the one that it is on at present is filled.

A *clamp* is an own node between the ends that no rope passes. As a node where the rope sticks it is
an endpoint, so both sides have rope and tension of their own; as an end it has half of the rope of
both sides, m = rho (L_before + L_after) / 2. So a massive node of a wire may be a rigid body: the
clamp's mass is part of it, and its inertia has m (|r|^2 1 - r r^T) more, r from its centre to the
clamp.
"""

from cable_sim.kernels.cables.contact.contact_path import MASSIVE
from cable_sim.kernels.cables.hybrid.segments import MASS, NODE
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.entries import set_entry
from cable_sim.kernels.multibody.vec3 import ZERO, Vector, axpy, cross, load
from cable_sim.kernels.records.arrays import Floats
from cable_sim.kernels.records.lines import Nodes, WireLines
from cable_sim.kernels.records.rows import RowWork

AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


@kernel
def fill_holding_row(
    row: int, axis: Vector, k: int, wires: WireLines, nodes: Nodes, entry_jacobian_out: Floats
) -> bool:
    """Fill the entries of the row that holds node k along an axis.

    Returns whether one of its bodies is the node's.
    """
    held = False
    for e in range(wires.entry_start[row], wires.entry_start[row + 1]):
        if nodes.contact_solid[k] != MASSIVE and wires.entry_body[e] == nodes.body[k]:
            set_entry(axis, cross(load(nodes.arm, k), axis), e, entry_jacobian_out)
            held = True
        else:
            set_entry(ZERO, ZERO, e, entry_jacobian_out)
    return held


@kernel
def fill_holding_rows(
    n: int, gravity_step: Vector, wires: WireLines, nodes: Nodes, row_work_out: RowWork
) -> None:
    """Fill the rows that hold the masses of ends and clamps of wire n to their bodies.

    ``gravity_step`` is h g [m/s].
    """
    i = wires.node_start[wires.cable[n]]
    for q in range(wires.held_start[n], wires.held_start[n + 1]):
        row = wires.held_row[q]
        k = wires.held_node[q]
        while nodes.mark[i, NODE] < k:
            i += 1
        mass = nodes.number[i, MASS]
        target = axpy(1.0, gravity_step, load(nodes.velocity, k))
        for axis in range(3):
            held = fill_holding_row(row + axis, AXES[axis], k, wires, nodes, row_work_out.jacobian)
            row_work_out.active[row + axis] = held and mass > 0.0
            if held and mass > 0.0:
                row_work_out.target[row + axis] = target[axis]
                row_work_out.compliance[row + axis] = 1.0 / mass


@kernel
def deactivate_rows(first: int, end: int, wires: WireLines, row_work_out: RowWork) -> None:
    """Deactivate the rows at these places of the table."""
    for q in range(first, end):
        row_work_out.active[wires.row[q]] = False
