"""Stops: two neighbouring nodes of a cable can come together, not pass through one another.

A span that has shrunk to nothing has no direction, and beyond that the cable would pull the wrong
way: an eye that reaches the end of its cable, a block that is hoisted into its trolley. Each span
between two bodies therefore has a one-sided contact row along itself,

    g = l - LEAST_SPAN,      J on the far node +u, on the near one -u,

which takes part while the span might close: its impulse is bounded below by zero, and the solver
finds whether it is above. A span that closes is reported by the status NODES_MET, because a cable
taken in that far is as a rule a mistake.
"""

from cable_sim.kernels.cables.massless.breakage import ON
from cable_sim.kernels.cables.massless.massless import end_velocities
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.entries import set_point_entries
from cable_sim.kernels.multibody.vec3 import Vector, dot, load, sub
from cable_sim.kernels.records.arrays import Floats
from cable_sim.kernels.records.lines import Lines
from cable_sim.kernels.records.rows import Table
from cable_sim.kernels.status import NODES_MET, SOLVED

LEAST_SPAN = 1e-3
"""Length that is left of a closed span [m], so that it keeps its direction."""
FASTEST_SPAN = 200.0
"""Largest speed at which a span shortens [m/s]. Only short ones then need a look."""
SPEED_FACTOR = 4.0
SPEED_MARGIN = 1.0
"""Factor and addition [m/s] of a span's closing speed with which it may close within the step. The
forces of the step are not known yet."""


@kernel
def fill_separation_entries(axis: Vector, k: int, r: int, lines: Lines, table_out: Table) -> None:
    """Fill the entries of row r on the velocity of the far node of span k past the near one.

    The row is along an axis.
    """
    set_point_entries(
        axis,
        load(lines.node_work.arm, k),
        load(lines.node_work.arm, k + 1),
        table_out.rows.entry_start[r],
        lines.node_state.body[k],
        lines.node_state.body[k + 1],
        table_out.work.jacobian,
    )


@kernel
def closing_speed(k: int, velocity: Floats, lines: Lines) -> float:
    """Rate at which span k gets shorter [m/s]."""
    near, far = end_velocities(k, velocity, lines)
    return dot(load(lines.span_work.direction, k), sub(near, far))


@kernel
def fill_rows(h: float, lines: Lines, table_out: Table) -> int:
    """Fill the stop rows of all spans; return NODES_MET if one closes within the step.

    The velocities are the present ones.
    """
    node_state = lines.node_state
    span_work = lines.span_work
    flags = SOLVED
    for c in range(lines.cable_state.attachment.size):
        for k in range(lines.cables.node_start[c], lines.cables.node_start[c + 1]):
            r = lines.spans.stop_row[k]
            if r < 0:
                continue
            table_out.work.active[r], gap = False, span_work.length[k] - LEAST_SPAN
            if lines.cable_state.attachment[c] != ON or node_state.contact_solid[k + 1] >= 0:
                continue  # there is no cable, or it runs over something in between
            if gap > h * FASTEST_SPAN:
                continue
            speed = max(closing_speed(k, lines.bodies.velocity, lines), 0.0)
            if gap <= h * (SPEED_FACTOR * speed + SPEED_MARGIN):
                table_out.work.active[r] = True
                table_out.work.gap[r] = gap
                fill_separation_entries(load(span_work.direction, k), k, r, lines, table_out)
                if gap <= h * speed:
                    flags = NODES_MET
    return flags
