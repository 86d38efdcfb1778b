"""Ends of hybrid wires: the mass that an end has, held to the point of the body that it is attached
to.

The mass m of an end that is attached to a body which obeys forces is held to its point p by three
rows, one per axis e,

    e . v_p+ + lambda / m = e . (v + h g),    v its velocity as the wire remembers it,

so that the body gets the weight, inertia and momentum of that rope: with the impulse lambda on the
body, that on the mass is -lambda, and m (v_p+ - v - h g) = -lambda is the mass's own equation.
Static bodies take it for nothing. A free end is a mass like any other. Ends may be released and
attached while the scene runs: these rows have an entry for each body that an end may be on, and
that of the one that it is on at present is filled.
"""

from cable_sim.kernels.cables.contact_path import MASSIVE
from cable_sim.kernels.cables.segments import MASS
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.rows import set_entry
from cable_sim.kernels.vec3 import ZERO, axpy, cross, load

AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


@kernel
def fill_holding_row(row, axis, k, table, nodes, entry_jacobian_out):
    """Fill the entries of the row that holds node k along an axis.

    Returns whether one of its bodies is the node's.
    """
    held = False
    for e in range(table.entry_start[row], table.entry_start[row + 1]):
        if nodes.contact_solid[k] != MASSIVE and table.entry_body[e] == nodes.body[k]:
            set_entry(axis, cross(load(nodes.arm, k), axis), e, entry_jacobian_out)
            held = True
        else:
            set_entry(ZERO, ZERO, e, entry_jacobian_out)
    return held


@kernel
def fill_end_rows(n, gravity_step, wires, table, nodes, segments, row_work_out):
    """Fill the rows that hold the masses of the ends of wire n to their bodies.

    ``gravity_step`` is h g [m/s].
    """
    c = wires.cable[n]
    begin = wires.node_start[c]
    end = wires.node_start[c + 1] - 1
    for e in range(2):
        row = table.end_row[n, e]
        k = begin if e == 0 else end
        i = begin if e == 0 else begin + segments.count[n]
        if row < 0:
            continue
        mass = segments.number[i, MASS]
        target = axpy(1.0, gravity_step, load(nodes.velocity, k))
        for axis in range(3):
            held = fill_holding_row(row + axis, AXES[axis], k, table, nodes, row_work_out.jacobian)
            row_work_out.active[row + axis] = held and mass > 0.0
            if held and mass > 0.0:
                row_work_out.target[row + axis] = target[axis]
                row_work_out.compliance[row + axis] = 1.0 / mass


@kernel
def deactivate_rows(first, end, table, row_work_out):
    """Deactivate the rows at these places of the table."""
    for q in range(first, end):
        row_work_out.active[table.row[q]] = False
